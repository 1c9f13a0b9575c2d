/* pool.c: devices, and idle entries: one list under one lock, which is held at most as long as
 * opening a device takes: perhaps seconds, while the driver starts. Threads that need the lock
 * sleep.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/device/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/call.h"
#include "field/base/attachment.h"
#include "gfpoly/methods.h"
#include "field/base/support.h"

/* As many idle entries stay as were in use at once, within these limits: a thread without one opens
 * a context in each call, which takes milliseconds. IDLE_SHARE: the inverse of the part of a
 * device's memory that they may hold together. */
#define LEAST_IDLE 8
#define MOST_IDLE 32
#define IDLE_SHARE 2

/* The lock guards these. The process does not destroy them when it ends, since the driver is then
 * gone. */
typedef struct known_device {
    gfp_device_state state;
    char reason[160];
    char name[80];
    size_t memory;
    gfp_gpu *probe; /* a context for queries; NULL: not open */
} known_device;

static struct {
    known_device device[GFP_MAX_DEVICES];
    gfp_pool_entry *idle;
    size_t busy, most_busy; /* entries in use; the most at once */
} pool;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Copies of the devices' states; and the microseconds that picks lost so far without each
 * device. */
static atomic_int state_seen[GFP_MAX_DEVICES];
static atomic_uint_fast64_t missed_us[GFP_MAX_DEVICES];
/* How often the state of any device was set. */
static atomic_uint_fast64_t epoch;
/* The process that first took the lock to open a device; 0: none. */
static atomic_long owner;

static void pool_lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void pool_unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- the device ---- */

/* Whether this process is a fork of the owner: the driver does not work here, and a thread that
 * does not exist here may hold the lock. */
static bool is_forked(void)
{
    const long asked = atomic_load(&owner);
    return asked != 0 && asked != (long)getpid();
}

/* Whether the pool may hold anything to release. */
static bool is_owner(void)
{
    return atomic_load(&owner) == (long)getpid();
}

/* Why the device is missing whatever the driver says; NULL: the driver decides. */
static const char *why_none(unsigned number)
{
    const char *setting = getenv("GFPOLY_GPU");
    return setting != NULL && strcmp(setting, "off") == 0 ? "GFPOLY_GPU=off"
           : is_forked()               ? "this process is a fork of one that has opened a GPU"
           : number >= GFP_MAX_DEVICES ? "no such device"
                                       : NULL;
}

/* Whether the device cannot be opened at all: why_none has the reason. */
static bool is_beyond(unsigned number)
{
    return number >= GFP_MAX_DEVICES || is_forked();
}

/* Takes the lock to use a device. Returns false, without the lock, if the device is beyond reach.
 * The owner is recorded before the lock is taken, so that a process forked now can tell. */
static bool lock_for(unsigned number)
{
    long nobody = 0;
    if (is_beyond(number)) {
        return false;
    }
    (void)atomic_compare_exchange_strong(&owner, &nobody, (long)getpid());
    pool_lock();
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

/* The name has the driver's version, since measured times depend on both. */
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

/* Opens a device whose state is unknown; the caller holds the lock. If memory is short, the state
 * stays unknown, and lost time is counted from 0 again. */
static known_device *pool_ask(unsigned number)
{
    known_device *d = &pool.device[number];
    gfp_error error = {.message = ""};
    const gfp_options options = {.gpu_device = number, .error = &error};
    gfp_gpu_info info;
    if (d->state != GFP_DEVICE_UNKNOWN) {
        return d;
    }
    const char *none = why_none(number);
    if (none != NULL) {
        set_missing(d, none);
        return d;
    }
    const gfp_status status = gfp_gpu_create(&d->probe, NULL, &options);
    if (status == GFP_ERR_MEMORY) {
        (void)snprintf(d->reason, sizeof d->reason, "%.159s", error.message);
        atomic_store(&missed_us[number], 0);
    } else if (status != GFP_OK) {
        set_missing(d, error.message);
    } else if (gfp_gpu_get_info(&info, d->probe, NULL) != GFP_OK) {
        set_missing(d, gfp_gpu_last_error(d->probe)->message);
        gfp_gpu_destroy(d->probe);
        d->probe = NULL;
    } else {
        set_name(d, &info);
        d->memory = info.memory_total;
        set_state(d, GFP_DEVICE_PRESENT);
    }
    return d;
}

uint64_t gfp_device_epoch(void)
{
    return atomic_load(&epoch);
}

gfp_device_state gfp_device_get_state(unsigned number)
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
    const known_device *d = pool_ask(number);
    if (d->state != GFP_DEVICE_PRESENT) {
        status = d->state == GFP_DEVICE_MISSING ? GFP_ERR_UNAVAILABLE : GFP_ERR_MEMORY;
        gfp_error_set(error, status, "%s", d->reason);
    }
    pool_unlock();
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
    const known_device *d = pool_ask(number);
    bool serves = d->state != GFP_DEVICE_MISSING;
    if (d->state == GFP_DEVICE_PRESENT) {
        serves = gfp_gpu_product_serves(d->probe, method, field, len_a, len_b, why, size);
    } else if (!serves) {
        (void)snprintf(why, size, "%s", d->reason);
    }
    pool_unlock();
    return serves;
}

void gfp_device_name(char *name, size_t size)
{
    const char *found = "none";
    if (!lock_for(0)) {
        (void)snprintf(name, size, "%s", found);
        return;
    }
    const known_device *d = pool_ask(0);
    if (d->state == GFP_DEVICE_PRESENT) {
        found = d->name;
    }
    (void)snprintf(name, size, "%s", found);
    pool_unlock();
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

/* ---- entries ---- */

static void clear_dealt(gfp_pool_entry *entry)
{
    gfp_gpu_dealt_plan_destroy(entry->first->dealt);
    entry->first->dealt = NULL;
}

static void clear_entry(gfp_pool_entry *entry)
{
    for (size_t i = 0; i < GFP_POOL_PLANS; i++) {
        gfp_gpu_product_plan_destroy(entry->plan[i].plan);
        entry->plan[i].plan = NULL;
    }
    for (size_t i = 0; i < GFP_POOL_ARRAYS; i++) {
        gfp_gpu_array_destroy(entry->array[i]);
        entry->array[i] = NULL;
    }
}

static void destroy_member(gfp_pool_entry *entry)
{
    gfp_pool_ring *rings[] = {&entry->up, &entry->down};
    clear_entry(entry);
    for (size_t i = 0; i < GFP_POOL_FENCES; i++) {
        gfp_gpu_fence_destroy(entry->fence[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < GFP_POOL_SLOTS; j++) {
            gfp_gpu_fence_destroy(rings[i]->fence[j]);
        }
        gfp_gpu_host_release(rings[i]->words, entry->gpu);
    }
    gfp_gpu_destroy(entry->gpu);
    gfp_release(&gfp_default_allocator, entry, 1, sizeof *entry);
}

/* NULL is allowed. */
static void destroy_entry(gfp_pool_entry *entry)
{
    if (entry != NULL) {
        clear_dealt(entry);
    }
    while (entry != NULL) {
        gfp_pool_entry *peer = entry->peer;
        destroy_member(entry);
        entry = peer;
    }
}

static void destroy_entries(gfp_pool_entry *entries)
{
    while (entries != NULL) {
        gfp_pool_entry *next = entries->next;
        destroy_entry(entries);
        entries = next;
    }
}

/* Removes the idle entries of a field (NULL: all) from the pool; returns them. */
static gfp_pool_entry *take_out(const gfp_field *field)
{
    gfp_pool_entry *taken = NULL;
    if (!is_owner()) {
        return NULL;
    }
    pool_lock();
    for (gfp_pool_entry **at = &pool.idle; *at != NULL;) {
        gfp_pool_entry *entry = *at;
        if (field == NULL || entry->field == field) {
            *at = entry->next;
            entry->next = taken;
            taken = entry;
        } else {
            at = &entry->next;
        }
    }
    pool_unlock();
    return taken;
}

void gfp_gpu_pool_release(void)
{
    gfp_gpu *probe[GFP_MAX_DEVICES];
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        atomic_store(&missed_us[i], 0);
    }
    if (!is_owner()) {
        return;
    }
    destroy_entries(take_out(NULL));
    pool_lock();
    pool.most_busy = pool.busy;
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        probe[i] = pool.device[i].probe;
        pool.device[i].probe = NULL;
        set_state(&pool.device[i], GFP_DEVICE_UNKNOWN);
    }
    pool_unlock();
    for (size_t i = 0; i < GFP_MAX_DEVICES; i++) {
        gfp_gpu_destroy(probe[i]);
    }
}

/* Attached to a field: destroys the field's idle entries when the field is destroyed. */
typedef struct field_attachment {
    gfp_attachment head;
    const gfp_field *field;
} field_attachment;

static void detach_from_field(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    field_attachment *n = (field_attachment *)attachment;
    destroy_entries(take_out(n->field));
    gfp_release(allocator, n, 1, sizeof *n);
}

static gfp_status attach_to_field(const gfp_field *field)
{
    if (gfp_field_attached(field, detach_from_field) != NULL) {
        return GFP_OK;
    }
    field_attachment *n = gfp_allocate(gfp_field_allocator(field), 1, sizeof *n);
    if (n == NULL) {
        return GFP_ERR_MEMORY;
    }
    *n = (field_attachment){{detach_from_field}, field};
    (void)gfp_field_attach(field, &n->head);
    return GFP_OK;
}

static gfp_status make_fences(gfp_pool_entry *entry)
{
    for (size_t i = 0; i < GFP_POOL_FENCES; i++) {
        GFP_TRY(gfp_gpu_fence_create(&entry->fence[i], entry->gpu));
    }
    for (size_t i = 0; i < GFP_POOL_SLOTS; i++) {
        GFP_TRY(gfp_gpu_fence_create(&entry->up.fence[i], entry->gpu));
        GFP_TRY(gfp_gpu_fence_create(&entry->down.fence[i], entry->gpu));
    }
    return GFP_OK;
}

/* *entry := a member of the list that begins with `first` (NULL: with itself). */
static gfp_status make_member(gfp_pool_entry **entry, gfp_pool_entry *first, const gfp_field *field,
                              unsigned device, size_t cap, gfp_error *error)
{
    const gfp_options options = {.gpu_device = device, .gpu_memory_cap = cap, .error = error};
    gfp_pool_entry *made = gfp_allocate(&gfp_default_allocator, 1, sizeof *made);
    if (made == NULL || attach_to_field(field) != GFP_OK) {
        gfp_release(&gfp_default_allocator, made, 1, sizeof *made);
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a context");
    }
    *made = (gfp_pool_entry){.field = field, .device = device, .cap = cap};
    made->first = first != NULL ? first : made;
    gfp_status status = gfp_gpu_create(&made->gpu, NULL, &options);
    if (status == GFP_OK) {
        status = make_fences(made);
        if (status != GFP_OK && error != NULL) {
            *error = *gfp_gpu_last_error(made->gpu);
        }
    }
    if (status == GFP_OK) {
        *entry = made;
    } else {
        destroy_member(made);
    }
    return status;
}

static gfp_status make_entry(gfp_pool_entry **entry, const gfp_field *field, unsigned device,
                             unsigned members, size_t cap, gfp_error *error)
{
    gfp_pool_entry *first = NULL, *last = NULL;
    for (unsigned i = 0; i < members; i++) {
        gfp_pool_entry **at = last == NULL ? &first : &last->peer;
        gfp_error why = {.message = ""};
        const gfp_status status = make_member(at, first, field, device + i, cap, &why);
        if (status != GFP_OK) {
            destroy_entry(first);
            return members > 1
                       ? gfp_error_set(error, status, "device %u: %s", device + i, why.message)
                       : gfp_error_set(error, status, "%s", why.message);
        }
        last = *at;
        last->first->members = members;
    }
    *entry = first;
    return GFP_OK;
}

gfp_status gfp_pool_take(gfp_pool_entry **entry, const gfp_field *field, unsigned device,
                         unsigned members, size_t cap, gfp_error *error)
{
    gfp_pool_entry *found = NULL;
    if (!lock_for(device)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s", why_none(device));
    }
    for (gfp_pool_entry **at = &pool.idle; *at != NULL; at = &(*at)->next) {
        if ((*at)->field == field && (*at)->device == device && (*at)->members == members &&
            (*at)->cap == cap) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pool.busy++;
    pool.most_busy = pool.busy > pool.most_busy ? pool.busy : pool.most_busy;
    pool_unlock();
    if (found != NULL) {
        *entry = found;
        for (; found != NULL; found = found->peer) {
            gfp_gpu_error_begin(found->gpu, NULL); /* failures of earlier calls are no reasons */
        }
        return GFP_OK;
    }
    gfp_status status = make_entry(entry, field, device, members, cap, error);
    if (status == GFP_ERR_MEMORY) {
        destroy_entries(take_out(NULL));
        status = make_entry(entry, field, device, members, cap, error);
    }
    if (status != GFP_OK) {
        pool_lock();
        pool.busy--;
        pool_unlock();
    }
    return status;
}

/* The idle entries that may stay. The caller holds the lock. */
static size_t idle_limit(void)
{
    return pool.most_busy < LEAST_IDLE ? LEAST_IDLE : gfp_size_min(pool.most_busy, MOST_IDLE);
}

/* Takes idle entries beyond the limits of number and device memory out of the pool, those used last
 * staying; returns them. The caller holds the lock. */
static gfp_pool_entry *cut_off(void)
{
    size_t count = 0, bytes[GFP_MAX_DEVICES] = {0};
    gfp_pool_entry *rest = NULL;
    for (gfp_pool_entry **at = &pool.idle; *at != NULL;) {
        gfp_pool_entry *entry = *at;
        bool exceeds = ++count > idle_limit();
        for (const gfp_pool_entry *m = entry; m != NULL; m = m->peer) {
            bytes[m->device] += gfp_gpu_memory_used(m->gpu);
            exceeds = exceeds || bytes[m->device] > pool.device[m->device].memory / IDLE_SHARE;
        }
        if (exceeds) {
            *at = entry->next;
            entry->next = rest;
            rest = entry;
        } else {
            at = &entry->next;
        }
    }
    return rest;
}

static bool wait_member(const gfp_pool_entry *entry)
{
    gfp_error error = {.message = ""};
    if (gfp_gpu_wait(entry->gpu, NULL) == GFP_OK) {
        return true;
    }
    if (gfp_gpu_wait(entry->gpu, &(gfp_options){.error = &error}) != GFP_OK && is_owner()) {
        pool_lock();
        set_missing(&pool.device[entry->device], error.message);
        pool_unlock();
    }
    return false;
}

bool gfp_pool_wait(gfp_pool_entry *entry, gfp_status status)
{
    bool all = true;
    for (; entry != NULL && status != GFP_OK; entry = entry->peer) {
        all = wait_member(entry) && all;
    }
    return all;
}

void gfp_pool_give(gfp_pool_entry *entry, gfp_status status)
{
    const bool stays = gfp_pool_wait(entry, status) && status != GFP_ERR_DEVICE;
    gfp_pool_entry *rest = entry;
    entry->next = NULL;
    if (is_owner()) {
        pool_lock();
        pool.busy--;
        if (stays) {
            entry->next = pool.idle;
            pool.idle = entry;
            rest = cut_off();
        }
        pool_unlock();
    } else if (stays) { /* a fork in the middle of a product: the entry cannot be used in this
                           process */
        return;
    }
    destroy_entries(rest);
}

gfp_status gfp_pool_order(gfp_pool_entry *entry, size_t fence, gfp_gpu_queue earlier,
                          gfp_gpu_queue later)
{
    GFP_TRY(gfp_gpu_fence_set(entry->fence[fence], earlier));
    return gfp_gpu_fence_hold(entry->fence[fence], later);
}

void gfp_pool_clear(gfp_pool_entry *entry)
{
    clear_dealt(entry);
    clear_entry(entry);
    destroy_entries(take_out(NULL));
}

static bool is_like(const gfp_pool_plan *p, const gfp_pool_plan *q)
{
    return p->plan != NULL && p->method == q->method && p->len_a == q->len_a &&
           p->len_b == q->len_b && p->first == q->first && p->n == q->n && p->batch == q->batch;
}

gfp_status gfp_pool_plan_for(gfp_pool_entry *entry, gfp_gpu_product_plan **plan,
                             const gfp_pool_plan *like)
{
    const gfp_gpu_product_options options = {
        .method = like->method, .batch = like->batch, .first = like->first, .n = like->n};
    gfp_pool_plan wanted = *like;
    size_t i = 0;
    while (i < GFP_POOL_PLANS - 1 && entry->plan[i].plan != NULL &&
           !is_like(&entry->plan[i], like)) {
        i++;
    }
    if (is_like(&entry->plan[i], like)) {
        wanted.plan = entry->plan[i].plan;
    } else {
        GFP_TRY(gfp_gpu_product_plan_create(&wanted.plan, entry->gpu, entry->field, like->len_a,
                                            like->len_b, &options, NULL));
        gfp_gpu_product_plan_destroy(entry->plan[i].plan);
    }
    memmove(entry->plan + 1, entry->plan, i * sizeof *entry->plan);
    entry->plan[0] = wanted;
    *plan = wanted.plan;
    return GFP_OK;
}

gfp_status gfp_pool_dealt_for(gfp_pool_entry *entry, gfp_gpu_dealt_plan **plan, size_t len_a,
                              size_t len_b)
{
    gfp_gpu *gpus[GFP_GPU_MOST_MEMBERS];
    size_t members = 0;
    if (entry->dealt == NULL || entry->dealt_len_a != len_a || entry->dealt_len_b != len_b) {
        clear_dealt(entry);
        for (const gfp_pool_entry *m = entry; m != NULL; m = m->peer) {
            gpus[members++] = m->gpu;
        }
        GFP_TRY(gfp_gpu_dealt_plan_create(&entry->dealt, gpus, members, entry->field, len_a, len_b,
                                          NULL));
        entry->dealt_len_a = len_a;
        entry->dealt_len_b = len_b;
    }
    *plan = entry->dealt;
    return GFP_OK;
}

gfp_status gfp_pool_reserve(gfp_pool_entry *entry, size_t index, size_t words)
{
    gfp_gpu_array **array = &entry->array[index];
    if (*array != NULL && gfp_gpu_array_words(*array) >= words) {
        return GFP_OK;
    }
    gfp_gpu_array_destroy(*array);
    *array = NULL;
    return gfp_gpu_array_create(array, entry->gpu, words, NULL);
}
