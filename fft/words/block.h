/* block.h: blocks of eight word-size primes. A block's residues lie side by side, one word a prime,
 * so that vectors compute modulo all eight primes at once: an AVX-512 vector has eight lanes, AVX2
 * takes two vectors, plain C a loop. The layout does not depend on the level.
 *
 * avx512.h, avx2.h and portable.h are the arithmetic of the levels, with the same
 * names: a kernel is written once and compiled over each of them. portable.h describes the
 * operations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_BLOCK_H
#define GFP_FFT_WORDS_BLOCK_H

#include "gfpoly/base.h"
#include "field/base/word.h"

/* The primes of a block. */
#define GFP_WORDS 8
/* 2^50 - 2^47 < q < 2^50 for all primes q of a supply. */
#define GFP_WORDS_BITS 50
/* 2^24 divides q - 1: roots of unity of this order exist. */
#define GFP_WORDS_LOG2_ORDER 24
/* Residues in Montgomery's form are multiplied by 2^52. */
#define GFP_WORDS_RADIX_BITS 52
#define GFP_WORDS_RADIX_MASK (((uint64_t)1 << GFP_WORDS_RADIX_BITS) - 1)

/* Eight different primes and their constants. */
typedef struct gfp_words {
    uint64_t q[GFP_WORDS];
    uint64_t negative_inverse[GFP_WORDS]; /* -1/q mod 2^52 */
    uint64_t one[GFP_WORDS];              /* 2^52 mod q */
    uint64_t square[GFP_WORDS];           /* 2^104 mod q */
    double value[GFP_WORDS];              /* q */
    double reciprocal[GFP_WORDS];         /* 1 / q, rounded */
    uint64_t root[GFP_WORDS];             /* of order 2^24 */
    /* turn[t]: of order 2^(t+2), turn[t + 1]^2 = turn[t]; the last one is root. */
    uint64_t turn[GFP_WORDS_LOG2_ORDER - 1][GFP_WORDS];
} gfp_words;

/* w := the block of these primes. */
void gfp_words_fill(gfp_words *w, const uint64_t q[GFP_WORDS]);
/* w := the block of any odd numbers in (2^49, 2^50), without roots: root and turn are 0, and no
 * transform serves it. */
void gfp_words_fill_arithmetic(gfp_words *w, const uint64_t q[GFP_WORDS]);

static inline bool gfp_words_has_roots(const gfp_words *w)
{
    return w->root[0] != 0;
}

/* Bit i of the result is set if q[i] is a prime: a proof. The numbers are 1 modulo 2^24, between
 * 2^24 and 2^50. Cost: about 2 microseconds. */
unsigned gfp_words_primes(const uint64_t q[GFP_WORDS]);

#endif
