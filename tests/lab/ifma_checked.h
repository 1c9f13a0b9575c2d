/* ifma_checked.h: the operations of AVX-512 that fft/words/ntt_ifma.h uses, in plain C and with
 * proved bounds, for any machine. A vector has its words as the instructions compute them, and an
 * interval: the integers of all lanes lie in it, whatever the input is, and are the words modulo
 * 2^52. The test fails where an interval exceeds what an operation needs. LANES_CLAIM sets the
 * interval where a bound depends on more than the operands' intervals; there the words are checked.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_IFMA_CHECKED_H
#define GFP_TESTS_LAB_IFMA_CHECKED_H

#include "lab/checked.h"

/* In place of the real operations. */
#define GFP_FIELD_KERNELS_VECTOR_AVX512_H

#define LANES_RADIX LANES_TWO(52)

typedef struct ifma_lanes {
    uint64_t w[8];
    gfp_i128 low, high;
} ifma_lanes;

#define __m512i ifma_lanes
#define __mmask8 uint8_t
#define _mm_prefetch(place, hint) ((void)(place))
#define _MM_HINT_T0 0

LANES_OPERATION ifma_lanes lanes_of(uint64_t x, gfp_i128 low, gfp_i128 high)
{
    return (ifma_lanes){{x, x, x, x, x, x, x, x}, low, high};
}

/* Constants; from 2^63 on negative ones. */
LANES_OPERATION ifma_lanes lanes_set(uint64_t x)
{
    return lanes_of(x, (int64_t)x, (int64_t)x);
}

/* Returns a with the bounds low and high; the integer of a lane is the one in [low, low + 2^52). */
LANES_OPERATION ifma_lanes lanes_claim(ifma_lanes a, gfp_i128 low, gfp_i128 high)
{
    for (unsigned i = 0; i < 8; i++) {
        const gfp_i128 above = (gfp_i128)((a.w[i] - (uint64_t)low) & (uint64_t)(LANES_RADIX - 1));
        LANES_CHECK(low + above <= high);
    }
    a.low = low;
    a.high = high;
    return a;
}
#define LANES_CLAIM(a, low, high) lanes_claim((a), (low), (high))
#define LANES_NEED(a, least, most) LANES_CHECK((least) <= (a).low && (a).high <= (most))

/* Word i of the vector: any lane. */
#define LANES_WORD(a, i) lanes_of((a)->w[i], (a)->low, (a)->high)

/* The greatest v w - multiple of q, for w < q: less than q (1 + v / 2^52). */
LANES_OPERATION gfp_i128 lanes_product(ifma_lanes v, uint64_t q)
{
    LANES_NEED(v, 0, LANES_RADIX - 1);
    return q + (v.high * q >> 52);
}

LANES_OPERATION ifma_lanes _mm512_setzero_si512(void)
{
    return lanes_set(0);
}

LANES_OPERATION ifma_lanes _mm512_set1_epi64(long long x)
{
    return lanes_set((uint64_t)x);
}

LANES_OPERATION ifma_lanes _mm512_add_epi64(ifma_lanes a, ifma_lanes b)
{
    ifma_lanes z = {.low = a.low + b.low, .high = a.high + b.high};
    for (unsigned i = 0; i < 8; i++) {
        z.w[i] = a.w[i] + b.w[i];
    }
    return z;
}

LANES_OPERATION ifma_lanes _mm512_sub_epi64(ifma_lanes a, ifma_lanes b)
{
    ifma_lanes z = {.low = a.low - b.high, .high = a.high - b.low};
    for (unsigned i = 0; i < 8; i++) {
        z.w[i] = a.w[i] - b.w[i];
    }
    return z;
}

/* In the lanes of the mask, all or none, a - b, else x. */
LANES_OPERATION ifma_lanes _mm512_mask_sub_epi64(ifma_lanes x, uint8_t mask, ifma_lanes a,
                                                 ifma_lanes b)
{
    LANES_CHECK(mask == 0 || mask == 0xff);
    return mask == 0 ? x : _mm512_sub_epi64(a, b);
}

/* b: a constant 2^n - 1. */
LANES_OPERATION ifma_lanes _mm512_and_si512(ifma_lanes a, ifma_lanes b)
{
    LANES_CHECK(b.low == b.high && b.low >= 0 && (b.low & (b.low + 1)) == 0);
    for (unsigned i = 0; i < 8; i++) {
        a.w[i] &= b.w[i];
    }
    if (a.low < 0 || a.high > b.high) {
        a.low = 0;
        a.high = b.high;
    }
    return a;
}

LANES_OPERATION ifma_lanes _mm512_srli_epi64(ifma_lanes a, unsigned n)
{
    for (unsigned i = 0; i < 8; i++) {
        a.w[i] >>= n;
    }
    a.low = 0;
    a.high = UINT64_MAX >> n; /* bits 52 and above of a lane are arbitrary */
    return a;
}

/* The words from number n on of low and high. */
LANES_OPERATION ifma_lanes _mm512_alignr_epi64(ifma_lanes high, ifma_lanes low, unsigned n)
{
    ifma_lanes z = {.low = high.low < low.low ? high.low : low.low,
                    .high = high.high > low.high ? high.high : low.high};
    for (unsigned i = 0; i < 8; i++) {
        z.w[i] = i + n < 8 ? low.w[i + n] : high.w[i + n - 8];
    }
    return z;
}

/* a + the low 52 bits of x y: factors are read modulo 2^52. */
LANES_OPERATION ifma_lanes _mm512_madd52lo_epu64(ifma_lanes a, ifma_lanes x, ifma_lanes y)
{
    const bool inside = x.low >= 0 && y.low >= 0 && x.high < LANES_RADIX && y.high < LANES_RADIX;
    const bool small = inside && x.high * y.high < LANES_RADIX;
    for (unsigned i = 0; i < 8; i++) {
        a.w[i] += x.w[i] * y.w[i] & (uint64_t)(LANES_RADIX - 1);
    }
    a.low += small ? x.low * y.low : 0;
    a.high += small ? x.high * y.high : LANES_RADIX - 1;
    return a;
}

/* a + the high 52 bits of x y, for factors in [0, 2^52). */
LANES_OPERATION ifma_lanes _mm512_madd52hi_epu64(ifma_lanes a, ifma_lanes x, ifma_lanes y)
{
    const uint64_t mask = (uint64_t)(LANES_RADIX - 1);
    LANES_NEED(x, 0, LANES_RADIX - 1);
    LANES_NEED(y, 0, LANES_RADIX - 1);
    for (unsigned i = 0; i < 8; i++) {
        a.w[i] += (uint64_t)(gfp_mul_wide(x.w[i] & mask, y.w[i] & mask) >> 52);
    }
    a.low += x.low * y.low >> 52;
    a.high += x.high * y.high >> 52;
    return a;
}

#endif
