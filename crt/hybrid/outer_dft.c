/* outer_dft.c: see outer_dft.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/outer_dft.h"

#include "field/base/parallel.h"

size_t gfp_hybrid_digit_words(const gfp_outer *outer)
{
    const size_t digits =
        gfp_size_mul_sat(gfp_size_mul_sat(outer->leaves, outer->m), gfp_field_k(outer->field));
    return digits == SIZE_MAX ? digits : gfp_outer_words(outer);
}

/* A running transform. */
typedef struct pass {
    const gfp_hybrid_nodes *nodes;
    const uint64_t *x; /* the coefficients to transform; NULL: the inverse, to z */
    uint64_t *z;
    size_t len;
} pass;

/* Without a callback all columns are done between two reports. */
static gfp_status transform_columns(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const pass *s = user;
    const gfp_outer *outer = s->nodes->outer;
    const gfp_outer_engine *engine = s->nodes->choice->outer;
    const size_t points = (outer->leaves >> gfp_outer_log2_step(outer)) * engine->lanes;
    const double units = (double)points * GFP_HYBRID_OUTER_UNITS;
    const size_t step = task == NULL
                            ? to - from
                            : gfp_task_block(units * GFP_HYBRID_UNIT_COST * s->nodes->choice->k);
    (void)worker;
    for (size_t v = from; v < to; v += step) {
        const size_t end = to - v < step ? to : v + step;
        if (s->x != NULL) {
            engine->forward(outer, s->nodes->digits, s->x, s->len, v, end);
        } else {
            engine->inverse(outer, s->z, s->len, s->nodes->digits, v, end);
        }
        if (!gfp_task_advance(task, (double)(end - v) * units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The chunks of columns for each thread: with this number no thread waits long for the last
 * ones. */
#define COLUMN_ROUNDS 4

static bool share_columns(pass *s, gfp_task *task)
{
    const gfp_outer *outer = s->nodes->outer;
    const size_t columns =
        (outer->m << gfp_outer_log2_step(outer)) / s->nodes->choice->outer->lanes;
    const gfp_parallel loop = {.run = transform_columns, .job = s};
    return gfp_parallel_for(&loop, task, columns,
                            gfp_parallel_chunk(task, columns, COLUMN_ROUNDS)) == GFP_OK;
}

bool gfp_hybrid_forward(const gfp_hybrid_nodes *nodes, const uint64_t *x, size_t len,
                        gfp_task *task)
{
    pass s = {.nodes = nodes, .x = x, .len = len};
    return share_columns(&s, task);
}

bool gfp_hybrid_inverse(const gfp_hybrid_nodes *nodes, uint64_t *z, size_t len, gfp_task *task)
{
    pass s = {.nodes = nodes, .z = z, .len = len};
    return share_columns(&s, task);
}

void gfp_hybrid_refine(const gfp_hybrid_nodes *nodes, unsigned first, unsigned count)
{
    const gfp_outer *outer = nodes->outer;
    const unsigned step = 1U << gfp_outer_log2_step(outer);
    for (unsigned j = (first + step - 1) & ~(step - 1); step > 1 && j < first + count; j += step) {
        nodes->choice->outer->refine(outer, nodes->digits + gfp_outer_leaf_at(outer, j), j / step);
    }
}

void gfp_hybrid_coarsen(const gfp_hybrid_nodes *nodes, unsigned first, unsigned count)
{
    const gfp_outer *outer = nodes->outer;
    const unsigned step = 1U << gfp_outer_log2_step(outer);
    for (unsigned j = first & ~(step - 1); step > 1 && j + step <= first + count; j += step) {
        nodes->choice->outer->coarsen(outer, nodes->digits + gfp_outer_leaf_at(outer, j), j / step);
    }
}
