/* lanes_portable.h: the lane operations of the template bodies, for one 64-bit lane in plain C.
 * lanes_avx2.h and lanes_avx512.h have the same operations on 4 and 8 lanes, lanes_checked.h has
 * them with proved bounds; the comments of this header describe the operations for all four.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_LANES_PORTABLE_H
#define GFP_FIELD_KERNELS_LANES_PORTABLE_H

#include <string.h>

#include "field/base/unroll.h"
#include "field/base/word.h"

enum { LANES = 1 };
typedef int64_t lanes;
/* One bit per lane. */
typedef bool lanes_mask;

/* ---- words: addition and so on modulo 2^64 ---- */

GFP_INLINE lanes lanes_set(uint64_t x)
{
    return (int64_t)x;
}

GFP_INLINE lanes lanes_add(lanes a, lanes b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

GFP_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

GFP_INLINE lanes lanes_and(lanes a, lanes b)
{
    return a & b;
}

GFP_INLINE lanes lanes_xor(lanes a, lanes b)
{
    return a ^ b;
}

/* lanes_low returns the lower half; lanes_high and lanes_high_signed the upper half, unsigned and
 * signed; lanes_up the lower half as upper half. */
GFP_INLINE lanes lanes_low(lanes a)
{
    return a & 0xffffffff;
}

GFP_INLINE lanes lanes_high(lanes a)
{
    return (int64_t)((uint64_t)a >> 32);
}

GFP_INLINE lanes lanes_high_signed(lanes a)
{
    /* Every known compiler shifts arithmetically here; this form does not depend on it. */
    return (int64_t)((uint64_t)a >> 32 | ((uint64_t)0 - ((uint64_t)a >> 63)) << 32);
}

GFP_INLINE lanes lanes_up(lanes a)
{
    return (int64_t)((uint64_t)a << 32);
}

/* Shifts by n < 64. lanes_shift_right_signed needs |a| < 2^56. */
GFP_INLINE lanes lanes_shift_left(lanes a, unsigned n)
{
    return (int64_t)((uint64_t)a << n);
}

GFP_INLINE lanes lanes_shift_right(lanes a, unsigned n)
{
    return (int64_t)((uint64_t)a >> n);
}

GFP_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n)
{
    return a >> n;
}

/* A factor of lanes_mul. */
typedef uint64_t lanes_multiplier;

GFP_INLINE lanes_multiplier lanes_multiplier_set(uint64_t x)
{
    return x;
}

/* Returns a x modulo 2^64, |a| < 2^31. */
GFP_INLINE lanes lanes_mul(lanes a, lanes_multiplier x)
{
    return (int64_t)((uint64_t)a * x);
}

/* ---- comparisons ---- */

/* Whether a < b as unsigned words. */
GFP_INLINE lanes_mask lanes_less(lanes a, lanes b)
{
    return (uint64_t)a < (uint64_t)b;
}

GFP_INLINE lanes_mask lanes_mask_and(lanes_mask a, lanes_mask b)
{
    return a && b;
}

/* Returns a and not b. */
GFP_INLINE lanes_mask lanes_mask_without(lanes_mask a, lanes_mask b)
{
    return a && !b;
}

/* Returns the mask as bits: bit i for lane i. */
GFP_INLINE unsigned lanes_mask_bits(lanes_mask a)
{
    return a;
}

/* Return a + b and a - b in the lanes of the mask, a in the others. */
GFP_INLINE lanes lanes_add_if(lanes_mask mask, lanes a, lanes b)
{
    return mask ? lanes_add(a, b) : a;
}

GFP_INLINE lanes lanes_sub_if(lanes_mask mask, lanes a, lanes b)
{
    return mask ? lanes_sub(a, b) : a;
}

/* ---- quotients of x = lo + 2^32 hi by r, |lo|, |hi| < 2^46, |x| < 2^13 r ---- */

typedef struct lanes_divisor {
    int64_t inverse; /* floor(2^(bits + 61) / r), r < 2^bits <= 2 r: 62 bits */
    unsigned drop; /* the number of low bits of the dividend that are dropped: max(0, bits - 49) */
    unsigned rest; /* bits - 3 - drop, at least 30 */
} lanes_divisor;

/* r >= 2^32. */
GFP_INLINE lanes_divisor lanes_divisor_set(uint64_t r)
{
    unsigned bits = 64 - gfp_clz64(r);
    unsigned drop = bits > 49 ? bits - 49 : 0;
    gfp_u128 dividend = (gfp_u128)1 << (bits + 61);
    return (lanes_divisor){(int64_t)(dividend / r), drop, bits - 3 - drop};
}

/* Returns the quotient times 2^rest, rounded down. */
GFP_INLINE int64_t lanes_scaled_quotient(lanes lo, lanes hi, const lanes_divisor *divisor)
{
    /* floor(x / 2^drop), of 62 bits since |x| < 2^13 r. */
    lanes top = lanes_add(lanes_shift_left(hi, 32 - divisor->drop), lo >> divisor->drop);
    return (int64_t)(((gfp_i128)top * divisor->inverse) >> 64);
}

/* Whether r needs the precise quotients. The errors of other quotients matter if r/2 is near the
 * end of a word or near the slack of balanced digits. */
GFP_INLINE bool lanes_divisor_precise(uint64_t r)
{
    (void)r;
    return false;
}

/* Returns a quotient q with |x - q r| <= r/2 + error, error <= 2^33 - 64, or, if precise, error <=
 * 2^26 and error <= (r/2) 2^-21. */
GFP_INLINE lanes lanes_quotient(lanes lo, lanes hi, const lanes_divisor *divisor, bool precise)
{
    (void)precise;
    int64_t half = (int64_t)1 << (divisor->rest - 1);
    return (lanes_scaled_quotient(lo, hi, divisor) + half) >> divisor->rest;
}

/* Returns a quotient q with -2^26 < x - q r < r + error, error as for lanes_quotient. */
GFP_INLINE lanes lanes_quotient_floor(lanes lo, lanes hi, const lanes_divisor *divisor,
                                      bool precise)
{
    (void)precise;
    return lanes_scaled_quotient(lo, hi, divisor) >> divisor->rest;
}

/* ---- n digits of LANES elements of k digits, element by element in memory, digit by digit in
 * lanes; k is the step from one element to the next, n a power of two ---- */

GFP_INLINE void lanes_load_digits(lanes *digits, const uint64_t *x, size_t k, unsigned n)
{
    (void)k;
    memcpy(digits, x, n * sizeof *x);
}

GFP_INLINE void lanes_store_digits(uint64_t *x, size_t k, const lanes *digits, unsigned n)
{
    (void)k;
    memcpy(x, digits, n * sizeof *x);
}

/* *to := a past the caches, if to is aligned to 64 bytes; lanes_stream_end follows the last
 * call. */
GFP_INLINE void lanes_stream(lanes *to, lanes a)
{
    *to = a;
}

GFP_INLINE void lanes_stream_end(void)
{
}

/* Fetches n words from x on that the caller needs soon. */
GFP_INLINE void lanes_prefetch(const void *x, size_t n)
{
    (void)x;
    (void)n;
}

#endif
