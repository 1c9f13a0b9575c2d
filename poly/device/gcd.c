/* gcd.c: greatest common divisors and resultants of many pairs on a device, and their checks.
 * Euclid's algorithm gives multiples of gcds and fractions; the inverses of all rows are one call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/type.h"

#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* A call: its pairs, its results, and work space for both. */
typedef struct euclid {
    gfp_gpu_ring *ring;
    const gfp_gpu_pairs *pairs;
    const gfp_gpu_rows *results;
    bool resultants;
    size_t room; /* max(len_a, len_b) */
    gfp_gpu_array *work, *words;
} euclid;

static euclid gcd_begin(gfp_gpu_ring *ring, const gfp_gpu_rows *results, const gfp_gpu_pairs *pairs,
                        bool resultants)
{
    const size_t room = pairs->len_a > pairs->len_b ? pairs->len_a : pairs->len_b;
    return (euclid){
        .ring = ring, .pairs = pairs, .results = results, .resultants = resultants, .room = room};
}

/* Rows of no elements need no array. */
static gfp_status check_rows(const euclid *w, const gfp_gpu_rows *x, size_t len, const char *name,
                             gfp_error *error)
{
    return len == 0 ? GFP_OK
                    : gfp_gpu_ring_check_rows(w->ring, x, w->pairs->rows, len, name, error);
}

/* Checks the arguments of a call with pairs->rows > 0; `writes`: the results are an output. */
static gfp_status gcd_check(const euclid *w, bool writes, gfp_error *error)
{
    const gfp_gpu_pairs *pairs = w->pairs;
    const size_t rows = pairs->rows, n = w->resultants ? 1 : w->room;
    if (writes && rows > 1 && w->results->stride < n) {
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
    status = status != GFP_OK ? status : gfp_gpu_vec_inv(w->ring, b, b, rows, NULL);
    if (status == GFP_OK && !inverse) {
        status = gfp_gpu_vec_mul(w->ring->field, a, a, b, rows);
    }
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    return status;
}

/* ---- results ---- */

static gfp_status euclid_gcds(euclid *w, uint64_t *lengths)
{
    const size_t rows = w->pairs->rows;
    GFP_TRY(gcd_run(w, NULL));
    GFP_TRY(gcd_divide(w, 0, 0, true));
    const gfp_gpu_pairs by_lead = {
        {w->work, 0, 2 * w->room}, {w->work, 2 * w->room * rows, 1}, w->room, 1, rows};
    GFP_TRY(gfp_gpu_ring_mul_rows(w->ring, w->results, &by_lead, 0, w->room));
    return lengths == NULL ? GFP_OK : gfp_gpu_download(lengths, w->words, 0, rows);
}

gfp_status gfp_gpu_vec_gcd(gfp_gpu_ring *ring, const gfp_gpu_rows *g, uint64_t *lengths,
                           const gfp_gpu_pairs *pairs, gfp_error *error)
{
    euclid w = gcd_begin(ring, g, pairs, false);
    if (pairs->rows == 0) {
        return GFP_OK;
    }
    GFP_TRY(gcd_check(&w, true, error));
    for (size_t i = 0; w.room == 0 && lengths != NULL && i < pairs->rows; i++) {
        lengths[i] = 0;
    }
    return w.room == 0 ? GFP_OK : gfp_gpu_ring_explain(ring, euclid_gcds(&w, lengths), error);
}

static gfp_status euclid_resultants(euclid *w)
{
    const size_t rows = w->pairs->rows;
    if (w->room == 0) {
        return gfp_gpu_vec_sum_rows(w->ring->field, w->results, NULL, 0, 0, rows, 1);
    }
    GFP_TRY(gcd_run(w, NULL));
    GFP_TRY(gcd_divide(w, 1, 2, false));
    const gfp_gpu_rows made = {w->work, (2 * w->room + 1) * rows, 1};
    return gfp_gpu_vec_sum_rows(w->ring->field, w->results, &made, 1, 0, rows, 1);
}

gfp_status gfp_gpu_vec_resultant(gfp_gpu_ring *ring, const gfp_gpu_rows *r,
                                 const gfp_gpu_pairs *pairs, gfp_error *error)
{
    euclid w = gcd_begin(ring, r, pairs, true);
    if (pairs->rows == 0) {
        return GFP_OK;
    }
    GFP_TRY(gcd_check(&w, true, error));
    return gfp_gpu_ring_explain(ring, euclid_resultants(&w), error);
}

/* ---- checks ---- */

/* VERIFY unless `n` elements of x are 0. */
static gfp_status expect_zeros(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n)
{
    uint64_t length = 0;
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
    GFP_TRY(gfp_gpu_vec_length(ring->field, ring->word, x, n));
    GFP_TRY(gfp_gpu_download(&length, ring->word, 0, 1));
    return length == 0 ? GFP_OK : GFP_ERR_VERIFY;
}

/* Resultants of pairs of no coefficients are 0. */
static gfp_status check_empty(euclid *w)
{
    const size_t rows = w->pairs->rows;
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_RESULT, rows, &w->work));
    const gfp_gpu_rows packed = {w->work, 0, 1};
    GFP_TRY(gfp_gpu_vec_sum_rows(w->ring->field, &packed, w->results, 1, 0, rows, 1));
    return expect_zeros(w->ring, w->work, rows);
}

static gfp_status check_at(euclid *w, const uint64_t *point)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_claim claim = {*w->results, w->resultants, point};
    const size_t n = w->pairs->rows / ring->k + 1;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, n, &w->words));
    GFP_TRY(gfp_gpu_clear(w->words, n * ring->k));
    GFP_TRY(gcd_run(w, &claim));
    return expect_zeros(ring, w->words, n);
}

static gfp_status check_points(euclid *w, uint64_t seed, gfp_report *report)
{
    uint64_t t[GFP_MAX_K];
    gfp_random g;
    if (w->room == 0) {
        return w->resultants ? check_empty(w) : GFP_OK;
    }
    const double lengths = (double)w->pairs->len_a + (double)w->pairs->len_b;
    const unsigned points = gfp_gpu_elements_choose(
        w->ring->field, log2(lengths), log2((double)w->pairs->rows), &report->log2_error);
    GFP_TRY(points > 0 ? GFP_OK : GFP_ERR_UNAVAILABLE);
    GFP_TRY(seed != 0 ? GFP_OK : gfp_system_seed(&seed, NULL));
    gfp_random_seed(&g, ~seed); /* not the elements that a caller drew by this seed */
    while (report->points < points) {
        gfp_vec_random(w->ring->field, t, 1, &g);
        report->points++;
        GFP_TRY(check_at(w, t));
    }
    return GFP_OK;
}

static gfp_status gcd_verify(euclid *w, uint64_t seed, gfp_report *report)
{
    const uint64_t start = gfp_clock_ns();
    gfp_report filled = {.verified = GFP_VERIFY_POINT};
    gfp_status status = GFP_OK;
    if (w->pairs->rows > 0) {
        GFP_TRY(gcd_check(w, false, NULL));
        status = check_points(w, seed, &filled);
    }
    filled.verify_ns = gfp_clock_ns() - start;
    if (report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *report = filled;
    }
    return status;
}

gfp_status gfp_gpu_vec_verify_gcd(gfp_gpu_ring *ring, const gfp_gpu_rows *g,
                                  const gfp_gpu_pairs *pairs, uint64_t seed, gfp_report *report)
{
    euclid w = gcd_begin(ring, g, pairs, false);
    return gcd_verify(&w, seed, report);
}

gfp_status gfp_gpu_vec_verify_resultant(gfp_gpu_ring *ring, const gfp_gpu_rows *r,
                                        const gfp_gpu_pairs *pairs, uint64_t seed,
                                        gfp_report *report)
{
    euclid w = gcd_begin(ring, r, pairs, true);
    return gcd_verify(&w, seed, report);
}
