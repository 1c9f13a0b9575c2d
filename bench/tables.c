/* bench/tables.c: gfpoly_papers, the command that repeats tables of the papers on this machine and
 * writes the published figure, this machine's, and their ratio into every cell of a Markdown
 * report. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "machine.h"
#include "published.h"
#include "steps.h"

#define MOST_MEASURED 64
#define LONG_RUNS 10
#define MOST_TABLES 16

/* A transform that was measured. */
typedef struct measured {
    unsigned k, e;
    bool by_gmp;
    unsigned threads;
    double ns, part[PARTS], prepare_ns;
} measured;

typedef struct paper {
    settings s;
    const char *folder;
    const char *output; /* NULL: standard output */
    bool list;
    size_t max_points; /* longer transforms are left out; 0: none */
    unsigned threads;
    const char *wanted[MOST_TABLES];
    size_t wanted_count;
    FILE *out;
    measured all[MOST_MEASURED];
    size_t count;
} paper;

/* ---- cells ---- */

/* "published → here (here / published)"; what is not known is a dash. */
static void cell(FILE *out, double was, double here)
{
    fputs(" | ", out);
    if (was > 0) {
        fprintf(out, "%.4g", was);
    } else {
        fputs("–", out);
    }
    fputs(" → ", out);
    if (here > 0) {
        fprintf(out, "%.4g", here);
    } else {
        fputs("–", out);
    }
    if (was > 0 && here > 0) {
        fprintf(out, " (%.3g)", here / was);
    }
}

static void head(FILE *out, const char *const *columns)
{
    size_t count = 0;

    for (; columns[count] != NULL; count++) {
        fprintf(out, "%s%s", count > 0 ? " | " : "| ", columns[count]);
    }
    fputs(" |\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("|---", out);
    }
    fputs("|\n", out);
}

/* several: the rows name the machines. */
static void title(FILE *out, const published_table *p, bool several)
{
    fprintf(out, "\n## %s\n\n%s. ", p->table, p->paper);
    if (!several) {
        fprintf(out, "Published for: %s. ", p->machine);
    }
    fprintf(out, "Unit: %s.", p->unit);
    if (p->remark[0] != '\0') {
        fprintf(out, " Remark: %s.", p->remark);
    }
    fputs("\n\n", out);
}

static void say_threads(const paper *w)
{
    if (w->threads > 1) {
        fprintf(w->out, "Parallel here: %u threads.\n\n", w->threads);
    } else {
        fputs("Here on one processor: no parallel figures.\n\n", w->out);
    }
}

static double per(double x, double y)
{
    return x > 0 && y > 0 ? x / y : 0;
}

static size_t points(unsigned k, unsigned e)
{
    size_t n = 1;

    for (; e > 0; e--) {
        n *= 2 * (size_t)k;
    }
    return n;
}

static bool left_out(const paper *w, size_t n)
{
    return w->max_points != 0 && n > w->max_points;
}

/* The field of this letter and k: "m8", "p8". */
static gfp_field *open_field(char letter, unsigned k)
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

/* What measure() runs: the steps of the fastest run are kept. */
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

/* The transform agrees with the library's usual one, digit for digit. */
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

static bool measure_steps(paper *w, measured *m)
{
    gfp_field *field = open_field('m', m->k);
    run_of_steps r = {.best = 0};
    timing t;

    if (field == NULL) {
        return false;
    }
    progress(gfp_field_name(field), m->by_gmp ? "transform by GMP" : "transform",
             points(m->k, m->e));
    bool ok = steps_open(&r.s, field, points(m->k, m->e), m->by_gmp, m->threads);
    if (ok) {
        /* Where the run that was compared took long it is the figure. */
        ok = check_steps(&r, w->s.seed) &&
             (r.best > LONG_RUNS * 1e9 * w->s.seconds || measure(&t, w->s.seconds, run_steps, &r));
        m->ns = r.best;
        m->prepare_ns = r.s.prepare_ns;
        memcpy(m->part, r.part, sizeof(m->part));
        steps_close(&r.s);
    }
    progress_end();
    gfp_field_destroy(field);
    return ok;
}

/* *found := this transform, measured once for all tables; all 0 where it is left out. */
static bool find(paper *w, unsigned k, unsigned e, bool by_gmp, unsigned threads, measured *found)
{
    measured m = {.k = k, .e = e, .by_gmp = by_gmp, .threads = threads};

    for (size_t i = 0; i < w->count; i++) {
        const measured *x = &w->all[i];
        if (x->k == k && x->e == e && x->by_gmp == by_gmp && x->threads == threads) {
            *found = *x;
            return true;
        }
    }
    if (!left_out(w, points(k, e)) && !measure_steps(w, &m)) {
        return false;
    }
    if (w->count < MOST_MEASURED) {
        w->all[w->count++] = m;
    }
    *found = m;
    return true;
}

/* A transform by one thread and, where there are more, by all threads, by the library's arithmetic
 * and by GMP's. */
enum { SERIAL_OURS, SERIAL_GMP, PARALLEL_OURS, PARALLEL_GMP, WAYS };

static bool find_ways(paper *w, unsigned k, unsigned e, measured ways[WAYS])
{
    ways[PARALLEL_OURS] = ways[PARALLEL_GMP] = (measured){.k = k};
    return find(w, k, e, false, 1, &ways[SERIAL_OURS]) &&
           find(w, k, e, true, 1, &ways[SERIAL_GMP]) &&
           (w->threads == 1 || (find(w, k, e, false, w->threads, &ways[PARALLEL_OURS]) &&
                                find(w, k, e, true, w->threads, &ways[PARALLEL_GMP])));
}

static unsigned key_of(const published_table *p, size_t row, const char *column)
{
    return (unsigned)published_figure(p, row, column);
}

/* ---- ISSAC 2017 ---- */

static bool issac_table1(paper *w)
{
    static const char *const columns[] = {"prime", "exponent of 2 in p - 1", NULL};
    published_table p;

    if (!published_load(&p, w->folder, "issac-table1")) {
        return false;
    }
    title(w->out, &p, false);
    head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        char formula[60];
        gfp_field *field;
        snprintf(formula, sizeof(formula), "(2^%u%c2^%u)^%u+1", key_of(&p, i, "w"),
                 published_figure(&p, i, "sign") > 0 ? '+' : '-', key_of(&p, i, "u"),
                 key_of(&p, i, "k"));
        if (gfp_field_create(&field, formula, NULL, NULL) != GFP_OK) {
            return complain("%s: no field", formula);
        }
        fprintf(w->out, "| %s, %s, proved prime", p.text[i][0], formula);
        cell(w->out, published_figure(&p, i, "v2"), gfp_field_v2_order(field));
        fputs(" |\n", w->out);
        gfp_field_destroy(field);
    }
    return true;
}

/* Both approaches on N points of Z/pZ. */
typedef struct approaches {
    gfp_fft_plan *big;
    gfp_crt_rival_plan *small;
    uint64_t *x, *y, *residues, *integers;
    double two_ns, three_ns; /* the least of steps 1-2, and of all three */
} approaches;

static bool run_big(void *context)
{
    approaches *a = context;
    return gfp_fft_forward(a->big, a->y, a->x, GFP_ORDER_NATURAL, NULL) == GFP_OK;
}

static bool run_small(void *context)
{
    approaches *a = context;
    gfp_crt_rival_times times;

    if (gfp_crt_rival_forward(a->small, a->integers, a->residues, a->x, &times, NULL) != GFP_OK) {
        return false;
    }
    const double two = (double)(times.project_ns + times.transform_ns);
    const double three = two + (double)times.recombine_ns;
    a->two_ns = a->two_ns > 0 && a->two_ns < two ? a->two_ns : two;
    a->three_ns = a->three_ns > 0 && a->three_ns < three ? a->three_ns : three;
    return true;
}

/* *big, *two, *three := milliseconds; 0 where that is left out. */
static bool measure_approaches(paper *w, unsigned k, unsigned e, double *big, double *two,
                               double *three)
{
    const gfp_crt_rival_options options = {.ntt = {.form = GFP_NTT_BLOCKED}};
    const size_t n = points(k, e);
    approaches a = {.two_ns = 0};
    timing t;
    gfp_random g;

    *big = *two = *three = 0;
    if (left_out(w, n)) {
        return true;
    }
    gfp_field *field = open_field('p', k);
    if (field == NULL) {
        return false;
    }
    progress(gfp_field_name(field), "both approaches", n);
    bool ok = gfp_fft_plan_create(&a.big, field, n, NULL) == GFP_OK &&
              gfp_crt_rival_plan_create(&a.small, field, n, &options, NULL) == GFP_OK;
    if (ok) {
        a.x = calloc(n, k * sizeof(uint64_t));
        a.y = calloc(n, k * sizeof(uint64_t));
        a.residues = calloc(n, gfp_crt_rival_plan_prime_count(a.small) * sizeof(uint64_t));
        a.integers = calloc(n, gfp_crt_rival_plan_words(a.small) * sizeof(uint64_t));
        ok = a.x != NULL && a.y != NULL && a.residues != NULL && a.integers != NULL;
    }
    if (ok) {
        gfp_random_seed(&g, w->s.seed);
        gfp_vec_random(field, a.x, n, &g);
        ok = run_big(&a) && gfp_fft_inverse(a.big, a.y, a.y, GFP_ORDER_NATURAL, NULL) == GFP_OK &&
             gfp_vec_equal(field, a.x, a.y, n) && measure(&t, w->s.seconds, run_big, &a);
        *big = ok ? t.min_ns / 1e6 : 0;
        ok = ok && measure(&t, w->s.seconds, run_small, &a);
        *two = a.two_ns / 1e6;
        *three = a.three_ns / 1e6;
    }
    progress_end();
    gfp_fft_plan_destroy(a.big);
    gfp_crt_rival_plan_destroy(a.small);
    free(a.x);
    free(a.y);
    free(a.residues);
    free(a.integers);
    gfp_field_destroy(field);
    return ok || complain("p%u, %zu points: failed", k, n);
}

static bool issac_table3(paper *w)
{
    static const char *const files[] = {"issac-table3-x5650", "issac-table3-fx8350",
                                        "issac-table3-i7-4700hq"};
    static const char *const columns[] = {
        "machine", "prime, e (N)", "small primes", "with recombination", "big prime", "small / big",
        NULL};
    double big[PUBLISHED_ROWS], two[PUBLISHED_ROWS], three[PUBLISHED_ROWS];
    published_table p;

    for (size_t f = 0; f < 3; f++) {
        if (!published_load(&p, w->folder, files[f])) {
            return false;
        }
        if (f == 0) {
            title(w->out, &p, true);
            head(w->out, columns);
        }
        for (size_t i = 0; i < p.rows; i++) {
            const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
            const double small_was = published_figure(&p, i, "small_primes");
            const double big_was = published_figure(&p, i, "big_prime");
            if (f == 0 && !measure_approaches(w, k, e, &big[i], &two[i], &three[i])) {
                return false;
            }
            fprintf(w->out, "| %s | p%u, %u (%zu)", p.machine, k, e, points(k, e));
            cell(w->out, small_was, two[i]);
            cell(w->out, 0, three[i]);
            cell(w->out, big_was, big[i]);
            cell(w->out, per(small_was, big_was), per(two[i], big[i]));
            fputs(" |\n", w->out);
        }
    }
    return true;
}

/* ---- products in the field ---- */

/* Nanoseconds of the product's steps, and of GMP's product. */
static bool measure_products(paper *w, unsigned k, timing times[PRODUCT_STEPS], timing *gmp)
{
    gfp_field *field = open_field('m', k);

    if (field == NULL) {
        return false;
    }
    progress(gfp_field_name(field), "products", 0);
    const bool ok = time_product_steps(&w->s, field, times) && time_gmp_product(&w->s, field, gmp);
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
    title(w->out, &p, false);
    head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        timing times[PRODUCT_STEPS], gmp;
        const unsigned k = key_of(&p, i, "k");
        if (!measure_products(w, k, times, &gmp)) {
            return false;
        }
        fprintf(w->out, "| m%u", k);
        cell(w->out, published_figure(&p, i, "gfpf"), times[STEP_FFT].min_ns);
        cell(w->out, published_figure(&p, i, "gmp"), gmp.min_ns);
        cell(w->out, published_figure(&p, i, "ratio"), per(times[STEP_FFT].min_ns, gmp.min_ns));
        cell(w->out, 0, times[STEP_DEFAULT].min_ns);
        fputs(" |\n", w->out);
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
    title(w->out, &p, false);
    head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        timing times[PRODUCT_STEPS], gmp;
        double was = 0, is = 0;
        const unsigned k = key_of(&p, i, "k");
        if (!measure_products(w, k, times, &gmp)) {
            return false;
        }
        fprintf(w->out, "| m%u", k);
        for (size_t j = 0; j < 4; j++) {
            was += published_figure(&p, i, steps_of[j].column);
            is += times[steps_of[j].step].min_ns;
            cell(w->out, published_figure(&p, i, steps_of[j].column),
                 times[steps_of[j].step].min_ns);
        }
        for (size_t j = 0; j < 4; j++) {
            cell(w->out, 100 * published_figure(&p, i, steps_of[j].column) / was,
                 100 * times[steps_of[j].step].min_ns / is);
        }
        fputs(" |\n", w->out);
    }
    return true;
}

/* ---- the sequel's transforms ---- */

static const char *const ways_columns[WAYS] = {"serial_gfpf", "serial_gmp", "parallel_gfpf",
                                               "parallel_gmp"};

static bool multicore_tables4_5(paper *w)
{
    static const char *const files[] = {"multicore-tables4-5-i7", "multicore-tables4-5-xeon"};
    static const char *const columns[] = {
        "machine",        "field, K, e",   "serial, ours",      "serial, GMP",
        "parallel, ours", "parallel, GMP", "serial GMP / ours", NULL};
    published_table p;

    for (size_t f = 0; f < 2; f++) {
        if (!published_load(&p, w->folder, files[f])) {
            return false;
        }
        if (f == 0) {
            title(w->out, &p, true);
            say_threads(w);
            head(w->out, columns);
        }
        for (size_t i = 0; i < p.rows; i++) {
            measured ways[WAYS];
            const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
            if (!find_ways(w, k, e, ways)) {
                return false;
            }
            fprintf(w->out, "| %s | m%u, %u, %u", p.machine, k, 2 * k, e);
            for (size_t j = 0; j < WAYS; j++) {
                cell(w->out, published_figure(&p, i, ways_columns[j]), ways[j].ns / 1e6);
            }
            cell(w->out,
                 per(published_figure(&p, i, "serial_gmp"), published_figure(&p, i, "serial_gfpf")),
                 per(ways[SERIAL_GMP].ns, ways[SERIAL_OURS].ns));
            fputs(" |\n", w->out);
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
    title(w->out, &p, false);
    say_threads(w);
    head(w->out, columns);
    for (size_t i = 0; i < WAYS; i++) {
        const size_t row = published_named_row(&p, ways_columns[i]);
        fprintf(w->out, "| %s", ways_columns[i]);
        cell(w->out, published_figure(&p, row, "precomputation"), ways[i].prepare_ns / 1e6);
        for (size_t j = 0; j < PARTS; j++) {
            cell(w->out, published_figure(&p, row, parts[j]), ways[i].part[j] / 1e6);
        }
        fputs(" |\n", w->out);
    }
    return true;
}

static bool multicore_table7(paper *w)
{
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
        if (!published_load(&p, w->folder, files[f])) {
            return false;
        }
        if (f == 0) {
            title(w->out, &p, true);
            say_threads(w);
            head(w->out, columns);
        }
        for (size_t i = 0; i < p.rows; i++) {
            measured ways[WAYS];
            const unsigned k = key_of(&p, i, "k");
            if (!find_ways(w, k, 3, ways)) {
                return false;
            }
            const double ours = per(ways[SERIAL_OURS].ns, ways[PARALLEL_OURS].ns);
            const double gmp = per(ways[SERIAL_GMP].ns, ways[PARALLEL_GMP].ns);
            fprintf(w->out, "| %s | m%u", p.machine, k);
            cell(w->out, published_figure(&p, i, "gfpf_all"), ours);
            cell(w->out, published_figure(&p, i, "gmp_all"), gmp);
            cell(w->out, published_figure(&p, i, "gfpf_cores"), ours);
            cell(w->out, published_figure(&p, i, "gmp_cores"), gmp);
            fputs(" |\n", w->out);
        }
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
    title(w->out, &p, false);
    fputs("Here: all arithmetic of the transform (twiddle products and base cases, with the "
          "additions in these, which fused butterflies do not show apart); both sides do the same "
          "number of multiplications.\n\n",
          w->out);
    head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        measured ours, gmp;
        const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
        if (!find(w, k, e, false, 1, &ours) || !find(w, k, e, true, 1, &gmp)) {
            return false;
        }
        fprintf(w->out, "| %u^%u", 2 * k, e);
        cell(w->out, published_figure(&p, i, "gfpf"), per(arithmetic(&ours), arithmetic(&gmp)));
        fputs(" |\n", w->out);
    }
    return true;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    bool (*run)(paper *w);
} tables[] = {{"issac-table1", issac_table1},
              {"issac-table3", issac_table3},
              {"multicore-table2", multicore_table2},
              {"multicore-table3", multicore_table3},
              {"multicore-tables4-5", multicore_tables4_5},
              {"multicore-table6", multicore_table6},
              {"multicore-table7", multicore_table7},
              {"multicore-figure1", multicore_figure1}};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

enum { OPTION_SECONDS = 256, OPTION_POINTS, OPTION_THREADS, OPTION_DATA, OPTION_LIST };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the report to FILE (default: standard output)", 0},
    {"seconds", OPTION_SECONDS, "S", 0,
     "Time to spend on one figure (default: 0.3); a transform that takes ten times as long runs "
     "once",
     0},
    {"max-points", OPTION_POINTS, "N", 0, "Leave longer transforms out", 0},
    {"threads", OPTION_THREADS, "T", 0, "Of the parallel runs (default: all there are)", 0},
    {"data", OPTION_DATA, "DIR", 0, "Where the published figures are", 0},
    {"list", OPTION_LIST, NULL, 0, "Read all published figures, list the files, and end", 0},
    {NULL, 0, NULL, 0, NULL, 0}};

static const char documentation[] =
    "Repeats tables of the papers on this machine: issac-table1, issac-table3, multicore-table2, "
    "multicore-table3, multicore-tables4-5, multicore-table6, multicore-table7, multicore-figure1; "
    "without arguments all of them.\vEvery transform and product is compared with another one "
    "before it is timed. Exits with 0, 1 after a failure, 2 after a mistake in usage.";

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

static void take_table(struct argp_state *state, paper *w, const char *name)
{
    for (size_t i = 0; i < TABLES; i++) {
        if (strcmp(name, tables[i].name) == 0 && w->wanted_count < MOST_TABLES) {
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
    case OPTION_POINTS:
        w->max_points = parse_number(state, argument, 1UL << 40);
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
    case ARGP_KEY_ARG:
        take_table(state, w, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Reads every file of the folder, and says what it holds. */
static bool list_files(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    bool ok = files != NULL || complain("%s: %s", folder, strerror(errno));

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
    if (files != NULL) {
        (void)closedir(files);
    }
    return ok;
}

static bool wanted(const paper *w, const char *name)
{
    for (size_t i = 0; i < w->wanted_count; i++) {
        if (strcmp(w->wanted[i], name) == 0) {
            return true;
        }
    }
    return w->wanted_count == 0;
}

static bool write_report(paper *w)
{
    struct machine machine;
    bool ok = true;

    describe_machine(&machine);
    fputs("# Tables of the papers on this machine\n\nEach cell: published → here (here / "
          "published), the least of several runs. A dash: not published, or not measured.\n\n",
          w->out);
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        fprintf(w->out, "- %s: %s\n", machine.fact[i].name, machine.fact[i].text);
    }
    fprintf(w->out, "- threads: %u\n", w->threads);
    for (size_t i = 0; i < TABLES && ok; i++) {
        if (wanted(w, tables[i].name)) {
            ok = tables[i].run(w);
        }
    }
    return ok;
}

int main(int argc, char **argv)
{
    static paper w = {.s = {.seconds = 0.3, .seed = 1}, .folder = GFP_PUBLISHED_FOLDER};
    const struct argp parser = {options, parse_option, "[TABLE...]", documentation,
                                NULL,    NULL,         NULL};
    char *text = NULL;
    size_t size = 0;

    program_name = "gfpoly_papers";
    argp_err_exit_status = 2;
    w.threads = gfp_threads_available();
    if (argp_parse(&parser, argc, argv, 0, NULL, &w) != 0) {
        return 2;
    }
    if (w.list) {
        return list_files(w.folder) ? 0 : 1;
    }
    if (!gfp_is_optimised()) {
        complain("built without optimisation: times say nothing");
        return 1;
    }
    /* Written when it is complete; opened before anything is measured. */
    FILE *file = stdout;
    if (w.output != NULL && !report_open(&file, w.output)) {
        return 1;
    }
    w.out = open_memstream(&text, &size);
    if (w.out == NULL) {
        complain("no memory");
        return 1;
    }
    bool ok = write_report(&w);
    if (fclose(w.out) != 0) {
        ok = complain("no memory");
    }
    ok = ok && report_write_text(text, file, w.output != NULL ? w.output : "standard output");
    free(text);
    return ok ? 0 : 1;
}
