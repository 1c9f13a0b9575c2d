/* tree_classical.c: quadratic algorithms: products from roots factor by factor, Horner's rule at
 * each point, Lagrange's formula.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- products from roots ---- */

/* f, of degree n, := (X - x) f; t has n + 1 elements. */
static void multiply_by_root(const gfp_field *field, uint64_t *f, uint64_t *t, const uint64_t *x,
                             size_t n)
{
    const size_t k = gfp_field_k(field);
    gfp_vec_set(field, t, f, n + 1);
    gfp_vec_set(field, f + k, t, n + 1);
    gfp_elem_zero(field, f);
    gfp_vec_scalar_submul(field, f, t, x, n + 1);
}

gfp_status gfp_classical_roots(gfp_operation_call *op, uint64_t *f, const uint64_t *points,
                               size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &t, n + 1));
    GFP_TRY(
        gfp_operation_step(op, (double)n, (double)n * (double)n / 2, gfp_task_product_cost(field)));
    gfp_elem_one(field, f);
    for (size_t i = 0; i < n; i++) {
        multiply_by_root(field, f, t, points + i * k, i);
        if (!gfp_task_advance(&op->base.task, (double)i + 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- values ---- */

/* Points that are treated at once, as vectors. */
#define BLOCK 64

typedef struct job {
    const gfp_field *field;
    uint64_t *values;
    gfp_series f;
    const uint64_t *points;
} job;

/* y := y x + c, n elements and one element c; row: n elements. */
static void horner_step(const gfp_field *field, uint64_t *y, const uint64_t *x, const uint64_t *c,
                        uint64_t *row, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(field, row + i * k, c);
    }
    gfp_vec_mul(field, y, y, x, n);
    gfp_vec_add(field, y, y, row, n);
}

/* y := n times the last coefficient of f, 0 without any. */
static void fill_row(const gfp_field *field, uint64_t *y, gfp_series f, size_t n)
{
    const size_t k = gfp_field_k(field);
    gfp_vec_zero(field, y, n);
    for (size_t i = 0; i < n && f.len > 0; i++) {
        gfp_elem_set(field, y + i * k, f.digits + (f.len - 1) * k);
    }
}

static gfp_status tree_classical_horner(void *user, size_t from, size_t to, uint64_t *scratch,
                                        gfp_task *task)
{
    const job *j = user;
    const gfp_field *field = j->field;
    const size_t k = gfp_field_k(field);
    uint64_t *y = scratch, *row = scratch + BLOCK * k;
    for (size_t i = from; i < to; i += BLOCK) {
        const size_t count = gfp_size_min(to - i, BLOCK);
        fill_row(field, y, j->f, count);
        for (size_t t = j->f.len > 1 ? j->f.len - 1 : 0; t-- > 0;) {
            horner_step(field, y, j->points + i * k, j->f.digits + t * k, row, count);
            if (!gfp_task_advance(task, (double)count / (double)j->f.len)) {
                return GFP_ERR_CANCELLED;
            }
        }
        gfp_vec_set(field, j->values + i * k, y, count);
    }
    return GFP_OK;
}

gfp_status gfp_classical_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                const uint64_t *points, size_t n)
{
    job j = {op->field, values, f, points};
    const gfp_operation_loop loop = {.run = tree_classical_horner,
                                     .job = &j,
                                     .items = n,
                                     .chunk = BLOCK,
                                     .scratch = 2 * BLOCK,
                                     .units = gfp_classical_values_units(n, f.len),
                                     .cost =
                                         (double)(f.len + 1) * gfp_task_product_cost(op->field)};
    return gfp_operation_loop_run(op, &loop);
}

/* ---- interpolation ---- */

/* q, n coefficients, := M / (X - x), M with M(x) = 0 having n + 1; *derivative := M'(x). */
static void divide_by_root(const gfp_field *field, uint64_t *q, uint64_t *derivative,
                           const uint64_t *M, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t t[GFP_MAX_K];
    gfp_elem_set(field, q + (n - 1) * k, M + n * k);
    gfp_elem_set(field, derivative, q + (n - 1) * k);
    for (size_t j = n - 1; j-- > 0;) {
        gfp_elem_mul(field, t, q + (j + 1) * k, x);
        gfp_elem_add(field, q + j * k, t, M + (j + 1) * k);
        gfp_elem_mul(field, derivative, derivative, x);
        gfp_elem_add(field, derivative, derivative, q + j * k);
    }
}

gfp_status gfp_classical_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                               const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t c[GFP_MAX_K], *q;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &q, n));
    GFP_TRY(
        gfp_operation_step(op, (double)n, (double)n, 3 * (double)n * gfp_task_product_cost(field)));
    gfp_vec_zero(field, f, n);
    for (size_t i = 0; i < n; i++) {
        divide_by_root(field, q, c, T->product, T->points + i * k, n);
        if (gfp_elem_inv(field, c, c) != GFP_OK) {
            return gfp_tree_refuse_point(op, T, i);
        }
        gfp_elem_mul(field, c, c, values + i * k);
        gfp_vec_scalar_addmul(field, f, q, c, n);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}
