/* plan.h: a plan says how a method computes a range of the coefficients of a product, and what that
 * takes. The row of the method plans what it computes at once; where that exceeds a cap on memory,
 * blocks.c cuts the range. A plan holds no memory but the tables between prepare and finish.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PLAN_H
#define GFP_PLAN_H

#include "gfpoly/fft.h"
#include "hybrid_product.h"
#include "native_product.h"

struct gfp_method;

/* A range in stripes of `width` coefficients, each the sum of what pieces of `length` coefficients
 * of the longer factor add, as halving both often enough gives, where they are longer than that.
 * Where a stripe has several pieces, what each adds is computed apart. */
typedef struct gfp_blocks {
    gfp_range range; /* a is the longer factor */
    size_t width, length, pieces;
    size_t stripes; /* 0: the range is computed at once */
} gfp_blocks;

/* What a row keeps in its plan. */
typedef union gfp_plan_state {
    gfp_hybrid_product hybrid;
    gfp_native_product native;
    struct {
        size_t n; /* the transform's length */
        gfp_fft_plan *transform;
    } bigfft;
    size_t words[8]; /* whatever another row needs */
} gfp_plan_state;

typedef struct gfp_plan {
    const struct gfp_method *method;
    gfp_range range; /* what is wanted; its coefficients are not read */
    gfp_limits limits;
    gfp_needs needs;
    size_t bytes;     /* of memory, without the result and what stays with the field */
    double factor;    /* of its time on one thread, over that without a cap */
    unsigned workers; /* of a batch: threads, each with products of its own; 0: one by one */
    gfp_blocks blocks;
    gfp_plan_state state;
} gfp_plan;

/* The plan of a row for a range that is trimmed (gfp_range_trim), within limits: on
 * limits->threads, on one where the cap does not suffice for several, then in blocks. False:
 * nothing keeps to the cap, or memory cannot hold such lengths; plan->bytes is what one thread
 * takes at once then. */
bool gfp_plan_make(gfp_plan *plan, const struct gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits);
/* The time of the range by that of the whole product without a cap. */
double gfp_plan_share(const struct gfp_method *method, const gfp_range *range);
/* c := the coefficients range.first <= i < range.end of the product, by plan->limits.threads
 * threads of the task; a range of the plan's lengths. c overlaps neither factor. It spans one part
 * of the task (may be NULL). On CANCELLED c is undefined; on another error c is unchanged, unless
 * the plan has blocks or is on a device; *error (may be NULL) is filled.
 * Errors: SIZE, MEMORY, CANCELLED, and the row's. */
gfp_status gfp_plan_run(gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                        gfp_error *error);
/* For several products by a plan without blocks: prepare makes the tables that they need (on an
 * error it leaves none), method->run computes each, in a work area of plan->needs.words words that
 * is aligned to 64 bytes, and finish frees the tables. */
gfp_status gfp_plan_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error);
void gfp_plan_finish(gfp_plan *plan);

/* Leaves out coefficients of a and b that matter to none of the range. */
void gfp_range_trim(gfp_range *range);

/* blocks.c: the largest blocks of the range, each planned by the method on one thread, that take at
 * most limits->cap bytes; then on more threads if the cap allows. False: there are none. */
bool gfp_blocks_make(gfp_plan *plan);
gfp_status gfp_blocks_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                          gfp_error *error);

#endif
