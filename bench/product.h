/* bench/product.h: a product of two random polynomials with its verified result, for the parts of
 * gfpoly_bench that time products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PRODUCT_H
#define BENCH_PRODUCT_H

#include "bench/bench.h"

typedef struct product {
    const gfp_field *field;
    size_t len;
    gfp_poly a, b, c, reference;
    gfp_options options; /* of product_run */
    gfp_error error;
} product;

/* Draws factors of this length, and computes their product twice, by independent methods. Returns
 * false after a message. */
bool product_init(product *p, const gfp_field *field, size_t len, uint64_t seed);
void product_clear(product *p);
/* p->c := the product by p->options. The argument is a product *, for measure(). */
bool product_run(void *product);
/* Runs once and compares; the message says `how` a wrong product was computed. */
bool product_right(product *p, const char *how);

#endif
