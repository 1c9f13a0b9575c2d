/* gpu_poly.h: declarations that the files of resident polynomials share: rings, polynomials, and
 * the placement of results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_POLY_H
#define GFP_GPU_POLY_H

#include "gfpoly/gpu_poly.h"

/* A plan and its parameters: factors of at most these lengths, products modulo X^N - 1, N >= n. */
typedef struct gfp_gpu_ring_plan {
    struct gfp_gpu_ring_plan *next;
    gfp_gpu_product_plan *plan;
    size_t len_a, len_b, n;
} gfp_gpu_ring_plan;

struct gfp_gpu_ring {
    gfp_gpu *gpu;
    const gfp_field *field;
    gfp_allocator allocator;
    size_t k;
    gfp_gpu_method method;
    size_t plan_bytes;
    gfp_gpu_ring_plan *plans;  /* the last used one first */
    gfp_gpu_array *spare;      /* for results that cannot be written to their place directly; or
                                  NULL */
    gfp_gpu_array *work;       /* for values and residues; or NULL */
    gfp_gpu_array *word;       /* for results of searches; or NULL */
    gfp_gpu_limbs_plan *limbs; /* for the last size of integers; or NULL */
};

struct gfp_gpu_poly {
    gfp_gpu_ring *ring;
    gfp_gpu_array *array; /* NULL: capacity 0 */
    size_t capacity;
    size_t len; /* bound of the length */
    bool exact; /* len is the length */
};

/* Errors: FIELD_MISMATCH, ARGUMENT (two contexts). */
gfp_status gfp_gpu_poly_check(const gfp_gpu_poly *a, const gfp_gpu_poly *b);

/* Where to write the n >= 1 coefficients of a result for b: *to := b's own array, or the ring's
 * spare array if b's is too short or `apart` excludes it. b is unchanged; gfp_gpu_poly_take makes
 * the result b's. */
gfp_status gfp_gpu_poly_place(gfp_gpu_poly *b, size_t n, bool apart, gfp_gpu_array **to);
void gfp_gpu_poly_take(gfp_gpu_poly *b, gfp_gpu_array *to, size_t n, bool exact);

/* Makes *area an array of at least `words` words; its contents are undefined. */
gfp_status gfp_gpu_ring_area(gfp_gpu_ring *ring, gfp_gpu_array **area, size_t words);

/* gpu_poly_mul.c: releases all plans. */
void gfp_gpu_ring_drop_plans(gfp_gpu_ring *ring);

#endif
