/* steps.c: see steps.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/steps.h"

#include <string.h>

#include "crt/hybrid/product.h"

static size_t leaf_words(const gfp_hybrid_steps *s)
{
    return gfp_size_mul_sat(s->plan.shape.outer.m, s->choice.k);
}

bool gfp_hybrid_steps_plan(gfp_hybrid_steps *s, const gfp_field *field, size_t len_a, size_t len_b)
{
    gfp_hybrid_choose(&s->choice, field);
    if (!gfp_hybrid_plan_unwrapped(&s->plan, &s->choice, len_a, len_b)) {
        return false;
    }
    gfp_hybrid_shape *shape = &s->plan.shape;
    shape->group = 1;
    s->area = gfp_hybrid_align(gfp_size_mul_sat(shape->outer.leaves, leaf_words(s)));
    s->columns = shape->outer.m / s->choice.outer->lanes;
    s->tables = gfp_hybrid_table_bytes(shape);
    const size_t columns = gfp_hybrid_columns_words(&s->choice, &shape->outer);
    const size_t leaf =
        gfp_size_add_sat(gfp_hybrid_align(leaf_words(s)),
                         gfp_hybrid_align(gfp_leaf_work_words(s->choice.engine, shape)));
    s->room = columns > leaf ? columns : leaf;
    return true;
}

bool gfp_hybrid_steps_columns(const gfp_hybrid_steps *s, uint64_t *x, size_t len, uint64_t *leaves,
                              bool inverse, const size_t columns[2], uint64_t *room, gfp_task *task)
{
    const gfp_outer *outer = &s->plan.shape.outer;
    const size_t k = s->choice.k;
    const gfp_hybrid_piece polynomial = {x, 0, len, k},
                           area = {leaves, 0, outer->leaves * outer->m, k};
    const gfp_hybrid_pieces of_x = gfp_hybrid_one_piece(&polynomial),
                            of_leaves = gfp_hybrid_one_piece(&area);
    const gfp_hybrid_columns w = gfp_hybrid_columns_in(&s->choice, outer, room);
    return gfp_hybrid_columns_pass(&w, &of_x, len, &of_leaves, inverse, columns[0], columns[1],
                                   task);
}

bool gfp_hybrid_steps_leaf(const gfp_hybrid_steps *s, uint64_t *c, const uint64_t *a,
                           const uint64_t *b, unsigned j, uint64_t *room, gfp_task *task)
{
    const size_t n = leaf_words(s), at = j * n;
    const gfp_leaves leaf = {s->choice.engine, &s->plan.shape, j, 1, room + gfp_hybrid_align(n)};
    memcpy(room, a + at, n * sizeof *room);
    gfp_leaf_multiply(&leaf, (int64_t *)room, a == b ? (int64_t *)room : (const int64_t *)(b + at));
    memcpy(c + at, room, n * sizeof *c);
    return gfp_task_advance(task, (double)s->plan.shape.outer.m * GFP_HYBRID_LEAF_UNITS);
}
