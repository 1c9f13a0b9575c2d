/* operation_batch.h: loops of an operation over many independent items, which its threads share:
 * any items, and items that compute with short operands of one space.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_OPERATION_BATCH_H
#define GFP_POLY_OPERATION_BATCH_H

#include "poly/operation.h"

/* ---- any items ---- */

typedef struct gfp_operation_loop {
    /* Does the items from <= i < to, in its own array of `scratch` elements. Cancelled if
     * gfp_task_advance on task, one unit for each item, says so. */
    gfp_status (*run)(void *job, size_t from, size_t to, uint64_t *scratch, gfp_task *task);
    void *job;
    size_t items, chunk; /* chunk: items that a thread takes at least */
    size_t scratch;
    double units; /* of all items: see gfp_operation_begin */
    double cost;  /* of an item, in digit products */
} gfp_operation_loop;

/* Runs the loop. Errors: SIZE, MEMORY, CANCELLED, and those of run. */
gfp_status gfp_operation_loop_run(gfp_operation_call *op, const gfp_operation_loop *loop);

/* ---- items with operands ---- */

/* What a thread needs to compute items. */
typedef struct gfp_operation_worker {
    gfp_operation_call *op;
    gfp_operand_call *call; /* of a worker next to others; NULL: one item at a time */
    gfp_operand **x;        /* its own operands */
    uint64_t *z;            /* its own elements */
} gfp_operation_worker;

typedef struct gfp_operation_batch {
    gfp_status (*run)(void *job, size_t i, const gfp_operation_worker *w);
    void *job;
    gfp_space *space; /* of cyclic products */
    size_t items;
    size_t operands, elements; /* of each worker; at most GFP_OPERATION_WORKER_OPERANDS */
    size_t terms;              /* the most products of a sum */
    double units;
} gfp_operation_batch;
#define GFP_OPERATION_WORKER_OPERANDS 2

/* Runs all items: side by side, or one after the other, each by all threads, where items are few
 * and long or the method needs it. Errors: SIZE, MEMORY, CANCELLED, and those of run. */
gfp_status gfp_operation_batch_run(gfp_operation_call *op, const gfp_operation_batch *batch);

/* For run: as gfp_operation_set (n >= 1) and gfp_operation_dot. */
gfp_status gfp_operation_worker_set(const gfp_operation_worker *w, gfp_operand *x,
                                    const uint64_t *a, size_t n);
gfp_status gfp_operation_worker_dot(const gfp_operation_worker *w, uint64_t *c, size_t from,
                                    size_t end, const gfp_operand *const *x,
                                    const gfp_operand *const *y, size_t count);

#endif
