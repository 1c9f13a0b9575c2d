/* inverse.c: inverse and quotient of power series.
 *
 * Inverse: Newton's iteration. Let g be right modulo X^h and h < n <= 2 h. With e the coefficients
 * h <= i < n of f g, the next coefficients of 1 / f are those of -(e g) below n - h. Both products
 * go through one space of length >= n, with one transform of g: modulo X^L - 1, L >= n, what wraps
 * around in f g falls on coefficients below h, which are not needed (n + h - 1 - L <= h).
 *
 * Quotient: let g = 1 / b modulo X^m, and the quotient be known up to a multiple of m. Its next
 * block of m coefficients is g times the next block of a - q b, modulo X^m. That block of q b is
 * the sum over blocks q_j of coefficients m <= i < 2m of q_j B_(i-j), B_d being the 2m coefficients
 * of b from (d - 1) m on: products modulo X^L - 1, L >= 2m, do. The sum is one call, as transforms
 * of the q_j and the B_d are kept. This is Karp's and Markstein's division with several blocks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/series/impl.h"

#include "field/base/kernels.h"
#include "field/base/support.h"

/* ---- short series ---- */

/* Inverses and quotients of up to this length are computed by the recurrence, and those by a
 * divisor of up to RECURRENCE_DIVISOR_MAX terms. */
#define RECURRENCE_MAX 4
#define RECURRENCE_DIVISOR_MAX 3

size_t gfp_series_recurrence_max(const gfp_operation_call *op, size_t n)
{
    const size_t most = op->threshold[GFP_THRESHOLD_SERIES_RECURRENCE];
    return n <= most ? most : op->threshold[GFP_THRESHOLD_SERIES_START];
}

/* c := coefficients from <= i < end of a b, zeros where there are none. */
static void inverse_convolve(const gfp_field *field, uint64_t *c, gfp_series a, gfp_series b,
                             size_t from, size_t end)
{
    const size_t len = a.len == 0 || b.len == 0 ? 0 : a.len + b.len - 1;
    const size_t reached = gfp_size_min(end, len > from ? len : from);
    if (reached > from) {
        gfp_field_kernels(field)->convolve(field, c, a.digits, a.len, b.digits, b.len, from,
                                           reached);
    }
    gfp_vec_zero(field, c + (reached - from) * gfp_field_k(field), end - reached);
}

/* q_i := (a_i - sum over j >= 1 of b_j q_(i-j)) / b_0, one by one. */
static gfp_status divide_recurrence(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                                    gfp_series b)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t inverse[GFP_MAX_K], sum[GFP_MAX_K];
    const double terms = (double)gfp_size_min(n, b.len) + 1;
    GFP_TRY(gfp_operation_step(op, (double)n, (double)n, terms * gfp_task_product_cost(field)));
    GFP_TRY(gfp_elem_inv(field, inverse, b.digits));
    for (size_t i = 0; i < n; i++) {
        const size_t count = gfp_size_min(i, b.len - 1);
        uint64_t *at = q + i * k;
        gfp_vec_dot_reversed(field, sum, b.digits + k, at - count * k, count);
        if (i < a.len) {
            gfp_elem_sub(field, sum, a.digits + i * k, sum);
        } else {
            gfp_elem_neg(field, sum, sum);
        }
        gfp_elem_mul(field, at, sum, inverse);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status invert_recurrence(gfp_operation_call *op, uint64_t *g, size_t n, gfp_series f)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(op->field, one);
    return divide_recurrence(op, g, n, (gfp_series){one, 1}, f);
}

/* ---- the inverse ---- */

/* g, right modulo X^h, := 1 / f modulo X^n, h < n <= 2 h, by the definition of products. */
static gfp_status short_step(gfp_operation_call *op, uint64_t *g, size_t h, size_t n, gfp_series f)
{
    const size_t k = gfp_field_k(op->field), more = n - h;
    uint64_t *e;
    GFP_TRY(gfp_operation_step(op, (double)n, 1, 1));
    GFP_TRY(gfp_operation_array(op, &e, more));
    f.len = gfp_size_min(f.len, n);
    inverse_convolve(op->field, e, f, (gfp_series){g, h}, h, n);
    inverse_convolve(op->field, g + h * k, (gfp_series){e, more}, (gfp_series){g, more}, 0, more);
    gfp_vec_neg(op->field, g + h * k, g + h * k, more);
    return GFP_OK;
}

/* The same by transforms. */
static gfp_status newton_step(gfp_operation_call *op, uint64_t *g, size_t h, size_t n, gfp_series f)
{
    const size_t k = gfp_field_k(op->field), more = n - h;
    gfp_space *s;
    gfp_operand *x;
    uint64_t *e;
    GFP_TRY(gfp_operation_space_of(op, &s, n, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(op, &x, s));
    GFP_TRY(gfp_operation_array(op, &e, n));
    GFP_TRY(gfp_operation_set(op, x, g, h));
    GFP_TRY(gfp_operation_multiply_by(op, e, h, n, f.digits, gfp_size_min(f.len, n), x));
    GFP_TRY(gfp_operation_multiply_by(op, g + h * k, 0, more, e + h * k, more, x));
    gfp_vec_neg(op->field, g + h * k, g + h * k, more);
    return GFP_OK;
}

gfp_status gfp_series_invert(gfp_operation_call *op, uint64_t *g, size_t n, gfp_series f)
{
    const size_t most = op->threshold[GFP_THRESHOLD_SERIES_DEFINITION];
    size_t lengths[64], count = 0, h = n;
    while (!op->classical && f.len > RECURRENCE_DIVISOR_MAX && h > RECURRENCE_MAX) {
        lengths[count++] = h;
        h = h / 2 + h % 2;
    }
    GFP_TRY(invert_recurrence(op, g, h, f));
    while (count > 0) {
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        const size_t next = lengths[--count];
        GFP_TRY(next <= most ? short_step(op, g, h, next, f) : newton_step(op, g, h, next, f));
        gfp_operation_release(op, mark);
        h = next;
    }
    return GFP_OK;
}

double gfp_series_invert_units(size_t n)
{
    return 2 * (GFP_OPERATION_SET_UNITS + 2 * GFP_OPERATION_MULTIPLY_BY_UNITS) * (double)n;
}

/* ---- the quotient ---- */

#define MAX_BLOCKS 4

/* The blocks of a quotient: fewer inverses, and more products in sums. */
static size_t blocks_of(size_t n, size_t most_in_two)
{
    return n <= most_in_two ? 2 : MAX_BLOCKS;
}

/* A quotient under way. */
typedef struct quotient {
    gfp_operation_call *op;
    uint64_t *q, *e; /* the quotient, and 2 m further elements */
    gfp_series a, b;
    size_t n, m;
    gfp_space *space;
    gfp_operand *g;                /* 1 / b modulo X^m */
    gfp_operand *part[MAX_BLOCKS]; /* of q */
    gfp_operand *pair[MAX_BLOCKS]; /* of b: B_1, B_2, ... */
} quotient;

/* e := the block i >= 1 of a - q b, `count` coefficients, from element m on. */
static gfp_status remainder_block(quotient *w, size_t i, size_t count)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field), m = w->m;
    const gfp_series a = gfp_series_slice(op->field, w->a, i * m, count),
                     b = gfp_series_slice(op->field, w->b, (i - 1) * m, 2 * m);
    const gfp_operand *y[MAX_BLOCKS];
    GFP_TRY(gfp_operation_operand(op, &w->part[i - 1], w->space));
    GFP_TRY(gfp_operation_operand(op, &w->pair[i - 1], w->space));
    GFP_TRY(gfp_operation_set(op, w->part[i - 1], w->q + (i - 1) * m * k, m));
    GFP_TRY(gfp_operation_set(op, w->pair[i - 1], b.digits, b.len));
    for (size_t j = 0; j < i; j++) {
        y[j] = w->pair[i - 1 - j];
    }
    uint64_t *e = w->e + m * k;
    GFP_TRY(gfp_operation_dot(op, w->e, m, m + count, (const gfp_operand *const *)w->part, y, i));
    gfp_vec_sub(op->field, e, a.digits, e, a.len);
    gfp_vec_neg(op->field, e + a.len * k, e + a.len * k, count - a.len);
    return GFP_OK;
}

static gfp_status divide_blocks(quotient *w)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field), m = w->m;
    const gfp_series first = gfp_series_slice(op->field, w->a, 0, m);
    GFP_TRY(gfp_operation_operand(op, &w->g, w->space));
    GFP_TRY(gfp_operation_set(op, w->g, w->e, m));
    GFP_TRY(gfp_operation_multiply_by(op, w->q, 0, m, first.digits, first.len, w->g));
    for (size_t i = 1; i * m < w->n; i++) {
        const size_t count = gfp_size_min(m, w->n - i * m);
        GFP_TRY(remainder_block(w, i, count));
        GFP_TRY(
            gfp_operation_multiply_by(op, w->q + i * m * k, 0, count, w->e + m * k, count, w->g));
    }
    return GFP_OK;
}

/* By products by the definition: Karp's and Markstein's division, which is the one above with two
 * blocks. */
static gfp_status divide_short(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                               gfp_series b)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), m = n / 2 + n % 2, more = n - m;
    const gfp_series low = gfp_series_slice(op->field, a, 0, m),
                     high = gfp_series_slice(op->field, a, m, more);
    uint64_t *g, *e;
    GFP_TRY(gfp_operation_array(op, &g, m));
    GFP_TRY(gfp_operation_array(op, &e, m));
    GFP_TRY(gfp_series_invert(op, g, m, b));
    GFP_TRY(gfp_operation_step(op, (double)n, 1, 1));
    inverse_convolve(field, q, low, (gfp_series){g, m}, 0, m);
    inverse_convolve(field, e, b, (gfp_series){q, m}, m, n);
    gfp_vec_sub(field, e, high.digits, e, high.len);
    gfp_vec_neg(field, e + high.len * k, e + high.len * k, more - high.len);
    inverse_convolve(field, q + m * k, (gfp_series){e, more}, (gfp_series){g, m}, 0, more);
    return GFP_OK;
}

static gfp_status divide_long(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                              gfp_series b)
{
    quotient w = {.op = op, .q = q, .a = a, .b = b, .n = n};
    const size_t blocks = blocks_of(n, op->threshold[GFP_THRESHOLD_QUOTIENT_BLOCKS]);
    w.m = (n + blocks - 1) / blocks;
    GFP_TRY(gfp_operation_array(op, &w.e, 2 * w.m));
    GFP_TRY(gfp_series_invert(op, w.e, w.m, b));
    GFP_TRY(gfp_operation_space_of(op, &w.space, 2 * w.m, blocks - 1, GFP_WRAP_CYCLIC));
    return divide_blocks(&w);
}

gfp_status gfp_series_divide(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                             gfp_series b)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    a.len = gfp_size_min(a.len, n);
    b.len = gfp_size_min(b.len, n);
    const gfp_status status =
        op->classical || n <= RECURRENCE_MAX || b.len <= RECURRENCE_DIVISOR_MAX
            ? divide_recurrence(op, q, n, a, b)
        : n <= op->threshold[GFP_THRESHOLD_SERIES_DEFINITION] ? divide_short(op, q, n, a, b)
                                                              : divide_long(op, q, n, a, b);
    gfp_operation_release(op, mark);
    return status;
}

double gfp_series_divide_units(size_t n)
{
    const double blocks = MAX_BLOCKS, m = (double)n / blocks;
    return gfp_series_invert_units((size_t)m) +
           2 * m * blocks * (2 * GFP_OPERATION_SET_UNITS + 2 * GFP_OPERATION_MULTIPLY_BY_UNITS);
}
