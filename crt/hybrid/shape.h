/* shape.h: the division of a hybrid product: into blocks of the factors if one product would
 * be too long or wasteful, and the shape of the product of two blocks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_SHAPE_H
#define GFP_CRT_HYBRID_SHAPE_H

#include "crt/cut.h"
#include "crt/hybrid/leaf/engine.h"
#include "field/base/support.h"
#include "field/base/task.h"

/* The units of a task: what an outer DFT, forward or inverse, takes for each point; what a leaf of
 * the product takes for each; and the digit products that a unit costs for each digit. */
#define GFP_HYBRID_OUTER_UNITS 1.0
#define GFP_HYBRID_LEAF_UNITS 14.0
#define GFP_HYBRID_UNIT_COST 2.0

/* Leaf digits and engines need lines of 64 bytes: GFP_HYBRID_LINE is the words of a line, and
 * gfp_hybrid_align rounds up to whole lines. Saturates. */
#define GFP_HYBRID_LINE 8
static inline size_t gfp_hybrid_align(size_t words)
{
    return gfp_size_add_sat(words, GFP_HYBRID_LINE - 1) / GFP_HYBRID_LINE * GFP_HYBRID_LINE;
}

/* Returns the first line of a work area, less than a line from its start. */
static inline uint64_t *gfp_hybrid_line(uint64_t *work)
{
    const size_t past = (uintptr_t)work / sizeof *work % GFP_HYBRID_LINE;
    return work + (GFP_HYBRID_LINE - past) % GFP_HYBRID_LINE;
}

/* Returns a / b rounded up, a >= 1. */
static inline size_t gfp_hybrid_ceil_div(size_t a, size_t b)
{
    return (a - 1) / b + 1;
}

/* The basis of planning: the field and the engines of a level. */
typedef struct gfp_hybrid_choice {
    const gfp_field *field;
    const gfp_leaf_engine *engine;
    const gfp_outer_engine *outer;
    gfp_level level;
    unsigned k, log2_k;
    /* log2 of the largest term of a leaf's coefficient, in units of 1 / GFP_HYBRID_BITS, rounded
     * up: k D^2, |d| <= D for leaf digits d. */
    unsigned term_log2;
    unsigned short_primes; /* the primes for leaves of the least length */
} gfp_hybrid_choice;
#define GFP_HYBRID_MAX_PRIMES 4

/* A plan: the product of len_a by len_b coefficients is the sum of the products of blocks of
 * block_a by block_b coefficients (the last ones may be shorter), each of this shape. */
typedef struct gfp_hybrid_plan {
    gfp_hybrid_shape shape;
    /* The shape of the product of the last shape.wrap coefficients of both factors; m = 0: by
     * convolution sums. */
    gfp_hybrid_shape top;
    size_t block_a, block_b;
    double cost; /* of the whole product, in nanoseconds, roughly */
    /* The threads with work areas, which multiply leaves; all threads of the task share the outer
     * DFT. 0 stands for 1. Planning leaves it 0. */
    unsigned threads;
} gfp_hybrid_plan;

static inline bool gfp_hybrid_is_cut(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b)
{
    return plan->block_a < len_a || plan->block_b < len_b;
}

/* Returns the number of blocks. */
static inline double gfp_hybrid_blocks(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b)
{
    return (double)gfp_cut_count(len_a, plan->block_a) *
           (double)gfp_cut_count(len_b, plan->block_b);
}

/* Returns the level whose engines serve the field: its own, or the portable one if an engine of its
 * own refuses k and r. */
gfp_level gfp_hybrid_level(const gfp_field *field);

/* Chooses the engines of that level. */
void gfp_hybrid_choose(gfp_hybrid_choice *choice, const gfp_field *field);

/* Whether leaves with `terms` terms stay below the bound of `count` primes. */
bool gfp_hybrid_admits(const gfp_hybrid_choice *choice, unsigned count, size_t terms);
/* Returns the number of primes that leaves with `terms` terms need; 0: there are too few. */
unsigned gfp_hybrid_primes(const gfp_hybrid_choice *choice, size_t terms);

/* Makes the cheapest plan for lengths >= 1. Returns false if their sum exceeds SIZE_MAX / 4, more
 * than any memory. */
bool gfp_hybrid_plan_make(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                          size_t len_b);

/* Finds the cheapest shape of at least `length` coefficients for sums of `terms` products whose
 * shorter factor has at most `shorter` coefficients; with cyclic a full tree. kept: its transforms
 * are kept, else it serves whole products only (gfp_hybrid_shape.real). *cost (may be NULL):
 * that of a product, as in a plan. Returns false if there is none. */
bool gfp_hybrid_plan_ring(gfp_hybrid_shape *shape, const gfp_hybrid_choice *choice, size_t length,
                          size_t terms, size_t shorter, bool cyclic, bool kept, double *cost);

/* The same for a ring modulo x^L + 1, L at least `length`: the upper half, at most 8, of the leaves
 * of a tree of x^2L - 1. Returns false if there is none. */
bool gfp_hybrid_plan_negacyclic(gfp_hybrid_shape *shape, const gfp_hybrid_choice *choice,
                                size_t length, size_t terms, size_t shorter, double *cost);

/* Makes the cheapest plan of at most 16 leaves that computes lengths >= 1 as one block without
 * wrap-around. Returns false if there is none. */
bool gfp_hybrid_plan_unwrapped(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                               size_t len_b);

/* multiply.c: c := a b by this plan, which may be any that fits: full trees if it wraps around, and
 * no wrap-around if it cuts into blocks. work has gfp_hybrid_words words (saturates). Errors:
 * MEMORY, CANCELLED. */
size_t gfp_hybrid_words(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan, size_t len_a,
                        size_t len_b);
gfp_status gfp_hybrid_run(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                          const gfp_range *r, uint64_t *c, uint64_t *work, gfp_task *task);
/* c := the first r->end coefficients of a b in the ring of the plan's shape. The plan is one block
 * and computes no wrapped coefficients separately. */
gfp_status gfp_hybrid_run_first(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                                const gfp_range *r, uint64_t *c, uint64_t *work, gfp_task *task);

#endif
