/* factor.h: prime factors of a 64-bit word.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_PRIMES_FACTOR_H
#define GFP_FIELD_PRIMES_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* A 64-bit word has at most 15 distinct prime factors. */
#define GFP_MAX_FACTORS 15

/* prime := the distinct primes that divide n >= 1, ascending; returns their number. The function
 * uses trial division, Miller-Rabin and Pollard's rho in Brent's form; it has no allocation and no
 * state. FLINT's n_factor is its oracle in the tests. The library does not use n_factor, which
 * keeps tables per thread and ends the process without memory, while creating a field promises a
 * status. */
unsigned gfp_factor(uint64_t n, uint64_t prime[GFP_MAX_FACTORS]);

/* Whether n is prime; deterministic for all 64-bit n. */
bool gfp_word_is_prime(uint64_t n);

#endif
