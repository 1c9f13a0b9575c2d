/* papers/main.c: gfpoly_papers, the command that repeats tables of the papers on this machine.
 * Every cell of its report in Markdown has the published figure, this machine's, and their ratio.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* sched_getaffinity */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/markdown.h"
#include "bench/options.h"
#include "papers/paper.h"

#define LONG_RUNS 10
#define SKIPPED 77

/* ---- shared by the parts ---- */

size_t points_of(unsigned k, unsigned e)
{
    size_t n = 1;

    for (; e > 0; e--) {
        n *= 2 * (size_t)k;
    }
    return n;
}

bool is_long(const paper *w, double ns)
{
    return ns > LONG_RUNS * 1e9 * w->s.seconds;
}

bool measure_after(const paper *w, double first_ns, bool (*run)(void *context), void *context,
                   timing *t)
{
    *t = timing_of(&first_ns, 1, 1);
    return is_long(w, first_ns) || measure(t, w->s.seconds, run, context);
}

bool left_out(const paper *w, size_t n)
{
    return (w->max_points != 0 && n > w->max_points) || n < w->min_points;
}

unsigned longest_e(const paper *w, unsigned k, unsigned most)
{
    while (most > 2 && left_out(w, points_of(k, most))) {
        most--;
    }
    return most;
}

const gfp_field *field_named(paper *w, const char *name)
{
    gfp_error error = {.message = "no memory, or too many fields"};
    gfp_field *field = NULL;

    for (size_t i = 0; i < w->field_count; i++) {
        if (strcmp(w->fields[i].name, name) == 0) {
            return w->fields[i].field;
        }
    }
    char *copy = w->field_count < MOST_FIELDS ? strdup(name) : NULL;
    if (copy == NULL || gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        free(copy);
        complain("%s: %s", name, error.message);
        return NULL;
    }
    w->fields[w->field_count].name = copy;
    w->fields[w->field_count++].field = field;
    return field;
}

size_t count_fields(const paper *w)
{
    return w->s.field_count > 0 ? w->s.field_count : gfp_named_prime_count();
}

const gfp_field *field_at(paper *w, size_t i)
{
    return field_named(w, w->s.field_count > 0 ? w->s.fields[i] : gfp_named_prime_get(i)->name);
}

bool note_figure(paper *w, const char *over, size_t n, const timing *t, const char *name, ...)
{
    char text[sizeof(((record *)NULL)->name)];
    va_list values;

    va_start(values, name);
    (void)vsnprintf(text, sizeof(text), name, values);
    va_end(values);
    record *x = report_add(&w->figures, "papers", over, text);
    if (x != NULL) {
        x->len_a = n;
        x->time = *t;
    }
    return x != NULL;
}

unsigned count_cores(void)
{
    unsigned cores = 0;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return 0;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[100];
        unsigned first = cpu;
        if (!CPU_ISSET(cpu, &allowed)) {
            continue;
        }
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
                 cpu);
        FILE *in = fopen(path, "r");
        const bool told = in != NULL && fscanf(in, "%u", &first) == 1;
        if (in != NULL) {
            (void)fclose(in);
        }
        if (!told) {
            return 0;
        }
        cores += first == cpu || !CPU_ISSET(first, &allowed);
    }
    return cores;
}

/* ---- the command ---- */

/* In the order of reports; a name of NULL ends each paper's. */
static const paper_table *const papers[] = {issac_tables, multicore_tables, gpu2010_tables,
                                            complexity_tables};

static void take_quick(struct argp_state *state, void *into, const char *text)
{
    paper *w = into;

    (void)state;
    (void)text;
    w->s.seconds = 0.02;
    w->max_points = (size_t)1 << 16;
}

#define MOST_POINTS (UINT64_C(1) << 40)
static const option_row rows[] = {
    {ROW(paper, output, OPTION_TEXT, "output", "FILE",
         "Write the report to FILE (default: standard output)"),
     .letter = 'o'},
    {ROW(paper, s.seconds, OPTION_SECONDS, "seconds", "S",
         "Time to spend on one figure (default: 0.3); a transform that takes ten times as long "
         "runs once")},
    {ROW(paper, s.fields, OPTION_FIELD, "field", "FIELD",
         "Of the table complexity: a field; may be repeated (default: all named ones)"),
     .letter = 'f', .count_place = offsetof(paper, s.field_count)},
    {ROW(paper, max_points, OPTION_SIZE, "max-points", "N", "Leave longer transforms out"),
     .least = 1, .most = MOST_POINTS},
    {ROW(paper, min_points, OPTION_SIZE, "min-points", "N", "Leave shorter transforms out, too"),
     .least = 1, .most = MOST_POINTS},
    {.name = "quick",
     .help = "As --seconds 0.02 --max-points 65536",
     .kind = OPTION_TAKEN,
     .take = take_quick},
    {ROW(paper, threads, OPTION_COUNT, "threads", "T",
         "Of the parallel runs (default: all there are)"),
     .least = 1, .most = GFP_MAX_THREADS},
    {ROW(paper, folder, OPTION_TEXT, "data", "DIR", "Where the published figures are")},
    {ROW(paper, list, OPTION_FLAG, "list", NULL,
         "Read all published figures, list the files, and end")},
    {ROW(paper, pictures, OPTION_TEXT, "pictures", "DIR",
         "Draw figures in SVG into DIR, by gnuplot")},
    {ROW(paper, runs, OPTION_FLAG, "runs", NULL, "Add a table of all runs and their spread")},
    {ROW(paper, profile, OPTION_TEXT, "profile", "DIR",
         "For issac-table5: p8.csv and p16.csv, made by scripts/profile_base_case.sh"),
     .group = 1},
    {ROW(paper, metrics, OPTION_FLAG, "metrics", NULL,
         "Print the metrics that issac-table5 reads, and end"),
     .group = 1},
    {ROW(paper, base_case, OPTION_TEXT, "base-case", "FIELD",
         "Run one transform of K^4 points for a profiler, and end"),
     .group = 1},
};

static const char documentation[] =
    "Repeats tables of the papers on this machine: issac-table1, -table2, -figures1-2, -table3, "
    "-table4, -figure3, -table5, -division, -blocks; multicore-table2, -table3, -tables4-5, "
    "-table6, "
    "-table7, "
    "-figure1; gpu2010-figures1-2, -figures3-5, -figures6-7, -figure8; and complexity, operation "
    "counts compared with times. A paper's name (issac) stands for all of its tables; without "
    "arguments "
    "all are repeated.\vWhere there is no CUDA "
    "device its figures say why, and the CPU's are there. Every product is compared "
    "with another one before it is timed, a transform with another one or with the way back and "
    "values computed directly. A table that fails is left unfinished, and the next one "
    "begins. Exits with 0, 1 after a failure, 2 after a mistake in usage, 77 where --base-case "
    "finds no device.";

/* Whether `table` is the name of this table, or of its paper. */
static bool names_table(const char *name, const char *table)
{
    const size_t length = strlen(name);

    return strcmp(name, table) == 0 ||
           (strncmp(name, table, length) == 0 && table[length] == '-' && strchr(name, '-') == NULL);
}

static void take_table(struct argp_state *state, void *into, const char *name)
{
    paper *w = into;

    for (size_t i = 0; i < COUNT(papers); i++) {
        for (const paper_table *t = papers[i]; t->name != NULL; t++) {
            if (names_table(name, t->name) && w->wanted_count < MOST_WANTED) {
                w->wanted[w->wanted_count++] = name;
                return;
            }
        }
    }
    argp_error(state, "no table '%s'", name);
}

/* Reads every file of the folder and prints its contents. */
static bool list_files(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    bool ok = true;

    if (files == NULL) {
        return complain("%s: %s", folder, strerror(errno));
    }
    while (ok && (entry = readdir(files)) != NULL) {
        char name[200];
        published_table p;
        const size_t length = strlen(entry->d_name);
        if (length <= 4 || length >= sizeof(name) ||
            strcmp(entry->d_name + length - 4, ".csv") != 0) {
            continue;
        }
        memcpy(name, entry->d_name, length - 4);
        name[length - 4] = '\0';
        ok = published_load(&p, folder, name);
        if (ok) {
            printf("%-26s %2zu rows  %s (%s; %s)\n", name, p.rows, p.table, p.machine, p.unit);
        }
    }
    (void)closedir(files);
    return ok;
}

static bool papers_main_wanted(const paper *w, const char *table)
{
    for (size_t i = 0; i < w->wanted_count; i++) {
        if (names_table(w->wanted[i], table)) {
            return true;
        }
    }
    return w->wanted_count == 0;
}

/* The cells above are minima, or medians on a GPU. This table shows the spread of the runs. */
static void write_runs(paper *w)
{

    if (!w->runs || w->figures.count == 0) {
        return;
    }
    fputs("\n## Runs\n\nSpread: between the quartiles, of the median. N = 0: one product.\n\n",
          w->out);
    markdown_head(w->out, 0, "figure | N | runs | min, ns | median, ns | spread, %%");
    for (size_t i = 0; i < w->figures.count; i++) {
        const record *x = &w->figures.records[i];
        fprintf(w->out, "| %s, %s | %zu | %zu | %.5g | %.5g | %.3g |\n", x->field, x->name,
                x->len_a, x->time.runs, x->time.min_ns, x->time.median_ns, x->time.spread);
    }
}

/* A part that fails ends its table. */
static bool write_paper(paper *w, const paper_table *parts)
{
    const char *failed = NULL, *before = "";
    bool ok = true;

    for (const paper_table *t = parts; t->name != NULL; t++) {
        const bool first = strcmp(before, t->name) != 0;
        before = t->name;
        if (!papers_main_wanted(w, t->name) || (failed != NULL && strcmp(failed, t->name) == 0)) {
            continue;
        }
        if (!table_write(w, t, first)) {
            fputs("\nThis table is not finished: it failed.\n", w->out);
            failed = t->name;
            ok = false;
        }
        progress_end();
        (void)fflush(w->out);
    }
    return ok;
}

static bool write_report(paper *w)
{
    bool ok = true;

    describe_machine(&w->figures.machine);
    fputs("# Tables of the papers on this machine\n\nEach cell: published → here (here / "
          "published), of several runs the least on the CPU, the median on a GPU. A dash: not "
          "published, or not measured.\n\n",
          w->out);
    write_machine(w->out, &w->figures.machine, "- ");
    fprintf(w->out, "- threads: %u\n", w->threads);
    for (size_t i = 0; i < COUNT(papers); i++) {
        ok = write_paper(w, papers[i]) && ok;
    }
    write_runs(w);
    report_clear(&w->figures);
    free(w->known);
    for (size_t i = 0; i < w->field_count; i++) {
        free(w->fields[i].name);
        gfp_field_destroy(w->fields[i].field);
    }
    return ok && !w->gpu.failed;
}

/* Opens a context and a timer, or keeps the reason why that is not possible. */
static void open_gpu(paper *w)
{
    gfp_gpu *gpu = NULL;
    gfp_error why = {.status = GFP_OK};
    if (gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &why}) != GFP_OK) {
        gpu = NULL;
    } else if (gfp_gpu_timer_create(&w->gpu.timer, gpu) != GFP_OK) {
        why = *gfp_gpu_last_error(gpu);
        gfp_gpu_destroy(gpu);
        gpu = NULL;
    }
    w->gpu.gpu = gpu;
    w->why = why;
}

static void close_gpu(paper *w)
{
    if (w->gpu.gpu != NULL) {
        gfp_gpu_timer_destroy(w->gpu.timer);
        gfp_gpu_destroy(w->gpu.gpu);
    }
}

/* The exit status of --base-case. */
static int only_base_case(paper *w)
{
    open_gpu(w);
    if (w->gpu.gpu == NULL) {
        (void)complain("no GPU: %s", w->why.message);
        return w->why.status == GFP_ERR_UNAVAILABLE ? SKIPPED : 1;
    }
    const bool ok = run_base_case(w);
    close_gpu(w);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    paper w = {.s = {.seconds = 0.3, .seed = JOB_SEED}, .folder = GFP_PUBLISHED_FOLDER};
    const program p = {.name = "gfpoly_papers",
                       .documentation = documentation,
                       .rows = rows,
                       .count = COUNT(rows),
                       .into = &w,
                       .arguments = "[TABLE...]",
                       .take = take_table};

    w.threads = gfp_machine_get_info().threads;
    parse_options(&p, argc, argv);
    if (w.list) {
        return list_files(w.folder) ? 0 : 1;
    }
    if (w.metrics) {
        print_metrics();
        return 0;
    }
    if (w.base_case != NULL) {
        return only_base_case(&w);
    }
    if (!check_build()) {
        return 1;
    }
    /* The report is written table by table, so that a stopped run leaves the finished tables. */
    w.out = stdout;
    if (w.output != NULL && !report_open(&w.out, w.output)) {
        return 1;
    }
    report_begin(w.out);
    w.gpu.seconds = w.s.seconds;
    open_gpu(&w);
    const bool ok = write_report(&w);
    close_gpu(&w);
    return report_end(w.out, w.output != NULL ? w.output : "standard output") && ok ? 0 : 1;
}
