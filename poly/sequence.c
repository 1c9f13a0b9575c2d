/* sequence.c: see sequence.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/sequence.h"

#include <math.h>

#include "field/base/support.h"
#include "field/elem.h"

gfp_series gfp_series_slice(const gfp_field *field, gfp_series a, size_t from, size_t n)
{
    const size_t first = gfp_size_min(from, a.len);
    return (gfp_series){a.digits + first * gfp_field_k(field), gfp_size_min(a.len - first, n)};
}

void gfp_series_copy(const gfp_field *field, uint64_t *z, size_t n, gfp_series a)
{
    const size_t len = gfp_size_min(n, a.len);
    if (len > 0) {
        gfp_vec_set(field, z, a.digits, len);
    }
    gfp_vec_zero(field, z + len * gfp_field_k(field), n - len);
}

/* The elements are the rows of a matrix, one after the other, whose columns are vectors. */
typedef struct matrix {
    uint64_t *at; /* column by column */
    size_t rows, columns;
} matrix;

static uint64_t *column_of(const gfp_field *field, const matrix *m, size_t c)
{
    return m->at + c * m->rows * gfp_field_k(field);
}

/* Beyond n elements the last one is repeated. */
static void sequence_load(const gfp_field *field, const matrix *m, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t c = 0; c < m->columns; c++) {
        for (size_t r = 0; r < m->rows; r++) {
            gfp_elem_set(field, column_of(field, m, c) + r * k,
                         x + gfp_size_min(r * m->columns + c, n - 1) * k);
        }
    }
}

static void sequence_store(const gfp_field *field, const matrix *m, size_t c, uint64_t *z, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t r = 0; r < m->rows && r * m->columns + c < n; r++) {
        gfp_elem_set(field, z + (r * m->columns + c) * k, column_of(field, m, c) + r * k);
    }
}

/* Columns are multiplied each by the one before, then by the products of all rows above. */
gfp_status gfp_sequence_products(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    matrix m = {.rows = (size_t)sqrt((double)n) + 1};
    uint64_t *above;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (n == 0) {
        return GFP_OK;
    }
    m.columns = (n + m.rows - 1) / m.rows;
    GFP_TRY(gfp_operation_array(op, &m.at, m.rows * m.columns));
    GFP_TRY(gfp_operation_array(op, &above, m.rows));
    GFP_TRY(gfp_operation_step(op, 2 * GFP_OPERATION_ELEMENT_UNITS * (double)n,
                               2 * (double)m.columns,
                               (double)m.rows * gfp_task_product_cost(field)));
    sequence_load(field, &m, x, n);
    for (size_t c = 1; c < m.columns; c++) {
        uint64_t *column = column_of(field, &m, c);
        gfp_vec_mul(field, column, column, column - m.rows * k, m.rows);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    const uint64_t *last = column_of(field, &m, m.columns - 1);
    gfp_elem_one(field, above);
    for (size_t r = 1; r < m.rows; r++) {
        gfp_elem_mul(field, above + r * k, above + (r - 1) * k, last + (r - 1) * k);
    }
    for (size_t c = 0; c < m.columns; c++) {
        uint64_t *column = column_of(field, &m, c);
        gfp_vec_mul(field, column, column, above, m.rows);
        sequence_store(field, &m, c, z, n);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* By doubling the length. */
gfp_status gfp_sequence_powers(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *c)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t power[GFP_MAX_K];
    if (n > 0) {
        gfp_elem_one(field, z);
    }
    gfp_elem_set(field, power, c);
    for (size_t h = 1; h < n; h *= 2) {
        const size_t more = gfp_size_min(h, n - h);
        GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)more, 1, 1));
        gfp_vec_scalar_mul(field, z + h * k, z, power, more);
        gfp_elem_sqr(field, power, power);
    }
    return GFP_OK;
}

gfp_status gfp_sequence_chirp(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *c)
{
    gfp_elem_one(op->field, z);
    if (n > 1) {
        GFP_TRY(gfp_sequence_powers(op, z + gfp_field_k(op->field), n - 1, c));
    }
    return gfp_sequence_products(op, z, z, n);
}

gfp_status gfp_sequence_times(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n)
{
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)n, (double)n,
                               gfp_task_product_cost(op->field)));
    return gfp_task_vec_mul(&op->base.task, op->field, z, z, x, n) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_sequence_times_powers(gfp_operation_call *op, uint64_t *z, size_t n,
                                     const uint64_t *c)
{
    uint64_t *power;
    if (n == 0 || gfp_elem_is_one(op->field, c)) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &power, n));
    GFP_TRY(gfp_sequence_powers(op, power, n, c));
    GFP_TRY(gfp_sequence_times(op, z, power, n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* gfp_vec_inv allocates as many elements, and a few. */
#define FURTHER 64

gfp_status gfp_sequence_invert(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n,
                               size_t *zero)
{
    gfp_error error;
    const size_t bytes = gfp_size_mul_sat(n + FURTHER, gfp_element_bytes(op->field));
    GFP_TRY(gfp_call_afford(&op->base, bytes));
    GFP_TRY(gfp_operation_step(op, 4 * GFP_OPERATION_ELEMENT_UNITS * (double)n, 1, 1));
    const gfp_status status = gfp_vec_inv(op->field, z, x, n, &error);
    *zero = status == GFP_ERR_NOT_INVERTIBLE ? error.index : n;
    return status;
}

void gfp_sequence_reverse(const gfp_field *field, uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t t[GFP_MAX_K];
    for (size_t i = 0, j = n; i + 1 < j; i++) {
        j--;
        gfp_elem_set(field, t, x + i * k);
        gfp_elem_set(field, x + i * k, x + j * k);
        gfp_elem_set(field, x + j * k, t);
    }
}
