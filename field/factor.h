/* factor.h: prime factors of a 64-bit word. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FACTOR_H
#define GFP_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* A 64-bit word has at most 15 distinct prime factors. */
#define GFP_MAX_FACTORS 15

/* The distinct primes that divide n >= 1, ascending; returns their number. By FLINT where it is
 * built in. */
unsigned gfp_factor(uint64_t n, uint64_t prime[GFP_MAX_FACTORS]);

/* The same by our own code (trial division, Miller-Rabin, Pollard's rho in Brent's form): what is
 * used without FLINT. */
unsigned gfp_factor_own(uint64_t n, uint64_t prime[GFP_MAX_FACTORS]);

/* Deterministic for all 64-bit n. */
bool gfp_word_is_prime(uint64_t n);

#endif
