/* product.h: the four ways in which hybrid computes a range of a product, and the choice of
 * the cheapest that the limits admit.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_PRODUCT_H
#define GFP_CRT_HYBRID_PRODUCT_H

#include "crt/methods.h"
#include "crt/hybrid/long.h"

typedef enum gfp_hybrid_way {
    GFP_HYBRID_WHOLE, /* the whole product */
    GFP_HYBRID_RING,  /* in the ring of the plan's shape, whose wrapped coefficients miss the range
                       */
    GFP_HYBRID_LONG,  /* the long factor in pieces, by the transform of the short one */
    GFP_HYBRID_LEAN   /* in little memory, by one thread */
} gfp_hybrid_way;

typedef struct gfp_hybrid_product {
    gfp_hybrid_way way;
    unsigned group; /* of LEAN: the leaves of the second factor in memory at once */
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;     /* of all ways except LONG */
    gfp_hybrid_long by_short; /* of LONG */
} gfp_hybrid_product;

/* Returns the bytes of tables that products of this shape leave with the field, about. */
size_t gfp_hybrid_table_bytes(const gfp_hybrid_shape *shape);

/* Makes the plan for a range within these limits, or the plan that comes nearest to them. Returns
 * false if the lengths' sum exceeds any memory. */
bool gfp_hybrid_product_plan(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r,
                             const gfp_limits *limits);
/* Adds lines on the plan of a range of these lengths. */
void gfp_hybrid_product_describe(const gfp_hybrid_product *p, const gfp_range *r, gfp_text *text);
/* c := the coefficients of the needs. The call spans one part of the task. work has the words of
 * the needs. Roots of unity are computed at the first product that needs them and kept with the
 * field. Errors: MEMORY; CANCELLED (c is undefined): the call reports between columns of the outer
 * DFT and after every leaf. */
gfp_status gfp_hybrid_product_run(const gfp_hybrid_product *p, const gfp_range *r, uint64_t *c,
                                  uint64_t *work, gfp_task *task);

#endif
