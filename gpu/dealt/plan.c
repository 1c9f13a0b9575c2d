/* plan.c: products dealt over several contexts, which may be of several devices: plans, blocks,
 * and the fences between products. A plan takes the first of two ways that serves it: leaves of one
 * product are dealt, or blocks of the longer factor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "gpu/dealt/dealt.h"

static const gfp_gpu_dealt_way *const ways[] = {&gfp_gpu_dealt_by_leaves, &gfp_gpu_dealt_by_parts};

#define WAYS (sizeof ways / sizeof *ways)

/* ---- calls on members ---- */

static gfp_status refuse_null(const char *name, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, name, options));
    gfp_call_unreported(&call);
    return gfp_call_end(
        &call, gfp_error_set(&call.error, GFP_ERR_ARGUMENT, "%s: an argument is NULL", name));
}

gfp_status gfp_gpu_dealt_failed(const gfp_gpu_dealt_plan *plan, unsigned i, gfp_status status)
{
    gfp_gpu *first = plan->members[0].gpu, *gpu = plan->members[i].gpu;
    if (gpu == first) {
        return status;
    }
    const gfp_error error = gpu->error;
    return GFP_GPU_FAIL(first, status, "member %u: %s", i, error.message);
}

gfp_status gfp_gpu_dealt_hold(const gfp_gpu_dealt_member *m, gfp_gpu_queue queue,
                              const gfp_gpu_fence *fence)
{
    return m->gpu->backend->exchange->hold(m->gpu, queue, fence);
}

gfp_status gfp_gpu_dealt_set(const gfp_gpu_dealt_member *m, gfp_gpu_fence *fence,
                             gfp_gpu_queue queue)
{
    return m->gpu->backend->queues->fence_set(fence, queue);
}

gfp_status gfp_gpu_dealt_hold_ready(const gfp_gpu_dealt_plan *plan, unsigned i, gfp_gpu_queue queue)
{
    for (unsigned j = 0; j < plan->count; j++) {
        GFP_TRY(gfp_gpu_dealt_hold(&plan->members[i], queue, plan->members[j].ready));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_copy(const gfp_gpu_dealt_plan *plan, unsigned i, uint64_t *to,
                              const uint64_t *from, size_t n, size_t rows, size_t pitch)
{
    gfp_gpu *gpu = plan->members[i].gpu;
    const size_t element = plan->k * sizeof(uint64_t);
    const gfp_gpu_copy copy = {.to = to,
                               .from = from,
                               .to_pitch = pitch * element,
                               .from_pitch = pitch * element,
                               .bytes = n * element,
                               .rows = rows};
    return n == 0 || rows == 0 ? GFP_OK
                               : gpu->backend->exchange->copy(gpu, GFP_GPU_QUEUE_UPLOAD, &copy);
}

size_t gfp_gpu_dealt_block(const gfp_gpu_dealt_plan *plan, size_t len, unsigned i)
{
    const size_t each = gfp_gpu_dealt_each(len, plan->count);
    return gfp_size_min(len - gfp_size_min(len, i * each), each);
}

/* ---- plans ---- */

static gfp_status join_member(gfp_gpu_dealt_plan *plan, unsigned i)
{
    gfp_gpu_dealt_member *m = &plan->members[i];
    for (unsigned j = 0; j < plan->count; j++) {
        GFP_TRY(m->gpu->backend->exchange->reach(m->gpu, plan->members[j].gpu));
    }
    GFP_TRY(gfp_gpu_fence_create(&m->ready, m->gpu));
    GFP_TRY(gfp_gpu_fence_create(&m->read, m->gpu));
    GFP_TRY(gfp_gpu_fence_create(&m->made, m->gpu));
    return gfp_gpu_fence_create(&m->sent, m->gpu);
}

static void close_way(gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; plan->way != NULL && i < plan->count; i++) {
        const int before = gfp_gpu_enter_to_destroy(plan->members[i].gpu);
        plan->way->close(plan, i);
        (void)gfp_gpu_leave(plan->members[i].gpu, before, GFP_OK);
    }
    plan->way = NULL;
}

static gfp_status check_sizes(const gfp_gpu_dealt_plan *plan)
{
    size_t words, len;
    if (!gfp_size_add(&len, plan->len_a, plan->len_b) ||
        !gfp_size_mul(&words, len, 4 * (size_t)plan->k * sizeof(uint64_t))) {
        return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_SIZE,
                            "products of %zu by %zu coefficients: too large", plan->len_a,
                            plan->len_b);
    }
    return GFP_OK;
}

static gfp_status open_plan(gfp_gpu_dealt_plan *plan)
{
    const gfp_gpu_backend *backend = plan->members[0].gpu->backend;
    for (unsigned i = 0; i < plan->count; i++) {
        if (plan->members[i].gpu->backend != backend) {
            return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_ARGUMENT,
                                "contexts of several backends");
        }
    }
    GFP_GPU_NEED(plan->members[0].gpu, exchange, reach);
    GFP_GPU_NEED(plan->members[0].gpu, queues, fence_open);
    if (backend->product_engines == NULL) {
        return gfp_gpu_lacks(plan->members[0].gpu, "product_engines");
    }
    GFP_TRY(check_sizes(plan));
    for (unsigned i = 0; i < plan->count; i++) {
        GFP_GPU_DEALT_TRY(plan, i, true, join_member(plan, i));
    }
    gfp_status status = GFP_ERR_UNAVAILABLE;
    for (size_t i = 0; i < WAYS && status == GFP_ERR_UNAVAILABLE; i++) {
        plan->way = ways[i];
        status = plan->way->open(plan);
        if (status != GFP_OK) {
            close_way(plan);
        }
    }
    return status;
}

static gfp_status make_plan(gfp_gpu_dealt_plan **plan, gfp_gpu *const *gpus, size_t members,
                            const gfp_field *field, size_t len_a, size_t len_b)
{
    if (members > GFP_GPU_MOST_MEMBERS || len_a == 0 || len_b == 0 || field == NULL) {
        return GFP_GPU_FAIL(gpus[0], GFP_ERR_ARGUMENT,
                            "a dealt product of %zu by %zu coefficients over %zu members", len_a,
                            len_b, members);
    }
    for (size_t i = 0; i < members * members; i++) {
        if (i / members < i % members && gpus[i / members] == gpus[i % members]) {
            return GFP_GPU_FAIL(gpus[0], GFP_ERR_ARGUMENT, "members %zu and %zu are one context",
                                i / members, i % members);
        }
    }
    gfp_gpu_dealt_plan *made = gfp_gpu_make(gpus[0], sizeof *made, "a plan");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->allocator = gpus[0]->allocator;
    made->field = field;
    made->k = gfp_field_k(field);
    made->count = (unsigned)members;
    made->len_a = len_a;
    made->len_b = len_b;
    for (size_t i = 0; i < members; i++) {
        made->members[i].gpu = gpus[i];
    }
    const gfp_status status = open_plan(made);
    if (status != GFP_OK) {
        gfp_gpu_dealt_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_plan_create(gfp_gpu_dealt_plan **plan, gfp_gpu *const *gpus,
                                     size_t members, const gfp_field *field, size_t len_a,
                                     size_t len_b, const gfp_options *options)
{
    bool all = plan != NULL && gpus != NULL && members > 0;
    for (size_t i = 0; all && i < members && i < GFP_GPU_MOST_MEMBERS; i++) {
        all = gpus[i] != NULL;
    }
    if (!all) {
        return refuse_null("a plan of dealt products", options);
    }
    GFP_GPU_CALL("plan of dealt products", gpus[0], options,
                 make_plan(plan, gpus, members, field, len_a, len_b));
}

/* Waits for all work of the members, which write to each other's memory. Their errors stay. */
static void wait_members(const gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        gfp_gpu *gpu = plan->members[i].gpu;
        const gfp_error error = gpu->error;
        (void)gpu->backend->device->wait(gpu);
        gpu->error = error;
    }
}

static void close_member(gfp_gpu_dealt_member *m)
{
    gfp_gpu_fence_destroy(m->ready);
    gfp_gpu_fence_destroy(m->read);
    gfp_gpu_fence_destroy(m->made);
    gfp_gpu_fence_destroy(m->sent);
}

void gfp_gpu_dealt_plan_destroy(gfp_gpu_dealt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    wait_members(plan);
    close_way(plan);
    for (unsigned i = 0; i < plan->count; i++) {
        close_member(&plan->members[i]);
    }
    const gfp_allocator allocator = plan->allocator;
    gfp_release(&allocator, plan, 1, sizeof *plan);
}

/* ---- products ---- */

/* Checks the arrays of a polynomial of len coefficients; *blocks := where they lie. */
static gfp_status check_blocks(const gfp_gpu_dealt_plan *plan, gfp_gpu_array *const *x, size_t len,
                               gfp_gpu_blocks *blocks)
{
    blocks->each = gfp_gpu_dealt_each(len, plan->count);
    for (unsigned i = 0; i < plan->count; i++) {
        const size_t n = gfp_gpu_dealt_block(plan, len, i);
        gfp_gpu *gpu = plan->members[i].gpu;
        if (n > 0 && x[i] == NULL) {
            return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_ARGUMENT, "member %u has no block",
                                i);
        }
        if (n > 0) {
            const gfp_status status = gfp_gpu_array_check(gpu, x[i], n * plan->k);
            if (status != GFP_OK) {
                return gfp_gpu_dealt_failed(plan, i, status);
            }
            blocks->block[i] = x[i]->data;
        }
    }
    return GFP_OK;
}

/* The blocks of c lie apart from those of x. */
static gfp_status check_apart(const gfp_gpu_dealt_product *p, gfp_gpu_array *const *c,
                              gfp_gpu_array *const *x, size_t len)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    for (unsigned i = 0; i < plan->count; i++) {
        const size_t n = gfp_gpu_dealt_block(plan, len, i),
                     n_c = gfp_gpu_dealt_block(plan, p->len_c, i);
        if (n > 0 && n_c > 0) {
            const gfp_status status = gfp_gpu_array_check_apart(plan->members[i].gpu, c[i],
                                                                n_c * plan->k, x[i], n * plan->k);
            if (status != GFP_OK) {
                return gfp_gpu_dealt_failed(plan, i, status);
            }
        }
    }
    return GFP_OK;
}

/* The work of all members before a product, or of the product, comes before what they do next. */
static gfp_status join_queues(const gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const gfp_gpu_dealt_member *m = &plan->members[i];
        GFP_GPU_DEALT_TRY(plan, i, false, gfp_gpu_dealt_set(m, m->ready, GFP_GPU_QUEUE_MAIN));
    }
    for (unsigned i = 0; i < plan->count; i++) {
        GFP_GPU_DEALT_TRY(plan, i, false, gfp_gpu_dealt_hold_ready(plan, i, GFP_GPU_QUEUE_MAIN));
        GFP_GPU_DEALT_TRY(plan, i, false, gfp_gpu_dealt_hold_ready(plan, i, GFP_GPU_QUEUE_UPLOAD));
    }
    return GFP_OK;
}

static gfp_status run_product(const gfp_gpu_dealt_product *p)
{
    GFP_TRY(join_queues(p->plan));
    GFP_TRY(p->plan->way->run(p));
    return join_queues(p->plan);
}

static gfp_status dealt_mul(gfp_gpu_array *const *c, gfp_gpu_array *const *a, size_t len_a,
                            gfp_gpu_array *const *b, size_t len_b, gfp_gpu_dealt_plan *plan)
{
    gfp_gpu_dealt_product p = {
        .plan = plan, .len = {len_a, len_b}, .len_c = len_a + len_b - 1, .square = len_a == len_b};
    if (len_a == 0 || len_b == 0 || len_a > plan->len_a || len_b > plan->len_b) {
        return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_ARGUMENT,
                            "factors of %zu and %zu coefficients, the plan takes 1 to %zu and %zu",
                            len_a, len_b, plan->len_a, plan->len_b);
    }
    GFP_TRY(check_blocks(plan, a, len_a, &p.x[0]));
    GFP_TRY(check_blocks(plan, b, len_b, &p.x[1]));
    GFP_TRY(check_blocks(plan, c, p.len_c, &p.c));
    GFP_TRY(check_apart(&p, c, a, len_a));
    GFP_TRY(check_apart(&p, c, b, len_b));
    for (unsigned i = 0; i < plan->count; i++) {
        p.square = p.square && p.x[0].block[i] == p.x[1].block[i];
    }
    const gfp_status status = run_product(&p);
    if (status != GFP_OK) {
        /* Members may still read and write each other's blocks. */
        wait_members(plan);
    }
    return status;
}

gfp_status gfp_gpu_dealt_mul(gfp_gpu_array *const *c, gfp_gpu_array *const *a, size_t len_a,
                             gfp_gpu_array *const *b, size_t len_b, gfp_gpu_dealt_plan *plan,
                             const gfp_options *options)
{
    if (c == NULL || a == NULL || b == NULL || plan == NULL) {
        return refuse_null("a dealt product", options);
    }
    GFP_GPU_CALL("dealt product", plan->members[0].gpu, options,
                 dealt_mul(c, a, len_a, b, len_b, plan));
}
