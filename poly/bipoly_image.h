/* bipoly_image.h: Euclid's algorithm for images of bivariate polynomials, in given memory, so that
 * threads compute images side by side.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BIPOLY_IMAGE_H
#define GFP_BIPOLY_IMAGE_H

#include "series.h"

/* Longer images take half-gcds, one after the other. Measured: docs/design/bivariate.md. */
size_t gfp_image_length(const gfp_field *field);

/* The room, in elements, for images of up to this number of coefficients. */
size_t gfp_image_room(size_t len);
/* Products in the field of an image, about. */
double gfp_image_products(size_t len_a, size_t len_b);

/* num / den := the resultant of a and b as polynomials of degrees a.len - 1 and b.len - 1, whatever
 * their leading coefficients are: lc(a)^n lc(b)^m times products of differences of roots. Both
 * lengths are at least 1. den is not 0. */
void gfp_image_resultant(const gfp_field *field, uint64_t *num, uint64_t *den, gfp_series a,
                         gfp_series b, uint64_t *room);

/* Returns the length of the greatest common divisor of a and b, whose coefficients, times a
 * constant other than 0, are written to g, which has room for the longer one. 0 if both are 0. */
size_t gfp_image_gcd(const gfp_field *field, uint64_t *g, gfp_series a, gfp_series b,
                     uint64_t *room);

#endif
