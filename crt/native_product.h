/* native_product.h: how crt computes a range of a product: the size of its transforms, and blocks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_NATIVE_PRODUCT_H
#define GFP_NATIVE_PRODUCT_H

#include "crt.h"
#include "native.h"

/* The product is the sum of those of blocks of the longer factor by blocks of the shorter one, each
 * a product of transforms of this size; or (ring) one product modulo X^n - 1. */
typedef struct gfp_native_product {
    const gfp_native_engine *engine;
    gfp_native_tables *tables; /* NULL before prepare */
    const gfp_native_set *set; /* the same */
    gfp_native_size size;
    size_t block_a, block_b; /* of the longer factor, of the shorter one */
    size_t count;            /* primes, for sums of block_b products */
    unsigned limit;          /* transforms have at most 2^(limit + least_log2_n) points */
    unsigned threads;
    bool ring;
} gfp_native_product;

/* The plan for a range on limits->threads; limit: of the transforms, at least 1 and at most
 * GFP_NATIVE_MAX_LOG2_ORDER, the usual one. False: the lengths' sum overflows. */
bool gfp_native_product_plan(gfp_native_product *p, gfp_needs *needs, const gfp_range *r,
                             const gfp_limits *limits, unsigned limit);
/* The field's tables, and the plan again where the field's primes admit shorter transforms only.
 * Primes and constants are found at the first product and kept with the field. MEMORY. */
gfp_status gfp_native_product_prepare(gfp_native_product *p, gfp_needs *needs, const gfp_range *r);
/* c := the coefficients of the needs. It spans one part of the task (may be NULL). work: the words
 * of the needs, aligned to 64 bytes. It allocates nothing. CANCELLED: c is undefined. */
gfp_status gfp_native_product_run(const gfp_native_product *p, const gfp_range *r, uint64_t *c,
                                  uint64_t *work, gfp_task *task);

#endif
