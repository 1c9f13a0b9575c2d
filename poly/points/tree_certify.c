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

typedef struct order {
    const gfp_field *field;
    const uint64_t *points;
    size_t *at; /* indices */
} order;

/* Whether point at[i] comes before point at[j]. */
static bool comes_before(const order *o, size_t i, size_t j)
{
    const size_t bytes = gfp_field_k(o->field) * sizeof(uint64_t);
    const uint64_t *points = o->points;
    const size_t k = gfp_field_k(o->field);
    return memcmp(points + o->at[i] * k, points + o->at[j] * k, bytes) < 0;
}

/* Element i sinks into the heap of the elements below n. */
static void tree_certify_sink(const order *o, size_t i, size_t n)
{
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && comes_before(o, child, child + 1)) {
            child++;
        }
        if (!comes_before(o, i, child)) {
            return;
        }
        const size_t index = o->at[i];
        o->at[i] = o->at[child];
        o->at[child] = index;
        i = child;
    }
}

static void tree_certify_sort(const order *o, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) {
        tree_certify_sink(o, i, n);
    }
    for (size_t end = n; end-- > 1;) {
        const size_t index = o->at[0];
        o->at[0] = o->at[end];
        o->at[end] = index;
        tree_certify_sink(o, 0, end);
    }
}

/* Values at equal points are equal. */
static gfp_status check_equal_points(gfp_operation_call *op, const gfp_tree *T,
                                     const uint64_t *values)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t *words;
    GFP_TRY(gfp_operation_array(op, &words, n / k + 1));
    const order o = {field, T->points, (size_t *)(void *)words};
    for (size_t i = 0; i < n; i++) {
        o.at[i] = i;
    }
    tree_certify_sort(&o, n);
    for (size_t i = 1; i < n; i++) {
        const size_t x = o.at[i - 1], y = o.at[i];
        if (gfp_elem_equal(field, T->points + x * k, T->points + y * k) &&
            !gfp_elem_equal(field, values + x * k, values + y * k)) {
            return gfp_operation_wrong(op, y);
        }
    }
    return GFP_OK;
}

/* ---- values by power sums ---- */

/* Power sums: s_j, the sum of x_i^j, j < n, are the coefficients of the series M' / M, both read
 * backwards. With g = (f - f(d)) / (X - d), whose coefficients are intermediate values of Horner's
 * rule, the sum of (f(x_i) - f(d)) / (d - x_i) is minus the sum of g_j s_j. If the values were
 * wrong, the sum of (y_i - f(x_i)) / (d - x_i) would be 0 at d, a fraction with a numerator of
 * degree below n, unless errors at equal points cancelled out: these are compared apart. */

/* s, n elements, := the power sums; derivative := M'. */
static gfp_status power_sums(gfp_operation_call *op, uint64_t *s, uint64_t *derivative,
                             const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n;
    uint64_t *reversed;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &reversed, n));
    GFP_TRY(gfp_series_times_index(op, derivative, T->product + gfp_field_k(field), 1, n));
    gfp_tree_reverse(field, reversed, derivative, n);
    GFP_TRY(gfp_operation_multiply_by(op, s, 0, n, reversed, n, T->inverse));
    const gfp_operation_claim claim = {.c = reversed,
                                       .a = s,
                                       .b = T->level[T->shape.levels].polys,
                                       .len_c = n,
                                       .len_a = n,
                                       .len_b = n + 1,
                                       .end = n};
    const uint64_t before = op->base.report.verify_ns;
    GFP_TRY(gfp_operation_check_product(op, &claim));
    op->base.report.verify_ns = before; /* counted by the caller */
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* M(d) and M'(d) are those of the factors. */
static gfp_status check_product_at(gfp_operation_call *op, const gfp_tree *T, const outside *o,
                                   const uint64_t *derivative)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t sum[GFP_MAX_K], y[GFP_MAX_K];
    GFP_TRY(gfp_check_value(op, y, T->product, n + 1, o->d));
    GFP_TRY(gfp_check_equal(op, y, o->product));
    gfp_elem_zero(field, sum);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_add(field, sum, sum, o->inverse + i * k);
    }
    gfp_elem_mul(field, sum, sum, o->product);
    GFP_TRY(gfp_check_value(op, y, derivative, n, o->d));
    return gfp_check_equal(op, y, sum);
}

static gfp_status check_by_power_sums_at(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                         const uint64_t *values, const uint64_t *s,
                                         const outside *o)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t *g, theta[GFP_MAX_K], left[GFP_MAX_K], right[GFP_MAX_K], *difference;
    GFP_TRY(gfp_operation_array(op, &g, f.len));
    GFP_TRY(gfp_operation_array(op, &difference, n));
    gfp_elem_set_u64(field, theta, o->d);
    GFP_TRY(gfp_sequence_horner(op, g, f.digits, f.len, theta));
    for (size_t i = 0; i < n; i++) { /* f(d) - y_i */
        gfp_elem_sub(field, difference + i * k, g, values + i * k);
    }
    gfp_vec_dot(field, left, difference, o->inverse, n);
    gfp_vec_dot(field, right, g + k, s, f.len - 1);
    return gfp_check_equal(op, left, right);
}

/* f is not 0 and has at most n terms. */
static gfp_status check_by_power_sums(gfp_operation_call *op, const gfp_tree *T, gfp_series f,
                                      const uint64_t *values, const uint64_t *d, unsigned count)
{
    uint64_t *s, *derivative;
    GFP_TRY(gfp_operation_array(op, &s, T->shape.n));
    GFP_TRY(gfp_operation_array(op, &derivative, T->shape.n));
    GFP_TRY(power_sums(op, s, derivative, T));
    for (unsigned i = 0; i < count; i++) {
        outside o;
        GFP_TRY(find_outside(op, &o, T, d[i]));
        GFP_TRY(check_product_at(op, T, &o, derivative));
        GFP_TRY(check_by_power_sums_at(op, T, f, values, s, &o));
    }
    return check_equal_points(op, T, values);
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
