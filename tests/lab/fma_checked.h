/* fma_checked.h: the arithmetic of fft/words/ntt_fma_arithmetic.h, and the operations of AVX that
 * the passes use, in plain C and with proved bounds, for any machine. A vector has its values,
 * which are integers, and a bound of their absolute values in units of q, whatever the input is.
 * The test fails where a bound exceeds what an operation needs, or a sum would not be exact.
 * Reductions and products have the worst results that their contracts permit: of the right residues
 * the greatest one within the bound.
 *
 * Memory has doubles; the bound of a vector is kept by its address.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_FMA_CHECKED_H
#define GFP_TESTS_LAB_FMA_CHECKED_H

#include "lab/checked.h"

#include <math.h>

#include "fft/words/ntt_fma.h"

/* In place of the real arithmetic. */
#define GFP_FFT_WORDS_NTT_FMA_ARITHMETIC_H

typedef struct fma_lanes {
    double v[GFP_FMA_LANES];
    double bound;
} fma_lanes;
#define __m256d fma_lanes

/* The prime of the vectors, set by the test. */
static double fma_q;

typedef struct gfp_fma_constants {
    fma_lanes inverse;
} gfp_fma_constants;

/* Values are integers within the bound, and exact. */
LANES_OPERATION fma_lanes fma_check(fma_lanes a)
{
    LANES_CHECK(a.bound * fma_q <= 0x1p53);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        LANES_CHECK(a.v[i] == rint(a.v[i]) && fabs(a.v[i]) <= a.bound * fma_q);
    }
    return a;
}

/* ---- memory ---- */

#define FMA_PLACES 65536
static struct {
    const double *at;
    double bound;
} fma_place[FMA_PLACES];

/* Returns the place of the bound of the vector at x. */
LANES_OPERATION size_t fma_place_of(const double *x)
{
    size_t i = gfp_mix64((uintptr_t)x) % FMA_PLACES, tries = 0;
    while (fma_place[i].at != x && fma_place[i].at != NULL) {
        i = (i + 1) % FMA_PLACES;
        LANES_CHECK(++tries < FMA_PLACES);
    }
    return i;
}

/* Forgets all vectors in memory. */
LANES_OPERATION void fma_memory_clear(void)
{
    memset(fma_place, 0, sizeof fma_place);
}

/* Four lanes from `from` on. */
LANES_OPERATION void fma_store_four(double *x, const fma_lanes *a, unsigned from)
{
    const size_t i = fma_place_of(x);
    fma_place[i].at = x;
    fma_place[i].bound = a->bound;
    memcpy(x, a->v + from, 4 * sizeof *x);
}

LANES_OPERATION void fma_load_four(fma_lanes *a, unsigned from, const double *x)
{
    const size_t i = fma_place_of(x);
    LANES_CHECK(fma_place[i].at == x);
    a->bound = fmax(a->bound, fma_place[i].bound);
    memcpy(a->v + from, x, 4 * sizeof *x);
}

LANES_OPERATION void _mm256_store_pd(double *x, fma_lanes a)
{
    for (unsigned i = 0; i < GFP_FMA_LANES; i += 4) {
        fma_store_four(x + i, &a, i);
    }
}

LANES_OPERATION fma_lanes _mm256_load_pd(const double *x)
{
    fma_lanes a = {.bound = 0};
    for (unsigned i = 0; i < GFP_FMA_LANES; i += 4) {
        fma_load_four(&a, i, x + i);
    }
    return fma_check(a);
}

/* ---- constants and sums ---- */

/* A constant; roots are at most q / 2. */
LANES_OPERATION fma_lanes _mm256_set1_pd(double x)
{
    fma_lanes a = {.bound = fabs(x) <= fma_q / 2 ? 0.5 : INFINITY};
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        a.v[i] = x;
    }
    return a;
}

LANES_OPERATION gfp_fma_constants gfp_fma_constants_get(const gfp_fma_modulus *modulus)
{
    LANES_CHECK(modulus->q == fma_q);
    return (gfp_fma_constants){_mm256_set1_pd(modulus->inverse)};
}

LANES_OPERATION fma_lanes _mm256_broadcast_sd(const double *x)
{
    return _mm256_set1_pd(*x);
}

LANES_OPERATION fma_lanes _mm256_setzero_pd(void)
{
    return (fma_lanes){.bound = 0};
}

LANES_OPERATION fma_lanes _mm256_add_pd(fma_lanes a, fma_lanes b)
{
    a.bound += b.bound;
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        a.v[i] += b.v[i];
    }
    return fma_check(a);
}

LANES_OPERATION fma_lanes _mm256_sub_pd(fma_lanes a, fma_lanes b)
{
    a.bound += b.bound;
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        a.v[i] -= b.v[i];
    }
    return fma_check(a);
}

/* ---- halves: the operations of field/kernels/vector_wide.h ---- */

#ifdef GFP_WIDE

LANES_OPERATION fma_lanes wide_twice(const double *x)
{
    fma_lanes a = {.bound = 0};
    fma_load_four(&a, 0, x);
    fma_load_four(&a, 4, x);
    return fma_check(a);
}

LANES_OPERATION void wide_store_halves(double *low, double *high, fma_lanes a)
{
    fma_store_four(low, &a, 0);
    fma_store_four(high, &a, 4);
}

LANES_OPERATION fma_lanes wide_halves(fma_lanes low, fma_lanes high)
{
    low.bound = fmax(low.bound, high.bound);
    memcpy(low.v + 4, high.v + 4, 4 * sizeof *low.v);
    return low;
}

LANES_OPERATION fma_lanes wide_exchange(fma_lanes a)
{
    fma_lanes z = a;
    memcpy(z.v, a.v + 4, 4 * sizeof *a.v);
    memcpy(z.v + 4, a.v, 4 * sizeof *a.v);
    return z;
}

LANES_OPERATION fma_lanes wide_negate_high(fma_lanes a)
{
    for (unsigned i = 4; i < GFP_FMA_LANES; i++) {
        a.v[i] = -a.v[i];
    }
    return a;
}

#endif

/* ---- arithmetic ---- */

/* Returns the integer within bound q of the greatest absolute value that has the residue of x. */
LANES_OPERATION double fma_worst(gfp_i128 x, double bound)
{
    const gfp_i128 q = (gfp_i128)fma_q, most = (gfp_i128)(bound * fma_q);
    gfp_i128 rest = x % q;
    rest = rest < 0 ? rest + q : rest;                   /* in [0, q) */
    const gfp_i128 above = rest + (most - rest) / q * q; /* the greatest one, if any */
    const gfp_i128 below = rest - (most + rest) / q * q; /* the least one */
    const bool fits = rest <= most, low = below >= -most && below <= most;
    LANES_CHECK(fits || low);
    return (double)(fits && (!low || above >= -below) ? above : below);
}

/* x of at most 2^53 in all; to at most 1/2 + 2^-49. */
LANES_OPERATION fma_lanes gfp_fma_reduce(const gfp_fma_constants *c, fma_lanes x)
{
    fma_lanes z = {.bound = 0.5 + 0x1p-49};
    (void)c;
    x = fma_check(x);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        z.v[i] = fma_worst((gfp_i128)x.v[i], z.bound);
    }
    return fma_check(z);
}

/* sign x y, to at most the bound. */
LANES_OPERATION fma_lanes fma_product(fma_lanes x, fma_lanes y, int sign, double bound)
{
    fma_lanes z = {.bound = bound};
    x = fma_check(x);
    y = fma_check(y);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        z.v[i] = fma_worst(sign * (gfp_i128)x.v[i] * (gfp_i128)y.v[i], bound);
    }
    return fma_check(z);
}

/* |x| <= 5 times a root: 1/2 + 0.05 |x|. */
LANES_OPERATION fma_lanes gfp_fma_mul(const gfp_fma_constants *c, fma_lanes x, fma_lanes value,
                                      fma_lanes quotient)
{
    (void)c;
    LANES_CHECK(x.bound <= 5 && value.bound <= 0.5);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        LANES_CHECK(quotient.v[i] == value.v[i] / fma_q);
    }
    return fma_product(x, value, 1, 0.5 + 0.05 * x.bound);
}

LANES_OPERATION fma_lanes gfp_fma_mul_root(const gfp_fma_constants *c, fma_lanes x,
                                           const gfp_fma_root *root)
{
    return gfp_fma_mul(c, x, _mm256_set1_pd(root->value), _mm256_set1_pd(root->quotient));
}

LANES_OPERATION fma_lanes gfp_fma_mul_root_negative(const gfp_fma_constants *c, fma_lanes x,
                                                    const gfp_fma_root *root)
{
    return gfp_fma_mul_root(c, _mm256_sub_pd(_mm256_setzero_pd(), x), root);
}

/* high + low := a b modulo x^4 - g in every four lanes, a at most 1/2 + 2^-49, b and g b at most
 * 0.75. high is no residue: only gfp_fma_mul_4_reduce may read it. */
LANES_OPERATION void gfp_fma_mul_4(double *high, double *low, const double *a, fma_lanes b,
                                   fma_lanes gb)
{
    fma_lanes x = _mm256_load_pd(a), h = {.bound = INFINITY}, l = {.bound = 0x1p50 / fma_q};
    b = fma_check(b);
    gb = fma_check(gb);
    LANES_CHECK(x.bound <= 0.5 + 0x1p-49 && b.bound <= 0.75 && gb.bound <= 0.75);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        gfp_i128 sum = 0;
        for (unsigned j = 0; j < 4; j++) {
            const double y = j <= i % 4 ? b.v[i - j] : gb.v[4 + i - j];
            sum += (gfp_i128)x.v[i / 4 * 4 + j] * (gfp_i128)y;
        }
        const gfp_i128 rest = sum % ((gfp_i128)1 << 49);
        h.v[i] = (double)(sum - rest);
        l.v[i] = (double)rest;
    }
    _mm256_store_pd(high, h);
    _mm256_store_pd(low, l);
}

/* Returns high + low + z, z at most 1.25: at most 0.8. */
LANES_OPERATION fma_lanes gfp_fma_mul_4_reduce(const gfp_fma_constants *c, const double *high,
                                               const double *low, fma_lanes z)
{
    const fma_lanes l = _mm256_load_pd(low);
    const size_t place = fma_place_of(high);
    (void)c;
    LANES_CHECK(fma_place[place].at == high && fma_place[place].bound == INFINITY);
    LANES_CHECK(l.bound <= 0x1p50 / fma_q && fma_check(z).bound <= 1.25);
    for (unsigned i = 0; i < GFP_FMA_LANES; i++) {
        z.v[i] = fma_worst((gfp_i128)high[i] + (gfp_i128)l.v[i] + (gfp_i128)z.v[i], 0.8);
    }
    z.bound = 0.8;
    return fma_check(z);
}

#endif
