/* tree_check.c: checks of products from roots and of all products of a tree, at random points or by
 * the quadratic algorithm.
 *
 * All products of a level are compared at the same points: a wrong one of them passes no more often
 * than if it were the only one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/support.h"
#include "poly/points/tree_check.h"

/* Whether x and y are equal in all n elements; x must be canonical. */
static gfp_status expect_all_equal(gfp_operation_call *op, const uint64_t *x, const uint64_t *y,
                                   size_t n)
{
    const size_t k = gfp_field_k(op->field);
    for (size_t i = 0; i < n; i++) {
        if (!gfp_elem_equal(op->field, x + i * k, y + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

/* ---- products from roots ---- */

static gfp_status roots_again(gfp_operation_call *op, const uint64_t *f, const uint64_t *points,
                              size_t n)
{
    uint64_t *again;
    GFP_TRY(gfp_operation_array(op, &again, n + 1));
    GFP_TRY(gfp_classical_roots(op, again, points, n));
    return expect_all_equal(op, f, again, n + 1);
}

static gfp_status check_roots(gfp_operation_call *op, const uint64_t *f, const uint64_t *points,
                              size_t n)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS], x[GFP_MAX_K], y[GFP_MAX_K], *z;
    unsigned count;
    GFP_TRY(gfp_check_canonical(op, f, n + 1));
    GFP_TRY(gfp_check_begin(op, n, &count, d, 2 * (double)n));
    if (count == 0) {
        return roots_again(op, f, points, n);
    }
    GFP_TRY(gfp_operation_array(op, &z, n));
    for (unsigned i = 0; i < count; i++) {
        gfp_check_differences(op->field, z, d[i], points, n);
        gfp_check_product(op->field, y, z, n);
        GFP_TRY(gfp_check_value(op, x, f, n + 1, d[i]));
        GFP_TRY(gfp_check_equal(op, x, y));
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_roots(gfp_operation_call *op, const uint64_t *f, const uint64_t *points,
                                size_t n)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const gfp_check_watch c = gfp_check_start(op);
    return gfp_check_stop(&c, check_roots(op, f, points, n));
}

/* ---- all products of a tree ---- */

/* below := the values at d of the nodes of a level. */
static gfp_status level_values(gfp_operation_call *op, uint64_t *below, const gfp_tree_level *level,
                               uint64_t d)
{
    const size_t k = gfp_field_k(op->field), len = level->size + 1;
    for (size_t i = 0; i < level->count; i++) {
        GFP_TRY(gfp_check_value(op, below + i * k, level->polys + i * len * k, len, d));
    }
    return GFP_OK;
}

/* z, `groups` elements, := the products of 1 - d x_i over the points of each leaf. */
static void leaf_products(gfp_operation_call *op, uint64_t *z, uint64_t *x, const gfp_tree *T,
                          uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), groups = T->shape.groups;
    uint64_t value[GFP_MAX_K], one[GFP_MAX_K];
    gfp_elem_one(field, one);
    gfp_elem_set_u64(field, value, d);
    for (size_t j = 0; j < T->shape.base; j++) {
        uint64_t *to = j == 0 ? z : x;
        gfp_vec_scalar_mul(field, to, T->minus + j * groups * k, value, groups);
        for (size_t i = 0; i < groups; i++) {
            gfp_elem_add(field, to + i * k, to + i * k, one);
        }
        if (j > 0) {
            gfp_vec_mul(field, z, z, x, groups);
        }
    }
}

static gfp_status check_products_at(gfp_operation_call *op, const gfp_tree *T, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *expected, *found;
    GFP_TRY(gfp_operation_array(op, &expected, T->shape.groups));
    GFP_TRY(gfp_operation_array(op, &found, T->shape.groups));
    leaf_products(op, expected, found, T, d);
    for (unsigned l = 0; l <= T->shape.levels; l++) {
        const gfp_tree_level *level = &T->level[l];
        GFP_TRY(level_values(op, found, level, d));
        for (size_t i = 0; i < level->count; i++) {
            GFP_TRY(gfp_check_equal(op, found + i * k, expected + i * k));
        }
        for (size_t i = 0; i + 1 < level->count; i += 2) {
            gfp_elem_mul(field, expected + i / 2 * k, found + i * k, found + (i + 1) * k);
        }
    }
    return GFP_OK;
}

/* By the quadratic algorithm: the polynomial of node i of a level, from its points. */
static gfp_status check_node_again(gfp_operation_call *op, const gfp_tree *T, unsigned l, size_t i)
{
    const gfp_field *field = op->field;
    const gfp_tree_level *level = &T->level[l];
    const size_t k = gfp_field_k(field), size = level->size;
    uint64_t *points, *f, *reversed;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &points, size));
    GFP_TRY(gfp_operation_array(op, &f, size + 1));
    GFP_TRY(gfp_operation_array(op, &reversed, size + 1));
    for (size_t p = 0; p < size; p++) {
        const size_t leaf = (i << l) + p / T->shape.base, number = p % T->shape.base;
        gfp_elem_set(field, points + p * k, T->points + (number * T->shape.groups + leaf) * k);
    }
    GFP_TRY(gfp_classical_roots(op, f, points, size));
    gfp_tree_reverse(field, reversed, f, size + 1);
    GFP_TRY(expect_all_equal(op, level->polys + i * (size + 1) * k, reversed, size + 1));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status check_products(gfp_operation_call *op, const gfp_tree *T)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    const gfp_tree_shape *shape = &T->shape;
    GFP_TRY(
        gfp_check_begin(op, shape->padded, &count, d, (double)shape->padded * (shape->levels + 2)));
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_products_at(op, T, d[i]));
    }
    for (unsigned l = 0; l <= shape->levels && count == 0; l++) {
        for (size_t i = 0; i < T->level[l].count; i++) {
            GFP_TRY(check_node_again(op, T, l, i));
        }
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_products(gfp_operation_call *op, const gfp_tree *T)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const gfp_check_watch c = gfp_check_start(op);
    return gfp_check_stop(&c, T->shape.base == 0
                                  ? check_roots(op, T->product, T->points, T->shape.n)
                                  : check_products(op, T));
}
