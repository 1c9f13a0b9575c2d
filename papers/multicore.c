/* papers/multicore.c: the tables and figure of the sequel on multi-core processors: products in the
 * field, and six-step transforms of K^e points by any number of threads, by the library and by the
 * same steps in GMP's arithmetic.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "papers/paper.h"
#include "papers/steps.h"

/* ---- products in the field ---- */

/* Operands that stay in the cache. */
#define VECTOR 64

typedef struct operands {
    gmp_dft baseline;
    uint64_t *x, *y, *z;
    mp_limb_t *a, *b, *c;
} operands;

static bool run_gmp_products(void *context)
{
    operands *v = context;
    const size_t l = v->baseline.limbs;

    for (size_t i = 0; i < VECTOR; i++) {
        gmp_dft_mul(&v->baseline, v->c + i * l, v->a + i * l, v->b + i * l);
    }
    return true;
}

static void operands_clear(operands *v)
{
    free(v->x);
    free(v->a);
    gmp_dft_clear(&v->baseline);
}

static bool operands_init(operands *v, const gfp_field *field, uint64_t seed)
{
    const size_t words = VECTOR * (size_t)gfp_field_k(field);
    gfp_random g;

    *v = (operands){.x = NULL};
    const bool started = gmp_dft_init(&v->baseline, field, 2 * (size_t)gfp_field_k(field));
    v->x = calloc(3 * words, sizeof(uint64_t));
    v->a = calloc(3 * VECTOR, gfp_field_limbs(field) * sizeof(mp_limb_t));
    if (!started || v->x == NULL || v->a == NULL) {
        operands_clear(v);
        return complain("no memory for products");
    }
    v->y = v->x + words;
    v->z = v->y + words;
    v->b = v->a + VECTOR * v->baseline.limbs;
    v->c = v->b + VECTOR * v->baseline.limbs;
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, v->x, VECTOR, &g);
    gfp_vec_random(field, v->y, VECTOR, &g);
    gmp_dft_from_digits(&v->baseline, v->a, v->x, VECTOR);
    gmp_dft_from_digits(&v->baseline, v->b, v->y, VECTOR);
    return true;
}

/* Checks that GMP's products are the library's. */
static bool check_products(operands *v)
{
    const gfp_field *field = v->baseline.field;

    run_gmp_products(v);
    gfp_vec_mul(field, v->z, v->x, v->y, VECTOR);
    gmp_dft_to_digits(&v->baseline, v->x, v->c, VECTOR);
    return gfp_vec_equal(field, v->x, v->z, VECTOR) ||
           complain("%s: our product and GMP's differ", gfp_field_name(field));
}

static bool time_gmp_product(const settings *s, const gfp_field *field, timing *t)
{
    operands v;

    if (!operands_init(&v, field, s->seed)) {
        return false;
    }
    const bool ok = check_products(&v) && measure(t, s->seconds, run_gmp_products, &v);
    operands_clear(&v);
    *t = timing_divide(*t, VECTOR);
    return ok;
}

/* The steps of the library's FFT-based product, its usual one, and GMP's: ns, or ms of 10^6. */
static bool measure_products(paper *w, const table_row *r)
{
    static const char *const names[PRODUCT_STEPS] = {
        [STEP_FFT] = "fft", [STEP_CONVOLUTION] = "convolution",     [STEP_CRT] = "crt",
        [STEP_LHC] = "lhc", [STEP_NORMALIZATION] = "normalization", [STEP_DEFAULT] = "usual"};
    const gfp_field *field = r->field;
    timing taken[PRODUCT_STEPS], gmp;

    progress(gfp_field_name(field), "products", 0);
    bool ok = time_product_steps(&w->s, field, taken) && time_gmp_product(&w->s, field, &gmp);
    double sum = 0;
    for (size_t i = STEP_CONVOLUTION; i <= STEP_NORMALIZATION && ok; i++) {
        sum += taken[i].min_ns;
    }
    for (size_t i = 0; i < PRODUCT_STEPS && ok; i++) {
        ok = note_figure(w, gfp_field_name(field), 0, &taken[i], "%s", product_step_names[i]);
        quantity_put(w, r, taken[i].min_ns, "product.%s", names[i]);
        quantity_put(w, r, 100 * taken[i].min_ns / sum, "product.%s%%", names[i]);
    }
    if (ok) {
        ok = note_figure(w, gfp_field_name(field), 0, &gmp, "product by GMP");
        quantity_put(w, r, gmp.min_ns, "product.gmp");
    }
    return ok;
}

/* ---- six-step transforms ---- */

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
        ok =
            run_steps(r) && gfp_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL) == GFP_OK;
        steps_get(&r->s, y);
        ok = ok && gfp_vec_equal(field, x, y, n);
    }
    gfp_fft_plan_destroy(plan);
    free(x);
    free(y);
    return ok || complain("%s: the transform of %zu points failed, or is wrong",
                          gfp_field_name(field), n);
}

/* How often a transform is computed: in whose arithmetic, by how many threads. */
enum { OURS = 0, BY_GMP = 4, SERIAL = 0, ALL_THREADS, THREAD_A_CORE, HYPER_THREADS };

/* 1: no such run. */
static unsigned threads_of(const paper *w, int argument)
{
    const unsigned cores = count_cores();
    const bool hyper = cores > 0 && cores < w->threads;

    switch (argument % BY_GMP) {
    case ALL_THREADS:
        return w->threads;
    case THREAD_A_CORE:
        return hyper ? cores : w->threads;
    case HYPER_THREADS:
        return hyper ? w->threads : 1;
    default:
        return 1;
    }
}

static void put_steps(paper *w, const table_row *r, const char *prefix, const run_of_steps *run)
{
    static const struct {
        const char *name;
        unsigned part;
    } parts[] = {{"twiddle", PART_TWIDDLE}, {"base", PART_DFT}, {"permutation", PART_PERMUTATION}};

    quantity_put(w, r, run->best / 1e6, "%s.ms", prefix);
    quantity_put(w, r, run->s.prepare_ns / 1e6, "%s.precomputation", prefix);
    quantity_put(w, r, (run->part[PART_DFT] + run->part[PART_TWIDDLE]) / 1e6, "%s.arithmetic",
                 prefix);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const double ns = run->part[parts[i].part];
        quantity_put(w, r, ns / 1e6, "%s.%s", prefix, parts[i].name);
        quantity_put(w, r, 100 * ns / run->best, "%s.%s%%", prefix, parts[i].name);
    }
}

static const char *const step_prefixes[] = {
    [OURS + SERIAL] = "ours1",         [OURS + ALL_THREADS] = "ours",
    [OURS + THREAD_A_CORE] = "oursc",  [OURS + HYPER_THREADS] = "oursh",
    [BY_GMP + SERIAL] = "gmp1",        [BY_GMP + ALL_THREADS] = "gmp",
    [BY_GMP + THREAD_A_CORE] = "gmpc", [BY_GMP + HYPER_THREADS] = "gmph"};

/* The run by all threads under another name. */
static bool copy_steps(paper *w, const table_row *r)
{
    double ms;

    if (!quantity_find(w, r, &ms, r->argument >= BY_GMP ? "gmp.ms" : "ours.ms")) {
        return false;
    }
    quantity_put(w, r, ms, "%s.ms", step_prefixes[r->argument]);
    return true;
}

/* Transforms by several threads are unknown on one processor. */
static bool measure_steps(paper *w, const table_row *r)
{
    const bool by_gmp = r->argument >= BY_GMP;
    const unsigned threads = threads_of(w, r->argument);
    const gfp_field *field = r->field;
    run_of_steps run = {.best = 0};

    if (r->argument % BY_GMP != SERIAL && threads == 1) {
        return true;
    }
    if (r->argument % BY_GMP > ALL_THREADS && threads == w->threads) {
        return copy_steps(w, r);
    }
    progress(gfp_field_name(field), by_gmp ? "transform by GMP" : "transform", r->n);
    bool ok = steps_open(&run.s, field, r->n, by_gmp, threads);
    if (ok) {
        timing t;
        ok = check_steps(&run, w->s.seed) && measure_after(w, run.best, run_steps, &run, &t) &&
             note_figure(w, gfp_field_name(field), r->n, &t,
                         by_gmp ? "six-step DFT by GMP" : "six-step DFT");
        if (ok) {
            put_steps(w, r, step_prefixes[r->argument], &run);
        }
        steps_close(&run.s);
    }
    return ok;
}

const quantity_group multicore_groups[] = {
    {"product", measure_products, 0, false},
    {"ours1", measure_steps, OURS + SERIAL, false},
    {"ours", measure_steps, OURS + ALL_THREADS, false},
    {"oursc", measure_steps, OURS + THREAD_A_CORE, false},
    {"oursh", measure_steps, OURS + HYPER_THREADS, false},
    {"gmp1", measure_steps, BY_GMP + SERIAL, false},
    {"gmp", measure_steps, BY_GMP + ALL_THREADS, false},
    {"gmpc", measure_steps, BY_GMP + THREAD_A_CORE, false},
    {"gmph", measure_steps, BY_GMP + HYPER_THREADS, false},
    {NULL, NULL, 0, false},
};

/* ---- tables ---- */

static const picture figure1 = {.name = "multicore-figure1",
                                .kind = FIGURE_BARS,
                                .axis = ROWS_ON_AXIS,
                                .title = "Arithmetic inside the transform, relative to GMP",
                                .x_label = "points",
                                .y_label = "ours / GMP"};

const paper_table multicore_tables[] = {
    {.name = "multicore-table2",
     .files = FILES("multicore-table2"),
     .label = LABEL_FIELD,
     .letter = 'm',
     .heads = "field",
     .columns = COLUMNS(BOTH("FFT-based", "gfpf", "product.fft"), BOTH("GMP", "gmp", "product.gmp"),
                        BOTH("FFT-based / GMP", "ratio", "product.fft / product.gmp"),
                        HERE("the library's usual product", "product.usual"))},
    {.name = "multicore-table3",
     .files = FILES("multicore-table3"),
     .label = LABEL_FIELD,
     .letter = 'm',
     .heads = "field",
     .columns =
         COLUMNS(BOTH("convolution", "convolution", "product.convolution"),
                 BOTH("CRT", "crt", "product.crt"), BOTH("LHC", "lhc", "product.lhc"),
                 BOTH("normalization", "normalization", "product.normalization"),
                 BOTH("convolution, %", "convolution %", "product.convolution%"),
                 BOTH("CRT, %", "crt %", "product.crt%"), BOTH("LHC, %", "lhc %", "product.lhc%"),
                 BOTH("normalization, %", "normalization %", "product.normalization%"))},
    {.name = "multicore-tables4-5",
     .files = FILES("multicore-tables4-5-i7", "multicore-tables4-5-xeon"),
     .names_machines = true,
     .says_threads = true,
     .label = LABEL_RADIX,
     .letter = 'm',
     .heads = "machine | field, K, e",
     .columns =
         COLUMNS(BOTH("serial, ours", "serial_gfpf", "ours1.ms"),
                 BOTH("serial, GMP", "serial_gmp", "gmp1.ms"),
                 BOTH("parallel, ours", "parallel_gfpf", "ours.ms"),
                 BOTH("parallel, GMP", "parallel_gmp", "gmp.ms"),
                 BOTH("serial GMP / ours", "serial_gmp / serial_gfpf", "gmp1.ms / ours1.ms"))},
    {.name = "multicore-table6",
     .files = FILES("multicore-table6"),
     .says_threads = true,
     .label = LABEL_TEXT,
     .heads = "run",
     .rows = ROWS({"serial_gfpf", "ours1", 32, 3, 0, 'm', false},
                  {"serial_gmp", "gmp1", 32, 3, 0, 'm', false},
                  {"parallel_gfpf", "ours", 32, 3, 0, 'm', false},
                  {"parallel_gmp", "gmp", 32, 3, 0, 'm', false}),
     .columns =
         COLUMNS(BOTH("precomputation", "precomputation", "$.precomputation"),
                 BOTH("permutation", "permutation", "$.permutation"),
                 BOTH("DFT_K", "dft", "$.base"), BOTH("twiddle products", "twiddle", "$.twiddle"))},
    {.name = "multicore-table7",
     .files = FILES("multicore-table7-i7", "multicore-table7-xeon"),
     .text = "A thread a core: without hyper-threading; all threads are more where the system "
             "tells so.",
     .names_machines = true,
     .says_threads = true,
     .label = LABEL_FIELD,
     .letter = 'm',
     .e = 3,
     .heads = "machine | field",
     .columns = COLUMNS(BOTH("ours, all threads", "gfpf_all", "ours1.ms / oursh.ms"),
                        BOTH("GMP, all threads", "gmp_all", "gmp1.ms / gmph.ms"),
                        BOTH("ours, a thread a core", "gfpf_cores", "ours1.ms / oursc.ms"),
                        BOTH("GMP, a thread a core", "gmp_cores", "gmp1.ms / gmpc.ms"))},
    {.name = "multicore-figure1",
     .files = FILES("multicore-figure1"),
     .text = "Here: all arithmetic of the transform (twiddle products and base cases, with the "
             "additions in these, which fused butterflies do not show apart); both sides do the "
             "same number of multiplications.",
     .label = LABEL_POWER,
     .letter = 'm',
     .heads = "K^e",
     .columns =
         COLUMNS({"ours / GMP", "gfpf", "ours1.arithmetic / gmp1.arithmetic", "ours / GMP", NULL}),
     .drawn = &figure1},
    {.name = NULL},
};
