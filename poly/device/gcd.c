/* gcd.c: greatest common divisors and resultants of many pairs on a device, and their checks.
 * Euclid's algorithm gives multiples of gcds and fractions; the inverses of all rows are one call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include <math.h>
#include <string.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/impl.h"

/* A call: its pairs, its results, and work space for both. */
typedef struct euclid {
    gfp_gpu_ring *ring;
    const gfp_gpu_pairs *pairs;
    const gfp_gpu_rows *results;
    uint64_t *lengths; /* of gcds; NULL: not wanted */
    bool resultants;
    size_t room; /* max(len_a, len_b) */
    gfp_gpu_array *work, *words;
    gfp_gpu_rows made;   /* the results, at their place or apart, */
    gfp_gpu_array *held; /* in this array; or NULL */
    uint64_t *found;     /* lengths, on the host */
} euclid;

/* The elements of a result. */
static size_t result_terms(const euclid *w)
{
    return w->resultants ? 1 : w->room;
}

/* Rows of no elements need no array. */
static gfp_status check_rows(const euclid *w, const gfp_gpu_rows *x, size_t len, const char *name,
                             gfp_error *error)
{
    return len == 0 ? GFP_OK
                    : gfp_gpu_ring_check_rows(w->ring, x, w->pairs->rows, len, name, error);
}

/* Checks the arguments of a call with pairs->rows > 0. */
static gfp_status gcd_check(const euclid *w, gfp_error *error)
{
    const gfp_gpu_pairs *pairs = w->pairs;
    const size_t rows = pairs->rows, n = result_terms(w);
    if (rows > 1 && w->results->stride < n) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "rows of %zu elements, %zu apart: too close",
                             n, w->results->stride);
    }
    GFP_TRY(check_rows(w, w->results, n, "the results", error));
    GFP_TRY(check_rows(w, &pairs->a, pairs->len_a, "a", error));
    GFP_TRY(check_rows(w, &pairs->b, pairs->len_b, "b", error));
    return gfp_gpu_euclid_elements(pairs) < SIZE_MAX / (w->ring->k * sizeof(uint64_t))
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_SIZE, "%zu pairs of %zu terms", rows, w->room);
}

static gfp_status gcd_run(euclid *w, const gfp_gpu_claim *claim)
{
    const size_t k = w->ring->k, rows = w->pairs->rows;
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_RESULT, gfp_gpu_euclid_elements(w->pairs),
                              &w->work));
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_SMALL, rows / k + 1, &w->words));
    return gfp_gpu_vec_euclid(w->ring->field, w->work, w->words, w->pairs, claim);
}

/* *part := vector 0, 1 or 2 behind the remainders. */
static gfp_status gcd_vector(const euclid *w, size_t i, gfp_gpu_array **part)
{
    const size_t k = w->ring->k, rows = w->pairs->rows;
    return gfp_gpu_array_part(part, w->work, (2 * w->room + i) * rows * k, rows * k);
}

/* z := x / y for vectors; y is overwritten. x = NULL: 1 / y. */
static gfp_status gcd_divide(const euclid *w, size_t x, size_t y, bool inverse)
{
    const size_t rows = w->pairs->rows;
    gfp_gpu_array *a = NULL, *b = NULL;
    gfp_status status = gcd_vector(w, x, &a);
    status = status != GFP_OK ? status : gcd_vector(w, y, &b);
    status = status != GFP_OK ? status : gfp_gpu_invert(w->ring, b, b, rows, NULL);
    if (status == GFP_OK && !inverse) {
        status = gfp_gpu_vec_mul(w->ring->field, a, a, b, rows);
    }
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    return status;
}

/* ---- results ---- */

static gfp_status euclid_gcds(euclid *w, gfp_call *call)
{
    const size_t rows = w->pairs->rows;
    if (w->lengths != NULL) {
        GFP_TRY(gfp_call_array(call, &w->found, rows));
        memset(w->found, 0, rows * sizeof *w->found);
    }
    if (w->room == 0) {
        return GFP_OK;
    }
    GFP_TRY(gcd_run(w, NULL));
    GFP_TRY(gcd_divide(w, 0, 0, true));
    const gfp_gpu_pairs by_lead = {
        {w->work, 0, 2 * w->room}, {w->work, 2 * w->room * rows, 1}, w->room, 1, rows};
    GFP_TRY(gfp_gpu_ring_mul_rows(w->ring, &w->made, &by_lead, 0, w->room));
    return w->lengths == NULL ? GFP_OK : gfp_gpu_download(w->found, w->words, 0, rows, NULL);
}

static gfp_status euclid_resultants(euclid *w)
{
    const size_t rows = w->pairs->rows;
    if (w->room == 0) {
        return gfp_gpu_vec_sum_rows(w->ring->field, &w->made, NULL, 0, 0, rows, 1);
    }
    GFP_TRY(gcd_run(w, NULL));
    GFP_TRY(gcd_divide(w, 1, 2, false));
    const gfp_gpu_rows made = {w->work, (2 * w->room + 1) * rows, 1};
    return gfp_gpu_vec_sum_rows(w->ring->field, &w->made, &made, 1, 0, rows, 1);
}

/* Makes room for results that stay apart. */
static gfp_status hold_results(euclid *w)
{
    const size_t n = result_terms(w);
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_array_create(&w->held, w->ring->gpu, w->pairs->rows * n * w->ring->k, NULL));
    w->made = (gfp_gpu_rows){w->held, 0, n};
    return GFP_OK;
}

static gfp_status compute_euclid(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    euclid *w = call->own;
    (void)z;
    GFP_TRY(gcd_check(w, &op->base.error));
    GFP_TRY(op->apart ? hold_results(w) : GFP_OK);
    return w->resultants ? euclid_resultants(w) : euclid_gcds(w, &op->base);
}

static gfp_status deliver_euclid(gfp_gpu_operation *op, const gfp_gpu_call *call)
{
    const euclid *w = call->own;
    const size_t rows = w->pairs->rows;
    if (w->held != NULL) {
        GFP_TRY(gfp_gpu_vec_sum_rows(op->ring->field, w->results, &w->made, 1, 0, rows,
                                     result_terms(w)));
    }
    if (w->lengths != NULL) {
        memcpy(w->lengths, w->found, rows * sizeof *w->found);
    }
    return GFP_OK;
}

/* ---- checks ---- */

/* Resultants of pairs of no coefficients are 0. */
static gfp_status check_empty(euclid *w)
{
    const size_t rows = w->pairs->rows;
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_RESULT, rows, &w->work));
    const gfp_gpu_rows packed = {w->work, 0, 1};
    GFP_TRY(gfp_gpu_vec_sum_rows(w->ring->field, &packed, &w->made, 1, 0, rows, 1));
    return gfp_gpu_expect_zeros(w->ring, w->work, rows);
}

static gfp_status check_at(const void *claimed, const uint64_t *point)
{
    euclid w = *(const euclid *)claimed;
    gfp_gpu_ring *ring = w.ring;
    const gfp_gpu_claim claim = {w.made, w.resultants, point};
    const size_t n = w.pairs->rows / ring->k + 1;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, n, &w.words));
    GFP_TRY(gfp_gpu_clear(w.words, n * ring->k, NULL));
    GFP_TRY(gcd_run(&w, &claim));
    return gfp_gpu_expect_zeros(ring, w.words, n);
}

/* Euclid's algorithm runs again, the values of a and b at a random element are taken through all
 * its steps to those of the last two remainders, and the results are compared. */
static gfp_status check_pairs(gfp_gpu_operation *op, euclid *w)
{
    if (w->room == 0) {
        return w->resultants ? check_empty(w) : GFP_OK;
    }
    const double lengths = (double)w->pairs->len_a + (double)w->pairs->len_b;
    return gfp_gpu_check_elementwise(op, log2(lengths), check_at, w);
}

gfp_status gfp_gpu_check_euclid(gfp_gpu_operation *op, const gfp_gpu_rows *results,
                                const gfp_gpu_pairs *pairs, bool resultants)
{
    euclid w = {.ring = op->ring, .pairs = pairs, .resultants = resultants, .made = *results};
    w.room = pairs->len_a > pairs->len_b ? pairs->len_a : pairs->len_b;
    return check_pairs(op, &w);
}

static gfp_status check_euclid(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                               const gfp_gpu_call *call)
{
    (void)z;
    return check_pairs(op, call->own);
}

/* ---- the calls ---- */

static gfp_status run_euclid(euclid *w, const char *name, const gfp_options *options)
{
    const gfp_gpu_pairs *pairs = w->pairs;
    if (pairs->rows == 0) {
        return GFP_OK;
    }
    w->room = pairs->len_a > pairs->len_b ? pairs->len_a : pairs->len_b;
    w->made = *w->results;
    const gfp_status status = gfp_gpu_call_run(&(gfp_gpu_call){.name = name,
                                                               .ring = w->ring,
                                                               .claims = (double)pairs->rows,
                                                               .own = w,
                                                               .compute = compute_euclid,
                                                               .check = check_euclid,
                                                               .deliver = deliver_euclid},
                                               options);
    gfp_gpu_array_destroy(w->held);
    return status;
}

gfp_status gfp_gpu_vec_gcd(gfp_gpu_ring *ring, const gfp_gpu_rows *g, uint64_t *lengths,
                           const gfp_gpu_pairs *pairs, const gfp_options *options)
{
    euclid w = {.ring = ring, .pairs = pairs, .results = g, .lengths = lengths};
    return run_euclid(&w, "greatest common divisors", options);
}

gfp_status gfp_gpu_vec_resultant(gfp_gpu_ring *ring, const gfp_gpu_rows *r,
                                 const gfp_gpu_pairs *pairs, const gfp_options *options)
{
    euclid w = {.ring = ring, .pairs = pairs, .results = r, .resultants = true};
    return run_euclid(&w, "resultants", options);
}
