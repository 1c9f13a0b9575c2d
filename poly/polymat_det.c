/* polymat_det.c: determinants of matrices of polynomials: values of all entries at a geometric
 * progression, Gaussian elimination at each point, interpolation.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "polymat.h"

#include "bipoly.h"
#include "gcd.h"
#include "geometric.h"
#include "operation_batch.h"
#include "support.h"
#include "verify.h"

/* ---- in the field ---- */

/* Adds to row i the multiple of row c that makes its entry in column c zero; inverse is that of the
 * pivot. */
static void eliminate_row(const gfp_field *field, uint64_t *m, size_t n, size_t c, size_t i,
                          const uint64_t *inverse)
{
    const size_t k = gfp_field_k(field);
    uint64_t factor[GFP_MAX_K];
    uint64_t *row = m + (i * n + c) * k;
    if (!gfp_elem_is_zero(field, row)) {
        gfp_elem_mul(field, factor, row, inverse);
        gfp_vec_submul(field, row + k, m + (c * n + c + 1) * k, factor, n - c - 1);
    }
}

/* Brings a row whose entry in column c is not 0 into place c. Returns false if there is none. */
static bool find_pivot(const gfp_field *field, uint64_t *m, size_t n, size_t c, uint64_t *det)
{
    const size_t k = gfp_field_k(field);
    size_t i = c;
    while (i < n && gfp_elem_is_zero(field, m + (i * n + c) * k)) {
        i++;
    }
    if (i < n && i > c) {
        for (size_t j = c * n; j < (c + 1) * n; j++) {
            uint64_t t[GFP_MAX_K], *other = m + (j + (i - c) * n) * k;
            gfp_elem_copy(field, t, m + j * k);
            gfp_elem_copy(field, m + j * k, other);
            gfp_elem_copy(field, other, t);
        }
        gfp_elem_neg(field, det, det);
    }
    return i < n;
}

/* det := the determinant of the n x n matrix m, which changes. */
static gfp_status eliminate(const gfp_field *field, uint64_t *det, uint64_t *m, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t inverse[GFP_MAX_K];
    gfp_elem_one(field, det);
    for (size_t c = 0; c < n; c++) {
        const uint64_t *pivot = m + (c * n + c) * k;
        if (!find_pivot(field, m, n, c, det)) {
            gfp_elem_zero(field, det);
            return GFP_OK;
        }
        gfp_elem_mul(field, det, det, pivot);
        if (c + 1 < n) {
            GFP_TRY(gfp_elem_inv(field, inverse, pivot));
        }
        for (size_t i = c + 1; i < n; i++) {
            eliminate_row(field, m, n, c, i, inverse);
        }
    }
    return GFP_OK;
}

/* ---- at all points ---- */

typedef struct images {
    const gfp_field *field;
    const uint64_t *values; /* of entry e at the points: from e points on */
    uint64_t *det;
    size_t n, points;
} images;

static gfp_status run_points(void *job, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const images *w = job;
    const size_t k = gfp_field_k(w->field);
    for (size_t t = from; t < to; t++) {
        for (size_t e = 0; e < w->n * w->n; e++) {
            gfp_elem_copy(w->field, scratch + e * k, w->values + (e * w->points + t) * k);
        }
        GFP_TRY(eliminate(w->field, w->det + t * k, scratch, w->n));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The time of an elimination, in products in the field; an inverse takes some 100. */
static double products_of(size_t n)
{
    const double x = (double)n;
    return x * x * x / 3 + 100 * x;
}

double gfp_polymat_determinant_units(size_t points, size_t len, size_t n)
{
    return (double)n * (double)n * gfp_geometric_values_units(points, len) +
           GFP_OPERATION_ELEMENT_UNITS * (double)points * products_of(n) +
           gfp_geometric_solve_units(points);
}

/* z := the determinant; no check. */
static gfp_status compute(gfp_operation_call *op, uint64_t *z, size_t points, const gfp_entries *a,
                          size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    gfp_bipoly_start s;
    gfp_random g;
    uint64_t *values, *det;
    GFP_TRY(gfp_bipoly_seed(op, &g));
    GFP_TRY(gfp_bipoly_progression(op, &s, points, &g));
    if (!s.found) {
        return gfp_error_set(op->options->error, GFP_ERR_UNAVAILABLE,
                             "%s: the field has too few elements for %zu points", op->name, points);
    }
    const gfp_progression p = {s.start, s.ratio, points};
    if (points > SIZE_MAX / n / n) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_operation_array(op, &values, n * n * points));
    GFP_TRY(gfp_operation_array(op, &det, points));
    for (size_t e = 0; e < n * n; e++) {
        GFP_TRY(gfp_geometric_values(op, values + e * points * k, gfp_entry(field, a, e), &p));
    }
    images w = {field, values, det, n, points};
    const gfp_operation_loop loop = {.run = run_points,
                                     .job = &w,
                                     .items = points,
                                     .chunk = 1,
                                     .scratch = n * n,
                                     .units = GFP_OPERATION_ELEMENT_UNITS * (double)points *
                                              products_of(n),
                                     .cost = products_of(n) * gfp_task_product_cost(field)};
    GFP_TRY(gfp_operation_loop_run(op, &loop));
    return gfp_geometric_solve(op, z, det, &p);
}

/* ---- check ---- */

static gfp_status check_at(gfp_operation_call *op, const uint64_t *z, size_t points,
                           const gfp_entries *a, size_t n, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K], *m;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &m, n * n));
    for (size_t e = 0; e < n * n; e++) {
        const gfp_series x = gfp_entry(field, a, e);
        gfp_elem_zero(field, m + e * k);
        if (x.len > 0 && !gfp_verify_evaluate(field, m + e * k, x.digits, x.len, d, &op->task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    GFP_TRY(eliminate(field, left, m, n));
    if (!gfp_verify_evaluate(field, right, z, points, d, &op->task)) {
        return GFP_ERR_CANCELLED;
    }
    gfp_operation_release(op, mark);
    return gfp_elem_equal(field, left, right) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status check_again(gfp_operation_call *op, const uint64_t *z, size_t points,
                              const gfp_entries *a, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    gfp_operation_call again;
    gfp_options options;
    uint64_t *t;
    size_t i = 0;
    GFP_TRY(gfp_operation_begin_again(&again, &options, op, points,
                                      gfp_polymat_determinant_units(points, a->len, n)));
    gfp_status status = gfp_operation_array(&again, &t, points);
    if (status == GFP_OK) {
        status = compute(&again, t, points, a, n);
    }
    while (status == GFP_OK && i < points && gfp_elem_equal(field, z + i * k, t + i * k)) {
        i++;
    }
    if (status == GFP_OK && i < points) {
        status = gfp_operation_wrong(op, i);
    }
    return gfp_operation_end_again(&again, op, status);
}

static gfp_status check_by_points(gfp_operation_call *op, const uint64_t *z, size_t points,
                                  const gfp_entries *a, size_t n)
{
    const double items = (double)points + (double)n * (double)n * (double)a->len;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned count;
    const size_t wrong = gfp_vec_canonical(op->field, z, points);
    if (wrong < points) {
        return gfp_operation_wrong(op, wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, points, &count, d, items, gfp_field_k(op->field)));
    for (unsigned i = 0; i < count; i++) {
        GFP_TRY(check_at(op, z, points, a, n, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_polymat_determinant(gfp_operation_call *op, uint64_t *z, size_t points,
                                   const gfp_entries *a, size_t n)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(compute(op, z, points, a, n));
    gfp_operation_release(op, mark);
    if (gfp_check_by_method(op, points)) {
        return check_again(op, z, points, a, n);
    }
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = check_by_points(op, z, points, a, n);
    op->report.verify_ns += gfp_clock_ns() - start;
    return status;
}
