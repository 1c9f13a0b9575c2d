/* products.h: products on a device for the rooms above, in addition to gfpoly/gpu_product.h: kept
 * transforms, parts of products, factors that arrive later, rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_PRODUCTS_H
#define GFP_GPU_PRODUCTS_H

#include "gfpoly/gpu_product.h"
#include "gpu/arrays.h"

GFP_BEGIN_DECLS

/* Whether the method (AUTO: any method) can serve products of these lengths over the field on this
 * device, with any amount of memory. If not (for example, a length is 0), why[0 .. size) gets the
 * reason. The call makes no request to the device. */
bool gfp_gpu_product_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                            size_t len_a, size_t len_b, char *why, size_t size);

/* The method that was chosen; never AUTO. */
gfp_gpu_method gfp_gpu_product_plan_method(const gfp_gpu_product_plan *plan);
/* Bytes of device memory that the plan holds. */
size_t gfp_gpu_product_plan_bytes(const gfp_gpu_product_plan *plan);

/* The number of products modulo X^N - 1, each for some or all products of the batch, in a product
 * of the plan: 1 unless memory is short or one factor is much longer than the other. */
size_t gfp_gpu_product_plan_pieces(const gfp_gpu_product_plan *plan);

/* More than gfpoly/gpu_product.h promises: c of gfp_gpu_product_mul may be a or b if that factor is
 * as long as the product and the product is not computed in pieces. */

/* ---- operands ---- */

/* A factor's transform, for many products by it. */
typedef struct gfp_gpu_operand gfp_gpu_operand;

/* Creates *operand, the transform of b (of every b of a batch), len_b coefficients, for products
 * with the plan, which must outlive the operand. Errors: ARGUMENT, UNAVAILABLE (the plan cuts b or
 * the batch into pieces), MEMORY, DEVICE; *operand is unchanged. Waits for enqueued work. */
GFP_MUST_CHECK gfp_status gfp_gpu_operand_create(gfp_gpu_operand **operand,
                                                 gfp_gpu_product_plan *plan, const gfp_gpu_array *b,
                                                 size_t len_b, const gfp_options *options);
/* NULL is allowed. */
void gfp_gpu_operand_destroy(gfp_gpu_operand *operand);
/* c := coefficients first <= i < first + n of the product of a and the b of the operand,
 * with zeros beyond its end: n elements for each product of the batch, n >= 1. If the plan was made
 * for another range and its transforms are too short, the coefficients are computed in pieces.
 * Errors: as for gfp_gpu_product_mul; ARGUMENT also if a plan for another range has no room for
 * these coefficients. */
GFP_MUST_CHECK gfp_status gfp_gpu_operand_mul(gfp_gpu_array *c, const gfp_gpu_array *a,
                                              size_t len_a, const gfp_gpu_operand *operand,
                                              size_t first, size_t n, gfp_gpu_product_plan *plan,
                                              const gfp_options *options);
/* Bytes of device memory that the operand holds. */
size_t gfp_gpu_operand_bytes(const gfp_gpu_operand *operand);

/* ---- parts and rows ---- */

/* A part of a product: coefficients first <= i < first + n of a b, zeros beyond the end. */
typedef struct gfp_gpu_extent {
    size_t len_a, len_b, first, n;
} gfp_gpu_extent;

/* c := coefficients first <= i < first + n of a b, with zeros beyond its end: n elements for each
 * product of the batch, n >= 1: low, high and middle products. Factors are cut to the parts that
 * influence these coefficients. If the plan was made for another range and its transforms are too
 * short, the coefficients are computed in pieces. Errors: as for gfp_gpu_product_mul; ARGUMENT also
 * if a plan for another range has no room for these coefficients. */
GFP_MUST_CHECK gfp_status gfp_gpu_product_range(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                                const gfp_gpu_array *a, size_t len_a,
                                                const gfp_gpu_array *b, size_t len_b, size_t first,
                                                size_t n);

/* Like gfp_gpu_product_range, for a part given as an extent. The product reads b only behind the
 * fence b_fence (may be NULL), but reads a at once if it is not computed in pieces: thus a is
 * transformed during the upload of b (gfp_gpu_upload_begin). Further errors: ARGUMENT (b_fence is
 * of another context). */
GFP_MUST_CHECK gfp_status gfp_gpu_product_range_after(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                                      const gfp_gpu_array *a,
                                                      const gfp_gpu_array *b,
                                                      const gfp_gpu_extent *part,
                                                      gfp_gpu_fence *b_fence);

/* Like gfp_gpu_product_range, for factors and products in rows: the rows of a batch may lie any
 * distance apart, in one array or several. No stride is below the length of its rows. c must not
 * overlap a or b, but rows of one stride may alternate with those of c in one array. a and b at the
 * same place with the same length and stride: squares. Errors: as above. */
GFP_MUST_CHECK gfp_status gfp_gpu_product_rows(gfp_gpu_product_plan *plan, const gfp_gpu_rows *c,
                                               const gfp_gpu_rows *a, size_t len_a,
                                               const gfp_gpu_rows *b, size_t len_b, size_t first,
                                               size_t n);

/* gfp_gpu_operand_create of the rows b of a batch. */
GFP_MUST_CHECK gfp_status gfp_gpu_operand_create_rows(gfp_gpu_operand **operand,
                                                      gfp_gpu_product_plan *plan,
                                                      const gfp_gpu_rows *b, size_t len_b);
/* The operand becomes that of other rows, of len_b coefficients, in the memory that it has. Errors:
 * ARGUMENT, UNAVAILABLE (the plan cuts factors of this length), DEVICE; the operand is unchanged
 * unless the device failed. Does not wait. */
GFP_MUST_CHECK gfp_status gfp_gpu_operand_set_rows(gfp_gpu_operand *operand, const gfp_gpu_rows *b,
                                                   size_t len_b);
/* Like gfp_gpu_product_rows with the b of the operand. */
GFP_MUST_CHECK gfp_status gfp_gpu_operand_mul_rows(gfp_gpu_product_plan *plan,
                                                   const gfp_gpu_rows *c, const gfp_gpu_rows *a,
                                                   size_t len_a, const gfp_gpu_operand *operand,
                                                   size_t first, size_t n);

GFP_END_DECLS
#endif
