/* gfpoly/gpu_product.h: products of polynomials on a CUDA device: by three methods that share no
 * algorithm, and by definition where a factor has few coefficients. Factors and products are device
 * arrays of canonical elements (gfpoly/gpu.h), with a polynomial's coefficients from the constant
 * term on. The rules of gfpoly/gpu.h for contexts, enqueued work and failures hold here, too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_PRODUCT_H
#define GFPOLY_GPU_PRODUCT_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

typedef enum gfp_gpu_method {
    /* CLASSICAL where it is faster, else the first of the other methods, in this order, that
     * serves */
    GFP_GPU_METHOD_AUTO = 0,
    GFP_GPU_METHOD_HYBRID,       /* outer DFT over Z/pZ on digits, leaves by word-size primes */
    GFP_GPU_METHOD_BIGFFT,       /* transforms over Z/pZ */
    GFP_GPU_METHOD_MULTIMODULAR, /* as many word-size primes as the coefficients over Z need */
    /* every coefficient as a sum of products; the shorter factor has at most 32 coefficients, and
     * fewer from k = 32 on where the fast transforms do not serve (1023 / k) */
    GFP_GPU_METHOD_CLASSICAL
} gfp_gpu_method;

/* "auto", "hybrid_gpu", "bigfft_gpu", "multimodular_gpu", "classical_gpu"; never NULL. */
GFP_API const char *gfp_gpu_method_name(gfp_gpu_method method);

typedef struct gfp_gpu_product_options {
    gfp_gpu_method method;
    size_t batch; /* products at once, of the same lengths; 0 means 1 */
    /* Most bytes of device memory that the plan may hold; 0: as many as the context allows. If a
     * whole product takes more, factors are cut into blocks. */
    size_t memory_cap;
    /* Bits of multimodular's primes, for measurements: 31 (like 0 if there are too few such
     * primes), 50 or 62; 0: the best choice for the device. Other methods ignore prime_bits. */
    unsigned prime_bits;
    /* If n is not 0, the plan is for coefficients first <= i < first + n of the longest products:
     * shorter transforms may suffice. */
    size_t first, n;
    /* If wrap is not 0, the plan is for products modulo X^N - 1, where N is the least length of the
     * method that is at least wrap and the lengths of both factors: gfp_gpu_product_plan_length.
     * Ranges lie below N; a factor may have up to N coefficients if the other one has at most as
     * many as the plan's shorter one. first and n are 0. classical_gpu does not serve. */
    size_t wrap;
} gfp_gpu_product_options;

/* A plan: tables and work space for products of at most len_a by len_b coefficients over a field.
 * The field and the context must outlive the plan. Calls with a plan allocate nothing; a plan
 * serves one call at a time. */
typedef struct gfp_gpu_product_plan gfp_gpu_product_plan;

/* of_plan may be NULL (all zero). Errors: ARGUMENT (a length is 0, or the method or prime_bits is
 * unknown), UNAVAILABLE (the method does not serve this field and these lengths), SIZE, MEMORY (for
 * AUTO also if a method that needs less memory does not serve), DEVICE; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_plan_create(
    gfp_gpu_product_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t len_a, size_t len_b,
    const gfp_gpu_product_options *of_plan, const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan);
/* The plan's N: it computes products modulo X^N - 1. */
GFP_API size_t gfp_gpu_product_plan_length(const gfp_gpu_product_plan *plan);
/* c := a b, len_a + len_b - 1 coefficients, for each product of the batch. Factors lie one after
 * another, len_a (len_b) elements apart, and so do products. Lengths are at least 1 and at most the
 * plan's. c must not overlap a or b. a may be b: a square. Errors: ARGUMENT (lengths; an array is
 * too short, overlaps, or is of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_product_mul(gfp_gpu_array *c, const gfp_gpu_array *a,
                                                      size_t len_a, const gfp_gpu_array *b,
                                                      size_t len_b, gfp_gpu_product_plan *plan,
                                                      const gfp_options *options);

/* ---- products over several devices (gpu.h, several devices) ---- */

/* A plan for products of at most len_a by len_b coefficients over a field, whose work is dealt over
 * `members` contexts too: each transforms and multiplies a part, and parts of transforms go from
 * device to device. Devices must reach each other's memory. The field and the contexts must outlive
 * the plan. */
typedef struct gfp_gpu_dealt_plan gfp_gpu_dealt_plan;

/* gpus[0 .. members): different contexts, 1 <= members <= GFP_GPU_MOST_MEMBERS. Errors: ARGUMENT
 * (NULL; members; a length is 0), UNAVAILABLE (the devices do not reach each other, or the field is
 * not served), SIZE, MEMORY, DEVICE; *plan is unchanged.
 * Waits for enqueued work. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_dealt_plan_create(gfp_gpu_dealt_plan **plan,
                                                            gfp_gpu *const *gpus, size_t members,
                                                            const gfp_field *field, size_t len_a,
                                                            size_t len_b,
                                                            const gfp_options *options);
/* Waits for enqueued work of all members. NULL is allowed. */
GFP_API void gfp_gpu_dealt_plan_destroy(gfp_gpu_dealt_plan *plan);
/* c := a b, len_a + len_b - 1 coefficients: c[i], a[i], b[i] are the blocks of member i (NULL:
 * none, for members without coefficients). Lengths are at least 1 and at most the plan's. The
 * blocks of c must not overlap those of a and b. a may be b: a square. The product is enqueued on
 * all members: the work of each one after the call sees all of it. Errors: ARGUMENT (lengths; an
 * array is too short, overlaps, or is of another context), DEVICE (c is undefined). Cost: the
 * time of one device divided by the members; each of them receives the other blocks of both factors
 * and, mostly while leaves are computed, as many words as the other blocks of the product have.
 * Products that are too long for the device's transforms, or too short to be dealt so, are dealt by
 * blocks of the longer factor: a member then has room for all of the shorter factor, too. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_dealt_mul(gfp_gpu_array *const *c,
                                                    gfp_gpu_array *const *a, size_t len_a,
                                                    gfp_gpu_array *const *b, size_t len_b,
                                                    gfp_gpu_dealt_plan *plan,
                                                    const gfp_options *options);

GFP_END_DECLS
#endif
