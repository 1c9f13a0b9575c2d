/* block.c: arithmetic modulo blocks of word-size primes, at every kernel level of this
 * machine, against products by the compiler's 128-bit division.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <string.h>

#include "field/base/cpu.h"
#include "field/primes/factor.h"
#include "fft/words/primes.h"
#include "fft/words/lab.h"
#include "lab/rows.h"

#define SIZE (3 * GFP_WORDS)
#define ROUNDS 2000

static gfp_random generator;

static const words_lab *const levels[GFP_LEVEL_COUNT] = GFP_LEVEL_ROWS(
    &words_lab_portable, &words_lab_avx2, &words_lab_avx512dq, &words_lab_avx512, &words_lab_avx2);

/* The greatest primes of a supply, its least ones, and drawn ones, which go down to 2^49. */
static gfp_words blocks[3];

static int make_blocks(void **state)
{
    (void)state;
    static const uint64_t starts[3] = {UINT64_C(1) << 50, (UINT64_C(7) << 47) + (1 << 30),
                                       (UINT64_C(1) << 49) + (UINT64_C(1) << 36)};
    for (unsigned b = 0; b < 3; b++) {
        uint64_t q[GFP_WORDS], below = starts[b];
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            assert_int_equal(gfp_word_prime_below(&q[i], below, GFP_WORDS_LOG2_ORDER), GFP_OK);
            below = q[i];
        }
        gfp_words_fill(&blocks[b], q);
    }
    return 0;
}

/* Random words; 0, 1, q - 1, q / 2 in some places, or in all. */
static void block_sample(const gfp_words *block, uint64_t x[SIZE], unsigned round)
{
    const uint64_t kind = gfp_random_below(&generator, 5);
    for (unsigned i = 0; i < SIZE; i++) {
        const uint64_t q = block->q[i % GFP_WORDS];
        const uint64_t extremes[] = {q - 1, 0, 1, (q - 1) / 2, (q + 1) / 2};
        if (round % 4 == 0) {
            x[i] = extremes[kind];
        } else if (gfp_random_below(&generator, 3) == 0) {
            x[i] = extremes[gfp_random_below(&generator, 5)];
        } else {
            x[i] = gfp_random_below(&generator, q);
        }
    }
}

/* The sum of x_j y_j of the first n vectors, in lane i. */
static uint64_t block_dot(const uint64_t *x, const uint64_t *y, unsigned n, unsigned i, uint64_t q)
{
    uint64_t sum = 0;
    for (unsigned j = 0; j < n; j++) {
        sum = (sum + gfp_mod_mul(x[j * GFP_WORDS + i], y[j * GFP_WORDS + i], q)) % q;
    }
    return sum;
}

static uint64_t expected_chain(uint64_t x, uint64_t y, uint64_t q)
{
    for (unsigned i = 0; i < WORDS_LAB_CHAIN; i++) {
        x = gfp_mod_mul(x, x, q);
    }
    return gfp_mod_mul(x, y, q);
}

static void expect_operations(const words_lab *lab, const gfp_words *block, const uint64_t *x,
                              const uint64_t *y)
{
    uint64_t z[10][GFP_WORDS];
    lab->mul(block, z[0], x, y);
    lab->dot2(block, z[1], x, y);
    lab->dot3(block, z[2], x, y);
    lab->add(block, z[3], x, y);
    lab->sub(block, z[4], x, y);
    lab->neg(block, z[5], x, y);
    lab->pass(block, z[6], x, y);
    lab->one(block, z[7], x, y);
    lab->scale(block, z[8], x, y);
    lab->chain(block, z[9], x, y);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        const uint64_t q = block->q[i], a = x[i], b = y[i];
        assert_true(z[0][i] == block_dot(x, y, 1, i, q));
        assert_true(z[1][i] == block_dot(x, y, 2, i, q));
        assert_true(z[2][i] == block_dot(x, y, 3, i, q));
        assert_true(z[3][i] == (a + b) % q);
        assert_true(z[4][i] == (a + q - b) % q);
        assert_true(z[5][i] == (q - a) % q);
        assert_true(z[6][i] == a);
        assert_true(z[7][i] == 1);
        assert_true(z[8][i] == z[0][i]);
        assert_true(z[9][i] == expected_chain(a, b, q));
    }
}

static void expect_masks(const words_lab *lab, const gfp_words *block, const uint64_t *x,
                         const uint64_t *y)
{
    const unsigned mask = (unsigned)gfp_random_below(&generator, 256);
    uint64_t z[GFP_WORDS];
    unsigned zeros = 0;
    lab->select(block, mask, z, x, y);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        assert_true(z[i] == ((mask >> i & 1) != 0 ? x[i] : y[i]));
        zeros |= (unsigned)(x[i] == 0) << i;
    }
    assert_int_equal(lab->zeros(block, x), zeros);
}

static void levels_compute_modulo_each_prime(void **state)
{
    (void)state;
    for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        for (unsigned b = 0; b < 3; b++) {
            for (unsigned round = 0; round < ROUNDS; round++) {
                uint64_t x[SIZE], y[SIZE];
                block_sample(&blocks[b], x, round);
                block_sample(&blocks[b], y, round);
                expect_operations(levels[level], &blocks[b], x, y);
                expect_masks(levels[level], &blocks[b], x, y);
            }
        }
    }
}

/* Kernels set the rounding that they need, and restore the caller's. */
static void levels_keep_the_rounding_of_the_caller(void **state)
{
    (void)state;
    static const int modes[] = {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
        FE_UPWARD,
        FE_DOWNWARD,
        FE_TOWARDZERO,
#endif
        FE_TONEAREST
    };
    for (unsigned i = 0; LAB_ROW(modes, i); i++) {
        for (gfp_level level = 0; level < GFP_LEVEL_COUNT; level++) {
            uint64_t x[SIZE], y[SIZE];
            if (!gfp_cpu_has(level)) {
                continue;
            }
            assert_int_equal(fesetround(modes[i]), 0);
            for (unsigned round = 0; round < 100; round++) {
                block_sample(&blocks[0], x, round);
                block_sample(&blocks[0], y, round);
                expect_operations(levels[level], &blocks[0], x, y);
                expect_masks(levels[level], &blocks[0], x, y);
            }
            assert_int_equal(fegetround(), modes[i]);
            assert_int_equal(fesetround(FE_TONEAREST), 0);
        }
    }
}

/* Every j in some ranges, the three for which the proof fails, squares, and multiples of 53 and 61.
 */
static void primes_are_proved(void **state)
{
    (void)state;
    const uint64_t order = UINT64_C(1) << GFP_WORDS_LOG2_ORDER;
    const uint64_t starts[] = {1,         order - 8,     order + 1,       2 * order - 4,
                               2 * order, 3 * order - 3, 4 * order - 800, 53 * 61 * 1000};
    for (unsigned s = 0; LAB_ROW(starts, s); s++) {
        for (uint64_t j = starts[s]; j < starts[s] + 800; j += GFP_WORDS) {
            uint64_t q[GFP_WORDS];
            unsigned expected = 0;
            for (unsigned i = 0; i < GFP_WORDS; i++) {
                q[i] = (j + i) * order + 1;
                expected |= (unsigned)gfp_word_is_prime(q[i]) << i;
            }
            assert_int_equal(gfp_words_primes(q), expected);
        }
    }
}

static void roots_are_powers_of_the_least_non_residue(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 3; b++) {
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            assert_true(blocks[b].root[i] ==
                        gfp_word_root_of_unity(blocks[b].q[i], GFP_WORDS_LOG2_ORDER));
        }
    }
}

int main(void)
{
    gfp_random_seed(&generator, 50);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_are_proved),
        cmocka_unit_test(roots_are_powers_of_the_least_non_residue),
        cmocka_unit_test(levels_compute_modulo_each_prime),
        cmocka_unit_test(levels_keep_the_rounding_of_the_caller),
    };
    return cmocka_run_group_tests(tests, make_blocks, NULL);
}
