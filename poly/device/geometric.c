/* geometric.c: values at geometric progressions on a device, and interpolation there, by the
 * formulas of poly/points/geometric.c: C(i) = i (i - 1) / 2; elementwise products with sequences
 * s^i q^C(i), one middle product, and for interpolation one low product more.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/type.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* A random element is the inverse of a power of the ratio with a small probability only. */
#define MOST_DRAWS 8

/* The points start ratio^i, i < n, and work space. */
typedef struct progression {
    gfp_gpu_ring *ring;
    const uint64_t *start, *ratio;
    size_t n;
    gfp_gpu_array *terms, *kernel, *values, *inverse, *reversed;
    uint64_t one[GFP_MAX_K];
} progression;

/* z := c^e. */
static void geometric_power(const progression *p, uint64_t *z, const uint64_t *c, uint64_t e)
{
    gfp_elem_pow(p->ring->field, z, c, &e, 1);
}

static gfp_status check_arguments(const gfp_gpu_poly *f, const gfp_gpu_array *values, size_t n,
                                  gfp_error *error)
{
    const gfp_gpu_ring *ring = f->ring;
    if (gfp_gpu_array_context(values) != ring->gpu) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the values are of another context");
    }
    return n <= gfp_gpu_array_words(values) / ring->k
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "%zu values in an array of %zu words", n,
                               gfp_gpu_array_words(values));
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
        return gfp_gpu_clear(values, p->n * p->ring->k);
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

gfp_status gfp_gpu_poly_eval_geometric(gfp_gpu_array *values, const gfp_gpu_poly *f,
                                       const uint64_t *start, const uint64_t *ratio, size_t n,
                                       gfp_error *error)
{
    progression p = {.ring = f->ring, .start = start, .ratio = ratio, .n = n};
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(check_arguments(f, values, n, error));
    gfp_elem_one(f->ring->field, p.one);
    return gfp_gpu_ring_explain(f->ring, geometric_evaluate(&p, values, f), error);
}

/* ---- interpolation ---- */

/* Names points 0 and j, which are equal. */
static gfp_status geometric_refuse(size_t j, const char *why, gfp_error *error)
{
    gfp_error_fill(error, GFP_ERR_NOT_INVERTIBLE, "points 0 and %zu are equal: %s", j, why);
    if (error != NULL) {
        error->index = j;
    }
    return GFP_ERR_NOT_INVERTIBLE;
}

/* The order of the ratio is the number of the D_j that are not 0. */
static gfp_status refuse_order(const progression *p, gfp_error *error)
{
    gfp_gpu_ring *ring = p->ring;
    char why[64];
    uint64_t order = 0;
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
    GFP_TRY(gfp_gpu_vec_length(ring->field, ring->word, p->inverse, p->n));
    GFP_TRY(gfp_gpu_download(&order, ring->word, 0, 1));
    (void)snprintf(why, sizeof why, "the order of the ratio is %llu", (unsigned long long)order);
    return geometric_refuse((size_t)order, why, error);
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
    GFP_TRY(gfp_gpu_upload(p->kernel, 0, p->one, k));
    GFP_TRY(gfp_gpu_vec_sum_rows(field, &d, terms, 2, 2, n - 1, 1));
    GFP_TRY(gfp_gpu_prefix_products(ring, p->inverse, n));
    GFP_TRY(gfp_gpu_download(last, p->inverse, (n - 1) * k, k));
    if (gfp_elem_is_zero(field, last)) {
        return refuse_order(p, error);
    }
    GFP_TRY(gfp_gpu_vec_inv(ring, p->inverse, p->inverse, n, error));
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
    return gfp_gpu_upload(p->terms, 0, p->one, p->ring->k);
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
static gfp_status geometric_interpolate(progression *p, gfp_gpu_poly *f,
                                        const gfp_gpu_array *values, gfp_error *error)
{
    const gfp_field *field = p->ring->field;
    uint64_t last[GFP_MAX_K];
    gfp_gpu_array *to = NULL;
    GFP_TRY(open_product(p, p->n));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_ELEMENTS, p->n, &p->inverse));
    GFP_TRY(gfp_gpu_ring_work(p->ring, GFP_GPU_USE_RESULT, p->n, &p->reversed));
    GFP_TRY(set_inverses(p, last, error));
    GFP_TRY(geometric_weigh(p, values));
    GFP_TRY(geometric_transform(p, p->n));
    GFP_TRY(gfp_gpu_vec_mul(field, p->values, p->values, p->terms, p->n));
    GFP_TRY(set_root(p, last));
    GFP_TRY(gfp_gpu_poly_place(f, p->n, false, &to));
    GFP_TRY(geometric_deliver(p, to));
    gfp_gpu_poly_take(f, to, p->n, false);
    return GFP_OK;
}

static gfp_status interpolate_any(progression *p, gfp_gpu_poly *f, const gfp_gpu_array *values,
                                  gfp_error *error)
{
    const gfp_gpu_ring *ring = p->ring;
    gfp_gpu_array *to = NULL;
    if (p->n > 1 && gfp_elem_is_zero(ring->field, p->start)) {
        return geometric_refuse(1, "the start is 0", error);
    }
    if (p->n > 1 && gfp_elem_is_zero(ring->field, p->ratio)) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the ratio is 0");
    }
    if (p->n > 1) {
        return geometric_interpolate(p, f, values, error);
    }
    GFP_TRY(gfp_gpu_poly_place(f, 1, false, &to));
    GFP_TRY(gfp_gpu_copy_range(to, 0, values, 0, ring->k));
    gfp_gpu_poly_take(f, to, 1, false);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_interpolate_geometric(gfp_gpu_poly *f, const gfp_gpu_array *values,
                                              const uint64_t *start, const uint64_t *ratio,
                                              size_t n, gfp_error *error)
{
    progression p = {.ring = f->ring, .start = start, .ratio = ratio, .n = n};
    if (n == 0) {
        gfp_gpu_poly_zero(f);
        return GFP_OK;
    }
    GFP_TRY(check_arguments(f, values, n, error));
    gfp_elem_one(f->ring->field, p.one);
    return gfp_gpu_ring_explain(f->ring, interpolate_any(&p, f, values, error), error);
}

/* ---- the check ---- */

/* z_j := 1 - first q^j, j < len; one element of `kernel` is overwritten. */
static gfp_status set_differences(const progression *p, gfp_gpu_array *z, size_t len,
                                  const uint64_t *first, const uint64_t *q)
{
    const gfp_gpu_rows one = {p->kernel, 0, 0}, d = {z, 0, 1}, terms[] = {one, d};
    GFP_TRY(gfp_gpu_set_chirp(p->ring, z, len, first, q, p->one));
    GFP_TRY(gfp_gpu_upload(p->kernel, 0, p->one, p->ring->k));
    return gfp_gpu_vec_sum_rows(p->ring->field, &d, terms, 2, 2, len, 1);
}

/* *value := the value at c of len elements. */
static gfp_status value_at(const progression *p, const gfp_gpu_array *x, size_t len,
                           const uint64_t *c, uint64_t *value)
{
    GFP_TRY(gfp_gpu_vec_evaluate(p->ring->field, p->values, x, len, c));
    return gfp_gpu_download(value, p->values, 0, p->ring->k);
}

/* The sum of t^i values_i is that of f_j start^j (1 - (t q^j)^n) / (1 - t q^j). Errors: VERIFY;
 * NOT_INVERTIBLE (t is the inverse of a q^j). */
static gfp_status check_at(const progression *p, const gfp_gpu_poly *f, const gfp_gpu_array *values,
                           const uint64_t *t)
{
    const gfp_field *field = p->ring->field;
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K], first[GFP_MAX_K], q[GFP_MAX_K];
    gfp_elem_zero(field, right);
    if (f->len > 0) {
        GFP_TRY(set_differences(p, p->inverse, f->len, t, p->ratio));
        GFP_TRY(gfp_gpu_vec_inv(p->ring, p->inverse, p->inverse, f->len, NULL));
        geometric_power(p, first, t, p->n);
        geometric_power(p, q, p->ratio, p->n);
        GFP_TRY(set_differences(p, p->terms, f->len, first, q));
        GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, p->inverse, f->len));
        GFP_TRY(gfp_gpu_vec_mul(field, p->terms, p->terms, f->array, f->len));
        GFP_TRY(value_at(p, p->terms, f->len, p->start, right));
    }
    GFP_TRY(value_at(p, values, p->n, t, left));
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

/* The number of random elements that suffice; 0: p is too small. */
static unsigned points_for(const progression *p, size_t len, int *log2_error)
{
    const gfp_field *field = p->ring->field;
    const double log2_p = gfp_field_k(field) * log2((double)gfp_field_r(field));
    const double roots = p->n > 1 ? log2((double)(p->n - 1)) : 0;
    /* At most len elements are excluded: half of p at most. */
    return fmax(roots, log2((double)len + 1)) + 2 < log2_p
               ? gfp_gpu_elements_choose(field, roots + 1, 0, log2_error)
               : 0;
}

static gfp_status geometric_check(progression *p, const gfp_gpu_poly *f,
                                  const gfp_gpu_array *values, uint64_t seed, gfp_report *report)
{
    const unsigned points = points_for(p, f->len, &report->log2_error);
    uint64_t t[GFP_MAX_K];
    gfp_random g;
    GFP_TRY(points > 0 ? GFP_OK : GFP_ERR_UNAVAILABLE);
    GFP_TRY(seed != 0 ? GFP_OK : gfp_system_seed(&seed, NULL));
    GFP_TRY(gfp_gpu_check_canonical(f));
    GFP_TRY(gfp_gpu_check_elements(p->ring, values, p->n));
    GFP_TRY(open_check(p, f->len));
    gfp_random_seed(&g, ~seed); /* not the elements that a caller drew by this seed */
    for (unsigned draws = MOST_DRAWS; report->points < points;) {
        gfp_vec_random(p->ring->field, t, 1, &g);
        const gfp_status status = check_at(p, f, values, t);
        if (status == GFP_ERR_NOT_INVERTIBLE) {
            GFP_TRY(--draws > 0 ? GFP_OK : GFP_ERR_UNAVAILABLE);
            continue;
        }
        report->points++;
        GFP_TRY(status);
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_verify_geometric(const gfp_gpu_poly *f, const gfp_gpu_array *values,
                                         const uint64_t *start, const uint64_t *ratio, size_t n,
                                         uint64_t seed, gfp_report *report)
{
    const uint64_t begin = gfp_clock_ns();
    gfp_report filled = {.verified = GFP_VERIFY_POINT};
    progression p = {.ring = f->ring, .start = start, .ratio = ratio, .n = n};
    gfp_status status = GFP_OK;
    if (n > 0) {
        GFP_TRY(check_arguments(f, values, n, NULL));
        gfp_elem_one(f->ring->field, p.one);
        status = geometric_check(&p, f, values, seed, &filled);
    }
    filled.verify_ns = gfp_clock_ns() - begin;
    if (report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *report = filled;
    }
    return status;
}
