/* points.c: roots of unity as points, values and interpolation modulo blocks of primes, at
 * every kernel level, against the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/base/support.h"
#include "field/base/word.h"
#include "crt/blocks/remainders.h"
#include "crt/blocks/kernels/points.h"

static gfp_words_supply *supply;

static int points_setup(void **state)
{
    (void)state;
    return gfp_words_supply_create(&supply, &gfp_default_allocator) == GFP_OK ? 0 : -1;
}

static int points_teardown(void **state)
{
    (void)state;
    gfp_words_supply_destroy(supply);
    return 0;
}

/* Interpolation gives back what has been evaluated. */
static void points_at_each_level(void **state)
{
    gfp_random g;
    const gfp_words *block;
    (void)state;
    gfp_random_seed(&g, 8);
    assert_int_equal(gfp_words_supply_block(supply, 1, &block), GFP_OK);
    for (size_t n = 1; n <= 300; n += n < 40 ? 1 : 37) {
        for (unsigned e = 0; e <= 3 && (size_t)1 << e <= n; e++) {
            gfp_points points;
            const size_t rows[1] = {1};
            assert_true(gfp_points_plan(&points, n, e));
            assert_true(points.n >= n && points.n < n + ((size_t)1 << e) + n / 32);
            size_t *one = malloc(n * sizeof *one);
            uint64_t *c = aligned_alloc(64, 8 * n * sizeof *c);
            uint64_t *expected = malloc(8 * n * sizeof *c);
            uint64_t *x = aligned_alloc(64, 8 * points.n * sizeof *c), zero[16] = {0};
            for (size_t i = 0; i < 8 * n; i++) {
                expected[i] = gfp_random_below(&g, block->q[i % 8]);
                one[i / 8] = 1;
            }
            for (size_t level = 0; level < GFP_LEVEL_COUNT; level++) {
                const gfp_points_kernels *kernels = gfp_points_get((gfp_level)level);
                if (!gfp_cpu_has((gfp_level)level)) {
                    continue;
                }
                memcpy(c, expected, 8 * n * sizeof *c);
                kernels->enter(block, c, n);
                const gfp_points_pair pair = {&points, block, {c, one, n, 1}, {zero, rows, 0, 0}};
                uint64_t *work =
                    aligned_alloc(64, sizeof *c * (gfp_points_group_words(&pair) +
                                                   gfp_points_interpolate_words(&points)));
                for (size_t i = 0; i < gfp_points_groups(&points); i++) {
                    kernels->group(&pair, i, x + (i << e) * 8, work);
                }
                kernels->interpolate(&points, block, x, work);
                assert_memory_equal(x, expected, 8 * n * sizeof *c);
                for (size_t i = 8 * n; i < 8 * points.n; i++) {
                    assert_int_equal(x[i], 0);
                }
                free(work);
            }
            free(x);
            free(expected);
            free(c);
            free(one);
        }
    }
}

/* values, n of them, := those of a polynomial of len coefficients, by the portable level. */
static void points_evaluate(uint64_t *values, const gfp_points *p, const gfp_words *block,
                            const uint64_t *c, size_t len)
{
    size_t one[16], none = 0;
    uint64_t *forms = aligned_alloc(64, 64 * len), *work, zero[8] = {0};
    for (size_t i = 0; i < len; i++) {
        one[i] = 1;
    }
    memcpy(forms, c, 64 * len);
    gfp_points_portable.enter(block, forms, len);
    const gfp_points_pair pair = {p, block, {forms, one, len, 1}, {zero, &none, 0, 0}};
    work = aligned_alloc(64, (8 * gfp_points_group_words(&pair) + 63) / 64 * 64);
    for (size_t i = 0; i < gfp_points_groups(p); i++) {
        gfp_points_portable.group(&pair, i, values + (i << p->log2_group) * 8, work);
    }
    for (size_t i = 0; i < 8 * p->n; i++) { /* forms are 2^52 x */
        const uint64_t q = block->q[i % 8], unit = gfp_mod_pow(((uint64_t)1 << 52) % q, q - 2, q);
        values[i] = gfp_mod_mul(values[i], unit, q);
    }
    free(work);
    free(forms);
}

/* X has the points as values; they differ, and another polynomial has the values of the
 * definition. */
static void values_are_those_of_the_definition(void **state)
{
    enum { LEN = 11, MOST = 200 };
    gfp_random g;
    gfp_points points;
    const gfp_words *block;
    uint64_t c[8 * LEN], x[16] = {0};
    (void)state;
    gfp_random_seed(&g, 10);
    assert_int_equal(gfp_words_supply_block(supply, 2, &block), GFP_OK);
    assert_true(gfp_points_plan(&points, 170, 2));
    assert_true(points.n <= MOST && points.parts > 2);
    uint64_t *at = aligned_alloc(64, 64 * MOST), *values = aligned_alloc(64, 64 * MOST);
    for (size_t i = 0; i < 8 * LEN; i++) {
        c[i] = gfp_random_below(&g, block->q[i % 8]);
        x[8 + i % 8] = 1;
    }
    points_evaluate(at, &points, block, x, 2);
    points_evaluate(values, &points, block, c, LEN);
    for (size_t i = 0; i < 8 * points.n; i++) {
        const uint64_t q = block->q[i % 8];
        uint64_t y = 0;
        for (size_t k = LEN; k-- > 0;) {
            y = (gfp_mod_mul(y, at[i], q) + c[8 * k + i % 8]) % q;
        }
        assert_int_equal(values[i], y);
        for (size_t j = i % 8; j < i; j += 8) {
            assert_int_not_equal(at[i], at[j]);
        }
    }
    free(at);
    free(values);
}

static void plans_have_different_points(void **state)
{
    gfp_points points;
    (void)state;
    assert_false(gfp_points_plan(&points, (size_t)1 << 25, 0));
    assert_false(gfp_points_plan(&points, SIZE_MAX, 3));
    for (size_t n = 1; n < 20000; n += 1 + n / 50) {
        for (unsigned e = 0; e < 6 && (size_t)1 << e <= n; e++) {
            assert_true(gfp_points_plan(&points, n, e));
            size_t sum = 0;
            for (unsigned i = 0; i < points.parts; i++) {
                assert_true((points.part[i].log2_m >= e || i + 1 == points.parts) &&
                            points.part[i].from == sum);
                assert_true(i == 0 || (points.part[i].log2_order > points.part[i - 1].log2_order &&
                                       points.part[i].log2_order > points.part[0].log2_m));
                sum += (size_t)1 << points.part[i].log2_m;
            }
            assert_int_equal(sum, points.n);
            for (unsigned i = 0; i + 1 < points.parts; i++) { /* as `expand` needs it */
                assert_true(sum - points.part[i + 1].from <= (size_t)1 << points.part[i].log2_m);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_at_each_level),
        cmocka_unit_test(values_are_those_of_the_definition),
        cmocka_unit_test(plans_have_different_points),
    };
    return cmocka_run_group_tests(tests, points_setup, points_teardown);
}
