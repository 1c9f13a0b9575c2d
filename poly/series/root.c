/* root.c: square roots of power series.
 *
 * Let s be the root of f and g = 1 / s, both modulo X^h, and h < n <= 2 h. The coefficients
 * h <= i < n of s are those of r g / 2, r = f - s^2. Modulo X^L - 1, L >= h, what wraps around in
 * s^2 falls on coefficients below h, which are those of f: a square of length h gives r. Then g is
 * carried on as an inverse of s, with the same transform of g. The transform of s of length n, made
 * for that, serves the next square.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/series/impl.h"

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* s_i := (f_i - sum over 0 < j < i of s_j s_(i-j)) / 2. */
static gfp_status root_recurrence(gfp_operation_call *op, uint64_t *s, size_t n, gfp_series f)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t sum[GFP_MAX_K];
    GFP_TRY(
        gfp_operation_step(op, (double)n, (double)n, (double)n * gfp_task_product_cost(field) / 2));
    gfp_elem_one(field, s);
    for (size_t i = 1; i < n; i++) {
        gfp_vec_dot_reversed(field, sum, s + k, s + k, i - 1);
        if (i < f.len) {
            gfp_elem_sub(field, sum, f.digits + i * k, sum);
        } else {
            gfp_elem_neg(field, sum, sum);
        }
        gfp_vec_div_2exp(field, s + i * k, sum, 1, 1);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* A root under way. */
typedef struct root {
    gfp_operation_call *op;
    uint64_t *s, *g;
    gfp_series f;
    gfp_operand *kept; /* s in the space of the last step; NULL: there was none */
    size_t n;
    bool both;
} root;

/* r := the coefficients h <= i < n of f - s^2; square: room for all that the space has. */
static gfp_status root_difference(root *w, uint64_t *r, size_t h, size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    const gfp_operand *const s[] = {w->kept};
    const size_t length = gfp_space_length(gfp_operand_space(w->kept));
    const size_t direct = gfp_size_min(n, length), wrapped = n - direct;
    const gfp_series f = gfp_series_slice(op->field, w->f, h, n - h);
    const gfp_series low = gfp_series_slice(op->field, w->f, 0, wrapped);
    uint64_t *square;
    GFP_TRY(gfp_operation_array(op, &square, direct));
    GFP_TRY(gfp_operation_dot(op, square, wrapped == 0 ? h : 0, direct, s, s, 1));
    gfp_series_copy(op->field, r, n - h, f);
    gfp_vec_sub(op->field, r, r, square + h * k, direct - h);
    uint64_t *end = r + (direct - h) * k;
    gfp_vec_sub(op->field, end, end, square, wrapped);
    gfp_vec_add(op->field, end, end, low.digits, low.len);
    return GFP_OK;
}

/* g, right modulo X^h, := 1 / s modulo X^n. */
static gfp_status carry_inverse(root *w, const gfp_operand *inverse, size_t h, size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    const gfp_operand *const x[] = {w->kept}, *const y[] = {inverse};
    uint64_t *e;
    GFP_TRY(gfp_operation_array(op, &e, n));
    GFP_TRY(gfp_operation_set(op, w->kept, w->s, n));
    GFP_TRY(gfp_operation_dot(op, e, h, n, x, y, 1));
    GFP_TRY(gfp_operation_multiply_by(op, w->g + h * k, 0, n - h, e + h * k, n - h, inverse));
    gfp_vec_neg(op->field, w->g + h * k, w->g + h * k, n - h);
    return GFP_OK;
}

static gfp_status make_first(root *w, size_t h)
{
    gfp_space *space;
    GFP_TRY(gfp_operation_space_of(w->op, &space, h, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(w->op, &w->kept, space));
    return gfp_operation_set(w->op, w->kept, w->s, h);
}

/* s and g, right modulo X^h, := those modulo X^n; g only where that is needed. */
static gfp_status root_step(root *w, size_t h, size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    gfp_space *space;
    gfp_operand *inverse, *next;
    uint64_t *r;
    if (w->kept == NULL) {
        GFP_TRY(make_first(w, h));
    }
    GFP_TRY(gfp_operation_space_of(op, &space, n, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(op, &next, space));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_operand(op, &inverse, space));
    GFP_TRY(gfp_operation_array(op, &r, n - h));
    GFP_TRY(root_difference(w, r, h, n));
    GFP_TRY(gfp_operation_set(op, inverse, w->g, h));
    GFP_TRY(gfp_operation_multiply_by(op, w->s + h * k, 0, n - h, r, n - h, inverse));
    gfp_vec_div_2exp(op->field, w->s + h * k, w->s + h * k, 1, n - h);
    w->kept = next;
    if (n < w->n || w->both) {
        GFP_TRY(carry_inverse(w, inverse, h, n));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_series_root(gfp_operation_call *op, uint64_t *s, uint64_t *g, size_t n, gfp_series f,
                           bool both)
{
    root w = {.op = op, .s = s, .g = g, .f = f, .n = n, .both = both};
    const size_t shortest = gfp_series_recurrence_max(op, n);
    size_t lengths[64], count = 0, h = n;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    while (!op->classical && h > shortest) {
        lengths[count++] = h;
        h = h / 2 + h % 2;
    }
    GFP_TRY(root_recurrence(op, s, h, f));
    if (count > 0 || both) {
        GFP_TRY(gfp_series_invert(op, g, h, (gfp_series){s, h}));
    }
    while (count > 0) {
        GFP_TRY(root_step(&w, h, lengths[--count]));
        h = lengths[count];
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_series_root_units(size_t n)
{
    /* A step of length n, and half of it for the square. */
    return 2 * (double)n *
           (2 * GFP_OPERATION_SET_UNITS + 1.5 * 0.55 + 2 * GFP_OPERATION_MULTIPLY_BY_UNITS);
}
