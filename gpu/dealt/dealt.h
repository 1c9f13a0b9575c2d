/* dealt.h: products dealt over several contexts: the plan, and its two ways (leaves.c,
 * parts.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_DEALT_H
#define GFP_GPU_DEALT_H

#include "gpu/product_engine.h"

/* What a member has of a product by leaves. */
typedef struct gfp_gpu_dealt_leaves {
    gfp_gpu_cyclic cyclic; /* engine NULL: not created */
    uint64_t *work[2];     /* areas for transforms, work_bytes each */
    size_t work_bytes;
    uint64_t *staged[2]; /* each factor's blocks of the other members, in their order */
    size_t staged_bytes[2];
    gfp_gpu_share_shape shape;
    unsigned first, end; /* its leaves */
} gfp_gpu_dealt_leaves;

/* What a member has of a product by parts. */
typedef struct gfp_gpu_dealt_parts {
    gfp_gpu_product_plan *plan;     /* of its block of the longer factor by the shorter factor */
    gfp_gpu_array shorter, product; /* all of the shorter factor; the member's product */
} gfp_gpu_dealt_parts;

typedef struct gfp_gpu_dealt_member {
    gfp_gpu *gpu;
    gfp_gpu_dealt_leaves leaves;
    gfp_gpu_dealt_parts parts;
    /* ready: the member's work before, and then after, a product is done; read: copies to the
     * member are done; made: results that others copy are there; sent: copies from the member are
     * done. */
    gfp_gpu_fence *ready, *read, *made, *sent;
} gfp_gpu_dealt_member;

struct gfp_gpu_dealt_way;

struct gfp_gpu_dealt_plan {
    gfp_allocator allocator;
    const gfp_field *field;
    unsigned k, count;
    size_t len_a, len_b;
    unsigned groups;
    const struct gfp_gpu_dealt_way *way;
    gfp_gpu_dealt_member members[GFP_GPU_MOST_MEMBERS];
};

/* A running product of factors 0 and 1. */
typedef struct gfp_gpu_dealt_product {
    gfp_gpu_dealt_plan *plan;
    gfp_gpu_blocks x[2], c;
    size_t len[2], len_c;
    bool square;
} gfp_gpu_dealt_product;

/* A way to compute dealt products. Errors are those of the first member. */
typedef struct gfp_gpu_dealt_way {
    /* Makes what the members need. After UNAVAILABLE the plan asks the next way. */
    gfp_status (*open)(gfp_gpu_dealt_plan *plan);
    /* Releases what member i has, also after a failure, inside its device. */
    void (*close)(gfp_gpu_dealt_plan *plan, unsigned i);
    /* Enqueues a product, between `ready` before and after it. */
    gfp_status (*run)(const gfp_gpu_dealt_product *p);
} gfp_gpu_dealt_way;

extern const gfp_gpu_dealt_way gfp_gpu_dealt_by_leaves, gfp_gpu_dealt_by_parts;

/* Member i has failed: its reason becomes that of the first member. Returns status. */
gfp_status gfp_gpu_dealt_failed(const gfp_gpu_dealt_plan *plan, unsigned i, gfp_status status);

/* A call for member i, inside its device; returns from the function if the call fails. */
#define GFP_GPU_DEALT_TRY(plan, i, waits, call)                                                    \
    do {                                                                                           \
        int before_ = -1;                                                                          \
        gfp_gpu *const gpu_ = (plan)->members[i].gpu;                                              \
        gfp_status status_ = gfp_gpu_enter(gpu_, (waits), &before_);                               \
        status_ = status_ != GFP_OK ? status_ : gfp_gpu_leave(gpu_, before_, (call));              \
        if (status_ != GFP_OK) {                                                                   \
            return gfp_gpu_dealt_failed((plan), (i), status_);                                     \
        }                                                                                          \
    } while (0)

/* The coefficients of member i of a polynomial of len coefficients. */
size_t gfp_gpu_dealt_block(const gfp_gpu_dealt_plan *plan, size_t len, unsigned i);
/* hold: the member's queue waits for a fence of any member; set: a fence follows the queue. */
gfp_status gfp_gpu_dealt_hold(const gfp_gpu_dealt_member *m, gfp_gpu_queue queue,
                              const gfp_gpu_fence *fence);
gfp_status gfp_gpu_dealt_set(const gfp_gpu_dealt_member *m, gfp_gpu_fence *fence,
                             gfp_gpu_queue queue);
/* hold for the fences `ready` of all members. */
gfp_status gfp_gpu_dealt_hold_ready(const gfp_gpu_dealt_plan *plan, unsigned i,
                                    gfp_gpu_queue queue);
/* Enqueues a copy of `rows` rows of n elements, `pitch` elements apart at both ends, in member i's
 * queue of uploads, where all copies between members are. */
gfp_status gfp_gpu_dealt_copy(const gfp_gpu_dealt_plan *plan, unsigned i, uint64_t *to,
                              const uint64_t *from, size_t n, size_t rows, size_t pitch);

#endif
