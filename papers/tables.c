/* papers/tables.c: gfpoly_papers, the command that repeats tables of the papers on this machine.
 * Every cell of its report in Markdown has the published figure, this machine's, and their ratio.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/complexity.h"
#include "papers/tables.h"

#define LONG_RUNS 10
#define SKIPPED 77

static void say_threads(const paper *w)
{
    if (w->threads > 1) {
        fprintf(w->out, "Parallel here: %u threads.\n\n", w->threads);
    } else {
        fputs("Here on one processor: no parallel figures.\n\n", w->out);
    }
}

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

bool left_out(const paper *w, size_t n)
{
    return (w->max_points != 0 && n > w->max_points) || n < w->min_points;
}

unsigned profiled_e(const paper *w, unsigned k)
{
    unsigned e = 4;

    while (e > 2 && left_out(w, points_of(k, e))) {
        e--;
    }
    return e;
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

/* ---- transforms ---- */

/* The run of measure(); the steps of the fastest run are kept. */
typedef struct run_of_steps {
    steps s;
    double best, part[PARTS];
} run_of_steps;

static bool run_steps(void *context)
{
    run_of_steps *r = context;
    const uint64_t start = clock_ns();

    if (!steps_run(&r->s)) {
        return false;
    }
    const double ns = (double)(clock_ns() - start);
    if (!(r->best > 0) || ns < r->best) {
        r->best = ns;
        memcpy(r->part, r->s.ns, sizeof(r->part));
    }
    return true;
}

/* Checks that the transform agrees with the library's usual one, digit for digit. */
static bool check_steps(run_of_steps *r, uint64_t seed)
{
    const gfp_field *field = r->s.field;
    const size_t n = r->s.n, k = gfp_field_k(field);
    uint64_t *x = calloc(n, k * sizeof(*x));
    uint64_t *y = calloc(n, k * sizeof(*y));
    gfp_fft_plan *plan = NULL;
    gfp_random g;
    bool ok = x != NULL && y != NULL && gfp_fft_plan_create(&plan, field, n, NULL) == GFP_OK;

    if (ok) {
        gfp_random_seed(&g, seed);
        gfp_vec_random(field, x, n, &g);
        steps_put(&r->s, x);
        ok = run_steps(r) && gfp_fft_forward(plan, x, x, GFP_ORDER_NATURAL, NULL) == GFP_OK;
        steps_get(&r->s, y);
        ok = ok && gfp_vec_equal(field, x, y, n);
    }
    gfp_fft_plan_destroy(plan);
    free(x);
    free(y);
    return ok || complain("%s: the transform of %zu points failed, or is wrong",
                          gfp_field_name(field), n);
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

static bool measure_steps(paper *w, measured *m)
{
    gfp_field *field = open_field(m->letter, m->k);
    run_of_steps r = {.best = 0};

    if (field == NULL) {
        return false;
    }
    progress(gfp_field_name(field), m->by_gmp ? "transform by GMP" : "transform",
             points_of(m->k, m->e));
    bool ok = steps_open(&r.s, field, points_of(m->k, m->e), m->by_gmp, m->threads);
    if (ok) {
        ok = check_steps(&r, w->s.seed);
        timing t = timing_of(&r.best, 1, 1);
        ok = ok && (is_long(w, r.best) || measure(&t, w->s.seconds, run_steps, &r)) &&
             note_figure(w, gfp_field_name(field),
                         m->by_gmp ? "six-step DFT by GMP" : "six-step DFT", r.s.n, &t);
        m->ns = r.best;
        m->prepare_ns = r.s.prepare_ns;
        memcpy(m->part, r.part, sizeof(m->part));
        steps_close(&r.s);
    }
    progress_end();
    gfp_field_destroy(field);
    return ok;
}

bool find_steps(paper *w, const measured *key, measured *found)
{
    measured m = *key;

    for (size_t i = 0; i < w->count; i++) {
        const measured *x = &w->all[i];
        if (x->letter == m.letter && x->k == m.k && x->e == m.e && x->by_gmp == m.by_gmp &&
            x->threads == m.threads) {
            *found = *x;
            return true;
        }
    }
    if (!left_out(w, points_of(m.k, m.e)) && !measure_steps(w, &m)) {
        return false;
    }
    if (w->count < MOST_MEASURED) {
        w->all[w->count++] = m;
    }
    *found = m;
    return true;
}

/* A field of the sequel. */
static bool find(paper *w, unsigned k, unsigned e, bool by_gmp, unsigned threads, measured *found)
{
    const measured key = {.letter = 'm', .k = k, .e = e, .by_gmp = by_gmp, .threads = threads};

    return find_steps(w, &key, found);
}

/* Times a transform by one thread and, if there are more, by all threads, in the library's
 * arithmetic and in GMP's. */
enum { SERIAL_OURS, SERIAL_GMP, PARALLEL_OURS, PARALLEL_GMP, WAYS };

static bool find_ways(paper *w, unsigned k, unsigned e, measured ways[WAYS])
{
    ways[PARALLEL_OURS] = ways[PARALLEL_GMP] = (measured){.k = k};
    return find(w, k, e, false, 1, &ways[SERIAL_OURS]) &&
           find(w, k, e, true, 1, &ways[SERIAL_GMP]) &&
           (w->threads == 1 || (find(w, k, e, false, w->threads, &ways[PARALLEL_OURS]) &&
                                find(w, k, e, true, w->threads, &ways[PARALLEL_GMP])));
}

unsigned key_of(const published_table *p, size_t row, const char *column)
{
    return (unsigned)published_figure(p, row, column);
}

/* ---- products in the field ---- */

/* The nanoseconds of the steps of the library's product, and of GMP's product. */
static bool measure_products(paper *w, unsigned k, timing taken[PRODUCT_STEPS], timing *gmp)
{
    gfp_field *field = open_field('m', k);

    if (field == NULL) {
        return false;
    }
    progress(gfp_field_name(field), "products", 0);
    bool ok = time_product_steps(&w->s, field, taken) && time_gmp_product(&w->s, field, gmp);
    for (size_t i = 0; i < PRODUCT_STEPS && ok; i++) {
        ok = note_figure(w, gfp_field_name(field), product_step_names[i], 0, &taken[i]);
    }
    ok = ok && note_figure(w, gfp_field_name(field), "product by GMP", 0, gmp);
    progress_end();
    gfp_field_destroy(field);
    return ok;
}

static bool multicore_table2(paper *w)
{
    static const char *const columns[] = {
        "field", "FFT-based", "GMP", "FFT-based / GMP", "the library's usual product", NULL};
    published_table p;

    if (!published_load(&p, w->folder, "multicore-table2")) {
        return false;
    }
    table_title(w->out, &p, false);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        timing taken[PRODUCT_STEPS], gmp;
        const unsigned k = key_of(&p, i, "k");
        if (!measure_products(w, k, taken, &gmp)) {
            return false;
        }
        fprintf(w->out, "| m%u", k);
        table_cell(w->out, published_figure(&p, i, "gfpf"), taken[STEP_FFT].min_ns);
        table_cell(w->out, published_figure(&p, i, "gmp"), gmp.min_ns);
        table_cell(w->out, published_figure(&p, i, "ratio"),
                   per(taken[STEP_FFT].min_ns, gmp.min_ns));
        table_cell(w->out, 0, taken[STEP_DEFAULT].min_ns);
        table_row_end(w->out);
    }
    return true;
}

static bool multicore_table3(paper *w)
{
    static const char *const columns[] = {
        "field",  "convolution",      "CRT", "LHC", "normalization", "convolution, %", "CRT, %",
        "LHC, %", "normalization, %", NULL};
    static const struct {
        const char *column;
        unsigned step;
    } steps_of[] = {{"convolution", STEP_CONVOLUTION},
                    {"crt", STEP_CRT},
                    {"lhc", STEP_LHC},
                    {"normalization", STEP_NORMALIZATION}};
    published_table p;

    if (!published_load(&p, w->folder, "multicore-table3")) {
        return false;
    }
    table_title(w->out, &p, false);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        timing taken[PRODUCT_STEPS], gmp;
        double was = 0, is = 0;
        const unsigned k = key_of(&p, i, "k");
        if (!measure_products(w, k, taken, &gmp)) {
            return false;
        }
        fprintf(w->out, "| m%u", k);
        for (size_t j = 0; j < 4; j++) {
            was += published_figure(&p, i, steps_of[j].column);
            is += taken[steps_of[j].step].min_ns;
            table_cell(w->out, published_figure(&p, i, steps_of[j].column),
                       taken[steps_of[j].step].min_ns);
        }
        for (size_t j = 0; j < 4; j++) {
            table_cell(w->out, 100 * published_figure(&p, i, steps_of[j].column) / was,
                       100 * taken[steps_of[j].step].min_ns / is);
        }
        table_row_end(w->out);
    }
    return true;
}

/* ---- the sequel's transforms ---- */

static const char *const ways_columns[WAYS] = {"serial_gfpf", "serial_gmp", "parallel_gfpf",
                                               "parallel_gmp"};

/* Reads the rows of one machine in a table of several machines; the machine's columns begin with
 * `columns`. */
static bool load_machine(paper *w, published_table *p, const char *file, const char *const *columns)
{
    if (!published_load(p, w->folder, file)) {
        return false;
    }
    if (columns != NULL) {
        table_title(w->out, p, true);
        say_threads(w);
        table_head(w->out, columns);
    }
    return true;
}

static bool multicore_tables4_5(paper *w)
{
    static const char *const files[] = {"multicore-tables4-5-i7", "multicore-tables4-5-xeon"};
    static const char *const columns[] = {
        "machine",        "field, K, e",   "serial, ours",      "serial, GMP",
        "parallel, ours", "parallel, GMP", "serial GMP / ours", NULL};
    published_table p;

    for (size_t f = 0; f < 2; f++) {
        if (!load_machine(w, &p, files[f], f == 0 ? columns : NULL)) {
            return false;
        }
        for (size_t i = 0; i < p.rows; i++) {
            measured ways[WAYS];
            const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
            if (!find_ways(w, k, e, ways)) {
                return false;
            }
            fprintf(w->out, "| %s | m%u, %u, %u", p.machine, k, 2 * k, e);
            for (size_t j = 0; j < WAYS; j++) {
                table_cell(w->out, published_figure(&p, i, ways_columns[j]), ways[j].ns / 1e6);
            }
            table_cell(
                w->out,
                per(published_figure(&p, i, "serial_gmp"), published_figure(&p, i, "serial_gfpf")),
                per(ways[SERIAL_GMP].ns, ways[SERIAL_OURS].ns));
            table_row_end(w->out);
        }
    }
    return true;
}

static bool multicore_table6(paper *w)
{
    static const char *const columns[] = {"run",   "precomputation",   "permutation",
                                          "DFT_K", "twiddle products", NULL};
    static const char *const parts[PARTS] = {
        [PART_PERMUTATION] = "permutation", [PART_DFT] = "dft", [PART_TWIDDLE] = "twiddle"};
    measured ways[WAYS];
    published_table p;

    if (!published_load(&p, w->folder, "multicore-table6") || !find_ways(w, 32, 3, ways)) {
        return false;
    }
    table_title(w->out, &p, false);
    say_threads(w);
    table_head(w->out, columns);
    for (size_t i = 0; i < WAYS; i++) {
        const size_t row = published_named_row(&p, ways_columns[i]);
        fprintf(w->out, "| %s", ways_columns[i]);
        table_measured_cell(w->out, published_figure(&p, row, "precomputation"),
                            ways[i].ns > 0 ? ways[i].prepare_ns / 1e6 : NAN);
        for (size_t j = 0; j < PARTS; j++) {
            table_measured_cell(w->out, published_figure(&p, row, parts[j]),
                                ways[i].ns > 0 ? ways[i].part[j] / 1e6 : NAN);
        }
        table_row_end(w->out);
    }
    return true;
}

/* The speed-up by `threads` threads: the cells of the library's arithmetic and of GMP's. 1 thread:
 * not measured. */
static bool speed_up_cells(paper *w, const published_table *p, size_t row, unsigned threads,
                           const char *const columns[2])
{
    const unsigned k = key_of(p, row, "k");

    for (int by_gmp = 0; by_gmp < 2; by_gmp++) {
        measured serial, parallel = {.ns = 0};
        if (!find(w, k, 3, by_gmp != 0, 1, &serial) ||
            (threads > 1 && !find(w, k, 3, by_gmp != 0, threads, &parallel))) {
            return false;
        }
        table_cell(w->out, published_figure(p, row, columns[by_gmp]), per(serial.ns, parallel.ns));
    }
    return true;
}

static bool multicore_table7(paper *w)
{
    static const char *const all[2] = {"gfpf_all", "gmp_all"};
    static const char *const a_core[2] = {"gfpf_cores", "gmp_cores"};
    const unsigned cores = count_cores();
    /* Without hyper-threading here the threads are those of the second pair of columns. */
    const bool hyper = cores > 0 && cores < w->threads;
    static const char *const files[] = {"multicore-table7-i7", "multicore-table7-xeon"};
    static const char *const columns[] = {"machine",
                                          "field",
                                          "ours, all threads",
                                          "GMP, all threads",
                                          "ours, a thread a core",
                                          "GMP, a thread a core",
                                          NULL};
    published_table p;

    for (size_t f = 0; f < 2; f++) {
        if (!load_machine(w, &p, files[f], f == 0 ? columns : NULL)) {
            return false;
        }
        for (size_t i = 0; i < p.rows; i++) {
            fprintf(w->out, "| %s | m%u", p.machine, key_of(&p, i, "k"));
            if (!speed_up_cells(w, &p, i, hyper ? w->threads : 1, all) ||
                !speed_up_cells(w, &p, i, hyper ? cores : w->threads, a_core)) {
                return false;
            }
            table_row_end(w->out);
        }
    }
    if (hyper) {
        fprintf(w->out, "\nHere: %u threads, and as many threads as cores, %u.\n", w->threads,
                cores);
    } else {
        fprintf(w->out, "\nHyper-threading was not measured here: %s.\n",
                cores == 0 ? "the system does not tell cores from threads"
                           : "there are no more threads than cores");
    }
    return true;
}

static double arithmetic(const measured *m)
{
    return m->part[PART_DFT] + m->part[PART_TWIDDLE];
}

static bool multicore_figure1(paper *w)
{
    static const char *const columns[] = {"K^e", "ours / GMP", NULL};
    published_table p;

    if (!published_load(&p, w->folder, "multicore-figure1")) {
        return false;
    }
    figure picture = {.kind = FIGURE_BARS,
                      .title = "Arithmetic inside the transform, relative to GMP",
                      .x_label = "points",
                      .y_label = "ours / GMP"};
    table_title(w->out, &p, false);
    fputs("Here: all arithmetic of the transform (twiddle products and base cases, with the "
          "additions in these, which fused butterflies do not show apart); both sides do the same "
          "number of multiplications.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        measured ours, gmp;
        const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
        if (!find(w, k, e, false, 1, &ours) || !find(w, k, e, true, 1, &gmp)) {
            return false;
        }
        char label[24];
        const double was = published_figure(&p, i, "gfpf");
        const double here = per(arithmetic(&ours), arithmetic(&gmp));
        snprintf(label, sizeof(label), "%u^%u", 2 * k, e);
        fprintf(w->out, "| %s", label);
        table_cell(w->out, was, here);
        table_row_end(w->out);
        figure_put(&picture, label, "published", true, was);
        figure_put(&picture, label, "here", false, here > 0 ? here : NAN);
    }
    return figure_draw(w, &picture, "multicore-figure1");
}

/* ---- the command ---- */

static const struct {
    const char *name;
    bool (*run)(paper *w);
} tables[] = {{"issac-table1", issac_table1},
              {"issac-table2", issac_table2},
              {"issac-figures1-2", issac_figures1_2},
              {"issac-table3", issac_table3},
              {"issac-table4", issac_table4},
              {"issac-figure3", issac_figure3},
              {"issac-table5", issac_table5},
              {"issac-division", issac_division},
              {"issac-blocks", issac_blocks},
              {"multicore-table2", multicore_table2},
              {"multicore-table3", multicore_table3},
              {"multicore-tables4-5", multicore_tables4_5},
              {"multicore-table6", multicore_table6},
              {"multicore-table7", multicore_table7},
              {"multicore-figure1", multicore_figure1},
              {"gpu2010-figures1-2", gpu2010_figures1_2},
              {"gpu2010-figures3-5", gpu2010_figures3_5},
              {"gpu2010-figures6-7", gpu2010_figures6_7},
              {"gpu2010-figure8", gpu2010_figure8},
              {"complexity", write_complexity}};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

enum {
    OPTION_SECONDS = 256,
    OPTION_POINTS,
    OPTION_LEAST,
    OPTION_QUICK,
    OPTION_THREADS,
    OPTION_DATA,
    OPTION_LIST,
    OPTION_PICTURES,
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
    for (size_t i = 0; i < TABLES; i++) {
        if (names_table(name, tables[i].name) && w->wanted_count < MOST_TABLES) {
            w->wanted[w->wanted_count++] = name;
            return;
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

static bool wanted(const paper *w, const char *table)
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
    static const char *const columns[] = {"figure",     "N",         "runs", "min, ns",
                                          "median, ns", "spread, %", NULL};

    if (w->figures.count == 0) {
        return;
    }
    fputs("\n## Runs\n\nSpread: between the quartiles, of the median. N = 0: one product.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < w->figures.count; i++) {
        const record *x = &w->figures.records[i];
        fprintf(w->out, "| %s, %s | %zu | %zu | %.5g | %.5g | %.3g |\n", x->field, x->name,
                x->len_a, x->time.runs, x->time.min_ns, x->time.median_ns, x->time.spread);
    }
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
    for (size_t i = 0; i < TABLES; i++) {
        if (wanted(w, tables[i].name) && !tables[i].run(w)) {
            fputs("\nThis table is not finished: it failed.\n", w->out);
            ok = false;
        }
        (void)fflush(w->out);
    }
    write_runs(w);
    report_clear(&w->figures);
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
