/* products.c: products of the backend `host' by the library's own plans (gpu/planner.c), over
 * engines like those of a device: one without transforms for short factors, one that serves fields
 * of large radices, one whose lengths divide p - 1, and one for all. A transform is the elements
 * and zeros behind them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/poly.h"

#define GARBAGE 0xA5
#define SHORT_TERMS 32
#define MOST_SUM 1023
#define GAIN_TERMS 4

/* The least power of two >= n. */
static size_t power_above(size_t n)
{
    size_t length = 1;
    while (length < n) {
        length *= 2;
    }
    return length;
}

/* ---- engines with transforms ---- */

static size_t hybrid_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                            char *why, size_t size)
{
    (void)gpu;
    (void)terms;
    (void)snprintf(why, size, "not for short digits");
    return gfp_field_r(field) >> 40 != 0 ? power_above(n) : 0;
}

static size_t bigfft_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                            char *why, size_t size)
{
    const size_t length = power_above(n);
    (void)gpu;
    (void)terms;
    (void)snprintf(why, size, "no root of this order");
    return gfp_field_v2_order(field) >= 63 || length >> gfp_field_v2_order(field) <= 1 ? length : 0;
}

static size_t any_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                         char *why, size_t size)
{
    (void)gpu;
    (void)field;
    (void)terms;
    (void)why;
    (void)size;
    return power_above(n > 2 ? n : 2);
}

static size_t products_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    *words = gfp_size_mul_sat(gfp_size_mul_sat(plan->n, plan->k), plan->batch);
    return 1000;
}

/* A dealt product: leaf s < LEAVES of a polynomial is its coefficients from s N / LEAVES on. Every
 * member multiplies all, and has its own leaves in the state. */
#define LEAVES 8

static size_t state_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    const size_t room = products_bytes(plan, words);
    return plan->members == 0 ? room : *words * sizeof(uint64_t);
}

static gfp_status products_create(gfp_gpu_cyclic *plan)
{
    const size_t room = state_bytes(plan, &plan->words);
    if (plan->members != 0 && (plan->n < LEAVES || plan->members > LEAVES)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_UNAVAILABLE, "too short to be dealt");
    }
    return gfp_gpu_device_allocate(plan->gpu, &plan->state, room);
}

static void products_destroy(gfp_gpu_cyclic *plan)
{
    size_t words = 0;
    gfp_gpu_device_release(plan->gpu, plan->state, state_bytes(plan, &words));
}

static void run_transform(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_cyclic *plan = o->plan;
    const size_t row = plan->n * plan->k, known = o->len_a * plan->k;
    (void)gpu;
    for (size_t i = 0; i < plan->batch; i++) {
        memcpy(o->to + i * row, o->from + i * o->stride_b * plan->k, known * sizeof *o->to);
        memset(o->to + i * row + known, 0, (row - known) * sizeof *o->to);
    }
}

static gfp_status products_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x,
                                     size_t len, size_t stride, bool kept)
{
    (void)kept;
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_transform,
                                .plan = plan,
                                .to = t,
                                .from = x,
                                .len_a = len,
                                .stride_b = stride});
}

/* The number of elements up to the last one that is not 0, at least 1. */
static size_t length_of(const gfp_gpu_cyclic *plan, const uint64_t *x)
{
    size_t len = plan->n;
    while (len > 1 && gfp_elem_is_zero(plan->field, x + (len - 1) * plan->k)) {
        len--;
    }
    return len;
}

/* c := a b modulo X^N - 1, N elements each. */
static void multiply_row(const gfp_gpu_cyclic *plan, uint64_t *c, const uint64_t *a,
                         const uint64_t *b)
{
    const size_t k = plan->k, len_a = length_of(plan, a), len_b = length_of(plan, b);
    const size_t all = len_a + len_b - 1, low = gfp_size_min(all, plan->n);
    const gfp_batch one = {.count = 1, .len_a = len_a, .len_b = len_b};
    const gfp_options options = {.method = len_a < 8 ? "classical" : "karatsuba", .threads = 1};
    uint64_t *product = fake_make(all * k * sizeof *product);
    if (gfp_vec_canonical(plan->field, a, plan->n) != plan->n ||
        gfp_vec_canonical(plan->field, b, plan->n) != plan->n ||
        gfp_vec_mul_batch(plan->field, product, a, b, &one, &options) != GFP_OK) {
        fputs("a product of what is no transform\n", stderr);
        abort();
    }
    memset(c, 0, plan->n * k * sizeof *c);
    memcpy(c, product, low * k * sizeof *c);
    gfp_vec_add(plan->field, c, c, product + low * k, all - low);
    fake_unmake(product);
}

static void run_multiply(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_cyclic *plan = o->plan;
    const size_t k = plan->k, row = plan->n * k;
    uint64_t *c = fake_make(row * sizeof *c), *a = (uint64_t *)o->from;
    (void)gpu;
    for (size_t i = 0; i < plan->batch; i++) {
        multiply_row(plan, c, a + i * row, o->other + i * row);
        const size_t above = gfp_size_min(o->n, plan->n - o->first); /* the others wrap around */
        uint64_t *to = o->to + i * o->stride_c * k;
        memcpy(to, c + o->first * k, above * k * sizeof *c);
        memcpy(to + above * k, c, (o->n - above) * k * sizeof *c);
    }
    memset(a, GARBAGE, plan->batch * row * sizeof *a); /* a product destroys it */
    fake_unmake(c);
}

static gfp_status products_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n,
                                    size_t stride, uint64_t *ta, uint64_t *tb, bool tb_kept)
{
    (void)tb_kept;
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_multiply,
                                .plan = plan,
                                .to = c,
                                .from = ta,
                                .other = tb,
                                .first = first,
                                .n = n,
                                .stride_c = stride});
}

/* ---- shares ---- */

/* The plan's state: the digits of all leaves of the product, leaf s at its place. A transform is
 * the factor, and the first leaves' product is that of all. */
#define PARTS 2

static gfp_gpu_share_shape share_shape(const gfp_gpu_cyclic *plan)
{
    const unsigned parts = plan->n >= LEAVES * PARTS ? PARTS : 1;
    return (gfp_gpu_share_shape){LEAVES, parts, plan->n / LEAVES / parts, plan->state};
}

static uint64_t *element_of(const gfp_gpu_blocks *blocks, size_t i, size_t k)
{
    return blocks->block[i / blocks->each] + i % blocks->each * k;
}

static void run_project(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_cyclic *plan = o->plan;
    const gfp_gpu_share_shape shape = share_shape(plan);
    const size_t k = plan->k;
    (void)gpu;
    for (size_t row = 0; row < (size_t)shape.leaves * shape.parts; row++) {
        for (size_t u = o->columns.from; u < o->columns.to; u++) {
            const size_t i = row * shape.part + u;
            if (i < o->n) {
                memcpy(o->to + i * k, element_of(&o->blocks, i, k), k * sizeof *o->to);
            } else {
                memset(o->to + i * k, 0, k * sizeof *o->to);
            }
        }
    }
}

static gfp_status share_project(gfp_gpu_cyclic *plan, uint64_t *t, const gfp_gpu_blocks *x,
                                size_t len, gfp_gpu_columns columns)
{
    return fake_put(
        plan->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){
            .run = run_project, .plan = plan, .to = t, .n = len, .blocks = *x, .columns = columns});
}

static gfp_status share_done(gfp_gpu_cyclic *plan, uint64_t *t)
{
    (void)plan;
    (void)t;
    return GFP_OK;
}

static void run_multiply_share(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_cyclic *plan = o->plan;
    const size_t bytes = plan->n * plan->k * sizeof *o->to;
    const size_t leaf = plan->n / LEAVES * plan->k;
    (void)gpu;
    if (o->first == gfp_gpu_share_first(LEAVES, plan->members, plan->member)) {
        uint64_t *c = fake_make(bytes);
        multiply_row(plan, c, o->to, o->from);
        memset((uint64_t *)o->from, GARBAGE, bytes);
        memcpy(o->to, c, bytes);
        fake_unmake(c);
    }
    memcpy((uint64_t *)plan->state + o->first * leaf, o->to + o->first * leaf,
           (o->n - o->first) * leaf * sizeof *o->to);
}

static gfp_status share_multiply(gfp_gpu_cyclic *plan, uint64_t *ta, uint64_t *tb, unsigned first,
                                 unsigned end)
{
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_multiply_share,
                                .plan = plan,
                                .to = ta,
                                .from = tb,
                                .first = first,
                                .n = end});
}

static void run_restore(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_cyclic *plan = o->plan;
    (void)gpu;
    memcpy(o->to, (uint64_t *)plan->state + o->first * plan->k, o->n * plan->k * sizeof *o->to);
    memset(plan->state, GARBAGE, plan->n * plan->k * sizeof *o->to);
}

static gfp_status share_restore(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n)
{
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_restore, .plan = plan, .to = c, .first = first, .n = n});
}

static const gfp_gpu_share_calls shares = {share_shape, share_project, share_done, share_multiply,
                                           share_restore};

/* ---- the engine without transforms ---- */

static size_t short_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                           char *why, size_t size)
{
    const size_t most = gfp_size_min(SHORT_TERMS, MOST_SUM / gfp_field_k(field));
    (void)gpu;
    (void)snprintf(why, size, "more than %zu terms", most);
    return terms <= most ? n : 0;
}

static size_t short_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    (void)plan;
    *words = 0;
    return 0;
}

static gfp_status short_create(gfp_gpu_cyclic *plan)
{
    plan->words = 0;
    return GFP_OK;
}

static void short_destroy(gfp_gpu_cyclic *plan)
{
    (void)plan;
}

/* Coefficient by coefficient: a product that overlaps a factor goes wrong here, too. */
static void run_direct(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_direct *p = &o->direct;
    const gfp_field *field = o->field;
    const size_t k = gfp_field_k(field);
    uint64_t term[GFP_MAX_K];
    (void)gpu;
    for (size_t at = 0; at < p->rows * p->n; at++) {
        const size_t row = at / p->n, i = p->first + at % p->n;
        const uint64_t *a = p->a + row * p->stride_a * k, *b = p->b + row * p->stride_b * k;
        uint64_t *c = p->c + (row * p->stride_c + at % p->n) * k;
        gfp_elem_zero(field, c);
        for (size_t j = i < p->len_a ? 0 : i - (p->len_a - 1); j < p->len_b && j <= i; j++) {
            gfp_elem_mul(field, term, a + (i - j) * k, b + j * k);
            gfp_elem_add(field, c, c, term);
        }
    }
}

static gfp_status products_direct(const gfp_gpu_cyclic *plan, const gfp_gpu_direct *product)
{
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_direct, .field = plan->field, .direct = *product});
}

static bool products_gains(const gfp_gpu *gpu, const gfp_field *field, size_t terms)
{
    (void)gpu;
    return terms <= (gfp_field_k(field) <= 16 ? GAIN_TERMS : 1);
}

static const gfp_gpu_product_engine classical = {.method = GFP_GPU_METHOD_CLASSICAL,
                                                 .length = short_length,
                                                 .bytes = short_bytes,
                                                 .create = short_create,
                                                 .destroy = short_destroy,
                                                 .direct = products_direct,
                                                 .gains = products_gains};
static const gfp_gpu_product_engine hybrid = {.method = GFP_GPU_METHOD_HYBRID,
                                              .length = hybrid_length,
                                              .bytes = products_bytes,
                                              .create = products_create,
                                              .destroy = products_destroy,
                                              .transform = products_transform,
                                              .multiply = products_multiply,
                                              .share = &shares};
static const gfp_gpu_product_engine bigfft = {.method = GFP_GPU_METHOD_BIGFFT,
                                              .length = bigfft_length,
                                              .bytes = products_bytes,
                                              .create = products_create,
                                              .destroy = products_destroy,
                                              .transform = products_transform,
                                              .multiply = products_multiply};
static const gfp_gpu_product_engine multimodular = {.method = GFP_GPU_METHOD_MULTIMODULAR,
                                                    .length = any_length,
                                                    .bytes = products_bytes,
                                                    .create = products_create,
                                                    .destroy = products_destroy,
                                                    .transform = products_transform,
                                                    .multiply = products_multiply};
const struct gfp_gpu_product_engine *const fake_product_engines[] = {&classical, &hybrid, &bigfft,
                                                                     &multimodular, NULL};
