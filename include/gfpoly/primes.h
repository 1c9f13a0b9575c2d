/* gfpoly/primes.h: primes p = r^k + 1 besides the named ones. A supply searches: the sparse radices
 * (SRGFN) of a range of sizes in a fixed order, or primes of a much larger family in an order drawn
 * at random; the supply proves each prime before it delivers it. The stock needs no search.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_PRIMES_H
#define GFPOLY_PRIMES_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

/* The range of a supply: min_bits <= bits of p <= max_bits, and 2^min_v2_r divides r, so that
 * transforms exist up to N = 2^(k min_v2_r) (0 and 1: any even radix). */
typedef struct gfp_prime_range {
    unsigned k;
    unsigned min_bits;
    unsigned max_bits;
    unsigned min_v2_r;
} gfp_prime_range;

/* The size of the longest formula, "18446744073709551614^256+1", with its terminator, rounded
 * up. */
#define GFP_PRIME_FORMULA_SIZE 32

/* A prime p = r^k + 1 with its proof. Plain data: a prime may be copied and outlives its supply. */
typedef struct gfp_prime {
    uint64_t r;
    unsigned k;
    unsigned bits;     /* of p */
    unsigned v2_r;     /* the exponent of 2 in r */
    unsigned v2_order; /* the exponent of 2 in p - 1 = r^k: transforms exist for N = 2^m, m <=
                          v2_order */
    int sign;          /* 1, -1: r = 2^w + sign 2^u; 0: r has more terms */
    unsigned w;        /* 0 if sign is 0 */
    unsigned u;        /* 0 if sign is 0, else equal to v2_r */
    char formula[GFP_PRIME_FORMULA_SIZE]; /* input of gfp_field_create: "(2^63+2^34)^8+1" */
    gfp_certificate certificate;
} gfp_prime;

/* A supply of primes. One thread at a time may use a supply. */
typedef struct gfp_prime_supply gfp_prime_supply;

/* Creates a supply of primes of the range, each once.
 *
 * g is NULL: all primes with r = 2^w + 2^u or r = 2^w - 2^u, w > u >= 1 (ISSAC 2017, section 3); 3
 * 2^u counts as 2^(u+1) + 2^u, and 2^u as 2^(u+1) - 2^u. The order of the primes is a part of this
 * interface: by rising bits of p, then by falling v2(r), then by rising r. The first prime thus
 * gives the smallest field that is big enough; among fields of one size, which cost the same per
 * operation, it has the longest transforms. Sparse primes are few: 91 in all for k = 8.
 *
 * Else: all primes with r any multiple of 2^max(min_v2_r, 1), in a pseudo-random order: the supply
 * walks the candidates along a permutation (a Feistel network of eight rounds) that is keyed by g.
 * Modular methods use this supply: they need prime after prime, none of them likely to be unlucky.
 * The order depends only on the range and on the numbers that this call draws from g, so that one
 * seed gives the same primes on every machine. A smaller min_v2_r makes the family larger: there
 * are 2^(63 - min_v2_r) radices above 2^63.
 *
 * allocator may be NULL; the supply and the fields made from it use allocator.
 * Errors: MODULUS (k is not a power of two from 2 to GFP_MAX_K), ARGUMENT (min_bits > max_bits, no
 * p of this k has a number of bits in the range, min_v2_r > 63), MEMORY; *supply and g are
 * unchanged. Cost: below 0.1 s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_prime_supply_create(gfp_prime_supply **supply,
                                                          const gfp_prime_range *range,
                                                          gfp_random *g,
                                                          const gfp_allocator *allocator,
                                                          gfp_error *error);

/* Destroys a supply; NULL is allowed. Primes and fields from the supply stay valid. */
GFP_API void gfp_prime_supply_destroy(gfp_prime_supply *supply);

/* *prime := the next prime. Returns DONE (no error, *prime unchanged) if no prime is left.
 * Errors: MEMORY (the next call goes on at the same place), UNPROVED (a number passed
 * every test and could not be proved, which no known prime does; the next call goes on after it).
 * Cost per prime: some dozens of candidates in a dense range; most have a small factor and cost
 * microseconds, the others one power modulo p (docs/design/primes.md). A sparse range may hold no
 * prime at all: going through all of k = 256 takes minutes. */
GFP_API GFP_MUST_CHECK gfp_status gfp_prime_supply_next(gfp_prime *prime, gfp_prime_supply *supply,
                                                        gfp_error *error);

/* Creates the field of the prime that the supply delivered last, with the proof that the supply
 * made and still holds. The caller's copy of a gfp_prime has no such trust: gfp_field_create proves
 * its formula anew, at about the cost of checking the certificate.
 * Errors: ARGUMENT (the supply has not delivered a prime yet), MEMORY; *field is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_prime_supply_field(gfp_field **field,
                                                         const gfp_prime_supply *supply,
                                                         gfp_error *error);

/* ---- the stock ---- */

/* The library has primes in stock, with their proofs: for k = 4, 8 and 16 (256 each), 32 and 64
 * (128 each), and 128 (32) the greatest p = r^k + 1 with r = 2^63 - j 2^36 that have no name, by
 * falling r. Each has 63 k bits, and transforms up to N = 2^(36 k). Modular methods use the stock
 * where named primes do not suffice: a search for one prime takes from some milliseconds (k = 8) to
 * seconds (k = 64). The primes are fixed: a number may be made to be divisible by all of them.
 *
 * Returns the number of primes of this k; 0 for any other k. */
GFP_API size_t gfp_prime_stock_count(unsigned k);

/* *prime := the prime of this index below gfp_prime_stock_count(k). Errors: ARGUMENT; *prime is
 * unchanged. Cost: below a microsecond. */
GFP_API GFP_MUST_CHECK gfp_status gfp_prime_stock_get(gfp_prime *prime, unsigned k, size_t index,
                                                      gfp_error *error);

GFP_END_DECLS
#endif
