/* lanes_checked.h: the lane operations of field/kernels/lanes_portable.h with proved bounds. A lane
 * is an integer, of which ordinary lanes hold the residue modulo 2^64, and an interval that
 * contains it whatever the input is. Every operation computes the interval of its result from those
 * of its operands, and the test fails if an interval exceeds what the operation permits: one input
 * tests the ranges for all inputs of the same shape. An interval becomes narrower only by
 * LANES_CLAIM, where a bound depends on more than the operands' intervals; there the value is
 * checked.
 *
 * Quotients are the worst ones that lanes_portable.h permits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_LANES_CHECKED_H
#define GFP_TESTS_LAB_LANES_CHECKED_H

#include "lab/checked.h"

enum { LANES = 1 };
/* low <= value <= high. Zero bytes are the lane 0. */
typedef struct lanes {
    gfp_i128 value, low, high;
} lanes;
typedef bool lanes_mask;

/* Words from here on stand for negative integers. */
#define LANES_NEGATIVE (LANES_TWO(64) - LANES_TWO(27))
/* The greatest absolute value of an interval's end. */
#define LANES_MOST LANES_TWO(120)

LANES_OPERATION lanes lanes_interval(gfp_i128 value, gfp_i128 low, gfp_i128 high)
{
    LANES_CHECK(low <= value && value <= high);
    LANES_CHECK(-LANES_MOST <= low && high <= LANES_MOST);
    return (lanes){value, low, high};
}

/* Whether the interval lies in [low, high]. */
LANES_OPERATION bool lanes_inside(lanes a, gfp_i128 low, gfp_i128 high)
{
    return low <= a.low && a.high <= high;
}

/* Returns a with the bounds [low, high], fewer than 2^64 integers; a may be any integer with the
 * same residue modulo 2^64. */
LANES_OPERATION lanes lanes_claim(lanes a, gfp_i128 low, gfp_i128 high)
{
    LANES_CHECK(high - low < LANES_TWO(64));
    const uint64_t above = (uint64_t)a.value - (uint64_t)low;
    return lanes_interval(low + above, low, high);
}
#define LANES_CLAIM(a, low, high) lanes_claim((a), (gfp_i128)(low), (gfp_i128)(high))
#define LANES_CLAIM_ALL(a, n, low, high)                                                           \
    do {                                                                                           \
        for (unsigned lane = 0; lane < (n); lane++) {                                              \
            (a)[lane] = LANES_CLAIM((a)[lane], (low), (high));                                     \
        }                                                                                          \
    } while (0)

LANES_OPERATION uint64_t lanes_word(lanes a)
{
    return (uint64_t)a.value;
}

/* ---- words ---- */

LANES_OPERATION lanes lanes_set(uint64_t x)
{
    const gfp_i128 value = x < LANES_NEGATIVE ? (gfp_i128)x : (gfp_i128)x - LANES_TWO(64);
    return lanes_interval(value, value, value);
}

LANES_OPERATION lanes lanes_add(lanes a, lanes b)
{
    return lanes_interval(a.value + b.value, a.low + b.low, a.high + b.high);
}

LANES_OPERATION lanes lanes_sub(lanes a, lanes b)
{
    return lanes_interval(a.value - b.value, a.low - b.high, a.high - b.low);
}

/* b: a constant 2^n - 1. */
LANES_OPERATION lanes lanes_and(lanes a, lanes b)
{
    LANES_CHECK(b.low == b.high && b.low >= 0 && (b.low & (b.low + 1)) == 0);
    return lanes_interval(a.value & b.value, 0, b.value);
}

/* b: 0 or -1. */
LANES_OPERATION lanes lanes_xor(lanes a, lanes b)
{
    LANES_CHECK(b.low == b.high && (b.value == 0 || b.value == -1));
    return b.value == 0 ? a : lanes_interval(-1 - a.value, -1 - a.high, -1 - a.low);
}

LANES_OPERATION lanes lanes_low(lanes a)
{
    return lanes_interval(a.value & 0xffffffff, 0, 0xffffffff);
}

/* Shifts right, rounding down. */
LANES_OPERATION lanes lanes_floor(lanes a, unsigned n)
{
    return lanes_interval(a.value >> n, a.low >> n, a.high >> n);
}

LANES_OPERATION lanes lanes_high(lanes a)
{
    LANES_CHECK(lanes_inside(a, 0, LANES_TWO(64) - 1));
    return lanes_floor(a, 32);
}

LANES_OPERATION lanes lanes_high_signed(lanes a)
{
    LANES_CHECK(lanes_inside(a, -LANES_TWO(63), LANES_TWO(63) - 1));
    return lanes_floor(a, 32);
}

LANES_OPERATION lanes lanes_shift_left(lanes a, unsigned n)
{
    LANES_CHECK(lanes_inside(a, -(LANES_MOST >> n), LANES_MOST >> n));
    return lanes_interval(a.value * LANES_TWO(n), a.low * LANES_TWO(n), a.high * LANES_TWO(n));
}

LANES_OPERATION lanes lanes_up(lanes a)
{
    return lanes_shift_left(a, 32);
}

LANES_OPERATION lanes lanes_shift_right(lanes a, unsigned n)
{
    LANES_CHECK(lanes_inside(a, 0, LANES_TWO(64) - 1));
    return lanes_floor(a, n);
}

LANES_OPERATION lanes lanes_shift_right_signed(lanes a, unsigned n)
{
    LANES_CHECK(lanes_inside(a, 1 - LANES_TWO(56), LANES_TWO(56) - 1));
    return lanes_floor(a, n);
}

typedef uint64_t lanes_multiplier;

LANES_OPERATION lanes_multiplier lanes_multiplier_set(uint64_t x)
{
    return x;
}

LANES_OPERATION lanes lanes_mul(lanes a, lanes_multiplier x)
{
    LANES_CHECK(lanes_inside(a, 1 - LANES_TWO(31), LANES_TWO(31) - 1));
    return lanes_interval(a.value * x, a.low * x, a.high * x);
}

/* ---- comparisons: of integers that their words identify ---- */

LANES_OPERATION lanes_mask lanes_less(lanes a, lanes b)
{
    LANES_CHECK(a.high - a.low < LANES_TWO(64) && b.high - b.low < LANES_TWO(64));
    return lanes_word(a) < lanes_word(b);
}

LANES_OPERATION lanes_mask lanes_mask_and(lanes_mask a, lanes_mask b)
{
    return a && b;
}

LANES_OPERATION lanes_mask lanes_mask_without(lanes_mask a, lanes_mask b)
{
    return a && !b;
}

LANES_OPERATION unsigned lanes_mask_bits(lanes_mask a)
{
    return a;
}

/* Returns the value of x, which is one of a and b, with the interval of both. */
LANES_OPERATION lanes lanes_either(lanes x, lanes a, lanes b)
{
    return lanes_interval(x.value, a.low < b.low ? a.low : b.low,
                          a.high > b.high ? a.high : b.high);
}

LANES_OPERATION lanes lanes_add_if(lanes_mask mask, lanes a, lanes b)
{
    const lanes sum = lanes_add(a, b);
    return lanes_either(mask ? sum : a, a, sum);
}

LANES_OPERATION lanes lanes_sub_if(lanes_mask mask, lanes a, lanes b)
{
    const lanes difference = lanes_sub(a, b);
    return lanes_either(mask ? difference : a, a, difference);
}

/* ---- quotients ---- */

typedef struct lanes_divisor {
    gfp_i128 r;
} lanes_divisor;

LANES_OPERATION lanes_divisor lanes_divisor_set(uint64_t r)
{
    return (lanes_divisor){r};
}

/* As the vector levels. */
LANES_OPERATION bool lanes_divisor_precise(uint64_t r)
{
    return r < (uint64_t)1 << 54 || r > ~(uint64_t)0 - ((uint64_t)1 << 34);
}

LANES_OPERATION gfp_i128 lanes_floor_divide(gfp_i128 x, gfp_i128 r)
{
    return x / r - (x % r < 0);
}

/* Returns lo + 2^32 hi, which quotients permit. */
LANES_OPERATION lanes lanes_dividend(lanes lo, lanes hi, gfp_i128 r)
{
    const lanes x = lanes_add(lo, lanes_up(hi));
    LANES_CHECK(lanes_inside(lo, 1 - LANES_TWO(46), LANES_TWO(46) - 1));
    LANES_CHECK(lanes_inside(hi, 1 - LANES_TWO(46), LANES_TWO(46) - 1));
    LANES_CHECK(lanes_inside(x, 1 - LANES_TWO(13) * r, LANES_TWO(13) * r - 1));
    return x;
}

/* The greatest error of quotients. */
LANES_OPERATION gfp_i128 lanes_error(gfp_i128 r, bool precise)
{
    const gfp_i128 relative = r >> 22;
    if (!precise) {
        return LANES_TWO(33) - 64;
    }
    return relative < LANES_TWO(26) ? relative : LANES_TWO(26);
}

/* Returns the permitted quotient of x whose remainder is the furthest from the middle: q, q - 1 or
 * q + 1, remainders in [low, high]. */
LANES_OPERATION lanes lanes_worst(lanes x, gfp_i128 q, gfp_i128 r, gfp_i128 low, gfp_i128 high)
{
    const gfp_i128 rest = x.value - q * r;
    if (rest - r >= low) {
        q++;
    } else if (rest + r <= high) {
        q--;
    }
    return lanes_interval(q, lanes_floor_divide(x.low, r) - 1, lanes_floor_divide(x.high, r) + 2);
}

LANES_OPERATION lanes lanes_quotient(lanes lo, lanes hi, const lanes_divisor *divisor, bool precise)
{
    const gfp_i128 r = divisor->r, most = r / 2 + lanes_error(r, precise);
    const lanes x = lanes_dividend(lo, hi, r);
    return lanes_worst(x, lanes_floor_divide(x.value + r / 2, r), r, -most, most);
}

LANES_OPERATION lanes lanes_quotient_floor(lanes lo, lanes hi, const lanes_divisor *divisor,
                                           bool precise)
{
    const gfp_i128 r = divisor->r;
    const lanes x = lanes_dividend(lo, hi, r);
    return lanes_worst(x, lanes_floor_divide(x.value, r), r, 1 - LANES_TWO(26),
                       r + lanes_error(r, precise) - 1);
}

/* ---- digits in memory: words, negative ones from LANES_NEGATIVE on ---- */

LANES_OPERATION void lanes_load_digits(lanes *digits, const uint64_t *x, size_t k, unsigned n)
{
    (void)k;
    for (unsigned i = 0; i < n; i++) {
        digits[i] =
            lanes_claim(lanes_set(x[i]), LANES_NEGATIVE - LANES_TWO(64), LANES_NEGATIVE - 1);
    }
}

LANES_OPERATION void lanes_store_digits(uint64_t *x, size_t k, const lanes *digits, unsigned n)
{
    (void)k;
    for (unsigned i = 0; i < n; i++) {
        LANES_CHECK(lanes_inside(digits[i], LANES_NEGATIVE - LANES_TWO(64), LANES_NEGATIVE - 1));
        x[i] = lanes_word(digits[i]);
    }
}

LANES_OPERATION void lanes_stream(lanes *to, lanes a)
{
    *to = a;
}

LANES_OPERATION void lanes_stream_end(void)
{
}

LANES_OPERATION void lanes_prefetch(const void *x, size_t n)
{
    (void)x;
    (void)n;
}

#endif
