/* mul.h: products of two arrays of coefficients, whole or in part.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_MUL_H
#define GFP_PRODUCT_MUL_H

#include "product/pipeline.h"

/* A product in progress: the range that is computed, and the destination. For its check the range
 * may be the whole product, of which `from` and further coefficients are wanted. */
typedef struct gfp_mul {
    gfp_product product;
    gfp_range range;
    uint64_t *digits;
    size_t from, len; /* of the wanted coefficients */
    bool whole;       /* the range has others, too */
} gfp_mul;

/* Plans the computation of coefficients asked->first <= i < asked->end of asked->a asked->b, as
 * far as the product has them (w->product.nothing: it has none), by the given row (NULL: the one
 * that options name, or the pick), in the call w->product.base, which the caller has begun. Errors:
 * those of gfp_poly_mul that come before computing. */
gfp_status gfp_mul_plan(gfp_mul *w, const gfp_method *method, const gfp_range *asked);
/* digits := the w->len coefficients that were asked for; digits overlap no factor. On an error
 * they are undefined. */
gfp_status gfp_mul_run(gfp_mul *w, uint64_t *digits);

#endif
