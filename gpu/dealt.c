/* dealt.c: products dealt over several contexts, which may be of several devices. The product is
 * one modulo X^N - 1 of an engine with shares (product_engine.h), N = M L. A member has some of the
 * M leaves. It transforms both factors for these leaves: it reads the first factor where its blocks
 * lie, on other devices too, and has the other members' blocks of the second factor copied in the
 * meantime. While it makes the digits of one leaf of the product, those of the leaf before go to
 * the members that restore them: each member restores some columns, i mod L, of the product, and
 * writes the coefficients to the members that have them. SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stddef.h>

#include "gpu/call.h"
#include "gpu/product_engine.h"

/* A copy to another device has at least so many bytes, or the leaves of the member. */
#define LEAST_COPY ((size_t)1 << 20)

typedef struct member {
    gfp_gpu *gpu;
    gfp_gpu_cyclic cyclic; /* engine NULL: not created */
    uint64_t *work[2];     /* areas for transforms, work_bytes each */
    uint64_t *staged;      /* the other members' blocks of the second factor, in order */
    uint64_t *received;    /* the columns of the other members' leaves, in order */
    uint64_t *digits;      /* of its leaves of the product, the engine's */
    size_t work_bytes, staged_bytes, received_bytes;
    unsigned first, end;    /* its leaves, */
    size_t from, to;        /* and its columns */
    gfp_gpu_fence *ready;   /* its work before, and then after, a product is done */
    gfp_gpu_fence *read;    /* it has read the first factor */
    gfp_gpu_fence *copied;  /* the second factor is there */
    gfp_gpu_fence *settled; /* some leaves are done */
    gfp_gpu_fence *sent;    /* its leaves are where they are needed */
} member;

struct gfp_gpu_dealt_plan {
    gfp_allocator allocator;
    const gfp_field *field;
    unsigned k, count;
    size_t len_a, len_b;
    unsigned leaves; /* M */
    size_t length;   /* L */
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

/* The queue of member i goes on when the other members' fences, each the one at this place, have
 * been passed. */
static gfp_status hold_for_others(const gfp_gpu_dealt_plan *plan, unsigned i, gfp_gpu_queue queue,
                                  size_t fence)
{
    gfp_gpu *gpu = plan->members[i].gpu;
    for (unsigned j = 0; j < plan->count; j++) {
        if (j != i) {
            const char *of_other = (const char *)&plan->members[j] + fence;
            GFP_TRY(gpu->backend->exchange->hold(gpu, queue, *(gfp_gpu_fence *const *)of_other));
        }
    }
    return GFP_OK;
}
#define HOLD_FOR_OTHERS(plan, i, queue, fence)                                                     \
    hold_for_others((plan), (i), (queue), offsetof(member, fence))

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

static gfp_status make_areas(gfp_gpu_dealt_plan *plan, member *m)
{
    gfp_gpu *gpu = m->gpu;
    const size_t element = plan->k * sizeof(uint64_t);
    const size_t others = plan->count - 1, foreign = plan->leaves - (m->end - m->first);
    m->work_bytes = m->cyclic.words * sizeof(uint64_t);
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&m->work[i], m->work_bytes));
        if (m->cyclic.engine->prepare_area != NULL) {
            GFP_TRY(m->cyclic.engine->prepare_area(&m->cyclic, m->work[i]));
        }
    }
    m->staged_bytes = others * gfp_gpu_dealt_each(plan->len_b, plan->count) * element;
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&m->staged, m->staged_bytes));
    m->received_bytes = foreign * (m->to - m->from) * element;
    return gfp_gpu_device_allocate(gpu, (void **)&m->received, m->received_bytes);
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
    own.engine->share->shape(&own, &plan->leaves, &plan->length);
    m->first = gfp_gpu_share_first(plan->leaves, plan->count, i);
    m->end = gfp_gpu_share_first(plan->leaves, plan->count, i + 1);
    m->from = plan->length / plan->count * i + plan->length % plan->count * i / plan->count;
    m->to =
        plan->length / plan->count * (i + 1) + plan->length % plan->count * (i + 1) / plan->count;
    gfp_gpu_fence **const fences[] = {&m->ready, &m->read, &m->copied, &m->settled, &m->sent};
    for (size_t j = 0; j < sizeof fences / sizeof *fences; j++) {
        GFP_TRY(gfp_gpu_fence_create(fences[j], m->gpu));
    }
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

static void close_member(member *m)
{
    gfp_gpu *gpu = m->gpu;
    gfp_gpu_fence *const fences[] = {m->ready, m->read, m->copied, m->settled, m->sent};
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
        gfp_gpu_fence_destroy(fences[i]);
    }
    const int before = gfp_gpu_enter_to_destroy(gpu);
    if (m->cyclic.engine != NULL) {
        m->cyclic.engine->destroy(&m->cyclic);
    }
    gfp_gpu_device_release(gpu, m->work[0], m->work_bytes);
    gfp_gpu_device_release(gpu, m->work[1], m->work_bytes);
    gfp_gpu_device_release(gpu, m->staged, m->staged_bytes);
    gfp_gpu_device_release(gpu, m->received, m->received_bytes);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
}

void gfp_gpu_dealt_plan_destroy(gfp_gpu_dealt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    /* Members write to each other's memory. */
    for (unsigned i = 0; i < plan->count; i++) {
        gfp_gpu *gpu = plan->members[i].gpu;
        const gfp_error error = gpu->error;
        (void)gpu->backend->device->wait(gpu);
        gpu->error = error;
    }
    for (unsigned i = 0; i < plan->count; i++) {
        close_member(&plan->members[i]);
    }
    const gfp_allocator allocator = plan->allocator;
    gfp_release(&allocator, plan, 1, sizeof *plan);
}

/* ---- the first half: transforms ---- */

/* Has the other members' blocks of b copied; *b := the blocks as the member sees them. */
static gfp_status stage_factor(const product *p, unsigned i, gfp_gpu_blocks *b)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    const member *m = &plan->members[i];
    const gfp_gpu_queue_calls *queues = m->gpu->backend->queues;
    uint64_t *to = m->staged;
    *b = p->b;
    GFP_TRY(queues->fence_hold(m->read, GFP_GPU_QUEUE_UPLOAD));
    for (unsigned j = 0; j < plan->count; j++) {
        const size_t words = block_length(plan, p->len_b, j) * plan->k;
        if (j != i && words > 0) {
            GFP_TRY(m->gpu->backend->exchange->copy(m->gpu, GFP_GPU_QUEUE_UPLOAD, to, p->b.block[j],
                                                    words * sizeof *to));
            b->block[j] = to;
            to += words;
        }
    }
    GFP_TRY(set_fence(m, m->copied, GFP_GPU_QUEUE_UPLOAD));
    return queues->fence_hold(m->copied, GFP_GPU_QUEUE_MAIN);
}

static gfp_status transform_first(const product *p, unsigned i)
{
    member *m = &p->plan->members[i];
    GFP_TRY(HOLD_FOR_OTHERS(p->plan, i, GFP_GPU_QUEUE_MAIN, ready));
    return m->cyclic.engine->share->transform(&m->cyclic, m->work[0], &p->a, p->len_a, m->read);
}

static gfp_status transform_second(const product *p, unsigned i)
{
    member *m = &p->plan->members[i];
    gfp_gpu_blocks b;
    GFP_TRY(stage_factor(p, i, &b));
    return m->cyclic.engine->share->transform(&m->cyclic, m->work[1], &b, p->len_b, NULL);
}

/* ---- the second half: the product ---- */

/* The place at member j of the columns of leaf s, a leaf of another member. */
static uint64_t *place_at(const gfp_gpu_dealt_plan *plan, unsigned j, unsigned s)
{
    const member *m = &plan->members[j];
    const unsigned before = s < m->first ? s : s - (m->end - m->first);
    return m->received + before * (m->to - m->from) * plan->k;
}

/* Sends `count` leaves from leaf s on, whose digits are there, to the other members. */
static gfp_status send_leaves(const gfp_gpu_dealt_plan *plan, unsigned i, unsigned s,
                              unsigned count, const uint64_t *digits)
{
    const member *m = &plan->members[i];
    const size_t k = plan->k;
    GFP_TRY(set_fence(m, m->settled, GFP_GPU_QUEUE_MAIN));
    GFP_TRY(m->gpu->backend->queues->fence_hold(m->settled, GFP_GPU_QUEUE_UPLOAD));
    for (unsigned l = 0; l < count; l++) {
        for (unsigned j = 0; j < plan->count; j++) {
            const size_t from = plan->members[j].from, n = plan->members[j].to - from;
            if (j != i && n > 0) {
                GFP_TRY(m->gpu->backend->exchange->copy(
                    m->gpu, GFP_GPU_QUEUE_UPLOAD, place_at(plan, j, s + l),
                    digits + (l * plan->length + from) * k, n * k * sizeof *digits));
            }
        }
    }
    return GFP_OK;
}

static gfp_status multiply_share(const product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    member *m = &p->plan->members[i];
    const gfp_gpu_share_calls *share = m->cyclic.engine->share;
    const size_t piece = plan->length / plan->count * plan->k * sizeof(uint64_t);
    const size_t step = piece >= LEAST_COPY ? 1 : LEAST_COPY / (piece + 1) + 1;
    GFP_TRY(share->multiply(&m->cyclic, m->work[0], m->work[p->square ? 0 : 1]));
    for (unsigned s = m->first; s < m->end;) {
        const unsigned count = (unsigned)gfp_size_min(step, m->end - s);
        uint64_t *digits = NULL;
        GFP_TRY(share->settle(&m->cyclic, m->work[0], s, count, &digits));
        m->digits = s == m->first ? digits : m->digits;
        GFP_TRY(send_leaves(plan, i, s, count, digits));
        s += count;
    }
    return set_fence(m, m->sent, GFP_GPU_QUEUE_UPLOAD);
}

static gfp_status restore_columns(const product *p, unsigned i)
{
    const gfp_gpu_dealt_plan *plan = p->plan;
    member *m = &p->plan->members[i];
    const gfp_gpu_share_calls *share = m->cyclic.engine->share;
    gfp_gpu_leaves leaves = {.own = m->first, .own_end = m->end, .from = m->from, .to = m->to};
    for (unsigned s = 0; s < plan->leaves; s++) {
        leaves.leaf[s] = m->first <= s && s < m->end
                             ? m->digits + (s - m->first) * plan->length * plan->k
                             : place_at(plan, i, s);
    }
    GFP_TRY(HOLD_FOR_OTHERS(plan, i, GFP_GPU_QUEUE_MAIN, sent));
    GFP_TRY(share->restore(&m->cyclic, &p->c, p->len_c, &leaves));
    return set_fence(m, m->ready, GFP_GPU_QUEUE_MAIN);
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
    /* Stage by stage, so that all members work at once. */
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, false,
                  set_fence(&plan->members[i], plan->members[i].ready, GFP_GPU_QUEUE_MAIN));
    }
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, false, transform_first(&p, i));
    }
    for (unsigned i = 0; i < plan->count && !p.square; i++) {
        DEALT_TRY(plan, i, false, transform_second(&p, i));
    }
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, false, multiply_share(&p, i));
    }
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, false, restore_columns(&p, i));
    }
    for (unsigned i = 0; i < plan->count; i++) {
        DEALT_TRY(plan, i, false, HOLD_FOR_OTHERS(plan, i, GFP_GPU_QUEUE_MAIN, ready));
    }
    return GFP_OK;
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
