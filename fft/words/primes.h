/* primes.h: the supply of word-size primes for transforms, and roots of unity modulo them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_PRIMES_H
#define GFP_FFT_WORDS_PRIMES_H

#include "gfpoly/base.h"

/* Primes are below 2^GFP_WORD_PRIME_BITS. */
#define GFP_WORD_PRIME_BITS 62

GFP_BEGIN_DECLS

/* *q := the greatest prime below `below` with 2^log2_n | q - 1. Start with below = 2^bits, and
 * continue with below = *q. Returns DONE (no error, *q unchanged) if no such prime exists. Errors:
 * ARGUMENT (below > 2^62 or log2_n > 61). Cost: some dozens of tests of 1 to 20 microseconds. */
GFP_MUST_CHECK gfp_status gfp_word_prime_below(uint64_t *q, uint64_t below, unsigned log2_n);

/* Returns the least quadratic non-residue of the odd prime q, by Euler's criterion; it is below 100
 * for any q < 2^62. */
uint64_t gfp_word_non_residue(uint64_t q);

/* Returns w_N = g^((q - 1) / N) for N = 2^log2_n dividing q - 1, q an odd prime, g the least
 * quadratic non-residue of q: w_2N^2 = w_N. */
uint64_t gfp_word_root_of_unity(uint64_t q, unsigned log2_n);

GFP_END_DECLS
#endif
