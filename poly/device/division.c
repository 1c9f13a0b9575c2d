/* division.c: quotient and remainder of resident polynomials, by the quotient of the reversed
 * polynomials as power series.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"
#include "poly/impl.h"

/* The remainder takes products that wrap around from so many terms on. */
#define SHORT_QUOTIENT 64

/* The leading term of the quotient and the rest of the dividend, top_a := top_a - leading top_b, by
 * the first term of the inverse: one more term than a power of two would double the transforms. */
static gfp_status split_leading(gfp_gpu_ring *ring, const gfp_gpu_division *d,
                                gfp_gpu_array *inverse)
{
    const gfp_gpu_products products = {
        .rows = 1, .exact = true, .count = 1, .extent = {{d->len_b, 1, 0, d->len_b}}};
    gfp_gpu_array *area = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_RESULT, d->len_b, &area));
    const gfp_gpu_rows leading = {d->quotient, 0, 1}, b = {d->top_b, 0, d->len_b};
    const gfp_gpu_rows product = {area, 0, d->len_b}, a = {d->top_a, 0, d->n};
    const gfp_gpu_rows terms[] = {a, product};
    GFP_TRY(gfp_gpu_vec_mul(ring->field, d->quotient, d->top_a, inverse, 1));
    GFP_TRY(gfp_gpu_ring_product(ring, &products, 0, &product, &b, &leading));
    return gfp_gpu_vec_sum_rows(ring->field, &a, terms, 2, 2, 1, d->len_b);
}

static gfp_status divide_reversed(gfp_gpu_ring *ring, const gfp_gpu_division *d, gfp_error *error)
{
    const bool split = d->n > 64 && ((d->n - 1) & (d->n - 2)) == 0;
    const size_t first = split ? 1 : 0, n = d->n - first;
    const size_t m = gfp_gpu_quotient_terms(ring, n, 1);
    gfp_gpu_array *inverse = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, m, &inverse));
    const gfp_gpu_rows g = {inverse, 0, m}, q = {d->quotient, first, n};
    const gfp_gpu_pairs pairs = {{d->top_a, first, n}, {d->top_b, 0, d->len_b}, n, d->len_b, 1};
    GFP_TRY(gfp_gpu_rows_invert(ring, &g, m, &pairs.b, d->len_b, 1, error));
    GFP_TRY(gfp_gpu_reverse_at(ring, d->top_a, 0, d->a->array, d->a->len - d->n, d->n));
    GFP_TRY(split ? split_leading(ring, d, inverse) : GFP_OK);
    return gfp_gpu_rows_divide(ring, &q, n, &pairs, &g, m);
}

gfp_status gfp_gpu_divide(gfp_gpu_ring *ring, gfp_gpu_division *d, gfp_error *error)
{
    const size_t n = d->n;
    d->len_b = gfp_size_min(n, d->len);
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n, &d->top_a));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, d->len_b, &d->top_b));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, n, &d->quotient));
    GFP_TRY(gfp_gpu_reverse_at(ring, d->top_b, 0, d->b->array, d->len - d->len_b, d->len_b));
    GFP_TRY(divide_reversed(ring, d, error));
    /* top_a is free: the quotient in its order */
    return gfp_gpu_vec_reverse(ring->field, d->top_a, d->quotient, n);
}

/* ---- the remainder ---- */

/* z := the polynomial x of n coefficients modulo X^size - 1. */
static gfp_status division_wrap(const gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x,
                                size_t n, size_t size)
{
    const gfp_gpu_rows to = {z, 0, size};
    for (size_t from = 0; from < n; from += size) {
        const gfp_gpu_rows terms[] = {{(gfp_gpu_array *)x, from, size}, to};
        GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &to, terms, from == 0 ? 1 : 2, 0, 1,
                                     gfp_size_min(size, n - from)));
    }
    const gfp_gpu_rows rest = {z, n, size};
    return n < size ? gfp_gpu_vec_sum_rows(ring->field, &rest, NULL, 0, 0, 1, size - n) : GFP_OK;
}

/* low := q b modulo X^rest, for a quotient q in its order. */
static gfp_status multiply_low(gfp_gpu_ring *ring, const gfp_gpu_division *d, gfp_gpu_array *low,
                               size_t rest)
{
    const gfp_gpu_rows product = {low, 0, rest};
    const gfp_gpu_pairs pairs = {{d->top_a, 0, d->n}, {d->b->array, 0, d->len}, d->n, d->len, 1};
    GFP_TRY(gfp_gpu_ring_mul_rows(ring, &product, &pairs, 0, rest));
    return gfp_gpu_vec_sub(ring->field, low, d->a->array, low, rest);
}

/* low := a - q b modulo X^N - 1: the remainder, since it has less than N terms. */
static gfp_status multiply_wrapped(gfp_gpu_ring *ring, const gfp_gpu_division *d,
                                   gfp_gpu_array *low, size_t rest, const gfp_gpu_ring_plan *kept)
{
    const size_t size = gfp_gpu_product_plan_length(kept->plan), len_q = gfp_size_min(d->n, size);
    gfp_gpu_array *a = d->a->array, *q = d->top_a;
    size_t len_a = d->a->len;
    if (d->n > size) {
        GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, size, &q));
        GFP_TRY(division_wrap(ring, q, d->top_a, d->n, size));
    }
    if (len_a > 2 * size) {
        GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_ERROR, size, &a));
        GFP_TRY(division_wrap(ring, a, d->a->array, d->a->len, size));
        len_a = size;
    }
    const size_t twice = len_a > size ? gfp_size_min(len_a - size, rest) : 0;
    const gfp_gpu_rows to = {low, 0, rest}, behind = {low, twice, rest}, x = {q, 0, len_q},
                       y = {d->b->array, 0, d->len};
    const gfp_gpu_rows both[] = {{a, 0, rest}, to, {a, size, rest}};
    const gfp_gpu_rows one[] = {{a, twice, rest}, behind};
    GFP_TRY(gfp_gpu_product_rows(kept->plan, &to, &x, len_q, &y, d->len, 0, rest));
    if (twice > 0) {
        GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &to, both, 3, 2, 1, twice));
    }
    return gfp_gpu_vec_sum_rows(ring->field, &behind, one, 2, 2, 1, rest - twice);
}

/* Products modulo X^N - 1 take half of the transforms of the low half of a product. */
gfp_status gfp_gpu_division_rest(gfp_gpu_ring *ring, const gfp_gpu_division *d, gfp_gpu_array *to)
{
    const size_t rest = d->len - 1;
    gfp_gpu_ring_plan *kept = NULL;
    if (rest == 0) {
        return GFP_OK;
    }
    if (d->n < SHORT_QUOTIENT || rest < SHORT_QUOTIENT) {
        return multiply_low(ring, d, to, rest);
    }
    /* Any quotient, reduced modulo X^N - 1, by a divisor of this length. */
    const gfp_gpu_products products = {
        .rows = 1, .wrap = rest, .count = 1, .extent = {{d->len, d->len, 0, rest}}};
    const gfp_status status = gfp_gpu_ring_plan_of(ring, &products, &kept);
    if (status == GFP_ERR_MEMORY || status == GFP_ERR_UNAVAILABLE) {
        return multiply_low(ring, d, to, rest);
    }
    GFP_TRY(status);
    return multiply_wrapped(ring, d, to, rest, kept);
}

/* ---- the call ---- */

/* z[1].array := the place of the remainder: its own at once if r is no operand, and nothing can
 * fail any more. */
static gfp_status place_rest(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_poly *r = w->output[1];
    if (op->apart || r == w->input[0] || r == w->input[1]) {
        return gfp_gpu_ring_work(op->ring, GFP_GPU_USE_RESULT, z[1].len, &z[1].array);
    }
    GFP_TRY(gfp_gpu_poly_make_room(w->output[0], z[0].len));
    GFP_TRY(gfp_gpu_poly_make_room(r, z[1].len));
    z[1].array = r->array;
    return GFP_OK;
}

static gfp_status compute_division(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_division d = {.a = w->input[0], .b = w->input[1]};
    GFP_TRY(gfp_gpu_poly_find_length(d.b, &d.len));
    if (d.len == 0) {
        return gfp_error_set(&op->base.error, GFP_ERR_NOT_INVERTIBLE, "the divisor is 0");
    }
    if (d.a->len < d.len) {
        z[1] = *d.a;
        return GFP_OK;
    }
    d.n = d.a->len - d.len + 1;
    GFP_TRY(gfp_gpu_divide(op->ring, &d, &op->base.error));
    z[0] = (gfp_gpu_poly){.ring = op->ring, .array = d.top_a, .len = d.n};
    z[1].len = d.len - 1;
    z[1].exact = false;
    if (z[1].len > 0) {
        GFP_TRY(place_rest(op, z, w));
    }
    return gfp_gpu_division_rest(op->ring, &d, z[1].array);
}

static gfp_status check_division(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                 const gfp_gpu_call *w)
{
    return gfp_gpu_check_product(op, w->input[0], &z[0], w->input[1], &z[1], true);
}

gfp_status gfp_gpu_poly_divrem(gfp_gpu_poly *q, gfp_gpu_poly *r, const gfp_gpu_poly *a,
                               const gfp_gpu_poly *b, const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "division",
                                            .output = {q, r},
                                            .outputs = 2,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .compute = compute_division,
                                            .check = check_division},
                            options);
}
