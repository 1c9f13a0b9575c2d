/* geometric.h: values at geometric progressions and interpolation there, inside operations
 * (poly/operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_POINTS_GEOMETRIC_H
#define GFP_POLY_POINTS_GEOMETRIC_H

#include "poly/series/impl.h"

/* The points s q^i, i < n. */
typedef struct gfp_progression {
    const uint64_t *start, *ratio;
    size_t n;
} gfp_progression;

/* z, n elements, := the points. */
gfp_status gfp_geometric_points(gfp_operation_call *op, uint64_t *z, const gfp_progression *p);
/* values, n elements, := f(s q^i). */
gfp_status gfp_geometric_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                const gfp_progression *p);
double gfp_geometric_values_units(size_t n, size_t len);
/* f, n >= 1 elements, := the polynomial with these values. Errors: NOT_INVERTIBLE. */
gfp_status gfp_geometric_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                               const gfp_progression *p);
double gfp_geometric_solve_units(size_t n);
/* Checks values_i = f(s q^i), as options->verify says (geometric_check.c). */
gfp_status gfp_geometric_check(gfp_operation_call *op, const uint64_t *values, gfp_series f,
                               const gfp_progression *p);

#endif
