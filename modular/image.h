/* image.h: gcds and resultants modulo the eight primes of a block at once: Euclid's algorithm
 * without divisions, a prime in each lane. Polynomials are arrays of residues in [0, q), eight
 * words for each coefficient (fft/words.h). SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_IMAGE_H
#define GFP_IMAGE_H

#include "cpu.h"
#include "words.h"

/* Two polynomials of len_a and len_b coefficients, both at least 1; leading coefficients may vanish
 * modulo some primes, or all. */
typedef struct gfp_words_image_pair {
    const gfp_words *block;
    const uint64_t *a, *b;
    size_t len_a, len_b;
} gfp_words_image_pair;

/* Words of the work area, aligned to 64 bytes, of the calls below. */
size_t gfp_words_image_work_words(size_t len_a, size_t len_b);

/* r[i] := the determinant of Sylvester's matrix of the formal degrees len_a - 1 and len_b - 1
 * modulo prime i: the image of the resultant over Z, also where leading coefficients vanish. */
void gfp_words_image_resultant(const gfp_words_image_pair *pair, gfp_level level,
                               uint64_t r[GFP_WORDS], uint64_t *work);
/* g := the monic greatest common divisors, min(len_a, len_b) coefficients (max if one polynomial is
 * zero modulo a prime is not needed: then g is the other one, cut to its length), zeros after each;
 * len[i] := the length modulo prime i. */
void gfp_words_image_gcd(const gfp_words_image_pair *pair, gfp_level level, uint64_t *g,
                         size_t len[GFP_WORDS], uint64_t *work);

#endif
