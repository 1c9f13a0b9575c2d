/* test_thresholds.c: the thresholds of the toolkit: their table, the limits, that results do not
 * depend on them and paths do, and their measurement.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "meter.h"
#include "sanitized.h"
#include "thresholds_lab.h"

#define LONGEST 100
#define USES 10

static gfp_field *create(const char *name, const gfp_allocator *allocator)
{
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create(&field, name, allocator, NULL), GFP_OK);
    return field;
}

static gfp_tuning *empty(void)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    return tuning;
}

static void enter(gfp_tuning *tuning, const char *name, unsigned k, uint64_t value)
{
    const gfp_tuning_threshold threshold = {name, k, value};
    assert_int_equal(gfp_tuning_set_threshold(tuning, &threshold), GFP_OK);
}

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < gfp_threshold_count(); i++) {
        if (strcmp(gfp_threshold_name(i), name) == 0) {
            return i;
        }
    }
    fail_msg("no threshold %s", name);
    return 0;
}

/* ---- the table ---- */

static void names_are_in_order(void **state)
{
    (void)state;
    assert_true(gfp_threshold_count() >= 10);
    for (size_t i = 1; i < gfp_threshold_count(); i++) {
        assert_true(strcmp(gfp_threshold_name(i - 1), gfp_threshold_name(i)) < 0);
    }
    assert_null(gfp_threshold_name(gfp_threshold_count()));
}

static void values_keep_to_limits(void **state)
{
    (void)state;
    gfp_field *p8 = create("p8", NULL), *p4 = create("p4", NULL);
    gfp_tuning *tuning = empty();
    const size_t leaf = index_of("tree_leaf"), half = index_of("half_gcd");
    assert_in_range(gfp_threshold_value(half, p8, NULL), 18, 34); /* by the kernel level */
    assert_int_equal(gfp_threshold_value(half, p8, tuning), gfp_threshold_value(half, p8, NULL));
    enter(tuning, "half_gcd", 8, 17);
    enter(tuning, "unknown_to_all", 8, 3);
    assert_int_equal(gfp_threshold_value(half, p8, tuning), 17);
    assert_int_equal(gfp_threshold_value(half, p4, tuning), gfp_threshold_value(half, p4, NULL));
    assert_int_equal(gfp_threshold_value(leaf, p8, tuning), 16);
    enter(tuning, "half_gcd", 8, 0);
    assert_int_equal(gfp_threshold_value(half, p8, tuning), 1);
    enter(tuning, "tree_leaf", 8, GFP_TUNING_MAX_THRESHOLD);
    assert_int_equal(gfp_threshold_value(leaf, p8, tuning), 32);
    enter(tuning, "tree_leaf", 8, 1);
    assert_int_equal(gfp_threshold_value(leaf, p8, tuning), 8);
    assert_int_equal(gfp_threshold_value(gfp_threshold_count(), p8, tuning), 0);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(p4);
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

static void keep(result *z, const uint64_t *x, size_t words)
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
    keep(z, &len, 1);
    keep(z, a->digits, a->len * gfp_field_k(a->field));
}

static gfp_status invert(work *w, result *z)
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

static gfp_status exponential(work *w, result *z)
{
    const gfp_status status = gfp_poly_exp_series(&w->c, &w->a, w->n, &w->call);
    keep_poly(z, &w->c);
    return status;
}

static gfp_status divide(work *w, result *z)
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

static gfp_status gcd(work *w, result *z)
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
    gfp_status status = gfp_poly_multieval(w->y, &w->b, w->x, w->n, &w->call);
    keep(z, w->y, words);
    if (status == GFP_OK) {
        status = gfp_poly_from_roots(&w->c, w->x, w->n, &w->call);
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
    const gfp_status status = gfp_poly_multieval(w->y, &w->b, w->x, FEW, &w->call);
    keep(z, w->y, FEW * gfp_field_k(w->field));
    return status;
}

static gfp_status use_progression(work *w, result *z)
{
    const size_t k = gfp_field_k(w->field);
    const gfp_status status = gfp_poly_eval_geometric(w->y, &w->b, w->x, w->x + k, w->n, &w->call);
    keep(z, w->y, w->n * k);
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
static operation *const operations[] = {
    invert,          divide_series,   take_root,     exponential, divide,
    divide_long,     multiply_modulo, gcd,           use_points,  use_few_points,
    use_progression, compose_modulo,  compose_series};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static uint64_t *vector(const gfp_field *field)
{
    uint64_t *x = calloc(LONGEST * gfp_field_k(field), sizeof *x);
    assert_non_null(x);
    return x;
}

static void begin(work *w, const gfp_field *field, size_t n)
{
    gfp_random g;
    *w = (work){.field = field, .n = n, .x = vector(field), .y = vector(field)};
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

static void end(work *w)
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
    const unsigned k = (unsigned)gfp_field_k(field);
    const size_t count = gfp_threshold_count();
    for (size_t i = 0; i < OPERATIONS; i++) {
        work w;
        begin(&w, field, n);
        w.call = (gfp_options){.method = "classical"};
        expected.count = 0;
        const gfp_status status = operations[i](&w, &expected);
        /* All together (j = count), and each one alone; the least value and the greatest one. */
        for (size_t j = 0; j <= count; j++) {
            static const uint64_t values[] = {0, GFP_TUNING_MAX_THRESHOLD};
            for (size_t v = 0; v < 2; v++) {
                gfp_tuning *tuning = empty();
                for (size_t t = 0; t < count; t++) {
                    if (j == count || t == j) {
                        enter(tuning, gfp_threshold_name(t), k, values[v]);
                    }
                }
                expect_same(&w, tuning, &expected, status, i);
                gfp_tuning_destroy(tuning);
            }
        }
        end(&w);
    }
}

static void results_do_not_depend_on_thresholds(void **state)
{
    static const char *const names[] = {"p8", "p2", "17", "p32"};
    static const size_t lengths[] = {1, 2, 3, 7, 20, LONGEST};
    (void)state;
    for (size_t i = 0; i < (SANITIZED ? 1 : 4); i++) {
        gfp_field *field = create(names[i], NULL);
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
static uint64_t path(operation *run, size_t n, const char *name, uint64_t value)
{
    static result z;
    uint64_t hash = 1;
    const gfp_allocator allocator = {hash_and_allocate, just_free, &hash};
    gfp_field *field = create("p8", &allocator);
    gfp_tuning *tuning = empty();
    work w;
    enter_low_thresholds(tuning);
    enter(tuning, name, 8, value);
    begin(&w, field, n);
    /* Under a cap operations allocate only what they need. */
    w.call = (gfp_options){.tuning = tuning, .memory_cap = (size_t)1 << 30};
    z.count = 0;
    assert_int_equal(run(&w, &z), GFP_OK);
    end(&w);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(field);
    return hash;
}

/* Each threshold decides in the operation: at `size` by the base case, at `below` not. */
static void every_threshold_is_used(void **state)
{
    static const struct {
        const char *name;
        operation *run;
        size_t n;
        uint64_t size, below;
    } cases[] = {
        {"compose_horner", compose_series, 96, 13, 12},
        {"compose_steps", compose_series, 100, 100, 99},
        {"division", divide, 120, 31, 30},
        {"geometric", use_progression, 100, 100, 99},
        {"half_gcd", gcd, 100, 60, 5},
        {"matrix_rows", compose_modulo, 400, 1000, 1},
        {"matrix_rows_kept", compose_modulo, 400, GFP_TUNING_MAX_THRESHOLD, 1},
        {"modulus", multiply_modulo, 60, 30, 29},
        {"quotient_blocks", divide_series, 100, 100, 99},
        {"remainder", divide, 100, 24, 23},
        {"series_definition", invert, 100, 100, 99},
        {"series_recurrence", take_root, 100, 100, 99},
        {"series_start", take_root, 100, 25, 24},
        {"tree_interpolation", use_points, 100, 100, 99},
        {"tree_leaf", use_points, 100, 16, 15},
        {"tree_points", use_points, 100, 100, 99},
        {"tree_roots", use_points, 100, 100, 99},
    };
    (void)state;
    assert_int_equal(sizeof cases / sizeof cases[0], gfp_threshold_count());
    for (size_t i = 0; i < gfp_threshold_count(); i++) {
        assert_string_equal(cases[i].name, gfp_threshold_name(i));
        const uint64_t base = path(cases[i].run, cases[i].n, cases[i].name, cases[i].size);
        const uint64_t again = path(cases[i].run, cases[i].n, cases[i].name, cases[i].size);
        const uint64_t other = path(cases[i].run, cases[i].n, cases[i].name, cases[i].below);
        if (base != again || base == other) {
            fail_msg("%s: the path %s", cases[i].name,
                     base != again ? "is not determined" : "does not depend on the threshold");
        }
    }
}

/* A base case serves a short operand and a long one up to a quarter of the threshold, or up to the
 * mean of both. */
static void long_operands_leave_base_cases_earlier(void **state)
{
    static const struct {
        const char *name;
        operation *run;
        size_t n;
        uint64_t size;
    } cases[] = {
        {"division", divide_long, 4 * FEW, 2 * FEW}, /* the quotient has 3 FEW terms */
        {"division", divide_long, 10 * FEW, 4 * FEW},
        {"tree_points", use_few_points, 4 * FEW, 5 * FEW / 2},
        {"tree_points", use_few_points, 10 * FEW, 4 * FEW},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t size = cases[i].size;
        const uint64_t base = path(cases[i].run, cases[i].n, cases[i].name, size);
        assert_true(base == path(cases[i].run, cases[i].n, cases[i].name, 4 * size));
        if (base == path(cases[i].run, cases[i].n, cases[i].name, size - 1)) {
            fail_msg("%s, n = %zu: the path does not change at %zu", cases[i].name, cases[i].n,
                     (size_t)size);
        }
    }
}

/* ---- measuring ---- */

typedef struct watch {
    double last;
    size_t calls, stop_at; /* 0: never */
} watch;

static bool watching(void *user, double fraction)
{
    watch *x = user;
    assert_true(fraction >= x->last && fraction <= 1);
    x->last = fraction;
    return ++x->calls != x->stop_at;
}

static void measuring_enters_every_threshold(void **state)
{
    (void)state;
    gfp_field *p2 = create("p2", NULL), *tiny = create("17", NULL);
    gfp_tuning *tuning = empty(), *part = empty(), *rest = empty();
    gfp_error error = {.message = ""};
    watch x = {.stop_at = 20};
    gfp_tuning_options options = {.quick = true, .progress = watching, .user = &x, .error = &error};
    assert_int_equal(gfp_tuning_measure_thresholds(part, p2, &options), GFP_ERR_CANCELLED);
    assert_int_equal(error.status, GFP_ERR_CANCELLED);
    const size_t some = gfp_tuning_threshold_count(part);
    assert_in_range(some, 1, gfp_threshold_count() - 1);
    /* The rest. */
    x = (watch){.last = 0};
    options.known = part;
    assert_int_equal(gfp_tuning_measure_thresholds(rest, p2, &options), GFP_OK);
    assert_true(x.last == 1);
    assert_int_equal(gfp_tuning_threshold_count(rest), gfp_threshold_count() - some);
    for (size_t i = 0; i < gfp_tuning_threshold_count(rest); i++) {
        gfp_tuning_threshold entry = {.name = NULL};
        assert_int_equal(gfp_tuning_get_threshold(rest, i, &entry), GFP_OK);
        assert_int_equal(entry.k, 2);
        assert_true(entry.value == GFP_TUNING_UNMEASURED ||
                    gfp_threshold_value(index_of(entry.name), p2, rest) == entry.value);
        for (size_t j = 0; j < some; j++) {
            gfp_tuning_threshold other = {.name = NULL};
            assert_int_equal(gfp_tuning_get_threshold(part, j, &other), GFP_OK);
            assert_string_not_equal(entry.name, other.name);
        }
    }
    /* Another k, and a radix whose kernels differ. */
    assert_int_equal(gfp_tuning_measure_thresholds(tuning, tiny, NULL), GFP_OK);
    assert_int_equal(gfp_tuning_threshold_count(tuning), 0);
    gfp_tuning_destroy(rest);
    gfp_tuning_destroy(part);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(tiny);
    gfp_field_destroy(p2);
}

/* A threshold whose calls take too long is entered as such, and is known then: values at 256 points
 * over p128. */
static void thresholds_beyond_measuring_are_known(void **state)
{
    (void)state;
    gfp_field *field = create("p128", NULL);
    gfp_tuning *known = empty(), *tuning = empty();
    gfp_tuning_threshold entry = {.name = NULL};
    gfp_tuning_options options = {.quick = true, .known = known};
    const size_t leaf = index_of("tree_leaf");
    for (size_t i = 0; i < gfp_threshold_count(); i++) {
        if (i != leaf) {
            enter(known, gfp_threshold_name(i), (unsigned)gfp_field_k(field), 1);
        }
    }
    assert_int_equal(gfp_tuning_measure_thresholds(tuning, field, &options), GFP_OK);
    assert_int_equal(gfp_tuning_threshold_count(tuning), 1);
    assert_int_equal(gfp_tuning_get_threshold(tuning, 0, &entry), GFP_OK);
    assert_string_equal(entry.name, "tree_leaf");
    assert_true(entry.value == GFP_TUNING_UNMEASURED);
    assert_int_equal(gfp_threshold_value(leaf, field, tuning),
                     gfp_threshold_value(leaf, field, NULL));
    assert_int_equal(gfp_tuning_merge(known, tuning, NULL), GFP_OK);
    gfp_tuning_destroy(tuning);
    tuning = empty();
    assert_int_equal(gfp_tuning_measure_thresholds(tuning, field, &options), GFP_OK);
    assert_int_equal(gfp_tuning_threshold_count(tuning), 0);
    gfp_tuning_destroy(tuning);
    gfp_tuning_destroy(known);
    gfp_field_destroy(field);
}

/* Every allocation before the first threshold, and the first ones of an operation, fails. */
static void failing_allocations_leave_thresholds(void **state)
{
    (void)state;
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = create("p4", &allocator);
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, &allocator), GFP_OK);
    for (size_t i = 0; i < 12; i++) {
        gfp_error error = {.message = ""};
        watch x = {.stop_at = 2};
        const gfp_tuning_options options = {
            .quick = true, .progress = watching, .user = &x, .error = &error};
        meter_fail_at(&m, i);
        const gfp_status status = gfp_tuning_measure_thresholds(tuning, field, &options);
        assert_true(status == GFP_ERR_MEMORY || (i >= 7 && status == GFP_ERR_CANCELLED));
        assert_int_equal(error.status, status);
        assert_true(error.message[0] != '\0');
        assert_int_equal(gfp_tuning_threshold_count(tuning), 0);
    }
    meter_fail_at(&m, SIZE_MAX);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(values_keep_to_limits),
        cmocka_unit_test(results_do_not_depend_on_thresholds),
        cmocka_unit_test(every_threshold_is_used),
        cmocka_unit_test(long_operands_leave_base_cases_earlier),
        cmocka_unit_test(measuring_enters_every_threshold),
        cmocka_unit_test(thresholds_beyond_measuring_are_known),
        cmocka_unit_test(failing_allocations_leave_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
