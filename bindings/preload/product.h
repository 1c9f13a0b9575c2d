/* product.h: a product that the host asked for, computed here while signals wait.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_OF_HOST_H
#define GFP_PRODUCT_OF_HOST_H

#include "decision.h"
#include "gfpoly/options.h"
#include "modulus.h"

/* A computation under the shield; a host written in C++ may throw out of it. */
typedef gfp_status gfp_computation(void *user, const gfp_options *options);

/* Computes while signals wait. A computation of more than about 10 ms that a signal cancels begins
 * again, and then ends. ns: its predicted time. Returns whether it succeeded. */
bool gfp_compute(gfp_computation *function, void *user, const gfp_host *host, double ns);

/* A product modulo p. The elements are k words each. */
typedef struct gfp_product_mod {
    const gfp_host *host;
    size_t len_a, len_b; /* at least 1 */
    size_t first, end;   /* the coefficients that are asked for; the product may have fewer */
    bool square;         /* no second factor */
    void *user;
    /* z := the first or the second factor. Errors: RANGE (a coefficient is not below p). */
    gfp_status (*import)(void *user, const gfp_field *field, uint64_t *z, bool second);
    /* The result := n elements, followed by zeros up to end - first coefficients. */
    void (*export)(void *user, const gfp_field *field, const uint64_t *z, size_t n);
} gfp_product_mod;

/* Returns whether the product was computed; if not, nothing has changed. Counts it. */
bool gfp_product_take(const gfp_product_mod *product, gfp_known *known);

#endif
