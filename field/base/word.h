/* word.h: arithmetic on 64-bit words, the base of all other arithmetic: 128-bit integers, division
 * by an invariant word, modular products for odd moduli (Montgomery and Shoup). This is a header
 * only, so that inner loops inline it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_WORD_H
#define GFP_FIELD_BASE_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "field/base/contract.h"

__extension__ typedef unsigned __int128 gfp_u128;
__extension__ typedef __int128 gfp_i128;

static inline uint64_t gfp_hi64(gfp_u128 x)
{
    return (uint64_t)(x >> 64);
}

static inline gfp_u128 gfp_join(uint64_t hi, uint64_t lo)
{
    return ((gfp_u128)hi << 64) | lo;
}

static inline gfp_u128 gfp_mul_wide(uint64_t a, uint64_t b)
{
    return (gfp_u128)a * b;
}

/* Returns the number of zero bits above the highest one bit; x != 0. */
static inline unsigned gfp_clz64(uint64_t x)
{
    unsigned n = 0;
    for (unsigned half = 32; half != 0; half /= 2) {
        if (x >> (64 - half) == 0) {
            n += half;
            x <<= half;
        }
    }
    return n;
}

/* Returns the number of zero bits below the lowest one bit; x != 0. */
static inline unsigned gfp_ctz64(uint64_t x)
{
    return 63 - gfp_clz64(x & (~x + 1));
}

/* Returns the least e with n <= 2^e. */
static inline unsigned gfp_log2_above(uint64_t n)
{
    return n <= 1 ? 0 : 64 - gfp_clz64(n - 1);
}

/* SplitMix64's output function: a bijection that spreads every bit over the word. */
static inline uint64_t gfp_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- division by an invariant word (Moeller, Granlund: Improved division by invariant integers,
 * IEEE Trans. Comput. 60, 2011, algorithm 4) ---- */

/* d = value << shift with the top bit set; inverse = floor((2^128 - 1) / d) - 2^64. */
typedef struct gfp_divisor {
    uint64_t value;
    uint64_t d;
    uint64_t inverse;
    unsigned shift;
} gfp_divisor;

/* Precomputes the division by value >= 1. */
static inline void gfp_divisor_init(gfp_divisor *divisor, uint64_t value)
{
    divisor->value = value;
    divisor->shift = gfp_clz64(value);
    divisor->d = value << divisor->shift;
    divisor->inverse = (uint64_t)(~(gfp_u128)0 / divisor->d - ((gfp_u128)1 << 64));
}

/* Returns the quotient of u1 2^64 + u0 by the normalised divisor d, u1 < d; *remainder < d. */
static inline uint64_t gfp_div21(const gfp_divisor *divisor, uint64_t u1, uint64_t u0,
                                 uint64_t *remainder)
{
    GFP_CONTRACT(u1 < divisor->d);
    gfp_u128 q = gfp_mul_wide(divisor->inverse, u1) + gfp_join(u1, u0);
    uint64_t q1 = gfp_hi64(q) + 1;
    uint64_t rem = u0 - q1 * divisor->d;
    /* q1 is at most one too large here; the sign of rem - q0 decides without a branch. */
    uint64_t mask = (uint64_t)0 - (uint64_t)(rem > (uint64_t)q);
    q1 += mask;
    rem += mask & divisor->d;
    if (rem >= divisor->d) { /* rare: less than one in 2^32 for random operands */
        rem -= divisor->d;
        q1++;
    }
    *remainder = rem;
    return q1;
}

/* Returns the quotient of x by value if it fits one word, that is x < value 2^64. */
static inline uint64_t gfp_div_wide(const gfp_divisor *divisor, gfp_u128 x, uint64_t *remainder)
{
    x <<= divisor->shift; /* no bit is lost: x < value 2^64 */
    uint64_t rem;
    uint64_t q = gfp_div21(divisor, gfp_hi64(x), (uint64_t)x, &rem);
    *remainder = rem >> divisor->shift;
    return q;
}

/* Splits u = l + h value + c value^2 with l, h < value; returns c. u = (u2, u1, u0) < 2^64 value^2,
 * and u < 2^(192 - shift), so that normalising loses nothing. */
static inline uint64_t gfp_split3(const gfp_divisor *divisor, uint64_t u2, uint64_t u1, uint64_t u0,
                                  uint64_t *l, uint64_t *h)
{
    unsigned s = divisor->shift;
    /* A 128-bit shift by 64 - s is defined for s = 0 as well. */
    uint64_t w2 = (uint64_t)(gfp_join(u2, u1) >> (64 - s));
    uint64_t w1 = (uint64_t)(gfp_join(u1, u0) >> (64 - s));
    uint64_t rem;
    /* w2 < d: u / 2^128 * 2^s < value^2 / 2^64 * 2^s < d. */
    uint64_t q1 = gfp_div21(divisor, w2, w1, &rem);
    uint64_t q0 = gfp_div21(divisor, rem, u0 << s, &rem);
    *l = rem >> s;
    return gfp_div_wide(divisor, gfp_join(q1, q0), h);
}

/* ---- modular arithmetic for an odd word q < 2^62 ---- */

static inline uint64_t gfp_mod_sub(uint64_t a, uint64_t b, uint64_t q)
{
    return a >= b ? a - b : a - b + q;
}

/* Returns a b mod q by the compiler's 128-bit division. This is slow, for set-up and as the twin of
 * the fast products. */
static inline uint64_t gfp_mod_mul(uint64_t a, uint64_t b, uint64_t q)
{
    return (uint64_t)(gfp_mul_wide(a, b) % q);
}

static inline uint64_t gfp_mod_pow(uint64_t a, uint64_t e, uint64_t q)
{
    uint64_t x = 1 % q;
    a %= q;
    for (; e != 0; e >>= 1) {
        if (e & 1) {
            x = gfp_mod_mul(x, a, q);
        }
        a = gfp_mod_mul(a, a, q);
    }
    return x;
}

/* Returns floor(w 2^64 / q), w < q: the companion of w in Shoup products. */
static inline uint64_t gfp_shoup_companion(uint64_t w, uint64_t q)
{
    return (uint64_t)(gfp_join(w, 0) / q);
}

/* Returns x w mod q up to one q: the result is in [0, 2q) for any 64-bit x, w < q. */
static inline uint64_t gfp_shoup_mul(uint64_t x, uint64_t w, uint64_t companion, uint64_t q)
{
    return x * w - gfp_hi64(gfp_mul_wide(x, companion)) * q;
}

/* Returns -1/q mod 2^64, q odd, by Newton's iteration: each step doubles the number of right
 * bits. */
static inline uint64_t gfp_mont_negative_inverse(uint64_t q)
{
    uint64_t x = q; /* right modulo 8 */
    for (int i = 0; i < 5; i++) {
        x *= 2 - q * x;
    }
    return ~x + 1;
}

/* Returns x / 2^64 mod q, up to one q: for x < 2^62 q the result is below x / 2^64 + q. */
static inline uint64_t gfp_mont_reduce(gfp_u128 x, uint64_t q, uint64_t negative_inverse)
{
    uint64_t f = (uint64_t)x * negative_inverse;
    return gfp_hi64(x + gfp_mul_wide(f, q));
}

#endif
