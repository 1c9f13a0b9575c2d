/* degree_avx512.c: the length of a gcd modulo q = 2^50 - 27 by IFMA, for degree.c. A coefficient
 * of a remainder is a sum of three products with factors that are the same for all coefficients;
 * 2^52 = 108 and 2^50 = 27 modulo q. Coefficients are below 2^50 + 2^12, factors at most q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#include "field/base/word.h"
#include "modular/gcd/degree.h"

#define MASK ((UINT64_C(1) << 50) - 1)
#define Q (MASK - 26)
/* 2^64 mod q. */
#define WRAP (UINT64_C(27) << 14)

static uint64_t ifma_reduce_once(uint64_t x)
{
    return x >= Q ? x - Q : x;
}

/* x mod q, for x < 2^110. */
static uint64_t ifma_reduce(gfp_u128 x)
{
    const gfp_u128 y = (x & MASK) + (gfp_u128)(uint64_t)(x >> 50) * 27;
    const uint64_t z = ((uint64_t)y & MASK) + (uint64_t)(y >> 50) * 27;
    return ifma_reduce_once((z & MASK) + (z >> 50) * 27);
}

/* A number below 2^52 that is x modulo q, for x < 2^84. */
static uint64_t ifma_fold(gfp_u128 x)
{
    return ((uint64_t)x & MASK) + (uint64_t)(x >> 50) * 27;
}

static size_t ifma_residues(uint64_t *z, gfp_zpoly f)
{
    uint64_t wrap = 1;
    for (size_t i = 0; i < f.width; i++) {
        wrap = ifma_reduce((gfp_u128)wrap * WRAP);
    }
    for (size_t i = 0; i < f.len; i++) {
        const uint64_t *x = gfp_zpoly_at(f, i);
        uint64_t r = 0;
        for (size_t j = f.width; j-- > 0;) {
            r = ifma_fold((gfp_u128)r * WRAP + x[j]);
        }
        z[i] = ifma_reduce(gfp_z_negative(x, f.width) ? r + (Q - wrap) : r);
    }
    return f.len;
}

/* The length of x without coefficients at the end that are 0 modulo q; the last one becomes less
 * than q. */
static size_t ifma_strip(uint64_t *x, size_t n)
{
    while (n > 0 && (x[n - 1] = ifma_reduce_once(x[n - 1])) == 0) {
        n--;
    }
    return n;
}

/* x_i := r x_i + s y_(i - 1) + t y_i, i < n. */
static void ifma_combine(uint64_t *x, const uint64_t *y, size_t n, const uint64_t factor[3])
{
    const __m512i r = _mm512_set1_epi64((long long)factor[0]);
    const __m512i s = _mm512_set1_epi64((long long)factor[1]);
    const __m512i t = _mm512_set1_epi64((long long)factor[2]);
    const __m512i mask = _mm512_set1_epi64((long long)MASK), c = _mm512_set1_epi64(27);
    for (size_t i = 0; i < n; i += 8) {
        const __mmask8 lanes = (__mmask8)(n - i >= 8 ? 0xff : (1U << (n - i)) - 1);
        const __m512i vx = _mm512_maskz_loadu_epi64(lanes, x + i);
        const __m512i below = _mm512_maskz_loadu_epi64(lanes, y + i - 1);
        const __m512i vy = _mm512_maskz_loadu_epi64(lanes, y + i);
        __m512i low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), vx, r);
        __m512i high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), vx, r);
        low = _mm512_madd52lo_epu64(low, below, s);
        high = _mm512_madd52hi_epu64(high, below, s);
        low = _mm512_madd52lo_epu64(low, vy, t);
        high = _mm512_madd52hi_epu64(high, vy, t);
        /* 108 = 128 - 16 - 4; the sum is below 2^57. */
        low = _mm512_add_epi64(low, _mm512_slli_epi64(high, 7));
        low = _mm512_sub_epi64(low, _mm512_slli_epi64(high, 4));
        low = _mm512_sub_epi64(low, _mm512_slli_epi64(high, 2));
        const __m512i z =
            _mm512_madd52lo_epu64(_mm512_and_si512(low, mask), _mm512_srli_epi64(low, 50), c);
        _mm512_mask_storeu_epi64(x + i, lanes, z);
    }
}

/* The inverse of c, not 0: c^(q - 2). */
static uint64_t ifma_inverse(uint64_t c)
{
    uint64_t z = c;
    for (unsigned i = 49; i-- > 0;) {
        z = ifma_reduce((gfp_u128)z * z);
        z = ((Q - 2) >> i & 1) != 0 ? ifma_reduce((gfp_u128)z * c) : z;
    }
    return z;
}

/* The same as divide for a long quotient: y becomes monic, and x is not scaled. */
static size_t divide_long(uint64_t *x, size_t n, uint64_t *y, size_t m)
{
    const uint64_t scale[] = {ifma_inverse(y[m - 1]), 0, 0};
    ifma_combine(y, y, m, scale);
    y[m - 1] = 1;
    for (; n >= m; n--) {
        const uint64_t factor[] = {1, 0, Q - ifma_reduce_once(x[n - 1])};
        ifma_combine(x + (n - m), y, m - 1, factor);
    }
    return ifma_strip(x, m - 1);
}

/* Quotients of more coefficients are long. */
#define LONG 16

/* x := a multiple of its remainder by y, n >= m >= 2, or, if n = m or the quotient is neither long
 * nor of two coefficients, of x without its last coefficient; returns its length. */
static size_t ifma_divide(uint64_t *x, size_t n, uint64_t *y, size_t m)
{
    if (n - m >= LONG) {
        return divide_long(x, n, y, m);
    }
    const uint64_t c = y[m - 1], top = x[n - 1];
    if (n == m + 1) {
        /* c^2 x - (alpha X + beta) y */
        const uint64_t alpha = ifma_reduce((gfp_u128)c * top);
        const uint64_t beta = ifma_reduce((gfp_u128)c * x[m - 1] + (gfp_u128)(Q - top) * y[m - 2]);
        const uint64_t factor[] = {ifma_reduce((gfp_u128)c * c), Q - alpha, Q - beta};
        ifma_combine(x, y, m - 1, factor);
        return ifma_strip(x, m - 1);
    }
    const uint64_t scale[] = {c, 0, 0}, factor[] = {c, 0, Q - top};
    ifma_combine(x, x, n - m, scale);
    ifma_combine(x + (n - m), y, m - 1, factor);
    return ifma_strip(x, n - 1);
}

/* The nanoseconds of the next division. */
static double step_time(size_t n, size_t m)
{
    const double of_y = (double)m;
    return n - m >= LONG ? (double)(n - m + 1) * (GFP_ZDEGREE_LONG_NS + GFP_ZDEGREE_REST_NS * of_y)
                         : GFP_ZDEGREE_STEP_NS + 2 * GFP_ZDEGREE_PRODUCT_NS * of_y;
}

size_t gfp_zdegree_avx512(uint64_t *z, gfp_zpoly a, gfp_zpoly b, double limit_ns)
{
    uint64_t *x = z + 1, *y = x + a.len + 1;
    x[-1] = y[-1] = 0;
    size_t n = ifma_strip(x, ifma_residues(x, a)), m = ifma_strip(y, ifma_residues(y, b));
    if (n < a.len) {
        return 0;
    }
    for (;;) {
        if (n < m) {
            uint64_t *const t = x;
            const size_t len = n;
            x = y;
            n = m;
            y = t;
            m = len;
        }
        if (m <= 1) {
            return m == 1 ? 1 : n;
        }
        limit_ns -= step_time(n, m);
        if (limit_ns < 0) {
            return 0;
        }
        n = ifma_divide(x, n, y, m);
    }
}
