/* stock.h: the primes in stock, for field contexts; and what follows from r and k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_PRIMES_STOCK_H
#define GFP_FIELD_PRIMES_STOCK_H

#include "gfpoly/field.h"
#include "gfpoly/primes.h"

/* Whether r^k + 1 is in stock; then *certificate := its proof. */
bool gfp_stock_find(gfp_certificate *certificate, uint64_t r, unsigned k);

/* Sets the members of *prime that follow from r and k, but for the certificate (search.c). */
void gfp_prime_describe(gfp_prime *prime);

/* ---- calls that are not public ---- */

/* Creates the field of the prime of this index with the proof in stock, neither searched nor proved
 * again. gfp_field_create and gfp_field_create_rk do the same for r and k of a prime in stock.
 * allocator may be NULL. Errors: ARGUMENT, MEMORY; *field is unchanged. Cost: one power modulo p,
 * for the tower of roots. */
GFP_MUST_CHECK gfp_status gfp_prime_stock_field(gfp_field **field, unsigned k, size_t index,
                                                const gfp_allocator *allocator, gfp_error *error);

/* Proves p = r^k + 1 prime and writes the certificate.
 * Errors: MODULUS (k or r unsupported), COMPOSITE, UNPROVED, MEMORY.
 * Cost: one power modulo p for Proth, one more per further prime of the certificate. */
GFP_MUST_CHECK gfp_status gfp_certificate_create(gfp_certificate *certificate, uint64_t r,
                                                 unsigned k, const gfp_allocator *allocator,
                                                 gfp_error *error);

#endif
