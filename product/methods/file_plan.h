/* file_plan.h: plans of products of files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_FILE_PLAN_H
#define GFP_PRODUCT_METHODS_FILE_PLAN_H

#include "crt/hybrid/steps.h"
#include "product/methods/row.h"

/* Blocks of this length are not cut further: if they do not fit, the product is refused. */
#define GFP_FILE_MIN_BLOCK 64

/* The limits of a block. */
typedef struct gfp_file_limits {
    const gfp_method *method;
    size_t cap;       /* bytes; SIZE_MAX: no limit */
    unsigned threads; /* threads that a block may use */
    bool kept;        /* a dealer keeps all blocks, which are computed in steps */
    unsigned devices; /* as in gfp_limits */
} gfp_file_limits;

/* The ways to compute a block. */
typedef enum gfp_file_way {
    GFP_FILE_WITHIN, /* in memory */
    GFP_FILE_STEPS,  /* in steps of hybrid, with leaves in a file */
    GFP_FILE_LONG,   /* as the products of the two halves of the longer factor */
    GFP_FILE_HALVES, /* as Karatsuba's three products of halves of both factors */
    GFP_FILE_REFUSED /* not at all: it does not fit, and is not cut further */
} gfp_file_way;

typedef struct gfp_file_block {
    gfp_file_way how;
    gfp_range range; /* a is the longer factor */
    double factor;   /* its time over that in memory, further blocks being in memory */
    size_t half; /* LONG, HALVES: the coefficients of a half of a; the longest further block has no
                    more */
    gfp_plan plan; /* WITHIN */
    /* STEPS: the threads that multiply leaves; bytes of the work area in the file, leaves and what
     * exceeds the cap, and in memory, without tables. */
    gfp_hybrid_steps steps;
    unsigned workers;
    size_t streamed, held;
} gfp_file_block;

void gfp_file_plan_block(gfp_file_block *b, const gfp_file_limits *p, const gfp_range *range);
/* *b := the longest block of a product that is not cut further, *cuts := the cuts before it.
 * Returns the time of the product over its time without a cap. */
double gfp_file_plan_longest(gfp_file_block *b, unsigned *cuts, const gfp_file_limits *p,
                             const gfp_range *range);
/* The plan of a product of files, which keeps to its cap by files of leaves and halves;
 * plan->factor is their cost. */
bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits, bool kept);
/* Fills the error of a block that is not cut further and needs more than the cap; returns the
 * status. */
gfp_status gfp_file_refuse_block(const gfp_file_limits *p, const gfp_range *range,
                                 gfp_error *error);
/* Fills the error of a product of files that has no plan; returns its status. */
gfp_status gfp_file_refuse(const gfp_plan *plan, bool kept, gfp_error *error);

#endif
