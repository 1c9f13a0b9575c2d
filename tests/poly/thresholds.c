/* thresholds.c: the thresholds of the toolkit: their table, the limits, that results do not
 * depend on them and paths do.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "gfpoly/tuning.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"

#define LONGEST 100
/* Beyond the limits of every threshold. */
#define GREATEST (SIZE_MAX - 1)
#define USES 10

static gfp_field *thresholds_create(const char *name, const gfp_allocator *allocator)
{
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create(&field, name, allocator, NULL), GFP_OK);
    return field;
}

static gfp_tuning *thresholds_empty(void)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    return tuning;
}

/* ---- the table ---- */

static void names_are_in_order(void **state)
{
    (void)state;
    for (unsigned i = 1; i < GFP_THRESHOLDS; i++) {
        assert_true(strcmp(gfp_threshold_get((gfp_threshold)(i - 1))->name,
                           gfp_threshold_get((gfp_threshold)i)->name) < 0);
    }
}

/* The threshold that calls over p8 take, if the given value is that of a tuning. */
static size_t thresholds_taken(const gfp_field *field, gfp_threshold threshold, size_t given)
{
    size_t value[GFP_THRESHOLDS], found[GFP_THRESHOLDS];
    gfp_tuning *tuning = thresholds_empty();
    set_low_thresholds(value);
    value[threshold] = given;
    gfp_thresholds_set(tuning, value);
    gfp_thresholds_read(found, field, tuning);
    gfp_tuning_destroy(tuning);
    return found[threshold];
}

static void values_keep_to_limits(void **state)
{
    (void)state;
    gfp_field *p8 = thresholds_create("p8", NULL);
    gfp_tuning *tuning = thresholds_empty();
    size_t compiled[GFP_THRESHOLDS], found[GFP_THRESHOLDS];
    gfp_thresholds_read(compiled, p8, NULL);
    gfp_thresholds_read(found, p8, tuning);
    assert_memory_equal(found, compiled, sizeof found);
    assert_in_range(compiled[GFP_THRESHOLD_HALF_GCD], 18, 34); /* by the kernel level */
    assert_int_equal(compiled[GFP_THRESHOLD_TREE_LEAF], 16);
    assert_int_equal(thresholds_taken(p8, GFP_THRESHOLD_HALF_GCD, GFP_THRESHOLD_COMPILED),
                     compiled[GFP_THRESHOLD_HALF_GCD]);
    assert_int_equal(thresholds_taken(p8, GFP_THRESHOLD_HALF_GCD, 17), 17);
    assert_int_equal(thresholds_taken(p8, GFP_THRESHOLD_HALF_GCD, 0), 1);
    assert_int_equal(thresholds_taken(p8, GFP_THRESHOLD_TREE_LEAF, GREATEST), 32);
    assert_int_equal(thresholds_taken(p8, GFP_THRESHOLD_TREE_LEAF, 1), 8);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(p8);
}

/* ---- operations ---- */

typedef struct result {
    uint64_t words[1 << 16];
    size_t count;
} result;

typedef struct work {
    const gfp_field *field;
    size_t n;
    gfp_poly a, b;    /* n coefficients; a has constant term 0, b 1 */
    gfp_poly c, d, e; /* outputs */
    uint64_t *x, *y;  /* LONGEST elements: points, values */
    gfp_options call;
} work;

static void thresholds_keep(result *z, const uint64_t *x, size_t words)
{
    assert_true(z->count + words <= sizeof z->words / sizeof *z->words);
    if (words > 0) {
        memcpy(z->words + z->count, x, words * sizeof *x);
    }
    z->count += words;
}

static void keep_poly(result *z, const gfp_poly *a)
{
    const uint64_t len = a->len;
    thresholds_keep(z, &len, 1);
    thresholds_keep(z, a->digits, a->len * gfp_field_k(a->field));
}

static gfp_status thresholds_invert(work *w, result *z)
{
    const gfp_status status = gfp_poly_inv_series(&w->c, &w->b, w->n, &w->call);
    keep_poly(z, &w->c);
    return status;
}

static gfp_status divide_series(work *w, result *z)
{
    const gfp_status status = gfp_poly_div_series(&w->c, &w->a, &w->b, w->n, &w->call);
    keep_poly(z, &w->c);
    return status;
}

static gfp_status take_root(work *w, result *z)
{
    const gfp_status status = gfp_poly_sqrt_series(&w->c, &w->b, w->n, &w->call);
    keep_poly(z, &w->c);
    return status;
}

static gfp_status thresholds_exponential(work *w, result *z)
{
    const gfp_status status = gfp_poly_exp_series(&w->c, &w->a, w->n, &w->call);
    keep_poly(z, &w->c);
    return status;
}

static gfp_status thresholds_divide(work *w, result *z)
{
    const size_t lengths[] = {w->n / 4 + 1, w->n / 2 + 1, w->n - w->n / 4};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_truncate(&w->e, &w->b, lengths[i]), GFP_OK);
        const gfp_status status = gfp_poly_divrem(&w->c, &w->d, &w->a, &w->e, &w->call);
        if (status != GFP_OK) {
            return status;
        }
        keep_poly(z, &w->c);
        keep_poly(z, &w->d);
    }
    return GFP_OK;
}

static gfp_status multiply_modulo(work *w, result *z)
{
    const uint64_t exponent = UINT64_C(0x1234567891);
    gfp_modulus *M = NULL;
    assert_int_equal(gfp_poly_truncate(&w->e, &w->b, w->n / 2 + 1), GFP_OK);
    gfp_status status = gfp_modulus_create(&M, &w->e, &w->call);
    if (status == GFP_OK) {
        status = gfp_poly_mul_mod(&w->c, &w->a, &w->b, M, &w->call);
        keep_poly(z, &w->c);
    }
    if (status == GFP_OK) {
        status = gfp_poly_pow_mod(&w->c, &w->a, &exponent, 1, M, &w->call);
        keep_poly(z, &w->c);
    }
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status thresholds_gcd(work *w, result *z)
{
    assert_int_equal(gfp_poly_truncate(&w->e, &w->b, w->n / 3 + 1), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->c, &w->a, &w->e, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->d, &w->b, &w->e, NULL), GFP_OK);
    const gfp_status status = gfp_poly_xgcd(&w->e, &w->c, &w->d, &w->c, &w->d, &w->call);
    keep_poly(z, &w->e);
    keep_poly(z, &w->c);
    keep_poly(z, &w->d);
    return status;
}

static gfp_status use_points(work *w, result *z)
{
    const size_t words = w->n * gfp_field_k(w->field);
    gfp_status status = gfp_poly_eval_vec(w->y, &w->b, w->x, w->n, &w->call);
    thresholds_keep(z, w->y, words);
    if (status == GFP_OK) {
        status = gfp_poly_product_roots(&w->c, w->x, w->n, &w->call);
        keep_poly(z, &w->c);
    }
    if (status == GFP_OK) {
        status = gfp_poly_interpolate(&w->c, w->x, w->y, w->n, &w->call);
        keep_poly(z, &w->c);
    }
    return status;
}

#define FEW 10

/* A short divisor and a long quotient; few points and many terms. */
static gfp_status divide_long(work *w, result *z)
{
    assert_int_equal(gfp_poly_truncate(&w->e, &w->b, FEW + 1), GFP_OK);
    const gfp_status status = gfp_poly_divrem(&w->c, &w->d, &w->a, &w->e, &w->call);
    keep_poly(z, &w->c);
    keep_poly(z, &w->d);
    return status;
}

static gfp_status use_few_points(work *w, result *z)
{
    const gfp_status status = gfp_poly_eval_vec(w->y, &w->b, w->x, FEW, &w->call);
    thresholds_keep(z, w->y, FEW * gfp_field_k(w->field));
    return status;
}

static gfp_status use_progression(work *w, result *z)
{
    const size_t k = gfp_field_k(w->field);
    const gfp_status status = gfp_poly_eval_geometric(w->y, &w->b, w->x, w->x + k, w->n, &w->call);
    thresholds_keep(z, w->y, w->n * k);
    return status;
}

static gfp_status compose_modulo(work *w, result *z)
{
    gfp_modulus *M = NULL;
    gfp_compose_argument *A = NULL;
    assert_int_equal(gfp_poly_truncate(&w->e, &w->b, w->n / 4 + 1), GFP_OK);
    gfp_status status = gfp_modulus_create(&M, &w->e, &w->call);
    for (size_t uses = 1; uses <= USES && status == GFP_OK; uses += USES - 1) {
        status = gfp_compose_argument_create(&A, &w->a, M, uses, &w->call);
        if (status == GFP_OK) {
            status = gfp_poly_compose_mod(&w->c, &w->b, A, &w->call);
            keep_poly(z, &w->c);
        }
        gfp_compose_argument_destroy(A);
        A = NULL;
    }
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status compose_series(work *w, result *z)
{
    const size_t lengths[] = {w->n / 8 + 1, w->n};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_poly_truncate(&w->e, &w->b, lengths[i]), GFP_OK);
        const gfp_status status = gfp_poly_compose_series(&w->c, &w->e, &w->a, w->n, &w->call);
        if (status != GFP_OK) {
            return status;
        }
        keep_poly(z, &w->c);
    }
    return GFP_OK;
}

typedef gfp_status operation(work *w, result *z);
static operation *const operations[] = {thresholds_invert,      divide_series,     take_root,
                                        thresholds_exponential, thresholds_divide, divide_long,
                                        multiply_modulo,        thresholds_gcd,    use_points,
                                        use_few_points,         use_progression,   compose_modulo,
                                        compose_series};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static uint64_t *thresholds_vector(const gfp_field *field)
{
    uint64_t *x = calloc(LONGEST * gfp_field_k(field), sizeof *x);
    assert_non_null(x);
    return x;
}

static void thresholds_begin(work *w, const gfp_field *field, size_t n)
{
    gfp_random g;
    *w = (work){
        .field = field, .n = n, .x = thresholds_vector(field), .y = thresholds_vector(field)};
    gfp_poly *const polys[] = {&w->a, &w->b, &w->c, &w->d, &w->e};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_init(polys[i], field);
    }
    gfp_random_seed(&g, n);
    assert_int_equal(gfp_poly_random(&w->a, n, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, n, &g), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->a, 0, 0), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->b, 0, 1), GFP_OK);
    for (size_t i = 0; i < LONGEST; i++) {
        gfp_elem_random(field, w->x + i * gfp_field_k(field), &g);
    }
}

static void thresholds_end(work *w)
{
    gfp_poly *const polys[] = {&w->a, &w->b, &w->c, &w->d, &w->e};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_clear(polys[i]);
    }
    free(w->x);
    free(w->y);
}

/* ---- results ---- */

/* Compares an operation with a tuning to the quadratic algorithms. */
static void expect_same(work *w, const gfp_tuning *tuning, const result *expected,
                        gfp_status expected_status, size_t i)
{
    static result found;
    w->call = (gfp_options){.tuning = tuning};
    found.count = 0;
    const gfp_status status = operations[i](w, &found);
    if (status != expected_status || found.count != expected->count ||
        (status == GFP_OK &&
         memcmp(found.words, expected->words, found.count * sizeof *found.words) != 0)) {
        fail_msg("operation %zu, n = %zu, over %s: status %d, expected %d", i, w->n,
                 gfp_field_name(w->field), (int)status, (int)expected_status);
    }
}

static void same_at_all_thresholds(const gfp_field *field, size_t n)
{
    static result expected;
    const size_t count = GFP_THRESHOLDS;
    for (size_t i = 0; i < OPERATIONS; i++) {
        work w;
        thresholds_begin(&w, field, n);
        w.call = (gfp_options){.method = "classical"};
        expected.count = 0;
        const gfp_status status = operations[i](&w, &expected);
        /* All together (j = count), and each one alone; the least value and the greatest one. */
        for (size_t j = 0; j <= count; j++) {
            static const size_t values[] = {0, GREATEST};
            for (size_t v = 0; v < 2; v++) {
                gfp_tuning *tuning = thresholds_empty();
                size_t value[GFP_THRESHOLDS];
                for (size_t t = 0; t < count; t++) {
                    value[t] = j == count || t == j ? values[v] : GFP_THRESHOLD_COMPILED;
                }
                gfp_thresholds_set(tuning, value);
                expect_same(&w, tuning, &expected, status, i);
                gfp_tuning_destroy(tuning);
            }
        }
        thresholds_end(&w);
    }
}

static void results_do_not_depend_on_thresholds(void **state)
{
    static const char *const names[] = {"p8", "p2", "17", "p32"};
    static const size_t lengths[] = {1, 2, 3, 7, 20, LONGEST};
    (void)state;
    for (size_t i = 0; i < (SANITIZED ? 1 : 4); i++) {
        gfp_field *field = thresholds_create(names[i], NULL);
        for (size_t j = 0; j < (i == 3 ? 5 : sizeof lengths / sizeof *lengths); j++) {
            same_at_all_thresholds(field, lengths[j]);
        }
        gfp_field_destroy(field);
    }
}

/* ---- paths ---- */

/* An allocator that hashes the sizes of its blocks: what a call allocates shows its path. */
static void *hash_and_allocate(void *user, size_t bytes)
{
    uint64_t *hash = user;
    *hash = (*hash ^ bytes) * UINT64_C(0x100000001b3);
    return malloc(bytes);
}

static void just_free(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

/* The hash of an operation of size n over p8 with a threshold. */
static uint64_t thresholds_path(operation *run, size_t n, gfp_threshold threshold, size_t value)
{
    static result z;
    uint64_t hash = 1;
    const gfp_allocator allocator = {hash_and_allocate, just_free, &hash};
    gfp_field *field = thresholds_create("p8", &allocator);
    gfp_tuning *tuning = thresholds_empty();
    work w;
    size_t values[GFP_THRESHOLDS];
    set_low_thresholds(values);
    values[threshold] = value;
    gfp_thresholds_set(tuning, values);
    thresholds_begin(&w, field, n);
    /* Under a cap operations allocate only what they need. */
    w.call = (gfp_options){.tuning = tuning, .memory_cap = (size_t)1 << 30};
    z.count = 0;
    assert_int_equal(run(&w, &z), GFP_OK);
    thresholds_end(&w);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(field);
    return hash;
}

/* Each threshold decides in the operation: at `size` by the base case, at `below` not. */
static void every_threshold_is_used(void **state)
{
    static const struct {
        gfp_threshold threshold;
        operation *run;
        size_t n, size, below;
    } cases[] = {
        {GFP_THRESHOLD_COMPOSE_HORNER, compose_series, 96, 13, 12},
        {GFP_THRESHOLD_COMPOSE_STEPS, compose_series, 100, 100, 99},
        {GFP_THRESHOLD_DIVISION, thresholds_divide, 120, 31, 30},
        {GFP_THRESHOLD_GEOMETRIC, use_progression, 100, 100, 99},
        {GFP_THRESHOLD_HALF_GCD, thresholds_gcd, 100, 60, 5},
        {GFP_THRESHOLD_MATRIX_ROWS, compose_modulo, 400, 1000, 1},
        {GFP_THRESHOLD_MATRIX_ROWS_KEPT, compose_modulo, 400, GREATEST, 1},
        {GFP_THRESHOLD_MODULUS, multiply_modulo, 60, 30, 29},
        {GFP_THRESHOLD_QUOTIENT_BLOCKS, divide_series, 100, 100, 99},
        {GFP_THRESHOLD_REMAINDER, thresholds_divide, 100, 24, 23},
        {GFP_THRESHOLD_SERIES_DEFINITION, thresholds_invert, 100, 100, 99},
        {GFP_THRESHOLD_SERIES_RECURRENCE, take_root, 100, 100, 99},
        {GFP_THRESHOLD_SERIES_START, take_root, 100, 25, 24},
        {GFP_THRESHOLD_TREE_HORNER, use_few_points, 12, 12, 11},
        {GFP_THRESHOLD_TREE_INTERPOLATION, use_points, 100, 100, 99},
        {GFP_THRESHOLD_TREE_LEAF, use_points, 100, 16, 15},
        {GFP_THRESHOLD_TREE_POINTS, use_points, 100, 100, 99},
        {GFP_THRESHOLD_TREE_ROOTS, use_points, 100, 100, 99},
    };
    (void)state;
    assert_int_equal(sizeof cases / sizeof cases[0], GFP_THRESHOLDS);
    for (size_t i = 0; i < GFP_THRESHOLDS; i++) {
        assert_int_equal(cases[i].threshold, i);
        const uint64_t base =
            thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, cases[i].size);
        const uint64_t again =
            thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, cases[i].size);
        const uint64_t other =
            thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, cases[i].below);
        if (base != again || base == other) {
            fail_msg("%s: the path %s", gfp_threshold_get(cases[i].threshold)->name,
                     base != again ? "is not determined" : "does not depend on the threshold");
        }
    }
}

/* A base case serves a short operand and a long one up to a quarter of the threshold, or up to the
 * mean of both. */
static void long_operands_leave_base_cases_earlier(void **state)
{
    static const struct {
        gfp_threshold threshold;
        operation *run;
        size_t n, size;
    } cases[] = {
        {GFP_THRESHOLD_DIVISION, divide_long, 4 * FEW, 2 * FEW}, /* the quotient has 3 FEW terms */
        {GFP_THRESHOLD_DIVISION, divide_long, 10 * FEW, 4 * FEW},
        {GFP_THRESHOLD_TREE_POINTS, use_few_points, 4 * FEW, 5 * FEW / 2},
        {GFP_THRESHOLD_TREE_POINTS, use_few_points, 10 * FEW, 4 * FEW},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const size_t size = cases[i].size;
        const uint64_t base = thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, size);
        assert_true(base ==
                    thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, 4 * size));
        if (base == thresholds_path(cases[i].run, cases[i].n, cases[i].threshold, size - 1)) {
            fail_msg("%s, n = %zu: the path does not change at %zu",
                     gfp_threshold_get(cases[i].threshold)->name, cases[i].n, size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(values_keep_to_limits),
        cmocka_unit_test(results_do_not_depend_on_thresholds),
        cmocka_unit_test(every_threshold_is_used),
        cmocka_unit_test(long_operands_leave_base_cases_earlier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
