/* dealt.c: products dealt over several contexts, which may be of several devices. The product is
 * one modulo X^N - 1 of an engine with shares (product_engine.h), N = M L. A member has some of the
 * M leaves. It reads both factors where their blocks lie, on other devices too, and transforms them
 * for its leaves. Each member restores some columns of the product from all leaves, and writes the
 * coefficients to the members that have them.
 *
 * Columns are taken in groups, so that the links work while leaves are computed: the next group is
 * read while one is projected; digits of the product go to the member that restores them, which
 * restores and writes them, while the next group is settled. The queue of downloads has the kernels
 * that reach other devices, the queue of uploads the copies.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stddef.h>

#include "gpu/call.h"
#include "gpu/product_engine.h"

/* The most groups of columns, and the least bytes of a group of a member's leaves. To enqueue a
 * group for two members takes the host some 0.1 ms. */
#define MOST_GROUPS 2
#define LEAST_BYTES ((size_t)16 << 20)

typedef struct member {
    gfp_gpu *gpu;
    gfp_gpu_cyclic cyclic; /* engine NULL: not created */
    uint64_t *work[2];     /* areas for transforms, work_bytes each */
    uint64_t *received;    /* its columns of the other members' leaves, leaf by leaf */
    uint64_t *digits;      /* of its leaves of the product, the engine's */
    size_t work_bytes, received_bytes;
    unsigned first, end; /* its leaves */
    gfp_gpu_columns own; /* and its columns */
    /* Its work before, and then after, a product is done; a group of a factor was read. */
    gfp_gpu_fence *ready, *read;
    /* Of each group: the digits are free again; its own columns of the product are digits; those of
     * others are where they are needed. */
    gfp_gpu_fence *projected[MOST_GROUPS], *settled[MOST_GROUPS], *sent[MOST_GROUPS];
} member;

struct gfp_gpu_dealt_plan {
    gfp_allocator allocator;
    const gfp_field *field;
    unsigned k, count;
    size_t len_a, len_b;
    unsigned groups;
    gfp_gpu_share_shape shape;
    member members[GFP_GPU_MOST_MEMBERS];
};

/* A running product. */
typedef struct product {
    gfp_gpu_dealt_plan *plan;
    gfp_gpu_blocks a, b, c;
    size_t len_a, len_b, len_c;
    bool square;
} product;

/* ---- calls on members ---- */

static gfp_status refuse_null(const char *name, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, name, options));
    gfp_call_unreported(&call);
    return gfp_call_end(
        &call, gfp_error_set(&call.error, GFP_ERR_ARGUMENT, "%s: an argument is NULL", name));
}

static gfp_status dealt_failed(const gfp_gpu_dealt_plan *plan, unsigned i, gfp_status status)
{
    gfp_gpu *first = plan->members[0].gpu, *gpu = plan->members[i].gpu;
    if (gpu == first) {
        return status;
    }
    const gfp_error error = gpu->error;
    return GFP_GPU_FAIL(first, status, "member %u: %s", i, error.message);
}

/* A call for member i, inside its device; returns from the function if the call fails. */
#define DEALT_TRY(plan, i, waits, call)                                                            \
    do {                                                                                           \
        int before_ = -1;                                                                          \
        gfp_gpu *const gpu_ = (plan)->members[i].gpu;                                              \
        gfp_status status_ = gfp_gpu_enter(gpu_, (waits), &before_);                               \
        status_ = status_ != GFP_OK ? status_ : gfp_gpu_leave(gpu_, before_, (call));              \
        if (status_ != GFP_OK) {                                                                   \
            return dealt_failed((plan), (i), status_);                                             \
        }                                                                                          \
    } while (0)

static const gfp_gpu_queue MAIN = GFP_GPU_QUEUE_MAIN, COPIES = GFP_GPU_QUEUE_UPLOAD,
                           LINK = GFP_GPU_QUEUE_DOWNLOAD;

static gfp_status hold_fence(const member *m, gfp_gpu_queue queue, const gfp_gpu_fence *fence)
{
    return m->gpu->backend->exchange->hold(m->gpu, queue, fence);
}

static gfp_status set_fence(const member *m, gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    return m->gpu->backend->queues->fence_set(fence, queue);
}

/* The coefficients of member i of a polynomial of len coefficients. */
static size_t block_length(const gfp_gpu_dealt_plan *plan, size_t len, unsigned i)
{
    const size_t each = gfp_gpu_dealt_each(len, plan->count);
    return gfp_size_min(len - gfp_size_min(len, i * each), each);
}

/* ---- plans ---- */

/* Part number i of `count` parts of n. */
static gfp_gpu_columns part_of(size_t n, size_t i, size_t count)
{
    const size_t each = n / count, rest = n % count;
    return (gfp_gpu_columns){each * i + rest * i / count, each * (i + 1) + rest * (i + 1) / count};
}

/* Group g of the columns of member j; and of all columns. */
static gfp_gpu_columns group_of(const gfp_gpu_dealt_plan *plan, unsigned j, unsigned g)
{
    const gfp_gpu_columns own = plan->members[j].own;
    const gfp_gpu_columns part = part_of(own.to - own.from, g, plan->groups);
    return (gfp_gpu_columns){own.from + part.from, own.from + part.to};
}

static gfp_status make_areas(gfp_gpu_dealt_plan *plan, member *m)
{
    gfp_gpu *gpu = m->gpu;
    const size_t columns = (m->own.to - m->own.from) * plan->shape.parts;
    const size_t foreign = plan->shape.leaves - (m->end - m->first);
    m->work_bytes = m->cyclic.words * sizeof(uint64_t);
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&m->work[i], m->work_bytes));
        if (m->cyclic.engine->prepare_area != NULL) {
            GFP_TRY(m->cyclic.engine->prepare_area(&m->cyclic, m->work[i]));
        }
    }
    m->received_bytes = foreign * columns * plan->k * sizeof(uint64_t);
    return gfp_gpu_device_allocate(gpu, (void **)&m->received, m->received_bytes);
}

static gfp_status make_fences(const gfp_gpu_dealt_plan *plan, member *m)
{
    GFP_TRY(gfp_gpu_fence_create(&m->ready, m->gpu));
    GFP_TRY(gfp_gpu_fence_create(&m->read, m->gpu));
    for (unsigned g = 0; g < plan->groups; g++) {
        GFP_TRY(gfp_gpu_fence_create(&m->projected[g], m->gpu));
        GFP_TRY(gfp_gpu_fence_create(&m->settled[g], m->gpu));
        GFP_TRY(gfp_gpu_fence_create(&m->sent[g], m->gpu));
    }
    return GFP_OK;
}

static gfp_status make_member(gfp_gpu_dealt_plan *plan, const gfp_gpu_cyclic *cyclic, unsigned i)
{
    member *m = &plan->members[i];
    const gfp_gpu_exchange_calls *exchange = m->gpu->backend->exchange;
    gfp_gpu_cyclic own = *cyclic;
    own.gpu = m->gpu;
    own.member = i;
    for (unsigned j = 0; j < plan->count; j++) {
        GFP_TRY(exchange->reach(m->gpu, plan->members[j].gpu));
    }
    GFP_TRY(own.engine->create(&own));
    m->cyclic = own;
    plan->shape = own.engine->share->shape(&own);
    m->first = gfp_gpu_share_first(plan->shape.leaves, plan->count, i);
    m->end = gfp_gpu_share_first(plan->shape.leaves, plan->count, i + 1);
    m->own = part_of(plan->shape.part, i, plan->count);
    const size_t bytes = plan->shape.part * plan->shape.parts * plan->shape.leaves / plan->count *
                         plan->k * sizeof(uint64_t);
    plan->groups = (unsigned)gfp_size_min(MOST_GROUPS, bytes / LEAST_BYTES + 1);
    GFP_TRY(make_fences(plan, m));
    return make_areas(plan, m);
}

/* The first engine with shares and a length for these products. */
static gfp_status choose_engine(const gfp_gpu_dealt_plan *plan, gfp_gpu_cyclic *cyclic)
{
    gfp_gpu *gpu = plan->members[0].gpu;
    char why[160] = "the backend has no engine for such products";
    size_t words, len;
    if (!gfp_size_add(&len, plan->len_a, plan->len_b) ||
        !gfp_size_mul(&words, len, 4 * (size_t)plan->k * sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "products of %zu by %zu coefficients: too large",
                            plan->len_a, plan->len_b);
    }
    for (const gfp_gpu_product_engine *const *row = gpu->backend->product_engines; *row != NULL;
         row++) {
        if ((*row)->share != NULL) {
            const size_t terms = gfp_size_min(plan->len_a, plan->len_b);
            cyclic->n = (*row)->length(gpu, plan->field, len - 1, terms, why, sizeof why);
            cyclic->terms = terms;
            cyclic->engine = *row;
            if (cyclic->n != 0) {
                return GFP_OK;
            }
        }
    }
    return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "a dealt product: %s", why);
}

static gfp_status open_plan(gfp_gpu_dealt_plan *plan)
{
    const gfp_gpu_backend *backend = plan->members[0].gpu->backend;
    gfp_gpu_cyclic cyclic = {
        .field = plan->field, .k = plan->k, .batch = 1, .members = plan->count};
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
    GFP_TRY(choose_engine(plan, &cyclic));
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, true, make_member(plan, &cyclic, i));
    }
    return GFP_OK;
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

static void close_member(member *m)
{
    gfp_gpu *gpu = m->gpu;
    gfp_gpu_fence_destroy(m->ready);
    gfp_gpu_fence_destroy(m->read);
    for (size_t g = 0; g < MOST_GROUPS; g++) {
        gfp_gpu_fence_destroy(m->projected[g]);
        gfp_gpu_fence_destroy(m->settled[g]);
        gfp_gpu_fence_destroy(m->sent[g]);
    }
    const int before = gfp_gpu_enter_to_destroy(gpu);
    if (m->cyclic.engine != NULL) {
        m->cyclic.engine->destroy(&m->cyclic);
    }
    gfp_gpu_device_release(gpu, m->work[0], m->work_bytes);
    gfp_gpu_device_release(gpu, m->work[1], m->work_bytes);
    gfp_gpu_device_release(gpu, m->received, m->received_bytes);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
}

void gfp_gpu_dealt_plan_destroy(gfp_gpu_dealt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    wait_members(plan);
    for (unsigned i = 0; i < plan->count; i++) {
        close_member(&plan->members[i]);
    }
    const gfp_allocator allocator = plan->allocator;
    gfp_release(&allocator, plan, 1, sizeof *plan);
}

/* ---- the first half: transforms ---- */

/* Begins the product when all members' work before it is done. */
static gfp_status begin_member(const product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    for (unsigned j = 0; j < plan->count; j++) {
        GFP_TRY(hold_fence(&plan->members[i], LINK, plan->members[j].ready));
    }
    return GFP_OK;
}

/* Reads a group of factor 0 or 1, and projects it behind. The digits of both have one place. */
static gfp_status read_group(const product *p, unsigned i, unsigned factor, unsigned g)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    member *m = &p->plan->members[i];
    const gfp_gpu_share_calls *share = m->cyclic.engine->share;
    const gfp_gpu_columns columns = part_of(plan->shape.part, g, plan->groups);
    if (factor == 1) {
        GFP_TRY(hold_fence(m, LINK, m->projected[g]));
    }
    GFP_TRY(share->read(&m->cyclic, factor == 0 ? &p->a : &p->b, factor == 0 ? p->len_a : p->len_b,
                        columns));
    GFP_TRY(set_fence(m, m->read, LINK));
    GFP_TRY(hold_fence(m, MAIN, m->read));
    GFP_TRY(share->project(&m->cyclic, m->work[factor], columns));
    GFP_TRY(factor == 0 ? set_fence(m, m->projected[g], MAIN) : GFP_OK);
    return g + 1 < plan->groups ? GFP_OK : share->transform(&m->cyclic, m->work[factor]);
}

/* ---- the second half: the product ---- */

/* The place at member j of its columns of leaf s, a leaf of another member. */
static uint64_t *place_at(const gfp_gpu_dealt_plan *plan, unsigned j, unsigned s)
{
    const member *m = &plan->members[j];
    const unsigned before = s < m->first ? s : s - (m->end - m->first);
    return m->received + before * plan->shape.parts * (m->own.to - m->own.from) * plan->k;
}

/* Sends these columns of all leaves of member i, which are digits, to member j, which has them. */
static gfp_status send_columns(const gfp_gpu_dealt_plan *plan, unsigned i, unsigned j,
                               gfp_gpu_columns columns)
{
    const member *m = &plan->members[i], *other = &plan->members[j];
    const size_t element = plan->k * sizeof(uint64_t);
    const gfp_gpu_copy copy = {.to = place_at(plan, j, m->first) +
                                     (columns.from - other->own.from) * plan->k,
                               .from = m->digits + columns.from * plan->k,
                               .to_pitch = (other->own.to - other->own.from) * element,
                               .from_pitch = plan->shape.part * element,
                               .bytes = (columns.to - columns.from) * element,
                               .rows = (size_t)(m->end - m->first) * plan->shape.parts};
    return copy.bytes == 0 ? GFP_OK : m->gpu->backend->exchange->copy(m->gpu, COPIES, &copy);
}

/* Of each group the other members' columns first. */
static gfp_status settle_group(const product *p, unsigned i, unsigned g)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    member *m = &p->plan->members[i];
    const gfp_gpu_share_calls *share = m->cyclic.engine->share;
    for (unsigned step = 1; step <= plan->count; step++) {
        const unsigned j = (i + step) % plan->count;
        const gfp_gpu_columns columns = group_of(plan, j, g);
        GFP_TRY(share->settle(&m->cyclic, m->work[0], columns, g == 0 && step == 1, &m->digits));
        GFP_TRY(set_fence(m, m->settled[g], MAIN));
        if (j != i) {
            GFP_TRY(hold_fence(m, COPIES, m->settled[g]));
            GFP_TRY(send_columns(plan, i, j, columns));
        }
    }
    return set_fence(m, m->sent[g], COPIES);
}

static gfp_status multiply_share(const product *p, unsigned i)
{
    member *m = &p->plan->members[i];
    return m->cyclic.engine->share->multiply(&m->cyclic, m->work[0], m->work[p->square ? 0 : 1]);
}

static gfp_status restore_group(const product *p, unsigned i, unsigned g)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    member *m = &p->plan->members[i];
    const size_t k = plan->k;
    gfp_gpu_leaves leaves = {.own = m->first,
                             .own_end = m->end,
                             .from = m->own.from,
                             .foreign = m->own.to - m->own.from};
    for (unsigned s = 0; s < plan->shape.leaves; s++) {
        leaves.leaf[s] = m->first <= s && s < m->end
                             ? m->digits + (s - m->first) * plan->shape.parts * plan->shape.part * k
                             : place_at(plan, i, s);
    }
    for (unsigned j = 0; j < plan->count; j++) {
        const member *other = &plan->members[j];
        GFP_TRY(hold_fence(m, LINK, j == i ? m->settled[g] : other->sent[g]));
    }
    return m->cyclic.engine->share->restore(&m->cyclic, &p->c, p->len_c, &leaves,
                                            group_of(plan, i, g));
}

/* Ends the product when the member has restored its columns. */
static gfp_status end_member(const product *p, unsigned i)
{
    member *m = &p->plan->members[i];
    GFP_TRY(set_fence(m, m->read, LINK));
    GFP_TRY(hold_fence(m, MAIN, m->read));
    return set_fence(m, m->ready, MAIN);
}

static gfp_status hold_others(const product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    for (unsigned j = 0; j < plan->count; j++) {
        GFP_TRY(hold_fence(&plan->members[i], MAIN, plan->members[j].ready));
    }
    return GFP_OK;
}

/* ---- products ---- */

/* Checks the arrays of a polynomial of len coefficients; *blocks := where they lie. */
static gfp_status check_blocks(const gfp_gpu_dealt_plan *plan, gfp_gpu_array *const *x, size_t len,
                               gfp_gpu_blocks *blocks)
{
    blocks->each = gfp_gpu_dealt_each(len, plan->count);
    for (unsigned i = 0; i < plan->count; i++) {
        const size_t n = block_length(plan, len, i);
        gfp_gpu *gpu = plan->members[i].gpu;
        if (n > 0 && x[i] == NULL) {
            return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_ARGUMENT, "member %u has no block",
                                i);
        }
        if (n > 0) {
            const gfp_status status = gfp_gpu_array_check(gpu, x[i], n * plan->k);
            if (status != GFP_OK) {
                return dealt_failed(plan, i, status);
            }
            blocks->block[i] = x[i]->data;
        }
    }
    return GFP_OK;
}

/* The blocks of c lie apart from those of x. */
static gfp_status check_apart(const product *p, gfp_gpu_array *const *c, gfp_gpu_array *const *x,
                              size_t len)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    for (unsigned i = 0; i < plan->count; i++) {
        const size_t n = block_length(plan, len, i), n_c = block_length(plan, p->len_c, i);
        if (n > 0 && n_c > 0) {
            const gfp_status status = gfp_gpu_array_check_apart(plan->members[i].gpu, c[i],
                                                                n_c * plan->k, x[i], n * plan->k);
            if (status != GFP_OK) {
                return dealt_failed(plan, i, status);
            }
        }
    }
    return GFP_OK;
}

/* Enqueues the product, stage by stage, so that all members work at once. */
static gfp_status run_stages(const product *p)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    const unsigned count = plan->count;
    for (unsigned i = 0; i < count; i++) {
        DEALT_TRY(plan, i, false, set_fence(&plan->members[i], plan->members[i].ready, MAIN));
    }
    for (unsigned i = 0; i < count; i++) {
        DEALT_TRY(plan, i, false, begin_member(p, i));
    }
    for (unsigned factor = 0; factor < (p->square ? 1u : 2u); factor++) {
        for (unsigned g = 0; g < plan->groups; g++) {
            for (unsigned i = 0; i < count; i++) {
                DEALT_TRY(plan, i, false, read_group(p, i, factor, g));
            }
        }
    }
    for (unsigned i = 0; i < count; i++) {
        DEALT_TRY(plan, i, false, multiply_share(p, i));
    }
    for (unsigned g = 0; g < plan->groups; g++) {
        for (unsigned i = 0; i < count; i++) {
            DEALT_TRY(plan, i, false, settle_group(p, i, g));
        }
        for (unsigned i = 0; i < count; i++) {
            DEALT_TRY(plan, i, false, restore_group(p, i, g));
        }
    }
    for (unsigned i = 0; i < count; i++) {
        DEALT_TRY(plan, i, false, end_member(p, i));
    }
    for (unsigned i = 0; i < count; i++) {
        DEALT_TRY(plan, i, false, hold_others(p, i));
    }
    return GFP_OK;
}

static gfp_status dealt_mul(gfp_gpu_array *const *c, gfp_gpu_array *const *a, size_t len_a,
                            gfp_gpu_array *const *b, size_t len_b, gfp_gpu_dealt_plan *plan)
{
    product p = {.plan = plan, .len_a = len_a, .len_b = len_b, .len_c = len_a + len_b - 1};
    if (len_a == 0 || len_b == 0 || len_a > plan->len_a || len_b > plan->len_b) {
        return GFP_GPU_FAIL(plan->members[0].gpu, GFP_ERR_ARGUMENT,
                            "factors of %zu and %zu coefficients, the plan takes 1 to %zu and %zu",
                            len_a, len_b, plan->len_a, plan->len_b);
    }
    GFP_TRY(check_blocks(plan, a, len_a, &p.a));
    GFP_TRY(check_blocks(plan, b, len_b, &p.b));
    GFP_TRY(check_blocks(plan, c, p.len_c, &p.c));
    GFP_TRY(check_apart(&p, c, a, len_a));
    GFP_TRY(check_apart(&p, c, b, len_b));
    p.square = len_a == len_b;
    for (unsigned i = 0; i < plan->count; i++) {
        p.square = p.square && p.a.block[i] == p.b.block[i];
    }
    const gfp_status status = run_stages(&p);
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
