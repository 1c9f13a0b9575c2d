/* gfpoly/product.h: products of arrays of coefficients. gfpoly/operand.h has products by kept
 * transforms, gfpoly/poly.h products of polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_PRODUCT_H
#define GFPOLY_PRODUCT_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* Many pairs of rows of the same two lengths, and the product of each. */
typedef struct gfp_batch {
    size_t count;
    size_t len_a, len_b; /* at least 1 */
    /* Elements from the start of an operand, or result, to the start of the next; 0: len_a, len_b,
     * the length of a result (of a product len_a + len_b - 1), without gaps. stride_a and stride_b
     * may be less, stride_c may not. */
    size_t stride_a, stride_b, stride_c;
} gfp_batch;

/* c_i := a_i b_i for i < count, on arrays of canonical elements. a_i is the len_a elements from a +
 * i stride_a k on; b_i and c_i likewise. c_i has len_a + len_b - 1 elements, leading zeros
 * included. c overlaps neither a nor b; a may equal b. Choice, plan and work space are made once
 * (with the methods based on FLINT for each product). Threads compute different products, or share
 * each product if one takes a millisecond or if there are fewer products than threads. Options as
 * for gfp_poly_mul. Verification checks all products, groups of them as one (gfp_verify), with
 * the same random numbers for all. The report has the threads and the times of the whole batch; its
 * other members hold for each product or group. On an error c is undefined, and error->index is the
 * product that failed, if one did (the first one of a wrong group, if no check by itself finds the
 * wrong one). Errors:
 * ARGUMENT (a length is 0, stride_c is too small), and those of gfp_poly_mul. Up to a millisecond
 * and one product pass between two calls of gfp_progress. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_mul_batch(const gfp_field *field, uint64_t *c,
                                                    const uint64_t *a, const uint64_t *b,
                                                    const gfp_batch *batch,
                                                    const gfp_options *options);

GFP_END_DECLS
#endif
