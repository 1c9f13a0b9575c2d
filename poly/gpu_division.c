/* gpu_division.c: quotient and remainder of resident polynomials, by the quotient of the reversed
 * polynomials as power series.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_poly.h"

#include "gfpoly/gpu_toolkit.h"
#include "poly_impl.h"
#include "support.h"

/* The remainder takes products that wrap around from so many terms on. */
#define SHORT_QUOTIENT 64

/* a = q b + r: the quotient has n terms; len is the length of b. */
typedef struct division {
    gfp_gpu_ring *ring;
    const gfp_gpu_poly *a, *b;
    size_t len, n;
    gfp_gpu_array *top_a, *top_b; /* the top n terms, or fewer, reversed */
    size_t len_b;                 /* of top_b */
    gfp_gpu_array *quotient;      /* reversed */
} division;

/* z := elements from, from + 1, ... of x in reverse order. */
static gfp_status reversed_part(const gfp_gpu_ring *ring, gfp_gpu_array *z, gfp_gpu_array *x,
                                size_t from, size_t n)
{
    gfp_gpu_array *part = NULL;
    GFP_TRY(gfp_gpu_array_part(&part, x, from * ring->k, n * ring->k));
    const gfp_status status = gfp_gpu_vec_reverse(ring->field, z, part, n);
    gfp_gpu_array_destroy(part);
    return status;
}

/* The length of b without leading zeros. */
static gfp_status length_of(const gfp_gpu_poly *b, size_t *len)
{
    gfp_gpu_ring *ring = b->ring;
    uint64_t found = b->len;
    if (!b->exact) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_length(ring->field, ring->word, b->array, b->len));
        GFP_TRY(gfp_gpu_download(&found, ring->word, 0, 1));
    }
    *len = (size_t)found;
    return GFP_OK;
}

/* The leading term of the quotient and the rest of the dividend, top_a := top_a - leading top_b:
 * one more term than a power of two would double the transforms. */
static gfp_status split_leading(const division *d)
{
    const gfp_gpu_ring *ring = d->ring;
    uint64_t leading[GFP_MAX_K], x[GFP_MAX_K];
    GFP_TRY(gfp_gpu_download(x, d->top_b, 0, ring->k));
    GFP_TRY(gfp_gpu_download(leading, d->top_a, 0, ring->k));
    GFP_TRY(gfp_elem_inv(ring->field, x, x));
    gfp_elem_mul(ring->field, leading, leading, x);
    GFP_TRY(gfp_gpu_upload(d->quotient, 0, leading, ring->k));
    gfp_gpu_array *product = NULL;
    GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_RESULT, d->len_b, &product));
    GFP_TRY(gfp_gpu_vec_scale(ring->field, product, d->top_b, leading, d->len_b));
    return gfp_gpu_vec_sub(ring->field, d->top_a, d->top_a, product, d->len_b);
}

static gfp_status divide_reversed(const division *d, gfp_error *error)
{
    const bool split = d->n > 64 && ((d->n - 1) & (d->n - 2)) == 0;
    const size_t first = split ? 1 : 0, n = d->n - first, m = n - n / 2;
    gfp_gpu_array *inverse = NULL;
    if (split) {
        GFP_TRY(split_leading(d));
    }
    GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_INVERSE, m, &inverse));
    const gfp_gpu_rows g = {inverse, 0, m}, b = {d->top_b, 0, d->len_b};
    const gfp_gpu_rows a = {d->top_a, first, n}, q = {d->quotient, first, n};
    GFP_TRY(gfp_gpu_rows_invert(d->ring, &g, m, &b, d->len_b, 1, error));
    return gfp_gpu_rows_divide(d->ring, &q, n, &a, n, &b, d->len_b, &g, m, 1);
}

static gfp_status make_quotient(division *d, gfp_error *error)
{
    const size_t n = d->n;
    d->len_b = gfp_size_min(n, d->len);
    GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_FIRST, n, &d->top_a));
    GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_SECOND, d->len_b, &d->top_b));
    GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_PRODUCT, n, &d->quotient));
    GFP_TRY(reversed_part(d->ring, d->top_a, d->a->array, d->a->len - n, n));
    GFP_TRY(reversed_part(d->ring, d->top_b, d->b->array, d->len - d->len_b, d->len_b));
    GFP_TRY(divide_reversed(d, error));
    /* top_a is free: the quotient in its order */
    return gfp_gpu_vec_reverse(d->ring->field, d->top_a, d->quotient, n);
}

/* ---- the remainder ---- */

/* z := the polynomial x of n coefficients modulo X^size - 1. */
static gfp_status wrap(const gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x, size_t n,
                       size_t size)
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
static gfp_status multiply_low(const division *d, gfp_gpu_array *low, size_t rest)
{
    const gfp_gpu_rows product = {low, 0, rest}, x = {d->top_a, 0, d->n},
                       y = {d->b->array, 0, d->len};
    GFP_TRY(gfp_gpu_ring_mul_rows(d->ring, &product, &x, d->n, &y, d->len, 0, rest, 1));
    return gfp_gpu_vec_sub(d->ring->field, low, d->a->array, low, rest);
}

/* low := a - q b modulo X^N - 1: the remainder, since it has less than N terms. */
static gfp_status multiply_wrapped(const division *d, gfp_gpu_array *low, size_t rest,
                                   gfp_gpu_product_plan *plan)
{
    gfp_gpu_ring *ring = d->ring;
    const size_t size = gfp_gpu_product_plan_length(plan), len_q = gfp_size_min(d->n, size);
    gfp_gpu_array *a = NULL, *q = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_ERROR, size, &a));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, size, &q));
    GFP_TRY(wrap(ring, a, d->a->array, d->a->len, size));
    if (d->n > size) {
        GFP_TRY(wrap(ring, q, d->top_a, d->n, size));
    }
    const gfp_gpu_rows to = {low, 0, rest}, x = {d->n > size ? q : d->top_a, 0, len_q},
                       y = {d->b->array, 0, d->len}, terms[] = {{a, 0, size}, to};
    GFP_TRY(gfp_gpu_product_rows(plan, &to, &x, len_q, &y, d->len, 0, rest));
    return gfp_gpu_vec_sum_rows(ring->field, &to, terms, 2, 2, 1, rest);
}

/* low := the remainder. Products modulo X^N - 1 take half of the transforms of the low half of a
 * product. */
static gfp_status make_remainder(const division *d, gfp_gpu_array *low, size_t rest)
{
    gfp_gpu_product_plan *plan = NULL;
    if (d->n < SHORT_QUOTIENT || rest < SHORT_QUOTIENT) {
        return multiply_low(d, low, rest);
    }
    const gfp_gpu_shape shape = {.len_a = d->len, .len_b = d->len, .batch = 1, .wrap = rest};
    const gfp_status status = gfp_gpu_ring_plan_of(d->ring, &shape, &plan);
    if (status == GFP_ERR_MEMORY || status == GFP_ERR_UNAVAILABLE) {
        return multiply_low(d, low, rest);
    }
    GFP_TRY(status);
    return multiply_wrapped(d, low, rest, plan);
}

/* q and r := the quotient and the remainder; nothing can fail but the device once q is written. */
static gfp_status deliver(const division *d, gfp_gpu_poly *q, gfp_gpu_poly *r)
{
    const size_t k = d->ring->k, rest = d->len - 1;
    gfp_gpu_array *low = NULL;
    if (rest > 0) {
        GFP_TRY(gfp_gpu_ring_work(d->ring, GFP_GPU_USE_RESULT, rest, &low));
        GFP_TRY(make_remainder(d, low, rest));
    }
    GFP_TRY(gfp_gpu_poly_fit_length(q, d->n));
    GFP_TRY(gfp_gpu_poly_fit_length(r, rest));
    GFP_TRY(gfp_gpu_copy(q->array, d->top_a, d->n * k));
    GFP_TRY(rest > 0 ? gfp_gpu_copy(r->array, low, rest * k) : GFP_OK);
    GFP_TRY(gfp_gpu_poly_set_length(q, d->n));
    return gfp_gpu_poly_set_length(r, rest);
}

static gfp_status divide(gfp_gpu_poly *q, gfp_gpu_poly *r, const gfp_gpu_poly *a,
                         const gfp_gpu_poly *b, gfp_error *error)
{
    division d = {.ring = q->ring, .a = a, .b = b};
    GFP_TRY(length_of(b, &d.len));
    if (d.len == 0) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the divisor is 0");
    }
    if (a->len < d.len) {
        GFP_TRY(gfp_gpu_poly_copy(r, a));
        gfp_gpu_poly_zero(q);
        return GFP_OK;
    }
    d.n = a->len - d.len + 1;
    GFP_TRY(make_quotient(&d, error));
    return deliver(&d, q, r);
}

gfp_status gfp_gpu_poly_divrem(gfp_gpu_poly *q, gfp_gpu_poly *r, const gfp_gpu_poly *a,
                               const gfp_gpu_poly *b, gfp_error *error)
{
    if (q == r) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "quotient and remainder are the same polynomial");
    }
    gfp_status status = gfp_gpu_poly_check(a, b);
    status = status != GFP_OK ? status : gfp_gpu_poly_check(a, q);
    status = status != GFP_OK ? status : gfp_gpu_poly_check(a, r);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "polynomials of two fields or contexts");
    }
    return gfp_gpu_ring_explain(q->ring, divide(q, r, a, b, error), error);
}
