/* bipoly_chain.h: subresultants of bivariate polynomials without points, inside operations.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BIPOLY_CHAIN_H
#define GFP_BIPOLY_CHAIN_H

#include "bipoly.h"

/* r := the resultant with respect to Y; a and b are not 0. `bound`: a bound of its degree. Room
 * that the cap forbids: MEMORY. */
gfp_status gfp_bipoly_chain_resultant(gfp_operation_call *op, gfp_poly *r, const gfp_bipoly *a,
                                      const gfp_bipoly *b, size_t bound);
/* g := a multiple of the greatest common divisor of a and b, not 0, by a polynomial in X; where
 * that divisor has degree 0 in Y, g has, too. */
gfp_status gfp_bipoly_chain_gcd(gfp_operation_call *op, gfp_bipoly *g, const gfp_bipoly *a,
                                const gfp_bipoly *b, size_t bound);
double gfp_bipoly_chain_units(size_t len_a, size_t len_b, size_t bound);

#endif
