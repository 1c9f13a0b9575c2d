/* lazy_checked.h: the arithmetic of fft/words/ntt_lazy_arithmetic.h on words with proved bounds:
 * the word lies between them, whatever the input is. The test fails where a sum may wrap or a
 * difference may be negative. Products, reductions and quotients by 2^64 have the greatest results
 * that their bounds permit.
 *
 * Memory has words; their bounds are kept by address. memcpy takes them along.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_LAZY_CHECKED_H
#define GFP_TESTS_LAB_LAZY_CHECKED_H

#include "lab/checked.h"

/* In place of the real arithmetic. */
#define GFP_LAZY_CHECKED
#include "fft/words/ntt_lazy_arithmetic.h"

typedef struct gfp_lazy_word {
    uint64_t value, low, high;
} gfp_lazy_word;
typedef struct gfp_lazy_sum {
    gfp_u128 value, high;
} gfp_lazy_sum;
#define GFP_LAZY_ZERO ((gfp_lazy_sum){0, 0})

LANES_OPERATION gfp_lazy_word lazy_word(uint64_t value, uint64_t low, uint64_t high)
{
    LANES_CHECK(low <= value && value <= high);
    return (gfp_lazy_word){value, low, high};
}

/* ---- memory ---- */

#define LAZY_PLACES ((size_t)1 << 21)
static struct {
    const uint64_t *at;
    uint64_t low, high;
} lazy_place[LAZY_PLACES];

LANES_OPERATION size_t lazy_place_of(const uint64_t *x)
{
    size_t i = gfp_mix64((uintptr_t)x) % LAZY_PLACES, tries = 0;
    while (lazy_place[i].at != x && lazy_place[i].at != NULL) {
        i = (i + 1) % LAZY_PLACES;
        LANES_CHECK(++tries < LAZY_PLACES);
    }
    return i;
}

/* Forgets the bounds of all words in memory. */
LANES_OPERATION void lazy_memory_clear(void)
{
    memset(lazy_place, 0, sizeof lazy_place);
}

LANES_OPERATION gfp_lazy_word gfp_lazy_load(const uint64_t *x)
{
    const size_t i = lazy_place_of(x);
    LANES_CHECK(lazy_place[i].at == x);
    return lazy_word(*x, lazy_place[i].low, lazy_place[i].high);
}

LANES_OPERATION void gfp_lazy_store(uint64_t *x, gfp_lazy_word a)
{
    const size_t i = lazy_place_of(x);
    lazy_place[i].at = x;
    lazy_place[i].low = a.low;
    lazy_place[i].high = a.high;
    *x = a.value;
}

LANES_OPERATION void lazy_copy(uint64_t *to, const uint64_t *from, size_t size)
{
    for (size_t i = 0; i < size / sizeof *to; i++) {
        gfp_lazy_store(to + i, gfp_lazy_load(from + i));
    }
}

/* ---- arithmetic ---- */

LANES_OPERATION gfp_lazy_word gfp_lazy_constant(uint64_t x)
{
    return lazy_word(x, x, x);
}

LANES_OPERATION gfp_lazy_word gfp_lazy_any(uint64_t x)
{
    return lazy_word(x, 0, UINT64_MAX);
}

LANES_OPERATION uint64_t gfp_lazy_value(gfp_lazy_word a, uint64_t q)
{
    LANES_CHECK(a.high < 2 * q);
    return a.value;
}

LANES_OPERATION gfp_lazy_word gfp_lazy_add(gfp_lazy_word a, gfp_lazy_word b)
{
    LANES_CHECK(a.high <= UINT64_MAX - b.high);
    return lazy_word(a.value + b.value, a.low + b.low, a.high + b.high);
}

LANES_OPERATION gfp_lazy_word gfp_lazy_sub(gfp_lazy_word a, gfp_lazy_word b)
{
    LANES_CHECK(a.low >= b.high);
    return lazy_word(a.value - b.value, a.low - b.high, a.high - b.low);
}

/* Returns the greatest word up to `most` with the residue of x. */
LANES_OPERATION gfp_lazy_word lazy_worst(uint64_t x, uint64_t q, uint64_t most)
{
    return lazy_word(most - (most - x % q) % q, 0, most);
}

LANES_OPERATION gfp_lazy_word gfp_lazy_mul(gfp_lazy_word x, gfp_shoup c, uint64_t q)
{
    LANES_CHECK(c.w < q);
    return lazy_worst(gfp_shoup_mul(x.value, c.w, c.companion, q), q, 2 * q - 1);
}

LANES_OPERATION gfp_lazy_word gfp_lazy_reduce(gfp_lazy_word x, uint64_t q)
{
    return lazy_worst(x.value, q, 2 * q - 1);
}

LANES_OPERATION gfp_lazy_sum gfp_lazy_add_product(gfp_lazy_sum sum, gfp_lazy_word x,
                                                  gfp_lazy_word y)
{
    const gfp_u128 high = gfp_mul_wide(x.high, y.high);
    LANES_CHECK(sum.high <= ~(gfp_u128)0 - high);
    return (gfp_lazy_sum){sum.value + gfp_mul_wide(x.value, y.value), sum.high + high};
}

LANES_OPERATION gfp_lazy_word gfp_lazy_montgomery(gfp_lazy_sum sum, uint64_t q,
                                                  uint64_t negative_inverse)
{
    const gfp_u128 multiple = gfp_mul_wide(UINT64_MAX, q);
    LANES_CHECK(sum.high <= ~(gfp_u128)0 - multiple);
    return lazy_worst(gfp_mont_reduce(sum.value, q, negative_inverse), q,
                      gfp_hi64(sum.high + multiple));
}

#endif
