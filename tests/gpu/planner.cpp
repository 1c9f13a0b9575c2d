/* planner.cpp: the plans of products on devices (gpu/planner.c), over a backend whose engines
 * multiply by the definition and check their arguments: every kind of lengths, ranges, batches,
 * caps, operands and squares against products by the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include <algorithm>
#include <set>
#include <vector>

extern "C" {
#include "lab/fixtures.h"
}
#include "gpu/product_engine.h"

namespace
{

/* Options for the error of a call. */
struct with_error {
    gfp_options options{};
    explicit with_error(gfp_error *error)
    {
        options.error = error;
    }
    operator const gfp_options *() const
    {
        return &options;
    }
};

typedef std::vector<uint64_t> digits;

/* ---- the backend: memory that is the host's ---- */

const size_t NEVER = SIZE_MAX;
size_t free_memory = SIZE_MAX;
size_t calls, fail_at = NEVER;   /* of what may fail */
std::set<const void *> prepared; /* areas for transforms */

bool planner_fails()
{
    return calls++ == fail_at;
}

bool b_there; /* behind the fence */

gfp_status planner_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    if (planner_fails()) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "no memory");
    }
    *block = aligned_alloc(256, (bytes + 511) & ~(size_t)255);
    assert_non_null(*block);
    memset(*block, 0xa5, bytes);
    return GFP_OK;
}
void planner_release(gfp_gpu *, void *block, size_t)
{
    prepared.erase(block);
    free(block);
}
gfp_status planner_available(gfp_gpu *gpu, size_t *bytes)
{
    *bytes = free_memory;
    return planner_fails() ? GFP_GPU_FAIL(gpu, GFP_ERR_DEVICE, "available") : GFP_OK;
}
gfp_status clear_rows(gfp_gpu *, void *to, size_t pitch, size_t bytes, size_t rows)
{
    assert_true(rows == 1 || bytes <= pitch);
    for (size_t i = 0; i < rows; i++) {
        memset((char *)to + i * pitch, 0, bytes);
    }
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}
gfp_status fence_hold(gfp_gpu_fence *, gfp_gpu_queue queue)
{
    assert_true(queue == GFP_GPU_QUEUE_MAIN);
    b_there = true;
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}
gfp_status planner_combine(gfp_gpu *, gfp_gpu_vec_operation operation, const gfp_field *field,
                           uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{
    assert_int_equal(operation, GFP_GPU_VEC_ADD);
    gfp_vec_add(field, z, x, y, n);
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}

/* ---- engines ---- */

const uint64_t *outside[2]; /* the range that transforms may read: from, to */
const uint64_t *fenced[2];  /* a range that they may read only if b_there */

/* c_i := the sum of a_j b_(i - j), j < len_a, i - j < len_b, modulo X^N - 1. */
digits by_definition(const gfp_field *field, const uint64_t *a, size_t len_a, const uint64_t *b,
                     size_t len_b, size_t n)
{
    const size_t k = gfp_field_k(field);
    digits c(n * k), t(k);
    for (size_t i = 0; i < len_a; i++) {
        for (size_t j = 0; j < len_b; j++) {
            uint64_t *to = c.data() + (i + j) % n * k;
            gfp_elem_mul(field, t.data(), a + i * k, b + j * k);
            gfp_elem_add(field, to, to, t.data());
        }
    }
    return c;
}

/* "Transforms": the elements, their number, whether they are kept, and that they are there. */
enum { HEAD = 4, THERE = 77 };

size_t row_words(const gfp_gpu_cyclic *plan)
{
    return plan->n * plan->k + HEAD;
}

size_t engine_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    *words = plan->batch * row_words(plan);
    return 1000 + 8 * plan->n;
}

gfp_status engine_create(gfp_gpu_cyclic *plan)
{
    size_t words;
    const size_t bytes = engine_bytes(plan, &words);
    GFP_TRY(gfp_gpu_device_allocate(plan->gpu, &plan->state, bytes));
    plan->words = words;
    return GFP_OK;
}

void engine_destroy(gfp_gpu_cyclic *plan)
{
    size_t words;
    gfp_gpu_device_release(plan->gpu, plan->state, engine_bytes(plan, &words));
}

gfp_status engine_prepare_area(const gfp_gpu_cyclic *, uint64_t *t)
{
    assert_true(prepared.insert(t).second);
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}

gfp_status engine_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                            size_t stride, bool kept)
{
    const size_t k = plan->k;
    assert_int_equal((uintptr_t)t % 256, 0);
    assert_true(plan->engine->prepare_area == nullptr || prepared.count(t) == 1);
    assert_true(len >= 1 && len <= plan->n && (plan->batch == 1 || len <= stride));
    assert_true(x >= outside[0] && x + ((plan->batch - 1) * stride + len) * k <= outside[1]);
    assert_true(b_there || x < fenced[0] || x >= fenced[1]);
    for (size_t i = 0; i < plan->batch; i++) {
        uint64_t *row = t + i * row_words(plan);
        memset(row, 0, 8 * row_words(plan));
        row[0] = len;
        row[1] = kept;
        row[2] = THERE;
        memcpy(row + HEAD, x + i * stride * k, 8 * len * k);
    }
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}

gfp_status engine_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n, size_t stride,
                           uint64_t *ta, uint64_t *tb, bool tb_kept)
{
    const size_t k = plan->k;
    assert_true(n >= 1 && n <= plan->n && first < plan->n && (plan->batch == 1 || n <= stride));
    for (size_t i = 0; i < plan->batch; i++) {
        uint64_t *a = ta + i * row_words(plan), *b = tb + i * row_words(plan);
        assert_true(a[2] == THERE && b[2] == THERE);
        assert_true(a[1] == 0 && b[1] == tb_kept);
        assert_true(std::min(a[0], b[0]) <= plan->terms);
        const digits product = by_definition(plan->field, a + HEAD, a[0], b + HEAD, b[0], plan->n);
        memset(a, 0xe1, 8 * row_words(plan));
        if (!tb_kept) {
            memset(b, 0xe1, 8 * row_words(plan));
        }
        for (size_t j = 0; j < n; j++) {
            memcpy(c + (i * stride + j) * k, product.data() + (first + j) % plan->n * k, 8 * k);
        }
    }
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}

/* Three times a power of two, and not for every field. */
size_t hybrid_length(const gfp_gpu *, const gfp_field *field, size_t n, size_t, char *why,
                     size_t size)
{
    size_t length = 3;
    while (length < n) {
        length *= 2;
    }
    (void)snprintf(why, size, "not for k = 4");
    return gfp_field_k(field) == 4 ? 0 : length;
}
bool only_hybrid; /* serves */

/* Powers of two up to 64. */
size_t bigfft_length(const gfp_gpu *, const gfp_field *, size_t n, size_t, char *why, size_t size)
{
    size_t length = 1;
    while (length < n) {
        length *= 2;
    }
    (void)snprintf(why, size, "at most 64");
    return length <= 64 && !only_hybrid ? length : 0;
}
size_t multimodular_length(const gfp_gpu *, const gfp_field *, size_t n, size_t terms, char *why,
                           size_t size)
{
    assert_true(terms >= 1 && terms <= n);
    (void)snprintf(why, size, "left out");
    return only_hybrid ? 0 : n;
}

const gfp_gpu_product_engine hybrid = {GFP_GPU_METHOD_HYBRID,
                                       hybrid_length,
                                       engine_bytes,
                                       engine_create,
                                       engine_destroy,
                                       engine_prepare_area,
                                       engine_transform,
                                       engine_multiply,
                                       nullptr,
                                       nullptr,
                                       nullptr},
                             bigfft = {GFP_GPU_METHOD_BIGFFT,
                                       bigfft_length,
                                       engine_bytes,
                                       engine_create,
                                       engine_destroy,
                                       nullptr,
                                       engine_transform,
                                       engine_multiply,
                                       nullptr,
                                       nullptr,
                                       nullptr},
                             multimodular = {GFP_GPU_METHOD_MULTIMODULAR,
                                             multimodular_length,
                                             engine_bytes,
                                             engine_create,
                                             engine_destroy,
                                             engine_prepare_area,
                                             engine_transform,
                                             engine_multiply,
                                             nullptr,
                                             nullptr,
                                             nullptr};

/* An engine without transforms, for shorter factors of at most 5 terms; AUTO takes it for 1. */
size_t direct_length(const gfp_gpu *, const gfp_field *, size_t n, size_t terms, char *why,
                     size_t size)
{
    (void)snprintf(why, size, "at most 5 terms");
    return terms <= 5 && !only_hybrid ? n : 0;
}
size_t direct_bytes(const gfp_gpu_cyclic *, size_t *words)
{
    *words = 0;
    return 0;
}
gfp_status direct_create(gfp_gpu_cyclic *plan)
{
    plan->words = 0;
    return GFP_OK;
}
void direct_destroy(gfp_gpu_cyclic *)
{
}
gfp_status planner_direct(const gfp_gpu_cyclic *plan, const gfp_gpu_direct *p)
{
    const size_t k = plan->k, all = p->len_a + p->len_b - 1;
    assert_true(std::min(p->len_a, p->len_b) <= 5 && p->n >= 1 && b_there);
    for (size_t i = 0; i < p->rows; i++) {
        const digits product = by_definition(plan->field, p->a + i * p->stride_a * k, p->len_a,
                                             p->b + i * p->stride_b * k, p->len_b, all);
        uint64_t *c = p->c + i * p->stride_c * k;
        memset(c, 0, 8 * p->n * k);
        for (size_t j = 0; j < p->n && p->first + j < all; j++) {
            memcpy(c + j * k, product.data() + (p->first + j) * k, 8 * k);
        }
    }
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}
bool direct_gains(const gfp_gpu *, const gfp_field *, size_t terms)
{
    return terms == 1;
}
const gfp_gpu_product_engine classical = {
    GFP_GPU_METHOD_CLASSICAL, direct_length, direct_bytes, direct_create,
    direct_destroy,           nullptr,       nullptr,      nullptr,
    planner_direct,           direct_gains,  nullptr};
const gfp_gpu_product_engine *const engines[] = {&classical, &hybrid, &bigfft, &multimodular,
                                                 nullptr};

/* Copies, for operands of the engine without transforms. */
gfp_status sum_rows(gfp_gpu *, const gfp_field *field, const gfp_gpu_row_sum *s)
{
    const size_t k = gfp_field_k(field);
    assert_true(s->count == 1 && s->negated == 0);
    for (size_t i = 0; i < s->rows; i++) {
        memcpy(s->z + i * s->z_stride * k, s->x[0] + i * s->x_stride[0] * k, 8 * s->n * k);
    }
    return planner_fails() ? GFP_ERR_DEVICE : GFP_OK;
}

const gfp_gpu_device_calls device_calls = {};
const gfp_gpu_memory_calls memory_calls = {
    planner_allocate, planner_release, planner_available, nullptr, nullptr,   nullptr,
    nullptr,          nullptr,         nullptr,           nullptr, clear_rows};
const gfp_gpu_queue_calls queue_calls = {nullptr, nullptr, 0,          nullptr,
                                         nullptr, nullptr, fence_hold, nullptr};
const gfp_gpu_vec_calls vec_calls = {planner_combine, nullptr,  nullptr, nullptr, nullptr,
                                     nullptr,         sum_rows, nullptr, nullptr, nullptr};
const gfp_gpu_backend backend = {
    "definition", &device_calls, &memory_calls, &queue_calls,
    nullptr,      &vec_calls,    nullptr,       &gfp_gpu_planned_products,
    engines,      nullptr,       nullptr,       nullptr,
};

/* ---- products ---- */

const gfp_allocator allocator = {
    [](void *, size_t bytes) -> void * { return planner_fails() ? nullptr : malloc(bytes); },
    [](void *, void *block, size_t) { free(block); }, nullptr};

gfp_gpu make_gpu()
{
    gfp_gpu gpu = {};
    gpu.backend = &backend;
    gpu.allocator = allocator;
    gpu.memory_cap = SIZE_MAX;
    return gpu;
}

size_t planner_below(gfp_random *g, size_t n)
{
    return gfp_random_below(g, n);
}

/* A length from 1 to n, its ends more often than what lies between. */
size_t some_length(gfp_random *g, size_t n)
{
    const size_t x = planner_below(g, 4);
    return x == 0   ? n
           : x == 1 ? 1 + planner_below(g, std::min<size_t>(n, 3))
                    : 1 + planner_below(g, n);
}

/* The expected rows of c. */
digits expected_rows(const gfp_field *field, const digits &a, size_t len_a, const digits &b,
                     size_t len_b, size_t batch, size_t first, size_t n)
{
    const size_t k = gfp_field_k(field), all = len_a + len_b - 1;
    digits c(batch * n * k);
    for (size_t i = 0; i < batch; i++) {
        const digits product = by_definition(field, a.data() + i * len_a * k, len_a,
                                             b.data() + i * len_b * k, len_b, all);
        for (size_t j = 0; j < n && first + j < all; j++) {
            memcpy(c.data() + (i * n + j) * k, product.data() + (first + j) * k, 8 * k);
        }
    }
    return c;
}

struct seen {
    size_t whole, pieces, cut, batches, refused, operands, in_place, squares, zeros;
};

struct trial {
    gfp_gpu *gpu;
    const lab *l;
    gfp_random *g;
    gfp_gpu_product_plan *plan;
    size_t len_a, len_b, batch;
    bool parts; /* the plan is for some coefficients only */
    seen *met;
};

gfp_gpu_array array_of(gfp_gpu *gpu, digits &x)
{
    return {gpu, x.data(), x.size(), false};
}

/* The arguments of a call: to := part of a b. */
struct arguments {
    gfp_gpu_array *to, *a, *b;
    gfp_gpu_extent part;
};

/* *status := that of the call by an operand. False: the plan has no operand of this length, or
 * there is no memory. */
bool call_operand(const trial &t, const arguments &x, digits &c, gfp_status *status)
{
    gfp_gpu_operand *operand = nullptr;
    *status = gfp_gpu_operand_create(&operand, t.plan, x.b, x.part.len_b, NULL);
    if (*status == GFP_ERR_UNAVAILABLE) {
        assert_true(t.parts || gfp_gpu_product_plan_pieces(t.plan) > 1);
        assert_null(operand);
        return false;
    }
    if (*status == GFP_ERR_MEMORY && t.gpu->memory_cap != SIZE_MAX) {
        return false;
    }
    assert_int_equal(*status, GFP_OK);
    assert_true(gfp_gpu_operand_bytes(operand) >= 8 * t.l->k);
    t.met->operands++;
    auto multiply = [&]() {
        return gfp_gpu_operand_mul(x.to, x.a, x.part.len_a, operand, x.part.first, x.part.n, t.plan,
                                   NULL);
    };
    *status = multiply();
    if (*status == GFP_OK && x.to->data == c.data()) { /* and again */
        memset(c.data(), 0x55, 8 * (c.size() - 2));
        *status = multiply();
    }
    gfp_gpu_operand_destroy(operand);
    return true;
}

/* The call by one of the functions that serve it. */
gfp_status call_product(const trial &t, const arguments &x, bool whole)
{
    const gfp_gpu_extent &part = x.part;
    if (whole && planner_below(t.g, 2) == 0) {
        return gfp_gpu_product_mul(x.to, x.a, part.len_a, x.b, part.len_b, t.plan, NULL);
    }
    if (planner_below(t.g, 2) == 0) {
        gfp_gpu_fence fence = {t.gpu};
        b_there = false;
        const gfp_status status =
            gfp_gpu_product_range_after(t.plan, x.to, x.a, x.b, &part, &fence);
        b_there = true;
        return status;
    }
    return gfp_gpu_product_range(t.plan, x.to, x.a, part.len_a, x.b, part.len_b, part.first,
                                 part.n);
}

/* One call with random properties. */
void check_call(const trial &t)
{
    const size_t k = t.l->k;
    const bool square = planner_below(t.g, 4) == 0;
    const size_t len_a = some_length(t.g, square ? std::min(t.len_a, t.len_b) : t.len_a);
    const size_t len_b = square ? len_a : some_length(t.g, t.len_b);
    const size_t all = len_a + len_b - 1, shape = planner_below(t.g, 4);
    const size_t first = shape == 0 ? 0 : planner_below(t.g, all + 2);
    const size_t n = shape == 0 ? all : 1 + planner_below(t.g, shape == 1 ? all : 2 * all);
    /* Inputs side by side, to be read only where they are; c longer than it needs to be. */
    const size_t room = t.batch * std::max({len_a, len_b, n}) * k;
    digits inputs(2 * room), c(room + 2, 0x5555);
    gfp_vec_random(t.l->field, inputs.data(), inputs.size() / k, t.g);
    const digits a(inputs.begin(), inputs.begin() + (ptrdiff_t)(t.batch * len_a * k));
    const digits b = square ? a
                            : digits(inputs.begin() + (ptrdiff_t)room,
                                     inputs.begin() + (ptrdiff_t)(room + t.batch * len_b * k));
    const digits expected = expected_rows(t.l->field, a, len_a, b, len_b, t.batch, first, n);
    gfp_gpu_array da = {t.gpu, inputs.data(), room, true};
    gfp_gpu_array db = {t.gpu, inputs.data() + (square ? 0 : room), room, true};
    gfp_gpu_array dc = array_of(t.gpu, c);
    const size_t place = planner_below(t.g, 5);
    gfp_gpu_array *to = place == 0 ? &da : place == 1 ? &db : &dc;
    outside[0] = inputs.data();
    outside[1] = inputs.data() + inputs.size();
    fenced[0] = db.data;
    fenced[1] = db.data + room;
    b_there = true;
    const arguments x = {to, &da, &db, {len_a, len_b, first, n}};
    const bool by_operand = !square && planner_below(t.g, 3) == 0;
    gfp_status status;
    if (!by_operand) {
        status = call_product(t, x, shape == 0);
    } else if (!call_operand(t, x, c, &status)) {
        return;
    }
    if (status != GFP_OK) {
        assert_int_equal(status, GFP_ERR_ARGUMENT);
        assert_true(t.parts || (to != &dc && gfp_gpu_product_plan_pieces(t.plan) > 1));
        t.met->refused++;
        return;
    }
    t.met->in_place += to != &dc;
    t.met->squares += square;
    t.met->zeros += first >= all;
    assert_memory_equal(to->data, expected.data(), 8 * expected.size());
    for (size_t i = expected.size(); i < c.size() && to == &dc; i++) {
        assert_true(c[i] == 0x5555 || (by_operand && i < room));
    }
}

void check_plan(const lab *l, gfp_random *g, seen *met)
{
    gfp_gpu gpu = make_gpu();
    gfp_error error = {};
    trial t = {&gpu, l, g, nullptr, 0, 0, 0, false, met};
    gfp_gpu_product_options options = {};
    options.method = (gfp_gpu_method)planner_below(g, 4);
    t.batch = options.batch = planner_below(g, 2) == 0 ? 1 : 1 + planner_below(g, 9);
    t.len_a = some_length(g, 60);
    t.len_b = some_length(g, planner_below(g, 3) == 0 ? 4 : 60);
    if (planner_below(g, 2) == 0) {
        std::swap(t.len_a, t.len_b);
    }
    if (planner_below(g, 3) == 0) {
        t.parts = true;
        options.first = planner_below(g, t.len_a + t.len_b - 1);
        options.n = 1 + planner_below(g, 70);
    }
    const size_t most = 3000 + t.batch * 8 * l->k * planner_below(g, 400);
    options.memory_cap = planner_below(g, 3) == 0 ? most : 0;
    gpu.memory_cap = planner_below(g, 3) == 0 ? most : SIZE_MAX;
    free_memory = planner_below(g, 3) == 0 ? most : SIZE_MAX;
    const bool capped = std::min({gpu.memory_cap, free_memory,
                                  options.memory_cap != 0 ? options.memory_cap : SIZE_MAX}) <= most;
    const gfp_status status = gfp_gpu_product_plan_create(&t.plan, &gpu, l->field, t.len_a, t.len_b,
                                                          &options, with_error(&error));
    if (status != GFP_OK) {
        assert_true((status == GFP_ERR_MEMORY && capped) ||
                    (status == GFP_ERR_UNAVAILABLE && options.method == GFP_GPU_METHOD_HYBRID &&
                     l->k == 4));
        assert_null(t.plan);
        assert_int_equal(gpu.bytes, 0);
        return;
    }
    assert_int_equal(gfp_gpu_product_plan_bytes(t.plan), gpu.bytes);
    assert_true(!capped || gpu.bytes <= most);
    const gfp_gpu_method method = gfp_gpu_product_plan_method(t.plan);
    assert_true(options.method == GFP_GPU_METHOD_AUTO ? method != GFP_GPU_METHOD_AUTO
                                                      : method == options.method);
    const size_t pieces = gfp_gpu_product_plan_pieces(t.plan);
    met->whole += pieces == 1;
    met->pieces += pieces > 1;
    met->cut += gfp_gpu_product_plan_length(t.plan) < std::min(t.len_a, t.len_b);
    met->batches += pieces > 1 && gfp_gpu_product_plan_length(t.plan) >= t.len_a + t.len_b - 1;
    for (int i = 0; i < 6; i++) {
        check_call(t);
    }
    gfp_gpu_product_plan_destroy(t.plan);
    assert_int_equal(gpu.bytes, 0);
}

void products_agree_with_the_definition(void **)
{
    seen met = {};
    gfp_random g;
    gfp_random_seed(&g, 1);
    for (int round = 0; round < 800; round++) {
        check_plan(lab_named(round % 4 == 0 ? "p4" : "256^2+1"), &g, &met);
    }
    free_memory = SIZE_MAX;
    /* Every kind of call occurred. */
    assert_true(met.whole > 50 && met.pieces > 50 && met.cut > 10 && met.batches > 10);
    assert_true(met.refused > 20 && met.operands > 50 && met.in_place > 50);
    assert_true(met.squares > 50 && met.zeros > 10);
}

/* Rows that lie apart, of factors that alternate in one array; products behind them, between them,
 * or by operands. wrap: modulo X^N - 1. Returns whether the plan serves them. */
bool check_rows(const lab *l, gfp_random *g, gfp_gpu_method method, size_t wrap)
{
    gfp_gpu gpu = make_gpu();
    const gfp_field *field = l->field;
    const size_t k = l->k, batch = 1 + planner_below(g, 6), len_a = some_length(g, 30);
    const size_t len_b = some_length(g, 30), all = len_a + len_b - 1;
    gfp_gpu_product_options options = {};
    options.method = method;
    options.batch = batch;
    options.wrap = wrap == 0 ? 0 : 1 + planner_below(g, 70);
    gfp_gpu_product_plan *plan = nullptr;
    gfp_error error = {};
    const gfp_status made =
        gfp_gpu_product_plan_create(&plan, &gpu, field, len_a, len_b, &options, with_error(&error));
    if (made != GFP_OK) {
        assert_int_equal(made, GFP_ERR_UNAVAILABLE);
        return false;
    }
    const size_t length = gfp_gpu_product_plan_length(plan), period = wrap == 0 ? all : length;
    assert_true(wrap == 0 || length >= std::max({options.wrap, len_a, len_b}));
    const size_t first = planner_below(g, period), n = 1 + planner_below(g, period - first);
    /* a, b and c alternate, with gaps. */
    const size_t from_b = len_a + planner_below(g, 3),
                 from_c = from_b + len_b + planner_below(g, 3);
    const size_t stride = from_c + n + planner_below(g, 3);
    digits x(batch * stride * k), expected;
    gfp_vec_random(field, x.data(), batch * stride, g);
    expected = x;
    for (size_t i = 0; i < batch; i++) {
        const uint64_t *row = x.data() + i * stride * k;
        const digits c = by_definition(field, row, len_a, row + from_b * k, len_b, period);
        memcpy(expected.data() + (i * stride + from_c) * k, c.data() + first * k, 8 * n * k);
    }
    gfp_gpu_array array = array_of(&gpu, x);
    outside[0] = x.data();
    outside[1] = x.data() + x.size();
    fenced[0] = fenced[1] = nullptr;
    b_there = true;
    const gfp_gpu_rows a = {&array, 0, stride}, b = {&array, from_b, stride},
                       c = {&array, from_c, stride};
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, len_a, &b, len_b, first, n), GFP_OK);
    assert_memory_equal(x.data(), expected.data(), 8 * x.size());
    gfp_gpu_operand *operand = nullptr;
    if (gfp_gpu_operand_create_rows(&operand, plan, &a, std::min(len_a, len_b)) == GFP_OK) {
        gfp_vec_random(field, x.data() + from_c * k, n, g);
        assert_int_equal(gfp_gpu_operand_set_rows(operand, &b, len_b), GFP_OK);
        assert_int_equal(gfp_gpu_operand_mul_rows(plan, &c, &a, len_a, operand, first, n), GFP_OK);
        assert_memory_equal(x.data(), expected.data(), 8 * x.size());
        assert_int_equal(gfp_gpu_operand_set_rows(operand, &b, 1000), GFP_ERR_ARGUMENT);
    }
    gfp_gpu_operand_destroy(operand);
    if (wrap != 0) {
        assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, len_a, &b, len_b, length, 1),
                         GFP_ERR_ARGUMENT);
    }
    gfp_gpu_product_plan_destroy(plan);
    assert_int_equal(gpu.bytes, 0);
    return true;
}

void rows_agree_with_the_definition(void **)
{
    gfp_random g;
    gfp_random_seed(&g, 3);
    for (unsigned wrap = 0; wrap < 2; wrap++) {
        size_t served[5] = {0};
        for (int round = 0; round < 600; round++) {
            const gfp_gpu_method method = (gfp_gpu_method)(round % 5);
            served[method] += check_rows(lab_named("256^2+1"), &g, method, wrap);
        }
        for (int method = 0; method < 4; method++) {
            assert_in_range(served[method], 100, 120);
        }
        assert_in_range(served[GFP_GPU_METHOD_CLASSICAL], wrap ? 0 : 20, wrap ? 0 : 90);
    }
}

/* What plans of products that wrap around, and engines without transforms, refuse. */
void what_rows_cannot_be(void **)
{
    gfp_gpu gpu = make_gpu();
    const gfp_field *field = lab_named("256^2+1")->field;
    gfp_gpu_product_plan *plan = nullptr;
    gfp_gpu_product_options options = {};
    digits x(200 * 2), y(200 * 2);
    gfp_gpu_array dx = array_of(&gpu, x), dy = array_of(&gpu, y);
    outside[0] = x.data();
    outside[1] = x.data() + x.size();
    options.wrap = 10;
    options.n = 5;
    assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, 4, 4, &options, nullptr),
                     GFP_ERR_ARGUMENT);
    options.n = 0;
    options.method = GFP_GPU_METHOD_BIGFFT; /* N = 16 */
    assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, 4, 4, &options, nullptr),
                     GFP_OK);
    const gfp_gpu_rows a = {&dx, 0, 16}, b = {&dx, 50, 16}, c = {&dy, 0, 16};
    assert_int_equal(gfp_gpu_product_plan_length(plan), 16);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 16, &b, 4, 0, 16), GFP_OK);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 17, &b, 4, 0, 16), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 5, &b, 5, 0, 16), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 4, &b, 4, 8, 9), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 4, &b, 4, 8, SIZE_MAX), GFP_ERR_ARGUMENT);
    gfp_gpu_product_plan_destroy(plan);
    plan = nullptr;
    options.wrap = 0;
    options.method = GFP_GPU_METHOD_CLASSICAL;
    assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, 6, 6, &options, nullptr),
                     GFP_ERR_UNAVAILABLE);
    assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, 6, 3, &options, nullptr),
                     GFP_OK);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 6, &b, 3, 0, 8), GFP_OK);
    const gfp_gpu_rows in_place = {&dx, 0, 16};
    assert_int_equal(gfp_gpu_product_rows(plan, &in_place, &a, 6, &b, 3, 0, 6), GFP_OK);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &a, 6, &b, 4, 0, 8), GFP_ERR_ARGUMENT);
    gfp_gpu_product_plan_destroy(plan);
    options.method = GFP_GPU_METHOD_AUTO;
    for (size_t len = 1; len <= 2; len++) {
        assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, len, 9, &options, nullptr),
                         GFP_OK);
        assert_int_equal(gfp_gpu_product_plan_method(plan),
                         len == 1 ? GFP_GPU_METHOD_CLASSICAL : GFP_GPU_METHOD_HYBRID);
        gfp_gpu_product_plan_destroy(plan);
    }
    assert_int_equal(gpu.bytes, 0);
}

gfp_gpu_product_plan *plan_for(gfp_gpu *gpu, size_t len_a, size_t len_b,
                               const gfp_gpu_product_options *options)
{
    gfp_gpu_product_plan *plan = nullptr;
    gfp_error error = {};
    if (gfp_gpu_product_plan_create(&plan, gpu, lab_named("256^2+1")->field, len_a, len_b, options,
                                    with_error(&error)) != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return plan;
}

/* Plans of known layout. */
void layouts_are_what_they_should_be(void **)
{
    gfp_gpu gpu = make_gpu();
    gfp_gpu_product_options options = {};
    options.method = GFP_GPU_METHOD_MULTIMODULAR;
    gfp_gpu_product_plan *plan = plan_for(&gpu, 100, 30, &options);
    assert_int_equal(gfp_gpu_product_plan_length(plan), 129);
    assert_int_equal(gfp_gpu_product_plan_pieces(plan), 1);
    gfp_gpu_product_plan_destroy(plan);
    /* The middle product: the coefficients that wrap around lie outside it. */
    options.first = 99;
    options.n = 100;
    plan = plan_for(&gpu, 199, 100, &options);
    assert_int_equal(gfp_gpu_product_plan_length(plan), 199);
    assert_int_equal(gfp_gpu_product_plan_pieces(plan), 1);
    gfp_gpu_product_plan_destroy(plan);
    /* The highest coefficients depend on the highest ones. */
    options.first = 190;
    options.n = 1000;
    plan = plan_for(&gpu, 100, 100, &options);
    assert_int_equal(gfp_gpu_product_plan_length(plan), 17);
    gfp_gpu_product_plan_destroy(plan);
    /* And the lowest on the lowest. */
    options.first = 0;
    options.n = 10;
    plan = plan_for(&gpu, 100, 100, &options);
    assert_int_equal(gfp_gpu_product_plan_length(plan), 19);
    gfp_gpu_product_plan_destroy(plan);
    /* One much longer than the other. */
    options.n = 0;
    plan = plan_for(&gpu, (size_t)1 << 32, (size_t)1 << 19, &options);
    assert_in_range(gfp_gpu_product_plan_length(plan), (size_t)1 << 20, (size_t)1 << 29);
    assert_true(gfp_gpu_product_plan_pieces(plan) > 1);
    gfp_gpu_product_plan_destroy(plan);
    assert_int_equal(gpu.bytes, 0);
}

void wrong_plans_are_refused(void **)
{
    gfp_gpu gpu = make_gpu();
    const gfp_field *field = lab_named("256^2+1")->field;
    gfp_gpu_product_options options = {};
    gfp_gpu_product_plan *plan = nullptr;
    gfp_error error = {};
    auto refused = [&](size_t len_a, size_t len_b, gfp_status expected) {
        error.status = GFP_OK;
        const gfp_status status = gfp_gpu_product_plan_create(&plan, &gpu, field, len_a, len_b,
                                                              &options, with_error(&error));
        lab_expect_status(status, expected, &error, "plan");
        assert_null(plan);
        assert_int_equal(gpu.bytes, 0);
    };
    refused(0, 1, GFP_ERR_ARGUMENT);
    refused(1, 0, GFP_ERR_ARGUMENT);
    refused(SIZE_MAX, 1, GFP_ERR_SIZE);
    refused(SIZE_MAX / 16, 1, GFP_ERR_SIZE);
    options.batch = SIZE_MAX / 100;
    refused(10, 10, GFP_ERR_SIZE);
    options.batch = 0;
    options.prime_bits = 30;
    refused(10, 10, GFP_ERR_ARGUMENT);
    options.prime_bits = 50;
    options.first = 19;
    options.n = 1;
    refused(10, 10, GFP_ERR_ARGUMENT);
    options.n = 0;
    options.memory_cap = 100;
    refused(10, 10, GFP_ERR_MEMORY);
    options.memory_cap = 0;
    gpu.capturing = true;
    refused(10, 10, GFP_ERR_ARGUMENT);
    gpu.capturing = false;
    options.method = GFP_GPU_METHOD_BIGFFT; /* N at most 64 */
    refused((size_t)1 << 22, (size_t)1 << 22, GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "at most 64"));
}

void reasons_are_given(void **)
{
    gfp_gpu gpu = make_gpu();
    const gfp_field *field = lab_named("256^2+1")->field;
    char why[100] = "";
    auto serves = [&](gfp_gpu_method method, const gfp_field *over, size_t len) {
        return gfp_gpu_product_serves(&gpu, method, over, len, len, why, sizeof why);
    };
    assert_false(serves(GFP_GPU_METHOD_BIGFFT, field, (size_t)1 << 22));
    assert_string_equal(why, "at most 64");
    assert_true(serves(GFP_GPU_METHOD_BIGFFT, field, 1000));
    assert_true(serves(GFP_GPU_METHOD_AUTO, field, (size_t)1 << 22));
    assert_false(serves(GFP_GPU_METHOD_HYBRID, lab_fields[1].field, 10));
    assert_string_equal(why, "not for k = 4");
    assert_true(serves(GFP_GPU_METHOD_HYBRID, field, 1));
    assert_false(serves(GFP_GPU_METHOD_AUTO, field, 0));
    assert_string_equal(why, "factors of 0 and 0 coefficients");
    assert_false(serves((gfp_gpu_method)7, field, 1));
    assert_string_equal(why, "it is not built in");
}

void wrong_arguments_are_refused(void **)
{
    gfp_gpu gpu = make_gpu(), other = make_gpu();
    const gfp_gpu_product_options options = {};
    gfp_gpu_product_plan *plan = plan_for(&gpu, 10, 7, &options);
    gfp_gpu_product_plan *second = plan_for(&gpu, 10, 7, nullptr);
    digits x(100), y(100), z(100);
    gfp_gpu_array a = array_of(&gpu, x), b = array_of(&gpu, y), c = array_of(&gpu, z),
                  foreign = array_of(&other, z), overlapping = {&gpu, x.data() + 2, 98, true},
                  tight = {&gpu, z.data(), 2 * 16 - 1, true};
    gfp_gpu_operand *operand = nullptr;
    outside[0] = y.data();
    outside[1] = y.data() + 100;
    assert_int_equal(gfp_gpu_product_mul(&c, &a, 11, &b, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&c, &a, 10, &b, 8, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&c, &a, 0, &b, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&c, &a, 10, &b, 0, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&tight, &a, 10, &b, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&foreign, &a, 10, &b, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&c, &foreign, 10, &b, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&c, &a, 10, &foreign, 7, plan, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&overlapping, &a, 10, &b, 7, plan, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_mul(&overlapping, &b, 10, &a, 7, plan, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_range(plan, &c, &a, 10, &b, 7, 0, 0), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_range(plan, &c, &a, 10, &b, 7, 0, SIZE_MAX), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_range(plan, &c, &a, 10, &b, 7, SIZE_MAX, 1), GFP_OK);
    assert_int_equal(z[0], 0);
    assert_int_equal(gfp_gpu_operand_create(&operand, plan, &b, 8, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_operand_create(&operand, plan, &b, 0, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_operand_create(&operand, plan, &foreign, 7, NULL), GFP_ERR_ARGUMENT);
    gpu.capturing = true;
    assert_int_equal(gfp_gpu_operand_create(&operand, plan, &b, 7, NULL), GFP_ERR_ARGUMENT);
    gpu.capturing = false;
    assert_null(operand);
    assert_int_equal(gfp_gpu_operand_create(&operand, plan, &b, 7, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_operand_mul(&c, &a, 10, operand, 0, 16, second, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_operand_mul(&foreign, &a, 10, operand, 0, 16, plan, NULL),
                     GFP_ERR_ARGUMENT);
    gfp_gpu_operand_destroy(operand);
    gfp_gpu_operand_destroy(nullptr);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_product_plan_destroy(second);
    gfp_gpu_product_plan_destroy(nullptr);
    assert_int_equal(gpu.bytes, 0);
}

/* Every call that can fail does so once; nothing is left behind. */
gfp_status go_round(gfp_gpu *gpu, size_t len_a, size_t len_b, size_t cap)
{
    const size_t room = 4 * (len_a + len_b);
    digits x(room), y(room), z(room);
    gfp_gpu_array a = array_of(gpu, x), b = array_of(gpu, y), c = array_of(gpu, z);
    gfp_gpu_product_options options = {};
    gfp_gpu_product_plan *plan = nullptr;
    gfp_gpu_operand *operand = nullptr;
    options.method = GFP_GPU_METHOD_HYBRID; /* AUTO goes on to the next one */
    options.batch = 2;
    options.memory_cap = cap;
    gfp_status status = gfp_gpu_product_plan_create(&plan, gpu, lab_named("256^2+1")->field, len_a,
                                                    len_b, &options, nullptr);
    if (status == GFP_OK) {
        outside[0] = x.data();
        outside[1] = x.data() + room;
        status = gfp_gpu_product_range(plan, &c, &a, len_a, &a, len_b, 3, len_a + len_b);
        outside[0] = y.data();
        outside[1] = y.data() + room;
        gfp_status made =
            status == GFP_OK ? gfp_gpu_operand_create(&operand, plan, &b, len_b, NULL) : status;
        status = made == GFP_ERR_UNAVAILABLE ? GFP_OK : made;
        if (made == GFP_OK) {
            outside[0] = x.data();
            outside[1] = x.data() + room;
            status = gfp_gpu_operand_mul(&c, &a, len_a, operand, 0, len_a + len_b - 1, plan, NULL);
        }
    }
    gfp_gpu_operand_destroy(operand);
    gfp_gpu_product_plan_destroy(plan);
    return status;
}

void every_call_fails_in_turn(void **)
{
    const size_t sizes[][3] = {{20, 20, 0}, {50, 3, 2200}, {40, 40, 2600}};
    for (const auto &s : sizes) {
        gfp_gpu gpu = make_gpu();
        calls = 0;
        fail_at = NEVER;
        assert_int_equal(go_round(&gpu, s[0], s[1], s[2]), GFP_OK);
        const size_t all = calls;
        assert_in_range(all, 8, 1000);
        for (size_t i = 0; i < all; i++) {
            calls = 0;
            fail_at = i;
            const gfp_status status = go_round(&gpu, s[0], s[1], s[2]);
            assert_true(status == GFP_ERR_MEMORY || status == GFP_ERR_DEVICE);
            assert_int_equal(gpu.bytes, 0);
        }
        fail_at = NEVER;
    }
}

/* Behind the plan and the question how much there is: tables, an area, and (its preparation is
 * between them) the other one. */
const size_t short_of_memory[] = {2, 3, 5};

/* AUTO tries the next engine if memory is short for an engine's tables or areas. */
void memory_that_is_short_is_for_the_next_engine(void **)
{
    const gfp_field *field = lab_named("256^2+1")->field;
    gfp_gpu_product_plan *plan = nullptr;
    for (size_t i : short_of_memory) {
        gfp_gpu gpu = make_gpu();
        calls = 0;
        fail_at = i;
        assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, field, 20, 20, nullptr, nullptr),
                         GFP_OK);
        fail_at = NEVER;
        assert_int_equal(gfp_gpu_product_plan_method(plan), GFP_GPU_METHOD_BIGFFT);
        assert_int_equal(gpu.bytes, gfp_gpu_product_plan_bytes(plan));
        gfp_gpu_product_plan_destroy(plan);
        assert_int_equal(gpu.bytes, 0);
    }
}

/* If the next engine does not serve, the status is MEMORY. */
void short_memory_is_said_though_the_next_engine_is_unavailable(void **)
{
    const gfp_field *field = lab_named("256^2+1")->field;
    gfp_gpu_product_plan *plan = nullptr;
    only_hybrid = true;
    for (size_t i : short_of_memory) {
        gfp_gpu gpu = make_gpu();
        gfp_error error = {};
        calls = 0;
        fail_at = i;
        assert_int_equal(
            gfp_gpu_product_plan_create(&plan, &gpu, field, 20, 20, nullptr, with_error(&error)),
            GFP_ERR_MEMORY);
        fail_at = NEVER;
        assert_int_equal(error.status, GFP_ERR_MEMORY);
        assert_null(strstr(error.message, "left out"));
        assert_int_equal(gpu.bytes, 0);
        assert_null(plan);
    }
    gfp_gpu gpu = make_gpu();
    gfp_error error = {};
    assert_int_equal(gfp_gpu_product_plan_create(&plan, &gpu, lab_named("16^4+1")->field, 20, 20,
                                                 nullptr, with_error(&error)),
                     GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "left out"));
    only_hybrid = false;
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_the_definition),
        cmocka_unit_test(rows_agree_with_the_definition),
        cmocka_unit_test(what_rows_cannot_be),
        cmocka_unit_test(layouts_are_what_they_should_be),
        cmocka_unit_test(wrong_plans_are_refused),
        cmocka_unit_test(reasons_are_given),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_call_fails_in_turn),
        cmocka_unit_test(memory_that_is_short_is_for_the_next_engine),
        cmocka_unit_test(short_memory_is_said_though_the_next_engine_is_unavailable),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
