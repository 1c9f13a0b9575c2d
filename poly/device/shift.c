/* shift.c: Taylor shifts on a device, as in poly/series/shift.c: i! b_i is the sum over j of (i +
 * j)! a_(i+j) c^j / j!, coefficient n - 1 + i of the product of two polynomials, one with
 * coefficients i! a_i, one with c^j / j! in reverse order.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/type.h"
#include "poly/impl.h"
#include "poly/series/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- sequences ---- */

/* x_i := i!, i < n. */
static gfp_status set_factorials(gfp_gpu_ring *ring, gfp_gpu_array *x, size_t n)
{
    const size_t k = ring->k;
    uint64_t one[GFP_MAX_K];
    const gfp_gpu_rows first = {x, 0, 0}, others = {x, 1, 1};
    gfp_gpu_array *behind = NULL;
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(x, 0, one, k));
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

/* b := a(X + c) for n >= 2 terms of a. */
static gfp_status device_shift(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n, const uint64_t *c,
                               gfp_error *error)
{
    gfp_gpu_ring *ring = b->ring;
    const gfp_field *field = ring->field;
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *factorial = NULL, *inverse = NULL, *x = NULL, *y = NULL, *z = NULL, *to = NULL;
    const bool exact = a->exact;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n, &factorial));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, n, &inverse));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, n, &x));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_TREE, n, &y));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, n, &z));
    GFP_TRY(set_factorials(ring, factorial, n));
    GFP_TRY(gfp_gpu_vec_inv(ring, inverse, factorial, n, error));
    GFP_TRY(gfp_gpu_vec_mul(field, x, a->array, factorial, n));
    gfp_elem_one(field, one);
    GFP_TRY(gfp_gpu_set_chirp(ring, y, n, one, c, one));
    GFP_TRY(gfp_gpu_vec_mul(field, y, y, inverse, n));
    GFP_TRY(gfp_gpu_vec_reverse(field, factorial, y, n));
    const gfp_gpu_rows product = {z, 0, n};
    const gfp_gpu_pairs pairs = {{x, 0, n}, {factorial, 0, n}, n, n, 1};
    GFP_TRY(gfp_gpu_ring_mul_rows(ring, &product, &pairs, n - 1, n));
    GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
    GFP_TRY(gfp_gpu_vec_mul(field, to, z, inverse, n));
    gfp_gpu_poly_take(b, to, n, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_taylor_shift(gfp_gpu_poly *b, const gfp_gpu_poly *a, const uint64_t *c,
                                     gfp_error *error)
{
    const gfp_field *field = b->ring->field;
    size_t n = a->len;
    gfp_status status = gfp_gpu_poly_check(a, b);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "polynomials of two fields or contexts");
    }
    if (!gfp_series_has_inverses(field, n)) {
        status = gfp_gpu_poly_find_length(a, &n);
    }
    if (status == GFP_OK && !gfp_series_has_inverses(field, n)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "a Taylor shift of %zu terms needs a characteristic of at least %zu",
                             n, n);
    }
    if (status == GFP_OK) {
        status = n <= 1 || gfp_elem_is_zero(field, c) ? gfp_gpu_poly_truncate(b, a, n)
                                                      : device_shift(b, a, n, c, error);
    }
    return gfp_gpu_ring_explain(b->ring, status, error);
}

/* ---- the check ---- */

static gfp_status check_at(const gfp_gpu_poly *b, const gfp_gpu_poly *a, const uint64_t *c,
                           const uint64_t *x)
{
    const gfp_field *field = b->ring->field;
    uint64_t there[GFP_MAX_K], left[GFP_MAX_K], right[GFP_MAX_K];
    gfp_elem_add(field, there, x, c);
    GFP_TRY(gfp_gpu_poly_eval(b, left, x));
    GFP_TRY(gfp_gpu_poly_eval(a, right, there));
    return gfp_elem_equal(field, left, right) ? GFP_OK : GFP_ERR_VERIFY;
}

gfp_status gfp_gpu_poly_verify_taylor_shift(const gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                            const uint64_t *c, uint64_t seed, gfp_report *report)
{
    const gfp_field *field = b->ring->field;
    const uint64_t start = gfp_clock_ns();
    gfp_report filled = {.verified = GFP_VERIFY_POINT};
    gfp_random g;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    const size_t n = a->len > b->len ? a->len : b->len;
    /* A wrong constant never passes. */
    const unsigned points =
        gfp_gpu_elements_choose(field, n <= 1 ? -64 : log2((double)(n - 1)), 0, &filled.log2_error);
    if (points == 0) {
        return GFP_ERR_UNAVAILABLE;
    }
    GFP_TRY(seed == 0 ? gfp_system_seed(&seed, NULL) : GFP_OK);
    gfp_random_seed(&g, seed);
    gfp_status status = gfp_gpu_check_canonical(b);
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        uint64_t x[GFP_MAX_K];
        gfp_elem_random(field, x, &g);
        filled.points = i + 1;
        status = check_at(b, a, c, x);
    }
    filled.verify_ns = gfp_clock_ns() - start;
    if (report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *report = filled;
    }
    return status;
}
