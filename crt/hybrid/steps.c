/* steps.c: see steps.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/steps.h"

#include <string.h>

#include "crt/hybrid/product.h"

static size_t leaf_words(const gfp_hybrid_steps *s)
{
    return gfp_size_mul_sat(s->plan.shape.outer.m, s->choice.k);
}

bool gfp_hybrid_steps_plan(gfp_hybrid_steps *s, const gfp_field *field, size_t len_a, size_t len_b,
                           bool in_place)
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
    s->column_room = gfp_hybrid_align(gfp_hybrid_columns_words(&s->choice, &shape->outer));
    const size_t leaf =
        gfp_size_add_sat(in_place ? 0 : gfp_hybrid_align(leaf_words(s)),
                         gfp_hybrid_align(gfp_leaf_work_words(s->choice.engine, shape)));
    s->room = s->column_room > leaf ? s->column_room : leaf;
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
    const bool in_place = c == a;
    uint64_t *x = in_place ? c + at : room;
    const gfp_leaves leaf = {s->choice.engine, &s->plan.shape, j, 1,
                             in_place ? room : room + gfp_hybrid_align(n)};
    if (!in_place) {
        memcpy(x, a + at, n * sizeof *x);
    }
    gfp_leaf_multiply(&leaf, (int64_t *)x, (const int64_t *)(a == b ? x : b + at));
    if (!in_place) {
        memcpy(c + at, x, n * sizeof *x);
    }
    return gfp_task_advance(task, (double)s->plan.shape.outer.m * GFP_HYBRID_LEAF_UNITS);
}
