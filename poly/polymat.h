/* polymat.h: matrices of polynomials inside operations (operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLYMAT_H
#define GFP_POLYMAT_H

#include "gfpoly/polymat.h"
#include "series.h"

/* The entries of a matrix: polynomials, or where poly is NULL arrays of len coefficients each. */
typedef struct gfp_entries {
    const gfp_poly *poly;
    const uint64_t *digits;
    size_t len; /* the most coefficients of an entry */
} gfp_entries;

gfp_series gfp_entry(const gfp_field *field, const gfp_entries *a, size_t i);

/* ---- products (polymat.c) ---- */

typedef struct gfp_polymat_product {
    gfp_entries a, b;
    size_t rows, inner, columns;
    size_t len; /* of a.len + b.len - 1 coefficients is each entry of the product */
} gfp_polymat_product;

/* z, rows * columns entries of len >= 1 coefficients, := the product. */
gfp_status gfp_polymat_multiply(gfp_operation_call *op, uint64_t *z, const gfp_polymat_product *w);
/* Checks z, as options->verify says. */
gfp_status gfp_polymat_check(gfp_operation_call *op, const uint64_t *z,
                             const gfp_polymat_product *w);
double gfp_polymat_units(const gfp_polymat_product *w);

/* ---- determinants (polymat_det.c) ---- */

/* z, points coefficients, := the determinant of the n x n matrix a, n >= 1, whose degree is below
 * `points`; checked as options->verify says. Errors: UNAVAILABLE (too few elements). */
gfp_status gfp_polymat_determinant(gfp_operation_call *op, uint64_t *z, size_t points,
                                   const gfp_entries *a, size_t n);
double gfp_polymat_determinant_units(size_t points, size_t len, size_t n);

#endif
