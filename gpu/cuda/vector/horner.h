/* horner.h: a step of Horner's rule in Z/pZ at a word d, digit by digit and without chains of
 * carries: z := z d + x. Digits are redundant between steps: the quotient of a digit goes to the
 * next digit in the same step, and no further. Plain C++ without CUDA, like gpu/cuda/arith.h.
 *
 * horner_ranges.py proves that these bounds hold from step to step, for canonical x:
 *    - r >= 2^36 and d < min(2^57, r / 4): z d + x = q r + s with s within 0.76 r of 0, since the
 *      quotient is an estimate; |z| < 1.02 r and < 2^64, a word and a sign.
 *    - r < 2^36 and d < min(2^25, r / 2 + 1): 64-bit integers, 0 <= s < r, |z| <= 2 r + 4.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_VECTOR_HORNER_H
#define GFP_GPU_CUDA_VECTOR_HORNER_H

#include "gpu/cuda/arith.h"
#include "gpu/fold.h"

namespace horner
{

using general::i128;
using general::u128;

constexpr unsigned SMALL_LOG = GFP_FOLD_SMALL_LOG;

/* quotient(z, x) is q + B and not negative. */
struct constants {
    uint64_t r, d;
    uint64_t inverse; /* floor(2^(96 + shift) / r), from 2^60 to 2^61 */
    uint64_t offset;  /* (B + 1/2) 2^64 / inverse, rounded up: about 2^61 */
    uint64_t bias;    /* B */
    unsigned shift;   /* r / 16 < 2^(32 + shift) <= r / 8 */
};

static inline constants make_constants(uint64_t r, uint64_t d)
{
    constants c = {};
    c.r = r;
    c.d = d;
    if (r >> SMALL_LOG != 0) {
        while (r >> (35 + c.shift) > 1) {
            c.shift++;
        }
        c.inverse = static_cast<uint64_t>((u128{1} << (96 + c.shift)) / r);
        c.bias = (c.inverse >> 3) + 1;
        c.offset = static_cast<uint64_t>((u128{2 * c.bias + 1} << 63) / c.inverse) + 1;
    }
    return c;
}

/* A digit: low - 2^64 if sign is all ones, low if sign is 0. */
struct digit {
    uint64_t low;
    uint32_t sign;
};

/* The constants for adding the quotient q of the digit below: z := z + q - B + B r. For digit 0
 * (`first`) the quotient is that of the top digit, and z loses it. */
struct correction {
    uint64_t mask; /* all ones: negative */
    uint64_t low;  /* B r - B, or B r + B + 1, modulo 2^96 */
    uint32_t high;
};

static GFP_HD_PLAIN inline correction make_correction(const constants &c, bool first)
{
    const u128 whole = u128{c.bias} * c.r;
    const u128 sum = first ? whole + c.bias + 1 : whole - c.bias;
    return {first ? ~uint64_t{0} : 0, static_cast<uint64_t>(sum), static_cast<uint32_t>(sum >> 64)};
}

/* For z d + x = q r + s: z := s - B r modulo 2^96; returns q + B. Small radices have B = 0. */
template <bool SMALL>
static GFP_HD_PLAIN inline uint64_t quotient(const constants &c, digit &z, uint64_t x)
{
    if (SMALL) {
        const int64_t r = static_cast<int64_t>(c.r);
        const int64_t t =
            static_cast<int64_t>(z.low) * static_cast<int64_t>(c.d) + static_cast<int64_t>(x);
        int64_t q = t / r, s = t % r;
        if (s < 0) {
            s += r;
            q--;
        }
        z.low = static_cast<uint64_t>(s);
        return static_cast<uint64_t>(q);
    }
    const uint64_t all = static_cast<uint64_t>(z.sign) << 32 | z.sign;
    const u128 t = u128{z.low} * c.d - (u128{all & c.d} << 64) + x;
#ifdef __CUDA_ARCH__
    const uint32_t t1 = static_cast<uint32_t>(t >> 32), t2 = static_cast<uint32_t>(t >> 64),
                   t3 = static_cast<uint32_t>(t >> 96);
    const uint64_t top = static_cast<uint64_t>(__funnelshift_r(t2, t3, c.shift)) << 32 |
                         __funnelshift_r(t1, t2, c.shift);
#else
    const uint64_t top = static_cast<uint64_t>(t >> (32 + c.shift));
#endif
    const uint64_t q = general::high_product(top + c.offset, c.inverse);
    const u128 s = t - u128{q} * c.r;
    z.low = static_cast<uint64_t>(s);
    z.sign = static_cast<uint32_t>(s >> 64);
    return q;
}

/* z := z + (q - B) + B r, or z - (q - B) + B r for the lowest digit; q is the quotient of the
 * neighbour below as `quotient` returned it. */
template <bool SMALL>
static GFP_HD_PLAIN inline void take(digit &z, uint64_t q, const correction &t)
{
    if (SMALL) {
        z.low += t.mask != 0 ? 0 - q : q;
        return;
    }
    const u128 sum = (u128{z.sign} << 64 | z.low) + (u128{t.mask} << 64 | (q ^ t.mask)) +
                     (u128{t.high} << 64 | t.low);
    z.low = static_cast<uint64_t>(sum);
    z.sign = static_cast<uint32_t>(sum >> 64);
}

/* The value of z. */
template <bool SMALL> static GFP_HD_PLAIN inline i128 value(const digit &z)
{
    if (SMALL) {
        return static_cast<int64_t>(z.low);
    }
    return static_cast<i128>(u128{z.low}) - static_cast<i128>(u128{z.sign & 1u} << 64);
}

} // namespace horner

#endif
