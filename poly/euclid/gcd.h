/* gcd.h: Euclid's algorithm as a whole inside operations (poly/operation.h): outputs overlap no
 * input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_EUCLID_GCD_H
#define GFP_POLY_EUCLID_GCD_H

#include "poly/euclid/steps.h"

/* ---- reductions (gcd.c) ---- */

/* A step that is kept: a matrix, or (0, 1; 1, -q). */
typedef struct gfp_step {
    bool division;
    gfp_piece q;
    gfp_matrix M;
} gfp_step;

/* Each pair of steps takes a quarter of the degree away. */
#define GFP_REDUCTION_STEPS 256

/* Euclid's algorithm from a pair a, b down to a pair x, y. */
typedef struct gfp_reduction {
    gfp_operation_call *op;
    gfp_series a, b;
    gfp_piece x, y, spare;
    gfp_quotients list;
    bool listed; /* the quotients are listed */
    bool kept;   /* the steps are kept */
    gfp_step step[GFP_REDUCTION_STEPS];
    size_t steps;
} gfp_reduction;

/* Begins at a, b, a.len >= b.len, a not 0; the members listed and kept are set. */
gfp_status gfp_reduction_begin(gfp_operation_call *op, gfp_reduction *w, gfp_series a,
                               gfp_series b);
/* Steps to consecutive remainders x, y with deg x >= bound > deg y, deg a >= bound, or with bound =
 * 0 to y = 0. */
gfp_status gfp_reduce(gfp_reduction *w, size_t bound);
double gfp_reduce_units(size_t len, size_t bound);

/* u, v := cofactors of x (row 0) or of y (row 1): u a + v b. Needs steps that were kept. u or v may
 * be NULL; both have room for a.len + 1 coefficients. */
gfp_status gfp_reduction_cofactors(gfp_reduction *w, gfp_piece *u, gfp_piece *v, unsigned row);

/* Checks the list of quotients, and with it that x and y are consecutive remainders of a and b, at
 * random points; nothing where options->verify does not ask for points, or the field has too few.
 */
gfp_status gfp_reduction_check(gfp_reduction *w);

/* ---- checks (gcd_check.c) ---- */

/* Whether an identity of polynomials of len coefficients is to be checked at points. */
bool gfp_check_by_points(const gfp_operation_call *op, size_t len);

/* The identity u a + v b = g, checked at points, or not. */
typedef struct gfp_bezout {
    gfp_series u, a, v, b, g;
} gfp_bezout;

gfp_status gfp_bezout_check(gfp_operation_call *op, const gfp_bezout *w);

/* ---- greatest common divisors ---- */

/* Results, arrays of the operation. */
typedef struct gfp_common_divisor {
    gfp_piece g, u, v;
} gfp_common_divisor;

/* g := the greatest common divisor of a and b, monic, and with `cofactors` u, v with u a + v b = g;
 * checked as options->verify says. */
gfp_status gfp_gcd(gfp_operation_call *op, gfp_common_divisor *d, gfp_series a, gfp_series b,
                   bool cofactors);
double gfp_gcd_units(size_t len_a, size_t len_b, bool cofactors);

/* c, n elements, := 1 / a modulo f of degree n >= 1; a is not 0 and shorter than f. Checked as
 * options->verify says. Errors: NOT_INVERTIBLE. */
gfp_status gfp_inverse_modulo(gfp_operation_call *op, uint64_t *c, gfp_series a, gfp_series f);

/* ---- resultants and subresultants (resultant.c) ---- */

/* r, one element, := the resultant of a and b; checked as options->verify says. */
gfp_status gfp_resultant(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b);
/* s, an array of the operation, := the subresultant S_j (gfpoly/gcd.h); if neither a nor b is 0, j
 * is at most the lower and below the higher degree. Checked as options->verify says. */
gfp_status gfp_subresultant(gfp_operation_call *op, gfp_piece *s, gfp_series a, gfp_series b,
                            size_t j);
/* ---- fractions and recurrences (fraction.c) ---- */

/* num and den, arrays of the operation, den monic, with den f = num modulo m, deg num <= max_num,
 * den of least degree; deg f < deg m, m is not constant. Checked as options->verify says. */
gfp_status gfp_fraction(gfp_operation_call *op, gfp_piece *num, gfp_piece *den, gfp_series f,
                        gfp_series m, size_t max_num);
/* f, an array of the operation, := the minimal polynomial of n >= 1 elements. Checked as
 * options->verify says. */
gfp_status gfp_minimal_polynomial(gfp_operation_call *op, gfp_piece *f, const uint64_t *s,
                                  size_t n);

/* ---- a second method (gcd_check.c) ---- */

/* Whether a result is to be computed again by a second method. */
bool gfp_check_by_method(const gfp_operation_call *op, size_t len);
/* Begins `again` in the frame of op: a call without verification by another method than that of op,
 * for operands of len coefficients. `options` is room that lasts as long. */
gfp_status gfp_operation_begin_again(gfp_operation_call *again, gfp_options *options,
                                     gfp_operation_call *op, size_t len, double units);
/* Ends `again`, whose time counts as verification of op. Returns the status. */
gfp_status gfp_operation_end_again(gfp_operation_call *again, gfp_operation_call *op,
                                   gfp_status status);

#endif
