/* tree_check.c: checks of products from roots and of all products of a tree: leaves at random
 * points, products of pairs modulo random polynomials; or all by the quadratic algorithm.
 *
 * All leaves are compared at the same points: a wrong one of them passes no more often than if it
 * were the only one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/kernels.h"
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

/* z, `groups` elements, := the values of the leaves at d. */
static gfp_status leaf_values(gfp_operation_call *op, uint64_t *z, const gfp_tree *T, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), len = T->shape.base + 1, groups = T->shape.groups;
    const uint64_t *polys = T->level[0].polys;
    const gfp_folding all = {.x = polys, .len = len, .count = groups, .apart = len, .j = 1, .d = d};
    if (gfp_verify_folds(field) && !gfp_field_kernels(field)->fold(field, z, 1, &all)) {
        return gfp_check_canonical(op, polys, len * groups);
    }
    for (size_t i = 0; i < groups && !gfp_verify_folds(field); i++) {
        GFP_TRY(gfp_check_value(op, z + i * k, polys + i * len * k, len, d));
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

static gfp_status check_leaves_at(gfp_operation_call *op, const gfp_tree *T, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t groups = T->shape.groups;
    uint64_t *expected, *found;
    gfp_random g;
    GFP_TRY(gfp_operation_array(op, &expected, groups));
    GFP_TRY(gfp_operation_array(op, &found, groups));
    if (gfp_verify_folds(field)) { /* a digit for fold */
        gfp_random_seed(&g, d);
        d = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
        gfp_operation_count_points(op, 0, (int)gfp_log2_above(T->shape.base) - GFP_FOLD_BITS);
    }
    leaf_products(op, expected, found, T, d);
    GFP_TRY(leaf_values(op, found, T, d));
    return gfp_vec_equal(field, found, expected, groups) ? GFP_OK
                                                         : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* The products of the pairs of nodes of level l. */
static gfp_status check_level(gfp_operation_call *op, const gfp_tree *T, unsigned l)
{
    const gfp_tree_level *level = &T->level[l];
    const size_t len = level->size + 1;
    const gfp_batch_claim claim = {.field = op->field,
                                   .a = level->polys,
                                   .b = level->polys + len * gfp_field_k(op->field),
                                   .c = T->level[l + 1].polys,
                                   .batch = {.count = level->count / 2,
                                             .len_a = len,
                                             .len_b = len,
                                             .stride_a = 2 * len,
                                             .stride_b = 2 * len,
                                             .stride_c = 2 * len - 1}};
    return gfp_operation_check_batch(op, &claim);
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
    GFP_TRY(gfp_check_begin(op, shape->base, &count, d, (double)shape->padded));
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_leaves_at(op, T, d[i]));
    }
    for (unsigned l = 0; l < shape->levels && count > 0; l++) {
        GFP_TRY(check_level(op, T, l));
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
