/* unlucky.h: eliminants of systems in several unknowns, for gfpoly_unlucky.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BENCH_UNLUCKY_H
#define GFP_BENCH_UNLUCKY_H

#include <stdbool.h>
#include <stddef.h>

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_poly.h>

/* r := the primitive polynomial of degree 2^n whose roots are the values of u_n at the solutions of
 * the system katsura-n, 1 <= n <= 5, with multiplicity. false: a check failed. */
bool katsura_eliminant(fmpz_poly_t r, size_t n);

/* r := the primitive square-free polynomial whose roots are the values of an unknown at the
 * solutions of the system noon-3; the ring is Z[x, z]. false: a check failed. */
bool noon_eliminant(fmpz_poly_t r, fmpz_mpoly_ctx_t ring);

#endif
