/* backend.c: see device.h. A queue is a list of operations. An operation runs when some
 * call waits for it or, in an eager queue, as soon as the operations that it waits for have run.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "lab/fake_device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/fake_device/inside.h"
#include "gfpoly/product.h"

#define QUEUES 3
#define GARBAGE 0xA5

/* ---- the device ---- */

static const char *missing, *excluded;
static unsigned eager, corrupt;
static gfp_gpu_method refused;
static size_t memory = (size_t)1 << 30, least,
              most; /* the initial size, for programs that are no tests */
static bool cuts, useless, apart;
static unsigned start_ms, driver, devices = 2;
static fake_fault fault;
static size_t fault_at;
static atomic_size_t calls, contexts, alive, used, peak, uploads, products, transforms;
static size_t spoil_at; /* the product that will be wrong, counted down; 0: none */
static atomic_size_t plans, plans_made;
static atomic_bool failed, misread;

void fake_reset(size_t bytes)
{
    if (alive != 0 || used != 0) {
        fprintf(stderr, "%zu objects, %zu bytes left on the device\n", (size_t)alive, (size_t)used);
        abort();
    }
    missing = excluded = NULL;
    driver = 0;
    devices = 2;
    eager = corrupt = 0;
    refused = GFP_GPU_METHOD_AUTO;
    memory = bytes;
    least = most = 0;
    cuts = useless = false;
    start_ms = 0;
    fault_at = spoil_at = 0;
    apart = false;
    calls = contexts = peak = uploads = products = transforms = plans_made = 0;
    failed = misread = false;
}

void fake_spoil(size_t nth)
{
    spoil_at = nth;
}

void fake_memory(size_t bytes)
{
    memory = bytes;
}

void fake_driver(unsigned version)
{
    driver = version;
}

void fake_devices(unsigned count)
{
    devices = count;
}

void fake_exclude(const char *reason)
{
    excluded = reason;
}

void fake_missing(const char *reason)
{
    missing = reason;
}

void fake_eager(unsigned queues)
{
    eager = queues;
}

void fake_corrupt(unsigned queues)
{
    corrupt = queues;
}

void fake_refuse(gfp_gpu_method method)
{
    refused = method;
}

void fake_cuts(bool cut)
{
    cuts = cut;
}

void fake_least(size_t len)
{
    least = len;
}

void fake_most(size_t len)
{
    most = len;
}

void fake_serves(bool serves)
{
    useless = !serves;
}

void fake_apart(bool contexts_are)
{
    apart = contexts_are;
}

void fake_start(unsigned milliseconds)
{
    start_ms = milliseconds;
}

void fake_fail(fake_fault kind, size_t nth)
{
    fault = kind;
    fault_at = nth;
    calls = 0;
    failed = false;
}

size_t fake_calls(void)
{
    return calls;
}

bool fake_failed(void)
{
    return failed;
}

size_t fake_contexts(void)
{
    return contexts;
}

size_t fake_alive(void)
{
    return alive;
}

size_t fake_peak(void)
{
    return peak;
}

size_t fake_uploads(void)
{
    return uploads;
}

size_t fake_products(void)
{
    return products;
}

size_t fake_transforms(void)
{
    return transforms;
}

size_t fake_plans(void)
{
    return plans;
}

size_t fake_plans_made(void)
{
    return plans_made;
}

bool fake_misread(void)
{
    return misread;
}

/* ---- objects ---- */

void *fake_make(size_t bytes)
{
    void *made = calloc(1, bytes > 0 ? bytes : 1);
    if (made == NULL) {
        abort();
    }
    alive++;
    return made;
}

void fake_unmake(void *made)
{
    if (made != NULL) {
        alive--;
        free(made);
    }
}

/* The allocator of contexts; it counts the library's blocks. */
static void *allocate_counted(void *user, size_t bytes)
{
    (void)user;
    return fake_make(bytes);
}

static void release_counted(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    fake_unmake(block);
}

/* ---- contexts and their queues ---- */

typedef struct line {
    operation *operations;
    size_t count, done, capacity;
} line;

typedef struct host_gpu host_gpu;
struct host_gpu {
    gfp_gpu base;
    line queue[QUEUES];
    fake_graph *recording;
    host_gpu *next; /* of the open contexts */
};

static host_gpu *open_contexts;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct host_fence {
    gfp_gpu_fence base;
    int queue;
    size_t at;
} host_fence;

fake_graph **fake_recording(gfp_gpu *gpu)
{
    return &((host_gpu *)gpu)->recording;
}

/* Begins every call that can fail. */
static gfp_status backend_enter(gfp_gpu *gpu, int *before)
{
    const size_t call = ++calls;
    const bool stays = fault == FAKE_LOST || fault == FAKE_FULL;
    (void)before;
    if (fault_at == 0 || call < fault_at || (!stays && call > fault_at)) {
        return GFP_OK;
    }
    failed = true;
    gpu->lost = fault == FAKE_LOST;
    return fault == FAKE_MEMORY || fault == FAKE_FULL
               ? GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "made to fail: memory")
               : GFP_GPU_FAIL(gpu, GFP_ERR_DEVICE, "made to fail: device");
}

static void run_until(gfp_gpu *gpu, int queue, size_t at)
{
    line *q = &((host_gpu *)gpu)->queue[queue];
    while (q->done < at) {
        const operation o = q->operations[q->done++];
        o.run(gpu, &o);
        free(o.copied);
    }
}

gfp_status fake_put(gfp_gpu *gpu, gfp_gpu_queue queue, operation o)
{
    line *q = &((host_gpu *)gpu)->queue[queue];
    fake_graph *graph = ((host_gpu *)gpu)->recording;
    o.queue = (int)queue;
    if (graph != NULL) {
        if (o.copied != NULL || o.plan == NULL) {
            free(o.copied);
            return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "cannot be recorded");
        }
        graph->recorded = realloc(graph->recorded, (graph->count + 1) * sizeof o);
        if (graph->recorded == NULL) {
            abort();
        }
        graph->recorded[graph->count++] = o;
        return GFP_OK;
    }
    if (q->count == q->capacity) {
        q->capacity = 2 * q->capacity + 16;
        q->operations = realloc(q->operations, q->capacity * sizeof *q->operations);
        if (q->operations == NULL) {
            abort();
        }
    }
    q->operations[q->count++] = o;
    if ((eager >> queue & 1) != 0) {
        run_until(gpu, (int)queue, q->count);
    }
    return GFP_OK;
}

void fake_run_all(gfp_gpu *gpu)
{
    for (int i = 0; i < QUEUES; i++) {
        run_until(gpu, i, ((host_gpu *)gpu)->queue[i].count);
    }
}

static gfp_status count_devices(gfp_gpu *gpu, unsigned *count)
{
    *count = devices;
    return missing == NULL ? GFP_OK : GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "%s", missing);
}

static gfp_status open_context(gfp_gpu *gpu)
{
    const struct timespec pause = {.tv_nsec = 1000000L * start_ms};
    unsigned count = 0;
    (void)nanosleep(&pause, NULL);
    contexts++;
    GFP_TRY(count_devices(gpu, &count));
    GFP_TRY(backend_enter(gpu, NULL));
    if (gpu->device >= count) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such device: there are %u", count);
    }
    if (gpu->device == 0 && excluded != NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_DEVICE, "%s", excluded);
    }
    host_gpu *host = (host_gpu *)gpu;
    pthread_mutex_lock(&open_lock);
    host->next = open_contexts;
    open_contexts = host;
    pthread_mutex_unlock(&open_lock);
    alive++; /* the context itself, which that allocator releases */
    gpu->allocator = (gfp_allocator){.allocate = allocate_counted, .release = release_counted};
    return GFP_OK;
}

static void close_context(gfp_gpu *gpu)
{
    if (gpu->bytes != 0) {
        fputs("something of a context outlives it\n", stderr);
        abort();
    }
    for (int i = 0; i < QUEUES; i++) {
        free(((host_gpu *)gpu)->queue[i].operations);
    }
    pthread_mutex_lock(&open_lock);
    host_gpu **at = &open_contexts;
    while (*at != NULL && *at != (host_gpu *)gpu) {
        at = &(*at)->next;
    }
    if (*at != NULL) { /* else it was never open */
        *at = (*at)->next;
    }
    pthread_mutex_unlock(&open_lock);
}

static gfp_status get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    (void)gpu;
    *info = (gfp_gpu_info){
        .name = "Fake", .memory_total = memory, .memory_free = memory, .driver_version = driver};
    return GFP_OK;
}

static gfp_status wait_for_all(gfp_gpu *gpu)
{
    int before = -1;
    const gfp_status status = gfp_gpu_enter(gpu, true, &before);
    fake_run_all(gpu);
    return status;
}

/* The contexts of a test that gets here are used by one thread. */
static gfp_status wait_for_device(gfp_gpu *gpu)
{
    pthread_mutex_lock(&open_lock);
    for (host_gpu *other = open_contexts; other != NULL; other = other->next) {
        if (other->base.device == gpu->device) {
            fake_run_all(&other->base);
        }
    }
    pthread_mutex_unlock(&open_lock);
    return GFP_OK;
}

static const gfp_gpu_device_calls device_calls = {
    .context_size = sizeof(host_gpu),
    .count = count_devices,
    .open = open_context,
    .close = close_context,
    .info = get_info,
    .enter = backend_enter,
    .wait = wait_for_all,
    .wait_device = wait_for_device,
};

/* ---- memory ---- */

static gfp_status backend_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    if (used > memory || bytes > memory - used) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "the fake device is full");
    }
    used += bytes;
    peak = used > peak ? used : peak;
    *block = memset(fake_make(bytes), GARBAGE, bytes); /* new memory holds garbage */
    return GFP_OK;
}

static void backend_release(gfp_gpu *gpu, void *block, size_t bytes)
{
    fake_run_all(gpu);
    used -= bytes;
    fake_unmake(block);
}

static gfp_status backend_available(gfp_gpu *gpu, size_t *bytes)
{
    (void)gpu;
    *bytes = memory - used;
    return GFP_OK;
}

/* Page-locked blocks, each behind a line that holds its size. */
#define LINE 64
#define BLOCKS 256
static _Atomic(char *) pinned_blocks[BLOCKS];

static gfp_status host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    char *made = fake_make(bytes + LINE), *none = NULL;
    (void)gpu;
    memcpy(made, &bytes, sizeof bytes);
    for (size_t i = 0; !atomic_compare_exchange_strong(&pinned_blocks[i], &none, made); i++) {
        none = NULL;
    }
    *block = made + LINE;
    return GFP_OK;
}

static void host_release(gfp_gpu *gpu, void *block)
{
    (void)gpu;
    for (size_t i = 0; i < BLOCKS; i++) {
        char *made = pinned_blocks[i];
        if (made != NULL && made + LINE == block) {
            pinned_blocks[i] = NULL;
            fake_unmake(made);
            return;
        }
    }
}

static gfp_status host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    const char *from = block;
    (void)gpu;
    *pinned = false;
    for (size_t i = 0; i < BLOCKS; i++) {
        const char *made = pinned_blocks[i];
        size_t size = 0;
        if (made != NULL) {
            memcpy(&size, made, sizeof size);
            *pinned = *pinned || (from >= made + LINE && from + bytes <= made + LINE + size);
        }
    }
    return GFP_OK;
}

static void run_copy(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    memmove(o->to, o->from, o->n * sizeof *o->to);
    o->to[o->n / 2] ^= corrupt >> o->queue & 1;
}

static gfp_status put_copy(gfp_gpu *gpu, gfp_gpu_queue queue, void *to, const void *from,
                           size_t bytes)
{
    return fake_put(
        gpu, queue,
        (operation){.run = run_copy, .to = to, .from = from, .n = bytes / sizeof(uint64_t)});
}

static gfp_status backend_copy(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    return put_copy(gpu, GFP_GPU_QUEUE_MAIN, to, from, bytes);
}

static void run_clear(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    memset(o->to, 0, o->n * sizeof *o->to);
}

static gfp_status backend_clear(gfp_gpu *gpu, void *to, size_t bytes)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_clear, .to = to, .n = bytes / sizeof(uint64_t)});
}

static void run_clear_rows(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    for (size_t i = 0; i < o->len_a; i++) {
        memset(o->to + i * o->stride_c, 0, o->n * sizeof *o->to);
    }
}

static gfp_status clear_rows(gfp_gpu *gpu, void *to, size_t pitch, size_t size, size_t rows)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_clear_rows,
                                .to = to,
                                .n = size / sizeof(uint64_t),
                                .stride_c = pitch / sizeof(uint64_t),
                                .len_a = rows});
}

static gfp_status upload_begin(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    uploads++;
    return put_copy(gpu, GFP_GPU_QUEUE_UPLOAD, to, from, bytes);
}

static gfp_status download_begin(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    return put_copy(gpu, GFP_GPU_QUEUE_DOWNLOAD, to, from, bytes);
}

static gfp_status backend_upload(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    fake_run_all(gpu);
    GFP_TRY(upload_begin(gpu, to, from, bytes));
    fake_run_all(gpu);
    return GFP_OK;
}

static gfp_status backend_download(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    fake_run_all(gpu);
    GFP_TRY(download_begin(gpu, to, from, bytes));
    fake_run_all(gpu);
    return GFP_OK;
}

static const gfp_gpu_memory_calls memory_calls = {
    .allocate = backend_allocate,
    .release = backend_release,
    .available = backend_available,
    .host_allocate = host_allocate,
    .host_release = host_release,
    .host_is_pinned = host_is_pinned,
    .upload = backend_upload,
    .download = backend_download,
    .copy = backend_copy,
    .clear = backend_clear,
    .clear_rows = clear_rows,
};

/* ---- fences ---- */

static gfp_status fence_open(gfp_gpu_fence *fence)
{
    (void)fence; /* at the beginning of the main queue */
    return GFP_OK;
}

static void fence_close(gfp_gpu_fence *fence)
{
    (void)fence;
}

static gfp_status fence_set(gfp_gpu_fence *base, gfp_gpu_queue queue)
{
    host_fence *fence = (host_fence *)base;
    fence->queue = (int)queue;
    fence->at = ((host_gpu *)base->gpu)->queue[queue].count;
    return GFP_OK;
}

static void run_hold(gfp_gpu *gpu, const operation *o)
{
    run_until(gpu, o->fence_queue, o->at);
}

static gfp_status fence_hold(gfp_gpu_fence *base, gfp_gpu_queue queue)
{
    const host_fence *fence = (const host_fence *)base;
    return fake_put(base->gpu, queue,
                    (operation){.run = run_hold, .fence_queue = fence->queue, .at = fence->at});
}

static gfp_status fence_wait(gfp_gpu_fence *fence)
{
    run_until(fence->gpu, ((host_fence *)fence)->queue, ((host_fence *)fence)->at);
    return GFP_OK;
}

static const gfp_gpu_queue_calls queue_calls = {
    .upload = upload_begin,
    .download = download_begin,
    .fence_size = sizeof(host_fence),
    .fence_open = fence_open,
    .fence_close = fence_close,
    .fence_set = fence_set,
    .fence_hold = fence_hold,
    .fence_wait = fence_wait,
};

/* ---- several contexts ---- */

static gfp_status exchange_reach(gfp_gpu *gpu, const gfp_gpu *peer)
{
    return gpu == peer || !apart
               ? GFP_OK
               : GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "device %u cannot reach device %u",
                              gpu->device, peer->device);
}

static void run_hold_other(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    run_until(o->plan, o->fence_queue, o->at);
}

static gfp_status exchange_hold(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_fence *base)
{
    const host_fence *fence = (const host_fence *)base;
    return fake_put(gpu, queue,
                    (operation){.run = run_hold_other,
                                .plan = base->gpu,
                                .fence_queue = fence->queue,
                                .at = fence->at});
}

static gfp_status exchange_copy(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_copy *copy)
{
    for (size_t i = 0; i < copy->rows; i++) {
        GFP_TRY(put_copy(gpu, queue, (char *)copy->to + i * copy->to_pitch,
                         (const char *)copy->from + i * copy->from_pitch, copy->bytes));
    }
    return GFP_OK;
}

static const gfp_gpu_exchange_calls exchange_calls = {exchange_reach, exchange_hold, exchange_copy,
                                                      4096};

/* ---- products ---- */

typedef struct host_plan {
    gfp_gpu_product_plan base;
    size_t least;   /* of the plan's problem */
    bool wraps;     /* its products are modulo X^least - 1 */
    void *area;     /* device memory, base.bytes of it */
    uint64_t *kept; /* a as the product began */
} host_plan;

static bool backend_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                           size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)gpu;
    (void)method;
    (void)len_b;
    const bool can = !useless && gfp_field_k(field) < 256 && len_a < (size_t)1 << 40;
    if (!can) {
        (void)snprintf(why, size, "not on the fake device");
    }
    return can;
}

/* The least length of a transform that gives coefficients first <= i < end of a product. */
static size_t least_length(size_t len_a, size_t len_b, size_t first, size_t end)
{
    const size_t all = len_a + len_b - 1;
    size_t n = all - first > end ? all - first : end;
    n = n > len_a ? n : len_a;
    return n > len_b ? n : len_b;
}

static gfp_status open_plan(gfp_gpu_product_plan *base, const gfp_gpu_product_options *options)
{
    gfp_gpu *gpu = base->gpu;
    host_plan *plan = (host_plan *)base;
    const size_t all = base->len_a + base->len_b - 1, element = base->k * sizeof(uint64_t);
    const size_t first = options->n != 0 ? options->first : 0;
    const size_t end = options->n != 0 ? gfp_size_min(first + options->n, all) : all;
    if (base->len_a == 0 || base->len_b == 0 || first >= all) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such coefficients");
    }
    if (most != 0 && (base->len_a > most || base->len_b > most)) {
        fake_fail(FAKE_LOST, 1);
        return backend_enter(gpu, NULL);
    }
    if (refused != GFP_GPU_METHOD_AUTO && options->method == refused) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "refused");
    }
    if (base->len_a < least && base->len_b < least) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "too short");
    }
    plan->least = least_length(base->len_a, base->len_b, first, end);
    plan->wraps = options->wrap != 0;
    if (plan->wraps) { /* modulo X^N - 1 for an odd N */
        const size_t longer = base->len_a > base->len_b ? base->len_a : base->len_b;
        plan->least = (options->wrap > longer ? options->wrap : longer) | 1;
    }
    base->method = options->method != GFP_GPU_METHOD_AUTO ? options->method : GFP_GPU_METHOD_HYBRID;
    base->length = plan->least;
    base->pieces = 1;
    base->bytes = base->batch * (base->len_a + base->len_b) * element;
    gfp_status status;
    while ((status = gfp_gpu_device_allocate(gpu, &plan->area, base->bytes)) != GFP_OK && cuts &&
           base->pieces < 64) {
        base->pieces *= 2;
        base->bytes /= 2;
    }
    GFP_TRY(status);
    plan->kept = fake_make(base->batch * (plan->wraps ? plan->least : base->len_a) * element);
    plans++;
    plans_made++;
    return GFP_OK;
}

static void close_plan(gfp_gpu_product_plan *base)
{
    host_plan *plan = (host_plan *)base;
    plans -= plan->area != NULL;
    gfp_gpu_device_release(base->gpu, plan->area, base->bytes);
    fake_unmake(plan->kept);
}

static void run_keep(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    memcpy(o->to, o->from, o->n * sizeof *o->to);
}

static gfp_status put_keep(gfp_gpu *gpu, uint64_t *to, const uint64_t *from, size_t words)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_keep, .to = to, .from = from, .n = words});
}

/* Enqueues the copy of rows, packed. */
static gfp_status put_keep_rows(const gfp_gpu_product_plan *plan, uint64_t *to,
                                const uint64_t *from, size_t len, size_t stride)
{
    for (size_t i = 0; i < plan->batch; i++) {
        GFP_TRY(put_keep(plan->gpu, to + i * len * plan->k, from + i * stride * plan->k,
                         len * plan->k));
    }
    return GFP_OK;
}

static void run_product(gfp_gpu *gpu, const operation *o)
{
    const host_plan *plan = o->plan;
    const gfp_field *field = plan->base.field;
    const size_t batch = plan->base.batch, k = plan->base.k, len_c = o->len_a + o->len_b - 1;
    uint64_t *c = fake_make(batch * len_c * k * sizeof *c);
    const uint64_t *a = plan->kept;
    const gfp_batch all = {
        .count = batch, .len_a = o->len_a, .len_b = o->len_b, .stride_b = o->stride_b};
    const gfp_options options = {.method = o->len_a < 8 ? "classical" : "karatsuba", .threads = 1};
    bool canonical = gfp_vec_canonical(field, a, batch * o->len_a) == batch * o->len_a;
    (void)gpu;
    for (size_t i = 0; i < batch; i++) {
        const uint64_t *b = o->from + i * o->stride_b * k;
        canonical = canonical && gfp_vec_canonical(field, b, o->len_b) == o->len_b;
    }
    if (!canonical) {
        misread = true;
    } else if (gfp_vec_mul_batch(field, c, a, o->from, &all, &options) != GFP_OK) {
        abort();
    }
    if (plan->wraps && len_c > plan->least) {
        for (size_t i = 0; i < batch; i++) {
            uint64_t *low = c + i * len_c * k;
            gfp_vec_add(field, low, low, low + plan->least * k, len_c - plan->least);
        }
    }
    const size_t known = gfp_size_min(o->n, o->first < len_c ? len_c - o->first : 0);
    for (size_t i = 0; i < batch; i++) {
        uint64_t *to = o->to + i * o->stride_c * k;
        memcpy(to, c + (i * len_c + o->first) * k, known * k * sizeof *c);
        memset(to + known * k, 0, (o->n - known) * k * sizeof *c);
    }
    if (spoil_at > 0 && --spoil_at == 0) {
        gfp_elem_one(field, c);
        gfp_vec_add(field, o->to, o->to, c, 1);
    }
    fake_unmake(c);
}

/* Refuses every problem that the plan was not made for, even if a device could compute it. */
static gfp_status check_product(const host_plan *plan, const gfp_gpu_product *p)
{
    gfp_gpu *gpu = plan->base.gpu;
    const gfp_field *field = plan->base.field;
    const size_t batch = plan->base.batch, all = p->len_a + p->len_b - 1;
    const size_t end = gfp_size_min(p->first + p->n, all); /* zeros beyond */
    const bool served = plan->wraps ? p->first + p->n <= plan->least
                                    : p->first < all && least_length(p->len_a, p->len_b, p->first,
                                                                     end) <= plan->least;
    const size_t most_a = plan->wraps ? plan->least : plan->base.len_a;
    const size_t most_b = plan->wraps ? plan->least : plan->base.len_b;
    if (p->len_a == 0 || p->len_a > most_a || p->len_b == 0 || p->len_b > most_b || p->n == 0 ||
        !served) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "not what the plan was made for");
    }
    const gfp_gpu_row_span c = {p->c, p->stride_c, p->n};
    const gfp_gpu_row_span a = {p->a, p->stride_a, p->len_a}, b = {p->b, p->stride_b, p->len_b};
    GFP_TRY(gfp_gpu_rows_check_apart(gpu, field, batch, c, a));
    return p->operand != NULL ? GFP_OK : gfp_gpu_rows_check_apart(gpu, field, batch, c, b);
}

static gfp_status backend_multiply(gfp_gpu_product_plan *base, const gfp_gpu_product *p)
{
    host_plan *plan = (host_plan *)base;
    GFP_TRY(check_product(plan, p));
    GFP_TRY(put_keep_rows(base, plan->kept, p->a->data, p->len_a, p->stride_a));
    if (p->b_fence != NULL) {
        GFP_TRY(gfp_gpu_fence_hold(p->b_fence, GFP_GPU_QUEUE_MAIN));
    }
    products++;
    return fake_put(base->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_product,
                                .to = p->c->data,
                                .from = p->operand != NULL ? p->operand->data : p->b->data,
                                .plan = plan,
                                .len_a = p->len_a,
                                .len_b = p->len_b,
                                .stride_b = p->operand != NULL ? p->len_b : p->stride_b,
                                .stride_c = p->stride_c,
                                .first = p->first,
                                .n = p->n});
}

static gfp_status backend_transform(gfp_gpu_operand *operand, const gfp_gpu_array *b, size_t stride)
{
    gfp_gpu_product_plan *plan = operand->plan;
    const host_plan *host = (const host_plan *)plan;
    const size_t words = operand->len * plan->k * plan->batch;
    if (plan->pieces > 1) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_UNAVAILABLE, "the plan cuts it");
    }
    if (operand->len > (host->wraps ? host->least : plan->len_b)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "not what the plan was made for");
    }
    GFP_TRY(gfp_gpu_array_check(plan->gpu, b,
                                gfp_gpu_row_words(plan->field, plan->batch, stride, operand->len)));
    if (operand->bytes < words * sizeof(uint64_t)) { /* shorter ones fit */
        gfp_gpu_device_release(plan->gpu, operand->data, operand->bytes);
        operand->data = NULL;
        operand->bytes = 0;
        GFP_TRY(
            gfp_gpu_device_allocate(plan->gpu, (void **)&operand->data, words * sizeof(uint64_t)));
        operand->bytes = words * sizeof(uint64_t);
    }
    transforms++;
    return put_keep_rows(plan, operand->data, b->data, operand->len, stride);
}

static const gfp_gpu_product_calls product_calls = {
    .plan_size = sizeof(host_plan),
    .serves = backend_serves,
    .open = open_plan,
    .close = close_plan,
    .run = backend_multiply,
    .transform = backend_transform,
};

const gfp_gpu_backend fake_backend = {
    .name = "host",
    .device = &device_calls,
    .memory = &memory_calls,
    .queues = &queue_calls,
    .exchange = &exchange_calls,
    .vec = &fake_vec,
    .fft = fake_fft_engines,
    .products = &product_calls,
    .measure = &fake_measure,
    .images = &fake_images,
    .words = &fake_words,
};

/* The same with the library's plans of products. */
const gfp_gpu_backend fake_planned_backend = {
    .name = "host",
    .device = &device_calls,
    .memory = &memory_calls,
    .queues = &queue_calls,
    .exchange = &exchange_calls,
    .vec = &fake_vec,
    .fft = fake_fft_engines,
    .products = &gfp_gpu_planned_products,
    .product_engines = fake_product_engines,
    .measure = &fake_measure,
    .images = &fake_images,
    .words = &fake_words,
};

void fake_use(void)
{
    gfp_gpu_use_backend(&fake_backend);
}

void fake_use_planned(void)
{
    gfp_gpu_use_backend(&fake_planned_backend);
}
