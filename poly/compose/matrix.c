/* matrix.c: products of matrices inside operations, and their check. Few rows are linear
 * combinations by the kernels of the field; many rows take residues modulo word primes
 * (crt/small/native_matrix.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

bool gfp_compose_residues_serve(const gfp_operation_call *op)
{
    return op->threshold[GFP_THRESHOLD_MATRIX_ROWS_KEPT] < GFP_THRESHOLD_ALWAYS;
}

static bool by_residues(const gfp_operation_call *op, const gfp_compose_product *p)
{
    return p->rows > op->threshold[p->kept != NULL ? GFP_THRESHOLD_MATRIX_ROWS_KEPT
                                                   : GFP_THRESHOLD_MATRIX_ROWS];
}

/* A unit is a coefficient of a product by transforms, about 16 k digit products. */
double gfp_compose_multiply_units(const gfp_field *field, size_t rows, size_t inner, size_t columns)
{
    const double k = gfp_field_k(field), terms = (double)rows * (double)inner * (double)columns;
    return terms / 16 +
           k / 8 * ((double)inner * (double)columns + (double)rows * (double)(inner + columns));
}

static double units_of(const gfp_compose_product *p)
{
    return gfp_compose_multiply_units(p->m->field, p->rows, p->m->inner, p->m->columns);
}

/* ---- by residues ---- */

static gfp_status multiply_by_residues(gfp_operation_call *op, uint64_t *c, double units,
                                       const gfp_compose_product *p)
{
    const gfp_native_matrix *m = p->m;
    const size_t k = gfp_field_k(op->field);
    const unsigned threads = op->base.task.threads;
    const size_t words = gfp_native_matrix_work_words(m, p->rows, threads);
    const gfp_native_matrix_entries to = {c, m->columns * k, k};
    const gfp_native_matrix_input a = {p->a, m->inner * k, k};
    gfp_native_matrix_call call = {.m = m, .task = &op->base.task};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &call.work, words / k + 1));
    GFP_TRY(gfp_operation_step(op, units, gfp_native_matrix_units(m, p->rows),
                               GFP_NATIVE_MATRIX_UNIT_COST));
    op->base.task.threads = gfp_operation_threads(op, units);
    const bool going = gfp_native_matrix_multiply(&call, &to, &a, p->rows, &p->b, p->kept);
    op->base.task.threads = threads;
    if (!going) {
        return GFP_ERR_CANCELLED;
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- by linear combinations ---- */

#define ROWS 64

/* z := columns from <= j < from + len of row i; b has adjacent entries in a row. */
static gfp_status combine_row(gfp_operation_call *op, uint64_t *z, const gfp_compose_product *p,
                              size_t i, size_t from, size_t len)
{
    const size_t k = gfp_field_k(op->field), inner = p->m->inner;
    const uint64_t *a = p->a + i * inner * k, *rows[ROWS];
    for (size_t t = 0; t < inner; t += ROWS) {
        const size_t count = gfp_size_min(ROWS, inner - t);
        for (size_t l = 0; l < count; l++) {
            rows[l] = p->b.digits + (t + l) * p->b.row + from * k;
        }
        gfp_field_kernels(op->field)->lincomb(op->field, z, t == 0 ? NULL : z, a + t * k, rows,
                                              count, len);
        if (!gfp_task_advance(&op->base.task, (double)count * (double)len)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status multiply_by_lincomb(gfp_operation_call *op, uint64_t *c, double units,
                                      const gfp_compose_product *p)
{
    const size_t k = gfp_field_k(op->field), columns = p->m->columns;
    const double terms = (double)p->rows * (double)p->m->inner * (double)columns;
    const double cost = gfp_task_product_cost(op->field);
    const size_t block = gfp_task_block(cost * (double)gfp_size_min(p->m->inner, ROWS));
    GFP_TRY(gfp_operation_step(op, units, terms, cost));
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t j = 0; j < columns; j += block) {
            GFP_TRY(combine_row(op, c + (i * columns + j) * k, p, i, j,
                                gfp_size_min(block, columns - j)));
        }
    }
    return GFP_OK;
}

/* ---- by sums of products: b has adjacent entries in a column ---- */

static gfp_status multiply_by_dots(gfp_operation_call *op, uint64_t *c, double units,
                                   const gfp_compose_product *p)
{
    const size_t k = gfp_field_k(op->field), columns = p->m->columns, inner = p->m->inner;
    const double cost = (double)inner * gfp_task_product_cost(op->field);
    GFP_TRY(gfp_operation_step(op, units, (double)(p->rows * columns), cost));
    for (size_t i = 0; i < p->rows * columns; i++) {
        gfp_vec_dot(op->field, c + i * k, p->a + i / columns * inner * k,
                    p->b.digits + i % columns * p->b.column, inner);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status multiply_by_definition(gfp_operation_call *op, uint64_t *c, double units,
                                         const gfp_compose_product *p)
{
    return p->b.column == gfp_field_k(op->field) ? multiply_by_lincomb(op, c, units, p)
                                                 : multiply_by_dots(op, c, units, p);
}

gfp_status gfp_compose_multiply(gfp_operation_call *op, uint64_t *c, const gfp_compose_product *p)
{
    return by_residues(op, p) ? multiply_by_residues(op, c, units_of(p), p)
                              : multiply_by_definition(op, c, units_of(p), p);
}

/* ---- check ---- */

static gfp_status matrix_value(gfp_operation_call *op, uint64_t *y, const uint64_t *x, size_t n,
                               uint64_t d)
{
    return gfp_verify_evaluate(op->field, y, x, n, d, &op->base.task) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status check_at(gfp_operation_call *op, const uint64_t *c, const gfp_compose_product *p,
                           uint64_t *y, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), inner = p->m->inner, columns = p->m->columns;
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K];
    for (size_t i = 0; i < inner; i++) {
        GFP_TRY(matrix_value(op, y + i * k, p->b.digits + i * p->b.row, columns, d));
    }
    for (size_t i = 0; i < p->rows; i++) {
        gfp_vec_dot(field, left, p->a + i * inner * k, y, inner);
        GFP_TRY(matrix_value(op, right, c + i * columns * k, columns, d));
        if (!gfp_elem_equal(field, left, right)) {
            return gfp_operation_wrong(op, GFP_NO_INDEX);
        }
    }
    return GFP_OK;
}

/* By the other algorithm. */
static gfp_status check_again(gfp_operation_call *op, const uint64_t *c,
                              const gfp_compose_product *p)
{
    const size_t k = gfp_field_k(op->field), n = p->rows * p->m->columns;
    uint64_t *again;
    GFP_TRY(gfp_operation_array(op, &again, n));
    GFP_TRY(by_residues(op, p) ? multiply_by_definition(op, again, 0, p)
                               : multiply_by_residues(op, again, 0, p));
    for (size_t i = 0; i < n; i++) {
        if (!gfp_elem_equal(op->field, c + i * k, again + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

static gfp_status matrix_check(gfp_operation_call *op, const uint64_t *c,
                               const gfp_compose_product *p)
{
    const size_t inner = p->m->inner, columns = p->m->columns, n = p->rows * columns;
    const double items = (double)(p->rows + inner) * (double)columns;
    uint64_t d[GFP_VERIFY_MAX_POINTS], *y;
    unsigned points;
    const size_t wrong = gfp_vec_canonical(op->field, c, n);
    if (wrong < n) {
        return gfp_operation_wrong(op, wrong);
    }
    GFP_TRY(gfp_operation_array(op, &y, inner));
    GFP_TRY(
        gfp_operation_check_begin(op, columns, &points, d, items, (double)gfp_field_k(op->field)));
    if (points == 0) {
        return check_again(op, c, p);
    }
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(op, c, p, y, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_compose_check(gfp_operation_call *op, const uint64_t *c,
                             const gfp_compose_product *p)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = matrix_check(op, c, p);
    gfp_operation_release(op, mark);
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}
