/* gcd.h: Euclid's algorithm inside operations (operation.h): outputs overlap no input. Polynomials
 * are arrays with lengths; their last coefficient is not 0.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GCD_H
#define GFP_GCD_H

#include "series.h"

/* A polynomial in an array with room: len coefficients, the last one not 0. */
typedef struct gfp_piece {
    uint64_t *digits;
    size_t len;
} gfp_piece;

/* The greatest common divisor of a and b, checked as options->verify says. g has room for as many
 * coefficients as the longer operand, u for b.len and v for a.len; u and v may be NULL, both. All
 * three are written; lengths are set. */
gfp_status gfp_gcd(gfp_operation_call *op, gfp_piece *g, gfp_piece *u, gfp_piece *v, gfp_series a,
                   gfp_series b);
/* Units of gfp_gcd; with or without cofactors. */
double gfp_gcd_units(size_t len_a, size_t len_b, bool cofactors);

/* r, one element, := the resultant of a and b, checked as options->verify says. */
gfp_status gfp_resultant(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b);

/* c, n elements for a modulus of degree n and length f.len = n + 1, := 1 / a modulo f; a has at most
 * n coefficients. Errors: NOT_INVERTIBLE. */
gfp_status gfp_inverse_modulo(gfp_operation_call *op, uint64_t *c, gfp_series a, gfp_series f);

/* f := the minimal polynomial of a sequence of n elements; room for n + 1 coefficients. */
gfp_status gfp_minpoly(gfp_operation_call *op, gfp_piece *f, const uint64_t *s, size_t n);

#endif
