/* project.c: power projections modulo h of degree n, the transpose of composition: with l_j
 * the form a -> l(a g^(s j)), the values l(g^(i + s j)) are those of l_j at g^i, i < s: a product
 * of matrices.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include "field/base/support.h"
#include "product/verify/claim.h"

/* z, n elements, := x in the opposite order. */
static void project_reverse(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        gfp_vec_set(field, z + i * k, x + (n - 1 - i) * k, 1);
    }
}

/* The values one by one: a product modulo h and a sum for each. */
static gfp_status project_by_definition(gfp_operation_call *op, uint64_t *y, size_t count,
                                        const gfp_compose_argument *A, const uint64_t *l)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, k = gfp_field_k(field);
    uint64_t *power, *next;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &power, n));
    GFP_TRY(gfp_operation_array(op, &next, n));
    gfp_vec_zero(field, power, n);
    gfp_elem_one(field, power);
    for (size_t i = 0; i < count; i++) {
        gfp_vec_dot(field, y + i * k, l, power, n);
        const gfp_modular_product p = {.a = {power, n}, .b = {A->g.digits, A->g.len}};
        GFP_TRY(gfp_modulus_multiply(op, A->M, next, &p));
        gfp_vec_set(field, power, next, n);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* forms := the rows l_0, l_1, .... */
static gfp_status fill_forms(gfp_operation_call *op, uint64_t *forms, size_t rows,
                             const gfp_compose_argument *A, const uint64_t *l)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, words = n * gfp_field_k(field);
    uint64_t *form, *next;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &form, n));
    GFP_TRY(gfp_operation_array(op, &next, n));
    gfp_vec_set(field, forms, l, n);
    project_reverse(field, form, l, n);
    for (size_t i = 1; i < rows; i++) {
        uint64_t *last = form;
        GFP_TRY(gfp_multiplier_transpose(op, next, form, &A->giant));
        form = next;
        next = last;
        project_reverse(field, forms + i * words, form, n);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static size_t rows_of(const gfp_compose_argument *A, size_t count)
{
    return count == 0 ? 0 : (count - 1) / A->s + 1;
}

gfp_status gfp_compose_project(gfp_operation_call *op, uint64_t *y, size_t count,
                               const gfp_compose_argument *A, const uint64_t *l)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, k = gfp_field_k(field);
    gfp_native_matrix m;
    uint64_t *forms, *values;
    if (A->s == 0) {
        return project_by_definition(op, y, count, A, l);
    }
    const size_t rows = rows_of(A, count);
    if (rows == 0) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &forms, gfp_size_mul_sat(rows, n)));
    GFP_TRY(gfp_operation_array(op, &values, gfp_size_mul_sat(rows, A->s)));
    GFP_TRY(fill_forms(op, forms, rows, A, l));
    GFP_TRY(gfp_native_matrix_init(&m, field, n, A->s));
    const gfp_compose_product p = {.m = &m, .a = forms, .rows = rows, .b = {A->power, k, n * k}};
    GFP_TRY(gfp_compose_multiply(op, values, &p));
    gfp_vec_set(field, y, values, count);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- check ---- */

/* The sum of d^i y_i is the value of l at the sum of d^i g^i, a composition, which is checked. */
static gfp_status check_at(gfp_operation_call *op, const uint64_t *y, size_t count,
                           const gfp_compose_argument *A, const uint64_t *l, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, k = gfp_field_k(field);
    uint64_t *c, *r, left[GFP_MAX_K], right[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &c, count));
    GFP_TRY(gfp_operation_array(op, &r, n));
    gfp_elem_set_u64(field, left, d);
    gfp_elem_one(field, c);
    for (size_t i = 1; i < count; i++) {
        gfp_elem_mul(field, c + i * k, c + (i - 1) * k, left);
    }
    const gfp_series f = {c, count};
    GFP_TRY(gfp_compose_modular(op, &r, A, &f, 1));
    gfp_vec_dot(field, left, c, y, count);
    gfp_vec_dot(field, right, l, r, n);
    return gfp_elem_equal(field, left, right) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* By products one after the other. */
static gfp_status check_again(gfp_operation_call *op, const uint64_t *y, size_t count,
                              const gfp_compose_argument *A, const uint64_t *l)
{
    uint64_t *again;
    GFP_TRY(gfp_operation_array(op, &again, count));
    GFP_TRY(project_by_definition(op, again, count, A, l));
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * gfp_field_k(op->field);
        if (!gfp_elem_equal(op->field, y + at, again + at)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

static gfp_status project_check(gfp_operation_call *op, const uint64_t *y, size_t count,
                                const gfp_compose_argument *A, const uint64_t *l)
{
    const size_t wrong = gfp_vec_canonical(op->field, y, count);
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (wrong < count) {
        return gfp_operation_wrong(op, wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, count, &points, d, 1, 1));
    if (points == 0) {
        return check_again(op, y, count, A, l);
    }
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(op, y, count, A, l, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_compose_project_check(gfp_operation_call *op, const uint64_t *y, size_t count,
                                     const gfp_compose_argument *A, const uint64_t *l)
{
    if (op->base.options->verify == GFP_VERIFY_NONE || count == 0) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns(), before = op->base.report.verify_ns;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = project_check(op, y, count, A, l);
    gfp_operation_release(op, mark);
    op->base.report.verify_ns = before + gfp_clock_ns() - start;
    return status;
}
