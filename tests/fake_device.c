/* fake_device.c: see fake_device.h. A queue is a list of operations; one runs when something waits
 * for it, or as soon as it is there where the queue is eager, after what it has to wait for.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "fake_device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_shared.h"
#include "gfpoly/poly.h"

#define QUEUES 3
#define GARBAGE 0xA5

/* ---- the device ---- */

static const char *missing, *excluded;
static unsigned eager, corrupt;
static gfp_gpu_method refused;
static size_t memory = (size_t)1 << 30, least, most; /* the first of programs that are no test */
static bool cuts, useless;
static unsigned start_ms, driver;
static fake_fault fault;
static size_t fault_at;
static atomic_size_t calls, contexts, alive, used, peak, uploads, products, transforms;
static atomic_bool failed, misread;

void fake_reset(size_t bytes)
{
    if (alive != 0 || used != 0) {
        fprintf(stderr, "%zu objects, %zu bytes left on the device\n", (size_t)alive, (size_t)used);
        abort();
    }
    missing = excluded = NULL;
    driver = 0;
    eager = corrupt = 0;
    refused = GFP_GPU_METHOD_AUTO;
    memory = bytes;
    least = most = 0;
    cuts = useless = false;
    start_ms = 0;
    fault_at = 0;
    calls = contexts = peak = uploads = products = transforms = 0;
    failed = misread = false;
}

void fake_driver(unsigned version)
{
    driver = version;
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

bool fake_misread(void)
{
    return misread;
}

/* ---- contexts and their queues ---- */

typedef struct operation {
    enum { COPY, CLEAR, HOLD, KEEP, PRODUCT, ADD } kind;
    uint64_t *to;
    const uint64_t *from, *other;
    size_t words;
    int queue; /* of HOLD: the fence's, */
    size_t at; /* and its place */
    const gfp_gpu_product_plan *plan;
    const gfp_field *field;
    size_t len_a, len_b, first, n;
} operation;

typedef struct line {
    operation *operations;
    size_t count, done, capacity;
} line;

struct gfp_gpu {
    size_t cap, used;
    line queue[QUEUES];
    gfp_error error;
    bool lost;
};

struct gfp_gpu_fence {
    gfp_gpu *gpu;
    int queue;
    size_t at;
};

struct gfp_gpu_product_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    size_t len_a, len_b, batch, bytes, pieces;
    uint64_t *kept; /* a, as it was when the product began */
};

static void *make(size_t bytes)
{
    void *made = calloc(1, bytes > 0 ? bytes : 1);
    if (made == NULL) {
        abort();
    }
    alive++;
    return made;
}

static void unmake(void *made)
{
    if (made != NULL) {
        alive--;
        free(made);
    }
}

#define FAIL(gpu, code, text)                                                                      \
    ((gpu)->error.status = (code),                                                                 \
     snprintf((gpu)->error.message, sizeof(gpu)->error.message, "%s", (text)), (code))

/* Every call that can fail. */
static gfp_status enter(gfp_gpu *gpu)
{
    const size_t call = ++calls;
    if (gpu->lost) {
        return GFP_ERR_DEVICE;
    }
    const bool stays = fault == FAKE_LOST || fault == FAKE_FULL;
    if (fault_at == 0 || call < fault_at || (!stays && call > fault_at)) {
        return GFP_OK;
    }
    failed = true;
    gpu->lost = fault == FAKE_LOST;
    return fault == FAKE_MEMORY || fault == FAKE_FULL
               ? FAIL(gpu, GFP_ERR_MEMORY, "made to fail: memory")
               : FAIL(gpu, GFP_ERR_DEVICE, "made to fail: device");
}

static void multiply(const operation *o)
{
    const gfp_gpu_product_plan *plan = o->plan;
    const size_t k = gfp_field_k(plan->field), len_c = o->len_a + o->len_b - 1;
    uint64_t *c = make(plan->batch * len_c * k * sizeof *c);
    const uint64_t *a = plan->kept;
    const gfp_batch batch = {.count = plan->batch, .len_a = o->len_a, .len_b = o->len_b};
    const gfp_mul_options options = {.method = o->len_a < 8 ? "classical" : "karatsuba",
                                     .threads = 1};
    if (gfp_vec_canonical(plan->field, a, plan->batch * o->len_a) != plan->batch * o->len_a ||
        gfp_vec_canonical(plan->field, o->from, plan->batch * o->len_b) != plan->batch * o->len_b) {
        misread = true;
    } else if (gfp_vec_mul_batch(plan->field, c, a, o->from, &batch, &options) != GFP_OK) {
        abort();
    }
    for (size_t i = 0; i < plan->batch; i++) {
        memcpy(o->to + i * o->n * k, c + (i * len_c + o->first) * k, o->n * k * sizeof *c);
    }
    unmake(c);
}

static void run_until(gfp_gpu *gpu, int queue, size_t at)
{
    line *q = &gpu->queue[queue];
    while (q->done < at) {
        const operation o = q->operations[q->done++];
        switch (o.kind) {
        case COPY:
            memmove(o.to, o.from, o.words * sizeof *o.to);
            o.to[o.words / 2] ^= corrupt >> queue & 1;
            break;
        case CLEAR:
            memset(o.to, 0, o.words * sizeof *o.to);
            break;
        case HOLD:
            run_until(gpu, o.queue, o.at);
            break;
        case KEEP:
            memcpy(o.to, o.from, o.words * sizeof *o.to);
            break;
        case PRODUCT:
            multiply(&o);
            break;
        case ADD:
            gfp_vec_add(o.field, o.to, o.from, o.other, o.n);
            break;
        }
    }
}

static void put(gfp_gpu *gpu, int queue, operation o)
{
    line *q = &gpu->queue[queue];
    if (q->count == q->capacity) {
        q->capacity = 2 * q->capacity + 16;
        q->operations = realloc(q->operations, q->capacity * sizeof *q->operations);
        if (q->operations == NULL) {
            abort();
        }
    }
    q->operations[q->count++] = o;
    if ((eager >> queue & 1) != 0) {
        run_until(gpu, queue, q->count);
    }
}

static void run_all(gfp_gpu *gpu)
{
    for (int i = 0; i < QUEUES; i++) {
        run_until(gpu, i, gpu->queue[i].count);
    }
}

bool gfp_gpu_built_in(void)
{
    return true;
}

gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options, gfp_error *error)
{
    const struct timespec pause = {.tv_nsec = 1000000L * start_ms};
    gfp_gpu *made = make(sizeof *made);
    (void)nanosleep(&pause, NULL);
    const unsigned device = options != NULL ? options->device : 0;
    gfp_status status = missing != NULL ? FAIL(made, GFP_ERR_UNAVAILABLE, missing) : enter(made);
    contexts++;
    if (status == GFP_OK && device > 1) {
        status = FAIL(made, GFP_ERR_ARGUMENT, "no such device: there are 2");
    }
    if (status == GFP_OK && device == 0 && excluded != NULL) {
        status = FAIL(made, GFP_ERR_DEVICE, excluded);
    }
    if (status != GFP_OK) {
        if (error != NULL) {
            *error = made->error;
        }
        unmake(made);
        return status;
    }
    made->cap = options != NULL && options->memory_cap != 0 ? options->memory_cap : SIZE_MAX;
    *gpu = made;
    return GFP_OK;
}

void gfp_gpu_destroy(gfp_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    if (gpu->used != 0) {
        abort();
    }
    for (int i = 0; i < QUEUES; i++) {
        free(gpu->queue[i].operations);
    }
    unmake(gpu);
}

gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    TRY(enter(gpu));
    *info = (gfp_gpu_info){.name = "Fake", .memory_total = memory, .driver_version = driver};
    return GFP_OK;
}

size_t gfp_gpu_memory_used(const gfp_gpu *gpu)
{
    return gpu->used;
}

const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu)
{
    return &gpu->error;
}

gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error)
{
    const gfp_status status = enter(gpu);
    run_all(gpu);
    if (status != GFP_OK && error != NULL) {
        *error = gpu->error;
    }
    return status;
}

/* ---- memory ---- */

static gfp_status claim(gfp_gpu *gpu, size_t bytes)
{
    if (bytes > gpu->cap - gpu->used || bytes > memory - used) {
        return FAIL(gpu, GFP_ERR_MEMORY, "the fake device is full");
    }
    gpu->used += bytes;
    used += bytes;
    peak = used > peak ? used : peak;
    return GFP_OK;
}

static void disclaim(gfp_gpu *gpu, size_t bytes)
{
    run_all(gpu);
    gpu->used -= bytes;
    used -= bytes;
}

gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    TRY(enter(gpu));
    TRY(claim(gpu, words * sizeof(uint64_t)));
    gfp_gpu_array *made = make(sizeof *made);
    *made = (gfp_gpu_array){gpu, make(words * sizeof(uint64_t)), words, false};
    memset(made->data, GARBAGE, words * sizeof(uint64_t));
    *array = made;
    return GFP_OK;
}

gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array, size_t first,
                              size_t words)
{
    TRY(enter(array->gpu));
    if (first % 2 != 0 || first > array->words || words > array->words - first) {
        abort();
    }
    gfp_gpu_array *made = make(sizeof *made);
    *made = (gfp_gpu_array){array->gpu, array->data + first, words, true};
    *part = made;
    return GFP_OK;
}

void gfp_gpu_array_destroy(gfp_gpu_array *array)
{
    if (array != NULL && !array->window) {
        disclaim(array->gpu, array->words * sizeof(uint64_t));
        unmake(array->data);
    }
    unmake(array);
}

size_t gfp_gpu_array_words(const gfp_gpu_array *array)
{
    return array->words;
}

static void need(const gfp_gpu_array *array, size_t first, size_t words)
{
    if (first > array->words || words > array->words - first) {
        abort();
    }
}

gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    TRY(enter(z->gpu));
    need(z, 0, words);
    need(x, 0, words);
    put(z->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){.kind = COPY, .to = z->data, .from = x->data, .words = words});
    return GFP_OK;
}

gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words)
{
    TRY(enter(z->gpu));
    need(z, 0, words);
    put(z->gpu, GFP_GPU_QUEUE_MAIN, (operation){.kind = CLEAR, .to = z->data, .words = words});
    return GFP_OK;
}

/* Page-locked blocks, each behind a line that holds its size. */
#define LINE 64
#define BLOCKS 256
static _Atomic(char *) pinned_blocks[BLOCKS];

gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    TRY(enter(gpu));
    char *made = make(bytes + LINE), *none = NULL;
    memcpy(made, &bytes, sizeof bytes);
    for (size_t i = 0; !atomic_compare_exchange_strong(&pinned_blocks[i], &none, made); i++) {
        none = NULL;
    }
    *block = made + LINE;
    return GFP_OK;
}

void gfp_gpu_host_release(gfp_gpu *gpu, void *block)
{
    (void)gpu;
    for (size_t i = 0; block != NULL && i < BLOCKS; i++) {
        char *made = pinned_blocks[i];
        if (made != NULL && made + LINE == block) {
            pinned_blocks[i] = NULL;
            unmake(made);
            return;
        }
    }
}

gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    const char *from = block;
    TRY(enter(gpu));
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

/* ---- copies and fences ---- */

gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first, const uint64_t *from,
                                size_t words)
{
    TRY(enter(array->gpu));
    need(array, first, words);
    uploads++;
    put(array->gpu, GFP_GPU_QUEUE_UPLOAD,
        (operation){.kind = COPY, .to = array->data + first, .from = from, .words = words});
    return GFP_OK;
}

gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array, size_t first,
                                  size_t words)
{
    TRY(enter(array->gpu));
    need(array, first, words);
    put(array->gpu, GFP_GPU_QUEUE_DOWNLOAD,
        (operation){.kind = COPY, .to = to, .from = array->data + first, .words = words});
    return GFP_OK;
}

gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words)
{
    run_all(array->gpu);
    TRY(gfp_gpu_upload_begin(array, first, from, words));
    run_all(array->gpu);
    return GFP_OK;
}

gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words)
{
    run_all(array->gpu);
    TRY(gfp_gpu_download_begin(to, array, first, words));
    run_all(array->gpu);
    return GFP_OK;
}

gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu)
{
    TRY(enter(gpu));
    gfp_gpu_fence *made = make(sizeof *made);
    *made = (gfp_gpu_fence){gpu, 0, 0};
    *fence = made;
    return GFP_OK;
}

void gfp_gpu_fence_destroy(gfp_gpu_fence *fence)
{
    unmake(fence);
}

gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    TRY(enter(fence->gpu));
    fence->queue = (int)queue;
    fence->at = fence->gpu->queue[queue].count;
    return GFP_OK;
}

gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    TRY(enter(fence->gpu));
    put(fence->gpu, (int)queue, (operation){.kind = HOLD, .queue = fence->queue, .at = fence->at});
    return GFP_OK;
}

gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence)
{
    TRY(enter(fence->gpu));
    run_until(fence->gpu, fence->queue, fence->at);
    return GFP_OK;
}

/* ---- arithmetic ---- */

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    const size_t k = gfp_field_k(field);
    TRY(enter(z->gpu));
    need(z, 0, n * k);
    need(x, 0, n * k);
    need(y, 0, n * k);
    put(z->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){
            .kind = ADD, .field = field, .to = z->data, .from = x->data, .other = y->data, .n = n});
    return GFP_OK;
}

bool gfp_gpu_product_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                            size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)gpu;
    (void)method;
    (void)len_b;
    const bool serves = !useless && gfp_field_k(field) < 256 && len_a < (size_t)1 << 40;
    if (!serves) {
        snprintf(why, size, "not on the fake device");
    }
    return serves;
}

gfp_status gfp_gpu_product_plan_create(gfp_gpu_product_plan **plan, gfp_gpu *gpu,
                                       const gfp_field *field, size_t len_a, size_t len_b,
                                       const gfp_gpu_product_options *options, gfp_error *error)
{
    const size_t k = gfp_field_k(field), batch = options->batch != 0 ? options->batch : 1;
    size_t bytes = batch * (len_a + len_b) * k * sizeof(uint64_t), pieces = 1;
    if (most != 0 && (len_a > most || len_b > most)) {
        fake_fail(FAKE_LOST, 1);
    }
    gfp_status status = enter(gpu);
    if (status == GFP_OK && options->method == refused) {
        status = FAIL(gpu, GFP_ERR_UNAVAILABLE, "refused");
    } else if (status == GFP_OK && len_a < least && len_b < least) {
        status = FAIL(gpu, GFP_ERR_UNAVAILABLE, "too short");
    }
    if (status == GFP_OK) {
        for (; (status = claim(gpu, bytes)) != GFP_OK && cuts && pieces < 64; pieces *= 2) {
            bytes /= 2;
        }
    }
    if (status != GFP_OK) {
        if (error != NULL) {
            *error = gpu->error;
        }
        return status;
    }
    gfp_gpu_product_plan *made = make(sizeof *made);
    *made = (gfp_gpu_product_plan){
        gpu, field, len_a, len_b, batch, bytes, pieces, make(batch * len_a * k * sizeof(uint64_t))};
    *plan = made;
    return GFP_OK;
}

void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan)
{
    if (plan != NULL) {
        disclaim(plan->gpu, plan->bytes);
        unmake(plan->kept);
    }
    unmake(plan);
}

size_t gfp_gpu_product_plan_pieces(const gfp_gpu_product_plan *plan)
{
    return plan->pieces;
}

gfp_status gfp_gpu_product_range_after(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                       size_t len_b, size_t first, size_t n, gfp_gpu_fence *b_there)
{
    const size_t k = gfp_field_k(plan->field);
    TRY(enter(plan->gpu));
    need(a, 0, plan->batch * len_a * k);
    need(b, 0, plan->batch * len_b * k);
    need(c, 0, plan->batch * n * k);
    if (len_a > plan->len_a || len_b > plan->len_b || first + n > len_a + len_b - 1) {
        abort();
    }
    put(plan->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){
            .kind = KEEP, .to = plan->kept, .from = a->data, .words = plan->batch * len_a * k});
    if (b_there != NULL) {
        TRY(gfp_gpu_fence_hold(b_there, GFP_GPU_QUEUE_MAIN));
    }
    products++;
    put(plan->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){.kind = PRODUCT,
                    .to = c->data,
                    .from = b->data,
                    .plan = plan,
                    .len_a = len_a,
                    .len_b = len_b,
                    .first = first,
                    .n = n});
    return GFP_OK;
}

gfp_status gfp_gpu_product_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a,
                               size_t len_a, const gfp_gpu_array *b, size_t len_b)
{
    return gfp_gpu_product_range_after(plan, c, a, len_a, b, len_b, 0, len_a + len_b - 1, NULL);
}

/* ---- operands ---- */

struct gfp_gpu_operand {
    gfp_gpu_product_plan *plan;
    uint64_t *data;
    size_t len, bytes;
};

gfp_status gfp_gpu_operand_create(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                                  const gfp_gpu_array *b, size_t len_b)
{
    const size_t words = len_b * gfp_field_k(plan->field);
    TRY(enter(plan->gpu));
    if (plan->pieces > 1) {
        return FAIL(plan->gpu, GFP_ERR_UNAVAILABLE, "the plan cuts it");
    }
    TRY(claim(plan->gpu, words * sizeof(uint64_t)));
    need(b, 0, words);
    if (len_b > plan->len_b || plan->batch != 1) {
        abort();
    }
    gfp_gpu_operand *made = make(sizeof *made);
    *made =
        (gfp_gpu_operand){plan, make(words * sizeof(uint64_t)), len_b, words * sizeof(uint64_t)};
    put(plan->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){.kind = KEEP, .to = made->data, .from = b->data, .words = words});
    transforms++;
    *operand = made;
    return GFP_OK;
}

void gfp_gpu_operand_destroy(gfp_gpu_operand *operand)
{
    if (operand != NULL) {
        disclaim(operand->plan->gpu, operand->bytes);
        unmake(operand->data);
    }
    unmake(operand);
}

size_t gfp_gpu_operand_bytes(const gfp_gpu_operand *operand)
{
    return operand->bytes;
}

gfp_status gfp_gpu_operand_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a,
                               size_t len_a, const gfp_gpu_operand *operand, size_t first, size_t n)
{
    const gfp_gpu_array b = {plan->gpu, operand->data, operand->bytes / sizeof(uint64_t), true};
    if (operand->plan != plan) {
        abort();
    }
    return gfp_gpu_product_range_after(plan, c, a, len_a, &b, operand->len, first, n, NULL);
}
