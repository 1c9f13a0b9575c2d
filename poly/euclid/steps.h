/* steps.h: the steps of Euclid's algorithm inside operations (poly/operation.h): matrices, the list
 * of quotients, steps by the definition, half-gcds. Outputs overlap no input.
 *
 * r_0, r_1, ... are remainders: r_(i+1) = s_i r_(i-1) - q_i r_i, where s_i is 1 or, so that nothing
 * is inverted, the square of the leading coefficient c_i of r_i. Remainders are thus those of
 * Euclid's algorithm up to constants, and quotients are determined by the c_i and by their
 * coefficients below the leading one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_EUCLID_STEPS_H
#define GFP_POLY_EUCLID_STEPS_H

#include "poly/series/impl.h"

/* ---- polynomials and matrices ---- */

/* The number of coefficients without leading zeros. */
size_t gfp_series_trim(const gfp_field *field, const uint64_t *x, size_t len);
gfp_status gfp_piece_make(gfp_operation_call *op, gfp_piece *x, size_t room);
void gfp_piece_copy(const gfp_field *field, gfp_piece *z, gfp_series x);

/* A product of matrices (0, 1; s, -q): (m_0, m_1; m_2, m_3) takes (x, y) to (m_0 x + m_1 y, m_2 x +
 * m_3 y). */
typedef struct gfp_matrix {
    gfp_piece entry[4];
    size_t degree; /* of m_3, the highest one: the sum of the degrees of the quotients */
} gfp_matrix;

/* M := 1, entries with room for `room` coefficients. */
gfp_status gfp_matrix_make(gfp_operation_call *op, gfp_matrix *M, size_t room);

/* z := x - q y, len coefficients, at least those of x and of q y, and trims. */
gfp_status gfp_piece_submul(gfp_operation_call *op, gfp_piece *z, gfp_series x, gfp_series q,
                            gfp_series y);

/* Sums of two products in one ring: z[i] := p[i] a[i] + q[i] b[i] for i < count <= 4, each of at
 * most `len` coefficients, which z has room for. Factors may be 0; factors with equal arrays are
 * transformed once. */
typedef struct gfp_dot {
    gfp_piece *z;
    gfp_series p, a, q, b;
    bool top_known; /* the coefficient len - 1 is `top`, k digits */
    const uint64_t *top;
} gfp_dot;

gfp_status gfp_dots(gfp_operation_call *op, gfp_dot *dots, size_t count, size_t len);

/* ---- the list of quotients ---- */

typedef struct gfp_quotients {
    size_t count;
    size_t degree; /* the sum of their degrees */
    /* c_0, ..., c_count; all coefficients but the leading ones, those of q_i after those of the
     * quotients before, the constant term first. */
    uint64_t *lead, *rest;
    uint64_t *degrees; /* 2 deg q_i, + 1 if s_i is not 1 */
} gfp_quotients;

/* A list for a first remainder of `len` coefficients, with leading coefficient c. */
gfp_status gfp_quotients_make(gfp_operation_call *op, gfp_quotients *list, size_t len,
                              const uint64_t *c);
/* Adds a quotient; c: the leading coefficient of the divisor. NULL for a list: nothing happens. */
void gfp_quotients_add(const gfp_field *field, gfp_quotients *list, const uint64_t *c,
                       const uint64_t *rest, size_t degree, bool scaled);

/* ---- steps by the definition (steps.c) ---- */

/* A pair of polynomials, deg x >= deg y. */
typedef struct gfp_pair {
    gfp_series x, y;
} gfp_pair;

/* The coefficients from X^from on. */
gfp_pair gfp_pair_above(const gfp_field *field, gfp_pair pair, size_t from);

/* Steps from the pair while the degree of y is at least bound and y is not 0. M, if not NULL, :=
 * their product; entries have room for deg x - bound + 2 coefficients. `cut`: coefficients below
 * the arrays are unknown, and so will be more and more of the lowest ones of the remainders; deg x
 * <= 2 bound. c, d, if not NULL, := the last pair; c has room for x.len and d for y.len
 * coefficients. lead, if not NULL, := the leading coefficient of c. */
typedef struct gfp_euclid_result {
    gfp_matrix *M;
    gfp_piece *c, *d;
    uint64_t *lead;
    gfp_quotients *list;
} gfp_euclid_result;

gfp_status gfp_euclid(gfp_operation_call *op, const gfp_euclid_result *result, gfp_pair pair,
                      size_t bound, bool cut);

/* ---- half-gcds (hgcd.c) ---- */

/* x has 2 k + 1 coefficients, the last one not 0; y has at most 2 k; the polynomials themselves may
 * have more below. M := the product of the steps as long as the sum of the degrees of their
 * quotients is at most k >= 1; entries have room for k + 1 coefficients. lead := the leading
 * coefficient of the larger one of the pair that M leads to. */
gfp_status gfp_hgcd(gfp_operation_call *op, gfp_matrix *M, uint64_t *lead, gfp_quotients *list,
                    gfp_pair pair, size_t k);
double gfp_hgcd_units(size_t k);

/* q, r := quotient and remainder by gfp_division; adds to the list. q has room for x.len - y.len +
 * 1 coefficients, r for y.len - 1. */
gfp_status gfp_divide_step(gfp_operation_call *op, gfp_piece *q, gfp_piece *r, gfp_quotients *list,
                           gfp_pair pair);

#endif
