/* ntt.h: products of polynomials modulo the eight primes of a block at once (block.h), a
 * prime in each lane: transforms on the node tree of X^N - 1 (ntt_lazy.h describes the tree and its
 * table, which does not depend on N), and products by the definition for short polynomials.
 *
 * A polynomial is an array of points, eight words for each point, aligned to 64 bytes. The tree
 * ends at polynomials of GFP_WORDS_LEAF points, which are multiplied modulo X^4 - g by the
 * definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_H
#define GFP_FFT_WORDS_NTT_H

#include "field/base/cpu.h"
#include "field/base/task.h"
#include "fft/words/block.h"

#define GFP_WORDS_LEAF 4
#define GFP_WORDS_LOG2_LEAF 2
#define GFP_WORDS_LEAST_LOG2 3

/* The size of a transform: modulo X^N - 1, N = 2^log2_n points, or (three) of three quarters of
 * these points, modulo (X^(2m) - 1) (X^m - s), m = N / 4 and s = turn[0], of order 4: nodes 0 and 2
 * of the tree. GFP_WORDS_LEAST_LOG2 <= log2_n <= GFP_WORDS_LOG2_ORDER; three needs log2_n >=
 * GFP_WORDS_LEAST_LOG2 + 2. */
typedef struct gfp_words_size {
    unsigned log2_n;
    bool three;
} gfp_words_size;

static inline size_t gfp_words_points(gfp_words_size size)
{
    return size.three ? (size_t)3 << (size.log2_n - 2) : (size_t)1 << size.log2_n;
}

/* *size := the least size of at least len points. Returns false if there is none. */
bool gfp_words_size_for(gfp_words_size *size, size_t len);

/* The words of the table of roots. */
static inline size_t gfp_words_root_words(gfp_words_size size)
{
    return (size_t)2 * GFP_WORDS << (size.log2_n - GFP_WORDS_LEAST_LOG2);
}

/* The most coefficients of the shorter factor of `direct`. */
#define GFP_WORDS_DIRECT 32
/* The words of the work area of direct. */
static inline size_t gfp_words_direct_words(size_t len_a, size_t len_b)
{
    return (len_a + len_b + 6) * GFP_WORDS;
}

/* The kernels of a level. Tables and transforms are the level's own. Long transforms and products
 * of transforms report the progress of the task, as it stands, every few milliseconds; if the task
 * is cancelled then, what they write is undefined. */
typedef struct gfp_words_ntt {
    gfp_level level;
    /* Fills the table of roots of a block. */
    void (*roots)(const gfp_words *block, uint64_t *roots, gfp_words_size size);
    /* x, len <= points residues in [0, q), becomes its transform. Points from len on may be any
     * words on input. */
    void (*forward)(const gfp_words *block, const uint64_t *roots, uint64_t *x, size_t len,
                    gfp_words_size size, gfp_task *task);
    /* a := a b for transforms, a product; b may be a, and does not change otherwise. */
    void (*multiply)(const gfp_words *block, const uint64_t *roots, uint64_t *a, const uint64_t *b,
                     gfp_words_size size, gfp_task *task);
    /* A product x becomes its residues in [0, q). */
    void (*inverse)(const gfp_words *block, const uint64_t *roots, uint64_t *x, gfp_words_size size,
                    gfp_task *task);
    /* c := a b, len_a + len_b - 1 points, by the definition; residues in [0, q) in and out.
     * min(len_a, len_b) <= GFP_WORDS_DIRECT, both at least 1. c may be a or b. work:
     * gfp_words_direct_words. */
    void (*direct)(const gfp_words *block, uint64_t *c, const uint64_t *a, size_t len_a,
                   const uint64_t *b, size_t len_b, uint64_t *work);
    /* A block whose primes l and l + 4 are equal, and so all residues, computes modulo X^M - 1 in
     * lanes 0 ... 3 and modulo X^M + 1 in the others, coefficients times powers of w, w^M = -1,
     * side by side. size: full, of M points. fold: len <= M residues in [0, q) become factors
     * modulo X^M -
     * 1. unfold: a product of these, M residues, becomes the product modulo X^(2 M) - 1, 2 M
     * residues, in lanes 0 ... 3. */
    void (*fold)(const gfp_words *block, uint64_t *x, size_t len, gfp_words_size size);
    void (*unfold)(const gfp_words *block, uint64_t *x, gfp_words_size size);
    /* y := y x^len + a(x), Horner's rule for len coefficients; residues in [0, q) in and out. */
    void (*evaluate)(const gfp_words *block, uint64_t y[GFP_WORDS], const uint64_t x[GFP_WORDS],
                     const uint64_t *a, size_t len);
} gfp_words_ntt;

extern const gfp_words_ntt gfp_words_ntt_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_words_ntt gfp_words_ntt_avx2;
extern const gfp_words_ntt gfp_words_ntt_avx512dq;
extern const gfp_words_ntt gfp_words_ntt_avx512;
#endif

/* Returns the kernels of the level. */
const gfp_words_ntt *gfp_words_ntt_get(gfp_level level);

#endif
