/* ntt_lazy_arithmetic.h: the arithmetic of ntt_lazy.h, on words that sums let grow. Multiples of q
 * do not matter. tests/lab/lazy_checked.h has these functions on words with proved bounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_LAZY_ARITHMETIC_H
#define GFP_FFT_WORDS_NTT_LAZY_ARITHMETIC_H

#include "field/base/word.h"

#define GFP_LAZY_BITS 57 /* 2^57 - 2^38 < q < 2^57 */

typedef struct gfp_shoup {
    uint64_t w;
    uint64_t companion;
} gfp_shoup;

static inline gfp_shoup gfp_shoup_make(uint64_t w, uint64_t q)
{
    return (gfp_shoup){w, gfp_shoup_companion(w, q)};
}

#ifndef GFP_LAZY_CHECKED

typedef uint64_t gfp_lazy_word;
typedef gfp_u128 gfp_lazy_sum;

static inline gfp_lazy_word gfp_lazy_load(const uint64_t *x)
{
    return *x;
}

static inline void gfp_lazy_store(uint64_t *x, gfp_lazy_word a)
{
    *x = a;
}

/* A constant, or a word of which nothing is known. */
static inline gfp_lazy_word gfp_lazy_constant(uint64_t x)
{
    return x;
}

static inline gfp_lazy_word gfp_lazy_any(uint64_t x)
{
    return x;
}

/* The word of a, which is below 2q. */
static inline uint64_t gfp_lazy_value(gfp_lazy_word a, uint64_t q)
{
    (void)q;
    return a;
}

/* Sums that do not wrap, and differences that are not negative. */
static inline gfp_lazy_word gfp_lazy_add(gfp_lazy_word a, gfp_lazy_word b)
{
    return a + b;
}

static inline gfp_lazy_word gfp_lazy_sub(gfp_lazy_word a, gfp_lazy_word b)
{
    return a - b;
}

/* Returns x w up to a multiple of q, in [0, 2q), for any x. */
static inline gfp_lazy_word gfp_lazy_mul(gfp_lazy_word x, gfp_shoup c, uint64_t q)
{
    return gfp_shoup_mul(x, c.w, c.companion, q);
}

/* Reduces any x into [0, 2q): x = f 2^57 + l becomes l + f (2^57 - q) < 2^57 + 2^7 2^38. */
static inline gfp_lazy_word gfp_lazy_reduce(gfp_lazy_word x, uint64_t q)
{
    return x - (x >> GFP_LAZY_BITS) * q;
}

/* Returns sum + x y, which does not wrap. */
static inline gfp_lazy_sum gfp_lazy_add_product(gfp_lazy_sum sum, gfp_lazy_word x, gfp_lazy_word y)
{
    return sum + gfp_mul_wide(x, y);
}

/* Returns sum / 2^64: less than q more than that. */
static inline gfp_lazy_word gfp_lazy_montgomery(gfp_lazy_sum sum, uint64_t q,
                                                uint64_t negative_inverse)
{
    return gfp_mont_reduce(sum, q, negative_inverse);
}

#define GFP_LAZY_ZERO 0

#endif

#endif
