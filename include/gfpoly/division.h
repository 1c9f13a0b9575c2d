/* gfpoly/division.h: quotient and remainder of polynomials.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for the quadratic algorithm without products. memory_cap
 * counts all memory that the call takes in addition to inputs, outputs, and what the field keeps:
 * at most 40 n elements for a of 2 n and b of n terms, from n = 64 on. verify checks q b + r = a,
 * once, at the end: modulo X^j - d for a random digit d or at random points, in linear time, where
 * a wrong result passes with probability at most 2^-40 (see gfp_verify); cross, by a product of a
 * second method. A quotient alone is checked at points. The report has the method of the longest
 * products, and the time of all that was computed.
 *
 * Outputs may equal inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY,
 * CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * Costs are in products of two polynomials of n terms, measured over p8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_DIVISION_H
#define GFPOLY_DIVISION_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* q, r := quotient and remainder of a by b: a = q b + r, the degree of r is below that of b.
 * Errors: NOT_INVERTIBLE (b = 0), ARGUMENT (q and r are the same polynomial). Cost: 2.7 to 3.1 for
 * a of 2n and b of n terms, 6.4 for a of 4n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_divrem(gfp_poly *q, gfp_poly *r, const gfp_poly *a,
                                                  const gfp_poly *b, const gfp_options *options);
/* The quotient alone. Verification checks the coefficients of q b from the degree of b on. Errors:
 * NOT_INVERTIBLE (b = 0). Cost: 2.2 to 2.6. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_div(gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                                               const gfp_options *options);
/* The remainder alone, at the cost of both. Errors: NOT_INVERTIBLE (b = 0). */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_rem(gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                                               const gfp_options *options);
/* q := a / b, where b divides a. Errors: ARGUMENT (b does not divide a), NOT_INVERTIBLE (b = 0).
 * Cost: that of gfp_poly_divrem, for the remainder is computed. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_divexact(gfp_poly *q, const gfp_poly *a,
                                                    const gfp_poly *b, const gfp_options *options);
/* *yes := whether b divides a; 0 divides 0 alone, with quotient 0. q (may be NULL) := the quotient
 * where it does, and is unchanged where it does not. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_divides(bool *yes, gfp_poly *q, const gfp_poly *a,
                                                   const gfp_poly *b, const gfp_options *options);

GFP_END_DECLS
#endif
