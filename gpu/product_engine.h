/* product_engine.h: the interface between a backend's engines of products (hybrid, bigfft,
 * multimodular) and the plans over them (planner.c). An engine multiplies modulo X^N - 1; plans add
 * lengths, parts, blocks and checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_PRODUCT_ENGINE_H
#define GFP_GPU_PRODUCT_ENGINE_H

#include "gpu/backend.h"

GFP_BEGIN_DECLS

struct gfp_gpu_product_engine;

/* An engine's own plan: `batch` products modulo X^N - 1 at once. The shorter factor has at most
 * `terms` coefficients, so that a coefficient of a product is a sum of at most `terms` products. */
typedef struct gfp_gpu_cyclic {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t n; /* N: a value of the engine's length() */
    size_t terms;
    size_t batch;
    unsigned prime_bits; /* as in the options */
    /* The plan is the share number `member` of `members` (share, below); members 0: of one device
     * alone. */
    unsigned member, members;
    const struct gfp_gpu_product_engine *engine;
    void *state;  /* the engine's own */
    size_t words; /* words of the transform of one factor, for the whole batch; set by create */
} gfp_gpu_cyclic;

/* `rows` products, coefficients first <= i < first + n of each, with zeros beyond the ends. Strides
 * are in elements. c overlaps neither a nor b. */
typedef struct gfp_gpu_direct {
    uint64_t *c;
    const uint64_t *a, *b;
    size_t len_a, len_b, first, n;
    size_t stride_a, stride_b, stride_c;
    size_t rows;
} gfp_gpu_direct;

/* A polynomial in the memory of several devices: element i is element i mod each of block number
 * i / each. */
typedef struct gfp_gpu_blocks {
    uint64_t *block[GFP_GPU_MOST_MEMBERS];
    size_t each;
} gfp_gpu_blocks;

/* Columns of leaves of L = parts part coefficients: those from <= u < to, coefficients u + v part
 * for v < parts. */
typedef struct gfp_gpu_columns {
    size_t from, to;
} gfp_gpu_columns;

/* M leaves of L = parts part coefficients. Element i of leaf s of the product is at digits +
 * (s L + i) k, digits as the engine keeps them. */
typedef struct gfp_gpu_share_shape {
    unsigned leaves, parts;
    size_t part;
    uint64_t *digits;
} gfp_gpu_share_shape;

/* A product modulo X^N - 1 dealt over the members of a plan (gpu/dealt/), batch 1: each member has
 * M / members of the M leaves, products modulo X^L - root, N = M L, and restores some coefficients
 * of the product from all leaves. The calls are enqueued in the main queue. They reach no other
 * member's memory: the plan copies. */
typedef struct gfp_gpu_share_calls {
    /* Of a plan that was created. */
    gfp_gpu_share_shape (*shape)(const gfp_gpu_cyclic *plan);
    /* These columns of the area t, of the member's leaves of x, len <= N elements. */
    gfp_status (*project)(gfp_gpu_cyclic *plan, uint64_t *t, const gfp_gpu_blocks *x, size_t len,
                          gfp_gpu_columns columns);
    /* t := the transform, after all columns. */
    gfp_status (*transform)(gfp_gpu_cyclic *plan, uint64_t *t);
    /* The digits of leaves first <= s < end of the product, which are the member's; destroys their
     * part of both transforms; tb may be ta. Unless the call is for all of the member's leaves, a
     * leaf has at least 2^16 words: whole blocks of all kernels. */
    gfp_status (*multiply)(gfp_gpu_cyclic *plan, uint64_t *ta, uint64_t *tb, unsigned first,
                           unsigned end);
    /* c := coefficients first <= i < first + n of the product, n > 0, when all leaves' digits are
     * there, which the call may overwrite. */
    gfp_status (*restore)(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n);
} gfp_gpu_share_calls;

/* The leaves of a member: first <= s < end. */
static inline unsigned gfp_gpu_share_first(unsigned leaves, unsigned members, unsigned member)
{
    return (unsigned)((uint64_t)leaves * member / members);
}

/* A row of a backend. An engine validates nothing: arrays are long enough, aligned to 16 bytes and
 * hold canonical digits, and results are canonical, too. Calls are enqueued; they neither wait nor
 * allocate. The caller provides the area of a transform: `words` words, aligned to 256 bytes. */
typedef struct gfp_gpu_product_engine {
    gfp_gpu_method method;
    /* The smallest N >= n that the engine serves for sums of `terms` products. Returns 0 when no N
     * serves, with the reason in why[0 .. size). */
    size_t (*length)(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms, char *why,
                     size_t size);
    /* Returns the bytes of device memory that create would allocate; *words := the words of a
     * transform. Both are upper bounds and saturate. */
    size_t (*bytes)(const gfp_gpu_cyclic *plan, size_t *words);
    /* Makes tables and work space, and sets plan->state and plan->words. After an error nothing is
     * left allocated. */
    gfp_status (*create)(gfp_gpu_cyclic *plan);
    void (*destroy)(gfp_gpu_cyclic *plan);
    /* Prepares an area before its first transform. NULL: areas need no preparation. */
    gfp_status (*prepare_area)(const gfp_gpu_cyclic *plan, uint64_t *t);
    /* t := the transforms of x: factor i of the batch is len <= N elements from x + i stride k on,
     * zeros beyond. kept: t will be used several times, so that extra work to complete it pays;
     * multiply gets the same flag. */
    gfp_status (*transform)(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                            size_t stride, bool kept);
    /* c := coefficients (first + i) mod N, i < n, of the products modulo X^N - 1, n <= N; product i
     * of the batch starts at c + i stride k. multiply destroys ta, which is never kept, and tb
     * unless tb_kept. tb may be ta (a square). c overlaps neither ta nor tb. */
    gfp_status (*multiply)(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n, size_t stride,
                           uint64_t *ta, uint64_t *tb, bool tb_kept);
    /* Not NULL: an engine without transforms, which computes products from the coefficients. Its
     * length() is n or 0, its words are 0, and transform and multiply are NULL. */
    gfp_status (*direct)(const gfp_gpu_cyclic *plan, const gfp_gpu_direct *product);
    /* Whether AUTO takes the engine for a shorter factor of so many terms; NULL: always. */
    bool (*gains)(const gfp_gpu *gpu, const gfp_field *field, size_t terms);
    /* Not NULL: products can be dealt over several devices. create refuses products that are too
     * short for that: UNAVAILABLE. */
    const gfp_gpu_share_calls *share;
} gfp_gpu_product_engine;

GFP_END_DECLS
#endif
