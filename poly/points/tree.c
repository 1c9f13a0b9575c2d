/* tree.c: products from roots, and trees of products.
 *
 * A node's polynomial is the product of those of two nodes of half the points. Both have constant
 * term 1 and degree `size`, and are multiplied modulo X^L - 1, L >= 2 size: if L = 2 size the
 * highest coefficient of the product falls on the constant term, which is known.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/tree.h"

#include "product/operand/impl.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

void gfp_tree_reverse(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(field, z + i * k, x + (n - 1 - i) * k);
    }
}

/* ---- shapes ---- */

size_t gfp_tree_most_base(const gfp_operation_call *op)
{
    const size_t most = op->threshold[GFP_THRESHOLD_TREE_LEAF];
    return most >= GFP_TREE_MOST_BASE ? GFP_TREE_MOST_BASE : most >= 16 ? 16 : 8;
}

gfp_status gfp_tree_shape_of(gfp_tree_shape *shape, const gfp_operation_call *op, size_t n,
                             gfp_threshold threshold)
{
    /* Rings have 5, 6 or 8 times a power of 2 coefficients. */
    static const size_t eighths[] = {5, 6, 8};
    const size_t most = gfp_tree_most_base(op);
    *shape = (gfp_tree_shape){.n = n, .padded = n};
    if (op->classical || n <= op->threshold[threshold]) {
        return GFP_OK;
    }
    if (n > SIZE_MAX / 64) {
        return GFP_ERR_SIZE;
    }
    shape->groups = 1;
    while (most * shape->groups < n) {
        shape->groups *= 2;
        shape->levels++;
    }
    for (size_t i = 0; shape->base * shape->groups < n; i++) {
        shape->base = eighths[i] * most / 8;
    }
    shape->padded = shape->base * shape->groups;
    return GFP_OK;
}

/* ---- products of nodes ---- */

/* The products of neighbours in a level. */
typedef struct job {
    const gfp_field *field;
    const gfp_tree_level *level;
    uint64_t *above;
    size_t length; /* of the ring */
} job;

/* A product modulo X^(2 size) - 1 becomes the product. */
static void tree_unwrap(const gfp_field *field, uint64_t *c, size_t size)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(field, one);
    gfp_elem_sub(field, c + 2 * size * gfp_field_k(field), c, one);
    gfp_elem_set(field, c, one);
}

static gfp_status multiply_pair(void *user, size_t i, const gfp_operation_worker *w)
{
    const job *j = user;
    const gfp_tree_level *level = j->level;
    const size_t k = gfp_field_k(j->field), size = level->size, len = size + 1;
    const bool wraps = j->length == 2 * size;
    gfp_operand *x = level->x != NULL ? &level->x[2 * i] : w->x[0];
    gfp_operand *y = level->x != NULL ? &level->x[2 * i + 1] : w->x[1];
    uint64_t *c = j->above + i * (2 * size + 1) * k;
    GFP_TRY(gfp_operation_worker_set(w, x, level->polys + 2 * i * len * k, len));
    GFP_TRY(gfp_operation_worker_set(w, y, level->polys + (2 * i + 1) * len * k, len));
    const gfp_operand *const left[] = {x}, *const right[] = {y};
    GFP_TRY(gfp_operation_worker_dot(w, c, 0, 2 * size + (wraps ? 0 : 1), left, right, 1));
    if (wraps) {
        tree_unwrap(j->field, c, size);
    }
    return GFP_OK;
}

/* The units of a level, of a coefficient: two transforms, a product, a way back. */
#define LEVEL_UNITS (2 * GFP_OPERATION_SET_UNITS + 0.5)

gfp_status gfp_tree_multiply(gfp_operation_call *op, uint64_t *above, const gfp_tree_level *level,
                             gfp_space *s)
{
    job j = {op->field, level, above, gfp_space_length(s)};
    const gfp_operation_batch batch = {.run = multiply_pair,
                                       .job = &j,
                                       .space = s,
                                       .items = level->count / 2,
                                       .operands = level->x != NULL ? 0 : 2,
                                       .terms = 1,
                                       .units = LEVEL_UNITS * (double)(level->count * level->size)};
    return gfp_operation_batch_run(op, &batch);
}

/* ---- products from roots ---- */

void gfp_tree_negate(const gfp_field *field, uint64_t *minus, const uint64_t *points,
                     const gfp_tree_shape *shape)
{
    gfp_vec_neg(field, minus, points, shape->n);
    gfp_vec_zero(field, minus + shape->n * gfp_field_k(field), shape->padded - shape->n);
}

gfp_status gfp_tree_roots(gfp_operation_call *op, uint64_t *f, const uint64_t *points, size_t n)
{
    const gfp_field *field = op->field;
    gfp_tree_shape shape;
    uint64_t *minus, *polys, *above;
    GFP_TRY(gfp_tree_shape_of(&shape, op, n, GFP_THRESHOLD_TREE_ROOTS));
    if (shape.base == 0) {
        return gfp_classical_roots(op, f, points, n);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &minus, shape.padded));
    GFP_TRY(gfp_operation_array(op, &polys, shape.padded + shape.groups));
    GFP_TRY(gfp_operation_array(op, &above, shape.padded + shape.groups));
    gfp_tree_negate(field, minus, points, &shape);
    GFP_TRY(gfp_tree_leaves(op, polys, NULL, minus, &shape));
    for (size_t count = shape.groups; count > 1; count /= 2) {
        const gfp_tree_level level = {.size = shape.padded / count, .count = count, .polys = polys};
        gfp_space *s;
        GFP_TRY(gfp_operation_space_of(op, &s, 2 * level.size, 1, GFP_WRAP_CYCLIC));
        GFP_TRY(gfp_tree_multiply(op, above, &level, s));
        uint64_t *const below = polys;
        polys = above;
        above = below;
    }
    gfp_tree_reverse(field, f, polys, n + 1);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_tree_roots_units(size_t n)
{
    double units = 1;
    for (size_t m = n; m > GFP_TREE_MOST_BASE / 4; m /= 2) {
        units += LEVEL_UNITS;
    }
    return units * (double)n;
}
