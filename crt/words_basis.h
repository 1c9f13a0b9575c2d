/* words_basis.h: the tables of a basis of word-size primes (words_crt.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_WORDS_BASIS_H
#define GFP_WORDS_BASIS_H

#include "words_crt.h"
#include "words_kernels.h"

struct gfp_words_basis {
    gfp_allocator allocator;
    size_t count; /* blocks */
    size_t bits;  /* floor(log2 M) */
    const gfp_words **blocks;
    uint8_t *use;
    uint64_t *powers; /* GFP_WORDS_POWER_WORDS for a block */
    uint64_t *scale;  /* eight words for a block */
    uint64_t *half;   /* (M - 1) / 2, leaf.digits digits */
    gfp_words_leaf leaf;
};

#define GFP_WORDS_POWER_WORDS ((size_t)(GFP_WORDS_STEP + 1) * GFP_WORDS)

/* Returns the digits of 52 bits that hold this many bits. */
static inline size_t gfp_words_digits_of(size_t bits)
{
    return bits / GFP_WORDS_RADIX_BITS + (bits % GFP_WORDS_RADIX_BITS != 0 ? 1 : 0);
}

/* Returns the least multiple of 8 that is at least n. */
static inline size_t gfp_words_columns(size_t n)
{
    return (n + GFP_WORDS_GROUP - 1) / GFP_WORDS_GROUP * GFP_WORDS_GROUP;
}

/* Returns digit t of a number of n limbs, zeros above. */
uint64_t gfp_words_digit(const uint64_t *limbs, size_t n, size_t t);

/* Returns the kernels of a level. */
const gfp_words_kernels *gfp_words_kernels_of(gfp_level level);

#endif
