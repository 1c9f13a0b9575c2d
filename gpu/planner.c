/* planner.c: plans of products over a backend's engines: the choice of an engine and of N, and the
 * decomposition of a product into products modulo X^N - 1.
 *
 * Coefficients first <= i < last of a b, with a and b cut to the parts that influence them, come
 * from one product modulo X^N - 1 if nothing that wraps around falls on them: N >= len_a + len_b -
 * 1 - first and N >= last. For smaller N (one factor is much longer, or memory is short) a run of A
 * = N - B + 1 coefficients is computed at a time, where B is the length of the shorter factor: a
 * run depends on N coefficients of the longer factor (overlap-save), and the shorter factor is
 * transformed once. If the shorter factor is too long, too, it is cut into pieces of B
 * coefficients, and the products with the pieces are added up.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "crt/cut.h"
#include "gpu/product_engine.h"
#include "field/base/word.h"

/* A plan of more products modulo X^N - 1 than this is refused. */
#define MAX_PIECES ((size_t)1 << 16)
/* The cost of the launches of a transform, about 15 us, as the number of words transformed in that
 * time. */
#define LAUNCH_WORDS ((size_t)1 << 20)

typedef struct planned {
    gfp_gpu_product_plan base;
    gfp_gpu_cyclic cyclic; /* engine NULL: not created */
    size_t block;          /* longest piece of the shorter factor */
    bool wraps;            /* for products modulo X^N - 1 */
    uint64_t *work[2];     /* areas for transforms, cyclic.words words each */
    /* N elements if the shorter factor is cut into pieces; products that take a factor's place if
     * the engine has no transforms; else NULL */
    uint64_t *sum;
    size_t work_bytes, sum_bytes;
} planned;

/* ---- dependencies between coefficients ---- */

/* A factor: len elements for each product of the batch, `stride` elements apart. kept: its
 * transform if it exists already, else NULL. */
typedef struct factor {
    const uint64_t *x;
    size_t len, stride;
    uint64_t *kept;
} factor;

/* c := coefficients first ... first + n - 1 of a b, in rows `stride` elements apart. */
typedef struct product {
    uint64_t *c;
    factor a, b;
    size_t first, n;
    size_t stride;          /* stride of c */
    gfp_gpu_fence *b_fence; /* b may be read only after this fence; NULL: at once */
} product;

static gfp_range range_of(const gfp_field *field, const product *p)
{
    return gfp_range_make(field, p->a.x, p->b.x, p->a.len, p->b.len, p->first,
                          gfp_size_add_sat(p->first, p->n));
}

/* The number of the coefficients that are not 0 by position. */
static size_t nonzero_coefficients(const product *p)
{
    return gfp_size_min(p->n, p->a.len + p->b.len - 1 - p->first);
}

/* Cuts the factors to the parts that influence the coefficients. Returns false if no part does: all
 * coefficients are 0. A factor with a kept transform stays whole. */
static bool planner_narrow(product *p, const gfp_field *field)
{
    gfp_range r = range_of(field, p);
    const size_t from_b = p->first >= p->a.len ? p->first - (p->a.len - 1) : 0;
    if (p->first >= p->a.len + p->b.len - 1) {
        return false;
    }
    gfp_range_trim(&r);
    p->a.x = r.a;
    p->a.len = r.len_a;
    p->first = r.first;
    if (p->b.kept == NULL) {
        p->b.x = r.b;
        p->b.len = r.len_b;
    } else {
        p->first += from_b;
    }
    return true;
}

/* For a narrowed product: the least N that gives the coefficients in one product. */
static size_t least_length(const product *p)
{
    const gfp_range r = range_of(NULL, p);
    return gfp_range_ring_length(&r);
}

/* ---- layout ---- */

typedef struct layout {
    size_t n, rows, block, pieces;
    double cost;
} layout;

typedef struct search {
    planned *plan;
    const gfp_gpu_product_engine *engine;
    product whole; /* the narrowed product, without data */
    size_t cap;
    size_t wrap;        /* N is at least this, where products wrap around */
    size_t least_bytes; /* the least size of a layout that did not fit */
    char why[160];
    layout best; /* n = 0: none found */
} search;

/* Allocates and prepares an area for a transform. After a failure the caller releases *area. */
static gfp_status make_area(const gfp_gpu_cyclic *cyclic, uint64_t **area, size_t bytes)
{
    GFP_TRY(gfp_gpu_device_allocate(cyclic->gpu, (void **)area, bytes));
    return cyclic->engine->prepare_area == NULL ? GFP_OK
                                                : cyclic->engine->prepare_area(cyclic, *area);
}

/* The plan of the engine for this layout, not created yet. */
static gfp_gpu_cyclic cyclic_of(const search *s, const layout *l)
{
    return (gfp_gpu_cyclic){.gpu = s->plan->base.gpu,
                            .field = s->plan->base.field,
                            .k = s->plan->base.k,
                            .n = l->n,
                            .terms = l->block,
                            .batch = l->rows,
                            .prime_bits = s->plan->cyclic.prime_bits,
                            .engine = s->engine};
}

/* Room for the products of an engine without transforms, if they take a factor's place. */
static size_t in_place_bytes(const search *s)
{
    return gfp_size_mul_sat(gfp_size_mul_sat(s->whole.n, s->plan->base.batch),
                            s->plan->base.k * sizeof(uint64_t));
}

/* Considers products modulo X^n - 1 with `rows` products of the batch at once and the shorter
 * factor in pieces of `block` coefficients. Returns false if this layout is impossible. */
static bool planner_consider(search *s, size_t n, size_t rows, size_t block)
{
    const product *w = &s->whole;
    const size_t shorter = gfp_size_min(w->a.len, w->b.len);
    size_t words;
    layout l = {.rows = rows, .block = block};
    l.n =
        s->engine->length(s->plan->base.gpu, s->plan->base.field, n, block, s->why, sizeof s->why);
    if (l.n == 0) {
        return false;
    }
    const gfp_gpu_cyclic cyclic = cyclic_of(s, &l);
    size_t bytes = s->engine->bytes(&cyclic, &words);
    bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(words, 2 * sizeof(uint64_t)));
    if (s->engine->direct != NULL) {
        bytes = gfp_size_add_sat(bytes, in_place_bytes(s));
    } else if (block < shorter) {
        bytes = gfp_size_add_sat(bytes, gfp_size_mul_sat(l.n, s->plan->base.k * sizeof(uint64_t)));
    }
    if (bytes > s->cap) {
        s->least_bytes = gfp_size_min(bytes, s->least_bytes);
        return false;
    }
    const size_t groups = gfp_cut_count(s->plan->base.batch, rows),
                 cuts = gfp_cut_count(shorter, block);
    size_t runs = 1;
    if (!s->plan->wraps && (least_length(w) > l.n || block < shorter)) {
        runs = gfp_cut_count(w->n, l.n - block + 1);
    }
    l.pieces = gfp_size_mul_sat(groups, gfp_size_mul_sat(cuts, runs));
    if (l.pieces > MAX_PIECES) {
        return false;
    }
    const double all = (double)words + (double)LAUNCH_WORDS;
    l.cost = all * (2 * (double)runs + 1) * (double)cuts * (double)groups *
             (4 + gfp_log2_above(l.n)); /* 4: the work at both ends, as levels */
    if (s->best.n == 0 || l.cost < s->best.cost) {
        s->best = l;
    }
    return true;
}

/* Considers every layout that may be the best one. */
static void search_layouts(search *s)
{
    const size_t least = least_length(&s->whole);
    const size_t shorter = gfp_size_min(s->whole.a.len, s->whole.b.len);
    if (s->engine->direct != NULL) {
        (void)planner_consider(s, least, s->plan->base.batch, shorter);
        return;
    }
    if (s->plan->wraps) {
        for (size_t rows = s->plan->base.batch;
             !planner_consider(s, s->wrap, rows, shorter) && rows > 1;) {
            rows = gfp_cut_count(rows, 2);
        }
        return;
    }
    for (size_t rows = s->plan->base.batch;; rows = gfp_cut_count(rows, 2)) {
        const bool fits = planner_consider(s, least, rows, shorter);
        if (fits && least / 8 < shorter) {
            return; /* shorter transforms would gain nothing */
        }
        for (size_t n = 2; n < least && n != 0; n *= 2) {
            if (shorter < n) {
                (void)planner_consider(s, n, rows, shorter);
            }
            if (shorter > n / 2 && rows == 1) {
                (void)planner_consider(s, n, 1, n / 2);
            }
        }
        if (fits || rows == 1) {
            return;
        }
    }
}

/* *cap := the bytes that a plan may take: the least of the caller's cap, the rest of the context's
 * cap, and the free memory. */
static gfp_status find_cap(gfp_gpu *gpu, size_t wanted, size_t *cap)
{
    size_t available = 0;
    GFP_TRY(gpu->backend->memory->available(gpu, &available));
    *cap = gfp_size_min(available, gpu->memory_cap - gfp_size_min(gpu->memory_cap, gpu->bytes));
    if (wanted != 0) {
        *cap = gfp_size_min(*cap, wanted);
    }
    return GFP_OK;
}

/* Whether some N of the engine serves factors of these lengths with few enough products. */
static bool can_serve(const gfp_gpu *gpu, const gfp_gpu_product_engine *engine,
                      const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size)
{
    const size_t shorter = gfp_size_min(len_a, len_b), all = gfp_size_add_sat(len_a, len_b) - 1;
    size_t length = 0, block = shorter;
    if (engine->direct != NULL) {
        return engine->length(gpu, field, all, shorter, why, size) != 0;
    }
    for (size_t n = all; length == 0; n /= 2, block = gfp_size_min(shorter, n / 2 + n % 2)) {
        if (n == 0) {
            return false;
        }
        length = engine->length(gpu, field, n, block, why, size);
    }
    return length >= all || gfp_size_mul_sat(gfp_cut_count(shorter, block),
                                             gfp_cut_count(all, length - block + 1)) <= MAX_PIECES;
}

static bool planner_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                           size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)snprintf(why, size, "it is not built in");
    for (const gfp_gpu_product_engine *const *row = gpu->backend->product_engines; *row != NULL;
         row++) {
        if ((method == GFP_GPU_METHOD_AUTO || method == (*row)->method) &&
            can_serve(gpu, *row, field, len_a, len_b, why, size)) {
            return true;
        }
    }
    return false;
}

/* Releases all that make_layout has allocated, also after a failure. */
static void drop_layout(planned *plan)
{
    if (plan->cyclic.engine != NULL) {
        plan->cyclic.engine->destroy(&plan->cyclic);
        plan->cyclic.engine = NULL;
    }
    for (size_t i = 0; i < 2; i++) {
        gfp_gpu_device_release(plan->base.gpu, plan->work[i], plan->work_bytes);
        plan->work[i] = NULL;
    }
    gfp_gpu_device_release(plan->base.gpu, plan->sum, plan->sum_bytes);
    plan->sum = NULL;
}

/* After a failure the caller calls drop_layout. */
static gfp_status make_layout(search *s)
{
    planned *plan = s->plan;
    gfp_gpu *gpu = plan->base.gpu;
    const layout *best = &s->best;
    s->least_bytes = SIZE_MAX;
    s->best.n = 0;
    search_layouts(s);
    if (best->n == 0 && s->least_bytes != SIZE_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY,
                            "products by %s need at least %zu bytes of device memory, %zu are free",
                            gfp_gpu_method_name(s->engine->method), s->least_bytes, s->cap);
    }
    if (best->n == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "%s: %s",
                            gfp_gpu_method_name(s->engine->method), s->why);
    }
    plan->block = best->block;
    plan->base.method = s->engine->method;
    plan->base.length = best->n;
    plan->base.pieces = best->pieces;
    gfp_gpu_cyclic cyclic = cyclic_of(s, best);
    GFP_TRY(s->engine->create(&cyclic));
    plan->cyclic = cyclic;
    plan->work_bytes = cyclic.words * sizeof(uint64_t);
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(make_area(&plan->cyclic, &plan->work[i], plan->work_bytes));
    }
    if (best->block < gfp_size_min(s->whole.a.len, s->whole.b.len) ||
        plan->cyclic.engine->direct != NULL) {
        plan->sum_bytes = plan->cyclic.engine->direct != NULL
                              ? in_place_bytes(s)
                              : best->n * plan->base.k * sizeof(uint64_t);
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&plan->sum, plan->sum_bytes));
    }
    return GFP_OK;
}

/* ---- plans ---- */

static gfp_status check_options(gfp_gpu *gpu, const gfp_gpu_product_options *options)
{
    if ((unsigned)options->method > GFP_GPU_METHOD_CLASSICAL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "unknown product method %d",
                            (int)options->method);
    }
    const unsigned bits = options->prime_bits;
    if (bits != 0 && bits != 31 && bits != 50 && bits != 62) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "prime_bits is %u, not 0, 31, 50 or 62", bits);
    }
    if (options->wrap != 0 && (options->first != 0 || options->n != 0)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "a range of a product that wraps around");
    }
    return GFP_OK;
}

/* Computes the greatest range of the plan. Errors: SIZE if its words exceed 64 bits. */
static gfp_status planner_describe(planned *plan, const gfp_gpu_product_options *options,
                                   product *whole)
{
    gfp_gpu *gpu = plan->base.gpu;
    size_t len, words;
    if (plan->base.len_a == 0 || plan->base.len_b == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "factors of %zu and %zu coefficients: each needs at least 1",
                            plan->base.len_a, plan->base.len_b);
    }
    if (!gfp_size_add(&len, plan->base.len_a, plan->base.len_b) ||
        !gfp_size_mul(&words, len, plan->base.k * sizeof(uint64_t)) ||
        !gfp_size_mul(&words, words, plan->base.batch)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "%zu products of %zu by %zu coefficients: too large",
                            plan->base.batch, plan->base.len_a, plan->base.len_b);
    }
    memset(whole, 0, sizeof *whole);
    whole->a.len = plan->base.len_a;
    whole->b.len = plan->base.len_b;
    whole->first = options->n != 0 ? options->first : 0;
    whole->n = options->n != 0 ? options->n : len - 1;
    if (!planner_narrow(whole, plan->base.field)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "first is %zu, but the product has %zu coefficients", options->first,
                            len - 1);
    }
    whole->n = nonzero_coefficients(whole);
    return GFP_OK;
}

/* Whether AUTO tries the engine. */
static bool planner_gains(const gfp_gpu *gpu, const gfp_gpu_product_engine *engine,
                          const gfp_field *field, const product *whole)
{
    return engine->gains == NULL ||
           engine->gains(gpu, field, gfp_size_min(whole->a.len, whole->b.len));
}

static gfp_status open_plan(gfp_gpu_product_plan *base, const gfp_gpu_product_options *options)
{
    planned *plan = (planned *)base;
    gfp_gpu *gpu = base->gpu;
    search s = {.plan = plan};
    plan->cyclic.prime_bits = options->prime_bits;
    GFP_TRY(check_options(gpu, options));
    GFP_TRY(planner_describe(plan, options, &s.whole));
    plan->wraps = options->wrap != 0;
    s.wrap = base->len_a > base->len_b ? base->len_a : base->len_b;
    s.wrap = options->wrap > s.wrap ? options->wrap : s.wrap;
    GFP_TRY(find_cap(gpu, options->memory_cap, &s.cap));
    const size_t before = gpu->bytes;
    gfp_error shortage = {.status = GFP_OK};
    gfp_status status =
        GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "the backend has no such method for products");
    for (const gfp_gpu_product_engine *const *row = gpu->backend->product_engines; *row != NULL;
         row++) {
        const bool wanted = (options->method == GFP_GPU_METHOD_AUTO
                                 ? planner_gains(gpu, *row, base->field, &s.whole)
                                 : options->method == (*row)->method) &&
                            !(plan->wraps && (*row)->direct != NULL);
        const bool failed = status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_MEMORY;
        if (wanted && failed) {
            s.engine = *row;
            status = make_layout(&s);
            if (status != GFP_OK) {
                drop_layout(plan);
            }
            if (status == GFP_ERR_MEMORY) {
                shortage = gpu->error;
            }
        }
    }
    if (status == GFP_ERR_UNAVAILABLE && shortage.status == GFP_ERR_MEMORY) {
        gpu->error = shortage; /* a plan would exist with more memory */
        status = GFP_ERR_MEMORY;
    }
    GFP_TRY(status);
    base->bytes = gpu->bytes - before;
    return GFP_OK;
}

static void close_plan(gfp_gpu_product_plan *plan)
{
    drop_layout((planned *)plan);
}

/* ---- products ---- */

/* Sets n coefficients of each row, from coefficient `from` on, to 0. */
static gfp_status planner_clear(const planned *plan, const product *p, size_t from, size_t n)
{
    gfp_gpu *gpu = plan->base.gpu;
    const size_t element = plan->base.k * sizeof(uint64_t);
    return gpu->backend->memory->clear_rows(gpu, p->c + from * plan->base.k, p->stride * element,
                                            n * element, plan->cyclic.batch);
}

/* *t := the transform of x: the kept one, or a new one in the work area. */
static gfp_status planner_transformed(planned *plan, const factor *x, uint64_t *work, bool reused,
                                      uint64_t **t)
{
    *t = x->kept != NULL ? x->kept : work;
    return x->kept != NULL ? GFP_OK
                           : plan->cyclic.engine->transform(&plan->cyclic, work, x->x, x->len,
                                                            x->stride, reused);
}

static gfp_status wait_for_b(const product *p)
{
    return p->b_fence == NULL ? GFP_OK : gfp_gpu_fence_hold(p->b_fence, GFP_GPU_QUEUE_MAIN);
}

/* For N large enough, or a product that wraps around: one product modulo X^N - 1. */
static gfp_status multiply_whole(planned *plan, const product *p)
{
    gfp_gpu_cyclic *cyclic = &plan->cyclic;
    size_t n = plan->wraps ? p->n : nonzero_coefficients(p);
    const bool square =
        p->b.kept == NULL && p->a.x == p->b.x && p->a.len == p->b.len && p->a.stride == p->b.stride;
    uint64_t *ta = NULL, *tb = NULL;
    GFP_TRY(square ? wait_for_b(p) : GFP_OK);
    GFP_TRY(planner_transformed(plan, &p->a, plan->work[0], false, &ta));
    tb = ta;
    if (!square) {
        GFP_TRY(wait_for_b(p));
        GFP_TRY(planner_transformed(plan, &p->b, plan->work[1], false, &tb));
    }
    if (p->n <= cyclic->n && p->first <= cyclic->n - p->n) {
        n = p->n; /* the product itself has zeros at the other coefficients */
    }
    GFP_TRY(cyclic->engine->multiply(cyclic, p->c, p->first % cyclic->n, n, p->stride, ta, tb,
                                     p->b.kept != NULL));
    return n == p->n ? GFP_OK : planner_clear(plan, p, n, p->n - n);
}

/* c := (or, if added, +=) a piece; t is the transform of its part of b. The piece has at most N -
 * block + 1 coefficients, which depend on at most N coefficients of a. */
static gfp_status planner_piece(planned *plan, const product *p, const gfp_cut_piece *x,
                                uint64_t *t)
{
    gfp_gpu_cyclic *cyclic = &plan->cyclic;
    const size_t k = plan->base.k, n = x->range.end - x->range.first;
    const size_t from_a = (size_t)(x->range.a - p->a.x) / k;
    const size_t first = p->first + x->at - from_a - x->b * plan->block;
    const bool added = x->b > 0;
    uint64_t *c = p->c + x->at * k;
    GFP_TRY(cyclic->engine->transform(cyclic, plan->work[0], x->range.a, x->range.len_a,
                                      p->a.stride, false));
    GFP_TRY(cyclic->engine->multiply(cyclic, added ? plan->sum : c, first, n, p->stride,
                                     plan->work[0], t, true));
    if (!added) {
        return GFP_OK;
    }
    gfp_gpu_array z = {plan->base.gpu, c, n * k, true},
                  y = {plan->base.gpu, plan->sum, n * k, true};
    return gfp_gpu_vec_add(plan->base.field, &z, &z, &y, n);
}

/* For smaller N: runs of coefficients, for each part of the shorter factor. The first part sets the
 * coefficients that it reaches, the others are cleared before; further parts add. */
static gfp_status multiply_runs(planned *plan, const product *p)
{
    const size_t block = plan->block;
    product q = *p;
    GFP_TRY(wait_for_b(p));
    if (q.b.kept == NULL && q.a.len < q.b.len) {
        q.a = p->b;
        q.b = p->a;
    }
    gfp_cut cut = {range_of(plan->base.field, &q), q.a.len, block, plan->cyclic.n - block + 1};
    cut.whole.end = q.first + nonzero_coefficients(&q);
    const size_t reach = q.a.len + gfp_size_min(block, q.b.len) - 1;
    const size_t set = gfp_size_min(cut.whole.end, reach > q.first ? reach : q.first) - q.first;
    GFP_TRY(set < p->n ? planner_clear(plan, p, set, p->n - set) : GFP_OK);
    uint64_t *t = NULL;
    size_t transformed = SIZE_MAX;
    for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(&cut, &x); transformed = x.b) {
        const size_t from = x.b * block;
        const factor part = {q.b.x + from * plan->base.k, gfp_size_min(block, q.b.len - from),
                             q.b.stride, q.b.kept};
        if (x.b != transformed) {
            GFP_TRY(planner_transformed(plan, &part, plan->work[1], true, &t));
        }
        GFP_TRY(planner_piece(plan, &q, &x, t));
    }
    return GFP_OK;
}

/* The ways to compute a product. */
typedef enum way { WAY_ZERO, WAY_WHOLE, WAY_RUNS, WAY_NONE } way;

/* *q := the narrowed product. */
static way find_way(const planned *plan, const product *p, product *q)
{
    *q = *p;
    if (plan->wraps) {
        return p->n <= plan->cyclic.n && p->first <= plan->cyclic.n - p->n &&
                       gfp_size_min(p->a.len, p->b.len) <= plan->block
                   ? WAY_WHOLE
                   : WAY_NONE;
    }
    if (!planner_narrow(q, plan->base.field)) {
        return WAY_ZERO;
    }
    const size_t shorter = gfp_size_min(q->a.len, q->b.len);
    const bool direct = plan->cyclic.engine->direct != NULL;
    if ((direct || least_length(q) <= plan->cyclic.n) && shorter <= plan->block) {
        return WAY_WHOLE;
    }
    if (direct) {
        return WAY_NONE;
    }
    return (q->b.kept != NULL ? q->b.len : shorter) <= plan->block || plan->sum != NULL ? WAY_RUNS
                                                                                        : WAY_NONE;
}

/* Skips the elements before number `row` of the batch. */
static void skip_rows(factor *x, size_t row, unsigned k)
{
    x->x += row * x->stride * k;
}

/* Computes as many products of the batch at once as the engine takes; the last group may repeat
 * some. */
static gfp_status multiply_all(planned *plan, const product *p)
{
    const size_t rows = plan->cyclic.batch;
    for (size_t i = 0; i < plan->base.batch; i += rows) {
        const size_t row = gfp_size_min(i, plan->base.batch - rows);
        product q, group = *p;
        skip_rows(&group.a, row, plan->base.k);
        skip_rows(&group.b, row, plan->base.k);
        group.c += row * p->stride * plan->base.k;
        switch (find_way(plan, &group, &q)) {
        case WAY_WHOLE:
            GFP_TRY(multiply_whole(plan, &q));
            break;
        case WAY_RUNS:
            GFP_TRY(multiply_runs(plan, &q));
            break;
        default:
            GFP_TRY(planner_clear(plan, &group, 0, group.n));
        }
    }
    return GFP_OK;
}

/* The words of n elements for each product of the batch, or SIZE_MAX, which no array has, if they
 * are too many. */
static size_t words_of(const planned *plan, size_t n)
{
    size_t words;
    return gfp_size_mul(&words, n, plan->base.k) && gfp_size_mul(&words, words, plan->base.batch)
               ? words
               : SIZE_MAX;
}

static gfp_status check_length(const planned *plan, size_t len, size_t most)
{
    if (len == 0 || len > most) {
        return GFP_GPU_FAIL(plan->base.gpu, GFP_ERR_ARGUMENT,
                            "a factor has %zu coefficients, the plan takes 1 to %zu", len, most);
    }
    return GFP_OK;
}

/* apart: c must not be x, since parts of c are written before all of x is read. */
static gfp_status check_factor(const planned *plan, const gfp_gpu_product *call, gfp_gpu_row_span x,
                               bool apart)
{
    gfp_gpu *gpu = plan->base.gpu;
    const gfp_field *field = plan->base.field;
    const size_t rows = plan->base.batch;
    const gfp_gpu_row_span c = {call->c, call->stride_c, call->n};
    return apart || c.array->data != x.array->data
               ? gfp_gpu_rows_check_apart(gpu, field, rows, c, x)
               : gfp_gpu_array_check_pair(gpu, c.array,
                                          gfp_gpu_row_words(field, rows, c.stride, c.n), x.array,
                                          gfp_gpu_row_words(field, rows, x.stride, x.n));
}

/* What the plan cannot compute; `found` is the way of the product. */
static gfp_status check_call(const planned *plan, const gfp_gpu_product *call, way found)
{
    gfp_gpu *gpu = plan->base.gpu;
    const bool apart = found == WAY_RUNS || plan->cyclic.batch != plan->base.batch;
    const gfp_gpu_row_span a = {call->a, call->stride_a, call->len_a};
    const gfp_gpu_row_span b = {call->b, call->stride_b, call->len_b};
    GFP_TRY(check_factor(plan, call, a, apart));
    if (call->operand == NULL) {
        GFP_TRY(check_factor(plan, call, b, apart));
    }
    if (found == WAY_NONE) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the plan was not made for these coefficients");
    }
    return GFP_OK;
}

/* Copies rows of n elements, as they lie apart. */
static gfp_status copy_rows(const planned *plan, uint64_t *to, size_t to_stride,
                            const uint64_t *from, size_t stride, size_t n)
{
    gfp_gpu *gpu = plan->base.gpu;
    const gfp_gpu_row_sum copy = {.z = to,
                                  .z_stride = to_stride,
                                  .x = {from},
                                  .x_stride = {stride},
                                  .count = 1,
                                  .rows = plan->base.batch,
                                  .n = n};
    GFP_GPU_NEED(gpu, vec, sum_rows);
    return gpu->backend->vec->sum_rows(gpu, plan->base.field, &copy);
}

/* Products by an engine without transforms: p is narrowed. in_place: c is a factor, and gets the
 * coefficients when no one reads it any more. */
static gfp_status multiply_directly(const planned *plan, const product *p, bool in_place)
{
    const size_t known = nonzero_coefficients(p);
    const gfp_gpu_direct whole = {.c = in_place ? plan->sum : p->c,
                                  .a = p->a.x,
                                  .b = p->b.x,
                                  .len_a = p->a.len,
                                  .len_b = p->b.len,
                                  .first = p->first,
                                  .n = in_place ? known : p->n,
                                  .stride_a = p->a.stride,
                                  .stride_b = p->b.stride,
                                  .stride_c = in_place ? known : p->stride,
                                  .rows = plan->base.batch};
    if (in_place && words_of(plan, known) > plan->sum_bytes / sizeof *plan->sum) {
        return GFP_GPU_FAIL(plan->base.gpu, GFP_ERR_ARGUMENT,
                            "the plan was not made for these coefficients in place");
    }
    GFP_TRY(wait_for_b(p));
    GFP_TRY(plan->cyclic.engine->direct(&plan->cyclic, &whole));
    if (!in_place) {
        return GFP_OK;
    }
    GFP_TRY(copy_rows(plan, p->c, p->stride, plan->sum, known, known));
    return known == p->n ? GFP_OK : planner_clear(plan, p, known, p->n - known);
}

static gfp_status run_product(gfp_gpu_product_plan *base, const gfp_gpu_product *call)
{
    planned *plan = (planned *)base;
    gfp_gpu *gpu = base->gpu;
    const bool direct = plan->cyclic.engine->direct != NULL;
    product p = {
        .c = call->c->data,
        .a = {.x = call->a->data, .len = call->len_a, .stride = call->stride_a},
        .b = {.x = call->operand == NULL ? call->b->data : NULL,
              .len = call->len_b,
              .stride = call->operand == NULL ? call->stride_b : call->len_b,
              .kept = call->operand != NULL ? call->operand->data : NULL},
        .first = call->first,
        .n = call->n,
        .stride = call->stride_c,
        .b_fence = call->b_fence,
    };
    product q;
    GFP_TRY(check_length(plan, p.a.len, plan->wraps ? base->length : base->len_a));
    GFP_TRY(check_length(plan, p.b.len, plan->wraps ? base->length : base->len_b));
    if (p.n == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the range of coefficients is empty");
    }
    if (direct && call->operand != NULL) { /* its coefficients, which may be cut */
        p.b.x = p.b.kept;
        p.b.kept = NULL;
    }
    const way found = find_way(plan, &p, &q);
    GFP_TRY(check_call(plan, call, found));
    const bool in_place = p.c == p.a.x || p.c == p.b.x;
    return direct && found == WAY_WHOLE ? multiply_directly(plan, &q, in_place)
                                        : multiply_all(plan, &p);
}

/* The operand of an engine without transforms: the coefficients, row after row. */
static gfp_status keep_rows(gfp_gpu_operand *operand, const gfp_gpu_array *b, size_t stride)
{
    const gfp_gpu_product_plan *plan = operand->plan;
    gfp_gpu *gpu = plan->gpu;
    if (operand->data == NULL) { /* room for every operand of the plan */
        operand->bytes = words_of((const planned *)plan, plan->len_b) * sizeof(uint64_t);
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&operand->data, operand->bytes));
    }
    return copy_rows((const planned *)plan, operand->data, operand->len, b->data, stride,
                     operand->len);
}

static gfp_status transform_operand(gfp_gpu_operand *operand, const gfp_gpu_array *b, size_t stride)
{
    planned *plan = (planned *)operand->plan;
    const gfp_gpu_cyclic *cyclic = &plan->cyclic;
    gfp_gpu *gpu = plan->base.gpu;
    GFP_TRY(check_length(plan, operand->len, plan->wraps ? plan->base.length : plan->base.len_b));
    GFP_TRY(gfp_gpu_array_check(
        gpu, b, gfp_gpu_row_words(plan->base.field, plan->base.batch, stride, operand->len)));
    if (cyclic->engine->direct != NULL) {
        return keep_rows(operand, b, stride);
    }
    if (cyclic->batch != plan->base.batch || operand->len > cyclic->n ||
        (operand->len > plan->block && plan->base.pieces > 1)) {
        return GFP_GPU_FAIL(
            gpu, GFP_ERR_UNAVAILABLE, "the plan cuts %s of %zu coefficients into pieces",
            cyclic->batch != plan->base.batch ? "batches of factors" : "factors", operand->len);
    }
    if (operand->data == NULL) {
        operand->bytes = cyclic->words * sizeof(uint64_t);
        GFP_TRY(make_area(cyclic, &operand->data, operand->bytes));
    }
    return cyclic->engine->transform(&plan->cyclic, operand->data, b->data, operand->len, stride,
                                     true);
}

const gfp_gpu_product_calls gfp_gpu_planned_products = {
    .plan_size = sizeof(planned),
    .serves = planner_serves,
    .open = open_plan,
    .close = close_plan,
    .run = run_product,
    .transform = transform_operand,
};
