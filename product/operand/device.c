/* device.c: operands of the methods on a GPU: an operand is the coefficients, on the host;
 * its cache is their transform, on the device, which the first product with the operand as b makes.
 * Operands of a space share a plan and a context of the device, which one thread uses at a time
 * while others wait.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"

#include <pthread.h>

#include "gpu/call.h"
#include "product/choose/choice.h"
#include "product/device/pool.h"
#include "field/base/support.h"

typedef struct device {
    gfp_ring head;
    size_t k;
    gfp_gpu_method method;
    pthread_mutex_t mutex; /* of the members below, and of the caches */
    gfp_pool_entry *entry;
    gfp_gpu_product_plan *plan;
    gfp_status status; /* DEVICE, once a call ended so: the entry must not return to the pool */
} device;

/* The cache of an operand; NULL: not made yet. */
typedef struct cache {
    gfp_gpu_operand *made;
} cache;

/* A product on the device: z := coefficients first <= i < first + n of a x. */
typedef struct product {
    uint64_t *z;
    const uint64_t *a;
    size_t len_a;
    const gfp_operand *x;
    size_t first, n;
    /* Quiet: no callback of the caller's runs while the lock is held, which it may wait for. */
    gfp_task *task;
    gfp_task *cpu_task; /* of the CPU, if it computes instead */
} product;

static device *device_of(const gfp_ring *ring)
{
    return (device *)ring; /* rings are shared; the lock guards what changes */
}

static cache *cache_of(const gfp_transform *x)
{
    return x->cache;
}

/* ---- plans ---- */

/* Makes a plan for all products of at most `length` coefficients: none of them wraps around, and
 * the middle coefficient of the longest factors needs no longer transforms. */
static gfp_status try_plan(device *d, size_t length, gfp_error *error)
{
    const gfp_gpu_product_options options = {.method = d->method, .first = length - 1, .n = 1};
    GFP_TRY(gfp_gpu_product_plan_create(&d->plan, d->entry->gpu, d->head.field, length, length,
                                        &options, &(gfp_options){.error = error}));
    const size_t pieces = gfp_gpu_product_plan_pieces(d->plan);
    if (pieces == 1) {
        return GFP_OK;
    }
    /* The plan cuts operands into pieces, and cut operands have no transforms. */
    gfp_gpu_product_plan_destroy(d->plan);
    d->plan = NULL;
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "%s: operands of length %zu do not fit the GPU: products take %zu pieces",
                         gfp_gpu_method_name(d->method), length, pieces);
}

/* If memory is short, frees idle entries and tries again. */
static gfp_status make_plan(device *d, size_t length, gfp_error *error)
{
    const gfp_status status = try_plan(d, length, error);
    if (status != GFP_ERR_MEMORY) {
        return status;
    }
    gfp_pool_clear(d->entry);
    return try_plan(d, length, error);
}

static gfp_status open_device(device *d, const gfp_options *options, size_t length,
                              gfp_error *error)
{
    gfp_status status = gfp_pool_take(&d->entry, d->head.field, options->gpu_device, 1,
                                      options->gpu_memory_cap, error);
    if (status == GFP_OK) {
        status = make_plan(d, length, error);
        if (status != GFP_OK) {
            gfp_pool_give(d->entry, status);
        }
    }
    if (status == GFP_OK && pthread_mutex_init(&d->mutex, NULL) != 0) {
        gfp_gpu_product_plan_destroy(d->plan);
        gfp_pool_give(d->entry, GFP_OK);
        status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a lock");
    }
    return status;
}

static gfp_status device_create(gfp_ring **ring, const gfp_ring_problem *p, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(p->field);
    const gfp_space *s = p->frame;
    const size_t k = gfp_field_k(p->field);
    device *d = gfp_allocate(allocator, 1, sizeof *d);
    if (d == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for operands on a GPU");
    }
    *d = (device){.head = {.engine = &gfp_device_rings,
                           .field = p->field,
                           .length = p->length,
                           .words = gfp_size_mul_sat(p->length, k),
                           .bytes = sizeof *d},
                  .k = k,
                  .method = s->method->device};
    const gfp_status status = open_device(d, p->options, p->length, error);
    if (status != GFP_OK) {
        gfp_release(allocator, d, 1, sizeof *d);
        return status;
    }
    *ring = &d->head;
    return GFP_OK;
}

static void device_destroy(gfp_ring *ring)
{
    device *d = device_of(ring);
    gfp_gpu_product_plan_destroy(d->plan);
    gfp_pool_give(d->entry, d->status);
    (void)pthread_mutex_destroy(&d->mutex);
    gfp_release(gfp_field_allocator(ring->field), d, 1, sizeof *d);
}

static size_t device_staging(const gfp_ring *ring)
{
    return gfp_staging_bytes(ring->words, ring->words);
}

static gfp_ring_units device_units(const gfp_ring *ring)
{
    const double words = (double)ring->words;
    return (gfp_ring_units){.transform = words, .restore = words, .cost = 1};
}

/* ---- products ---- */

/* An array of the entry := a factor; work enqueued in the main queue from now on waits for it. */
static gfp_status device_upload(device *d, size_t index, size_t fence, const uint64_t *x,
                                size_t len, gfp_task *task)
{
    const gfp_host_rows rows = {(uint64_t *)x, 1, len * d->k, len * d->k};
    GFP_TRY(gfp_pool_reserve(d->entry, index, len * d->k));
    GFP_TRY(gfp_pool_upload(d->entry, d->entry->array[index], &rows, task));
    return gfp_pool_order(d->entry, fence, GFP_GPU_QUEUE_UPLOAD, GFP_GPU_QUEUE_MAIN);
}

/* The caller of this and of `run` holds the lock. */
static gfp_status make_transform(device *d, const product *p)
{
    const gfp_operand *x = p->x;
    if (cache_of(&x->t)->made != NULL) {
        return GFP_OK;
    }
    GFP_TRY(device_upload(d, GFP_POOL_B, GFP_POOL_FENCE_B, x->t.words, x->len, p->task));
    return gfp_gpu_operand_create(&cache_of(&x->t)->made, d->plan, d->entry->array[GFP_POOL_B],
                                  x->len, NULL);
}

static gfp_status device_run(device *d, const product *p)
{
    const gfp_host_rows to = {p->z, 1, p->n * d->k, p->n * d->k};
    gfp_pool_entry *entry = d->entry;
    GFP_TRY(make_transform(d, p));
    GFP_TRY(device_upload(d, GFP_POOL_A, GFP_POOL_FENCE_A, p->a, p->len_a, p->task));
    GFP_TRY(gfp_pool_reserve(entry, GFP_POOL_C, p->n * d->k));
    GFP_TRY(gfp_gpu_operand_mul(entry->array[GFP_POOL_C], entry->array[GFP_POOL_A], p->len_a,
                                cache_of(&p->x->t)->made, p->first, p->n, d->plan, NULL));
    GFP_TRY(gfp_pool_order(entry, GFP_POOL_FENCE_C, GFP_GPU_QUEUE_MAIN, GFP_GPU_QUEUE_DOWNLOAD));
    GFP_TRY(gfp_pool_download(entry, &to, entry->array[GFP_POOL_C], 0, p->task));
    return gfp_gpu_wait(entry->gpu, NULL);
}

/* If memory is short, frees idle entries and tries again. */
static gfp_status run_again(device *d, const product *p, gfp_error *error)
{
    gfp_gpu_error_begin(d->entry->gpu, NULL); /* failures of earlier calls are no reasons */
    gfp_status status = device_run(d, p);
    if (status == GFP_ERR_MEMORY) {
        gfp_pool_clear(d->entry);
        status = device_run(d, p);
    }
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        const gfp_error *last = gfp_gpu_last_error(d->entry->gpu);
        gfp_error_set(error, status, "%s: %s", gfp_gpu_method_name(d->method),
                      last->status != GFP_OK ? last->message : gfp_status_string(status));
    }
    if (!gfp_pool_wait(d->entry, status) || status == GFP_ERR_DEVICE) {
        d->status = GFP_ERR_DEVICE;
    }
    return status;
}

static gfp_status run_alone(device *d, const product *p, gfp_error *error)
{
    (void)pthread_mutex_lock(&d->mutex);
    const gfp_status status = run_again(d, p, error);
    (void)pthread_mutex_unlock(&d->mutex);
    return status;
}

/* Computes the product by a method of the CPU. */
static gfp_status run_elsewhere(gfp_operand_call *w, const product *p)
{
    const gfp_space *s = w->s;
    gfp_range r = gfp_range_make(s->field, p->a, p->x->t.words, p->len_a, p->x->len, p->first,
                                 p->first + p->n);
    gfp_range_trim(&r);
    const gfp_problem problem = {.len_a = r.len_a, .len_b = r.len_b, .no_gpu = true};
    const gfp_options options = {
        .threads = gfp_task_threads(p->cpu_task),
        .memory_cap = w->base.left == SIZE_MAX ? 0 : w->base.left + (w->base.left == 0)};
    const gfp_request q = gfp_request_make(&problem, s->field, &options);
    w->method = gfp_request_pick(NULL, &q);
    gfp_task_again(p->cpu_task);
    gfp_status status = gfp_request_refuse_slow(&q, w->method, &w->base.error);
    if (status == GFP_OK) {
        status = gfp_range_run(w->method, &r, p->z, q.cap, p->cpu_task, &w->base.error);
    }
    return status;
}

/* Computes the product on the device; on the CPU if the device fails and the chooser picked the
 * method. */
static gfp_status device_compute(gfp_operand_call *w, const product *p)
{
    gfp_error why = {.status = GFP_OK};
    const gfp_status status = run_alone(device_of(w->s->ring), p, &why);
    if (status == GFP_OK || status == GFP_ERR_CANCELLED) {
        return status;
    }
    if (!w->s->free_choice) {
        w->base.error = why;
        return status;
    }
    w->base.report.gpu_method = w->s->method->name;
    w->base.report.gpu_error = why;
    return run_elsewhere(w, p);
}

/* ---- operands ---- */

static gfp_status device_transform(const gfp_ring_call *call, gfp_transform *x, const uint64_t *a,
                                   size_t len)
{
    const gfp_ring *ring = call->ring;
    gfp_vec_set(ring->field, x->words, a, len);
    gfp_vec_zero(ring->field, x->words + len * gfp_field_k(ring->field), ring->length - len);
    return GFP_OK;
}

static void device_forget(const gfp_ring *ring, gfp_transform *x)
{
    device *d = device_of(ring);
    (void)pthread_mutex_lock(&d->mutex);
    gfp_gpu_operand_destroy(cache_of(x)->made);
    cache_of(x)->made = NULL;
    (void)pthread_mutex_unlock(&d->mutex);
}

static gfp_status device_add(const gfp_ring_call *call, gfp_transform *c, const gfp_transform *a,
                             const gfp_transform *b, bool subtract)
{
    const gfp_ring *ring = call->ring;
    gfp_operand_elements e = {ring->field, c->words, a->words, b->words, subtract ? -1 : 1, 0};
    (void)gfp_operand_run_elements(gfp_operand_add_elements, &e, ring->length, call->task);
    device_forget(ring, c);
    return GFP_OK;
}

/* c := t (sign 0), c + t, c - t; the first len coefficients of t are a product. */
static void device_accumulate(const gfp_ring_call *call, gfp_transform *c, gfp_operand *t,
                              size_t len, int sign)
{
    const gfp_ring *ring = call->ring;
    if (sign == 0) {
        gfp_operand *to = (gfp_operand *)c;
        gfp_vec_zero(ring->field, t->t.words + len * gfp_field_k(ring->field), ring->length - len);
        gfp_vec_set(ring->field, gfp_operand_values(t), gfp_operand_values(to), t->space->points);
        gfp_operand_exchange(to, t);
        return;
    }
    gfp_operand_elements e = {ring->field, c->words, c->words, t->t.words, sign, 0};
    (void)gfp_operand_run_elements(gfp_operand_add_elements, &e, len, call->task);
    device_forget(ring, c);
}

static gfp_status device_multiply(const gfp_ring_call *call, gfp_transform *c,
                                  const gfp_transform *a, const gfp_transform *b, int sign)
{
    const gfp_operand *x = gfp_operand_of(a), *y = gfp_operand_of(b);
    const size_t len = gfp_operand_product_length(x, y);
    gfp_operand_call *w = call->frame;
    gfp_operand t = {.space = y->space};
    GFP_TRY(gfp_operand_open_apart(w, &t));
    const product p = {t.t.words, a->words, x->len, y, 0, len, w->quiet, w->quiet};
    const gfp_status status = device_compute(w, &p);
    if (status == GFP_OK) {
        device_accumulate(call, c, &t, len, sign);
    }
    gfp_operand_shut_apart(w, &t);
    return status;
}

static gfp_status device_restore(const gfp_ring_call *call, const gfp_ring_part *part,
                                 const gfp_transform *x)
{
    const gfp_field *field = call->ring->field;
    const size_t at = part->from * gfp_field_k(field);
    gfp_vec_set(field, part->z + at, x->words + at, part->end - part->from);
    return GFP_OK;
}

static gfp_status multiply_by(const gfp_ring_call *call, const gfp_ring_part *part,
                              const gfp_ring_factor *a, const gfp_transform *y, size_t terms)
{
    const size_t at = part->from * gfp_field_k(call->ring->field);
    gfp_operand_call *w = call->frame;
    const product p = {part->z + at,           a->digits, a->len, gfp_operand_of(y), part->from,
                       part->end - part->from, w->quiet,  w->task};
    (void)terms;
    return device_compute(w, &p);
}

static size_t device_held(const gfp_ring *ring, const gfp_transform *x)
{
    device *d = device_of(ring);
    (void)pthread_mutex_lock(&d->mutex);
    const size_t held = cache_of(x)->made != NULL ? gfp_gpu_operand_bytes(cache_of(x)->made) : 0;
    (void)pthread_mutex_unlock(&d->mutex);
    return held;
}

/* An operand saves one of three transforms, and one of four parts of the transfers: an estimate,
 * not measured. */
const gfp_ring_engine gfp_device_rings = {
    .by_product = 0.7,
    .cache_bytes = sizeof(cache),
    .create = device_create,
    .destroy = device_destroy,
    .staging = device_staging,
    .units = device_units,
    .transform = device_transform,
    .multiply = device_multiply,
    .add = device_add,
    .restore = device_restore,
    .multiply_by = multiply_by,
    .forget = device_forget,
    .held = device_held,
};
