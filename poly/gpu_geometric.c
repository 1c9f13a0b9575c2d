/* gpu_geometric.c: values at geometric progressions and interpolation there, on a device, by the
 * formulas of geometric.c. q is the ratio, s the start, C(i) = i (i - 1) / 2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "gpu_poly.h"
#include "poly_impl.h"
#include "support.h"
#include "verify.h"

/* The points of a check are drawn again at most this many times where 1 is among the t q^j. */
#define MOST_DRAWS 8

/* ---- sequences ---- */

/* z_i := c^C(i), i < n, n >= 2: the products of 1, 1, c, c^2, ... */
static gfp_status set_chirp(gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n, const uint64_t *c)
{
    const size_t k = ring->k;
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *behind = NULL;
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(z, 0, one, k));
    GFP_TRY(gfp_gpu_array_part(&behind, z, k, (n - 1) * k));
    const gfp_status status = gfp_gpu_powers(ring, behind, n - 1, c);
    gfp_gpu_array_destroy(behind);
    GFP_TRY(status);
    return gfp_gpu_prefix_products(ring, z, n);
}

/* z_i := 1 - z_i, i < n. one: room for an element. */
static gfp_status subtract_from_one(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n,
                                    gfp_gpu_array *one)
{
    uint64_t digits[GFP_MAX_K];
    gfp_elem_one(ring->field, digits);
    GFP_TRY(gfp_gpu_upload(one, 0, digits, ring->k));
    const gfp_gpu_rows to = {z, 0, 1}, terms[] = {{one, 0, 0}, {z, 0, 1}};
    return gfp_gpu_vec_sum_rows(ring->field, &to, terms, 2, 2, n, 1);
}

/* z := n elements of x from `from` on, in reverse order. */
static gfp_status reverse_part(const gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x,
                               size_t from, size_t n)
{
    gfp_gpu_array *part = NULL;
    GFP_TRY(gfp_gpu_array_part(&part, (gfp_gpu_array *)x, from * ring->k, n * ring->k));
    const gfp_status status = gfp_gpu_vec_reverse(ring->field, z, part, n);
    gfp_gpu_array_destroy(part);
    return status;
}

/* ---- values ---- */

/* Work arrays. up_i = q^C(i), down_i = q^-C(i), i <= max(n, len). */
typedef struct area {
    gfp_gpu_array *up, *down;
    gfp_gpu_array *x;        /* coefficients, len elements */
    gfp_gpu_array *sides;    /* n + len - 1 elements */
    gfp_gpu_array *product;  /* n elements */
    gfp_gpu_array *reversed; /* max(n, len) elements */
} area;

static gfp_status open_area(gfp_gpu_ring *ring, area *w, size_t n, size_t len)
{
    const size_t most = n > len ? n : len;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, most + 1, &w->up));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, most + 1, &w->down));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, len, &w->x));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_TREE, n + len - 1, &w->sides));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, n, &w->product));
    return gfp_gpu_ring_work(ring, GFP_GPU_USE_RESULT, most, &w->reversed);
}

/* Makes up and down; q is not 0. */
static gfp_status set_chirps(gfp_gpu_ring *ring, const area *w, size_t n, size_t len,
                             const uint64_t *q)
{
    const size_t most = (n > len ? n : len) + 1;
    uint64_t inverse[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(ring->field, inverse, q));
    GFP_TRY(set_chirp(ring, w->up, most, q));
    return set_chirp(ring, w->down, most, inverse);
}

/* w->product := the sums over j < len of x_j q^(i j), i < n. Element m of the sides is q^(-C(m -
 * len
 * + 1)), and C(-i) = C(i + 1). */
static gfp_status transform(gfp_gpu_ring *ring, const area *w, size_t n, size_t len)
{
    const size_t k = ring->k;
    const gfp_gpu_rows sides = {w->sides, 0, n + len - 1}, x = {w->x, 0, len},
                       product = {w->product, 0, n};
    if (len > 1) {
        GFP_TRY(reverse_part(ring, w->sides, w->down, 2, len - 1));
    }
    GFP_TRY(gfp_gpu_copy_range(w->sides, (len - 1) * k, w->down, 0, n * k));
    GFP_TRY(gfp_gpu_multiply_at(ring, w->x, 0, w->x, 0, w->up, 1, len));
    GFP_TRY(gfp_gpu_ring_mul_rows(ring, &product, &sides, n + len - 1, &x, len, len - 1, n, 1));
    return gfp_gpu_vec_mul(ring->field, w->product, w->product, w->up, n);
}

/* values := f(s), f(0), f(0), ... */
static gfp_status values_at_zero(gfp_gpu_array *values, const gfp_gpu_poly *f, const uint64_t *s,
                                 size_t n)
{
    gfp_gpu_ring *ring = f->ring;
    uint64_t first[GFP_MAX_K];
    const gfp_gpu_rows to = {values, 0, 1}, constant = {f->array, 0, 0};
    GFP_TRY(gfp_gpu_poly_eval(f, first, s));
    GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &to, &constant, 1, 0, n, 1));
    return gfp_gpu_upload(values, 0, first, ring->k);
}

static gfp_status evaluate(gfp_gpu_array *values, const gfp_gpu_poly *f, const uint64_t *s,
                           const uint64_t *q, size_t n)
{
    gfp_gpu_ring *ring = f->ring;
    const size_t len = f->len;
    area w;
    if (n == 0 || len == 0) {
        return gfp_gpu_clear(values, n * ring->k);
    }
    if (gfp_elem_is_zero(ring->field, q)) {
        return values_at_zero(values, f, s, n);
    }
    GFP_TRY(open_area(ring, &w, n, len));
    GFP_TRY(set_chirps(ring, &w, n, len, q));
    GFP_TRY(gfp_gpu_powers(ring, w.x, len, s));
    GFP_TRY(gfp_gpu_vec_mul(ring->field, w.x, w.x, f->array, len));
    GFP_TRY(transform(ring, &w, n, len));
    return gfp_gpu_copy(values, w.product, n * ring->k);
}

/* Checks that the values are n elements of f's context, and that sums of lengths fit. */
static gfp_status check_arguments(const gfp_gpu_array *values, const gfp_gpu_poly *f, size_t n,
                                  gfp_error *error)
{
    if (n == 0) {
        return GFP_OK;
    }
    if (gfp_gpu_array_context(values) != f->ring->gpu) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the values are of another context");
    }
    if (gfp_gpu_array_words(values) / f->ring->k < n) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%zu values in an array of %zu words", n,
                             gfp_gpu_array_words(values));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_eval_geometric(gfp_gpu_array *values, const gfp_gpu_poly *f,
                                       const uint64_t *start, const uint64_t *ratio, size_t n,
                                       gfp_error *error)
{
    GFP_TRY(check_arguments(values, f, n, error));
    return gfp_gpu_ring_explain(f->ring, n == 0 ? GFP_OK : evaluate(values, f, start, ratio, n),
                                error);
}

/* ---- interpolation ---- */

/* Refuses points 0 and `order`, which are equal. */
static gfp_status refuse(size_t order, const char *why, gfp_error *error)
{
    (void)gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "points 0 and %zu are equal: %s", order,
                        why);
    if (error != NULL) {
        error->index = order;
    }
    return GFP_ERR_NOT_INVERTIBLE;
}

/* inverse_j := 1 / D_j for j < n, D_j the product of 1 - q^i over 0 < i <= j; *last := D_(n-1) on
 * the host. d: room for n elements. */
static gfp_status set_products(gfp_gpu_ring *ring, gfp_gpu_array *inverse, gfp_gpu_array *d,
                               size_t n, const uint64_t *q, uint64_t *last)
{
    const size_t k = ring->k;
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_powers(ring, d, n, q));
    GFP_TRY(subtract_from_one(ring, d, n, inverse));
    GFP_TRY(gfp_gpu_upload(d, 0, one, k));
    GFP_TRY(gfp_gpu_prefix_products(ring, d, n));
    GFP_TRY(gfp_gpu_download(last, d, (n - 1) * k, k));
    return gfp_gpu_vec_inv(ring, inverse, d, n, NULL);
}

/* The least j > 0 with q^j = 1, which exists. */
static size_t order_of(const gfp_field *field, const uint64_t *q)
{
    uint64_t power[GFP_MAX_K];
    size_t j = 1;
    gfp_elem_copy(field, power, q);
    while (!gfp_elem_is_one(field, power)) {
        gfp_elem_mul(field, power, power, q);
        j++;
    }
    return j;
}

/* w->x := y_i / M'(q^i) = y_i (-1)^i q^(C(i+1) - (n-1) i) / (D_i D_(n-1-i)). w->reversed gets the
 * inverses in reverse order. */
static gfp_status weigh(gfp_gpu_ring *ring, const area *w, const gfp_gpu_array *inverse,
                        const gfp_gpu_array *values, size_t n, const uint64_t *q)
{
    const gfp_field *field = ring->field;
    const uint64_t exponent = n - 1;
    uint64_t power[GFP_MAX_K];
    gfp_elem_pow(field, power, q, &exponent, 1);
    GFP_TRY(gfp_elem_inv(field, power, power));
    gfp_elem_neg(field, power, power);
    GFP_TRY(gfp_gpu_powers(ring, w->x, n, power));
    GFP_TRY(gfp_gpu_multiply_at(ring, w->x, 0, w->x, 0, w->up, 1, n));
    GFP_TRY(gfp_gpu_vec_mul(field, w->x, w->x, values, n));
    GFP_TRY(gfp_gpu_vec_mul(field, w->x, w->x, inverse, n));
    GFP_TRY(reverse_part(ring, w->reversed, inverse, 0, n));
    return gfp_gpu_vec_mul(field, w->x, w->x, w->reversed, n);
}

/* w->x := P modulo X^n: P_0 = 1, P_j = (-1)^j q^C(j) u_n D_(n-1) / (D_j D_(n-j)). last: D_(n-1). */
static gfp_status set_root(gfp_gpu_ring *ring, const area *w, const gfp_gpu_array *inverse,
                           size_t n, const uint64_t *q, const uint64_t *last)
{
    const gfp_field *field = ring->field;
    const uint64_t exponent = n;
    uint64_t factor[GFP_MAX_K], one[GFP_MAX_K], minus[GFP_MAX_K];
    gfp_elem_one(field, one);
    gfp_elem_neg(field, minus, one);
    gfp_elem_pow(field, factor, q, &exponent, 1);
    gfp_elem_sub(field, factor, one, factor);
    gfp_elem_mul(field, factor, factor, last);
    GFP_TRY(gfp_gpu_powers(ring, w->x, n, minus));
    GFP_TRY(gfp_gpu_vec_scale(field, w->x, w->x, factor, n));
    GFP_TRY(gfp_gpu_vec_mul(field, w->x, w->x, w->up, n));
    GFP_TRY(gfp_gpu_vec_mul(field, w->x, w->x, inverse, n));
    GFP_TRY(gfp_gpu_multiply_at(ring, w->x, 1, w->x, 1, w->reversed, 0, n - 1));
    return gfp_gpu_upload(w->x, 0, one, ring->k);
}

/* n >= 2; s and q are not 0. */
static gfp_status solve(gfp_gpu_poly *f, const gfp_gpu_array *values, const uint64_t *s,
                        const uint64_t *q, size_t n)
{
    gfp_gpu_ring *ring = f->ring;
    uint64_t last[GFP_MAX_K], back[GFP_MAX_K];
    gfp_gpu_array *inverse = NULL, *to = NULL;
    area w;
    GFP_TRY(open_area(ring, &w, n, n));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_ELEMENTS, n, &inverse));
    GFP_TRY(set_products(ring, inverse, w.x, n, q, last));
    GFP_TRY(set_chirps(ring, &w, n, n, q));
    GFP_TRY(weigh(ring, &w, inverse, values, n, q));
    GFP_TRY(transform(ring, &w, n, n));
    GFP_TRY(set_root(ring, &w, inverse, n, q, last));
    const gfp_gpu_rows root = {w.x, 0, n}, sums = {w.product, 0, n}, product = {w.sides, 0, n};
    GFP_TRY(gfp_gpu_ring_mul_rows(ring, &product, &root, n, &sums, n, 0, n, 1));
    GFP_TRY(gfp_gpu_vec_reverse(ring->field, w.x, w.sides, n));
    GFP_TRY(gfp_elem_inv(ring->field, back, s));
    GFP_TRY(gfp_gpu_powers(ring, w.product, n, back));
    GFP_TRY(gfp_gpu_poly_place(f, n, false, &to));
    GFP_TRY(gfp_gpu_vec_mul(ring->field, to, w.x, w.product, n));
    gfp_gpu_poly_take(f, to, n, false);
    return GFP_OK;
}

/* f := the constant values_0. */
static gfp_status set_constant(gfp_gpu_poly *f, const gfp_gpu_array *values)
{
    GFP_TRY(gfp_gpu_poly_fit_length(f, 1));
    GFP_TRY(gfp_gpu_copy(f->array, values, f->ring->k));
    return gfp_gpu_poly_set_length(f, 1);
}

gfp_status gfp_gpu_poly_interpolate_geometric(gfp_gpu_poly *f, const gfp_gpu_array *values,
                                              const uint64_t *start, const uint64_t *ratio,
                                              size_t n, gfp_error *error)
{
    const gfp_field *field = f->ring->field;
    GFP_TRY(check_arguments(values, f, n, error));
    if (n == 0) {
        gfp_gpu_poly_zero(f);
        return GFP_OK;
    }
    if (n > 1 && gfp_elem_is_zero(field, start)) {
        return refuse(1, "the start is 0", error);
    }
    if (n > 1 && gfp_elem_is_zero(field, ratio)) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the ratio is 0");
    }
    const gfp_status status = n == 1 ? set_constant(f, values) : solve(f, values, start, ratio, n);
    return status == GFP_ERR_NOT_INVERTIBLE
               ? refuse(order_of(field, ratio), "the ratio has this order", error)
               : gfp_gpu_ring_explain(f->ring, status, error);
}

/* ---- the check ---- */

/* What is checked: n values of f; and work arrays: terms and inverses of the length of f, room for
 * Horner's rule, one element. */
typedef struct claim {
    const gfp_gpu_poly *f;
    const gfp_gpu_array *values;
    const uint64_t *start, *ratio;
    size_t n;
    gfp_gpu_array *terms, *inverses, *room, *one;
} claim;

static gfp_status open_claim(claim *c)
{
    gfp_gpu_ring *ring = c->f->ring;
    const size_t len = c->f->len, most = c->n > len ? c->n : len;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, len, &c->terms));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, len, &c->inverses));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_PRODUCT, most, &c->room));
    return gfp_gpu_ring_work(ring, GFP_GPU_USE_RESULT, 1, &c->one);
}

/* y, on the host, := the value at t of n >= 1 coefficients x. */
static gfp_status value_at(const claim *c, uint64_t *y, const gfp_gpu_array *x, size_t n,
                           const uint64_t *t)
{
    const gfp_gpu_ring *ring = c->f->ring;
    GFP_TRY(gfp_gpu_vec_evaluate(ring->field, c->room, x, n, t));
    return gfp_gpu_download(y, c->room, 0, ring->k);
}

/* z_j := 1 - by base^j, j < the length of f. */
static gfp_status set_factors(const claim *c, gfp_gpu_array *z, const uint64_t *by,
                              const uint64_t *base)
{
    const gfp_gpu_ring *ring = c->f->ring;
    const size_t len = c->f->len;
    GFP_TRY(gfp_gpu_powers(ring, z, len, base));
    GFP_TRY(gfp_gpu_vec_scale(ring->field, z, z, by, len));
    return subtract_from_one(ring, z, len, c->one);
}

/* Errors: VERIFY, NOT_INVERTIBLE (1 is among the t q^j). */
static gfp_status check_at(const claim *c, const uint64_t *t)
{
    gfp_gpu_ring *ring = c->f->ring;
    const gfp_field *field = ring->field;
    const size_t len = c->f->len;
    const uint64_t n = c->n;
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K], power[GFP_MAX_K], base[GFP_MAX_K];
    gfp_elem_zero(field, right);
    if (len > 0) {
        GFP_TRY(set_factors(c, c->inverses, t, c->ratio));
        GFP_TRY(gfp_gpu_vec_inv(ring, c->inverses, c->inverses, len, NULL));
        gfp_elem_pow(field, power, t, &n, 1);
        gfp_elem_pow(field, base, c->ratio, &n, 1);
        GFP_TRY(set_factors(c, c->terms, power, base));
        GFP_TRY(gfp_gpu_vec_mul(field, c->terms, c->terms, c->inverses, len));
        GFP_TRY(gfp_gpu_vec_mul(field, c->terms, c->terms, c->f->array, len));
        GFP_TRY(value_at(c, right, c->terms, len, c->start));
    }
    GFP_TRY(value_at(c, left, c->values, c->n, t));
    return gfp_elem_equal(field, left, right) ? GFP_OK : GFP_ERR_VERIFY;
}

/* The number of random elements that suffice; 0: p is too small. */
static unsigned points_for(const claim *c, int *log2_error)
{
    const gfp_field *field = c->f->ring->field;
    const double log2_p = gfp_field_k(field) * log2((double)gfp_field_r(field));
    /* p - len elements are possible; they are half of p at least. */
    if (log2((double)c->f->len + 2) + 1 > log2_p) {
        return 0;
    }
    /* A wrong single value never passes. */
    return gfp_gpu_elements_choose(field, c->n <= 1 ? -64 : log2((double)(c->n - 1)) + 1, 0,
                                   log2_error);
}

static gfp_status check(claim *c, uint64_t seed, gfp_report *report)
{
    const gfp_field *field = c->f->ring->field;
    const unsigned points = points_for(c, &report->log2_error);
    uint64_t t[GFP_MAX_K];
    gfp_random g;
    GFP_TRY(points > 0 ? GFP_OK : GFP_ERR_UNAVAILABLE);
    GFP_TRY(seed != 0 ? GFP_OK : gfp_system_seed(&seed, NULL));
    GFP_TRY(gfp_gpu_check_canonical(c->f));
    GFP_TRY(gfp_gpu_check_elements(c->f->ring, c->values, c->n));
    GFP_TRY(open_claim(c));
    gfp_random_seed(&g, ~seed); /* not the elements that a caller drew by this seed */
    for (unsigned draws = MOST_DRAWS; report->points < points;) {
        gfp_elem_random(field, t, &g);
        const gfp_status status = check_at(c, t);
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
    claim c = {.f = f, .values = values, .start = start, .ratio = ratio, .n = n};
    GFP_TRY(check_arguments(values, f, n, NULL));
    const gfp_status status = n == 0 ? GFP_OK : check(&c, seed, &filled);
    filled.verify_ns = gfp_clock_ns() - begin;
    if (report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *report = filled;
    }
    return status;
}
