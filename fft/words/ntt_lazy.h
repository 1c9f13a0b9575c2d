/* ntt_lazy.h: transforms modulo 57-bit primes in plain C for the leaves of the hybrid product: the
 * node tree of x^N - 1, with values that grow from level to level instead of being reduced. Their
 * bound is 128 q < 2^64 (crt/hybrid/leaf/portable_ranges.py).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_LAZY_H
#define GFP_FFT_WORDS_NTT_LAZY_H

#include "gfpoly/field.h"
#include "fft/words/ntt_lazy_arithmetic.h"

/* The tree: node 0 of level 0 is x^N - 1. Node v of level d is x^(N / 2^d) - g, and has the
 * children 2v, x^(N / 2^(d+1)) - w_v, and 2v + 1, x^(N / 2^(d+1)) + w_v, where w_v^2 = g. The table
 * w does not depend on N: w_v is the 2^(d+1)-th root of unity with exponent v, its d bits reversed.
 * So g is w_(v/2) for even v, and -w_((v-1)/2) for odd v. */

#define GFP_LAZY_PRIMES 3
#define GFP_LAZY_LOG2_ORDER 32 /* 2^32 | q - 1 */

/* The constants and tables of one prime. Threads may share them. */
typedef struct gfp_lazy {
    uint64_t q;
    uint64_t negative_inverse; /* -1/q mod 2^64 */
    const gfp_shoup *w;        /* w_v for v < nodes */
    const gfp_shoup *inverse;  /* 1 / w_v */
} gfp_lazy;

/* Returns the prime of this index < GFP_LAZY_PRIMES; these are the largest of the kind. */
uint64_t gfp_lazy_prime(unsigned index);

/* Fills the tables of prime index for v < nodes, a power of two, nodes <= 2^31. */
void gfp_lazy_fill(gfp_shoup *w, gfp_shoup *inverse, unsigned index, size_t nodes);

/* Transforms x, a polynomial of len coefficients modulo node v, to its images modulo the
 * descendants of `stop` coefficients, side by side; len = stop 2^l. Every level adds 2q to the
 * bound of values. The upper half of x may be any words on input; on output it is below the bound
 * of the lower half + 2q. */
void gfp_lazy_forward(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop);

/* The inverse of gfp_lazy_forward, times len / stop. Values are below 16q in and out. */
void gfp_lazy_inverse(const gfp_lazy *lazy, uint64_t *x, size_t len, size_t node, size_t stop);
#define GFP_LAZY_INVERSE_BOUND 16

#endif
