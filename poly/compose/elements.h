/* elements.h: what compositions and power projections tell of elements modulo h of degree n
 * inside operations (poly/operation.h): outputs overlap no input. All is checked as options->verify
 * says.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_COMPOSE_ELEMENTS_H
#define GFP_POLY_COMPOSE_ELEMENTS_H

#include "poly/compose/impl.h"

/* ---- calls (elements_calls.c), which the command and the bindings do not need ---- */

/* trace := a + a^p + ... + a^(p^(d - 1)) mod h, power := X^(p^d) mod h, for x_p = X^p mod h
 * and d >= 0; a and x_p are of any degree. Either of trace and power may be
 * NULL; a is not read where trace is NULL. log2(d) to 2 log2(d) steps of two compositions each.
 * Cost: 560 for d = 8. */
GFP_MUST_CHECK gfp_status gfp_poly_trace_map_mod(gfp_poly *trace, gfp_poly *power,
                                                 const gfp_poly *a, const gfp_poly *x_p, size_t d,
                                                 const gfp_modulus *M, const gfp_options *options);

/* ---- inside operations ---- */

/* trace, n elements (NULL: not wanted), := a + a^p + ... + a^(p^(d - 1)); power, n elements
 * (NULL: likewise), := X^(p^d), for x_p = X^p modulo h; a and x_p have up to n coefficients. */
gfp_status gfp_compose_trace(gfp_operation_call *op, uint64_t *trace, uint64_t *power,
                             const gfp_modulus *M, gfp_series a, gfp_series x_p, size_t d);
double gfp_compose_trace_units(const gfp_modulus *M, size_t d);

/* f, room for n + 1 elements, := the minimal polynomial of a, monic, of *len coefficients. */
gfp_status gfp_compose_minimal(gfp_operation_call *op, uint64_t *f, size_t *len,
                               const gfp_modulus *M, gfp_series a);
double gfp_compose_minimal_units(const gfp_modulus *M);

/* f, n + 1 elements, := the characteristic polynomial of a; n < p. */
gfp_status gfp_compose_characteristic(gfp_operation_call *op, uint64_t *f, const gfp_modulus *M,
                                      gfp_series a);
double gfp_compose_characteristic_units(const gfp_modulus *M);

#endif
