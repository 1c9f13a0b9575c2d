/* word_products.h: products of polynomials modulo words on a device: many products of the same
 * lengths, each modulo its own q <= 2^63, by transforms modulo three word-size primes and the
 * Chinese remainder theorem. modular/mul/word_vec.c has the same products on the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_WORD_PRODUCTS_H
#define GFP_GPU_WORD_PRODUCTS_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

#define GFP_GPU_WORD_PRIMES 3

/* Factors, results and moduli, on the host: product i has the factors a + i len_a and b + i len_b,
 * residues in [0, q[i]), and the result c + i (len_a + len_b - 1). b may be a. */
typedef struct gfp_gpu_word_run {
    uint64_t *c;
    const uint64_t *a, *b;
    const uint64_t *q;
    size_t count;
} gfp_gpu_word_run;

/* Device memory and tables for products of two lengths, of at least one coefficient each. */
typedef struct gfp_gpu_word_products gfp_gpu_word_products;

/* *products := a plan for up to `count` products at once, or as many as memory and its cap have
 * room for; a run may have any number. Errors: UNAVAILABLE (the backend lacks products modulo
 * words), SIZE (more than 2^24 coefficients), MEMORY, DEVICE; *products is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_word_products_create(gfp_gpu_word_products **products,
                                                       gfp_gpu *gpu, size_t len_a, size_t len_b,
                                                       size_t count);
/* NULL is allowed. */
void gfp_gpu_word_products_destroy(gfp_gpu_word_products *products);
/* Computes all products of the run, and waits. c must not overlap a or b. Errors: DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_word_products_run(gfp_gpu_word_products *products,
                                                    const gfp_gpu_word_run *run);

/* ---- the interface of a backend ---- */

/* Division by a modulus, as gfp_divisor of field/base/word.h has it, and the modulus' images of the
 * primes' products: q0 and q0 q1 modulo it. */
typedef struct gfp_gpu_word_modulus {
    uint64_t q, d, inverse, shift;
    uint64_t weight[GFP_GPU_WORD_PRIMES - 1];
} gfp_gpu_word_modulus;

struct gfp_gpu_word_products {
    gfp_gpu *gpu;
    size_t len_a, len_b, len; /* len: of a result */
    size_t n;                 /* points of a transform */
    size_t count;             /* products at once */
    /* Set by the backend's create: the primes, and its own plan. */
    uint64_t prime[GFP_GPU_WORD_PRIMES];
    void *state;
    /* Of the device: a, b, c, and moduli, for `count` products. */
    uint64_t *a, *b, *c;
    gfp_gpu_word_modulus *moduli;
    void *memory;
    size_t bytes;
    gfp_gpu_word_modulus *host; /* moduli on the host */
};

typedef struct gfp_gpu_word_calls {
    /* The bytes of device memory for `count` products of n points, beyond those of the fields
     * above. */
    size_t (*bytes)(const gfp_gpu_word_products *products, size_t count);
    /* Makes state and chooses primes; products->count and n are set. */
    gfp_status (*create)(gfp_gpu_word_products *products);
    void (*destroy)(gfp_gpu_word_products *products);
    /* Enqueues c := a b for the first `count` products, from and to device memory. */
    gfp_status (*run)(gfp_gpu_word_products *products, size_t count, bool square);
} gfp_gpu_word_calls;

GFP_END_DECLS
#endif
