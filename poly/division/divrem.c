/* divrem.c: quotient and remainder.
 *
 * The quotient of w by f, of c coefficients, depends on the c highest coefficients of both: written
 * from the highest coefficient down it is the quotient of two power series modulo X^c. Once the
 * quotient q is known, the remainder w - q f is computed modulo X^L - 1, L >= n = deg f: what wraps
 * around falls on coefficients that are known to be 0. Short quotients, and quotients without
 * remainder, are computed in this way.
 *
 * Otherwise w is divided from above in blocks of m coefficients of the quotient. A block is the
 * product of the m highest coefficients of the remainder so far by the inverse of f as a series,
 * whose transform is kept, as is that of f modulo X^L - 1. Short divisors and very short quotients
 * are divided by the definition.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"

#include <math.h>

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* ---- arrays ---- */

static const uint64_t *divrem_at(const gfp_field *field, const uint64_t *x, size_t i)
{
    return x + i * gfp_field_k(field);
}

/* z := x, the last coefficient first. */
static void divrem_reverse(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(field, z + i * k, x + (n - 1 - i) * k);
    }
}

void gfp_series_wrap(const gfp_field *field, uint64_t *z, size_t n, size_t L, gfp_series x)
{
    const size_t k = gfp_field_k(field), first = gfp_size_min(n, x.len);
    gfp_vec_set(field, z, x.digits, first);
    gfp_vec_zero(field, z + first * k, n - first);
    for (size_t i = L; i < x.len; i += L) {
        gfp_vec_add(field, z, z, x.digits + i * k, gfp_size_min(x.len - i, n));
    }
}

/* *y := x modulo X^L - 1: x itself, or a new array. */
static gfp_status divrem_wrapped(gfp_operation_call *op, gfp_series *y, size_t L, gfp_series x)
{
    uint64_t *z;
    *y = x;
    if (x.len > L) {
        GFP_TRY(gfp_operation_array(op, &z, L));
        gfp_series_wrap(op->field, z, L, L, x);
        *y = (gfp_series){z, L};
    }
    return GFP_OK;
}

/* ---- by the definition ---- */

/* r_i := the coefficient of X^i of q f, i < n, c coefficients of q: each by one sum of products. */
static gfp_status sums_of_products(gfp_operation_call *op, uint64_t *r, const uint64_t *q, size_t c,
                                   const uint64_t *f, size_t n)
{
    const size_t k = gfp_field_k(op->field);
    for (size_t i = 0; i < n; i++) {
        const size_t count = gfp_size_min(i + 1, c);
        gfp_vec_dot_reversed(op->field, r + i * k, q, f + (i + 1 - count) * k, count);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* r := the first n coefficients of w - q f, c coefficients of q. */
static gfp_status subtract_product(gfp_operation_call *op, uint64_t *r, gfp_series w,
                                   const uint64_t *q, size_t c, const uint64_t *f, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    const double terms = (double)gfp_size_min(c, n) + 1, cost = gfp_task_product_cost(field);
    const size_t block = gfp_task_block(terms * cost);
    GFP_TRY(gfp_operation_step(op, (double)n, (double)n, terms * cost));
    c = gfp_size_min(c, n);
    if (block == 1) { /* long sums, which fill a kernel one by one */
        GFP_TRY(sums_of_products(op, r, q, c, f, n));
    }
    for (size_t i = block == 1 ? n : 0; i < n; i += block) {
        const size_t end = gfp_size_min(n, i + block);
        gfp_field_kernels(field)->convolve(field, r + i * k, q, c, f, n + 1, i, end);
        if (!gfp_task_advance(&op->base.task, (double)(end - i))) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_vec_sub(field, r, w.digits, r, n);
    return GFP_OK;
}

/* q_i := w_i x for i < c, counted by the step that has begun. */
static gfp_status divrem_scale(gfp_operation_call *op, uint64_t *q, size_t c, const uint64_t *w,
                               const uint64_t *x)
{
    const size_t k = gfp_field_k(op->field);
    const size_t block = gfp_task_block(gfp_task_product_cost(op->field));
    for (size_t i = 0; i < c; i += block) {
        const size_t count = gfp_size_min(block, c - i);
        gfp_vec_scalar_mul(op->field, q + i * k, w + i * k, x, count);
        if (!gfp_task_advance(&op->base.task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* q := the quotient of w, n + c coefficients, from the highest coefficient down. */
static gfp_status quotient_by_definition(gfp_operation_call *op, uint64_t *q, size_t c,
                                         const uint64_t *w, const gfp_poly_divisor *d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = d->n;
    const double terms = (double)gfp_size_min(c, n) + 1;
    uint64_t sum[GFP_MAX_K];
    GFP_TRY(gfp_operation_step(op, (double)c, (double)c, terms * gfp_task_product_cost(field)));
    if (n == 0) {
        return divrem_scale(op, q, c, w, d->inverse);
    }
    for (size_t i = c; i-- > 0;) {
        const size_t count = gfp_size_min(n, c - 1 - i);
        gfp_vec_dot_reversed(field, sum, d->f + (n - count) * k, q + (i + 1) * k, count);
        gfp_elem_sub(field, sum, w + (n + i) * k, sum);
        gfp_elem_mul(field, q + i * k, sum, d->inverse);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Whether a quotient of c coefficients, and the remainder, are computed so. */
static bool is_short(const gfp_operation_call *op, size_t n, size_t c)
{
    const size_t most = op->threshold[GFP_THRESHOLD_DIVISION];
    return c <= most || gfp_threshold_serves(most, n, c);
}

static bool remains_short(const gfp_operation_call *op, size_t n, size_t c)
{
    return c <= op->threshold[GFP_THRESHOLD_REMAINDER] ||
           n <= op->threshold[GFP_THRESHOLD_DIVISION];
}

/* ---- what is kept of a divisor ---- */

gfp_status gfp_poly_divisor_invert(gfp_operation_call *op, uint64_t *z, size_t m, const uint64_t *f,
                                   size_t n)
{
    const gfp_field *field = op->field;
    const size_t len = gfp_size_min(m, n + 1);
    uint64_t *high, *g;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &high, len));
    GFP_TRY(gfp_operation_array(op, &g, m));
    divrem_reverse(field, high, divrem_at(field, f, n + 1 - len), len);
    GFP_TRY(gfp_series_invert(op, g, m, (gfp_series){high, len}));
    divrem_reverse(field, z, g, m);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_poly_divisor_fold(gfp_operation_call *op, gfp_operand *x, const uint64_t *f,
                                 size_t n)
{
    const size_t length = gfp_space_length(gfp_operand_space(x)), len = gfp_size_min(length, n + 1);
    uint64_t *z;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, len));
    gfp_series_wrap(op->field, z, len, length, (gfp_series){f, n + 1});
    gfp_vec_neg(op->field, z, z, len);
    GFP_TRY(gfp_operation_set(op, x, z, len));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_poly_divisor_units(size_t n, size_t m)
{
    return gfp_series_invert_units(m) + GFP_OPERATION_SET_UNITS * (2 * (double)m + (double)n);
}

/* ---- blocks ---- */

/* r := w + q (-f) modulo X^L - 1, its first n coefficients. */
static gfp_status remainder_of(gfp_operation_call *op, uint64_t *r, size_t n, gfp_series w,
                               gfp_series q, const gfp_operand *minus)
{
    const gfp_field *field = op->field;
    const size_t length = gfp_space_length(gfp_operand_space(minus));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(divrem_wrapped(op, &q, length, q));
    GFP_TRY(gfp_operation_multiply_by(op, r, 0, n, q.digits, q.len, minus));
    for (size_t i = 0; i < w.len; i += length) {
        gfp_vec_add(field, r, r, divrem_at(field, w.digits, i), gfp_size_min(w.len - i, n));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* *q := the quotient of w, n + c coefficients, c <= m: in this array or, where it is NULL, in a new
 * one. */
static gfp_status quotient_block(gfp_operation_call *op, const gfp_poly_divisor *d, uint64_t **q,
                                 size_t c, const uint64_t *w)
{
    const gfp_field *field = op->field;
    const size_t below = d->m - 1;
    uint64_t *t;
    GFP_TRY(gfp_operation_array(op, &t, below + c));
    GFP_TRY(gfp_operation_multiply_by(op, t, below, below + c, divrem_at(field, w, d->n), c,
                                      d->quotients));
    t += below * gfp_field_k(field);
    if (*q == NULL) {
        *q = t;
    } else {
        gfp_vec_set(field, *q, t, c);
    }
    return GFP_OK;
}

/* q (NULL: not wanted) and r of w, n + c coefficients, by what is kept or by the definition. */
static gfp_status divide_block(gfp_operation_call *op, const gfp_poly_divisor *d, uint64_t *q,
                               uint64_t *r, gfp_series w)
{
    const size_t c = w.len - d->n;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (d->quotients == NULL || c <= op->threshold[GFP_THRESHOLD_MODULUS]) {
        if (q == NULL) {
            GFP_TRY(gfp_operation_array(op, &q, c));
        }
        GFP_TRY(quotient_by_definition(op, q, c, w.digits, d));
    } else {
        GFP_TRY(quotient_block(op, d, &q, c, w.digits));
    }
    if (r != NULL) {
        GFP_TRY(d->minus == NULL || c <= op->threshold[GFP_THRESHOLD_REMAINDER]
                    ? subtract_product(op, r, w, q, c, d->f, d->n)
                    : remainder_of(op, r, d->n, w, (gfp_series){q, c}, d->minus));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Several blocks. window: the remainder so far, above the next coefficients of w. */
static gfp_status divide_blocks(gfp_operation_call *op, const gfp_poly_divisor *d, uint64_t *q,
                                uint64_t *r, gfp_series w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = d->n, m = d->m;
    size_t left = w.len - n; /* coefficients of the quotient still to come */
    size_t c = left % m == 0 ? m : left % m;
    uint64_t *window, *rest;
    GFP_TRY(gfp_operation_array(op, &window, n + m));
    GFP_TRY(gfp_operation_array(op, &rest, n));
    gfp_vec_set(field, rest, divrem_at(field, w.digits, w.len - n), n);
    while (left > 0) {
        left -= c;
        gfp_vec_set(field, window, w.digits + left * k, c);
        gfp_vec_set(field, window + c * k, rest, n);
        GFP_TRY(divide_block(op, d, q == NULL ? NULL : q + left * k,
                             left == 0 && r == NULL ? NULL : rest, (gfp_series){window, n + c}));
        c = m;
    }
    if (r != NULL) {
        gfp_vec_set(field, r, rest, n);
    }
    return GFP_OK;
}

gfp_status gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d, uint64_t *q,
                                   uint64_t *r, gfp_series w)
{
    const gfp_field *field = op->field;
    const size_t n = d->n;
    if (w.len <= n) {
        if (r != NULL) {
            gfp_series_wrap(field, r, n, n, w);
        }
        return GFP_OK;
    }
    const size_t c = w.len - n;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(d->quotients == NULL || c <= d->m ? divide_block(op, d, q, r, w)
                                              : divide_blocks(op, d, q, r, w));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_poly_divisor_reduce_units(const gfp_poly_divisor *d, size_t len)
{
    if (len <= d->n) {
        return 0;
    }
    const double c = (double)(len - d->n), blocks = ceil(c / (double)d->m);
    return d->quotients == NULL
               ? c + (double)d->n
               : blocks * GFP_OPERATION_MULTIPLY_BY_UNITS * (2 * (double)d->m + (double)d->n);
}

/* ---- one division ---- */

/* q := the quotient of w, n + c coefficients, as a quotient of two series. */
static gfp_status quotient_at_once(gfp_operation_call *op, uint64_t *q, size_t c, const uint64_t *w,
                                   const uint64_t *f, size_t n)
{
    const gfp_field *field = op->field;
    const size_t len = gfp_size_min(c, n + 1);
    uint64_t *high, *divisor, *quotient;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &high, c));
    GFP_TRY(gfp_operation_array(op, &divisor, len));
    GFP_TRY(gfp_operation_array(op, &quotient, c));
    divrem_reverse(field, high, divrem_at(field, w, n), c);
    divrem_reverse(field, divisor, divrem_at(field, f, n + 1 - len), len);
    GFP_TRY(gfp_series_divide(op, quotient, c, (gfp_series){high, c}, (gfp_series){divisor, len}));
    divrem_reverse(field, q, quotient, c);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* d->minus := a new operand. */
static gfp_status keep_minus(gfp_operation_call *op, gfp_poly_divisor *d)
{
    gfp_space *s;
    gfp_operand *x;
    GFP_TRY(gfp_operation_space_of(op, &s, d->n, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(op, &x, s));
    GFP_TRY(gfp_poly_divisor_fold(op, x, d->f, d->n));
    d->minus = x;
    return GFP_OK;
}

/* d->quotients := a new operand. */
static gfp_status keep_quotients(gfp_operation_call *op, gfp_poly_divisor *d)
{
    gfp_space *s;
    gfp_operand *x;
    uint64_t *z;
    GFP_TRY(gfp_operation_space_of(op, &s, 2 * d->m - 1, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(op, &x, s));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, d->m));
    GFP_TRY(gfp_poly_divisor_invert(op, z, d->m, d->f, d->n));
    GFP_TRY(gfp_operation_set(op, x, z, d->m));
    gfp_operation_release(op, mark);
    d->quotients = x;
    return GFP_OK;
}

/* Without blocks. */
static gfp_status divide_at_once(gfp_operation_call *op, uint64_t *q, uint64_t *r, gfp_series w,
                                 gfp_poly_divisor *d)
{
    const size_t c = w.len - d->n;
    GFP_TRY(op->classical || is_short(op, d->n, c)
                ? quotient_by_definition(op, q, c, w.digits, d)
                : quotient_at_once(op, q, c, w.digits, d->f, d->n));
    if (r == NULL) {
        return GFP_OK;
    }
    if (op->classical || remains_short(op, d->n, c)) {
        return subtract_product(op, r, w, q, c, d->f, d->n);
    }
    GFP_TRY(keep_minus(op, d));
    return remainder_of(op, r, d->n, w, (gfp_series){q, c}, d->minus);
}

/* ---- blocks of a long quotient ---- */

/* The length of a ring for n coefficients, about: 4, 5 or 6 times a power of 2. */
static double ring_length(size_t n)
{
    double power = 1;
    while (8 * power < (double)n) {
        power *= 2;
    }
    const double steps = ceil((double)n / power);
    return power * (steps == 7 ? 8 : steps);
}

/* Times by the length of a ring: a transform, and a product by an operand. */
#define TRANSFORM_TIME 0.12
#define MULTIPLY_BY_TIME 0.38
/* The time of n products in the field, by the time of a product of two polynomials of n terms. */
#define ELEMENTS_TIME 0.15
/* The most coefficients of a quotient that are computed apart from its blocks. */
#define REST 4

static double inverse_time(size_t m)
{
    double time = 0;
    for (; m > 1; m = m / 2 + m % 2) {
        time += (TRANSFORM_TIME + 2 * MULTIPLY_BY_TIME) * ring_length(m);
    }
    return time;
}

/* The time of a quotient of c coefficients in blocks of m. */
static double blocks_time(size_t n, size_t c, size_t m)
{
    const size_t rest = c % m;
    const bool short_rest = rest <= REST;
    const size_t blocks = c / m + (short_rest ? 0 : 1);
    const double length = ring_length(2 * m - 1) + ring_length(n);
    return inverse_time(m) + (TRANSFORM_TIME + (double)blocks * MULTIPLY_BY_TIME) * length +
           (short_rest ? (double)rest * ELEMENTS_TIME * (double)n : 0);
}

/* The block length of a quotient of c coefficients. About 2.2 (c / n)^(1/2) blocks are best;
 * lengths of rings decide among numbers near by, and a few coefficients are a block of their own.
 */
static size_t block_length(size_t n, size_t c)
{
    const size_t about = (size_t)(2.2 * sqrt((double)c / (double)n));
    const size_t from = about > 1 ? about - about / 3 : 1;
    const size_t to = gfp_size_min(about + about / 3 + 1, c);
    size_t best = c;
    double least = HUGE_VAL;
    for (size_t blocks = from; blocks <= to; blocks++) {
        const size_t m[2] = {c / blocks, (c + blocks - 1) / blocks};
        for (size_t i = 0; i < 2; i++) {
            const double time = blocks_time(n, c, m[i]);
            if (time < least) {
                least = time;
                best = m[i];
            }
        }
    }
    return best;
}

/* w / f by blocks. */
static gfp_status divide_long(gfp_operation_call *op, uint64_t *q, uint64_t *r, gfp_series w,
                              gfp_poly_divisor *d)
{
    d->m = block_length(d->n, w.len - d->n);
    GFP_TRY(keep_quotients(op, d));
    GFP_TRY(keep_minus(op, d));
    return divide_blocks(op, d, q, r, w);
}

/* Whether a quotient is computed without blocks; with a remainder, whose products share transforms
 * with those of the blocks, only a short one. */
static bool at_once(const gfp_operation_call *op, size_t n, size_t c, bool remainder)
{
    return op->classical || is_short(op, n, c) || c <= (remainder ? n / 2 : n + REST);
}

/* The highest coefficients of a quotient that are computed apart, since rings for the others are
 * shorter. */
static size_t coefficients_apart(const gfp_operation_call *op, size_t n, size_t c)
{
    size_t apart = 0;
    while (apart < REST && ring_length(c - apart) == ring_length(c)) {
        apart++;
    }
    return !is_short(op, n, c) && ring_length(c - apart) < ring_length(c) ? apart : 0;
}

/* Without blocks, the highest coefficients of the quotient apart where this pays. */
static gfp_status divide_parts(gfp_operation_call *op, uint64_t *q, uint64_t *r, gfp_series w,
                               gfp_poly_divisor *d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = d->n, c = w.len - n;
    const size_t apart = op->classical ? 0 : coefficients_apart(op, n, c), low = c - apart;
    uint64_t *window;
    if (apart > 0) {
        GFP_TRY(gfp_operation_array(op, &window, n + low));
        gfp_vec_set(field, window, w.digits, low);
        GFP_TRY(divide_block(op, d, q + low * k, window + low * k,
                             (gfp_series){divrem_at(field, w.digits, low), n + apart}));
        w = (gfp_series){window, n + low};
    }
    return divide_at_once(op, q, r, w, d);
}

gfp_status gfp_division(gfp_operation_call *op, uint64_t *q, uint64_t *r, gfp_series w,
                        const uint64_t *f, size_t n)
{
    gfp_poly_divisor d = {.f = f, .n = n};
    if (w.len <= n) {
        return gfp_poly_divisor_reduce(op, &d, q, r, w);
    }
    if (n == 0 && gfp_elem_is_one(op->field, f)) {
        gfp_vec_set(op->field, q, w.digits, w.len);
        return GFP_OK;
    }
    GFP_TRY(gfp_elem_inv(op->field, d.inverse, divrem_at(op->field, f, n)));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(at_once(op, n, w.len - n, r != NULL) ? divide_parts(op, q, r, w, &d)
                                                 : divide_long(op, q, r, w, &d));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_division_units(size_t n, size_t len)
{
    const double x = (double)n;
    if (len <= n) {
        return 0;
    }
    const size_t c = len - n;
    if (n <= REST || c <= REST || c <= n / 2) {
        return gfp_series_divide_units(c) +
               (GFP_OPERATION_SET_UNITS + GFP_OPERATION_MULTIPLY_BY_UNITS) * x;
    }
    const size_t m = block_length(n, c), blocks = (c + m - 1) / m;
    return gfp_poly_divisor_units(n, m) +
           (double)blocks * GFP_OPERATION_MULTIPLY_BY_UNITS * (2 * (double)m + x);
}

/* ---- check ---- */

gfp_status gfp_division_check(gfp_operation_call *op, const uint64_t *q, const uint64_t *r,
                              gfp_series w, const uint64_t *f, size_t n)
{
    gfp_identity identity = {.field = op->field};
    if (r == NULL) {
        const gfp_operation_claim claim = {.c = divrem_at(op->field, w.digits, n),
                                           .a = q,
                                           .b = f,
                                           .len_c = w.len - n,
                                           .len_a = w.len - n,
                                           .len_b = n + 1,
                                           .first = n,
                                           .end = w.len};
        return gfp_operation_check_product(op, &claim);
    }
    gfp_identity_add(&identity, w.digits, w.len, NULL, 1);
    gfp_term *multiple = gfp_identity_add(&identity, q, w.len - n, f, n + 1);
    gfp_term *rest = gfp_identity_add(&identity, r, n, NULL, 1);
    multiple->minus = multiple->result = rest->minus = rest->result = true;
    return gfp_operation_check(op, &identity);
}
