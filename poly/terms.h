/* terms.h: the exponents of the terms of a polynomial that are not 0: the power of X that divides
 * it, and the d with which it is a polynomial in X^d. Operations reduce such operands first. A scan
 * of a dense polynomial ends at its first coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_TERMS_H
#define GFP_POLY_TERMS_H

#include "poly/sequence.h"

/* The least exponent; a.len for a = 0. */
size_t gfp_terms_valuation(const gfp_field *field, gfp_series a);
/* a divided by X^n, n <= a.len. */
gfp_series gfp_terms_above(const gfp_field *field, gfp_series a, size_t n);
/* The greatest common divisor of d and all exponents: 0 if d is 0 and a a constant. */
size_t gfp_terms_step(const gfp_field *field, gfp_series a, size_t d);
/* *b, an array of the operation, := the polynomial with b(X^d) = a, d >= 1. */
gfp_status gfp_terms_compress(gfp_operation_call *op, gfp_series *b, gfp_series a, size_t d);
/* z, n elements of which the first 1 + (n - 1) / d are set, := z(X^d); n >= 1, d >= 1. */
void gfp_terms_spread(const gfp_field *field, uint64_t *z, size_t n, size_t d);

#endif
