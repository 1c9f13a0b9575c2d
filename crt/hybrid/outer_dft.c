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

/* Running transforms with nodes of one tree. */
typedef struct pass {
    const gfp_hybrid_input *inputs; /* NULL: the inverse of nodes, to z */
    const gfp_hybrid_nodes *nodes;  /* the first ones */
    uint64_t *z;
    size_t len;
} pass;

static size_t column_count(const gfp_hybrid_nodes *nodes)
{
    const gfp_outer *outer = nodes->outer;
    return (outer->m << gfp_outer_log2_step(outer)) / nodes->choice->outer->lanes;
}

/* Transforms columns v0 <= v < v1 of one polynomial. */
static void transform_piece(const pass *s, size_t polynomial, size_t v0, size_t v1)
{
    const gfp_outer *outer = s->nodes->outer;
    const gfp_outer_engine *engine = s->nodes->choice->outer;
    if (s->inputs != NULL) {
        const gfp_hybrid_input *in = &s->inputs[polynomial];
        engine->forward(outer, in->nodes.digits, in->x, in->len, v0, v1);
    } else {
        engine->inverse(outer, s->z, s->len, s->nodes->digits, v0, v1);
    }
}

/* Item i is column i mod columns of a polynomial. Without a callback all columns of one are done
 * between two reports. */
static gfp_status transform_columns(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const pass *s = user;
    const gfp_outer *outer = s->nodes->outer;
    const size_t points =
        (outer->leaves >> gfp_outer_log2_step(outer)) * s->nodes->choice->outer->lanes;
    const double units = (double)points * GFP_HYBRID_OUTER_UNITS;
    const size_t columns = column_count(s->nodes);
    const size_t step =
        task == NULL ? columns : gfp_task_block(units * GFP_HYBRID_UNIT_COST * s->nodes->choice->k);
    (void)worker;
    size_t end;
    for (size_t i = from; i < to; i = end) {
        const size_t v = i % columns;
        const size_t n = gfp_size_min(gfp_size_min(to - i, columns - v), step);
        end = i + n;
        transform_piece(s, i / columns, v, v + n);
        if (!gfp_task_advance(task, (double)n * units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The chunks of columns for each thread: with this number no thread waits long for the last
 * ones. */
#define COLUMN_ROUNDS 4

static bool share_columns(pass *s, size_t polynomials, gfp_task *task)
{
    const size_t columns = polynomials * column_count(s->nodes);
    const gfp_parallel loop = {.run = transform_columns, .job = s};
    return gfp_parallel_for(&loop, task, columns,
                            gfp_parallel_chunk(task, columns, COLUMN_ROUNDS)) == GFP_OK;
}

bool gfp_hybrid_forward(const gfp_hybrid_input *inputs, size_t count, gfp_task *task)
{
    pass s = {.inputs = inputs, .nodes = &inputs->nodes};
    return share_columns(&s, count, task);
}

bool gfp_hybrid_inverse(const gfp_hybrid_nodes *nodes, uint64_t *z, size_t len, gfp_task *task)
{
    pass s = {.nodes = nodes, .z = z, .len = len};
    return share_columns(&s, 1, task);
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
