/* ntt.c: products modulo blocks of eight primes against the definition, at every level,
 * for every size, on random and extreme residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "field/base/cpu.h"
#include "field/base/word.h"
#include "fft/words/primes.h"
#include "fft/words/ntt.h"

#define W GFP_WORDS

static gfp_words block;

static int ntt_setup(void **state)
{
    uint64_t q[W], below = (uint64_t)1 << GFP_WORDS_BITS;
    (void)state;
    for (unsigned i = 0; i < W; i++) {
        if (gfp_word_prime_below(&below, below, GFP_WORDS_LOG2_ORDER) != GFP_OK) {
            return -1;
        }
        q[i] = below;
    }
    /* The least prime of a supply is nearer to 2^50 - 2^47. */
    below = ((uint64_t)1 << 50) - ((uint64_t)1 << 46);
    if (gfp_word_prime_below(&q[W - 1], below, GFP_WORDS_LOG2_ORDER) != GFP_OK) {
        return -1;
    }
    gfp_words_fill(&block, q);
    return 0;
}

static uint64_t seed = 1;

static uint64_t ntt_next(void)
{
    return gfp_mix64(seed += UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t *ntt_array(size_t points)
{
    uint64_t *x = aligned_alloc(64, (points + 1) * W * sizeof *x);
    assert_non_null(x);
    return x;
}

enum { RANDOM, GREATEST, ZERO, MIXED, KINDS };

static void ntt_fill(uint64_t *x, size_t len, unsigned kind)
{
    for (size_t i = 0; i < len * W; i++) {
        const uint64_t q = block.q[i % W], r = ntt_next();
        const unsigned k = kind == MIXED ? (unsigned)(r >> 62) % 3 : kind;
        x[i] = k == RANDOM ? r % q : k == GREATEST ? q - 1 : 0;
    }
}

/* c := a b modulo X^points - 1, or the polynomial of size.three if points is not below the length:
 * tests with wrap use full sizes only. */
static void ntt_define(uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                       size_t len_b, size_t points)
{
    memset(c, 0, points * W * sizeof *c);
    for (size_t i = 0; i < len_a; i++) {
        for (size_t j = 0; j < len_b; j++) {
            uint64_t *z = c + (i + j) % points * W;
            for (unsigned l = 0; l < W; l++) {
                const uint64_t q = block.q[l];
                z[l] = (z[l] + gfp_mod_mul(a[i * W + l], b[j * W + l], q)) % q;
            }
        }
    }
}

static void check_product(const gfp_words_ntt *ntt, gfp_words_size size, size_t len_a, size_t len_b,
                          unsigned kind)
{
    const size_t points = gfp_words_points(size);
    uint64_t *a = ntt_array(points), *b = ntt_array(points), *c = ntt_array(points),
             *kept = ntt_array(points);
    uint64_t *roots = ntt_array(gfp_words_root_words(size) / W);
    memset(a, 0xff, points * W * sizeof *a);
    memset(b, 0xff, points * W * sizeof *b);
    ntt_fill(a, len_a, kind);
    ntt_fill(b, len_b, kind == MIXED ? RANDOM : kind);
    ntt_define(c, a, len_a, b, len_b, points);
    ntt->roots(&block, roots, size);
    ntt->forward(&block, roots, a, len_a, size, NULL);
    ntt->forward(&block, roots, b, len_b, size, NULL);
    memcpy(kept, b, points * W * sizeof *b);
    ntt->multiply(&block, roots, a, b, size, NULL);
    assert_memory_equal(kept, b, points * W * sizeof *b);
    ntt->inverse(&block, roots, a, size, NULL);
    assert_memory_equal(a, c, points * W * sizeof *a);
    free(a);
    free(b);
    free(c);
    free(kept);
    free(roots);
}

static void check_size(const gfp_words_ntt *ntt, gfp_words_size size)
{
    const size_t points = gfp_words_points(size);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        check_product(ntt, size, points / 2, points - points / 2 + 1, kind);
        check_product(ntt, size, 1, points, kind);
        check_product(ntt, size, points - 2, 3, kind);
        if (!size.three) {
            check_product(ntt, size, points, points, kind);
        }
    }
    for (unsigned trial = 0; trial < 8; trial++) {
        const size_t len_a = 1 + ntt_next() % points, len_b = 1 + ntt_next() % (points + 1 - len_a);
        check_product(ntt, size, len_a, len_b, MIXED);
    }
}

static void products_are_those_of_the_definition(void **state)
{
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        const gfp_words_ntt *ntt = gfp_words_ntt_get(level);
        assert_int_equal(ntt->level, level);
        for (unsigned log2_n = GFP_WORDS_LEAST_LOG2; log2_n <= 9; log2_n++) {
            check_size(ntt, (gfp_words_size){log2_n, false});
            if (log2_n >= GFP_WORDS_LEAST_LOG2 + 2) {
                check_size(ntt, (gfp_words_size){log2_n, true});
            }
        }
        /* Depth first, both parities; the longer factor is short, or the definition is slow. */
        for (unsigned log2_n = 10; log2_n <= 14; log2_n++) {
            const size_t points = (size_t)1 << log2_n;
            check_product(ntt, (gfp_words_size){log2_n, false}, points - 9, 10, GREATEST);
            check_product(ntt, (gfp_words_size){log2_n, true}, points / 4 * 3 - 9, 10, RANDOM);
        }
    }
}

/* A block of four primes twice: products modulo X^(2 M) - 1 by halves side by side. */
static void check_halves(const gfp_words_ntt *ntt, unsigned log2_m, size_t len_a, size_t len_b,
                         unsigned kind)
{
    const gfp_words_size size = {log2_m, false};
    const size_t m = gfp_words_points(size);
    uint64_t *a = ntt_array(2 * m), *b = ntt_array(2 * m), *c = ntt_array(2 * m);
    uint64_t *roots = ntt_array(gfp_words_root_words(size) / W);
    ntt_fill(a, len_a, kind);
    ntt_fill(b, len_b, kind == MIXED ? RANDOM : kind);
    for (size_t i = 0; i < m; i++) { /* primes l and l + 4 are equal, and so are residues */
        memcpy(a + i * W + W / 2, a + i * W, W / 2 * sizeof *a);
        memcpy(b + i * W + W / 2, b + i * W, W / 2 * sizeof *b);
    }
    ntt_define(c, a, len_a, b, len_b, 2 * m);
    ntt->roots(&block, roots, size);
    ntt->fold(&block, a, len_a, size);
    ntt->forward(&block, roots, a, len_a, size, NULL);
    ntt->fold(&block, b, len_b, size);
    ntt->forward(&block, roots, b, len_b, size, NULL);
    ntt->multiply(&block, roots, a, b, size, NULL);
    ntt->inverse(&block, roots, a, size, NULL);
    ntt->unfold(&block, a, size);
    for (size_t i = 0; i < 2 * m; i++) {
        assert_memory_equal(a + i * W, c + i * W, W / 2 * sizeof *a);
        for (unsigned l = W / 2; l < W; l++) {
            assert_true(a[i * W + l] < block.q[l]);
        }
    }
    free(a);
    free(b);
    free(c);
    free(roots);
}

static void halves_are_products(void **state)
{
    const gfp_words usual = block;
    uint64_t q[W];
    (void)state;
    for (unsigned l = 0; l < W; l++) {
        q[l] = usual.q[(l + 1) % (W / 2) + W / 2]; /* the last one of `block` is the least */
    }
    gfp_words_fill(&block, q);
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        const gfp_words_ntt *ntt = gfp_words_ntt_get(level);
        for (unsigned log2_m = GFP_WORDS_LEAST_LOG2; log2_m <= 8; log2_m++) {
            const size_t m = (size_t)1 << log2_m;
            for (unsigned kind = 0; kind < KINDS; kind++) {
                check_halves(ntt, log2_m, m, m, kind);
                check_halves(ntt, log2_m, 1, m - 3, kind);
                check_halves(ntt, log2_m, 1 + ntt_next() % m, 1 + ntt_next() % m, kind);
            }
        }
        check_halves(ntt, 12, (size_t)1 << 12, 9, RANDOM);
    }
    block = usual;
}

/* Products of long random factors agree between the levels. */
static void levels_agree(void **state)
{
    const gfp_words_size size = {13, false};
    const size_t points = gfp_words_points(size);
    uint64_t *a = ntt_array(points), *b = ntt_array(points), *x = ntt_array(points),
             *y = ntt_array(points);
    uint64_t *first = ntt_array(points), *roots = ntt_array(gfp_words_root_words(size) / W);
    (void)state;
    ntt_fill(a, points, RANDOM);
    ntt_fill(b, points, MIXED);
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        const gfp_words_ntt *ntt = gfp_words_ntt_get(level);
        memcpy(x, a, points * W * sizeof *x);
        memcpy(y, b, points * W * sizeof *y);
        ntt->roots(&block, roots, size);
        ntt->forward(&block, roots, x, points, size, NULL);
        ntt->forward(&block, roots, y, points, size, NULL);
        ntt->multiply(&block, roots, x, y, size, NULL);
        ntt->inverse(&block, roots, x, size, NULL);
        if (level == GFP_LEVEL_PORTABLE) {
            memcpy(first, x, points * W * sizeof *x);
        }
        assert_memory_equal(first, x, points * W * sizeof *x);
    }
    free(a);
    free(b);
    free(x);
    free(y);
    free(first);
    free(roots);
}

static void check_direct(const gfp_words_ntt *ntt, size_t len_a, size_t len_b, unsigned kind)
{
    const size_t len = len_a + len_b - 1;
    uint64_t *a = ntt_array(len), *b = ntt_array(len), *c = ntt_array(len), *z = ntt_array(len);
    uint64_t *work = ntt_array(gfp_words_direct_words(len_a, len_b) / W);
    ntt_fill(a, len_a, kind);
    ntt_fill(b, len_b, kind);
    ntt_define(c, a, len_a, b, len_b, len);
    ntt->direct(&block, z, a, len_a, b, len_b, work);
    assert_memory_equal(z, c, len * W * sizeof *z);
    ntt->direct(&block, a, a, len_a, b, len_b, work);
    assert_memory_equal(a, c, len * W * sizeof *z);
    free(a);
    free(b);
    free(c);
    free(z);
    free(work);
}

static void direct_products_are_those_of_the_definition(void **state)
{
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        if (!gfp_cpu_has(level)) {
            continue;
        }
        for (size_t len_a = 1; len_a <= GFP_WORDS_DIRECT; len_a++) {
            for (size_t len_b = 1; len_b <= GFP_WORDS_DIRECT + 8; len_b += 1 + len_b / 4) {
                check_direct(gfp_words_ntt_get(level), len_a, len_b, (unsigned)(len_a % KINDS));
                check_direct(gfp_words_ntt_get(level), len_b, len_a, GREATEST);
            }
        }
    }
}

static void values_are_those_of_the_definition(void **state)
{
    enum { LEN = 50 };
    uint64_t *a = ntt_array(LEN);
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        for (unsigned kind = 0; kind < KINDS && gfp_cpu_has(level); kind++) {
            uint64_t y[W] = {0}, x[W], expected[W] = {0};
            ntt_fill(x, 1, kind);
            ntt_fill(a, LEN, kind);
            for (size_t i = LEN; i-- > 0;) {
                for (unsigned l = 0; l < W; l++) {
                    const uint64_t q = block.q[l];
                    expected[l] = (gfp_mod_mul(expected[l], x[l], q) + a[i * W + l]) % q;
                }
            }
            const gfp_words_ntt *ntt = gfp_words_ntt_get(level);
            ntt->evaluate(&block, y, x, a + 20 * W, LEN - 20);
            ntt->evaluate(&block, y, x, a + 1 * W, 19);
            ntt->evaluate(&block, y, x, a, 1);
            assert_memory_equal(y, expected, sizeof y);
        }
    }
    free(a);
}

static void sizes_are_the_least(void **state)
{
    gfp_words_size size;
    (void)state;
    for (size_t len = 1; len < 5000; len++) {
        size_t least = 8;
        while (least < len) {
            least = least >= 16 && len <= least / 2 * 3 && least % 3 != 0 ? least / 2 * 3
                    : least % 3 == 0                                      ? least / 3 * 4
                                                                          : least * 2;
        }
        assert_true(gfp_words_size_for(&size, len));
        assert_int_equal(gfp_words_points(size), least);
    }
    assert_true(gfp_words_size_for(&size, (size_t)1 << GFP_WORDS_LOG2_ORDER));
    assert_false(gfp_words_size_for(&size, ((size_t)1 << GFP_WORDS_LOG2_ORDER) + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_definition),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(halves_are_products),
        cmocka_unit_test(direct_products_are_those_of_the_definition),
        cmocka_unit_test(values_are_those_of_the_definition),
        cmocka_unit_test(sizes_are_the_least),
    };
    return cmocka_run_group_tests(tests, ntt_setup, NULL);
}
