/* geometric.c: values at geometric progressions on a device, and interpolation there, by the
 * formulas of poly/points/geometric.c: C(i) = i (i - 1) / 2; elementwise products with sequences
 * s^i q^C(i), one middle product, and for interpolation one low product more.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"
#include "poly/impl.h"

/* The points start ratio^i, i < n, and work space. */
typedef struct progression {
    gfp_gpu_ring *ring;
    const uint64_t *start, *ratio;
    size_t n;
    gfp_gpu_array *terms, *kernel, *values, *inverse, *reversed;
    gfp_gpu_array *made; /* the values that a call computes */
    uint64_t one[GFP_MAX_K];
} progression;

/* z := c^e. */
static void geometric_power(const progression *p, uint64_t *z, const uint64_t *c, uint64_t e)
{
    gfp_elem_pow(p->ring->field, z, c, &e, 1);
}

/* ---- values ---- */

/* Work space for a middle product: len terms, n values. */
static gfp_status open_product(progression *p, size_t len)
{
    const size_t n = p->n, all = n + len - 1;
    gfp_gpu_array *factors = NULL;
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_FIRST, n > len ? n : len, &p->terms));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_SECOND, all - all / 2, &factors));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_TREE, all, &p->kernel));
    return gfp_gpu_ring_work(p->ring, GFP_GPU_USE_PRODUCT, n, &p->values);
}

/* kernel_m := q^(-C(m - l)), m < n + l, l = len - 1: C(m - l) = C(m) - l m + C(l + 1). */
static gfp_status set_kernel(const progression *p, size_t len)
{
    const gfp_field *field = p->ring->field;
    const uint64_t l = len - 1;
    uint64_t inverse[GFP_MAX_K], first[GFP_MAX_K], s[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(field, inverse, p->ratio));
    geometric_power(p, s, p->ratio, l);
    geometric_power(p, first, inverse, l % 2 == 0 ? l / 2 : l); /* C(l + 1) may exceed a word */
    geometric_power(p, first, first, l % 2 == 0 ? l + 1 : l / 2 + 1);
    return gfp_gpu_set_chirp(p->ring, p->kernel, p->n + len - 1, first, s, inverse);
}

/* values_i := q^C(i) times the sum of terms_j q^(-C(i - j)), j < len: f(start q^i) if terms_j = f_j
 * start^j q^C(j + 1). The terms are overwritten; q is not 0. */
static gfp_status geometric_transform(const progression *p, size_t len)
{
    const size_t n = p->n;
    GFP_TRY(set_kernel(p, len));
    const gfp_gpu_rows product = {p->values, 0, n};
    const gfp_gpu_pairs pairs = {
        {p->kernel, 0, n + len - 1}, {p->terms, 0, len}, n + len - 1, len, 1};
    GFP_TRY(gfp_gpu_ring_mul_rows(p->ring, &product, &pairs, len - 1, n));
    return gfp_gpu_set_chirp(p->ring, p->terms, n, p->one, p->one, p->ratio);
}

/* q = 0, or one point: f(start), and f(0) at all others. */
static gfp_status few_values(progression *p, gfp_gpu_array *values, const gfp_gpu_poly *f)
{
    const gfp_gpu_ring *ring = p->ring;
    const gfp_gpu_rows others = {values, 1, 1}, constant = {f->array, 0, 0};
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_FIRST, f->len, &p->terms));
    GFP_TRY(gfp_gpu_vec_evaluate(ring->field, p->terms, f->array, f->len, p->start));
    GFP_TRY(gfp_gpu_copy_range(values, 0, p->terms, 0, ring->k));
    return p->n == 1 ? GFP_OK
                     : gfp_gpu_vec_sum_rows(ring->field, &others, &constant, 1, 0, p->n - 1, 1);
}

static gfp_status geometric_evaluate(progression *p, gfp_gpu_array *values, const gfp_gpu_poly *f)
{
    const gfp_field *field = p->ring->field;
    uint64_t s[GFP_MAX_K];
    if (f->len == 0) {
        return gfp_gpu_clear(values, p->n * p->ring->k, NULL);
    }
    if (p->n == 1 || gfp_elem_is_zero(field, p->ratio)) {
        return few_values(p, values, f);
    }
    GFP_TRY(open_product(p, f->len));
    gfp_elem_mul(field, s, p->start, p->ratio);
    GFP_TRY(gfp_gpu_set_chirp(p->ring, p->terms, f->len, p->one, s, p->ratio));
    GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, f->array, f->len));
    GFP_TRY(geometric_transform(p, f->len));
    return gfp_gpu_vec_mul(field, values, p->values, p->terms, p->n);
}

/* ---- interpolation ---- */

/* Names points 0 and j, which are equal. */
static gfp_status geometric_refuse(size_t j, const char *why, gfp_error *error)
{
    return gfp_error_set_at(error, GFP_ERR_NOT_INVERTIBLE, j, "points 0 and %zu are equal: %s", j,
                            why);
}

/* The order of the ratio is the number of the D_j that are not 0. */
static gfp_status refuse_order(const progression *p, gfp_error *error)
{
    const gfp_gpu_poly differences = {.ring = p->ring, .array = p->inverse, .len = p->n};
    char why[64];
    size_t order = 0;
    GFP_TRY(gfp_gpu_poly_find_length(&differences, &order));
    (void)snprintf(why, sizeof why, "the order of the ratio is %zu", order);
    return geometric_refuse(order, why, error);
}

/* inverse_j := 1 / D_j, reversed := these in reverse order; D_j is the product of 1 - q^i, 0 < i <=
 * j; last := D_(n - 1). Errors: NOT_INVERTIBLE (two points are equal). */
static gfp_status set_inverses(progression *p, uint64_t *last, gfp_error *error)
{
    gfp_gpu_ring *ring = p->ring;
    const gfp_field *field = ring->field;
    const size_t n = p->n, k = ring->k;
    const gfp_gpu_rows one = {p->kernel, 0, 0}, d = {p->inverse, 1, 1}, terms[] = {one, d};
    GFP_TRY(gfp_gpu_set_chirp(ring, p->inverse, n, p->one, p->ratio, p->one));
    GFP_TRY(gfp_gpu_upload(p->kernel, 0, p->one, k, NULL));
    GFP_TRY(gfp_gpu_vec_sum_rows(field, &d, terms, 2, 2, n - 1, 1));
    GFP_TRY(gfp_gpu_prefix_products(ring, p->inverse, n));
    GFP_TRY(gfp_gpu_download(last, p->inverse, (n - 1) * k, k, NULL));
    if (gfp_elem_is_zero(field, last)) {
        return refuse_order(p, error);
    }
    GFP_TRY(gfp_gpu_invert(ring, p->inverse, p->inverse, n, error));
    return gfp_gpu_vec_reverse(field, p->reversed, p->inverse, n);
}

/* terms_i := values_i q^C(i + 1) / M'(q^i), with 1 / M'(q^i) = (-1)^i q^(C(i + 1) - (n - 1) i) /
 * (D_i D_(n - 1 - i)): the powers are (-q^(3 - n))^i (q^2)^C(i). */
static gfp_status geometric_weigh(const progression *p, const gfp_gpu_array *values)
{
    const gfp_field *field = p->ring->field;
    uint64_t s[GFP_MAX_K], q[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(field, s, p->ratio));
    geometric_power(p, s, s, p->n - 1);
    gfp_elem_sqr(field, q, p->ratio);
    gfp_elem_mul(field, s, s, q);
    gfp_elem_neg(field, s, s);
    GFP_TRY(gfp_gpu_set_chirp(p->ring, p->terms, p->n, p->one, s, q));
    GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, values, p->n));
    GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, p->inverse, p->n));
    return gfp_gpu_vec_mul(field, p->terms, p->terms, p->reversed, p->n);
}

/* terms_j := (-1)^j q^C(j) u_n D_(n - 1) / (D_j D_(n - j)), u_n = 1 - q^n; 1 for j = 0: the product
 * of X - q^i read backwards, modulo X^n. last is D_(n - 1). */
static gfp_status set_root(const progression *p, const uint64_t *last)
{
    const gfp_field *field = p->ring->field;
    const size_t n = p->n;
    uint64_t factor[GFP_MAX_K], minus[GFP_MAX_K];
    geometric_power(p, factor, p->ratio, n);
    gfp_elem_sub(field, factor, p->one, factor);
    gfp_elem_mul(field, factor, factor, last);
    gfp_elem_neg(field, minus, p->one);
    GFP_TRY(gfp_gpu_set_chirp(p->ring, p->terms, n, factor, minus, p->ratio));
    GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, p->inverse, n));
    GFP_TRY(gfp_gpu_multiply_at(p->ring, p->terms, 1, p->terms, 1, p->reversed, 0, n - 1));
    return gfp_gpu_upload(p->terms, 0, p->one, p->ring->k, NULL);
}

/* to := the low product read backwards, its element i by start^(-i). */
static gfp_status geometric_deliver(const progression *p, gfp_gpu_array *to)
{
    const gfp_field *field = p->ring->field;
    const gfp_gpu_rows product = {p->kernel, 0, p->n};
    const gfp_gpu_pairs root_by_values = {{p->terms, 0, p->n}, {p->values, 0, p->n}, p->n, p->n, 1};
    uint64_t inverse[GFP_MAX_K];
    GFP_TRY(gfp_gpu_ring_mul_rows(p->ring, &product, &root_by_values, 0, p->n));
    if (gfp_elem_is_one(field, p->start)) {
        return gfp_gpu_vec_reverse(field, to, p->kernel, p->n);
    }
    GFP_TRY(gfp_elem_inv(field, inverse, p->start));
    GFP_TRY(gfp_gpu_set_chirp(p->ring, p->terms, p->n, p->one, inverse, p->one));
    GFP_TRY(gfp_gpu_vec_reverse(field, p->values, p->kernel, p->n));
    return gfp_gpu_vec_mul(field, to, p->values, p->terms, p->n);
}

/* n >= 2; start and ratio are not 0. */
static gfp_status geometric_interpolate(gfp_gpu_operation *op, gfp_gpu_poly *z,
                                        const gfp_gpu_call *w)
{
    progression *p = w->own;
    gfp_error *error = &op->base.error;
    uint64_t last[GFP_MAX_K];
    GFP_TRY(open_product(p, p->n));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_ELEMENTS, p->n, &p->inverse));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_RESULT, p->n, &p->reversed));
    GFP_TRY(set_inverses(p, last, error));
    GFP_TRY(geometric_weigh(p, w->array[0].x));
    GFP_TRY(geometric_transform(p, p->n));
    GFP_TRY(gfp_gpu_vec_mul(p->ring->field, p->values, p->values, p->terms, p->n));
    GFP_TRY(set_root(p, last));
    GFP_TRY(gfp_gpu_poly_place(w->output[0], p->n, op->apart, &z->array));
    z->len = p->n;
    z->exact = false;
    return geometric_deliver(p, z->array);
}

static gfp_status compute_interpolation(gfp_gpu_operation *op, gfp_gpu_poly *z,
                                        const gfp_gpu_call *w)
{
    progression *p = w->own;
    const gfp_gpu_ring *ring = op->ring;
    gfp_error *error = &op->base.error;
    if (p->n == 0) {
        return GFP_OK;
    }
    if (p->n > 1 && gfp_elem_is_zero(ring->field, p->start)) {
        return geometric_refuse(1, "the start is 0", error);
    }
    if (p->n > 1 && gfp_elem_is_zero(ring->field, p->ratio)) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the ratio is 0");
    }
    if (p->n > 1) {
        return geometric_interpolate(op, z, w);
    }
    GFP_TRY(gfp_gpu_poly_place(w->output[0], 1, op->apart, &z->array));
    z->len = 1;
    z->exact = false;
    return gfp_gpu_copy_range(z->array, 0, w->array[0].x, 0, ring->k);
}

/* ---- the check ---- */

/* z_j := 1 - first q^j, j < len; one element of `kernel` is overwritten. */
static gfp_status set_differences(const progression *p, gfp_gpu_array *z, size_t len,
                                  const uint64_t *first, const uint64_t *q)
{
    const gfp_gpu_rows one = {p->kernel, 0, 0}, d = {z, 0, 1}, terms[] = {one, d};
    GFP_TRY(gfp_gpu_set_chirp(p->ring, z, len, first, q, p->one));
    GFP_TRY(gfp_gpu_upload(p->kernel, 0, p->one, p->ring->k, NULL));
    return gfp_gpu_vec_sum_rows(p->ring->field, &d, terms, 2, 2, len, 1);
}

/* f has these values. */
typedef struct claim {
    const progression *p;
    const gfp_gpu_poly *f;
    const gfp_gpu_array *values;
} claim;

/* *value := the value at c of len elements. */
static gfp_status value_at(const progression *p, const gfp_gpu_array *x, size_t len,
                           const uint64_t *c, uint64_t *value)
{
    GFP_TRY(gfp_gpu_vec_evaluate(p->ring->field, p->values, x, len, c));
    return gfp_gpu_download(value, p->values, 0, p->ring->k, NULL);
}

/* The sum of t^i values_i is that of f_j start^j (1 - (t q^j)^n) / (1 - t q^j). Errors: VERIFY;
 * NOT_INVERTIBLE (t is the inverse of a q^j). */
static gfp_status check_at(const void *claimed, const uint64_t *t)
{
    const claim *w = claimed;
    const progression *p = w->p;
    const gfp_gpu_poly *f = w->f;
    const gfp_field *field = p->ring->field;
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K], first[GFP_MAX_K], q[GFP_MAX_K];
    gfp_elem_zero(field, right);
    if (f->len > 0) {
        GFP_TRY(set_differences(p, p->inverse, f->len, t, p->ratio));
        GFP_TRY(gfp_gpu_invert(p->ring, p->inverse, p->inverse, f->len, NULL));
        geometric_power(p, first, t, p->n);
        geometric_power(p, q, p->ratio, p->n);
        GFP_TRY(set_differences(p, p->terms, f->len, first, q));
        GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, p->inverse, f->len));
        GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, f->array, f->len));
        GFP_TRY(value_at(p, p->terms, f->len, p->start, right));
    }
    GFP_TRY(value_at(p, w->values, p->n, t, left));
    return gfp_elem_equal(field, left, right) ? GFP_OK : GFP_ERR_VERIFY;
}

static gfp_status open_check(progression *p, size_t len)
{
    const size_t most = p->n > len ? p->n : len;
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_ELEMENTS, most, &p->inverse));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_FIRST, most, &p->terms));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_PRODUCT, most, &p->values));
    return gfp_gpu_ring_work(p->ring, GFP_GPU_USE_TREE, 1, &p->kernel);
}

gfp_status gfp_gpu_check_progression(gfp_gpu_operation *op, const gfp_gpu_poly *f,
                                     const gfp_gpu_array *values, const uint64_t *start,
                                     const uint64_t *ratio, size_t n)
{
    const gfp_field *field = op->ring->field;
    const double log2_p = gfp_field_k(field) * log2((double)gfp_field_r(field));
    const double roots = n > 1 ? log2((double)(n - 1)) : 0;
    progression p = {.ring = op->ring, .start = start, .ratio = ratio, .n = n};
    const claim w = {&p, f, values};
    if (n == 0) {
        return GFP_OK;
    }
    gfp_elem_one(field, p.one);
    GFP_TRY(gfp_gpu_check_elements(op->ring, f->array, f->len));
    GFP_TRY(gfp_gpu_check_elements(op->ring, values, n));
    GFP_TRY(open_check(&p, f->len));
    /* At most len elements are excluded: half of p at most, or the field is too small. */
    const bool few = fmax(roots, log2((double)f->len + 1)) + 2 < log2_p;
    return gfp_gpu_check_elementwise(op, few ? roots + 1 : log2_p, check_at, &w);
}

static gfp_status check_interpolation(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                      const gfp_gpu_call *w)
{
    const progression *p = w->own;
    return gfp_gpu_check_progression(op, z, w->array[0].x, p->start, p->ratio, p->n);
}

/* ---- the calls ---- */

static gfp_status compute_values(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    progression *p = w->own;
    (void)z;
    if (p->n == 0) {
        return GFP_OK;
    }
    p->made = (gfp_gpu_array *)w->array[0].x;
    if (op->apart) {
        GFP_TRY(gfp_gpu_ring_work(op->ring, GFP_GPU_USE_RESULT, p->n, &p->made));
    }
    return geometric_evaluate(p, p->made, w->input[0]);
}

static gfp_status check_evaluation(gfp_gpu_operation *op, const gfp_gpu_poly *z,
                                   const gfp_gpu_call *w)
{
    const progression *p = w->own;
    (void)z;
    return gfp_gpu_check_progression(op, w->input[0], p->made, p->start, p->ratio, p->n);
}

static gfp_status deliver_values(gfp_gpu_operation *op, const gfp_gpu_call *w)
{
    const progression *p = w->own;
    return p->n == 0 || !op->apart
               ? GFP_OK
               : gfp_gpu_set((gfp_gpu_array *)w->array[0].x, p->made, p->n * op->ring->k, NULL);
}

gfp_status gfp_gpu_poly_eval_geometric(gfp_gpu_array *values, const gfp_gpu_poly *f,
                                       const uint64_t *start, const uint64_t *ratio, size_t n,
                                       const gfp_options *options)
{
    if (f == NULL) {
        return gfp_gpu_call_refuse("values at a geometric progression", "no polynomial", options);
    }
    progression p = {.ring = f->ring, .start = start, .ratio = ratio, .n = n};
    gfp_elem_one(f->ring->field, p.one);
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "values at a geometric progression",
                                            .input = {f},
                                            .inputs = 1,
                                            .array = {{values, n, "the values"}},
                                            .arrays = 1,
                                            .own = &p,
                                            .compute = compute_values,
                                            .check = check_evaluation,
                                            .deliver = deliver_values},
                            options);
}

gfp_status gfp_gpu_poly_interpolate_geometric(gfp_gpu_poly *f, const gfp_gpu_array *values,
                                              const uint64_t *start, const uint64_t *ratio,
                                              size_t n, const gfp_options *options)
{
    if (f == NULL) {
        return gfp_gpu_call_refuse("interpolation at a geometric progression", "no polynomial",
                                   options);
    }
    progression p = {.ring = f->ring, .start = start, .ratio = ratio, .n = n};
    gfp_elem_one(f->ring->field, p.one);
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "interpolation at a geometric progression",
                                            .output = {f},
                                            .outputs = 1,
                                            .array = {{values, n, "the values"}},
                                            .arrays = 1,
                                            .own = &p,
                                            .compute = compute_interpolation,
                                            .check = check_interpolation},
                            options);
}
