/* hybrid_stream.c: the hybrid product in work memory of the caller's, most of which is only gone
 * through from end to end: it may lie in a file. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt.h"
#include "hybrid_shape.h"
#include "support.h"

/* The leaves of both factors, which the work area begins with: the outer DFT writes and reads them
 * in as many streams as there are leaves, and each is multiplied once, in memory. */
static size_t leaf_bytes(const gfp_hybrid_plan *plan)
{
    const gfp_outer *outer = &plan->shape.outer;
    const size_t nodes = outer->leaves >> gfp_outer_log2_step(outer);
    return gfp_size_mul_sat(nodes * gfp_outer_node_words(outer), 2 * sizeof(uint64_t));
}

/* Bytes of tables for each coefficient of a full tree, of all engines: 6 to 12, and up to 20 where
 * the leaf length is odd (measured). */
static size_t table_bytes(const gfp_hybrid_shape *shape)
{
    const size_t n = gfp_size_mul_sat(shape->outer.m, (size_t)1 << shape->outer.log2_size);
    return gfp_size_mul_sat(n, shape->odd == 1 ? 12 : 20);
}

bool gfp_crt_hybrid_areas(gfp_crt_areas *areas, const gfp_field *field, size_t len_a, size_t len_b,
                          unsigned threads)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&plan, &choice, len_a, len_b)) {
        return false;
    }
    plan.threads = threads;
    const size_t words = gfp_hybrid_words(&choice, &plan, len_a, len_b);
    const size_t leaves = leaf_bytes(&plan);
    size_t bytes = 0;
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t)) || leaves > bytes) {
        return false;
    }
    *areas = (gfp_crt_areas){leaves, bytes - leaves, table_bytes(&plan.shape)};
    return true;
}

gfp_status gfp_crt_mul_hybrid_in(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 unsigned threads, gfp_task *task)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&plan, &choice, len_a, len_b)) {
        return GFP_ERR_SIZE;
    }
    plan.threads = threads;
    return gfp_hybrid_run(&choice, &plan, c, a, len_a, b, len_b, work, task);
}
