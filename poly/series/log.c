/* log.c: derivatives, logarithm and exponential of power series.
 *
 * D f stands for X f', whose coefficients are i f_i; D log f = D f / f.
 *
 * Exponential: let f = exp h modulo X^m, g = 1 / f modulo X^l, m <= 2 l, and m < n <= 2 m. First g
 * is carried on to X^m as in inverse.c. With q = D h modulo X^m, D f = f q modulo X^m, so that
 * D f - f q has coefficients from m on alone; modulo X^L - 1, L >= m, they wrap around to
 * coefficients of D f, which are known. As D log f = q + g (D f - f q) modulo X^n, this gives
 * u = h - log f, which has coefficients m <= i < n, and exp h = f (1 + u) modulo X^n. The transform
 * of g of length n serves the next step. See Hanrot and Zimmermann, Newton iteration revisited.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/series/impl.h"

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "field/base/work.h"
#include "product/methods/engine.h"
#include "field/elem.h"

/* ---- products by indices ---- */

bool gfp_series_has_inverses(const gfp_field *field, size_t n)
{
    return gfp_field_limbs(field) > 1 || n <= gfp_field_modulus_limbs(field)[0];
}

gfp_status gfp_series_times_index(gfp_operation_call *op, uint64_t *z, const uint64_t *x,
                                  size_t first, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), most = GFP_STACK_WORDS / k;
    uint64_t index[GFP_STACK_WORDS];
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)n, (double)n,
                               gfp_task_product_cost(field)));
    for (size_t i = 0; i < n; i += most) {
        const size_t count = gfp_size_min(most, n - i);
        for (size_t j = 0; j < count; j++) {
            gfp_elem_set_u64(field, index + j * k, first + i + j);
        }
        gfp_vec_mul(field, z + i * k, x + i * k, index, count);
        if (!gfp_task_advance(&op->base.task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

gfp_status gfp_series_derive(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f)
{
    const size_t len = gfp_size_min(n, f.len);
    gfp_vec_zero(op->field, z + len * gfp_field_k(op->field), n - len);
    return gfp_series_times_index(op, z, f.digits, 0, len);
}

/* z_i := x_i y_i. */
static gfp_status multiply_elements(gfp_operation_call *op, uint64_t *z, const uint64_t *x,
                                    const uint64_t *y, size_t n)
{
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)n, (double)n,
                               gfp_task_product_cost(op->field)));
    return gfp_task_vec_mul(&op->base.task, op->field, z, x, y, n) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- inverses of indices ---- */

/* Elements that gfp_vec_inv allocates in addition to its arguments' length. */
#define INVERSE_APART 64

/* inverse_i := 1 / i for odd i < n. */
static gfp_status invert_odd(gfp_operation_call *op, uint64_t *inverse, size_t n)
{
    const size_t k = gfp_field_k(op->field), count = n / 2;
    uint64_t *odd;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &odd, count));
    GFP_TRY(gfp_call_afford(&op->base, (count + INVERSE_APART) * gfp_element_bytes(op->field)));
    GFP_TRY(gfp_operation_step(op, 3 * GFP_OPERATION_ELEMENT_UNITS * (double)count, 1, 1));
    for (size_t i = 0; i < count; i++) {
        gfp_elem_set_u64(op->field, odd + i * k, 2 * i + 1);
    }
    GFP_TRY(gfp_vec_inv(op->field, odd, odd, count, &op->base.error));
    for (size_t i = 0; i < count; i++) {
        gfp_elem_set(op->field, inverse + (2 * i + 1) * k, odd + i * k);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_series_inverses(gfp_operation_call *op, uint64_t *inverse, size_t n)
{
    const size_t k = gfp_field_k(op->field);
    gfp_vec_zero(op->field, inverse, gfp_size_min(n, 1));
    GFP_TRY(invert_odd(op, inverse, n));
    for (size_t i = 2; i < n; i += 2) {
        gfp_vec_div_2exp(op->field, inverse + i * k, inverse + i / 2 * k, 1, 1);
    }
    return GFP_OK;
}

double gfp_series_inverses_units(size_t n)
{
    return 2 * GFP_OPERATION_ELEMENT_UNITS * (double)n;
}

/* ---- the logarithm ---- */

gfp_status gfp_series_log(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                          const uint64_t *inverse)
{
    uint64_t *derivative, *quotient;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &derivative, n));
    GFP_TRY(gfp_operation_array(op, &quotient, n));
    GFP_TRY(gfp_series_derive(op, derivative, n, f));
    GFP_TRY(gfp_series_divide(op, quotient, n, (gfp_series){derivative, n}, f));
    GFP_TRY(multiply_elements(op, z, quotient, inverse, n)); /* inverse_0 is 0 */
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_series_log_units(size_t n)
{
    return gfp_series_divide_units(n) + 2 * GFP_OPERATION_ELEMENT_UNITS * (double)n;
}

/* ---- the exponential ---- */

/* f_i := (sum over 0 < j <= i of j h_j f_(i-j)) / i. */
static gfp_status log_recurrence(gfp_operation_call *op, uint64_t *f, size_t n, gfp_series h,
                                 const uint64_t *inverse)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), len = gfp_size_min(n, h.len);
    uint64_t *q, sum[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &q, len));
    GFP_TRY(gfp_series_times_index(op, q, h.digits, 0, len));
    GFP_TRY(
        gfp_operation_step(op, (double)n, (double)n, (double)n * gfp_task_product_cost(field) / 2));
    gfp_elem_one(field, f);
    for (size_t i = 1; i < n; i++) {
        const size_t count = len == 0 ? 0 : gfp_size_min(i, len - 1);
        gfp_vec_dot_reversed(field, sum, q + k, f + (i - count) * k, count);
        gfp_elem_mul(field, f + i * k, sum, inverse + i * k);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* An exponential under way. */
typedef struct exponential {
    gfp_operation_call *op;
    uint64_t *f, *g;         /* g has room for half of the coefficients of f */
    const uint64_t *inverse; /* of indices */
    gfp_series h;
    gfp_operand *kept; /* g in the space of the last step; NULL: there was none */
} exponential;

/* g, right modulo X^l, := 1 / f modulo X^m; x and y are operands of f and g. */
static gfp_status carry_inverse(exponential *w, const gfp_operand *x, const gfp_operand *y,
                                size_t l, size_t m)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    const gfp_operand *const xs[] = {x}, *const ys[] = {y};
    uint64_t *e;
    GFP_TRY(gfp_operation_array(op, &e, m));
    GFP_TRY(gfp_operation_dot(op, e, l, m, xs, ys, 1));
    GFP_TRY(gfp_operation_multiply_by(op, w->g + l * k, 0, m - l, e + l * k, m - l, y));
    gfp_vec_neg(op->field, w->g + l * k, w->g + l * k, m - l);
    return GFP_OK;
}

/* r := the coefficients m <= i < n of D f - f q; x is an operand of f in a space of length >= m. */
static gfp_status log_difference(exponential *w, uint64_t *r, const gfp_operand *x, size_t m,
                                 size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    const size_t length = gfp_space_length(gfp_operand_space(x));
    const size_t direct = gfp_size_min(n, length), wrapped = n - direct;
    const gfp_series f = {w->f, m};
    uint64_t *q, *product, *end = r + (direct - m) * k;
    GFP_TRY(gfp_operation_array(op, &q, m));
    GFP_TRY(gfp_operation_array(op, &product, direct));
    GFP_TRY(gfp_series_derive(op, q, m, w->h));
    GFP_TRY(gfp_operation_multiply_by(op, product, wrapped == 0 ? m : 0, direct, q, m, x));
    GFP_TRY(gfp_series_derive(op, end, wrapped, f));
    gfp_vec_neg(op->field, r, product + m * k, direct - m);
    gfp_vec_sub(op->field, end, end, product, wrapped);
    return GFP_OK;
}

/* u, the coefficients m <= i < n of D f - f q, := those of h - log f; y is an operand of g. */
static gfp_status log_correction(exponential *w, uint64_t *u, const gfp_operand *y, size_t m,
                                 size_t n)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), more = n - m;
    const gfp_series h = gfp_series_slice(field, w->h, m, more);
    uint64_t *v;
    GFP_TRY(gfp_operation_array(op, &v, more));
    GFP_TRY(gfp_operation_multiply_by(op, v, 0, more, u, more, y));
    GFP_TRY(multiply_elements(op, v, v, w->inverse + m * k, more));
    gfp_vec_sub(field, u, h.digits, v, h.len);
    gfp_vec_neg(field, u + h.len * k, v + h.len * k, more - h.len);
    return GFP_OK;
}

/* f, right modulo X^m, := exp h modulo X^n, and g, right modulo X^l, := 1 / f modulo X^m. */
static gfp_status log_step(exponential *w, size_t l, size_t m, size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    gfp_space *shorter, *longer;
    gfp_operand *x, *next;
    uint64_t *u;
    GFP_TRY(gfp_operation_space_of(op, &shorter, m, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_space_of(op, &longer, n, 1, GFP_WRAP_CYCLIC));
    if (w->kept == NULL) {
        GFP_TRY(gfp_operation_operand(op, &w->kept, shorter));
        GFP_TRY(gfp_operation_set(op, w->kept, w->g, l));
    }
    GFP_TRY(gfp_operation_operand(op, &next, longer));
    gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &u, n - m));
    GFP_TRY(gfp_operation_operand(op, &x, shorter));
    GFP_TRY(gfp_operation_set(op, x, w->f, m));
    GFP_TRY(carry_inverse(w, x, w->kept, l, m));
    GFP_TRY(log_difference(w, u, x, m, n));
    GFP_TRY(gfp_operation_set(op, next, w->g, m));
    GFP_TRY(log_correction(w, u, next, m, n));
    GFP_TRY(gfp_operation_operand(op, &x, longer));
    GFP_TRY(gfp_operation_set(op, x, w->f, m));
    GFP_TRY(gfp_operation_multiply_by(op, w->f + m * k, 0, n - m, u, n - m, x));
    gfp_operation_release(op, mark);
    w->kept = next;
    return GFP_OK;
}

gfp_status gfp_series_exp(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series h,
                          const uint64_t *inverse)
{
    exponential w = {.op = op, .f = z, .h = h, .inverse = inverse};
    const size_t shortest = gfp_series_recurrence_max(op, n);
    size_t lengths[64], count = 0, m = n;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    while (!op->classical && m > shortest) {
        lengths[count++] = m;
        m = m / 2 + m % 2;
    }
    GFP_TRY(log_recurrence(op, z, m, h, inverse));
    size_t l = m / 2 + m % 2;
    if (count > 0) {
        GFP_TRY(gfp_operation_array(op, &w.g, n / 2 + n % 2));
        GFP_TRY(gfp_series_invert(op, w.g, l, (gfp_series){z, m}));
    }
    while (count > 0) {
        const size_t next = lengths[--count];
        GFP_TRY(log_step(&w, l, m, next));
        l = m;
        m = next;
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- checks ---- */

/* Checks x y = z modulo X^n. */
static gfp_status log_check(gfp_operation_call *op, const uint64_t *x, const uint64_t *y,
                            size_t len_y, const uint64_t *z, size_t n)
{
    const gfp_operation_claim claim = {
        .c = z, .a = x, .b = y, .len_c = n, .len_a = n, .len_b = len_y, .end = n};
    return gfp_operation_check_product(op, &claim);
}

gfp_status gfp_series_check_log(gfp_operation_call *op, const uint64_t *z, size_t n, gfp_series f)
{
    uint64_t *x, *y;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &x, n));
    GFP_TRY(gfp_operation_array(op, &y, n));
    GFP_TRY(gfp_series_times_index(op, x, z, 0, n));
    GFP_TRY(gfp_series_derive(op, y, n, f));
    GFP_TRY(log_check(op, x, f.digits, f.len, y, n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_series_check_exp(gfp_operation_call *op, const uint64_t *g, size_t n, gfp_series h)
{
    uint64_t *x, *y;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &x, n));
    GFP_TRY(gfp_operation_array(op, &y, n));
    GFP_TRY(gfp_series_derive(op, x, n, h));
    GFP_TRY(gfp_series_times_index(op, y, g, 0, n));
    GFP_TRY(log_check(op, x, g, n, y, n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_series_exp_units(size_t n)
{
    /* A step of length n; three calls have half of its length. */
    return 2 * (double)n *
           (2.5 * GFP_OPERATION_SET_UNITS + 0.3 + 3 * GFP_OPERATION_MULTIPLY_BY_UNITS +
            1.5 * GFP_OPERATION_ELEMENT_UNITS);
}
