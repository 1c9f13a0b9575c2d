/* gpu_poly_mul.c: products of resident polynomials by plans that the ring keeps, and power series'
 * inverses.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_poly.h"

#include "poly_impl.h"
#include "support.h"

/* ---- plans ---- */

/* Shorter products take as long as those of this many terms. */
#define SHORT 64

static void release_plan(gfp_gpu_ring *ring, gfp_gpu_ring_plan *kept)
{
    gfp_gpu_product_plan_destroy(kept->plan);
    gfp_release(&ring->allocator, kept, 1, sizeof *kept);
}

void gfp_gpu_ring_drop_plans(gfp_gpu_ring *ring)
{
    while (ring->plans != NULL) {
        gfp_gpu_ring_plan *kept = ring->plans;
        ring->plans = kept->next;
        release_plan(ring, kept);
    }
}

/* Releases the plans used longest ago until the others keep to their limit; the first plan stays in
 * any case. */
static void keep_to_limit(gfp_gpu_ring *ring)
{
    size_t bytes = 0;
    gfp_gpu_ring_plan **at = &ring->plans;
    while (*at != NULL) {
        gfp_gpu_ring_plan *kept = *at;
        bytes = gfp_size_add_sat(bytes, gfp_gpu_product_plan_bytes(kept->plan));
        if (bytes > ring->plan_bytes && kept != ring->plans) {
            *at = kept->next;
            release_plan(ring, kept);
        } else {
            at = &kept->next;
        }
    }
}

/* The least length of a class >= n: lengths of a class share a plan. At most an eighth above n;
 * powers of two are classes. */
static size_t class_of(size_t n)
{
    size_t step = 1, up = 0;
    while (n / step >= 16) {
        step *= 2;
    }
    return gfp_size_add(&up, n, step - 1) ? up / step * step : n;
}

/* The kept plan with these parameters, which becomes the first; NULL: none. */
static gfp_gpu_ring_plan *find_plan(gfp_gpu_ring *ring, size_t len_a, size_t len_b, size_t n)
{
    for (gfp_gpu_ring_plan **at = &ring->plans; *at != NULL; at = &(*at)->next) {
        gfp_gpu_ring_plan *kept = *at;
        if (kept->len_a == len_a && kept->len_b == len_b && kept->n == n) {
            *at = kept->next;
            kept->next = ring->plans;
            ring->plans = kept;
            return kept;
        }
    }
    return NULL;
}

/* Makes a plan for coefficients that products modulo X^n - 1 leave in place: the middle
 * coefficients of the longest products that the plan takes. If memory is short, releases the kept
 * plans. */
static gfp_status create_plan(gfp_gpu_ring *ring, gfp_gpu_ring_plan *made)
{
    const size_t all = made->len_a + made->len_b - 1;
    gfp_gpu_product_options options = {.method = ring->method};
    if (made->n < all) {
        options.first = all - made->n;
        options.n = made->n - options.first;
    }
    const gfp_status status = gfp_gpu_product_plan_create(&made->plan, ring->gpu, ring->field,
                                                          made->len_a, made->len_b, &options, NULL);
    if (status != GFP_ERR_MEMORY || ring->plans == NULL) {
        return status;
    }
    gfp_gpu_ring_drop_plans(ring);
    return gfp_gpu_product_plan_create(&made->plan, ring->gpu, ring->field, made->len_a,
                                       made->len_b, &options, NULL);
}

/* *plan := a plan for a trimmed range. n is the least length such that no coefficient wraps around
 * into the range modulo X^n - 1. */
static gfp_status plan_for(gfp_gpu_ring *ring, size_t len_a, size_t len_b, size_t first, size_t end,
                           gfp_gpu_product_plan **plan)
{
    const size_t all = len_a + len_b - 1, longer = len_a > len_b ? len_a : len_b;
    size_t n = all - first > end ? all - first : end;
    n = n > longer ? n : longer;
    len_a = class_of(len_a > SHORT ? len_a : SHORT);
    len_b = class_of(len_b > SHORT ? len_b : SHORT);
    n = class_of(n > 2 * SHORT ? n : 2 * SHORT);
    /* The class of n may exceed the product of the other classes. */
    n = gfp_size_min(n, len_a + len_b - 1);
    gfp_gpu_ring_plan *kept = find_plan(ring, len_a, len_b, n);
    if (kept == NULL) {
        kept = gfp_allocate(&ring->allocator, 1, sizeof *kept);
        if (kept == NULL) {
            return GFP_ERR_MEMORY;
        }
        *kept = (gfp_gpu_ring_plan){.len_a = len_a, .len_b = len_b, .n = n};
        const gfp_status status = create_plan(ring, kept);
        if (status != GFP_OK) {
            gfp_release(&ring->allocator, kept, 1, sizeof *kept);
            return status;
        }
        kept->next = ring->plans;
        ring->plans = kept;
        keep_to_limit(ring);
    }
    *plan = kept->plan;
    return GFP_OK;
}

/* ---- products ---- */

/* A factor: coefficients from, ..., from + len - 1 of an array. */
typedef struct factor {
    gfp_gpu_array *array;
    size_t from, len;
} factor;

/* Coefficients first <= i < end of a b. */
typedef struct range {
    factor a, b;
    size_t first, end;
} range;

static void skip(factor *x, size_t n, range *r)
{
    x->from += n;
    x->len -= n;
    r->first -= n;
    r->end -= n;
}

/* Removes coefficients of a and b that no coefficient of the range depends on. */
static void trim(range *r)
{
    r->a.len = gfp_size_min(r->a.len, r->end);
    r->b.len = gfp_size_min(r->b.len, r->end);
    if (r->first >= r->b.len) {
        skip(&r->a, gfp_size_min(r->first - (r->b.len - 1), r->a.len - 1), r);
    }
    if (r->first >= r->a.len) {
        skip(&r->b, gfp_size_min(r->first - (r->a.len - 1), r->b.len - 1), r);
    }
}

/* z := the range, z apart from the factors. */
static gfp_status run(const gfp_gpu_ring *ring, gfp_gpu_product_plan *plan, gfp_gpu_array *z,
                      const range *r)
{
    const size_t k = ring->k;
    const bool square = r->a.array == r->b.array && r->a.from == r->b.from;
    gfp_gpu_array *a = NULL, *b = NULL;
    gfp_status status = gfp_gpu_array_part(&a, r->a.array, r->a.from * k, r->a.len * k);
    if (status == GFP_OK && !square) {
        status = gfp_gpu_array_part(&b, r->b.array, r->b.from * k, r->b.len * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_product_range(plan, z, a, r->a.len, square ? a : b, r->b.len, r->first,
                                       r->end - r->first);
    }
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    return status;
}

/* c := coefficients from first on of a b, at most n of them. */
static gfp_status multiply(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                           size_t first, size_t n)
{
    gfp_gpu_ring *ring = c->ring;
    gfp_gpu_product_plan *plan = NULL;
    gfp_gpu_array *to = NULL;
    size_t all = 0;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    GFP_TRY(gfp_gpu_poly_check(a, c));
    if (!gfp_size_add(&all, a->len, b->len)) {
        return GFP_ERR_SIZE;
    }
    if (a->len == 0 || b->len == 0 || first >= all - 1 || n == 0) {
        gfp_gpu_poly_zero(c);
        return GFP_OK;
    }
    n = gfp_size_min(n, all - 1 - first);
    const bool exact = a->exact && b->exact && first + n == all - 1;
    range r = {{a->array, 0, a->len}, {b->array, 0, b->len}, first, first + n};
    trim(&r);
    GFP_TRY(plan_for(ring, r.a.len, r.b.len, r.first, r.end, &plan));
    GFP_TRY(gfp_gpu_poly_place(c, n, c == a || c == b, &to));
    GFP_TRY(run(ring, plan, to, &r));
    gfp_gpu_poly_take(c, to, n, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_mul(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    return multiply(c, a, b, 0, SIZE_MAX);
}

gfp_status gfp_gpu_poly_sqr(gfp_gpu_poly *c, const gfp_gpu_poly *a)
{
    return multiply(c, a, a, 0, SIZE_MAX);
}

gfp_status gfp_gpu_poly_mul_low(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                size_t n)
{
    return multiply(c, a, b, 0, n);
}

gfp_status gfp_gpu_poly_mul_high(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                 size_t n)
{
    return multiply(c, a, b, n, SIZE_MAX);
}

gfp_status gfp_gpu_poly_mul_middle(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                   size_t from, size_t n)
{
    return multiply(c, a, b, from, n);
}

/* ---- inverses of power series ---- */

/* The number of terms that the CPU computes. */
#define FIRST_TERMS 16

/* g := 1 / a mod X^n, by its definition; a of len coefficients, len >= 1. */
static gfp_status invert_directly(const gfp_field *field, uint64_t *g, const uint64_t *a,
                                  size_t len, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t minus[GFP_MAX_K], sum[GFP_MAX_K], term[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(field, g, a));
    gfp_elem_neg(field, minus, g);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_zero(field, sum);
        for (size_t j = 1; j <= i && j < len; j++) {
            gfp_elem_mul(field, term, a + j * k, g + (i - j) * k);
            gfp_elem_add(field, sum, sum, term);
        }
        gfp_elem_mul(field, g + i * k, minus, sum);
    }
    return GFP_OK;
}

/* The first terms m = min(n, FIRST_TERMS) of g. */
static gfp_status start(const gfp_gpu_poly *a, gfp_gpu_array *g, size_t m)
{
    const gfp_gpu_ring *ring = a->ring;
    const size_t k = ring->k, len = gfp_size_min(a->len, m);
    uint64_t *host = gfp_allocate(&ring->allocator, 2 * m, k * sizeof *host);
    if (host == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = gfp_gpu_download(host, a->array, 0, len * k);
    if (status == GFP_OK) {
        status = invert_directly(ring->field, host + m * k, host, len, m);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_upload(g, 0, host + m * k, m * k);
    }
    gfp_release(&ring->allocator, host, 2 * m, k * sizeof *host);
    return status;
}

/* From m terms of g = 1 / a to n <= 2 m terms: a g = 1 + X^m e, so g - X^m e g is the inverse. The
 * product e is a middle product. */
static gfp_status double_terms(gfp_gpu_ring *ring, const gfp_gpu_poly *a, gfp_gpu_array *g,
                               size_t m, size_t n)
{
    const size_t k = ring->k, len = gfp_size_min(a->len, n), more = n - m;
    gfp_gpu_product_plan *plan = NULL;
    gfp_gpu_array *next = NULL;
    range e = {{a->array, 0, len}, {g, 0, m}, m, n};
    if (len + m - 1 <= m) { /* a is constant */
        return gfp_gpu_clear_range(g, m * k, more * k);
    }
    const size_t known = gfp_size_min(more, len - 1); /* coefficients of e */
    e.end = m + known;
    trim(&e);
    GFP_TRY(plan_for(ring, e.a.len, e.b.len, e.first, e.end, &plan));
    GFP_TRY(run(ring, plan, ring->work, &e));
    range h = {{ring->work, 0, known}, {g, 0, m}, 0, more};
    const size_t all = known + m - 1;
    h.end = gfp_size_min(more, all);
    trim(&h);
    GFP_TRY(plan_for(ring, h.a.len, h.b.len, 0, h.end, &plan));
    GFP_TRY(gfp_gpu_array_part(&next, g, m * k, more * k));
    gfp_status status = run(ring, plan, next, &h);
    if (status == GFP_OK) {
        status = gfp_gpu_vec_neg(ring->field, next, next, h.end);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_clear_range(next, h.end * k, (more - h.end) * k);
    }
    gfp_gpu_array_destroy(next);
    return status;
}

/* Computes all terms up to n; the numbers of terms are such that the last step ends at n. */
static gfp_status iterate(gfp_gpu_ring *ring, const gfp_gpu_poly *a, gfp_gpu_array *g, size_t n)
{
    unsigned steps = 0;
    while (((n - 1) >> steps) + 1 > FIRST_TERMS) {
        steps++;
    }
    size_t m = ((n - 1) >> steps) + 1;
    GFP_TRY(start(a, g, m));
    while (steps-- > 0) {
        const size_t next = ((n - 1) >> steps) + 1;
        GFP_TRY(double_terms(ring, a, g, m, next));
        m = next;
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_inv_series(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    gfp_gpu_ring *ring = b->ring;
    gfp_gpu_array *to = NULL;
    size_t words = 0;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    if (n == 0) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    if (a->len == 0) {
        return GFP_ERR_NOT_INVERTIBLE;
    }
    if (!gfp_size_mul(&words, n, ring->k)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work, words));
    /* Into the spare array, so that b is unchanged if a plan or the constant term fails. */
    GFP_TRY(gfp_gpu_poly_place(b, n, true, &to));
    GFP_TRY(iterate(ring, a, to, n));
    gfp_gpu_poly_take(b, to, n, false);
    return GFP_OK;
}
