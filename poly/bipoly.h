/* bipoly.h: declarations that the files of bivariate polynomials share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BIPOLY_H
#define GFP_BIPOLY_H

#include "gfpoly/bipoly.h"

#include "operation.h"
#include "series.h"

/* ---- the type (bipoly.c) ---- */

/* Drops leading zeros among the first n <= capacity coefficients, sets len. */
void gfp_bipoly_normalise(gfp_bipoly *a, size_t n);
/* 1 + the degree in X; 0 for the zero polynomial. */
size_t gfp_bipoly_len_x(const gfp_bipoly *a);
/* Bytes of coefficients: rows polynomials with room for len coefficients each. Saturates. */
size_t gfp_bipoly_bytes(const gfp_field *field, size_t rows, size_t len);
/* a := rows polynomials of the coefficients z + (j step_y + i step_x) k, i < len. Errors: SIZE,
 * MEMORY; a is unchanged then. */
typedef struct gfp_bipoly_array {
    const uint64_t *z;
    size_t rows, len;
    size_t step_y, step_x; /* in elements */
} gfp_bipoly_array;
gfp_status gfp_bipoly_from_array(gfp_bipoly *a, const gfp_bipoly_array *from);
/* Whether c, a and b are bivariate polynomials over one field, or NULL where the call has none.
 * Errors: ARGUMENT, FIELD_MISMATCH. */
gfp_status gfp_bipoly_check_operands(const gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b,
                                     const gfp_options *options);

#endif
