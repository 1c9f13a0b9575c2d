/* sieve.h: small prime factors of r^k + 1 for many r. Most composite candidates of a search
 * have such a factor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_PRIMES_SIEVE_H
#define GFP_FIELD_PRIMES_SIEVE_H

#include "gfpoly/base.h"

/* Whether m divides r^k + 1, k = 2^log2_k, m > 1. */
static inline bool gfp_divides_modulus(uint32_t m, uint64_t r, unsigned log2_k)
{
    uint64_t x = r % m;
    for (unsigned i = 0; i < log2_k; i++) {
        x = x * x % m;
    }
    return x == m - 1;
}

/* The primes q = 1 mod 2k below some bound. */
typedef struct gfp_prime_sieve {
    uint32_t *prime;
    size_t count;
    unsigned log2_k;
} gfp_prime_sieve;

/* Computes the sieve for k. Errors: MEMORY. */
GFP_MUST_CHECK gfp_status gfp_prime_sieve_init(gfp_prime_sieve *sieve, unsigned k,
                                               const gfp_allocator *allocator);
void gfp_prime_sieve_clear(gfp_prime_sieve *sieve, const gfp_allocator *allocator);

/* Whether a prime of the sieve divides r^k + 1 properly. */
bool gfp_prime_sieve_strikes(const gfp_prime_sieve *sieve, uint64_t r);

#endif
