/* plan.h: a plan: how a method computes a range of the coefficients of a product, and the resources
 * that this takes. The row of the method plans a computation at once; if that exceeds a cap on
 * memory, blocks.c cuts the range. A plan holds no memory except the tables between prepare and
 * finish.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_PLAN_H
#define GFP_PRODUCT_METHODS_PLAN_H

#include "gfpoly/fft.h"
#include "crt/cut.h"
#include "crt/hybrid/product.h"
#include "crt/small/native_product.h"

struct gfp_method;

/* The part of a plan that belongs to the row. */
typedef union gfp_plan_state {
    gfp_hybrid_product hybrid;
    gfp_native_product native;
    struct {
        size_t n; /* the transform's length */
        gfp_fft_plan *transform;
    } bigfft;
    size_t words[8]; /* for other rows */
} gfp_plan_state;

typedef struct gfp_plan {
    gfp_range range; /* the range to compute; its coefficients are not read */
    size_t areas;    /* words of areas, of a product of files that a dealer keeps */
    /* The field remembers the members from here to the end, of `state` state_bytes, as they are
     * before prepare. */
    const struct gfp_method *method;
    gfp_limits limits;
    gfp_needs needs;
    size_t bytes;     /* of memory, without the result and the tables that stay with the field */
    double factor;    /* time on one thread over the time without a cap */
    unsigned workers; /* BATCH: threads that compute different products; 0: one product after the
                         other */
    /* The range is computed in blocks: stripes of its coefficients, and parts of the longer factor,
     * of at most this length. 0: it is computed at once. */
    size_t block;
    size_t state_bytes; /* the row sets fewer than all if it uses fewer */
    gfp_plan_state state;
} gfp_plan;

/* Plans a trimmed range (gfp_range_trim) by a row, within limits: on limits->threads; on one thread
 * if the cap is too small for several; then in blocks. False: no plan keeps to the cap, or memory
 * cannot hold such lengths; plan->bytes is then the need of one thread at once. */
bool gfp_plan_make(gfp_plan *plan, const struct gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits);
/* The time of the range over the time of the whole product, without a cap. */
double gfp_plan_share(const struct gfp_method *method, const gfp_range *range);
/* c := the coefficients range.first <= i < range.end of the product, on plan->limits.threads
 * threads of the task. range has the plan's lengths; c overlaps neither factor. Spans one part of
 * the task (may be NULL). On CANCELLED c is undefined; on another error c is unchanged, unless the
 * plan has blocks or runs on a device; *error (may be NULL) is filled. Errors: SIZE, MEMORY,
 * CANCELLED, and the row's. */
gfp_status gfp_plan_run(gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                        gfp_error *error);
/* For several products by a plan without blocks. prepare makes the tables that the products need
 * (none on an error); method->run computes each product, in a work area of plan->needs.words words
 * that is aligned to 64 bytes; finish frees the tables. */
gfp_status gfp_plan_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error);
void gfp_plan_finish(gfp_plan *plan);

/* blocks.c: the range in blocks of this length. */
gfp_cut gfp_blocks_cut(const gfp_range *range, size_t block);
/* The largest blocks of the range, each planned by the method on one thread, that take at most
 * limits->cap bytes; then on more threads if the cap allows. False: no blocks are small enough. */
bool gfp_blocks_make(gfp_plan *plan);
gfp_status gfp_blocks_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, gfp_task *task,
                          gfp_error *error);

#endif
