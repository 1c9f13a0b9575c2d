/* ntt_intervals.h: the operations of transforms modulo blocks of primes
 * (fft/words/ntt_ops_*.h) on intervals of values in units of q: the kernels that run on residues,
 * fft/words/ntt_body.h, run on intervals, and every operation fails the test if its argument may
 * leave the range that it needs. So the ranges hold for all residues.
 *
 * Two models: words (AVX-512 and plain C), where 4 q < 2^52 and values are not negative; and
 * doubles (AVX2), integers of absolute value at most 4 q < 2^52. A point holds an interval as two
 * doubles.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_FFT_WORDS_NTT_INTERVALS_H
#define TESTS_FFT_WORDS_NTT_INTERVALS_H

#include <math.h>
#include <string.h>

#include "field/base/unroll.h"
#include "fft/words/block.h"

/* The model, set by the test. */
static bool doubles;
static unsigned long broken; /* ranges that did not hold */
static double widest;        /* of all values that were stored */

/* wild: known modulo 2^52 only, so that the value may only be multiplied. */
typedef struct words {
    double low, high;
    bool wild;
} words;

typedef int words_moduli;
typedef int words_mode;

typedef struct ntt_moduli {
    words_moduli m;
} ntt_moduli;

typedef struct ntt_root {
    words w;
} ntt_root;

/* A sum of products in units of q^2 (doubles: of values in units of q). */
typedef struct ntt_sum {
    double most;
} ntt_sum;

static void ntt_intervals_needs(bool holds)
{
    broken += !holds;
}

static double ntt_intervals_magnitude(words x)
{
    return fmax(fabs(x.low), fabs(x.high));
}

static void needs_within(words x, double bound)
{
    ntt_intervals_needs(!x.wild && x.high <= bound && x.low >= (doubles ? -bound : 0));
}

static words_mode words_begin(void)
{
    return 0;
}

static void words_end(words_mode mode)
{
    (void)mode;
}

static words words_load(const uint64_t x[GFP_WORDS])
{
    double ends[2];
    memcpy(ends, x, sizeof ends);
    return (words){ends[0], ends[1], false};
}

static void words_store(uint64_t z[GFP_WORDS], words x)
{
    const double ends[2] = {x.low, x.high};
    needs_within(x, 4);
    widest = fmax(widest, ntt_intervals_magnitude(x));
    memset(z, 0, GFP_WORDS * sizeof *z);
    memcpy(z, ends, sizeof ends);
}

static words words_zero(void)
{
    return (words){0, 0, false};
}

/* Half of q, a rounding error included. */
#define HALF (0.5 + 0x1p-40)

static words ntt_intervals_reduced(void)
{
    return doubles ? (words){-1, 1, false} : (words){0, 1, false};
}

/* ---- fft/words/LEVEL.h ---- */

static words words_enter(words x, const words_moduli *m)
{
    (void)m;
    needs_within(x, 1);
    return doubles ? x : ntt_intervals_reduced();
}

static words words_mul(words a, words b, const words_moduli *m)
{
    (void)m;
    needs_within(a, 1);
    needs_within(b, 1);
    return ntt_intervals_reduced();
}

static words words_add(words a, words b, const words_moduli *m)
{
    (void)m;
    needs_within(a, 1);
    needs_within(b, 1);
    return ntt_intervals_reduced();
}

/* ---- fft/words/ntt_ops_LEVEL.h ---- */

static ntt_moduli ntt_moduli_of(const gfp_words *block)
{
    (void)block;
    return (ntt_moduli){0};
}

static words ntt_enter(words x, const ntt_moduli *n)
{
    (void)n;
    ntt_intervals_needs(x.low >= 0 && x.high <= 1);
    return x;
}

static words ntt_small(words x, const ntt_moduli *n)
{
    (void)n;
    needs_within(x, 4);
    return doubles ? (words){-HALF, HALF, false} : (words){0, fmin(x.high, 2), false};
}

static words ntt_factor(words x, const ntt_moduli *n)
{
    (void)n;
    needs_within(x, 4);
    return doubles ? (words){-HALF, HALF, false} : (words){0, 1, false};
}

static words ntt_leave(words x, const ntt_moduli *n)
{
    (void)n;
    needs_within(x, doubles ? 4 : 2);
    return (words){0, 1, false};
}

/* Doubles: the quotient is rounded with an error of at most |x| / 8 before:
 * fft/words/ntt_ops_avx2.h.
 */
static words ntt_mul_wild(words x, ntt_root r, const ntt_moduli *n)
{
    (void)n;
    (void)r;
    ntt_intervals_needs(ntt_intervals_magnitude(x) <= 4 && (doubles || x.low >= 0));
    const double most = HALF + ntt_intervals_magnitude(x) / 8;
    return doubles ? (words){-most, most, false} : (words){0, 2, true};
}

static words ntt_mul(words x, ntt_root r, const ntt_moduli *n)
{
    words z = ntt_mul_wild(x, r, n);
    z.wild = false;
    return z;
}

static words ntt_add(words x, words y)
{
    return (words){x.low + y.low, x.high + y.high, x.wild || y.wild};
}

static words ntt_raised(words x, words y, double by)
{
    const double raise = doubles ? 0 : by;
    ntt_intervals_needs(doubles || (y.low >= 0 && y.high <= by));
    return (words){x.low + raise - y.high, x.high + raise - y.low, x.wild || y.wild};
}

static words ntt_sub(words x, words y, const ntt_moduli *n)
{
    (void)n;
    return ntt_raised(x, y, 2);
}

static words ntt_sub_small(words x, words y, const ntt_moduli *n)
{
    (void)n;
    return ntt_raised(x, y, 1);
}

/* All lanes have one interval. */
static words ntt_swap(words x)
{
    return x;
}

static ntt_root ntt_root_load(const uint64_t *roots, size_t index)
{
    (void)roots;
    (void)index;
    return (ntt_root){(words){0, 1, false}};
}

static ntt_root ntt_root_make(words w, const ntt_moduli *n)
{
    (void)n;
    needs_within(w, 1);
    return (ntt_root){w};
}

static void ntt_root_store(uint64_t *roots, size_t index, ntt_root r)
{
    (void)roots;
    (void)index;
    (void)r;
}

static ntt_sum ntt_sum_zero(void)
{
    return (ntt_sum){0};
}

/* Doubles: a product is at most 1/2 + 3/8 |x y| (fft/words/avx2.h), |x y| <= q^2; sums up to 5 q <
 * 2^53 are exact, and are reduced as well as others. */
static void ntt_sum_add(ntt_sum *s, words x, words y, const ntt_moduli *n)
{
    (void)n;
    const double product = ntt_intervals_magnitude(x) * ntt_intervals_magnitude(y);
    ntt_intervals_needs(!x.wild && !y.wild);
    ntt_intervals_needs(doubles ? product <= 1
                                : x.low >= 0 && y.low >= 0 && x.high <= 2 && y.high <= 1);
    s->most += doubles ? HALF + 0.375 * product : product;
    ntt_intervals_needs(!doubles || s->most <= 5);
}

static void ntt_sum_fold(ntt_sum *s, const ntt_moduli *n)
{
    (void)n;
    if (doubles) {
        s->most = HALF;
    }
}

/* Words: T / 2^52 + q, and 4 q < 2^52, before the last reductions. */
static words ntt_sum_small(const ntt_sum *s, const ntt_moduli *n)
{
    (void)n;
    ntt_intervals_needs(doubles || s->most / 4 + 1 <= 3);
    return doubles ? (words){-HALF, HALF, false} : (words){0, 2, false};
}

static words ntt_sum_leave(const ntt_sum *s, const ntt_moduli *n)
{
    (void)n;
    ntt_intervals_needs(doubles || s->most / 4 + 1 <= 9);
    return (words){0, 1, false};
}

#endif
