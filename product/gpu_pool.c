/* gpu_pool.c: the device, and the seats that wait: one list under one lock, which nobody holds for
 * longer than asking for the device takes: seconds, perhaps, while the driver starts; who waits for
 * it sleeps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attachment.h"
#include "gfpoly/methods.h"
#include "support.h"

/* Seats that wait, at most, and the part of the device's memory that they may hold together. */
#define MAX_WAITING 8
#define WAITING_SHARE 2

/* What the lock guards. Nothing of it is destroyed when the process ends: the driver is then gone.
 */
typedef struct known_device {
    gfp_device_state state;
    char reason[160];
    char name[80];
    size_t memory;
    gfp_gpu *asker; /* a context for questions; NULL: not there */
} known_device;

static struct {
    known_device device[GFP_MAX_DEVICES];
    gfp_seat *waiting;
} pool;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Copies of the devices' states, and what picks missed without each so far, in microseconds. */
static atomic_int state_seen[GFP_MAX_DEVICES];
static atomic_uint_fast64_t missed_us[GFP_MAX_DEVICES];
/* How often a device's state was set. */
static atomic_uint_fast64_t epoch;
/* The process that asked for a device first; 0: none did, and nobody has held the lock. */
static atomic_long owner;

static void lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- the device ---- */

/* Whether this is a fork of the process that asked: nothing of the driver works here, and the lock
 * may be held by a thread that there is no more. */
static bool is_forked(void)
{
    const long asked = atomic_load(&owner);
    return asked != 0 && asked != (long)getpid();
}

/* Whether there may be something in the pool to let go. */
static bool is_owner(void)
{
    return atomic_load(&owner) == (long)getpid();
}

/* Why the device is missing whatever the driver says; NULL: it is to be asked. */
static const char *why_none(unsigned number)
{
    const char *setting = getenv("GFPOLY_GPU");
    return setting != NULL && strcmp(setting, "off") == 0 ? "GFPOLY_GPU=off"
           : is_forked()               ? "another process asked for it, and then forked this one"
           : number >= GFP_MAX_DEVICES ? "no such device"
                                       : NULL;
}

/* Whether it cannot even be asked: why_none says why. */
static bool is_beyond(unsigned number)
{
    return number >= GFP_MAX_DEVICES || is_forked();
}

/* For who asks; false: it is beyond, and there is no lock. Who holds the lock is the owner already:
 * a fork in that instant knows what it is. */
static bool lock_for(unsigned number)
{
    long nobody = 0;
    if (is_beyond(number)) {
        return false;
    }
    (void)atomic_compare_exchange_strong(&owner, &nobody, (long)getpid());
    lock();
    return true;
}

static void set_state(known_device *d, gfp_device_state state)
{
    d->state = state;
    atomic_store(&state_seen[d - pool.device], (int)state);
    atomic_fetch_add(&epoch, 1);
}

static void set_missing(known_device *d, const char *reason)
{
    (void)snprintf(d->reason, sizeof d->reason, "%.159s", reason);
    set_state(d, GFP_DEVICE_MISSING);
}

/* Times are of a device and a driver. */
static void set_name(known_device *d, const gfp_gpu_info *info)
{
    const unsigned driver = info->driver_version;
    if (driver != 0) {
        (void)snprintf(d->name, sizeof d->name, "%.50s, driver for CUDA %u.%u", info->name,
                       driver / 1000, driver % 1000 / 10);
    } else {
        (void)snprintf(d->name, sizeof d->name, "%.79s", info->name);
    }
}

/* With the lock held. Where memory was short there may be a device: it is not known, and what picks
 * missed is counted anew. */
static known_device *ask(unsigned number)
{
    const gfp_gpu_options options = {.device = number};
    known_device *d = &pool.device[number];
    gfp_error error = {.message = ""};
    gfp_gpu_info info;
    if (d->state != GFP_DEVICE_UNKNOWN) {
        return d;
    }
    const char *none = why_none(number);
    if (none != NULL) {
        set_missing(d, none);
        return d;
    }
    const gfp_status status = gfp_gpu_create(&d->asker, &options, &error);
    if (status == GFP_ERR_MEMORY) {
        (void)snprintf(d->reason, sizeof d->reason, "%.159s", error.message);
        atomic_store(&missed_us[number], 0);
    } else if (status != GFP_OK) {
        set_missing(d, error.message);
    } else if (gfp_gpu_get_info(d->asker, &info) != GFP_OK) {
        set_missing(d, gfp_gpu_last_error(d->asker)->message);
        gfp_gpu_destroy(d->asker);
        d->asker = NULL;
    } else {
        set_name(d, &info);
        d->memory = info.memory_total;
        set_state(d, GFP_DEVICE_THERE);
    }
    return d;
}

uint64_t gfp_device_epoch(void)
{
    return atomic_load(&epoch);
}

gfp_device_state gfp_device_look(unsigned number)
{
    if (is_beyond(number)) {
        return GFP_DEVICE_MISSING;
    }
    const gfp_device_state state = (gfp_device_state)atomic_load(&state_seen[number]);
    return state == GFP_DEVICE_UNKNOWN && (!gfp_gpu_built_in() || why_none(number) != NULL)
               ? GFP_DEVICE_MISSING
               : state;
}

gfp_status gfp_device_ask(unsigned number, gfp_error *error)
{
    gfp_status status = GFP_OK;
    if (!lock_for(number)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s", why_none(number));
    }
    const known_device *d = ask(number);
    if (d->state != GFP_DEVICE_THERE) {
        status = d->state == GFP_DEVICE_MISSING ? GFP_ERR_UNAVAILABLE : GFP_ERR_MEMORY;
        gfp_error_set(error, status, "%s", d->reason);
    }
    unlock();
    return status;
}

gfp_status gfp_gpu_pool_ask(gfp_error *error)
{
    return gfp_device_ask(0, error);
}

bool gfp_device_serves(unsigned number, gfp_gpu_method method, const gfp_field *field, size_t len_a,
                       size_t len_b, char *why, size_t size)
{
    if (!lock_for(number)) {
        (void)snprintf(why, size, "%s", why_none(number));
        return false;
    }
    const known_device *d = ask(number);
    bool serves = d->state != GFP_DEVICE_MISSING;
    if (d->state == GFP_DEVICE_THERE) {
        serves = gfp_gpu_product_serves(d->asker, method, field, len_a, len_b, why, size);
    } else if (!serves) {
        (void)snprintf(why, size, "%s", d->reason);
    }
    unlock();
    return serves;
}

void gfp_device_name(char *name, size_t size)
{
    const char *found = "none";
    if (!lock_for(0)) {
        (void)snprintf(name, size, "%s", found);
        return;
    }
    const known_device *d = ask(0);
    if (d->state == GFP_DEVICE_THERE) {
        found = d->name;
    }
    (void)snprintf(name, size, "%s", found);
    unlock();
}

bool gfp_device_missed(unsigned number, double ns)
{
    const double us = ns < 1e3 * GFP_DEVICE_START_NS ? ns / 1e3 : GFP_DEVICE_START_NS;
    if (is_beyond(number)) {
        return false;
    }
    const uint64_t before = atomic_fetch_add(&missed_us[number], (uint64_t)us);
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
    if (!is_owner()) {
        return NULL;
    }
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
    gfp_gpu *asker[GFP_MAX_DEVICES];
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        atomic_store(&missed_us[i], 0);
    }
    if (!is_owner()) {
        return;
    }
    destroy_seats(take_out(NULL));
    lock();
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        asker[i] = pool.device[i].asker;
        pool.device[i].asker = NULL;
        set_state(&pool.device[i], GFP_DEVICE_UNKNOWN);
    }
    unlock();
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        gfp_gpu_destroy(asker[i]);
    }
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
    if (gfp_field_attached(field, field_goes) != NULL) {
        return GFP_OK;
    }
    notice *n = gfp_allocate(gfp_field_allocator(field), 1, sizeof *n);
    if (n == NULL) {
        return GFP_ERR_MEMORY;
    }
    *n = (notice){{field_goes}, field};
    (void)gfp_field_attach(field, &n->head);
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
    if (!lock_for(device)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s", why_none(device));
    }
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

/* Of the seats that wait, the last used first, those that are more than may be, or hold more of
 * their device; with the lock held. */
static gfp_seat *cut_off(void)
{
    size_t count = 0, bytes[GFP_MAX_DEVICES] = {0};
    gfp_seat *rest = NULL;
    for (gfp_seat **at = &pool.waiting; *at != NULL;) {
        gfp_seat *seat = *at;
        bytes[seat->device] += gfp_gpu_memory_used(seat->gpu);
        if (++count > MAX_WAITING ||
            bytes[seat->device] > pool.device[seat->device].memory / WAITING_SHARE) {
            *at = seat->next;
            seat->next = rest;
            rest = seat;
        } else {
            at = &seat->next;
        }
    }
    return rest;
}

bool gfp_seat_idle(gfp_seat *seat, gfp_status status)
{
    gfp_error error = {.message = ""};
    if (status == GFP_OK || gfp_gpu_wait(seat->gpu, NULL) == GFP_OK) {
        return true;
    }
    if (gfp_gpu_wait(seat->gpu, &error) != GFP_OK && is_owner()) {
        lock();
        set_missing(&pool.device[seat->device], error.message);
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
    if (!is_owner()) { /* a fork in the middle of a product: what it has is of no use there */
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
