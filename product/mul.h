/* mul.h: products of two arrays of coefficients, whole or in part.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MUL_H
#define GFP_MUL_H

#include "product.h"

/* A product under way: the coefficients that are computed, and where they go. */
typedef struct gfp_mul {
    gfp_product product;
    gfp_range range;
    uint64_t *digits;
    size_t len; /* coefficients of the range */
} gfp_mul;

/* Begins the product of asked->a, asked->b and of it coefficients asked->first <= i < asked->end,
 * as far as there are any (else w->product.nothing), by the given row (NULL: the one that the
 * options, which have been read, name, or the pick). Errors: as gfp_poly_mul before anything is
 * computed. */
gfp_status gfp_mul_begin(gfp_mul *w, const gfp_method *method, const gfp_range *asked,
                         const gfp_options *options);
/* digits := the w->len coefficients from w->range.first on; digits overlap no factor. They are
 * undefined after an error. */
gfp_status gfp_mul_run(gfp_mul *w, uint64_t *digits);

#endif
