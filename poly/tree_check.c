/* tree_check.c: checks of trees and of what they compute, at random points or by the quadratic
 * algorithms.
 *
 * All products of a level are compared at the same points: a wrong one of them passes no more often
 * than if it were the only one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "support.h"
#include "tree.h"
#include "verify.h"

/* The length for which points are drawn: polynomials below n, at points that must not be among n
 * others. */
static size_t checked_length(size_t n)
{
    return gfp_size_mul_sat(2, n) + 1;
}

bool gfp_tree_has_check_points(const gfp_operation_call *op, const gfp_tree *T)
{
    int log2_error;
    return gfp_verify_points(op->field, checked_length(T->shape.n), &log2_error) > 0;
}

/* Begins a check over n coefficients; points = 0: by the quadratic algorithm. */
static gfp_status begin(gfp_operation_call *op, size_t n, unsigned *points, uint64_t *d,
                        double items)
{
    GFP_TRY(gfp_operation_check_begin(op, checked_length(n), points, d, items,
                                      (double)gfp_field_k(op->field)));
    if (*points == 0) {
        op->report.cross_method = "classical";
    }
    return GFP_OK;
}

/* z := the product of n elements, which are overwritten; 1 for n = 0. */
static void product_of(const gfp_field *field, uint64_t *z, uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    if (n == 0) {
        gfp_elem_one(field, z);
        return;
    }
    while (n > 1) {
        const size_t half = n / 2;
        gfp_vec_mul(field, x, x, x + (n - half) * k, half);
        n -= half;
    }
    gfp_elem_copy(field, z, x);
}

/* z_i := d - x_i. */
static void subtract_from(const gfp_field *field, uint64_t *z, uint64_t d, const uint64_t *x,
                          size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t value[GFP_MAX_K];
    gfp_elem_set_u64(field, value, d);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_sub(field, z + i * k, value, x + i * k);
    }
}

static gfp_status value_of(gfp_operation_call *op, uint64_t *y, const uint64_t *f, size_t len,
                           uint64_t d)
{
    gfp_elem_zero(op->field, y);
    return len == 0 || gfp_verify_evaluate(op->field, y, f, len, d, &op->task) ? GFP_OK
                                                                               : GFP_ERR_CANCELLED;
}

static gfp_status expect_equal(const gfp_operation_call *op, const uint64_t *x, const uint64_t *y)
{
    return gfp_elem_equal(op->field, x, y) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* Whether x and y are equal in all n elements; x must be canonical. */
static gfp_status expect_all_equal(const gfp_operation_call *op, const uint64_t *x,
                                   const uint64_t *y, size_t n)
{
    const size_t k = gfp_field_k(op->field);
    for (size_t i = 0; i < n; i++) {
        if (!gfp_elem_equal(op->field, x + i * k, y + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

static gfp_status expect_canonical(const gfp_operation_call *op, const uint64_t *x, size_t n)
{
    const size_t i = gfp_vec_canonical(op->field, x, n);
    return i == n ? GFP_OK : gfp_operation_wrong(op, i);
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
    GFP_TRY(expect_canonical(op, f, n + 1));
    GFP_TRY(begin(op, n, &count, d, 2 * (double)n));
    if (count == 0) {
        return roots_again(op, f, points, n);
    }
    GFP_TRY(gfp_operation_array(op, &z, n));
    for (unsigned i = 0; i < count; i++) {
        subtract_from(op->field, z, d[i], points, n);
        product_of(op->field, y, z, n);
        GFP_TRY(value_of(op, x, f, n + 1, d[i]));
        GFP_TRY(expect_equal(op, x, y));
    }
    return GFP_OK;
}

/* ---- times of checks ---- */

typedef struct stopwatch {
    gfp_operation_call *op;
    gfp_operation_mark mark;
    uint64_t start;
} stopwatch;

static stopwatch start_watch(gfp_operation_call *op)
{
    return (stopwatch){op, gfp_operation_mark_here(op), gfp_clock_ns()};
}

static gfp_status stop_watch(const stopwatch *c, gfp_status status)
{
    gfp_operation_release(c->op, c->mark);
    c->op->report.verify_ns += gfp_clock_ns() - c->start;
    return status;
}

gfp_status gfp_tree_check_roots(gfp_operation_call *op, const uint64_t *f, const uint64_t *points,
                                size_t n)
{
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const stopwatch c = start_watch(op);
    return stop_watch(&c, check_roots(op, f, points, n));
}

/* ---- all products of a tree ---- */

/* below := the values at d of the nodes of a level. */
static gfp_status level_values(gfp_operation_call *op, uint64_t *below, const gfp_tree_level *level,
                               uint64_t d)
{
    const size_t k = gfp_field_k(op->field), len = level->size + 1;
    for (size_t i = 0; i < level->count; i++) {
        GFP_TRY(value_of(op, below + i * k, level->polys + i * len * k, len, d));
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
        gfp_vec_scale(field, to, T->minus + j * groups * k, value, groups);
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
            GFP_TRY(expect_equal(op, found + i * k, expected + i * k));
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
        gfp_elem_copy(field, points + p * k, T->points + (number * T->shape.groups + leaf) * k);
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
    GFP_TRY(begin(op, shape->padded, &count, d, (double)shape->padded * (shape->levels + 2)));
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

gfp_status gfp_tree_check_products(gfp_operation_call *op, gfp_tree *T)
{
    if (op->options->verify == GFP_VERIFY_NONE || atomic_load(&T->checked)) {
        return GFP_OK;
    }
    const stopwatch c = start_watch(op);
    GFP_TRY(stop_watch(&c, T->shape.base == 0 ? check_roots(op, T->product, T->points, T->shape.n)
                                              : check_products(op, T)));
    atomic_store(&T->checked, true);
    return GFP_OK;
}

/* ---- evaluations by checked products ---- */

/* Whether the vector v of a node follows from w, that of the node above, by the polynomial of the
 * other node. */
static gfp_status check_step(gfp_operation_call *op, const uint64_t *v, const uint64_t *w,
                             const uint64_t *other, size_t size, uint64_t d)
{
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    const gfp_range range = {.field = op->field,
                             .a = other,
                             .b = w,
                             .len_a = size + 1,
                             .len_b = 2 * size,
                             .first = size,
                             .end = 2 * size};
    if (!gfp_verify_evaluate_range(x, &range, d, &op->task)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(value_of(op, y, v, size, d));
    return expect_equal(op, x, y);
}

static gfp_status check_down(gfp_operation_call *op, const gfp_tree *T, unsigned l,
                             const uint64_t *v, const uint64_t *w)
{
    const gfp_tree_level *level = &T->level[l];
    const size_t k = gfp_field_k(op->field), size = level->size;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    GFP_TRY(expect_canonical(op, v, T->shape.padded));
    GFP_TRY(begin(op, T->shape.padded, &count, d, 10 * (double)T->shape.padded));
    for (unsigned p = 0; p < count; p++) {
        for (size_t i = 0; i < level->count; i++) {
            GFP_TRY(check_step(op, v + i * size * k, w + i / 2 * 2 * size * k,
                               level->polys + (i ^ 1) * (size + 1) * k, size, d[p]));
        }
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_down(gfp_operation_call *op, const gfp_tree *T, unsigned level,
                               const uint64_t *v, const uint64_t *w)
{
    const stopwatch c = start_watch(op);
    return stop_watch(&c, check_down(op, T, level, v, w));
}

/* The sum over a leaf's points of d^j y_j is that over t of w_t N_t, N the sum of d^j times the
 * product of 1 - x_i X over the leaf's other points: w holds the values of the series 1 / (1 - x X)
 * times the leaf's polynomial. */
static gfp_status check_leaves_at(gfp_operation_call *op, const gfp_tree *T, const uint64_t *values,
                                  const uint64_t *v, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), base = T->shape.base, groups = T->shape.groups;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], power[GFP_MAX_K], theta[GFP_MAX_K], *c, *sums, *row;
    GFP_TRY(gfp_operation_array(op, &c, T->shape.padded));
    GFP_TRY(gfp_operation_array(op, &sums, T->shape.padded));
    GFP_TRY(gfp_operation_array(op, &row, base));
    gfp_elem_set_u64(field, theta, d);
    gfp_elem_one(field, power);
    for (size_t j = 0; j < base; j++) {
        for (size_t i = 0; i < groups; i++) {
            gfp_elem_copy(field, c + (j * groups + i) * k, power);
        }
        gfp_elem_mul(field, power, power, theta);
    }
    GFP_TRY(gfp_tree_leaf_sums(op, sums, c, T));
    for (size_t i = 0; i < groups; i++) {
        for (size_t j = 0; j < base; j++) {
            gfp_elem_copy(field, row + j * k, values + (j * groups + i) * k);
        }
        GFP_TRY(value_of(op, x, row, base, d));
        gfp_tree_reverse(field, row, sums + i * base * k, base);
        gfp_vec_dot(field, y, row, v + i * base * k, base);
        GFP_TRY(expect_equal(op, x, y));
    }
    return GFP_OK;
}

static gfp_status check_leaf_values(gfp_operation_call *op, const gfp_tree *T,
                                    const uint64_t *values, const uint64_t *v)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    GFP_TRY(expect_canonical(op, values, T->shape.padded));
    GFP_TRY(begin(op, T->shape.padded, &count, d, 2 * (double)T->shape.padded));
    for (unsigned p = 0; p < count; p++) {
        GFP_TRY(check_leaves_at(op, T, values, v, d[p]));
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_leaf_values(gfp_operation_call *op, const gfp_tree *T,
                                      const uint64_t *values, const uint64_t *v)
{
    const stopwatch c = start_watch(op);
    return stop_watch(&c, check_leaf_values(op, T, values, v));
}

/* ---- values by weights ---- */

/* A random point that is no point of the tree: M there, and 1 / (d - x_i), n elements. */
typedef struct outside {
    uint64_t d, product[GFP_MAX_K];
    uint64_t *inverse;
} outside;

static gfp_status find_outside(gfp_operation_call *op, outside *o, const gfp_tree *T, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n, k = gfp_field_k(field);
    const uint64_t r = gfp_field_r(field), most = r < (uint64_t)1 << 60 ? r : (uint64_t)1 << 60;
    uint64_t *copy;
    gfp_status status;
    GFP_TRY(gfp_operation_array(op, &o->inverse, n));
    GFP_TRY(gfp_operation_array(op, &copy, n));
    GFP_TRY(gfp_operation_may_take(op, (n + 64) * k * sizeof(uint64_t)));
    for (o->d = d;; o->d = o->d + 1 < most ? o->d + 1 : 0) {
        subtract_from(field, copy, o->d, T->points, n);
        status = gfp_vec_inv(field, o->inverse, copy, n, NULL);
        if (status != GFP_ERR_NOT_INVERTIBLE) {
            break;
        }
        if (!gfp_task_advance(&op->task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    product_of(field, o->product, copy, n);
    return status;
}

/* sum of w_i / (d - x_i) = 1 / M(d). */
static gfp_status check_weights_at(gfp_operation_call *op, const gfp_tree *T, const outside *o)
{
    uint64_t sum[GFP_MAX_K];
    gfp_vec_dot(op->field, sum, atomic_load(&T->weights), o->inverse, T->shape.n);
    gfp_elem_mul(op->field, sum, sum, o->product);
    return gfp_elem_is_one(op->field, sum) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* f(d) = M(d) sum of y_i w_i / (d - x_i). */
static gfp_status check_values_at(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                  const uint64_t *values, const outside *o)
{
    uint64_t sum[GFP_MAX_K], y[GFP_MAX_K];
    gfp_vec_mul(op->field, o->inverse, o->inverse, atomic_load(&T->weights), T->shape.n);
    gfp_vec_dot(op->field, sum, values, o->inverse, T->shape.n);
    gfp_elem_mul(op->field, sum, sum, o->product);
    GFP_TRY(value_of(op, y, f.digits, f.len, o->d));
    return expect_equal(op, y, sum);
}

static gfp_status check_by_weights(gfp_operation_call *op, gfp_tree *T, gfp_series f,
                                   const uint64_t *values, const uint64_t *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        outside o;
        GFP_TRY(find_outside(op, &o, T, d[i]));
        if (!atomic_load(&T->weights_checked)) {
            GFP_TRY(check_weights_at(op, T, &o));
        }
        GFP_TRY(check_values_at(op, T, f, values, &o));
    }
    atomic_store(&T->weights_checked, true);
    return GFP_OK;
}

/* ---- values without weights ---- */

/* The sum over i of d^i y_i is that over j of f_j times the sum over i of d^i x_i^j. */
static gfp_status check_by_sums_at(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                   const uint64_t *values, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t theta[GFP_MAX_K], sum[GFP_MAX_K], y[GFP_MAX_K], term[GFP_MAX_K], *power;
    GFP_TRY(gfp_operation_array(op, &power, n));
    gfp_elem_set_u64(field, theta, d);
    gfp_elem_one(field, power);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_mul(field, power + i * k, power + (i - 1) * k, theta);
    }
    gfp_vec_dot(field, y, power, values, n);
    gfp_elem_zero(field, sum);
    for (size_t j = 0; j < f.len; j++) {
        gfp_elem_copy(field, term, power);
        for (size_t i = 1; i < n; i++) {
            gfp_elem_add(field, term, term, power + i * k);
        }
        gfp_elem_mul(field, term, term, f.digits + j * k);
        gfp_elem_add(field, sum, sum, term);
        gfp_vec_mul(field, power, power, T->points, n);
        if (!gfp_task_advance(&op->task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return expect_equal(op, y, sum);
}

gfp_status gfp_classical_check(gfp_operation_call *op, gfp_series f, const uint64_t *points,
                               const uint64_t *values, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t y[GFP_MAX_K];
    op->report.cross_method = "classical";
    for (size_t i = 0; i < n; i++) {
        gfp_elem_zero(field, y);
        for (size_t j = f.len; j-- > 0;) {
            gfp_elem_mul(field, y, y, points + i * k);
            gfp_elem_add(field, y, y, f.digits + j * k);
            if (!gfp_task_advance(&op->task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
        if (!gfp_elem_equal(field, y, values + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

static gfp_status check_values(gfp_operation_call *op, gfp_tree *T, gfp_series f,
                               const uint64_t *values)
{
    const size_t n = T->shape.n;
    const bool weights = atomic_load(&T->weights) != NULL;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    GFP_TRY(expect_canonical(op, values, n));
    GFP_TRY(expect_canonical(op, f.digits, f.len));
    GFP_TRY(begin(op, n, &count, d,
                  weights && gfp_tree_has_check_points(op, T) ? 20 * (double)n
                                                              : (double)n * (double)(f.len + 1)));
    if (count == 0) {
        return gfp_classical_check(op, f, T->points, values, n);
    }
    if (weights) {
        return check_by_weights(op, T, f, values, d, count);
    }
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_by_sums_at(op, T, f, values, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_values(gfp_operation_call *op, gfp_tree *T, gfp_series f,
                                 const uint64_t *values)
{
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const stopwatch c = start_watch(op);
    return stop_watch(&c, check_values(op, T, f, values));
}

unsigned gfp_tree_claims(const gfp_tree_shape *shape)
{
    return shape->levels + 3;
}
