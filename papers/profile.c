/* papers/profile.c: Table 5 of ISSAC 2017, the profile of the base case, from ncu's CSV; several
 * metrics of nvprof have other names in ncu, and some no longer exist. scripts/profile_base_case.sh
 * makes the files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/device.h"

#define LINE_SIZE 4096
#define MOST_CELLS 64

/* The paper's metrics and ncu's in base units, and the value of a base unit in the paper's unit. */
static const struct {
    const char *name, *metric; /* metric NULL: no longer exists */
    double scale;
} rows[] = {
    {"occupancy_percent", "sm__warps_active.avg.pct_of_peak_sustained_active", 1},
    {"dram_read_gb_s", "dram__bytes_read.sum.per_second", 1e-9},
    {"dram_write_gb_s", "dram__bytes_write.sum.per_second", 1e-9},
    {"global_replay", NULL, 1},
    {"ipc", "sm__inst_executed.avg.per_cycle_active", 1},
    {"instruction_replay", NULL, 1},
    {"store_gb_s", "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", 1e-9},
    {"load_gb_s", "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", 1e-9},
    {"load_efficiency_percent", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 1},
    {"store_efficiency_percent", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     1},
};
#define METRICS COUNT(rows)

/* The kernels, by a part of their names. */
static const char *const kernels[] = {"shifts", "add_subs"};

/* The sum of a metric over the launches of a kernel, and their number. */
typedef struct profile {
    const char *metric, *kernel;
    double sum;
    unsigned count;
} profile;

void print_metrics(void)
{
    const char *comma = "";

    for (size_t i = 0; i < METRICS; i++) {
        if (rows[i].metric != NULL) {
            printf("%s%s", comma, rows[i].metric);
            comma = ",";
        }
    }
    printf("\n");
}

bool run_base_case(paper *w)
{
    const dft_options options = {.form = DFT_PAPERS_SPLIT};
    gfp_field *field = NULL;
    gfp_error error = {.message = ""};
    dft_job job;
    bool absent;

    if (gfp_field_create(&field, w->base_case, NULL, &error) != GFP_OK) {
        return complain("%s: %s", w->base_case, error.message);
    }
    const unsigned k = gfp_field_k(field);
    const size_t n = points_of(k, longest_e(w, k, 4));
    gfp_field_destroy(field);
    const bool ok = dft_open(&job, &w->gpu, w->base_case, n, &options, &absent) &&
                    succeeds(&w->gpu, run_dft(&job), w->base_case) &&
                    succeeds(&w->gpu, gfp_gpu_wait(w->gpu.gpu, NULL), w->base_case);
    dft_close(&job);
    return ok ||
           (absent && complain("%s: no transform of %zu points in this form", w->base_case, n));
}

/* ---- ncu's CSV ---- */

/* Cuts the line, in place, at the commas outside of quotes, and removes the quotes. */
static size_t profile_cut(char *line, char *cells[MOST_CELLS])
{
    size_t count = 0;
    char *to = line;
    bool quoted = false;

    cells[count++] = to;
    for (const char *from = line; *from != '\0' && *from != '\n' && *from != '\r'; from++) {
        if (*from == '"') {
            quoted = !quoted;
        } else if (*from == ',' && !quoted && count < MOST_CELLS) {
            *to++ = '\0';
            cells[count++] = to;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return count;
}

/* Reads a number with commas between thousands; returns false for text such as "n/a". */
static bool read_number(const char *text, double *value)
{
    char digits[64], *end;
    size_t n = 0;

    for (; *text != '\0' && n + 1 < sizeof(digits); text++) {
        if (*text != ',') {
            digits[n++] = *text;
        }
    }
    digits[n] = '\0';
    *value = strtod(digits, &end);
    return n > 0 && *end == '\0';
}

/* The index of a column, or `count` if the column is missing. */
static size_t place_of(char *const *cells, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(cells[i], name) != 0) {
        i++;
    }
    return i;
}

/* Adds the figures of p's metric and kernel. Lines before the line of columns are ncu's messages
 * and the program's output. */
static bool read_profile(profile *p, const char *folder, const char *field)
{
    char path[1000], line[LINE_SIZE], *cells[MOST_CELLS];
    size_t columns = 0, kernel = 0, metric = 0, value = 0;
    double number;

    snprintf(path, sizeof(path), "%s/%s.csv", folder, field);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return complain("%s: %s", path, strerror(errno));
    }
    while (fgets(line, sizeof(line), in) != NULL) {
        const size_t count = profile_cut(line, cells);
        if (columns == 0) {
            kernel = place_of(cells, count, "Kernel Name");
            metric = place_of(cells, count, "Metric Name");
            value = place_of(cells, count, "Metric Value");
            columns = kernel < count && metric < count && value < count ? count : 0;
        } else if (count == columns && strcmp(cells[metric], p->metric) == 0 &&
                   strstr(cells[kernel], p->kernel) != NULL && read_number(cells[value], &number)) {
            p->sum += number;
            p->count++;
        }
    }
    (void)fclose(in);
    return columns > 0 || complain("%s: no columns Kernel Name, Metric Name, Metric Value", path);
}

bool measure_profile(paper *w, const table_row *r)
{
    static const char *const fields[] = {"p8", "p16"};
    size_t i = 0;

    while (i < METRICS && strcmp(rows[i].name, r->name) != 0) {
        i++;
    }
    if (i == METRICS) {
        return complain("no metric %s", r->name);
    }
    for (size_t j = 0; j < COUNT(fields) * COUNT(kernels); j++) {
        const char *field = fields[j / COUNT(kernels)];
        profile p = {.metric = rows[i].metric, .kernel = kernels[j % COUNT(kernels)]};
        if (p.metric == NULL || w->profile == NULL) {
            continue;
        }
        if (!read_profile(&p, w->profile, field)) {
            return false;
        }
        quantity_put(w, r, p.count > 0 ? p.sum * rows[i].scale / p.count : NAN, "profile.%s %s",
                     field, p.kernel);
    }
    return true;
}
