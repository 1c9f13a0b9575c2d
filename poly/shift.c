/* shift.c: the Taylor shift b(X) = a(X + c). By the binomial theorem i! b_i is the sum over j of
 * (i + j)! a_(i+j) c^j / j!: the coefficient n - 1 - i of the product of two polynomials, one with
 * coefficients (n - 1 - i)! a_(n-1-i), one with c^j / j!.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "kernels.h"
#include "series.h"
#include "support.h"
#include "verify.h"

/* ---- products of all that comes before ---- */

/* Elements x_0, x_1, ... whose products x_0 ... x_i are wanted: x_0 is given, x_i is the integer
 * first + i or first - i for i >= 1. */
typedef struct factors {
    const uint64_t *x_0;
    size_t first;
    bool down;
} factors;

static void factor(const gfp_field *field, uint64_t *x, const factors *f, size_t i)
{
    if (i == 0) {
        gfp_elem_copy(field, x, f->x_0);
    } else {
        gfp_elem_set_u64(field, x, f->down ? f->first - i : f->first + i);
    }
}

/* z_i := x_0 ... x_i for i < n. The factors are the rows of a matrix, one after the other; columns
 * are multiplied as vectors, first each by the one before, then by the product of all rows above.
 */
static gfp_status multiply_up(gfp_operation_call *op, uint64_t *z, size_t n, const factors *f)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), rows = (size_t)sqrt((double)n) + 1;
    const size_t columns = (n + rows - 1) / rows;
    uint64_t *matrix, *above;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &matrix, rows * columns));
    GFP_TRY(gfp_operation_array(op, &above, rows));
    GFP_TRY(gfp_operation_step(op, 2 * GFP_OPERATION_ELEMENT_UNITS * (double)n, 2 * (double)columns,
                               (double)rows * gfp_task_product_cost(field)));
    for (size_t c = 0; c < columns; c++) {
        uint64_t *column = matrix + c * rows * k;
        for (size_t r = 0; r < rows; r++) {
            factor(field, column + r * k, f, gfp_size_min(r * columns + c, n - 1));
        }
        if (c > 0) {
            gfp_vec_mul(field, column, column, column - rows * k, rows);
        }
        if (!gfp_task_advance(&op->task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    const uint64_t *last = matrix + (columns - 1) * rows * k;
    gfp_elem_one(field, above);
    for (size_t r = 1; r < rows; r++) {
        gfp_elem_mul(field, above + r * k, above + (r - 1) * k, last + (r - 1) * k);
    }
    for (size_t c = 0; c < columns; c++) {
        uint64_t *column = matrix + c * rows * k;
        gfp_vec_mul(field, column, column, above, rows);
        for (size_t r = 0; r < rows && r * columns + c < n; r++) {
            gfp_elem_copy(field, z + (r * columns + c) * k, column + r * k);
        }
        if (!gfp_task_advance(&op->task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static void reverse(const gfp_field *field, uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t t[GFP_MAX_K];
    for (size_t i = 0, j = n; i + 1 < j; i++) {
        j--;
        gfp_elem_copy(field, t, x + i * k);
        gfp_elem_copy(field, x + i * k, x + j * k);
        gfp_elem_copy(field, x + j * k, t);
    }
}

/* factorial_i := i!, inverse_i := 1 / i!, i < n. */
static gfp_status factorials(gfp_operation_call *op, uint64_t *factorial, uint64_t *inverse,
                             size_t n)
{
    const gfp_field *field = op->field;
    uint64_t x[GFP_MAX_K];
    factors f = {x, 0, false};
    gfp_elem_one(field, x);
    GFP_TRY(multiply_up(op, factorial, n, &f));
    GFP_TRY(gfp_elem_inv(field, x, factorial + (n - 1) * gfp_field_k(field)));
    f = (factors){x, n, true};
    GFP_TRY(multiply_up(op, inverse, n, &f)); /* 1 / (n - 1)!, 1 / (n - 2)!, ... */
    reverse(field, inverse, n);
    return GFP_OK;
}

/* ---- the shift ---- */

/* z_i := z_i x_i. */
static gfp_status times(gfp_operation_call *op, uint64_t *z, const uint64_t *x, size_t n)
{
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)n, (double)n,
                               gfp_task_product_cost(op->field)));
    return gfp_task_vec_mul(&op->task, op->field, z, z, x, n) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* z_i := c^i for i < n, by doubling the length. */
static gfp_status powers(gfp_operation_call *op, uint64_t *z, size_t n, const uint64_t *c)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t power[GFP_MAX_K];
    gfp_elem_one(field, z);
    gfp_elem_copy(field, power, c);
    for (size_t h = 1; h < n; h *= 2) {
        const size_t more = gfp_size_min(h, n - h);
        GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)more, 1, 1));
        gfp_vec_scale(field, z + h * k, z, power, more);
        gfp_elem_sqr(field, power, power);
    }
    return GFP_OK;
}

gfp_status gfp_taylor_shift(gfp_operation_call *op, uint64_t *b, const uint64_t *a, size_t n,
                            const uint64_t *c)
{
    const gfp_field *field = op->field;
    uint64_t *factorial, *inverse, *x, *y;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_vec_copy(field, b, a, n);
    if (n == 1 || gfp_elem_is_zero(field, c)) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &factorial, n));
    GFP_TRY(gfp_operation_array(op, &inverse, n));
    GFP_TRY(gfp_operation_array(op, &x, n));
    GFP_TRY(gfp_operation_array(op, &y, n));
    GFP_TRY(factorials(op, factorial, inverse, n));
    gfp_vec_copy(field, x, a, n);
    GFP_TRY(times(op, x, factorial, n));
    reverse(field, x, n);
    GFP_TRY(powers(op, y, n, c));
    GFP_TRY(times(op, y, inverse, n));
    const gfp_range range = {.field = field, .a = x, .b = y, .len_a = n, .len_b = n, .end = n};
    GFP_TRY(gfp_operation_product(op, NULL, b, &range));
    reverse(field, b, n);
    GFP_TRY(times(op, b, inverse, n));
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
static gfp_status evaluate(gfp_operation_call *op, uint64_t *y, const uint64_t *a, size_t n,
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
        if (!gfp_task_advance(&op->task, (double)count)) {
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
    GFP_TRY(evaluate(op, y, a, n, x));
    if (!gfp_verify_evaluate(op->field, z, b, n, d, &op->task)) {
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
    op->report.cross_method = "classical";
    GFP_TRY(gfp_operation_array(op, &z, n));
    GFP_TRY(gfp_operation_array(op, &t, n));
    gfp_vec_copy(field, z, b + (n - 1) * k, 1);
    for (size_t len = 1; len < n; len++) { /* z := z (X - c) + b_(n-1-len) */
        gfp_vec_scale(field, t, z, c, len);
        gfp_vec_copy(field, z + k, z, len);
        gfp_elem_copy(field, z, b + (n - 1 - len) * k);
        gfp_vec_sub(field, z, z, t, len);
        if (!gfp_task_advance(&op->task, (double)len)) {
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
    const bool cross = op->options->verify == GFP_VERIFY_CROSS;
    GFP_TRY(gfp_operation_check_begin(op, n, &points, d,
                                      cross ? (double)n * (double)n / 2 : 2 * (double)n,
                                      gfp_task_product_cost(op->field)));
    gfp_status status = points == 0 ? check_cross(op, b, a, n, c) : GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(op, b, a, n, c, d[i]);
    }
    return status;
}
