/* mul.c: products of resident polynomials, and of rows, by plans that the ring keeps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include "poly/impl.h"

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

/* The least length of a class >= n and >= least: lengths of a class share a plan. At most an eighth
 * above n; powers of two are classes. */
static size_t class_of(size_t n, size_t least)
{
    size_t step = 1, up = 0;
    n = n > least ? n : least;
    while (n / step >= 16) {
        step *= 2;
    }
    return gfp_size_add(&up, n, step - 1) ? up / step * step : n;
}

static size_t longer_of(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* The least N of the products' transforms. Shorter factors and parts of the range need no greater
 * N.
 */
static size_t least_length(const gfp_gpu_extent *x)
{
    const gfp_range r = gfp_range_make(NULL, NULL, NULL, x->len_a, x->len_b, x->first,
                                       gfp_size_add_sat(x->first, x->n));
    return gfp_range_ring_length(&r);
}

static void mul_classify(gfp_gpu_shape *s)
{
    s->len_a = class_of(s->len_a, SHORT);
    s->len_b = class_of(s->len_b, SHORT);
    /* The class of n may exceed the product of the other classes. */
    s->n = gfp_size_min(class_of(s->n, 2 * SHORT), s->len_a + s->len_b - 1);
}

static gfp_gpu_shape shape_of(const gfp_gpu_products *products)
{
    gfp_gpu_shape s = {.rows = products->rows, .wrap = products->wrap};
    for (unsigned i = 0; i < products->count; i++) {
        const gfp_gpu_extent *x = &products->extent[i];
        s.len_a = longer_of(s.len_a, x->len_a);
        s.len_b = longer_of(s.len_b, x->len_b);
        s.n = longer_of(s.n, least_length(x));
    }
    if (s.rows == 1 && s.wrap == 0 && !products->exact) {
        mul_classify(&s);
    }
    return s;
}

static bool same_shape(const gfp_gpu_shape *x, const gfp_gpu_shape *y)
{
    return x->len_a == y->len_a && x->len_b == y->len_b && x->n == y->n && x->rows == y->rows &&
           x->wrap == y->wrap;
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

/* The coefficients are those that products modulo X^n - 1 leave in place: the middle coefficients
 * of the longest products that the plan takes. */
static gfp_gpu_product_options options_of(const gfp_gpu_ring *ring, const gfp_gpu_shape *s)
{
    const size_t all = s->len_a + s->len_b - 1;
    gfp_gpu_product_options options = {.method = ring->method, .batch = s->rows, .wrap = s->wrap};
    if (s->wrap == 0 && s->n < all) {
        options.first = all - s->n;
        options.n = s->n - options.first;
    }
    return options;
}

gfp_status gfp_gpu_ring_make_plan(gfp_gpu_ring *ring, const gfp_gpu_products *products,
                                  gfp_gpu_ring_plan *kept)
{
    const gfp_gpu_shape s = kept->shape = shape_of(products);
    const gfp_gpu_product_options options = options_of(ring, &s);
    const gfp_status status = gfp_gpu_product_plan_create(&kept->plan, ring->gpu, ring->field,
                                                          s.len_a, s.len_b, &options, NULL);
    if (status != GFP_ERR_MEMORY || ring->plans == NULL) {
        return status;
    }
    gfp_gpu_ring_drop_plans(ring);
    return gfp_gpu_product_plan_create(&kept->plan, ring->gpu, ring->field, s.len_a, s.len_b,
                                       &options, NULL);
}

gfp_status gfp_gpu_ring_plan_of(gfp_gpu_ring *ring, const gfp_gpu_products *products,
                                gfp_gpu_ring_plan **kept)
{
    const gfp_gpu_shape shape = shape_of(products);
    gfp_gpu_ring_plan *found = find_plan(ring, &shape);
    if (found == NULL) {
        found = gfp_allocate(&ring->allocator, 1, sizeof *found);
        if (found == NULL) {
            return GFP_ERR_MEMORY;
        }
        *found = (gfp_gpu_ring_plan){.plan = NULL};
        const gfp_status status = gfp_gpu_ring_make_plan(ring, products, found);
        if (status != GFP_OK) {
            gfp_release(&ring->allocator, found, 1, sizeof *found);
            return status;
        }
        found->next = ring->plans;
        ring->plans = found;
        keep_to_limit(ring);
    }
    *kept = found;
    return GFP_OK;
}

/* ---- products ---- */

gfp_status gfp_gpu_ring_product(gfp_gpu_ring *ring, const gfp_gpu_products *products, unsigned i,
                                const gfp_gpu_rows *c, const gfp_gpu_rows *a, const gfp_gpu_rows *b)
{
    const gfp_gpu_extent *x = &products->extent[i];
    gfp_gpu_ring_plan *kept = NULL;
    GFP_TRY(gfp_gpu_ring_plan_of(ring, products, &kept));
    return gfp_gpu_product_rows(kept->plan, c, a, x->len_a, b, x->len_b, x->first, x->n);
}

/* Rows of len coefficients. */
typedef struct part {
    gfp_gpu_rows rows;
    size_t len;
} part;

/* Coefficients first <= i < end of a b. */
typedef struct range {
    part a, b;
    size_t first, end;
} range;

static void mul_skip(part *x, size_t n, range *r)
{
    x->rows.from += n;
    x->len -= n;
    r->first -= n;
    r->end -= n;
}

/* Removes coefficients of a and b that no coefficient of the range depends on. */
static void mul_trim(range *r)
{
    r->a.len = gfp_size_min(r->a.len, r->end);
    r->b.len = gfp_size_min(r->b.len, r->end);
    if (r->first >= r->b.len) {
        mul_skip(&r->a, gfp_size_min(r->first - (r->b.len - 1), r->a.len - 1), r);
    }
    if (r->first >= r->a.len) {
        mul_skip(&r->b, gfp_size_min(r->first - (r->a.len - 1), r->b.len - 1), r);
    }
}

/* The list of this product alone, trimmed. */
static gfp_gpu_products list_of(range *r, size_t rows)
{
    mul_trim(r);
    return (gfp_gpu_products){
        .rows = rows, .count = 1, .extent = {{r->a.len, r->b.len, r->first, r->end - r->first}}};
}

/* z := coefficients from first on of a b, at most n of them. */
static gfp_status compute_product(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0], *b = w->input[1], *c = w->output[0];
    const size_t first = w->first;
    size_t all = 0;
    if (!gfp_size_add(&all, a->len, b->len)) {
        return GFP_ERR_SIZE;
    }
    if (a->len == 0 || b->len == 0 || first >= all - 1 || w->n == 0) {
        return GFP_OK;
    }
    z->len = gfp_size_min(w->n, all - 1 - first);
    z->exact = a->exact && b->exact && first + z->len == all - 1;
    range r = {
        {{a->array, 0, a->len}, a->len}, {{b->array, 0, b->len}, b->len}, first, first + z->len};
    const gfp_gpu_products products = list_of(&r, 1);
    GFP_TRY(gfp_gpu_poly_place(w->output[0], z->len, op->apart || c == a || c == b, &z->array));
    const gfp_gpu_rows to = {z->array, 0, z->len};
    return gfp_gpu_ring_product(op->ring, &products, 0, &to, &r.a.rows, &r.b.rows);
}

static gfp_status check_result(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0], *b = w->input[1];
    if (z->array == NULL) {
        return GFP_OK;
    }
    if (z->len == a->len + b->len - 1) {
        return gfp_gpu_check_product(op, z, a, b, NULL, false);
    }
    const gfp_gpu_rows terms = {z->array, 0, z->len};
    const gfp_gpu_pairs pairs = {{a->array, 0, a->len}, {b->array, 0, b->len}, a->len, b->len, 1};
    return gfp_gpu_check_rows(op, &terms, z->len, &pairs, w->first, z->len);
}

/* c := coefficients from first on of a b, at most n of them. */
static gfp_status multiply_device(const char *name, gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                  const gfp_gpu_poly *b, size_t first, size_t n,
                                  const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = name,
                                            .output = {c},
                                            .outputs = 1,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .first = first,
                                            .n = n,
                                            .compute = compute_product,
                                            .check = check_result},
                            options);
}

gfp_status gfp_gpu_poly_mul(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                            const gfp_options *options)
{
    return multiply_device("product", c, a, b, 0, SIZE_MAX, options);
}

gfp_status gfp_gpu_poly_mullow(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                               size_t n, const gfp_options *options)
{
    return multiply_device("low product", c, a, b, 0, n, options);
}

gfp_status gfp_gpu_poly_mulhigh(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                size_t n, const gfp_options *options)
{
    return multiply_device("high product", c, a, b, n, SIZE_MAX, options);
}

gfp_status gfp_gpu_poly_mulmid(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                               size_t from, size_t n, const gfp_options *options)
{
    return multiply_device("middle product", c, a, b, from, n, options);
}

/* ---- rows ---- */

gfp_status gfp_gpu_ring_mul_rows(gfp_gpu_ring *ring, const gfp_gpu_rows *c,
                                 const gfp_gpu_pairs *pairs, size_t first, size_t n)
{
    const size_t len_a = pairs->len_a, len_b = pairs->len_b, rows = pairs->rows;
    const size_t all = len_a == 0 || len_b == 0 ? 0 : len_a + len_b - 1;
    const size_t known = first < all ? gfp_size_min(n, all - first) : 0;
    if (known > 0) {
        range r = {{pairs->a, len_a}, {pairs->b, len_b}, first, first + known};
        const gfp_gpu_products products = list_of(&r, rows);
        GFP_TRY(gfp_gpu_ring_product(ring, &products, 0, c, &r.a.rows, &r.b.rows));
    }
    const gfp_gpu_rows rest = {c->array, c->from + known, c->stride};
    return known == n ? GFP_OK
                      : gfp_gpu_vec_sum_rows(ring->field, &rest, NULL, 0, 0, rows, n - known);
}

/* ---- factors of several products ---- */

void gfp_gpu_ring_ask_again(gfp_gpu_ring *ring)
{
    for (gfp_gpu_ring_plan *p = ring->plans; p != NULL; p = p->next) {
        p->refused = false;
    }
}

gfp_status gfp_gpu_factor_transform(gfp_gpu_factor *factor)
{
    gfp_gpu_ring_plan *kept = factor->kept;
    const size_t len = factor->products.extent[0].len_b;
    gfp_status status = GFP_OK;
    if (kept->refused || gfp_gpu_product_plan_method(kept->plan) == GFP_GPU_METHOD_CLASSICAL) {
        return GFP_OK;
    }
    if (kept->operand != NULL) {
        status = gfp_gpu_operand_set_rows(kept->operand, &factor->rows, len);
    } else {
        status = gfp_gpu_operand_create_rows(&kept->operand, kept->plan, &factor->rows, len);
        kept->refused = status == GFP_ERR_MEMORY;
    }
    factor->transformed = status == GFP_OK;
    /* A plan may cut factors of this length into pieces, but not shorter ones. */
    return status == GFP_ERR_UNAVAILABLE || kept->refused ? GFP_OK : status;
}

gfp_status gfp_gpu_factor_begin(gfp_gpu_factor *factor, gfp_gpu_ring *ring,
                                const gfp_gpu_products *products, const gfp_gpu_rows *b)
{
    *factor = (gfp_gpu_factor){.rows = *b, .products = *products};
    GFP_TRY(gfp_gpu_ring_plan_of(ring, products, &factor->kept));
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

gfp_status gfp_gpu_factor_mul(const gfp_gpu_factor *factor, unsigned i, const gfp_gpu_rows *c,
                              const gfp_gpu_rows *a)
{
    const gfp_gpu_extent *x = &factor->products.extent[i];
    gfp_gpu_product_plan *plan = factor->kept->plan;
    return factor->transformed ? gfp_gpu_operand_mul_rows(plan, c, a, x->len_a,
                                                          factor->kept->operand, x->first, x->n)
                               : gfp_gpu_product_rows(plan, c, a, x->len_a, &factor->rows, x->len_b,
                                                      x->first, x->n);
}
