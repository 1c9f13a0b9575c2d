/* word_vec.c: products modulo a word against the definition and against FLINT's nmod_poly: moduli
 * of all sizes, primes, composite and extreme ones, aliases, squares, batches, caps, failing
 * allocations, progress, mistakes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/ring.h"

#if GFP_HAVE_FLINT
#include <flint/nmod_poly.h>
#endif

#include "lab/rows.h"
#include "gfpoly.h"
#include "field/base/word.h"

static const uint64_t moduli[] = {1,
                                  2,
                                  3,
                                  97,
                                  65536,
                                  (UINT64_C(1) << 30) - 35,
                                  (UINT64_C(1) << 31) - 1,
                                  (UINT64_C(1) << 40) - 87,
                                  (UINT64_C(1) << 50) - 27,
                                  (UINT64_C(1) << 62) - 57,
                                  (UINT64_C(1) << 62),
                                  (UINT64_C(1) << 63) - 25,
                                  (UINT64_C(1) << 63)};
#define MODULI (sizeof moduli / sizeof moduli[0])

static gfp_random state;

static int open_ring(void **unused)
{
    gfp_random_seed(&state, 21);
    return ring_setup(unused);
}

/* ---- factors ---- */

typedef enum { RANDOM, GREATEST, ZERO_AT_END, KINDS } kind;

static uint64_t *word_vec_factor(size_t len, uint64_t q, kind what)
{
    uint64_t *x = malloc((len + 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < len; i++) {
        x[i] = what == GREATEST                      ? q - 1
               : what == ZERO_AT_END && i >= len / 2 ? 0
                                                     : gfp_random_below(&state, q);
    }
    x[len] = UINT64_C(0xfeed);
    return x;
}

/* Coefficient i of a b by the definition. */
static uint64_t word_vec_coefficient(const uint64_t *a, size_t len_a, const uint64_t *b,
                                     size_t len_b, uint64_t q, size_t i)
{
    uint64_t sum = 0;
    for (size_t j = i < len_b ? 0 : i - len_b + 1; j < len_a && j <= i; j++) {
        sum = (uint64_t)(((gfp_u128)a[j] * b[i - j] + sum) % q);
    }
    return sum;
}

/* All coefficients of short products, some of long ones. */
static void expect_product(const uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b, uint64_t q)
{
    const size_t len = len_a + len_b - 1, step = len < 1000 ? 1 : len / 37;
    for (size_t i = 0; i < len; i += step) {
        assert_int_equal(c[i], word_vec_coefficient(a, len_a, b, len_b, q, i));
    }
    assert_int_equal(c[len - 1], word_vec_coefficient(a, len_a, b, len_b, q, len - 1));
#if GFP_HAVE_FLINT
    nmod_poly_t f, g, h;
    nmod_poly_init2(f, q, (slong)len_a);
    nmod_poly_init2(g, q, (slong)len_b);
    nmod_poly_init2(h, q, (slong)len);
    for (size_t i = 0; i < len_a; i++) {
        nmod_poly_set_coeff_ui(f, (slong)i, a[i]);
    }
    for (size_t i = 0; i < len_b; i++) {
        nmod_poly_set_coeff_ui(g, (slong)i, b[i]);
    }
    nmod_poly_mul(h, f, g);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(c[i], nmod_poly_get_coeff_ui(h, (slong)i));
    }
    nmod_poly_clear(f);
    nmod_poly_clear(g);
    nmod_poly_clear(h);
#endif
}

static void check_product(size_t len_a, size_t len_b, uint64_t q, kind what,
                          const gfp_options *options)
{
    const size_t len = len_a + len_b - 1;
    uint64_t *a = word_vec_factor(len_a, q, what), *b = word_vec_factor(len_b, q, what),
             *c = word_vec_factor(len, q, RANDOM);
    assert_int_equal(gfp_wvec_mul(ring, c, a, len_a, b, len_b, q, options), GFP_OK);
    expect_product(c, a, len_a, b, len_b, q);
    assert_int_equal(c[len], 0xfeed);
    free(a);
    free(b);
    free(c);
}

/* ---- products ---- */

static void every_modulus(void **unused)
{
    static const size_t lengths[][2] = {{1, 1},     {2, 1},    {1, 5},    {7, 7},    {33, 20},
                                        {300, 300}, {1000, 3}, {5, 1200}, {700, 600}};
    (void)unused;
    for (size_t i = 0; i < MODULI; i++) {
        for (size_t l = 0; LAB_ROW(lengths, l); l++) {
            for (kind what = RANDOM; what < KINDS; what++) {
                const gfp_options options = {.verify = (i + l) % 2 == 0 ? GFP_VERIFY_POINT
                                                                        : GFP_VERIFY_NONE};
                check_product(lengths[l][0], lengths[l][1], moduli[i], what, &options);
            }
        }
    }
}

static void random_moduli(void **unused)
{
    (void)unused;
    for (int i = 0; i < 60; i++) {
        const uint64_t q = 1 + (gfp_random_u64(&state) >> (1 + gfp_random_below(&state, 62)));
        check_product(1 + gfp_random_below(&state, 90), 1 + gfp_random_below(&state, 90), q, RANDOM,
                      NULL);
    }
}

static void long_products(void **unused)
{
    const gfp_options options = {.threads = 2, .verify = GFP_VERIFY_CROSS};
    (void)unused;
    check_product(30000, 30000, moduli[9], GREATEST, NULL);
    check_product(40000, 25000, moduli[5], RANDOM, &options);
    check_product(20000, 20000, moduli[12], GREATEST, &options);
}

static void aliases_and_squares(void **unused)
{
    (void)unused;
    for (size_t len = 1; len < 400; len = 3 * len + 1) {
        const uint64_t q = moduli[9];
        uint64_t *a = word_vec_factor(2 * len, q, RANDOM), *b = word_vec_factor(2 * len, q, RANDOM);
        uint64_t *c = word_vec_factor(2 * len, q, RANDOM), *d = word_vec_factor(2 * len, q, RANDOM);
        assert_int_equal(gfp_wvec_mul(ring, c, a, len, b, len, q, NULL), GFP_OK);
        memcpy(d, a, len * sizeof *d);
        assert_int_equal(gfp_wvec_mul(ring, d, d, len, b, len, q, NULL), GFP_OK);
        assert_memory_equal(d, c, (2 * len - 1) * sizeof *d);
        memcpy(d, b, len * sizeof *d);
        assert_int_equal(gfp_wvec_mul(ring, d, a, len, d, len, q, NULL), GFP_OK);
        assert_memory_equal(d, c, (2 * len - 1) * sizeof *d);
        assert_int_equal(gfp_wvec_mul(ring, d, a, len, a, len, q, NULL), GFP_OK);
        expect_product(d, a, len, a, len, q);
        free(a);
        free(b);
        free(c);
        free(d);
    }
}

/* Each method that serves gives the same; the report names it. */
static void every_method(void **unused)
{
    static const char *const names[] = {"short", "words", "big", "kronecker", "flint"};
    size_t served = 0;
    (void)unused;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        gfp_report report = {0};
        const gfp_options options = {.method = names[i], .report = &report};
        const size_t len = 100;
        const uint64_t q = moduli[9];
        uint64_t *a = word_vec_factor(len, q, RANDOM), *b = word_vec_factor(len, q, RANDOM), c[199];
        const gfp_status status = gfp_wvec_mul(ring, c, a, len, b, len, q, &options);
        if (status == GFP_OK) {
            assert_string_equal(report.method, names[i]);
            expect_product(c, a, len, b, len, q);
            served++;
        } else {
            assert_int_equal(status, GFP_ERR_UNAVAILABLE);
        }
        free(a);
        free(b);
    }
    assert_true(served >= 3);
}

/* ---- batches ---- */

static double last_fraction;

static bool word_vec_listen(void *user, double fraction)
{
    size_t *calls = user;
    assert_true(fraction >= last_fraction && fraction <= 1);
    last_fraction = fraction;
    return ++*calls != 5 || calls[1] == 0;
}

static void word_vec_batches(void **unused)
{
    const size_t len_a = 50, len_b = 31, len = len_a + len_b - 1;
    uint64_t *a = malloc(MODULI * len_a * sizeof *a), *b = malloc(MODULI * len_b * sizeof *b);
    uint64_t *c = malloc(MODULI * len * sizeof *c);
    size_t calls[2] = {0, 0};
    const gfp_progress progress = {word_vec_listen, calls};
    gfp_report report = {0};
    gfp_error error = {.message = ""};
    const gfp_options options = {
        .progress = &progress, .report = &report, .error = &error, .verify = GFP_VERIFY_POINT};
    const gfp_wvec_products p = {c, a, b, len_a, len_b, moduli, MODULI};
    (void)unused;
    for (size_t i = 0; i < MODULI; i++) {
        uint64_t *x = word_vec_factor(len_a, moduli[i], RANDOM),
                 *y = word_vec_factor(len_b, moduli[i], RANDOM);
        memcpy(a + i * len_a, x, len_a * sizeof *a);
        memcpy(b + i * len_b, y, len_b * sizeof *b);
        free(x);
        free(y);
    }
    last_fraction = 0;
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, &options), GFP_OK);
    assert_true(last_fraction == 1 && report.multiply_ns > 0 &&
                report.verified == GFP_VERIFY_POINT);
    for (size_t i = 0; i < MODULI; i++) {
        expect_product(c + i * len, a + i * len_a, len_a, b + i * len_b, len_b, moduli[i]);
    }
    calls[0] = 0;
    calls[1] = 1; /* the fifth call cancels */
    last_fraction = 0;
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, &options), GFP_ERR_CANCELLED);
    a[3 * len_a + 7] = moduli[3];
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, &options), GFP_ERR_RANGE);
    assert_non_null(strstr(error.message, "product 3: coefficient 7 of a, 97"));
    assert_int_equal(gfp_wvec_mul_batch(ring, NULL, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(
        gfp_wvec_mul_batch(ring, &(gfp_wvec_products){NULL, a, b, 1, 1, moduli, 1}, &options),
        GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul_batch(
                         ring, &(gfp_wvec_products){c, a, b, 9, 9, moduli, SIZE_MAX / 4}, &options),
                     GFP_ERR_SIZE);
    assert_int_equal(
        gfp_wvec_mul_batch(ring, &(gfp_wvec_products){NULL, NULL, NULL, 9, 9, NULL, 0}, &options),
        GFP_OK);
    free(a);
    free(b);
    free(c);
}

/* Calls of `count_calls`, and the one that cancels; 0: none does. */
static size_t heard, cancelled_by;

static bool count_calls(void *user, double fraction)
{
    (void)user;
    assert_true(fraction >= last_fraction && fraction <= 1);
    last_fraction = fraction;
    return ++heard != cancelled_by;
}

/* Products by the definition do not report progress one by one, but their batch does. */
static void short_batches_report(void **unused)
{
    enum { COUNT = 20000, LEN = 20 };
    uint64_t *x = calloc(4 * LEN * COUNT, sizeof *x), *q = malloc(COUNT * sizeof *q);
    const gfp_progress progress = {count_calls, NULL};
    gfp_error error = {.message = ""};
    const gfp_options options = {.progress = &progress, .error = &error};
    (void)unused;
    assert_true(x != NULL && q != NULL);
    for (size_t i = 0; i < COUNT; i++) {
        q[i] = moduli[i % MODULI];
    }
    uint64_t *a = x, *b = a + LEN * COUNT, *c = b + LEN * COUNT;
    const gfp_wvec_products p = {c, a, b, LEN, LEN, q, COUNT};
    last_fraction = 0;
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, &options), GFP_OK);
    assert_true(heard > 3);
    cancelled_by = 2;
    heard = 0;
    last_fraction = 0;
    assert_int_equal(gfp_wvec_mul_batch(ring, &p, &options), GFP_ERR_CANCELLED);
    assert_int_equal(error.status, GFP_ERR_CANCELLED);
    assert_int_equal(heard, 2);
    free(x);
    free(q);
}

/* Longer factors than the definition takes, with a short one. */
static void one_long_factor(void **unused)
{
    (void)unused;
    check_product(65536, 3, moduli[9], RANDOM, NULL);
    check_product(32, 65537, moduli[12], GREATEST, NULL);
}

/* ---- failures ---- */

static void word_vec_mistakes(void **unused)
{
    uint64_t a[] = {1, 2, 3}, b[] = {4, 96}, c[4] = {7, 7, 7, 7};
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    const gfp_options unknown = {.error = &error, .method = "no such method"};
    (void)unused;
    assert_int_equal(gfp_wvec_mul(ring, c, a, 3, b, 2, 96, &options), GFP_ERR_RANGE);
    assert_non_null(strstr(error.message, "coefficient 1 of b, 96, is not below the modulus 96"));
    assert_int_equal(error.index, 1);
    assert_int_equal(gfp_wvec_mul(ring, c, a, 3, b, 2, 0, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul(ring, c, a, 3, b, 2, (UINT64_C(1) << 63) + 1, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul(NULL, c, a, 3, b, 2, 97, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul(ring, NULL, a, 3, b, 2, 97, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul(ring, c, NULL, 3, b, 2, 97, &options), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_wvec_mul(ring, c, a, SIZE_MAX, b, 2, 97, &options), GFP_ERR_SIZE);
    assert_int_equal(gfp_wvec_mul(ring, c, a, 3, b, 2, 97, &unknown), GFP_ERR_UNKNOWN);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(c[i], 7);
    }
    assert_int_equal(gfp_wvec_mul(ring, NULL, NULL, 0, b, 2, 97, &options), GFP_OK);
    assert_int_equal(gfp_wvec_mul(ring, c, a, 3, b, 2, 97, &options), GFP_OK);
    assert_int_equal(c[0], 4);
}

static void word_vec_caps(void **unused)
{
    const size_t len = 2000;
    const uint64_t q = moduli[9];
    uint64_t *a = word_vec_factor(len, q, RANDOM), *b = word_vec_factor(len, q, RANDOM),
             *c = word_vec_factor(2 * len, q, RANDOM);
    gfp_error error = {.message = ""};
    (void)unused;
    for (size_t cap = 1; cap < (size_t)1 << 24; cap *= 4) {
        const gfp_options options = {.memory_cap = cap, .error = &error};
        const size_t before = held;
        const gfp_status status = gfp_wvec_mul(ring, c, a, len, b, len, q, &options);
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        assert_true(status == GFP_OK || cap < (size_t)1 << 23);
        assert_true(before == held || status == GFP_OK);
    }
    expect_product(c, a, len, b, len, q);
    free(a);
    free(b);
    free(c);
}

static void failing_allocations(void **unused)
{
    const size_t len = 500;
    const uint64_t q = moduli[9];
    gfp_zring *fresh = NULL;
    uint64_t *a = word_vec_factor(len, q, RANDOM), *b = word_vec_factor(len, q, RANDOM),
             *c = word_vec_factor(2 * len, q, RANDOM);
    uint64_t *before = malloc(2 * len * sizeof *before);
    gfp_status status = GFP_ERR_MEMORY;
    long count = 0;
    (void)unused;
    memcpy(before, c, 2 * len * sizeof *c);
    assert_int_equal(gfp_zring_create(&fresh, &counting, NULL), GFP_OK);
    for (; status != GFP_OK; count++) {
        left = count;
        status = gfp_wvec_mul(fresh, c, a, len, b, len, q, NULL);
        left = -1;
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        if (status != GFP_OK) {
            assert_memory_equal(before, c, 2 * len * sizeof *c);
        }
    }
    assert_true(count > 1);
    expect_product(c, a, len, b, len, q);
    gfp_zring_destroy(fresh);
    free(a);
    free(b);
    free(c);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_modulus),        cmocka_unit_test(random_moduli),
        cmocka_unit_test(long_products),        cmocka_unit_test(aliases_and_squares),
        cmocka_unit_test(every_method),         cmocka_unit_test(word_vec_batches),
        cmocka_unit_test(short_batches_report), cmocka_unit_test(one_long_factor),
        cmocka_unit_test(word_vec_mistakes),    cmocka_unit_test(word_vec_caps),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, open_ring, ring_teardown);
}
