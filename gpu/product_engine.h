/* product_engine.h: what a backend's engines of products (hybrid, bigfft, multimodular) and the
 * plans over them (planner.c) agree on: an engine multiplies modulo X^N - 1; plans add lengths,
 * parts, blocks and checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_PRODUCT_ENGINE_H
#define GFP_GPU_PRODUCT_ENGINE_H

#include "backend.h"

GFP_BEGIN_DECLS

struct gfp_gpu_product_engine;

/* An engine's own plan: products modulo X^N - 1 of factors of at most `terms` coefficients, the
 * shorter one (so a coefficient is a sum of at most `terms` products), `batch` at once. */
typedef struct gfp_gpu_cyclic {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t n; /* N: a value of the engine's length() */
    size_t terms;
    size_t batch;
    unsigned prime_bits; /* as in the options */
    const struct gfp_gpu_product_engine *engine;
    void *state;  /* the engine's own */
    size_t words; /* of the transform of one factor (of every one of the batch); set by create */
} gfp_gpu_cyclic;

/* A row of a backend. It validates nothing: arrays are long enough, aligned to 16
 * bytes, of canonical digits; so are its results. Calls are enqueued, wait for nothing and
 * allocate nothing. A transform's area is 256-byte aligned, `words` words of the caller's. */
typedef struct gfp_gpu_product_engine {
    gfp_gpu_method method;
    /* The smallest N >= n that it serves for sums of `terms` products; 0: none, and why in
     * why[0 .. size). */
    size_t (*length)(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms, char *why,
                     size_t size);
    /* Bytes that create would take of device memory, and (in *words) the words of a transform. An
     * upper bound; saturates. */
    size_t (*bytes)(const gfp_gpu_cyclic *plan, size_t *words);
    /* Makes tables and work space; plan->state and plan->words := what is needed. On an error
     * nothing is left. */
    gfp_status (*create)(gfp_gpu_cyclic *plan);
    void (*destroy)(gfp_gpu_cyclic *plan);
    /* An area for transforms, before its first one; or NULL: there is nothing to do. */
    gfp_status (*prepare_area)(const gfp_gpu_cyclic *plan, uint64_t *t);
    /* t := the transforms of x: factor i of the batch is len <= N elements from x + i stride k on,
     * zeros beyond. kept: it will be used several times (it is worth while to finish it); multiply
     * gets the same flag. */
    gfp_status (*transform)(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                            size_t stride, bool kept);
    /* c := coefficients (first + i) mod N, i < n, of the products modulo X^N - 1, n <= N; product i
     * of the batch from c + i stride k on. ta (never kept) is destroyed; tb may be ta (a square),
     * and is destroyed too unless tb_kept. c overlaps neither. */
    gfp_status (*multiply)(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n, size_t stride,
                           uint64_t *ta, uint64_t *tb, bool tb_kept);
} gfp_gpu_product_engine;

GFP_END_DECLS
#endif
