/* gfpoly/product.h: products of arrays of coefficients. gfpoly/operand.h has those by transforms
 * that stay, gfpoly/poly.h those of polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_PRODUCT_H
#define GFPOLY_PRODUCT_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* Many products of the same two lengths. */
typedef struct gfp_batch {
    size_t count;
    size_t len_a, len_b; /* at least 1 */
    /* Elements from one operand, or product, to the next; 0: len_a, len_b, len_a + len_b - 1, one
     * right after the other. stride_a and stride_b may be less, stride_c may not. */
    size_t stride_a, stride_b, stride_c;
} gfp_batch;

/* c_i := a_i b_i for i < count, on arrays of canonical elements: a_i is the len_a elements from a +
 * i stride_a k on, and so forth; c_i has len_a + len_b - 1 elements, leading zeros included. c
 * overlaps neither a nor b; a may equal b. Choice, plan and work space are made once (with the
 * methods based on FLINT for each product); threads share the products, or each product where one
 * takes a millisecond or there are fewer products than threads. Options as for gfp_poly_mul;
 * verification checks each product, with the same random points for all: report has the threads,
 * the times of all, and of the rest what holds for each. On an error c is undefined, and
 * error->index says which product failed, where it was one. Errors: ARGUMENT (a length is 0, a
 * stride_c too small), and those of gfp_poly_mul. Between two steps of progress lies up to a
 * millisecond and a product. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_mul_batch(const gfp_field *field, uint64_t *c,
                                                    const uint64_t *a, const uint64_t *b,
                                                    const gfp_batch *batch,
                                                    const gfp_options *options);

GFP_END_DECLS
#endif
