/* papers/main.c: gfpoly_papers, the command that repeats tables of the papers on this machine.
 * Every cell of its report in Markdown has the published figure, this machine's, and their ratio.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* sched_getaffinity */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/markdown.h"
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

gfp_field *open_field(char letter, unsigned k)
{
    char name[16];
    gfp_field *field = NULL;
    gfp_error error = {.message = ""};

    snprintf(name, sizeof(name), "%c%u", letter, k);
    if (gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        complain("%s: %s", name, error.message);
        return NULL;
    }
    return field;
}

bool note_figure(paper *w, const char *over, const char *name, size_t n, const timing *t)
{
    record *x = report_add(&w->figures, "papers", over, name);

    if (x != NULL) {
        x->len_a = n;
        x->time = *t;
    }
    return x != NULL;
}

bool note_gpu_figure(paper *w, const char *over, const char *name, size_t n, const timing *t)
{
    char text[sizeof(((record *)NULL)->name)];

    snprintf(text, sizeof(text), "GPU, %s", name);
    return note_figure(w, over, text, n, t);
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
static const paper_table complexity_table[] = {{.name = "complexity", .run = write_complexity},
                                               {.name = NULL}};
static const paper_table *const papers[] = {issac_tables, multicore_tables, gpu2010_tables,
                                            complexity_table};

enum {
    OPTION_SECONDS = 256,
    OPTION_POINTS,
    OPTION_LEAST,
    OPTION_QUICK,
    OPTION_THREADS,
    OPTION_DATA,
    OPTION_LIST,
    OPTION_PICTURES,
    OPTION_RUNS,
    OPTION_PROFILE,
    OPTION_METRICS,
    OPTION_BASE_CASE
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the report to FILE (default: standard output)", 0},
    {"seconds", OPTION_SECONDS, "S", 0,
     "Time to spend on one figure (default: 0.3); a transform that takes ten times as long runs "
     "once",
     0},
    {"field", 'f', "FIELD", 0,
     "Of the table complexity: a field; may be repeated (default: all named ones)", 0},
    {"max-points", OPTION_POINTS, "N", 0, "Leave longer transforms out", 0},
    {"min-points", OPTION_LEAST, "N", 0, "Leave shorter transforms out, too", 0},
    {"quick", OPTION_QUICK, NULL, 0, "As --seconds 0.02 --max-points 65536", 0},
    {"threads", OPTION_THREADS, "T", 0, "Of the parallel runs (default: all there are)", 0},
    {"data", OPTION_DATA, "DIR", 0, "Where the published figures are", 0},
    {"list", OPTION_LIST, NULL, 0, "Read all published figures, list the files, and end", 0},
    {"pictures", OPTION_PICTURES, "DIR", 0, "Draw figures in SVG into DIR, by gnuplot", 0},
    {"runs", OPTION_RUNS, NULL, 0, "Add a table of all runs and their spread", 0},
    {"profile", OPTION_PROFILE, "DIR", 0,
     "For issac-table5: p8.csv and p16.csv, made by scripts/profile_base_case.sh", 1},
    {"metrics", OPTION_METRICS, NULL, 0, "Print the metrics that issac-table5 reads, and end", 1},
    {"base-case", OPTION_BASE_CASE, "FIELD", 0,
     "Run one transform of K^4 points for a profiler, and end", 1},
    {NULL, 0, NULL, 0, NULL, 0}};

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

static unsigned long parse_number(struct argp_state *state, const char *text, unsigned long most)
{
    char *end;

    errno = 0;
    const unsigned long n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > most) {
        argp_error(state, "'%s' is not a number from 1 to %lu", text, most);
    }
    return n;
}

/* Whether `table` is the name of this table, or of its paper. */
static bool names_table(const char *name, const char *table)
{
    const size_t length = strlen(name);

    return strcmp(name, table) == 0 ||
           (strncmp(name, table, length) == 0 && table[length] == '-' && strchr(name, '-') == NULL);
}

static void take_table(struct argp_state *state, paper *w, const char *name)
{
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

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    paper *w = state->input;

    switch (key) {
    case 'o':
        w->output = argument;
        return 0;
    case OPTION_SECONDS: {
        char *end;
        w->s.seconds = strtod(argument, &end);
        if (end == argument || *end != '\0' || !(w->s.seconds > 0 && w->s.seconds < 1e6)) {
            argp_error(state, "'%s' is not a time in seconds", argument);
        }
        return 0;
    }
    case 'f':
        if (w->s.field_count == MAX_FIELDS) {
            argp_error(state, "more than %d fields", MAX_FIELDS);
        }
        w->s.fields[w->s.field_count++] = argument;
        return 0;
    case OPTION_POINTS:
        w->max_points = parse_number(state, argument, 1UL << 40);
        return 0;
    case OPTION_LEAST:
        w->min_points = parse_number(state, argument, 1UL << 40);
        return 0;
    case OPTION_THREADS:
        w->threads = (unsigned)parse_number(state, argument, GFP_MAX_THREADS);
        return 0;
    case OPTION_DATA:
        w->folder = argument;
        return 0;
    case OPTION_LIST:
        w->list = true;
        return 0;
    case OPTION_QUICK:
        w->s.seconds = 0.02;
        w->max_points = (size_t)1 << 16;
        return 0;
    case OPTION_PICTURES:
        w->pictures = argument;
        return 0;
    case OPTION_RUNS:
        w->runs = true;
        return 0;
    case OPTION_PROFILE:
        w->profile = argument;
        return 0;
    case OPTION_METRICS:
        w->metrics = true;
        return 0;
    case OPTION_BASE_CASE:
        w->base_case = argument;
        return 0;
    case ARGP_KEY_ARG:
        take_table(state, w, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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
    return ok && !w->gpu.failed;
}

/* Opens a context and a timer, or keeps the reason why that is not possible. */
static void open_gpu(paper *w)
{
    gfp_gpu *gpu = NULL;
    gfp_error why = {.status = GFP_OK};
    if (gfp_gpu_create(&gpu, NULL, &why) != GFP_OK) {
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
    const struct argp parser = {options, parse_option, "[TABLE...]", documentation,
                                NULL,    NULL,         NULL};

    program_name = "gfpoly_papers";
    argp_err_exit_status = 2;
    w.threads = gfp_threads_available();
    if (argp_parse(&parser, argc, argv, 0, NULL, &w) != 0) {
        return 2;
    }
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
