/* long.c: products of a long and a short factor: the short factor is transformed once, the
 * long factor is cut into blocks, and each block is a product by an operand of crt/hybrid/ring.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/long.h"

#include "field/base/support.h"
#include "field/base/word.h"

/* Shares of a product in the ring: the transform of the short factor, and each block's product. */
#define TRANSFORM_SHARE 0.25
#define BLOCK_SHARE 0.8

bool gfp_hybrid_long_make(gfp_hybrid_long *plan, const gfp_field *field, size_t longer,
                          size_t shorter)
{
    bool found = false;
    const unsigned log2 = 63 - gfp_clz64(shorter);
    if (shorter < GFP_LONG_LEAST || longer / GFP_LONG_RATIO < shorter) {
        return false;
    }
    for (size_t total = (size_t)1 << (log2 + 2); total / 2 < longer && total < SIZE_MAX / 4;
         total *= 2) {
        gfp_hybrid_long other = {.longer = longer, .shorter = shorter};
        const size_t blocks = gfp_hybrid_ceil_div(longer, total - shorter + 1);
        other.block = gfp_hybrid_ceil_div(longer, blocks);
        if (!gfp_hybrid_ring_shape(&other.ring, field, other.block + shorter - 1, shorter)) {
            break;
        }
        other.cost = other.ring.cost * (TRANSFORM_SHARE + BLOCK_SHARE * (double)blocks);
        if (!found || other.cost < plan->cost) {
            *plan = other;
            found = true;
        }
    }
    return found;
}

/* Returns the words besides the work area of the ring: the transform, and the overlap of a block
 * with the block before. */
static size_t tail_words(const gfp_hybrid_long *plan)
{
    return gfp_size_mul_sat(plan->shorter, plan->ring.choice.k);
}

size_t gfp_hybrid_long_words(const gfp_hybrid_long *plan, unsigned threads)
{
    const size_t transform = gfp_size_add_sat(plan->ring.head.words, GFP_HYBRID_LINE);
    return gfp_size_add_sat(gfp_size_add_sat(transform, tail_words(plan)),
                            gfp_hybrid_rings.work(&plan->ring.head, true, threads));
}

static bool long_run(const gfp_hybrid_long *plan, uint64_t *c, const uint64_t *a, const uint64_t *b,
                     uint64_t *work, gfp_task *task)
{
    const gfp_ring *ring = &plan->ring.head;
    const gfp_field *field = ring->field;
    const size_t k = field->k, overlap = plan->shorter - 1;
    gfp_transform y = {.words = gfp_hybrid_line(work)};
    uint64_t *tail = y.words + ring->words, *rest = tail + tail_words(plan);
    const size_t terms = gfp_ring_terms(ring, plan->block, 1, plan->shorter, 1);
    const gfp_ring_call call = {.ring = ring, .work = rest, .task = task};
    if (ring->engine->transform(&call, &y, b, plan->shorter) != GFP_OK) {
        return false;
    }
    for (size_t i = 0; i < plan->longer; i += plan->block) {
        const size_t n = gfp_size_min(plan->block, plan->longer - i);
        uint64_t *z = c + i * k;
        gfp_vec_set(field, tail, z, i > 0 ? overlap : 0);
        const gfp_ring_part part = {z, 0, n + overlap};
        const gfp_ring_factor factor = {a + i * k, n};
        if (ring->engine->multiply_by(&call, &part, &factor, &y, terms) != GFP_OK) {
            return false;
        }
        gfp_vec_add(field, z, z, tail, i > 0 ? overlap : 0);
    }
    return true;
}

gfp_status gfp_hybrid_long_run(const gfp_hybrid_long *plan, uint64_t *c, const uint64_t *a,
                               const uint64_t *b, uint64_t *work, gfp_task *task)
{
    const double blocks = (double)gfp_hybrid_ceil_div(plan->longer, plan->block);
    const gfp_ring_units units = gfp_hybrid_rings.units(&plan->ring.head);
    const double each = units.transform + units.product + units.restore;
    if (!gfp_task_span(task, 1, units.transform + blocks * each, units.cost)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    gfp_status status = gfp_hybrid_ring_prepare(&plan->ring);
    if (status == GFP_OK && !long_run(plan, c, a, b, work, task)) {
        status = GFP_ERR_CANCELLED;
    }
    gfp_rounding_end(rounding);
    return status;
}
