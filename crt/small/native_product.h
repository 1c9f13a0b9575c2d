/* native_product.h: the plan of a range of a product by crt: the size of its transforms, and
 * blocks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_NATIVE_PRODUCT_H
#define GFP_CRT_SMALL_NATIVE_PRODUCT_H

#include "crt/methods.h"
#include "crt/small/native.h"
#include "field/base/support.h"

/* The product is the sum of the products of blocks of the longer factor by blocks of the shorter
 * one, each by transforms of this size; or (ring) one product modulo X^n - 1. */
typedef struct gfp_native_product {
    const gfp_native_engine *engine;
    gfp_native_tables *tables; /* NULL before prepare */
    const gfp_native_set *set; /* NULL before prepare */
    gfp_native_size size;
    size_t block_a, block_b; /* coefficients of a block of the longer factor, of the shorter one */
    size_t count;            /* primes, for sums of block_b products */
    unsigned limit;          /* transforms have at most 2^(limit + least_log2_n) points */
    unsigned threads;
    bool ring;
} gfp_native_product;

/* Makes the plan for a range on limits->threads. limit: of the transforms, at least 1 and at most
 * GFP_NATIVE_MAX_LOG2_ORDER, the usual one. Returns false if the lengths' sum overflows. */
bool gfp_native_product_plan(gfp_native_product *p, gfp_needs *needs, const gfp_range *r,
                             const gfp_limits *limits, unsigned limit);
/* Finds the field's tables, and plans again if the field's primes do not admit the planned
 * transforms. Primes and constants are found at the first product and kept with the field. Errors:
 * MEMORY. */
gfp_status gfp_native_product_prepare(gfp_native_product *p, gfp_needs *needs, const gfp_range *r);
/* Adds lines on the plan of a range of these lengths. */
void gfp_native_product_describe(const gfp_native_product *p, const gfp_range *r, gfp_text *text);
/* c := the coefficients of the needs. The call spans one part of the task (may be NULL). work has
 * the words of the needs, aligned to 64 bytes. The call allocates nothing. Errors: CANCELLED; c is
 * undefined then. */
gfp_status gfp_native_product_run(const gfp_native_product *p, const gfp_range *r, uint64_t *c,
                                  uint64_t *work, gfp_task *task);

#endif
