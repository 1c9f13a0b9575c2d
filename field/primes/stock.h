/* stock.h: the primes in stock, for field contexts; and what follows from r and k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_PRIMES_STOCK_H
#define GFP_FIELD_PRIMES_STOCK_H

#include "gfpoly/primes.h"

/* Whether r^k + 1 is in stock; then *certificate := its proof. */
bool gfp_stock_find(gfp_certificate *certificate, uint64_t r, unsigned k);

/* Sets the members of *prime that follow from r and k, but for the certificate (search.c). */
void gfp_prime_describe(gfp_prime *prime);

#endif
