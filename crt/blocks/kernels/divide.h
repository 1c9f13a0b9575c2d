/* divide.h: quotients and multiples of polynomials modulo the eight primes of a block.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_KERNELS_DIVIDE_H
#define GFP_CRT_BLOCKS_KERNELS_DIVIDE_H

#include "field/base/cpu.h"
#include "fft/words/block.h"

/* q, len_a - len_g + 1 coefficients of eight words, := the quotient of a and g, len_a >= len_g >=
 * 1, all residues in [0, q). Returns the mask of the primes that do not divide lc(g) and modulo
 * which the remainder is 0. a and g are destroyed; all lie apart. */
typedef unsigned gfp_words_divide_run(const gfp_words *block, uint64_t *q, uint64_t *a,
                                      size_t len_a, uint64_t *g, size_t len_g);
/* z_i := c x_i for n coefficients; z may be x. */
typedef void gfp_words_scale_run(const gfp_words *block, uint64_t *z, const uint64_t *x, size_t n,
                                 const uint64_t c[GFP_WORDS]);

gfp_words_divide_run gfp_words_divide_portable, gfp_words_divide_avx2, gfp_words_divide_avx512dq,
    gfp_words_divide_avx512;
gfp_words_scale_run gfp_words_scale_portable, gfp_words_scale_avx2, gfp_words_scale_avx512dq,
    gfp_words_scale_avx512;

unsigned gfp_words_divide(gfp_level level, const gfp_words *block, uint64_t *q, uint64_t *a,
                          size_t len_a, uint64_t *g, size_t len_g);
void gfp_words_scale(gfp_level level, const gfp_words *block, uint64_t *z, const uint64_t *x,
                     size_t n, const uint64_t c[GFP_WORDS]);

#endif
