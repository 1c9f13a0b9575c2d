/* gpu_poly_mul.c: products of resident polynomials, and of rows, by plans that the ring keeps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_poly.h"

#include "poly_impl.h"
#include "support.h"

/* ---- plans ---- */

/* Shorter products take as long as those of this many terms. */
#define SHORT 64

static void release_plan(gfp_gpu_ring *ring, gfp_gpu_ring_plan *kept)
{
    gfp_gpu_operand_destroy(kept->operand);
    gfp_gpu_product_plan_destroy(kept->plan);
    gfp_release(&ring->allocator, kept, 1, sizeof *kept);
}

void gfp_gpu_ring_drop_plans(gfp_gpu_ring *ring)
{
    gfp_gpu_ring_plan **at = &ring->plans;
    while (*at != NULL) {
        gfp_gpu_ring_plan *kept = *at;
        if (kept->users == 0) {
            *at = kept->next;
            release_plan(ring, kept);
        } else {
            at = &kept->next;
        }
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
        bytes += kept->operand != NULL ? gfp_gpu_operand_bytes(kept->operand) : 0;
        if (bytes > ring->plan_bytes && kept != ring->plans && kept->users == 0) {
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

static bool same_shape(const gfp_gpu_shape *x, const gfp_gpu_shape *y)
{
    return x->len_a == y->len_a && x->len_b == y->len_b && x->n == y->n && x->first == y->first &&
           x->batch == y->batch && x->wrap == y->wrap;
}

/* The kept plan for this shape, which becomes the first; NULL: none. */
static gfp_gpu_ring_plan *find_plan(gfp_gpu_ring *ring, const gfp_gpu_shape *shape)
{
    for (gfp_gpu_ring_plan **at = &ring->plans; *at != NULL; at = &(*at)->next) {
        gfp_gpu_ring_plan *kept = *at;
        if (same_shape(&kept->shape, shape)) {
            *at = kept->next;
            kept->next = ring->plans;
            ring->plans = kept;
            return kept;
        }
    }
    return NULL;
}

/* Makes a plan. For a class of lengths, the coefficients are those that products modulo X^n - 1
 * leave in place: the middle coefficients of the longest products that the plan takes. If memory is
 * short, releases the kept plans. */
static gfp_status create_plan(gfp_gpu_ring *ring, gfp_gpu_ring_plan *made)
{
    const gfp_gpu_shape *s = &made->shape;
    const size_t all = s->len_a + s->len_b - 1;
    gfp_gpu_product_options options = {
        .method = ring->method,
        .batch = s->batch,
        .first = s->first,
        .n = s->n,
        .wrap = s->wrap,
    };
    if (s->batch == 0) {
        options.first = s->n < all ? all - s->n : 0;
        options.n = s->n < all ? s->n - options.first : 0;
    }
    const gfp_status status = gfp_gpu_product_plan_create(&made->plan, ring->gpu, ring->field,
                                                          s->len_a, s->len_b, &options, NULL);
    if (status != GFP_ERR_MEMORY || ring->plans == NULL) {
        return status;
    }
    gfp_gpu_ring_drop_plans(ring);
    return gfp_gpu_product_plan_create(&made->plan, ring->gpu, ring->field, s->len_a, s->len_b,
                                       &options, NULL);
}

gfp_status gfp_gpu_ring_plan_of(gfp_gpu_ring *ring, const gfp_gpu_shape *shape,
                                gfp_gpu_product_plan **plan)
{
    gfp_gpu_ring_plan *kept = find_plan(ring, shape);
    if (kept == NULL) {
        kept = gfp_allocate(&ring->allocator, 1, sizeof *kept);
        if (kept == NULL) {
            return GFP_ERR_MEMORY;
        }
        *kept = (gfp_gpu_ring_plan){.shape = *shape};
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

/* The class of a trimmed range. n is the least length such that no coefficient wraps around into
 * the range modulo X^n - 1. */
static gfp_gpu_shape class_shape(size_t len_a, size_t len_b, size_t first, size_t end)
{
    const size_t all = len_a + len_b - 1, longer = len_a > len_b ? len_a : len_b;
    size_t n = all - first > end ? all - first : end;
    n = n > longer ? n : longer;
    gfp_gpu_shape shape = {.len_a = class_of(len_a > SHORT ? len_a : SHORT),
                           .len_b = class_of(len_b > SHORT ? len_b : SHORT)};
    n = class_of(n > 2 * SHORT ? n : 2 * SHORT);
    /* The class of n may exceed the product of the other classes. */
    shape.n = gfp_size_min(n, shape.len_a + shape.len_b - 1);
    return shape;
}

/* *plan := a plan for a trimmed range. */
static gfp_status plan_for(gfp_gpu_ring *ring, size_t len_a, size_t len_b, size_t first, size_t end,
                           gfp_gpu_product_plan **plan)
{
    const gfp_gpu_shape shape = class_shape(len_a, len_b, first, end);
    return gfp_gpu_ring_plan_of(ring, &shape, plan);
}

/* ---- products ---- */

/* Coefficients from, ..., from + len - 1 of an array. */
typedef struct part {
    gfp_gpu_array *array;
    size_t from, len;
} part;

/* Coefficients first <= i < end of a b. */
typedef struct range {
    part a, b;
    size_t first, end;
} range;

static void skip(part *x, size_t n, range *r)
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
static gfp_status run(gfp_gpu_product_plan *plan, const gfp_gpu_rows *z, const range *r)
{
    const gfp_gpu_rows a = {r->a.array, r->a.from, r->a.len}, b = {r->b.array, r->b.from, r->b.len};
    return gfp_gpu_product_rows(plan, z, &a, r->a.len, &b, r->b.len, r->first, r->end - r->first);
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
    GFP_TRY(run(plan, &(gfp_gpu_rows){to, 0, n}, &r));
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

/* ---- rows ---- */

/* One row: a plan for a class of lengths. */
static gfp_status multiply_row(gfp_gpu_ring *ring, const gfp_gpu_rows *c, range *r)
{
    gfp_gpu_product_plan *plan = NULL;
    trim(r);
    GFP_TRY(plan_for(ring, r->a.len, r->b.len, r->first, r->end, &plan));
    return run(plan, c, r);
}

gfp_status gfp_gpu_ring_mul_rows(gfp_gpu_ring *ring, const gfp_gpu_rows *c, const gfp_gpu_rows *a,
                                 size_t len_a, const gfp_gpu_rows *b, size_t len_b, size_t first,
                                 size_t n, size_t rows)
{
    const size_t all = len_a == 0 || len_b == 0 ? 0 : len_a + len_b - 1;
    const size_t known = first < all ? gfp_size_min(n, all - first) : 0;
    if (known > 0 && rows == 1) {
        range r = {{a->array, a->from, len_a}, {b->array, b->from, len_b}, first, first + known};
        GFP_TRY(multiply_row(ring, c, &r));
    } else if (known > 0) {
        gfp_gpu_product_plan *plan = NULL;
        const gfp_gpu_shape shape = {len_a, len_b, known, first, rows, 0};
        GFP_TRY(gfp_gpu_ring_plan_of(ring, &shape, &plan));
        GFP_TRY(gfp_gpu_product_rows(plan, c, a, len_a, b, len_b, first, known));
    }
    const gfp_gpu_rows rest = {c->array, c->from + known, c->stride};
    return known == n ? GFP_OK
                      : gfp_gpu_vec_sum_rows(ring->field, &rest, NULL, 0, 0, rows, n - known);
}

/* ---- factors of several products ---- */

gfp_status gfp_gpu_factor_transform(gfp_gpu_factor *factor)
{
    gfp_gpu_ring_plan *kept = factor->kept;
    gfp_status status = GFP_OK;
    if (kept->refused || gfp_gpu_product_plan_method(kept->plan) == GFP_GPU_METHOD_CLASSICAL) {
        return GFP_OK;
    }
    if (kept->operand != NULL) {
        status = gfp_gpu_operand_set_rows(kept->operand, &factor->rows, factor->len);
    } else {
        status =
            gfp_gpu_operand_create_rows(&kept->operand, kept->plan, &factor->rows, factor->len);
        kept->refused = status == GFP_ERR_MEMORY;
    }
    factor->transformed = status == GFP_OK;
    /* A plan may cut factors of this length into pieces, but not shorter ones. */
    return status == GFP_ERR_UNAVAILABLE || kept->refused ? GFP_OK : status;
}

gfp_status gfp_gpu_factor_begin(gfp_gpu_factor *factor, gfp_gpu_ring *ring,
                                const gfp_gpu_shape *shape, const gfp_gpu_rows *b)
{
    const gfp_gpu_shape like =
        shape->batch != 0
            ? *shape
            : class_shape(shape->len_a, shape->len_b, shape->first, shape->first + shape->n);
    gfp_gpu_product_plan *plan = NULL;
    GFP_TRY(gfp_gpu_ring_plan_of(ring, &like, &plan));
    *factor = (gfp_gpu_factor){.kept = ring->plans, .rows = *b, .len = shape->len_b};
    const gfp_status status = gfp_gpu_factor_transform(factor);
    if (status == GFP_OK) {
        factor->kept->users++;
    }
    return status;
}

void gfp_gpu_factor_end(gfp_gpu_factor *factor)
{
    factor->kept->users--;
}

gfp_status gfp_gpu_factor_mul(const gfp_gpu_factor *factor, const gfp_gpu_rows *c,
                              const gfp_gpu_rows *a, size_t len_a, size_t first, size_t n)
{
    gfp_gpu_product_plan *plan = factor->kept->plan;
    return factor->transformed
               ? gfp_gpu_operand_mul_rows(plan, c, a, len_a, factor->kept->operand, first, n)
               : gfp_gpu_product_rows(plan, c, a, len_a, &factor->rows, factor->len, first, n);
}
