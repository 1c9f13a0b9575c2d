/* shift.c: Taylor shifts on a device, as in poly/series/shift.c: i! b_i is the sum over j of (i +
 * j)! a_(i+j) c^j / j!, coefficient n - 1 + i of the product of two polynomials, one with
 * coefficients i! a_i, one with c^j / j! in reverse order.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"
#include "poly/impl.h"
#include "poly/series/impl.h"

/* ---- sequences ---- */

/* x_i := i!, i < n. */
static gfp_status set_factorials(gfp_gpu_ring *ring, gfp_gpu_array *x, size_t n)
{
    const size_t k = ring->k;
    uint64_t one[GFP_MAX_K];
    const gfp_gpu_rows first = {x, 0, 0}, others = {x, 1, 1};
    gfp_gpu_array *behind = NULL;
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(x, 0, one, k, NULL));
    if (n == 1) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &others, &first, 1, 0, n - 1, 1));
    GFP_TRY(gfp_gpu_array_part(&behind, x, k, (n - 1) * k));
    const gfp_status status = gfp_gpu_vec_mul_index(ring->field, behind, behind, 1, n - 1);
    gfp_gpu_array_destroy(behind);
    GFP_TRY(status);
    return gfp_gpu_prefix_products(ring, x, n);
}

/* ---- the shift ---- */

/* z := a(X + c) for n >= 2 terms of a. */
static gfp_status shift_terms(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w,
                              size_t n)
{
    gfp_gpu_ring *ring = op->ring;
    const gfp_gpu_poly *a = w->input[0];
    const gfp_field *field = ring->field;
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *factorial = NULL, *inverse = NULL, *x = NULL, *y = NULL, *sums = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n, &factorial));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, n, &inverse));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, n, &x));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_TREE, n, &y));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, n, &sums));
    GFP_TRY(set_factorials(ring, factorial, n));
    GFP_TRY(gfp_gpu_invert(ring, inverse, factorial, n, &op->base.error));
    GFP_TRY(gfp_gpu_vec_mul(field, x, a->array, factorial, n));
    gfp_elem_one(field, one);
    GFP_TRY(gfp_gpu_set_chirp(ring, y, n, one, w->x, one));
    GFP_TRY(gfp_gpu_vec_mul(field, y, y, inverse, n));
    GFP_TRY(gfp_gpu_vec_reverse(field, factorial, y, n));
    const gfp_gpu_rows product = {sums, 0, n};
    const gfp_gpu_pairs pairs = {{x, 0, n}, {factorial, 0, n}, n, n, 1};
    GFP_TRY(gfp_gpu_ring_mul_rows(ring, &product, &pairs, n - 1, n));
    GFP_TRY(gfp_gpu_poly_place(w->output[0], n, op->apart, &z->array));
    z->len = n;
    z->exact = a->exact;
    return gfp_gpu_vec_mul(field, z->array, sums, inverse, n);
}

static gfp_status compute_shift(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    const gfp_field *field = op->ring->field;
    size_t n = a->len;
    if (!gfp_series_has_inverses(field, n)) {
        GFP_TRY(gfp_gpu_poly_find_length(a, &n));
    }
    if (!gfp_series_has_inverses(field, n)) {
        return gfp_error_set(&op->base.error, GFP_ERR_UNAVAILABLE,
                             "%zu terms need a characteristic of at least %zu", n, n);
    }
    if (n <= 1 || gfp_elem_is_zero(field, w->x)) {
        *z = *a;
        z->len = n;
        z->exact = z->exact || n < a->len;
        return GFP_OK;
    }
    return shift_terms(op, z, w, n);
}

/* ---- the check ---- */

/* b(X) = a(X + c). */
typedef struct shifted {
    const gfp_gpu_poly *b, *a;
    const uint64_t *c;
} shifted;

static gfp_status check_at(const void *claim, const uint64_t *x)
{
    const shifted *w = claim;
    const gfp_field *field = w->b->ring->field;
    uint64_t there[GFP_MAX_K], left[GFP_MAX_K], right[GFP_MAX_K];
    gfp_elem_add(field, there, x, w->c);
    GFP_TRY(gfp_gpu_poly_value(w->b, left, x));
    GFP_TRY(gfp_gpu_poly_value(w->a, right, there));
    return gfp_elem_equal(field, left, right) ? GFP_OK : GFP_ERR_VERIFY;
}

gfp_status gfp_gpu_check_shift(gfp_gpu_operation *op, const gfp_gpu_poly *b, const gfp_gpu_poly *a,
                               const uint64_t *c)
{
    const size_t n = a->len > b->len ? a->len : b->len;
    const shifted claim = {b, a, c};
    GFP_TRY(gfp_gpu_check_elements(op->ring, b->array, b->len));
    /* A wrong constant never passes. */
    return gfp_gpu_check_elementwise(op, n <= 1 ? -64 : log2((double)(n - 1)), check_at, &claim);
}

/* ---- the call ---- */

static gfp_status check_result(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    return gfp_gpu_check_shift(op, z, w->input[0], w->x);
}

gfp_status gfp_gpu_poly_taylor_shift(gfp_gpu_poly *b, const gfp_gpu_poly *a, const uint64_t *c,
                                     const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "Taylor shift",
                                            .output = {b},
                                            .outputs = 1,
                                            .input = {a},
                                            .inputs = 1,
                                            .x = c,
                                            .compute = compute_shift,
                                            .check = check_result},
                            options);
}
