/* bivariate.h: declarations that the files of bivariate polynomials over Z share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_BIVARIATE_H
#define GFP_MODULAR_BIVARIATE_H

#include "gfpoly/zbipoly.h"

/* Makes room for `capacity` powers of Y. Errors: SIZE, MEMORY. */
gfp_status gfp_zbipoly_fit(gfp_zbipoly *a, size_t capacity);
/* The first n <= capacity coefficients are a; drops zeros at the end. */
void gfp_zbipoly_normalise(gfp_zbipoly *a, size_t n);
/* *flat := a, or an empty polynomial that becomes a copy whose rows have one width each. Errors:
 * SIZE, MEMORY. */
gfp_status gfp_zbipoly_view(const gfp_zbipoly **flat, gfp_zbipoly *copy, const gfp_zbipoly *a);
/* 1 + the degree in X; 0 for the zero polynomial. */
size_t gfp_zbipoly_len_x(const gfp_zbipoly *a);

/* ---- calls that are not public ---- */

/* Exchanges a and b; cannot fail. */
void gfp_zbipoly_swap(gfp_zbipoly *a, gfp_zbipoly *b);
/* b := a. Errors: ARGUMENT (NULL), FIELD_MISMATCH (other rings), SIZE, MEMORY. */
GFP_MUST_CHECK gfp_status gfp_zbipoly_set(gfp_zbipoly *b, const gfp_zbipoly *a);

#endif
