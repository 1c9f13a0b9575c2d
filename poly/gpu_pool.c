/* gpu_pool.c: the device, and the seats that wait: one list under one lock, which nobody holds for
 * longer than asking for the device takes: seconds, perhaps, while the driver starts; who waits for
 * it sleeps. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachment.h"
#include "gfpoly/poly.h"
#include "support.h"

/* Seats that wait, at most, and the part of the device's memory that they may hold together. */
#define MAX_WAITING 8
#define WAITING_SHARE 2

/* What the lock guards. Nothing of it is destroyed when the process ends: the driver is then gone.
 */
static struct {
    gfp_device_state state;
    char reason[160];
    char name[80];
    size_t memory;
    gfp_gpu *asker; /* a context for questions; NULL: not there */
    gfp_seat *waiting;
} pool;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* A copy of pool.state, and what picks missed so far, in microseconds. */
static atomic_int state_seen;
static atomic_uint_fast64_t missed_us;

static void lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- the device ---- */

static bool is_off(void)
{
    const char *setting = getenv("GFPOLY_GPU");
    return setting != NULL && strcmp(setting, "off") == 0;
}

static void set_state(gfp_device_state state)
{
    pool.state = state;
    atomic_store(&state_seen, (int)state);
}

static void set_missing(const char *reason)
{
    (void)snprintf(pool.reason, sizeof pool.reason, "%.159s", reason);
    set_state(GFP_DEVICE_MISSING);
}

/* Times are of a device and a driver. */
static void set_name(const gfp_gpu_info *info)
{
    const unsigned driver = info->driver_version;
    if (driver != 0) {
        (void)snprintf(pool.name, sizeof pool.name, "%.50s, driver for CUDA %u.%u", info->name,
                       driver / 1000, driver % 1000 / 10);
    } else {
        (void)snprintf(pool.name, sizeof pool.name, "%.79s", info->name);
    }
}

/* With the lock held. Where memory was short there may be a device: it is not known, and what picks
 * missed is counted anew. */
static void ask(void)
{
    gfp_error error = {.message = ""};
    gfp_gpu_info info;
    if (pool.state != GFP_DEVICE_UNKNOWN) {
        return;
    }
    const gfp_status status =
        is_off() ? GFP_ERR_UNAVAILABLE : gfp_gpu_create(&pool.asker, NULL, &error);
    if (status == GFP_ERR_MEMORY) {
        (void)snprintf(pool.reason, sizeof pool.reason, "%.159s", error.message);
        atomic_store(&missed_us, 0);
    } else if (status != GFP_OK) {
        set_missing(is_off() ? "GFPOLY_GPU=off" : error.message);
    } else if (gfp_gpu_get_info(pool.asker, &info) != GFP_OK) {
        set_missing(gfp_gpu_last_error(pool.asker)->message);
        gfp_gpu_destroy(pool.asker);
        pool.asker = NULL;
    } else {
        set_name(&info);
        pool.memory = info.memory_total;
        set_state(GFP_DEVICE_THERE);
    }
}

gfp_device_state gfp_device_look(void)
{
    const gfp_device_state state = (gfp_device_state)atomic_load(&state_seen);
    return state == GFP_DEVICE_UNKNOWN && (!gfp_gpu_built_in() || is_off()) ? GFP_DEVICE_MISSING
                                                                            : state;
}

bool gfp_device_ask(char *why, size_t size)
{
    lock();
    ask();
    const bool there = pool.state == GFP_DEVICE_THERE;
    if (!there) {
        (void)snprintf(why, size, "%s", pool.reason);
    }
    unlock();
    return there;
}

bool gfp_device_serves(gfp_gpu_method method, const gfp_field *field, size_t len_a, size_t len_b,
                       char *why, size_t size)
{
    lock();
    ask();
    bool serves = pool.state != GFP_DEVICE_MISSING;
    if (pool.state == GFP_DEVICE_THERE) {
        serves = gfp_gpu_product_serves(pool.asker, method, field, len_a, len_b, why, size);
    } else if (!serves) {
        (void)snprintf(why, size, "%s", pool.reason);
    }
    unlock();
    return serves;
}

void gfp_device_name(char *name, size_t size)
{
    lock();
    ask();
    (void)snprintf(name, size, "%s", pool.state == GFP_DEVICE_THERE ? pool.name : "none");
    unlock();
}

bool gfp_device_missed(double ns)
{
    const double us = ns < 1e3 * GFP_DEVICE_START_NS ? ns / 1e3 : GFP_DEVICE_START_NS;
    const uint64_t before = atomic_fetch_add(&missed_us, (uint64_t)us);
    return (double)before + us >= GFP_DEVICE_START_NS / 1e3;
}

/* ---- seats ---- */

static void clear_seat(gfp_seat *seat)
{
    for (size_t i = 0; i < GFP_SEAT_PLANS; i++) {
        gfp_gpu_product_plan_destroy(seat->plan[i].plan);
        seat->plan[i].plan = NULL;
    }
    for (size_t i = 0; i < GFP_SEAT_ARRAYS; i++) {
        gfp_gpu_array_destroy(seat->array[i]);
        seat->array[i] = NULL;
    }
}

static void destroy_seat(gfp_seat *seat)
{
    gfp_seat_ring *rings[] = {&seat->up, &seat->down};
    clear_seat(seat);
    for (size_t i = 0; i < GFP_SEAT_FENCES; i++) {
        gfp_gpu_fence_destroy(seat->fence[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < GFP_SEAT_SLOTS; j++) {
            gfp_gpu_fence_destroy(rings[i]->fence[j]);
        }
        gfp_gpu_host_release(seat->gpu, rings[i]->words);
    }
    gfp_gpu_destroy(seat->gpu);
    gfp_release(&gfp_default_allocator, seat, 1, sizeof *seat);
}

static void destroy_seats(gfp_seat *seats)
{
    while (seats != NULL) {
        gfp_seat *next = seats->next;
        destroy_seat(seats);
        seats = next;
    }
}

/* Those that wait for a field, NULL: all of them, no longer in the list. */
static gfp_seat *take_out(const gfp_field *field)
{
    gfp_seat *taken = NULL;
    lock();
    for (gfp_seat **at = &pool.waiting; *at != NULL;) {
        gfp_seat *seat = *at;
        if (field == NULL || seat->field == field) {
            *at = seat->next;
            seat->next = taken;
            taken = seat;
        } else {
            at = &seat->next;
        }
    }
    unlock();
    return taken;
}

void gfp_gpu_pool_release(void)
{
    destroy_seats(take_out(NULL));
    lock();
    gfp_gpu *asker = pool.asker;
    pool.asker = NULL;
    set_state(GFP_DEVICE_UNKNOWN);
    atomic_store(&missed_us, 0);
    unlock();
    gfp_gpu_destroy(asker);
}

/* A field's seats go with it. */
typedef struct notice {
    gfp_attachment head;
    const gfp_field *field;
} notice;

static void field_goes(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    notice *n = (notice *)attachment;
    destroy_seats(take_out(n->field));
    gfp_release(allocator, n, 1, sizeof *n);
}

static gfp_status notice_field(const gfp_field *field)
{
    if (gfp_field_attached(field, GFP_ATTACHMENT_GPU) != NULL) {
        return GFP_OK;
    }
    notice *n = gfp_allocate(gfp_field_allocator(field), 1, sizeof *n);
    if (n == NULL) {
        return GFP_ERR_MEMORY;
    }
    *n = (notice){{field_goes}, field};
    (void)gfp_field_attach(field, GFP_ATTACHMENT_GPU, &n->head);
    return GFP_OK;
}

static gfp_status make_fences(gfp_seat *seat)
{
    for (size_t i = 0; i < GFP_SEAT_FENCES; i++) {
        GFP_TRY(gfp_gpu_fence_create(&seat->fence[i], seat->gpu));
    }
    for (size_t i = 0; i < GFP_SEAT_SLOTS; i++) {
        GFP_TRY(gfp_gpu_fence_create(&seat->up.fence[i], seat->gpu));
        GFP_TRY(gfp_gpu_fence_create(&seat->down.fence[i], seat->gpu));
    }
    return GFP_OK;
}

static gfp_status make_seat(gfp_seat **seat, const gfp_field *field, unsigned device, size_t cap,
                            gfp_error *error)
{
    const gfp_gpu_options options = {.device = device, .memory_cap = cap};
    gfp_seat *made = gfp_allocate(&gfp_default_allocator, 1, sizeof *made);
    if (made == NULL || notice_field(field) != GFP_OK) {
        gfp_release(&gfp_default_allocator, made, 1, sizeof *made);
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a context");
    }
    *made = (gfp_seat){.field = field, .device = device, .cap = cap};
    gfp_status status = gfp_gpu_create(&made->gpu, &options, error);
    if (status == GFP_OK) {
        status = make_fences(made);
        if (status != GFP_OK && error != NULL) {
            *error = *gfp_gpu_last_error(made->gpu);
        }
    }
    if (status == GFP_OK) {
        *seat = made;
    } else {
        destroy_seat(made);
    }
    return status;
}

gfp_status gfp_seat_take(gfp_seat **seat, const gfp_field *field, unsigned device, size_t cap,
                         gfp_error *error)
{
    gfp_seat *found = NULL;
    lock();
    for (gfp_seat **at = &pool.waiting; *at != NULL; at = &(*at)->next) {
        if ((*at)->field == field && (*at)->device == device && (*at)->cap == cap) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    unlock();
    if (found != NULL) {
        *seat = found;
        return GFP_OK;
    }
    gfp_status status = make_seat(seat, field, device, cap, error);
    if (status == GFP_ERR_MEMORY) {
        destroy_seats(take_out(NULL));
        status = make_seat(seat, field, device, cap, error);
    }
    return status;
}

/* Of the seats that wait, the last used first, those that are more than may be; with the lock held.
 */
static gfp_seat *cut_off(void)
{
    size_t count = 0, bytes = 0;
    gfp_seat **at = &pool.waiting;
    for (; *at != NULL; at = &(*at)->next) {
        bytes += gfp_gpu_memory_used((*at)->gpu);
        if (++count > MAX_WAITING || bytes > pool.memory / WAITING_SHARE) {
            break;
        }
    }
    gfp_seat *rest = *at;
    *at = NULL;
    return rest;
}

bool gfp_seat_idle(gfp_seat *seat, gfp_status status)
{
    gfp_error error = {.message = ""};
    if (status == GFP_OK || gfp_gpu_wait(seat->gpu, NULL) == GFP_OK) {
        return true;
    }
    if (gfp_gpu_wait(seat->gpu, &error) != GFP_OK && seat->device == 0) {
        lock();
        set_missing(error.message);
        unlock();
    }
    return false;
}

void gfp_seat_give(gfp_seat *seat, gfp_status status)
{
    if (!gfp_seat_idle(seat, status) || status == GFP_ERR_DEVICE) {
        destroy_seat(seat);
        return;
    }
    lock();
    seat->next = pool.waiting;
    pool.waiting = seat;
    gfp_seat *rest = cut_off();
    unlock();
    destroy_seats(rest);
}

gfp_status gfp_seat_order(gfp_seat *seat, size_t fence, gfp_gpu_queue earlier, gfp_gpu_queue later)
{
    GFP_TRY(gfp_gpu_fence_set(seat->fence[fence], earlier));
    return gfp_gpu_fence_hold(seat->fence[fence], later);
}

void gfp_seat_clear(gfp_seat *seat)
{
    clear_seat(seat);
    destroy_seats(take_out(NULL));
}

static bool is_like(const gfp_seat_plan *p, const gfp_seat_plan *q)
{
    return p->plan != NULL && p->method == q->method && p->len_a == q->len_a &&
           p->len_b == q->len_b && p->first == q->first && p->n == q->n && p->batch == q->batch;
}

gfp_status gfp_seat_plan_for(gfp_seat *seat, gfp_gpu_product_plan **plan, const gfp_seat_plan *like)
{
    const gfp_gpu_product_options options = {
        .method = like->method, .batch = like->batch, .first = like->first, .n = like->n};
    gfp_seat_plan wanted = *like;
    size_t i = 0;
    while (i < GFP_SEAT_PLANS - 1 && seat->plan[i].plan != NULL && !is_like(&seat->plan[i], like)) {
        i++;
    }
    if (is_like(&seat->plan[i], like)) {
        wanted.plan = seat->plan[i].plan;
    } else {
        GFP_TRY(gfp_gpu_product_plan_create(&wanted.plan, seat->gpu, seat->field, like->len_a,
                                            like->len_b, &options, NULL));
        gfp_gpu_product_plan_destroy(seat->plan[i].plan);
    }
    memmove(seat->plan + 1, seat->plan, i * sizeof *seat->plan);
    seat->plan[0] = wanted;
    *plan = wanted.plan;
    return GFP_OK;
}

gfp_status gfp_seat_reserve(gfp_seat *seat, size_t index, size_t words)
{
    gfp_gpu_array **array = &seat->array[index];
    if (*array != NULL && gfp_gpu_array_words(*array) >= words) {
        return GFP_OK;
    }
    gfp_gpu_array_destroy(*array);
    *array = NULL;
    return gfp_gpu_array_create(array, seat->gpu, words);
}
