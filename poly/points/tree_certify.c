/* tree_certify.c: checks of values at the points of a tree, and of interpolations, by an identity
 * at random points: by the weights of the tree, or by power sums of its points. No transform of the
 * tree is trusted.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "poly/sequence.h"
#include "poly/points/tree_check.h"
#include "field/elem.h"

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
    GFP_TRY(gfp_call_afford(&op->base, (n + 64) * k * sizeof(uint64_t)));
    for (o->d = d;; o->d = o->d + 1 < most ? o->d + 1 : 0) {
        gfp_check_differences(field, copy, o->d, T->points, n);
        status = gfp_vec_inv(field, o->inverse, copy, n, NULL);
        if (status != GFP_ERR_NOT_INVERTIBLE) {
            break;
        }
        if (!gfp_task_advance(&op->base.task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_check_product(field, o->product, copy, n);
    return status;
}

/* sum of w_i / (d - x_i) = 1 / M(d). */
static gfp_status check_weights_at(gfp_operation_call *op, const gfp_tree *T,
                                   const uint64_t *weights, const outside *o)
{
    uint64_t sum[GFP_MAX_K];
    gfp_vec_dot(op->field, sum, weights, o->inverse, T->shape.n);
    gfp_elem_mul(op->field, sum, sum, o->product);
    return gfp_elem_is_one(op->field, sum) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* f(d) = M(d) sum of y_i w_i / (d - x_i). */
static gfp_status check_values_at(gfp_operation_call *op, const gfp_tree *T,
                                  const uint64_t *weights, gfp_series f, const uint64_t *values,
                                  const outside *o)
{
    uint64_t sum[GFP_MAX_K], y[GFP_MAX_K];
    gfp_vec_mul(op->field, o->inverse, o->inverse, weights, T->shape.n);
    gfp_vec_dot(op->field, sum, values, o->inverse, T->shape.n);
    gfp_elem_mul(op->field, sum, sum, o->product);
    GFP_TRY(gfp_check_value(op, y, f.digits, f.len, o->d));
    return gfp_check_equal(op, y, sum);
}

static gfp_status check_by_weights(gfp_operation_call *op, const gfp_tree *T,
                                   const uint64_t *weights, gfp_series f, const uint64_t *values,
                                   const uint64_t *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        outside o;
        GFP_TRY(find_outside(op, &o, T, d[i]));
        GFP_TRY(check_weights_at(op, T, weights, &o));
        GFP_TRY(check_values_at(op, T, weights, f, values, &o));
    }
    return GFP_OK;
}

/* ---- equal points ---- */

#define MIX 0x9e3779b97f4a7c15U /* odd: 2^64 / 1.618 */

/* Values at equal points are equal. A table of the points by their 1 / (d - x_i), which no choice
 * of points makes equal by chance. */
static gfp_status check_equal_points(gfp_operation_call *op, const gfp_tree *T,
                                     const uint64_t *values, const outside *o)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t *table; /* indices from 1 on; 0: free */
    size_t size = 4;
    while (size < 2 * n) {
        size *= 2;
    }
    GFP_TRY(gfp_operation_array(op, &table, size / k + 1));
    memset(table, 0, size * sizeof *table);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *x = o->inverse + i * k;
        size_t at = (size_t)((x[0] * MIX + x[k - 1]) * MIX >> 32) & (size - 1);
        while (table[at] != 0 && !gfp_elem_equal(field, o->inverse + (table[at] - 1) * k, x)) {
            at = (at + 1) & (size - 1);
        }
        const size_t first = table[at] == 0 ? i : (size_t)table[at] - 1;
        table[at] = first + 1;
        if (!gfp_elem_equal(field, values + first * k, values + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

/* ---- values by power sums ---- */

/* Power sums: s_j, the sum of x_i^j, j < n, are the coefficients of the series M' / M, both read
 * backwards. With g = (f - f(d)) / (X - d) the sum of (f(x_i) - f(d)) / (d - x_i) is minus the sum
 * of g_j s_j, which is (f div X) s, s read backwards, from X^(n-1) on at d. If the values were
 * wrong, the sum of (y_i - f(x_i)) / (d - x_i) would be 0 at d, a fraction with a numerator of
 * degree below n, unless errors at equal points cancelled out: these are compared apart. */

/* s, n elements, := the power sums, the last one first; derivative := M'. */
static gfp_status power_sums(gfp_operation_call *op, uint64_t *s, uint64_t *derivative,
                             const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n;
    uint64_t *sums;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &sums, n));
    GFP_TRY(gfp_series_times_index(op, derivative, T->product + gfp_field_k(field), 1, n));
    gfp_tree_reverse(field, s, derivative, n);
    GFP_TRY(gfp_operation_multiply_by(op, sums, 0, n, s, n, T->inverse));
    const gfp_operation_claim claim = {.c = s,
                                       .a = sums,
                                       .b = T->level[T->shape.levels].polys,
                                       .len_c = n,
                                       .len_a = n,
                                       .len_b = n + 1,
                                       .end = n};
    GFP_TRY(gfp_operation_check_product(op, &claim));
    gfp_tree_reverse(field, s, sums, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* z := the sum of n elements, which are overwritten. */
static void add_up(const gfp_field *field, uint64_t *z, uint64_t *x, size_t n)
{
    while (n > 1) {
        const size_t half = n / 2;
        gfp_vec_add(field, x, x, x + (n - half) * gfp_field_k(field), half);
        n -= half;
    }
    gfp_elem_set(field, z, x);
}

/* M(d) and M'(d) are those of the factors; sum: of all 1 / (d - x_i). */
static gfp_status check_product_at(gfp_operation_call *op, const gfp_tree *T, const outside *o,
                                   const uint64_t *derivative, const uint64_t *sum)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    GFP_TRY(gfp_check_value(op, y, T->product, n + 1, o->d));
    GFP_TRY(gfp_check_equal(op, y, o->product));
    gfp_elem_mul(field, x, sum, o->product);
    GFP_TRY(gfp_check_value(op, y, derivative, n, o->d));
    return gfp_check_equal(op, y, x);
}

/* s: as power_sums leaves them. f(d) times the sum, less that of all y_i / (d - x_i), is that of
 * g_j s_j. */
static gfp_status check_by_power_sums_at(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                         const uint64_t *values, const uint64_t *s,
                                         const outside *o, const uint64_t *sum)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n, terms = f.len - 1;
    const gfp_range range =
        gfp_range_make(field, f.digits + gfp_field_k(field), s, terms, n, n - 1, n + terms - 1);
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    GFP_TRY(gfp_check_value(op, x, f.digits, f.len, o->d));
    gfp_elem_mul(field, x, x, sum);
    gfp_vec_dot(field, y, values, o->inverse, n);
    gfp_elem_sub(field, x, x, y);
    return gfp_verify_evaluate_range(y, &range, o->d, &op->base.task) ? gfp_check_equal(op, x, y)
                                                                      : GFP_ERR_CANCELLED;
}

/* f has more than FEW_TERMS and at most n terms. Power sums that were right stay with the tree. */
static gfp_status check_by_power_sums(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                      const uint64_t *values, const uint64_t *d, unsigned count)
{
    const uint64_t *kept = atomic_load(&T->sums);
    uint64_t *s, *derivative, *copy, sum[GFP_MAX_K];
    const size_t n = T->shape.n;
    GFP_TRY(gfp_operation_array(op, &copy, n));
    if (kept == NULL) {
        GFP_TRY(gfp_operation_array(op, &s, n));
        GFP_TRY(gfp_operation_array(op, &derivative, n));
        GFP_TRY(power_sums(op, s, derivative, T));
    }
    for (unsigned i = 0; i < count; i++) {
        outside o;
        GFP_TRY(find_outside(op, &o, T, d[i]));
        gfp_vec_set(op->field, copy, o.inverse, n);
        add_up(op->field, sum, copy, n);
        if (kept == NULL) {
            GFP_TRY(check_product_at(op, T, &o, derivative, sum));
        }
        GFP_TRY(check_by_power_sums_at(op, T, f, values, kept == NULL ? s : kept, &o, sum));
        GFP_TRY(i > 0 ? GFP_OK : check_equal_points(op, T, values, &o));
    }
    if (kept == NULL) {
        gfp_tree_keep(op, T, &((gfp_tree *)T)->sums, s);
    }
    return GFP_OK;
}

/* ---- values at few points, or of few terms ---- */

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
        gfp_elem_set(field, term, power);
        for (size_t i = 1; i < n; i++) {
            gfp_elem_add(field, term, term, power + i * k);
        }
        gfp_elem_mul(field, term, term, f.digits + j * k);
        gfp_elem_add(field, sum, sum, term);
        gfp_vec_mul(field, power, power, T->points, n);
        if (!gfp_task_advance(&op->base.task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return gfp_check_equal(op, y, sum);
}

gfp_status gfp_classical_check(gfp_operation_call *op, gfp_series f, const uint64_t *points,
                               const uint64_t *values, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t y[GFP_MAX_K];
    op->base.report.cross_method = "classical";
    for (size_t i = 0; i < n; i++) {
        gfp_elem_zero(field, y);
        for (size_t j = f.len; j-- > 0;) {
            gfp_elem_mul(field, y, y, points + i * k);
            gfp_elem_add(field, y, y, f.digits + j * k);
            if (!gfp_task_advance(&op->base.task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
        if (!gfp_elem_equal(field, y, values + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

/* Up to this number of terms, sums of powers of the points are found one by one. */
#define FEW_TERMS 16

/* Begins the check of n values of `len` terms; few: the check at points is quadratic, too. */
static gfp_status begin_values(gfp_operation_call *op, size_t n, size_t len, bool few,
                               unsigned *points, uint64_t *d)
{
    int log2_error;
    const bool quadratic = few || op->base.options->verify == GFP_VERIFY_CROSS ||
                           gfp_verify_points(op->field, gfp_check_length(n), &log2_error) == 0;
    const double units = op->check_units;
    if (quadratic) {
        op->check_units = gfp_classical_values_units(n, len);
    }
    const gfp_status status = gfp_check_begin(
        op, n, points, d, quadratic ? (double)n * (double)(len + 1) : 20 * (double)n);
    op->check_units = units;
    return status;
}

static gfp_status check_values(gfp_operation_call *op, const gfp_tree *T, const uint64_t *weights,
                               gfp_series f, const uint64_t *values)
{
    const size_t n = T->shape.n;
    const bool few = T->shape.base == 0 || f.len <= FEW_TERMS;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    GFP_TRY(gfp_check_canonical(op, values, n));
    GFP_TRY(gfp_check_canonical(op, f.digits, f.len));
    GFP_TRY(begin_values(op, n, f.len, weights == NULL && few, &count, d));
    if (count == 0) {
        return gfp_classical_check(op, f, T->points, values, n);
    }
    if (weights != NULL) {
        return check_by_weights(op, T, weights, f, values, d, count);
    }
    if (!few) {
        return check_by_power_sums(op, T, f, values, d, count);
    }
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_by_sums_at(op, T, f, values, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_tree_check_values(gfp_operation_call *op, const gfp_tree *T, const uint64_t *weights,
                                 gfp_series f, const uint64_t *values)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const gfp_check_watch c = gfp_check_start(op);
    return gfp_check_stop(&c, check_values(op, T, weights, f, values));
}
