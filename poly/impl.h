/* impl.h: declarations that the files of polynomials share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_IMPL_H
#define GFP_POLY_IMPL_H

#include "gfpoly/poly.h"
#include "product/methods/row.h"

/* type.c: drops leading zeros among the first n coefficients, sets len. n <= capacity. */
void gfp_poly_normalise(gfp_poly *a, size_t n);
/* type.c: c := the first n of `capacity` elements from the allocator of c's field, which c takes
 * over; digits may be NULL if n is 0. */
void gfp_poly_take(gfp_poly *c, uint64_t *digits, size_t n, size_t capacity);
/* mul.c: c := a b mod X^n by the given row (NULL: the one that options names, or the pick); n =
 * SIZE_MAX gives the whole product. The public products call this with method NULL. */
gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_options *options);

#endif
