/* dealt.h: work dealt over several contexts, which may be of several devices: the group of members
 * (group.c); products (plan.c) and their two ways (leaves.c, parts.c); transforms (fft.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_DEALT_H
#define GFP_GPU_DEALT_H

#include "gpu/product_engine.h"

/* ---- groups ---- */

typedef struct gfp_gpu_dealt_member {
    gfp_gpu *gpu;
    /* ready: the member's work before a call, and then that of the call; made: results that others
     * copy are there; read, sent: copies by the member are done, to itself and to others (parts.c:
     * to itself; the place that they go to is free again). */
    gfp_gpu_fence *ready, *read, *made, *sent;
} gfp_gpu_dealt_member;

typedef struct gfp_gpu_dealt_group {
    const gfp_field *field;
    unsigned k, count;
    gfp_gpu_dealt_member members[GFP_GPU_MOST_MEMBERS];
} gfp_gpu_dealt_group;

/* Whether there is any member, and none is NULL. */
bool gfp_gpu_dealt_all(gfp_gpu *const *gpus, size_t members);
/* Ends a call that got a null pointer: ARGUMENT. */
gfp_status gfp_gpu_dealt_refuse(const char *name, const gfp_options *options);
/* Checks the members, and makes their fences and their ways to each other's memory. The caller
 * closes the group after an error, too. Errors, of the first member: ARGUMENT, UNAVAILABLE, MEMORY,
 * DEVICE. */
gfp_status gfp_gpu_dealt_open(gfp_gpu_dealt_group *group, gfp_gpu *const *gpus, size_t members,
                              const gfp_field *field);
/* Destroys the fences, behind gfp_gpu_dealt_wait. */
void gfp_gpu_dealt_close(gfp_gpu_dealt_group *group);
/* Waits for all work of the members, which write to each other's memory. Their errors stay. */
void gfp_gpu_dealt_wait(const gfp_gpu_dealt_group *group);
/* Member i has failed: its reason becomes that of the first member. Returns status. */
gfp_status gfp_gpu_dealt_failed(const gfp_gpu_dealt_group *group, unsigned i, gfp_status status);

/* A call for member i, inside its device; returns from the function if the call fails. */
#define GFP_GPU_DEALT_TRY(group, i, waits, call)                                                   \
    do {                                                                                           \
        int before_ = -1;                                                                          \
        gfp_gpu *const gpu_ = (group)->members[i].gpu;                                             \
        gfp_status status_ = gfp_gpu_enter(gpu_, (waits), &before_);                               \
        status_ = status_ != GFP_OK ? status_ : gfp_gpu_leave(gpu_, before_, (call));              \
        if (status_ != GFP_OK) {                                                                   \
            return gfp_gpu_dealt_failed((group), (i), status_);                                    \
        }                                                                                          \
    } while (0)

/* The elements of member i of len elements. */
size_t gfp_gpu_dealt_block(const gfp_gpu_dealt_group *group, size_t len, unsigned i);
/* Checks the arrays of len elements; *blocks := where they lie. */
gfp_status gfp_gpu_dealt_blocks(const gfp_gpu_dealt_group *group, gfp_gpu_array *const *x,
                                size_t len, gfp_gpu_blocks *blocks);
/* hold: the member's queue waits for a fence of any member; set: a fence follows the queue. */
gfp_status gfp_gpu_dealt_hold(const gfp_gpu_dealt_member *m, gfp_gpu_queue queue,
                              const gfp_gpu_fence *fence);
gfp_status gfp_gpu_dealt_set(const gfp_gpu_dealt_member *m, gfp_gpu_fence *fence,
                             gfp_gpu_queue queue);
/* The main queue of member i waits for what all members have sent so far. */
gfp_status gfp_gpu_dealt_hold_sent(const gfp_gpu_dealt_group *group, unsigned i);
/* All queues of all members wait for what is in all main queues now. */
gfp_status gfp_gpu_dealt_join(const gfp_gpu_dealt_group *group);
/* Rows of n elements, `pitch` elements apart at both ends. */
typedef struct gfp_gpu_dealt_rows {
    size_t n, rows, pitch;
} gfp_gpu_dealt_rows;
/* Enqueues a copy by member i. Copies that write to other devices are faster than those that read
 * from them. */
gfp_status gfp_gpu_dealt_copy(const gfp_gpu_dealt_group *group, unsigned i, gfp_gpu_queue queue,
                              uint64_t *to, const uint64_t *from, gfp_gpu_dealt_rows rows);

/* ---- products ---- */

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

struct gfp_gpu_dealt_way;

struct gfp_gpu_dealt_plan {
    gfp_allocator allocator;
    gfp_gpu_dealt_group group;
    size_t len_a, len_b;
    const struct gfp_gpu_dealt_way *way;
    unsigned groups; /* of columns or leaves: leaves.c */
    gfp_gpu_dealt_leaves leaves[GFP_GPU_MOST_MEMBERS];
    gfp_gpu_dealt_parts parts[GFP_GPU_MOST_MEMBERS];
};

/* A running product of factors 0 and 1. */
typedef struct gfp_gpu_dealt_product {
    gfp_gpu_dealt_plan *plan;
    const gfp_gpu_dealt_group *group;
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
    /* Enqueues a product, between two gfp_gpu_dealt_join. */
    gfp_status (*run)(const gfp_gpu_dealt_product *p);
} gfp_gpu_dealt_way;

extern const gfp_gpu_dealt_way gfp_gpu_dealt_by_leaves, gfp_gpu_dealt_by_parts;

#endif
