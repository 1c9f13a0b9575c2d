/* gfpoly/gpu_product.h: products of polynomials on a CUDA device, by three methods that share no
 * algorithm. Factors and products are device arrays of canonical elements (gfpoly/gpu.h), a
 * polynomial's coefficients from the constant term on; what that header says of contexts, queues
 * and failures holds here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_PRODUCT_H
#define GFPOLY_GPU_PRODUCT_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

typedef enum gfp_gpu_method {
    GFP_GPU_METHOD_AUTO = 0,    /* the first of the others, in this order, that serves */
    GFP_GPU_METHOD_HYBRID,      /* outer DFT over Z/pZ on digits, leaves by word-size primes */
    GFP_GPU_METHOD_BIGFFT,      /* transforms over Z/pZ */
    GFP_GPU_METHOD_MULTIMODULAR /* as many word-size primes as the coefficients over Z need */
} gfp_gpu_method;

/* "auto", "hybrid_gpu", "bigfft_gpu", "multimodular_gpu"; never NULL. */
GFP_API const char *gfp_gpu_method_name(gfp_gpu_method method);

typedef struct gfp_gpu_product_options {
    gfp_gpu_method method;
    size_t batch; /* products at once, of the same lengths; 0 stands for 1 */
    /* Most bytes of device memory that the plan may hold; 0: what the context allows. Where a whole
     * product takes more, factors are cut into blocks. */
    size_t memory_cap;
    /* Bits of multimodular's primes, for measurements: 31 (as 0 where there are too few), 50 or 62;
     * 0: what suits the device. The other methods ignore prime_bits. */
    unsigned prime_bits;
    /* Where n is not 0, the plan is for coefficients first <= i < first + n of the longest
     * products: shorter transforms may do. */
    size_t first, n;
} gfp_gpu_product_options;

/* Whether the method (AUTO: any) can serve products of these lengths over the field on this device,
 * memory left aside; if not (a length 0 among others), why in why[0 .. size). Asks the device
 * nothing. */
GFP_API bool gfp_gpu_product_serves(const gfp_gpu *gpu, gfp_gpu_method method,
                                    const gfp_field *field, size_t len_a, size_t len_b, char *why,
                                    size_t size);

/* A plan: tables and work space for products of at most len_a by len_b coefficients over a field,
 * which must outlive it, as the context must. Its calls allocate nothing and go one at a
 * time. */
typedef struct gfp_gpu_product_plan gfp_gpu_product_plan;

/* options may be NULL (all zero). Errors, the error argument saying which: ARGUMENT (a length 0, no
 * such method or prime_bits), UNAVAILABLE (the method does not serve this field and these lengths,
 * and why), SIZE, MEMORY (also where AUTO has another method, which does not serve), DEVICE; *plan
 * is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_plan_create(
    gfp_gpu_product_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t len_a, size_t len_b,
    const gfp_gpu_product_options *options, gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan);
/* Never AUTO: what was chosen. */
GFP_API gfp_gpu_method gfp_gpu_product_plan_method(const gfp_gpu_product_plan *plan);
GFP_API const gfp_field *gfp_gpu_product_plan_field(const gfp_gpu_product_plan *plan);
GFP_API size_t gfp_gpu_product_plan_batch(const gfp_gpu_product_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_product_plan_bytes(const gfp_gpu_product_plan *plan);
/* N: it computes products modulo X^N - 1. */
GFP_API size_t gfp_gpu_product_plan_length(const gfp_gpu_product_plan *plan);
/* How many of these, of some of the batch each, make what the plan was made for: 1 unless memory is
 * short or one factor is much longer than the other. */
GFP_API size_t gfp_gpu_product_plan_pieces(const gfp_gpu_product_plan *plan);

/* c := a b, len_a + len_b - 1 coefficients, for each of the batch: factors lie one after another,
 * len_a (len_b) elements apart, and so do products. Lengths are at least 1 and at most the plan's.
 * c may be a or b, where it is as long and the product is not computed in pieces (_plan_pieces is
 * 1); else it must not overlap them. a may be b, which is then a square. Errors: ARGUMENT (lengths;
 * an array too short, overlapping, or of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                                      const gfp_gpu_array *a, size_t len_a,
                                                      const gfp_gpu_array *b, size_t len_b);
/* c := coefficients first <= i < first + n of a b, those beyond its end 0: n elements for each of
 * the batch. Low, high and middle products; n >= 1. Factors are cut to what these depend on; where
 * the transforms of the plan are too short for them (they were not those that it was made for),
 * they are computed in pieces. Errors: as above; ARGUMENT (a plan made for other coefficients has
 * no room for these). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_range(gfp_gpu_product_plan *plan,
                                                        gfp_gpu_array *c, const gfp_gpu_array *a,
                                                        size_t len_a, const gfp_gpu_array *b,
                                                        size_t len_b, size_t first, size_t n);

/* The same; the product reads b only behind the fence (may be NULL), and a before where it is not
 * computed in pieces: so a is transformed while b is still on its way (gfp_gpu_upload_begin).
 * Further errors: ARGUMENT (a fence of another context). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_range_after(
    gfp_gpu_product_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a, size_t len_a,
    const gfp_gpu_array *b, size_t len_b, size_t first, size_t n, gfp_gpu_fence *b_there);

/* A factor's transform, for many products by it. */
typedef struct gfp_gpu_operand gfp_gpu_operand;

/* *operand := that of b, len_b coefficients, for products with the plan, which must outlive it (a
 * batch: of every b). Errors: ARGUMENT, UNAVAILABLE (the plan cuts b or the batch into pieces),
 * MEMORY, DEVICE; *operand is unchanged. Waits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_operand_create(gfp_gpu_operand **operand,
                                                         gfp_gpu_product_plan *plan,
                                                         const gfp_gpu_array *b, size_t len_b);
/* NULL is allowed. */
GFP_API void gfp_gpu_operand_destroy(gfp_gpu_operand *operand);
GFP_API size_t gfp_gpu_operand_bytes(const gfp_gpu_operand *operand);
/* As gfp_gpu_product_range with that b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_operand_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                                      const gfp_gpu_array *a, size_t len_a,
                                                      const gfp_gpu_operand *operand, size_t first,
                                                      size_t n);

GFP_END_DECLS
#endif
