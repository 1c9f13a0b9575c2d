/* product.h: a computation that the host asked for, done here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_OF_HOST_H
#define GFP_PRODUCT_OF_HOST_H

#include "bindings/preload/decision.h"
#include "gfpoly/options.h"
#include "bindings/preload/modulus.h"

/* A computation. A host written in C++ may throw out of it; a signal handler of any host may jump
 * out of it. */
typedef gfp_status gfp_computation(void *user, const gfp_options *options);

/* Computes. ns: the predicted time. Returns whether the computation succeeded. */
bool gfp_compute(gfp_computation *function, void *user, const gfp_host *host, double ns);

/* A computation modulo p. */
typedef struct gfp_job_mod {
    const gfp_host *host;
    gfp_job_size size; /* but for the bits of p */
    void *user;
    gfp_status (*compute)(void *user, const gfp_field *field, const gfp_options *options);
} gfp_job_mod;

/* Returns whether the host's user has the results; if not, nothing has changed. Counts it. */
bool gfp_job_take(const gfp_job_mod *job, gfp_known *known);

/* How coefficients of operands and of a result come and go: as numbers of gfp_field_limbs words
 * each, a chunk at a time. */
typedef struct gfp_passage {
    void *user;
    /* x := `count` coefficients from coefficient i of the first or the second operand on; false:
     * one is negative or has more words. */
    bool (*get)(void *user, uint64_t *x, size_t limbs, bool second, size_t i, size_t count);
    /* The result has n coefficients, which are set next, the last one not 0. */
    void (*resize)(void *user, size_t n);
    /* `count` coefficients from coefficient i of the result on := x. */
    void (*set)(void *user, const uint64_t *x, size_t limbs, size_t i, size_t count);
} gfp_passage;

/* z := the first n coefficients of an operand. Errors: RANGE (one is not below p). */
gfp_status gfp_passage_import(const gfp_passage *passage, const gfp_field *field, uint64_t *z,
                              bool second, size_t n);
/* The result := n elements. */
void gfp_passage_export(const gfp_passage *passage, const gfp_field *field, const uint64_t *z,
                        size_t n);

/* A product modulo p. The passage's resize writes zeros up to end - first. */
typedef struct gfp_product_mod {
    const gfp_host *host;
    size_t len_a, len_b;   /* at least 1 */
    size_t first, end;     /* the coefficients that are asked for; the product may have fewer */
    size_t bits_a, bits_b; /* of the longest coefficients, or somewhat more */
    bool square;           /* no second factor */
    gfp_passage passage;
} gfp_product_mod;

/* gfp_job_take for a product. */
bool gfp_product_take(const gfp_product_mod *product, gfp_known *known);

#endif
