/* bench/thresholds.c: measures the thresholds of the toolkit, whose table is poly/thresholds.c. For
 * sizes n around the compiled-in threshold an operation of size n is timed with the threshold n, by
 * the base case, and with n / 2, by what follows it and base cases of half the size, by turns; the
 * threshold is the greatest size that the base case wins.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/sample.h"
#include "bench/bench.h"

#include "poly/compose/impl.h"
#include "field/base/support.h"
#include "poly/thresholds.h"
#include "product/choose/tuning.h"

/* Sizes go from a quarter of the compiled-in threshold to four times. */
#define WINDOW 4
/* Up to this size instead where the compiled-in threshold is "always". */
#define WIDEST 64
/* After this number of losses in a row no greater size is tried; base cases of many sizes win and
 * lose more than once by a few percent, and the first loss counts. */
#define LOSSES 2
/* For a sample this long the cost of the clock is negligible. */
#define SAMPLE_NS 2e4
/* The most points of a trial. */
#define POINTS 256
/* Terms of a long operand next to a short one; the degree of a modulus. */
#define LONG 512
#define DEGREE 64
/* Products by a modulus for its creation. */
#define PRODUCTS 16
#define USES 10

typedef struct lab {
    const gfp_field *field;
    gfp_tuning *forced; /* takes `value`: the thresholds so far, and the one on trial */
    size_t value[GFP_THRESHOLDS];
    gfp_error error;
    gfp_options call;
    gfp_random random;
    gfp_poly a, b, c, d;
    gfp_modulus *M;
    gfp_compose_argument *A;
    uint64_t *points, *values; /* POINTS elements */
    /* A call of an operation may take up to limit_ns; it is repeated until budget_ns have passed,
     * and at least `runs` times. */
    double limit_ns, budget_ns;
    unsigned runs;
} lab;

/* The inputs of an operation of size n, and the operation. */
typedef struct trial {
    gfp_status (*set)(lab *w, size_t n);
    gfp_status (*run)(lab *w, size_t n);
    bool powers; /* sizes are powers of 2 from twice the least threshold to the greatest one */
    bool mixed;  /* the operation has base cases of many sizes: the best threshold lies between that
                    of the base case that wins last and its half */
} trial;

/* The threshold that calls take, with the values so far or as compiled in. */
static size_t threshold_by(const lab *w, gfp_threshold i, const gfp_tuning *tuning)
{
    size_t value[GFP_THRESHOLDS];
    gfp_thresholds_read(value, w->field, tuning);
    return value[i];
}

static size_t threshold_now(const lab *w, gfp_threshold i)
{
    return threshold_by(w, i, w->forced);
}

/* ---- operations ---- */

/* a and b := random polynomials of these lengths. */
static gfp_status thresholds_draw(lab *w, size_t len_a, size_t len_b)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(w->field, one);
    GFP_TRY(gfp_poly_random(&w->a, len_a, &w->random));
    GFP_TRY(gfp_poly_random(&w->b, len_b, &w->random));
    GFP_TRY(gfp_poly_set_coeff(&w->a, len_a - 1, one));
    return gfp_poly_set_coeff(&w->b, len_b - 1, one);
}

/* Series a, with constant term 0, and b, with constant term 1. */
static gfp_status draw_series(lab *w, size_t len_a, size_t len_b)
{
    GFP_TRY(thresholds_draw(w, len_a + 1, len_b + 1));
    GFP_TRY(gfp_poly_set_coeff_u64(&w->a, 0, 0));
    return gfp_poly_set_coeff_u64(&w->b, 0, 1);
}

static gfp_status set_series(lab *w, size_t n)
{
    return draw_series(w, n, n);
}

static gfp_status thresholds_invert(lab *w, size_t n)
{
    return gfp_poly_inv_series(&w->c, &w->b, n, &w->call);
}

static gfp_status divide_series(lab *w, size_t n)
{
    return gfp_poly_div_series(&w->c, &w->a, &w->b, n, &w->call);
}

static gfp_status root_and_exponential(lab *w, size_t n)
{
    GFP_TRY(gfp_poly_sqrt_series(&w->c, &w->b, n, &w->call));
    return gfp_poly_exp_series(&w->c, &w->a, n, &w->call);
}

/* The length of a series whose iteration begins with n coefficients. */
static size_t started_from(const lab *w, size_t n)
{
    const size_t whole = threshold_now(w, GFP_THRESHOLD_SERIES_RECURRENCE);
    size_t len = 2 * n;
    while (len <= whole && len < WIDEST * n) {
        len *= 2;
    }
    return len;
}

static gfp_status set_longer_series(lab *w, size_t n)
{
    return set_series(w, started_from(w, n));
}

static gfp_status root_and_exponential_from(lab *w, size_t n)
{
    return root_and_exponential(w, started_from(w, n));
}

static gfp_status thresholds_compose(lab *w, size_t n)
{
    return gfp_poly_compose_series(&w->c, &w->b, &w->a, n, &w->call);
}

static gfp_status set_short_compose(lab *w, size_t n)
{
    return draw_series(w, DEGREE, n - 1);
}

static gfp_status short_compose(lab *w, size_t n)
{
    (void)n;
    return thresholds_compose(w, DEGREE);
}

static gfp_status set_division(lab *w, size_t n)
{
    return thresholds_draw(w, 2 * n, n + 1);
}

static gfp_status set_remainder(lab *w, size_t n)
{
    return thresholds_draw(w, LONG + n, LONG + 1);
}

static gfp_status thresholds_divide(lab *w, size_t n)
{
    (void)n;
    return gfp_poly_divrem(&w->c, &w->d, &w->a, &w->b, &w->call);
}

static gfp_status set_modulus(lab *w, size_t n)
{
    return thresholds_draw(w, n, n + 1);
}

static gfp_status multiply_modulo(lab *w, size_t n)
{
    gfp_modulus *M = NULL;
    (void)n;
    gfp_status status = gfp_modulus_create(&M, &w->b, &w->call);
    for (size_t i = 0; i < PRODUCTS && status == GFP_OK; i++) {
        status = gfp_poly_mul_mod(&w->c, i == 0 ? &w->a : &w->c, &w->a, M, &w->call);
    }
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status set_gcd(lab *w, size_t n)
{
    return thresholds_draw(w, 4 * n + 1, 4 * n);
}

static gfp_status thresholds_gcd(lab *w, size_t n)
{
    (void)n;
    return gfp_poly_gcd(&w->c, &w->a, &w->b, &w->call);
}

static gfp_status set_points(lab *w, size_t n)
{
    return thresholds_draw(w, 1, n);
}

static gfp_status thresholds_evaluate(lab *w, size_t n)
{
    return gfp_poly_eval_vec(w->values, &w->b, w->points, gfp_size_min(n, POINTS), &w->call);
}

/* The same at many points. */
static gfp_status evaluate_many(lab *w, size_t n)
{
    (void)n;
    return gfp_poly_eval_vec(w->values, &w->b, w->points, POINTS, &w->call);
}

static gfp_status thresholds_interpolate(lab *w, size_t n)
{
    return gfp_poly_interpolate(&w->c, w->points, w->values, gfp_size_min(n, POINTS), &w->call);
}

static gfp_status multiply_roots(lab *w, size_t n)
{
    return gfp_poly_product_roots(&w->c, w->points, gfp_size_min(n, POINTS), &w->call);
}

static gfp_status eval_geometric(lab *w, size_t n)
{
    const uint64_t *ratio = w->points + gfp_field_k(w->field);
    return gfp_poly_eval_geometric(w->values, &w->b, w->points, ratio, gfp_size_min(n, POINTS),
                                   &w->call);
}

static gfp_status set_leaves(lab *w, size_t n)
{
    (void)n;
    return set_points(w, POINTS);
}

/* f of n blocks, and an argument for this number of uses. */
static gfp_status set_composition(lab *w, size_t n, size_t uses)
{
    GFP_TRY(thresholds_draw(w, DEGREE, DEGREE + 1));
    GFP_TRY(gfp_modulus_create(&w->M, &w->b, &w->call));
    GFP_TRY(gfp_compose_argument_create(&w->A, &w->a, w->M, uses, &w->call));
    return thresholds_draw(w, gfp_size_mul_sat(n, w->A->s > 0 ? w->A->s : 1), 1);
}

static gfp_status set_one_composition(lab *w, size_t n)
{
    return set_composition(w, n, 1);
}

static gfp_status set_compositions(lab *w, size_t n)
{
    return set_composition(w, n, USES);
}

static gfp_status compose_modulo(lab *w, size_t n)
{
    (void)n;
    return gfp_poly_compose_mod(&w->c, &w->a, w->A, &w->call);
}

static const trial trials[GFP_THRESHOLDS] = {
    [GFP_THRESHOLD_COMPOSE_HORNER] = {set_short_compose, short_compose, false, false},
    [GFP_THRESHOLD_COMPOSE_STEPS] = {set_series, thresholds_compose, false, false},
    [GFP_THRESHOLD_DIVISION] = {set_division, thresholds_divide, false, false},
    [GFP_THRESHOLD_GEOMETRIC] = {set_points, eval_geometric, false, false},
    [GFP_THRESHOLD_HALF_GCD] = {set_gcd, thresholds_gcd, false, true},
    [GFP_THRESHOLD_MATRIX_ROWS] = {set_one_composition, compose_modulo, false, false},
    [GFP_THRESHOLD_MATRIX_ROWS_KEPT] = {set_compositions, compose_modulo, false, false},
    [GFP_THRESHOLD_MODULUS] = {set_modulus, multiply_modulo, false, false},
    [GFP_THRESHOLD_QUOTIENT_BLOCKS] = {set_series, divide_series, false, false},
    [GFP_THRESHOLD_REMAINDER] = {set_remainder, thresholds_divide, false, false},
    [GFP_THRESHOLD_SERIES_DEFINITION] = {set_series, thresholds_invert, false, false},
    [GFP_THRESHOLD_SERIES_RECURRENCE] = {set_series, root_and_exponential, false, false},
    [GFP_THRESHOLD_SERIES_START] = {set_longer_series, root_and_exponential_from, false, false},
    [GFP_THRESHOLD_TREE_HORNER] = {set_points, evaluate_many, false, false},
    [GFP_THRESHOLD_TREE_INTERPOLATION] = {set_points, thresholds_interpolate, false, false},
    [GFP_THRESHOLD_TREE_LEAF] = {set_leaves, evaluate_many, true, false},
    [GFP_THRESHOLD_TREE_POINTS] = {set_points, thresholds_evaluate, false, false},
    [GFP_THRESHOLD_TREE_ROOTS] = {set_points, multiply_roots, false, false},
};

/* ---- times ---- */

/* A call, for the sampler. */
typedef struct threshold_call {
    lab *w;
    gfp_threshold i;
    size_t n;
} threshold_call;

static gfp_status thresholds_run(void *context)
{
    const threshold_call *c = context;
    return trials[c->i].run(c->w, c->n);
}

/* *ns := the time of a call at this value of the threshold, the mean of `batch` calls. */
static gfp_status thresholds_sample(lab *w, gfp_threshold i, size_t value, size_t n, size_t batch,
                                    double *ns)
{
    threshold_call call = {w, i, n};
    const struct turn turn = {thresholds_run, &call, true, batch};
    w->value[i] = value;
    GFP_TRY(take_turn(&turn, ns));
    *ns /= (double)batch;
    return GFP_OK;
}

/* Half of a size, rounded up as operations halve sizes. */
static size_t half_of(size_t n)
{
    return n > 1 ? n - n / 2 : 0;
}

/* *base, *other := the least times of a call with the thresholds n and half of n; both are HUGE_VAL
 * if a call takes too long. */
static gfp_status thresholds_race(lab *w, gfp_threshold i, size_t n, double *base, double *other)
{
    double first, second, spent = 0;
    *base = *other = HUGE_VAL;
    for (unsigned warm = 0; warm < 2; warm++) { /* the first calls make tables */
        GFP_TRY(thresholds_sample(w, i, n, n, 1, &first));
        GFP_TRY(thresholds_sample(w, i, half_of(n), n, 1, &second));
    }
    if (fmax(first, second) > w->limit_ns) {
        return GFP_OK;
    }
    const double least = fmin(first, second);
    const size_t batch = least < SAMPLE_NS ? (size_t)(SAMPLE_NS / fmax(least, 100)) + 1 : 1;
    for (unsigned run = 0; run < w->runs || spent < w->budget_ns; run++) {
        GFP_TRY(thresholds_sample(w, i, n, n, batch, &first));
        GFP_TRY(thresholds_sample(w, i, half_of(n), n, batch, &second));
        *base = fmin(*base, first);
        *other = fmin(*other, second);
        spent += (first + second) * (double)batch;
    }
    return GFP_OK;
}

static void clear_kept(lab *w)
{
    gfp_compose_argument_destroy(w->A);
    gfp_modulus_destroy(w->M);
    w->A = NULL;
    w->M = NULL;
}

static gfp_status thresholds_compare(lab *w, gfp_threshold i, size_t n, double *base, double *other)
{
    w->value[i] = n;
    gfp_status status = trials[i].set(w, n);
    if (status == GFP_OK) {
        status = thresholds_race(w, i, n, base, other);
    }
    clear_kept(w);
    return status;
}

/* ---- the crossing ---- */

/* The sizes won and lost: `won` is the greatest one won, or the one below the first one; `lost` the
 * first one of the losses after that, or 0. */
typedef struct crossing {
    size_t won, lost;
    unsigned losses;
    bool any; /* something was measured */
} crossing;

/* Tries size n. *done: a call took too long. */
static gfp_status try_size(lab *w, gfp_threshold i, size_t n, crossing *x, bool *done)
{
    double base, other;
    GFP_TRY(thresholds_compare(w, i, n, &base, &other));
    *done = base == HUGE_VAL;
    if (*done) {
        return GFP_OK;
    }
    x->any = true;
    if (base <= other) {
        x->won = n;
        x->losses = 0;
        x->lost = x->lost > n ? x->lost : 0;
    } else {
        x->lost = x->losses == 0 || n < x->lost ? n : x->lost;
        x->losses++;
    }
    return GFP_OK;
}

/* The greatest threshold that changes nothing: a recurrence begins every iteration. */
static size_t thresholds_idle(const lab *w, gfp_threshold i)
{
    return i == GFP_THRESHOLD_SERIES_RECURRENCE ? threshold_now(w, GFP_THRESHOLD_SERIES_START)
                                                : gfp_threshold_get(i)->least;
}

static gfp_status find_crossing(lab *w, gfp_threshold i, crossing *x)
{
    const gfp_threshold_row *row = gfp_threshold_get(i);
    const bool powers = trials[i].powers;
    const size_t usual = threshold_by(w, i, NULL);
    const bool always = usual == GFP_THRESHOLD_ALWAYS;
    const size_t lowest = always ? 0 : usual / WINDOW;
    const size_t none = thresholds_idle(w, i);
    const unsigned losses = trials[i].mixed ? 1 : LOSSES;
    const size_t from = powers ? 2 * none : lowest > none + 1 ? lowest : none + 1;
    const size_t to = powers ? row->most : always ? WIDEST : WINDOW * (usual > 2 ? usual : 2);
    bool done = false;
    *x = (crossing){.won = powers ? row->least : from - 1};
    for (size_t n = from; n <= to && x->losses < losses && !done;
         n = powers ? 2 * n : n + (n > 3 ? n / 2 : 1)) {
        GFP_TRY(try_size(w, i, n, x, &done));
    }
    while (!powers && !done && x->lost > x->won + 1 + x->won / 8) {
        GFP_TRY(try_size(w, i, x->won + (x->lost - x->won) / 2, x, &done));
    }
    if (trials[i].mixed && x->won > 1) {
        x->won -= x->won / 4;
    }
    if (x->lost == 0) { /* the crossing lies beyond */
        x->won = x->won > usual ? x->won : usual;
    }
    return GFP_OK;
}

static gfp_status measure_one(lab *w, gfp_threshold i)
{
    crossing x;
    const size_t usual = threshold_by(w, i, NULL);
    GFP_TRY(find_crossing(w, i, &x));
    w->value[i] = x.any ? x.won : usual;
    printf("  %-20s", gfp_threshold_get(i)->name);
    if (x.any) {
        printf(" %10zu", x.won);
    } else {
        printf(" %10s", "-");
    }
    if (usual == GFP_THRESHOLD_ALWAYS) {
        printf(" %14s\n", "always");
    } else {
        printf(" %14zu\n", usual);
    }
    return GFP_OK;
}

static gfp_status measure_all(lab *w)
{
    const size_t k = gfp_field_k(w->field);
    w->points = calloc(POINTS * k, sizeof *w->points);
    w->values = calloc(POINTS * k, sizeof *w->values);
    GFP_TRY(gfp_tuning_create(&w->forced, NULL));
    if (w->points == NULL || w->values == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_thresholds_set(w->forced, w->value);
    w->call = (gfp_options){.verify = GFP_VERIFY_NONE, .tuning = w->forced, .error = &w->error};
    gfp_vec_random(w->field, w->points, POINTS, &w->random);
    gfp_vec_random(w->field, w->values, POINTS, &w->random);
    for (unsigned i = GFP_THRESHOLDS; i-- > 0;) { /* series_start before series_recurrence */
        GFP_TRY(measure_one(w, (gfp_threshold)i));
    }
    return GFP_OK;
}

bool bench_thresholds(const settings *s, const gfp_field *field, report *r)
{
    (void)r;
    const double budget = s->seconds * 1e9 / 75; /* 4 ms by default */
    lab w = {.field = field, .limit_ns = 5 * budget, .budget_ns = budget, .runs = 5};
    gfp_poly *const polys[] = {&w.a, &w.b, &w.c, &w.d};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(polys[i], field);
    }
    for (size_t i = 0; i < GFP_THRESHOLDS; i++) {
        w.value[i] = GFP_THRESHOLD_COMPILED;
    }
    gfp_random_seed(&w.random, s->seed);
    printf("thresholds over %s, k = %u, level %s: measured, compiled in (-: calls take too long)\n",
           gfp_field_name(field), gfp_field_k(field), gfp_machine_get_info().cpu_level);
    const gfp_status status = measure_all(&w);
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(polys[i]);
    }
    free(w.points);
    free(w.values);
    gfp_tuning_destroy(w.forced);
    return status == GFP_OK ||
           complain("thresholds over %s: %s", gfp_field_name(field), gfp_status_string(status));
}
