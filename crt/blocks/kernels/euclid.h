/* euclid.h: gcds and resultants modulo the eight primes of a block at once: Euclid's algorithm
 * without divisions, a prime in each lane. Polynomials are arrays of residues in [0, q), eight
 * words for each coefficient (fft/words/block.h), the constant coefficient first.
 *
 * Lanes may be irregular in any way: vanishing leading coefficients, degrees that drop by more than
 * 1, zero and constant polynomials, common factors. Costs for polynomials of degree d: d^2 / 2
 * vectors of three products; lanes that are irregular in different steps cost up to some times that
 * (docs/design/modular.md). Long polynomials take half-gcds, if the block has roots of unity. The
 * calls need no memory but the work area, and cannot fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_KERNELS_EUCLID_H
#define GFP_CRT_BLOCKS_KERNELS_EUCLID_H

#include "field/base/cpu.h"
#include "fft/words/block.h"

/* Polynomials of len_a and len_b coefficients, both at least 1; leading coefficients may be 0
 * modulo some primes, or all. */
typedef struct gfp_words_image_pair {
    const gfp_words *block;
    const uint64_t *a, *b;
    size_t len_a, len_b;
} gfp_words_image_pair;

/* Words of the work area, aligned to 64 bytes, of a call below; its content does not matter.
 * Saturates. */
size_t gfp_words_image_work_words(size_t len_a, size_t len_b);

/* r[i] := the determinant of Sylvester's matrix of the formal degrees len_a - 1 and len_b - 1
 * modulo prime i: the image of the resultant over Z, also where leading coefficients vanish. The
 * determinant of the empty matrix is 1. level: one that the CPU has. */
void gfp_words_image_resultant(const gfp_words_image_pair *pair, gfp_level level,
                               uint64_t r[GFP_WORDS], uint64_t *work);
/* Pairs of the same lengths and block, `step` words apart; their coefficients are forms of the
 * level (words_enter). */
typedef struct gfp_words_image_many {
    gfp_words_image_pair pair; /* the first one */
    size_t step, count;
    size_t index;  /* 0: resultants; k > 0: subresultants of this index */
    size_t step_r; /* words from coefficient to coefficient of the subresultants */
} gfp_words_image_many;

/* The words of the work area of gfp_words_image_resultants. Saturates. */
size_t gfp_words_image_many_words(const gfp_words_image_many *many);
/* r, eight words for each pair, := the resultants, as forms; all share one inversion. Or, with an
 * index k, 0 < k < min(len_a, len_b) - 1, coefficient j <= k of the subresultant of each pair at r
 * + j step_r: the determinant of the rows X^i a, i < n - k, and X^i b, i < m - k, from the highest
 * i down, with their coefficients of X^(m + n - k - 1), ..., X^(k + 1), X^j, for the formal degrees
 * m and n of a and b. */
void gfp_words_image_resultants(const gfp_words_image_many *many, gfp_level level, uint64_t *r,
                                uint64_t *work);
/* g := the monic greatest common divisors, min(len_a, len_b) coefficients, zeros after each gcd;
 * len[i] := the length modulo prime i, 0 if both polynomials are zero. If just one of them is zero,
 * the gcd is the other one, made monic, and its length may exceed min(len_a, len_b): then g has its
 * lower coefficients. g must not overlap a, b or work. */
void gfp_words_image_gcd(const gfp_words_image_pair *pair, gfp_level level, uint64_t *g,
                         size_t len[GFP_WORDS], uint64_t *work);

#endif
