/* series.h: composition of polynomials and of power series, and reversion of series, inside
 * operations (poly/operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_COMPOSE_SERIES_H
#define GFP_POLY_COMPOSE_SERIES_H

#include "poly/series/impl.h"

/* ---- polynomials (plain.c) ---- */

/* c, (f.len - 1) (g.len - 1) + 1 elements, := f(g); both have at least one coefficient. */
gfp_status gfp_compose_plain(gfp_operation_call *op, uint64_t *c, gfp_series f, gfp_series g);
/* The same for f = h(X^d), d >= 1: h at the power of g. */
gfp_status gfp_compose_powers(gfp_operation_call *op, uint64_t *c, gfp_series f, gfp_series g,
                              size_t d);
double gfp_compose_plain_units(const gfp_field *field, size_t len_f, size_t len_g);
/* Checks c as options->verify says: its value at a random point is that of f at the value of g. */
gfp_status gfp_compose_plain_check(gfp_operation_call *op, const uint64_t *c, gfp_series f,
                                   gfp_series g);

/* ---- series (series.c), all products checked as options->verify says ---- */

/* z, n >= 1 elements, := f(g) modulo X^n; g_0 = 0. */
gfp_status gfp_series_compose(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                              gfp_series g);
double gfp_series_compose_units(size_t n);
/* z, n >= 1 elements, := the series with g(z) = X modulo X^n; g_0 = 0, g_1 is not 0 (n > 1). */
gfp_status gfp_series_revert(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series g);
double gfp_series_revert_units(size_t n);

#endif
