/* papers/profile.c: Table 5 of ISSAC 2017, the profile of the base case, from ncu's CSV; several
 * metrics of nvprof have other names in ncu, and some no longer exist. scripts/profile_base_case.sh
 * makes the files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/tables.h"

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
#define ROWS COUNT(rows)

/* The kernels, by a part of their names. */
enum { SHIFT, ADD_SUB, KERNELS };
static const char *const kernels[KERNELS] = {"shifts", "add_subs"};

/* Sums over the launches of a kernel, and the number of launches. */
typedef struct profile {
    double sum[ROWS][KERNELS];
    unsigned count[ROWS][KERNELS];
} profile;

void print_metrics(void)
{
    const char *comma = "";

    for (size_t i = 0; i < ROWS; i++) {
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
    const size_t n = points_of(k, profiled_e(w, k));
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
static size_t cut(char *line, char *cells[MOST_CELLS])
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

static void take_figure(profile *p, const char *kernel, const char *metric, const char *text)
{
    double value;

    for (size_t i = 0; i < ROWS * KERNELS; i++) {
        const size_t row = i / KERNELS, which = i % KERNELS;
        if (rows[row].metric != NULL && strcmp(rows[row].metric, metric) == 0 &&
            strstr(kernel, kernels[which]) != NULL && read_number(text, &value)) {
            p->sum[row][which] += value * rows[row].scale;
            p->count[row][which]++;
        }
    }
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

/* Lines before the line of columns are ncu's messages and the program's output. */
static bool read_profile(profile *p, const char *folder, const char *field)
{
    char path[1000], line[LINE_SIZE], *cells[MOST_CELLS];
    size_t columns = 0, kernel = 0, metric = 0, value = 0;

    snprintf(path, sizeof(path), "%s/%s.csv", folder, field);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return complain("%s: %s", path, strerror(errno));
    }
    while (fgets(line, sizeof(line), in) != NULL) {
        const size_t count = cut(line, cells);
        if (columns == 0) {
            kernel = place_of(cells, count, "Kernel Name");
            metric = place_of(cells, count, "Metric Name");
            value = place_of(cells, count, "Metric Value");
            columns = kernel < count && metric < count && value < count ? count : 0;
        } else if (count == columns) {
            take_figure(p, cells[kernel], cells[metric], cells[value]);
        }
    }
    (void)fclose(in);
    return columns > 0 || complain("%s: no columns Kernel Name, Metric Name, Metric Value", path);
}

/* ---- the table ---- */

static void profile_cell(const paper *w, double was, const profile *p, size_t row, int kernel)
{
    if (rows[row].metric == NULL) {
        fprintf(w->out, " | %.4g → not available", was);
    } else if (w->profile == NULL && w->gpu.gpu != NULL) {
        fprintf(w->out, " | %.4g → not profiled", was);
    } else if (w->profile == NULL) {
        table_gpu_cell(w, was, 0);
    } else {
        const unsigned count = p->count[row][kernel];
        table_measured_cell(w->out, was, count > 0 ? p->sum[row][kernel] / count : NAN);
    }
}

bool issac_table5(paper *w)
{
    static const char *const columns[] = {
        "metric", "ncu", "p8, shifts", "p8, add and sub", "p16, shifts", "p16, add and sub", NULL};
    static const char *const fields[] = {"p8", "p16"};
    static const char *const published[COUNT(fields) * KERNELS] = {"p3_shift", "p3_addsub",
                                                                   "p4_shift", "p4_addsub"};
    profile profiles[COUNT(fields)] = {{.sum = {{0}}}};
    published_table p;

    if (!published_load(&p, w->folder, "issac-table5")) {
        return false;
    }
    table_title(w->out, &p, false);
    fputs("Here: means over the launches of one transform of K^4 points in the papers' form with "
          "a kernel for the shifts and one for the butterflies of every stage "
          "(scripts/profile_base_case.sh). Replays are no metrics of today's devices.\n\n",
          w->out);
    for (size_t i = 0; i < COUNT(fields) && w->profile != NULL; i++) {
        if (!read_profile(&profiles[i], w->profile, fields[i])) {
            return false;
        }
    }
    table_head(w->out, columns);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t row = published_named_row(&p, rows[i].name);
        fprintf(w->out, "| %s | %s", rows[i].name, rows[i].metric != NULL ? rows[i].metric : "–");
        for (int j = 0; j < (int)COUNT(published); j++) {
            profile_cell(w, published_figure(&p, row, published[j]), &profiles[j / KERNELS], i,
                         j % KERNELS);
        }
        table_row_end(w->out);
    }
    return true;
}
