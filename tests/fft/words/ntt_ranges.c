/* ntt_ranges.c: the ranges of transforms modulo blocks of primes: the kernels run on
 * intervals (ntt_intervals.h). Sizes beyond those tested repeat the same passes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "fft/words/ntt_intervals.h"

#include "fft/words/ntt_body.h"

static const gfp_words_ntt kernels = GFP_WORDS_NTT_TABLE(GFP_LEVEL_PORTABLE);
/* Constants that the kernels take from words are read as intervals within [0, 1). */
static const gfp_words block = {.q = {1, 1, 1, 1, 1, 1, 1, 1}};

/* Residues in [0, q). */
static void ntt_ranges_fill(uint64_t *x, size_t len)
{
    const double ends[2] = {0, 1};
    memset(x, 0, len * GFP_WORDS * sizeof *x);
    for (size_t i = 0; i < len; i++) {
        memcpy(x + i * GFP_WORDS, ends, sizeof ends);
    }
}

static void check_product(gfp_words_size size, size_t len)
{
    const size_t points = gfp_words_points(size);
    uint64_t *a = malloc(points * GFP_WORDS * sizeof *a),
             *b = malloc(points * GFP_WORDS * sizeof *b);
    uint64_t roots[2 * GFP_WORDS];
    assert_true(a != NULL && b != NULL);
    ntt_ranges_fill(a, points);
    ntt_ranges_fill(b, points);
    kernels.roots(&block, roots, size);
    kernels.forward(&block, roots, a, len, size, NULL);
    kernels.forward(&block, roots, b, points, size, NULL);
    kernels.multiply(&block, roots, a, b, size, NULL);
    kernels.inverse(&block, roots, a, size, NULL);
    kernels.multiply(&block, roots, b, b, size, NULL);
    kernels.inverse(&block, roots, b, size, NULL);
    for (size_t i = 0; i < points; i++) {
        const words x = words_load(a + i * GFP_WORDS);
        assert_true(x.low >= 0 && x.high <= 1);
    }
    free(a);
    free(b);
}

static void check_halves(gfp_words_size size)
{
    const size_t points = gfp_words_points(size);
    uint64_t *x = malloc(2 * points * GFP_WORDS * sizeof *x);
    assert_non_null(x);
    ntt_ranges_fill(x, points);
    kernels.fold(&block, x, points, size);
    kernels.unfold(&block, x, size);
    for (size_t i = 0; i < 2 * points; i++) {
        const words y = words_load(x + i * GFP_WORDS);
        assert_true(y.low >= 0 && y.high <= 1);
    }
    free(x);
}

static void check_model(bool model)
{
    doubles = model;
    broken = 0;
    widest = 0;
    for (unsigned log2_n = GFP_WORDS_LEAST_LOG2; log2_n <= 13; log2_n++) {
        const size_t points = (size_t)1 << log2_n;
        for (size_t len = 1; len <= points; len += 1 + points / 9) {
            check_product((gfp_words_size){log2_n, false}, len);
        }
        check_halves((gfp_words_size){log2_n, false});
        if (log2_n >= GFP_WORDS_LEAST_LOG2 + 2) {
            check_product((gfp_words_size){log2_n, true}, points / 2);
        }
    }
    for (size_t len = 1; len <= GFP_WORDS_DIRECT; len++) {
        uint64_t a[GFP_WORDS * 50], b[GFP_WORDS * 90], c[GFP_WORDS * 100], work[GFP_WORDS * 100];
        ntt_ranges_fill(a, len);
        ntt_ranges_fill(b, 50);
        kernels.direct(&block, c, a, len, b, 50, work);
        kernels.evaluate(&block, c, a, b, 50);
    }
    assert_int_equal(broken, 0);
    assert_true(widest > 2 && widest <= 4); /* the model has seen lazy values */
}

static void ranges_of_words_hold(void **state)
{
    (void)state;
    check_model(false);
}

static void ranges_of_doubles_hold(void **state)
{
    (void)state;
    check_model(true);
}

/* The model finds a missing reduction: sums of two values of transforms, multiplied. */
static void wrong_ranges_are_found(void **state)
{
    const ntt_moduli n = {0};
    const ntt_root w = {{0, 1, false}};
    (void)state;
    for (unsigned model = 0; model < 2; model++) {
        doubles = model == 1;
        const words x = {doubles ? -3 : 0, 3, false};
        broken = 0;
        (void)ntt_mul(ntt_add(ntt_small(x, &n), x), w, &n);
        assert_int_equal(broken, doubles ? 0 : 1); /* 3.5 q, 5 q */
        (void)ntt_mul(ntt_add(x, x), w, &n);
        assert_int_equal(broken, doubles ? 1 : 2);
    }
    doubles = false;
    broken = 0;
    (void)ntt_small(ntt_add(ntt_mul_wild(words_zero(), w, &n), words_zero()), &n);
    assert_int_equal(broken, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_words_hold),
        cmocka_unit_test(ranges_of_doubles_hold),
        cmocka_unit_test(wrong_ranges_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
