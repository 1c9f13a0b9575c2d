/* shift.c: the Taylor shift b(X) = a(X + c). By the binomial theorem i! b_i is the sum over j of
 * (i + j)! a_(i+j) c^j / j!: the coefficient n - 1 - i of the product of two polynomials, one with
 * coefficients (n - 1 - i)! a_(n-1-i), one with c^j / j!.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/kernels.h"
#include "poly/sequence.h"
#include "poly/series/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- factorials ---- */

/* z_i := x_0 times the integers first + 1, ..., first + i, or first - 1, ..., first - i (down). */
static gfp_status multiply_up(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *x_0,
                              size_t first, bool down)
{
    const size_t k = gfp_field_k(op->field);
    gfp_elem_set(op->field, z, x_0);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_set_u64(op->field, z + i * k, down ? first - i : first + i);
    }
    return gfp_sequence_products(op, z, z, n);
}

/* factorial_i := i!, inverse_i := 1 / i!, i < n. */
static gfp_status shift_factorials(gfp_operation_call *op, uint64_t *factorial, uint64_t *inverse,
                                   size_t n)
{
    const gfp_field *field = op->field;
    uint64_t x[GFP_MAX_K];
    gfp_elem_one(field, x);
    GFP_TRY(multiply_up(op, factorial, n, x, 0, false));
    GFP_TRY(gfp_elem_inv(field, x, factorial + (n - 1) * gfp_field_k(field)));
    GFP_TRY(multiply_up(op, inverse, n, x, n, true)); /* 1 / (n - 1)!, 1 / (n - 2)!, ... */
    gfp_sequence_reverse(field, inverse, n);
    return GFP_OK;
}

/* ---- the shift ---- */

gfp_status gfp_taylor_shift(gfp_operation_call *op, uint64_t *b, const uint64_t *a, size_t n,
                            const uint64_t *c)
{
    const gfp_field *field = op->field;
    uint64_t *factorial, *inverse, *x, *y;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_vec_set(field, b, a, n);
    if (n == 1 || gfp_elem_is_zero(field, c)) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &factorial, n));
    GFP_TRY(gfp_operation_array(op, &inverse, n));
    GFP_TRY(gfp_operation_array(op, &x, n));
    GFP_TRY(gfp_operation_array(op, &y, n));
    GFP_TRY(shift_factorials(op, factorial, inverse, n));
    gfp_vec_set(field, x, a, n);
    GFP_TRY(gfp_sequence_times(op, x, factorial, n));
    gfp_sequence_reverse(field, x, n);
    GFP_TRY(gfp_sequence_powers(op, y, n, c));
    GFP_TRY(gfp_sequence_times(op, y, inverse, n));
    const gfp_range range = {.field = field, .a = x, .b = y, .len_a = n, .len_b = n, .end = n};
    GFP_TRY(gfp_operation_product(op, NULL, b, &range));
    gfp_sequence_reverse(field, b, n);
    GFP_TRY(gfp_sequence_times(op, b, inverse, n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_taylor_units(size_t n)
{
    return (double)n * (1 + 8 * GFP_OPERATION_ELEMENT_UNITS);
}

/* ---- the check ---- */

/* Terms that are summed up at once. */
#define TERMS 64

/* y := a(x): sums of TERMS terms, joined by Horner's rule in x^TERMS. */
static gfp_status shift_evaluate(gfp_operation_call *op, uint64_t *y, const uint64_t *a, size_t n,
                                 const uint64_t *x)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *power, high[GFP_MAX_K], sum[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &power, TERMS)); /* x^(TERMS - 1), ..., x, 1 */
    gfp_elem_one(field, power + (TERMS - 1) * k);
    for (size_t i = TERMS - 1; i > 0; i--) {
        gfp_elem_mul(field, power + (i - 1) * k, power + i * k, x);
    }
    gfp_elem_mul(field, high, power, x);
    gfp_elem_zero(field, y);
    for (size_t end = n; end > 0;) {
        const size_t first = (end - 1) / TERMS * TERMS, count = end - first;
        gfp_vec_dot_reversed(field, sum, a + first * k, power + (TERMS - count) * k, count);
        gfp_elem_mul(field, y, y, high);
        gfp_elem_add(field, y, y, sum);
        end = first;
        if (!gfp_task_advance(&op->base.task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Whether b(d) = a(d + c). */
static gfp_status check_at(gfp_operation_call *op, const uint64_t *b, const uint64_t *a, size_t n,
                           const uint64_t *c, uint64_t d)
{
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], z[GFP_MAX_K];
    gfp_elem_set_u64(op->field, x, d);
    gfp_elem_add(op->field, x, x, c);
    GFP_TRY(shift_evaluate(op, y, a, n, x));
    if (!gfp_verify_evaluate(op->field, z, b, n, d, &op->base.task)) {
        return GFP_ERR_CANCELLED;
    }
    return gfp_elem_equal(op->field, y, z) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* Whether a is b shifted back by the definition: b(X - c) by Horner's rule. */
static gfp_status check_cross(gfp_operation_call *op, const uint64_t *b, const uint64_t *a,
                              size_t n, const uint64_t *c)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *z, *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    op->base.report.cross_method = "classical";
    GFP_TRY(gfp_operation_array(op, &z, n));
    GFP_TRY(gfp_operation_array(op, &t, n));
    gfp_vec_set(field, z, b + (n - 1) * k, 1);
    for (size_t len = 1; len < n; len++) { /* z := z (X - c) + b_(n-1-len) */
        gfp_vec_scalar_mul(field, t, z, c, len);
        gfp_vec_set(field, z + k, z, len);
        gfp_elem_set(field, z, b + (n - 1 - len) * k);
        gfp_vec_sub(field, z, z, t, len);
        if (!gfp_task_advance(&op->base.task, (double)len)) {
            return GFP_ERR_CANCELLED;
        }
    }
    size_t i = 0;
    while (i < n && gfp_elem_equal(field, z + i * k, a + i * k)) {
        i++;
    }
    gfp_operation_release(op, mark);
    return i == n ? GFP_OK : gfp_operation_wrong(op, i);
}

gfp_status gfp_taylor_check(gfp_operation_call *op, const uint64_t *b, const uint64_t *a, size_t n,
                            const uint64_t *c)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    const size_t wrong = gfp_vec_canonical(op->field, b, n);
    if (wrong < n) {
        return gfp_operation_wrong(op, wrong);
    }
    const bool cross = op->base.options->verify == GFP_VERIFY_CROSS;
    GFP_TRY(gfp_operation_check_begin(op, n, &points, d,
                                      cross ? (double)n * (double)n / 2 : 2 * (double)n,
                                      gfp_task_product_cost(op->field)));
    gfp_status status = points == 0 ? check_cross(op, b, a, n, c) : GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(op, b, a, n, c, d[i]);
    }
    return status;
}
