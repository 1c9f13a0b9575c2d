/* series.c: power series on a device, row by row in one call: inverses by Newton's iteration,
 * and quotients, whose last step also multiplies by the dividend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu_toolkit.h"
#include "gfpoly/series.h"
#include "poly/device/call.h"
#include "poly/device/series.h"
#include "poly/impl.h"

/* The CPU computes the first terms of all rows where they are at most this many in all: they take
 * some 70 us at k = 8, the steps on the device that lead to as many 240 us for one row. */
#define FIRST_TERMS 256

/* A quotient of one row with this number of words or more is computed in four blocks, not in two:
 * more products, and a step of Newton's iteration less. */
#define FOUR_BLOCKS ((size_t)1 << 21)

/* Rows that begin `by` elements later. */
static gfp_gpu_rows series_behind(const gfp_gpu_rows *x, size_t by)
{
    return (gfp_gpu_rows){x->array, x->from + by, x->stride};
}

/* ---- first terms ---- */

/* g := 1 / f mod X^m for packed rows on the host, len coefficients of f each. */
static gfp_status invert_on_host(const gfp_field *field, uint64_t *g, size_t m, const uint64_t *f,
                                 size_t len, size_t rows, gfp_error *error)
{
    const size_t k = gfp_field_k(field);
    const gfp_options options = {.verify = GFP_VERIFY_NONE, .threads = 1, .error = error};
    for (size_t i = 0; i < rows; i++) {
        const gfp_status status =
            gfp_vec_inv_series(field, g + i * m * k, m, f + i * len * k, len, &options);
        if (status == GFP_ERR_NOT_INVERTIBLE && error != NULL) {
            error->index = i;
        }
        GFP_TRY(status);
    }
    return GFP_OK;
}

/* The constant terms of g. */
static gfp_status start_on_device(gfp_gpu_ring *ring, const gfp_gpu_rows *g, const gfp_gpu_rows *f,
                                  size_t rows, gfp_error *error)
{
    gfp_gpu_array *constants = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, rows, &constants));
    const gfp_gpu_rows packed = {constants, 0, 1};
    GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &packed, f, 1, 0, rows, 1));
    GFP_TRY(gfp_gpu_invert(ring, constants, constants, rows, error));
    return gfp_gpu_vec_sum_rows(ring->field, g, &packed, 1, 0, rows, 1);
}

/* ---- Newton's iteration ---- */

/* A step of Newton's iteration, from m terms of g = 1 / f to n <= 2 m. */
typedef struct newton {
    gfp_gpu_ring *ring;
    gfp_gpu_rows g, minus; /* minus: -f */
    size_t len;            /* of f */
    size_t m, n, rows;
} newton;

/* The products of a step by g, with `known` terms of e that are not 0 by position: e, from -f
 * without its constant term, and the next terms of g. */
static gfp_gpu_products step_products(const newton *w, size_t known)
{
    const size_t more = w->n - w->m, len = gfp_size_min(w->len, w->n);
    return (gfp_gpu_products){
        .rows = w->rows,
        .count = 2,
        .extent = {{len - 1, w->m, w->m - 1, known}, {known, w->m, 0, more}},
    };
}

/* f g = 1 + X^m e, so g - X^m e g is the inverse. -e is the middle part of -f g. */
static gfp_status series_correct(const newton *w, const gfp_gpu_factor *g)
{
    gfp_gpu_array *area = w->ring->use[GFP_GPU_USE_ERROR];
    const gfp_gpu_rows e = {area, 0, w->n - w->m}, rest = series_behind(&w->minus, 1);
    const gfp_gpu_rows next = series_behind(&w->g, w->m);
    GFP_TRY(gfp_gpu_factor_mul(g, 0, &e, &rest));
    return gfp_gpu_factor_mul(g, 1, &next, &e);
}

static gfp_status double_terms(const newton *w)
{
    const size_t more = w->n - w->m;
    const size_t known = gfp_size_min(more, w->len - 1);
    const gfp_gpu_rows next = series_behind(&w->g, w->m);
    gfp_gpu_factor g;
    gfp_gpu_array *area = NULL;
    if (known == 0) { /* f is constant */
        return gfp_gpu_vec_sum_rows(w->ring->field, &next, NULL, 0, 0, w->rows, more);
    }
    const gfp_gpu_products products = step_products(w, known);
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_ERROR, w->rows * more, &area));
    GFP_TRY(gfp_gpu_factor_begin(&g, w->ring, &products, &w->g));
    const gfp_status status = series_correct(w, &g);
    gfp_gpu_factor_end(&g);
    return status;
}

/* The step's -f := the negated series. */
static gfp_status series_negate(newton *w, const gfp_gpu_rows *f, size_t n)
{
    gfp_gpu_array *area = NULL;
    const size_t len = gfp_size_min(w->len, n);
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_MINUS, w->rows * len, &area));
    w->minus = (gfp_gpu_rows){area, 0, len};
    return gfp_gpu_vec_sum_rows(w->ring->field, &w->minus, f, 1, 1, w->rows, len);
}

/* The first w->m terms of g, by the CPU; the device negates the series meanwhile, for n terms. */
static gfp_status start_on_host(newton *w, const gfp_gpu_rows *f, size_t n, gfp_error *error)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_field *field = ring->field;
    const size_t m = w->m, rows = w->rows, len = gfp_size_min(w->len, m), k = ring->k;
    const size_t room = rows * (len + m);
    gfp_gpu_array *packed = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, rows * m, &packed));
    const gfp_gpu_rows low = {packed, 0, len}, terms = {packed, 0, m};
    uint64_t *host = NULL;
    GFP_TRY(gfp_call_array(&ring->operation->base, &host, room * k));
    GFP_TRY(gfp_gpu_vec_sum_rows(field, &low, f, 1, 0, rows, len));
    GFP_TRY(gfp_gpu_download(host, packed, 0, rows * len * k, NULL));
    GFP_TRY(m < n ? series_negate(w, f, n) : GFP_OK);
    uint64_t *inverse = host + rows * len * k;
    GFP_TRY(invert_on_host(field, inverse, m, host, len, rows, error));
    GFP_TRY(gfp_gpu_upload(packed, 0, inverse, rows * m * k, NULL));
    return gfp_gpu_vec_sum_rows(field, &w->g, &terms, 1, 0, rows, m);
}

gfp_status gfp_gpu_rows_invert(gfp_gpu_ring *ring, const gfp_gpu_rows *g, size_t n,
                               const gfp_gpu_rows *f, size_t len_f, size_t rows, gfp_error *error)
{
    newton w = {.ring = ring, .g = *g, .len = len_f, .m = n, .rows = rows};
    unsigned steps = 0;
    /* The numbers of terms are such that the last step ends at n. */
    while (w.m > 1 && gfp_size_mul_sat(w.m, rows) > FIRST_TERMS) {
        steps++;
        w.m = ((n - 1) >> steps) + 1;
    }
    if (gfp_size_mul_sat(w.m, rows) > FIRST_TERMS) {
        GFP_TRY(start_on_device(ring, g, f, rows, error));
        GFP_TRY(series_negate(&w, f, n));
    } else {
        GFP_TRY(start_on_host(&w, f, n, error));
    }
    while (steps-- > 0) {
        w.n = ((n - 1) >> steps) + 1;
        GFP_TRY(double_terms(&w));
        w.m = w.n;
    }
    return GFP_OK;
}

/* ---- quotients ---- */

/* A quotient of n terms by g = 1 / b; the first m = ceil(n / 2) terms of q come first. */
typedef struct quotient {
    gfp_gpu_ring *ring;
    gfp_gpu_rows q, a, b;
    size_t n, m, len_a, len_b, rows;
    const gfp_gpu_factor *divisor; /* b as a factor, of n terms or one more; or NULL */
    unsigned half;                 /* of a longer quotient: numbers of products in their lists */
} quotient;

/* Adds the two products by g to the list. */
static void list_products(const quotient *w, gfp_gpu_products *by_g)
{
    const size_t more = w->n - w->m;
    by_g->rows = w->rows;
    by_g->extent[by_g->count++] = (gfp_gpu_extent){gfp_size_min(w->len_a, w->m), w->m, 0, w->m};
    by_g->extent[by_g->count++] = (gfp_gpu_extent){more, w->m, 0, more};
}

static gfp_status multiply_by_divisor(const quotient *w, const gfp_gpu_rows *e)
{
    const gfp_gpu_pairs pairs = {w->b, w->q, w->len_b, w->m, w->rows};
    return w->divisor != NULL ? gfp_gpu_factor_mul(w->divisor, w->half, e, &w->q)
                              : gfp_gpu_ring_mul_rows(w->ring, e, &pairs, w->m, w->n - w->m);
}

/* e := (a - b q) / X^m for the first m terms of q; n - m terms. */
static gfp_status find_error(const quotient *w, const gfp_gpu_rows *e)
{
    const gfp_field *field = w->ring->field;
    const size_t more = w->n - w->m, known = w->len_a > w->m ? w->len_a - w->m : 0;
    const gfp_gpu_rows terms[] = {*e, series_behind(&w->a, w->m)}, rest = series_behind(e, known);
    GFP_TRY(multiply_by_divisor(w, e));
    if (known > 0) {
        GFP_TRY(gfp_gpu_vec_sum_rows(field, e, terms, 2, 1, w->rows, known));
    }
    return known < more ? gfp_gpu_vec_sum_rows(field, &rest, &rest, 1, 1, w->rows, more - known)
                        : GFP_OK;
}

/* The terms of q are those of a g, then those of e g. */
static gfp_status multiply_twice(const quotient *w, const gfp_gpu_factor *g)
{
    const size_t more = w->n - w->m;
    gfp_gpu_array *area = w->ring->use[GFP_GPU_USE_ERROR];
    const gfp_gpu_rows e = {area, 0, more}, next = series_behind(&w->q, w->m);
    GFP_TRY(gfp_gpu_factor_mul(g, 2 * w->half, &w->q, &w->a));
    GFP_TRY(find_error(w, &e));
    return gfp_gpu_factor_mul(g, 2 * w->half + 1, &next, &e);
}

/* A quotient of n terms by g of half as many, or the half of one by g of a quarter. */
static quotient part_of(const quotient *w, unsigned half, size_t n, size_t len_a)
{
    quotient part = *w;
    part.half = half;
    part.n = n;
    part.m = n - n / 2;
    part.len_a = gfp_size_min(len_a, n);
    part.len_b = gfp_size_min(w->len_b, n);
    return part;
}

/* Both halves of q by g of a quarter of the terms; the error between them lies in the work array
 * MINUS. */
static void series_halve(const quotient *w, quotient half[2])
{
    const size_t more = w->n - w->m;
    half[0] = part_of(w, 0, w->m, w->len_a);
    half[1] = part_of(w, 1, more, more);
    half[1].q = series_behind(&w->q, w->m);
    half[1].a = (gfp_gpu_rows){w->ring->use[GFP_GPU_USE_MINUS], 0, more};
}

static gfp_status multiply_by_quarters(const quotient *w, const quotient half[2],
                                       const gfp_gpu_factor *g)
{
    GFP_TRY(multiply_twice(&half[0], g));
    GFP_TRY(find_error(w, &half[1].a));
    return multiply_twice(&half[1], g);
}

/* Begins the factors that the products share; one plan has one transform. */
static gfp_status divide_by_quarters(const quotient *w, const gfp_gpu_rows *g)
{
    const size_t n = w->m, m = n - n / 2, more = w->n - n;
    const bool long_b = w->len_b >= n;
    quotient half[2];
    gfp_gpu_products by_g = {.count = 0}, by_b = {.rows = w->rows, .count = 2};
    gfp_gpu_factor factor, divisor = {.kept = NULL};
    gfp_gpu_array *area = NULL;
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_ERROR, w->rows * (n - m), &area));
    GFP_TRY(gfp_gpu_ring_work(w->ring, GFP_GPU_USE_MINUS, w->rows * more, &area));
    series_halve(w, half);
    for (unsigned i = 0; i < 2; i++) {
        const quotient *x = &half[i];
        list_products(x, &by_g);
        by_b.extent[i] = (gfp_gpu_extent){x->m, n, x->m, x->n - x->m};
    }
    if (long_b) {
        GFP_TRY(gfp_gpu_factor_begin(&divisor, w->ring, &by_b, &w->b));
        half[0].divisor = half[1].divisor = &divisor;
    }
    gfp_status status = gfp_gpu_factor_begin(&factor, w->ring, &by_g, g);
    if (status == GFP_OK) {
        divisor.transformed = long_b && divisor.transformed && divisor.kept != factor.kept;
        status = multiply_by_quarters(w, half, &factor);
        gfp_gpu_factor_end(&factor);
    }
    if (long_b) {
        gfp_gpu_factor_end(&divisor);
    }
    return status;
}

size_t gfp_gpu_quotient_terms(const gfp_gpu_ring *ring, size_t n, size_t rows)
{
    const size_t half = n - n / 2;
    return rows == 1 && n >= FOUR_BLOCKS / ring->k ? half - half / 2 : half;
}

gfp_status gfp_gpu_rows_divide(gfp_gpu_ring *ring, const gfp_gpu_rows *q, size_t n,
                               const gfp_gpu_pairs *pairs, const gfp_gpu_rows *g, size_t m)
{
    const quotient given = {.ring = ring,
                            .q = *q,
                            .a = pairs->a,
                            .b = pairs->b,
                            .len_b = pairs->len_b,
                            .rows = pairs->rows};
    const quotient w = part_of(&given, 0, n, pairs->len_a);
    gfp_gpu_products products = {.count = 0};
    gfp_gpu_array *area = NULL;
    gfp_gpu_factor factor;
    if (m >= n || w.len_a == 0) {
        const gfp_gpu_pairs by_g = {w.a, *g, w.len_a, gfp_size_min(m, n), w.rows};
        return gfp_gpu_ring_mul_rows(ring, q, &by_g, 0, n);
    }
    if (m < w.m) {
        return divide_by_quarters(&w, g);
    }
    list_products(&w, &products);
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_ERROR, w.rows * (n - w.m), &area));
    GFP_TRY(gfp_gpu_factor_begin(&factor, ring, &products, g));
    const gfp_status status = multiply_twice(&w, &factor);
    gfp_gpu_factor_end(&factor);
    return status;
}

/* ---- rows ---- */

gfp_status gfp_gpu_ring_check_rows(const gfp_gpu_ring *ring, const gfp_gpu_rows *x, size_t rows,
                                   size_t len, const char *name, gfp_error *error)
{
    size_t words = 0, before = 0;
    if (gfp_gpu_array_context(x->array) != ring->gpu) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%s is an array of another context", name);
    }
    if (!gfp_size_mul(&before, rows - 1, x->stride) || !gfp_size_add(&before, before, x->from) ||
        !gfp_size_add(&words, before, len) || !gfp_size_mul(&words, words, ring->k)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%s: %zu rows, %zu elements apart", name, rows,
                             x->stride);
    }
    return words <= gfp_gpu_array_words(x->array)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "%s has %zu words, %zu are needed", name,
                               gfp_gpu_array_words(x->array), words);
}

/* A call: q_i := a_i / b_i mod X^n, or without a dividend the inverses. */
typedef struct series {
    const gfp_gpu_rows *q;
    gfp_gpu_pairs pairs; /* len_a is 0 for inverses */
    size_t n;
    bool inverses;
    gfp_gpu_rows made; /* the results */
} series;

/* Checks the arguments of a call with n > 0 and rows > 0. */
static gfp_status check_series(const gfp_gpu_ring *ring, const series *w, gfp_error *error)
{
    const gfp_gpu_pairs *pairs = &w->pairs;
    const size_t n = w->n, rows = pairs->rows;
    size_t all = 0;
    if (pairs->len_b == 0) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the series is 0");
    }
    if (rows > 1 && w->q->stride < n) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "rows of %zu elements, %zu apart: too close",
                             n, w->q->stride);
    }
    if (!gfp_size_mul(&all, n, rows) || !gfp_size_mul(&all, all, 4 * ring->k * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%zu series of %zu terms", rows, n);
    }
    GFP_TRY(gfp_gpu_ring_check_rows(ring, w->q, rows, n, "the output", error));
    GFP_TRY(gfp_gpu_ring_check_rows(ring, &pairs->b, rows, pairs->len_b, "the divisor", error));
    return pairs->len_a == 0 ? GFP_OK
                             : gfp_gpu_ring_check_rows(ring, &pairs->a, rows, pairs->len_a,
                                                       "the dividend", error);
}

/* One row has no neighbour: any stride will do. */
static void set_strides(gfp_gpu_pairs *pairs)
{
    if (pairs->rows == 1) {
        pairs->a.stride = pairs->len_a;
        pairs->b.stride = pairs->len_b;
    }
}

/* made := a / b mod X^n; or 1 / b. */
static gfp_status divide_series(gfp_gpu_ring *ring, const series *w, gfp_error *error)
{
    const gfp_gpu_pairs *pairs = &w->pairs;
    const size_t n = w->n, m = gfp_gpu_quotient_terms(ring, n, pairs->rows);
    gfp_gpu_array *inverse = NULL;
    if (w->inverses) {
        return gfp_gpu_rows_invert(ring, &w->made, n, &pairs->b, pairs->len_b, pairs->rows, error);
    }
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, pairs->rows * m, &inverse));
    const gfp_gpu_rows g = {inverse, 0, m};
    GFP_TRY(gfp_gpu_rows_invert(ring, &g, m, &pairs->b, pairs->len_b, pairs->rows, error));
    return gfp_gpu_rows_divide(ring, &w->made, n, pairs, &g, m);
}

static gfp_status compute_rows(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    series *w = call->own;
    gfp_gpu_array *area = NULL;
    (void)z;
    GFP_TRY(check_series(op->ring, w, &op->base.error));
    set_strides(&w->pairs);
    GFP_TRY(gfp_gpu_ring_work(op->ring, GFP_GPU_USE_RESULT, w->pairs.rows * w->n, &area));
    w->made = (gfp_gpu_rows){area, 0, w->n};
    return divide_series(op->ring, w, &op->base.error);
}

/* made b = a mod X^n for each row, or 1. */
static gfp_status check_quotients(gfp_gpu_operation *op, const series *w)
{
    const gfp_gpu_pairs *pairs = &w->pairs;
    const size_t n = w->n;
    const gfp_gpu_pairs by_b = {w->made, pairs->b, n, pairs->len_b, pairs->rows};
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *unit = NULL;
    for (size_t i = 0; i < pairs->rows; i++) {
        const gfp_gpu_rows *made = &w->made;
        gfp_gpu_array *row = NULL;
        GFP_TRY(gfp_gpu_array_part(&row, made->array, (made->from + i * made->stride) * op->ring->k,
                                   n * op->ring->k));
        const gfp_status status = gfp_gpu_check_elements(op->ring, row, n);
        gfp_gpu_array_destroy(row);
        GFP_TRY(status);
    }
    if (!w->inverses) {
        return gfp_gpu_check_rows(op, &pairs->a, pairs->len_a, &by_b, 0, n);
    }
    gfp_elem_one(op->ring->field, one);
    GFP_TRY(gfp_gpu_ring_work(op->ring, GFP_GPU_USE_SMALL, 1, &unit));
    GFP_TRY(gfp_gpu_upload(unit, 0, one, op->ring->k, NULL));
    const gfp_gpu_rows expected = {unit, 0, 0};
    return gfp_gpu_check_rows(op, &expected, 1, &by_b, 0, n);
}

static gfp_status check_row_results(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                    const gfp_gpu_call *call)
{
    (void)z;
    return check_quotients(op, call->own);
}

static gfp_status deliver_rows(gfp_gpu_operation *op, const gfp_gpu_call *call)
{
    const series *w = call->own;
    return gfp_gpu_vec_sum_rows(op->ring->field, w->q, &w->made, 1, 0, w->pairs.rows, w->n);
}

static gfp_status run_rows(gfp_gpu_ring *ring, series *w, const char *name,
                           const gfp_options *options)
{
    if (w->n == 0 || w->pairs.rows == 0) {
        return GFP_OK;
    }
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = name,
                                            .ring = ring,
                                            .claims = (double)w->pairs.rows,
                                            .own = w,
                                            .compute = compute_rows,
                                            .check = check_row_results,
                                            .deliver = deliver_rows},
                            options);
}

gfp_status gfp_gpu_vec_inv_series(gfp_gpu_ring *ring, const gfp_gpu_rows *g, size_t n,
                                  const gfp_gpu_rows *f, size_t len_f, size_t rows,
                                  const gfp_options *options)
{
    series w = {.q = g, .pairs = {.b = *f, .len_b = len_f, .rows = rows}, .n = n, .inverses = true};
    return run_rows(ring, &w, "inverses of series", options);
}

gfp_status gfp_gpu_vec_div_series(gfp_gpu_ring *ring, const gfp_gpu_rows *q, size_t n,
                                  const gfp_gpu_pairs *pairs, const gfp_options *options)
{
    series w = {.q = q, .pairs = *pairs, .n = n};
    return run_rows(ring, &w, "quotients of series", options);
}

/* ---- polynomials ---- */

/* q := 0 / b. */
static gfp_status zero_quotient(gfp_gpu_operation *op, const gfp_gpu_poly *b)
{
    uint64_t constant[GFP_MAX_K];
    GFP_TRY(gfp_gpu_download(constant, b->array, 0, op->ring->k, NULL));
    return gfp_elem_is_zero(op->ring->field, constant)
               ? gfp_error_set(&op->base.error, GFP_ERR_NOT_INVERTIBLE,
                               "the constant term of the divisor is 0")
               : GFP_OK;
}

/* z := a / b mod X^n, or 1 / b for one input; in the spare array, so that the output is unchanged
 * if a plan or the constant term fails. */
static gfp_status compute_series(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    const bool inverses = call->inputs == 1;
    const gfp_gpu_poly *a = call->input[0], *b = call->input[call->inputs - 1];
    series *w = call->own;
    if (w->n == 0) {
        return GFP_OK;
    }
    if (b->len == 0) {
        return gfp_error_set(&op->base.error, GFP_ERR_NOT_INVERTIBLE,
                             "the constant term of the divisor is 0");
    }
    if (a->len == 0) {
        return zero_quotient(op, b);
    }
    GFP_TRY(gfp_gpu_poly_place(call->output[0], w->n, true, &z->array));
    z->len = w->n;
    z->exact = false;
    w->inverses = inverses;
    w->made = (gfp_gpu_rows){z->array, 0, w->n};
    w->pairs = (gfp_gpu_pairs){
        {a->array, 0, a->len}, {b->array, 0, b->len}, inverses ? 0 : a->len, b->len, 1};
    const gfp_status status = divide_series(op->ring, w, &op->base.error);
    return status == GFP_ERR_NOT_INVERTIBLE
               ? gfp_error_set(&op->base.error, status, "the constant term of the divisor is 0")
               : status;
}

static gfp_status check_series_result(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                      const gfp_gpu_call *call)
{
    return z->len == 0 ? GFP_OK : check_quotients(op, call->own);
}

gfp_status gfp_gpu_poly_inv_series(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                   const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "inverse of a series",
                                            .output = {b},
                                            .outputs = 1,
                                            .input = {a},
                                            .inputs = 1,
                                            .own = &(series){.n = n},
                                            .compute = compute_series,
                                            .check = check_series_result},
                            options);
}

gfp_status gfp_gpu_poly_div_series(gfp_gpu_poly *q, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                   size_t n, const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "quotient of series",
                                            .output = {q},
                                            .outputs = 1,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .own = &(series){.n = n},
                                            .compute = compute_series,
                                            .check = check_series_result},
                            options);
}
