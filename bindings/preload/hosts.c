/* hosts.c: see hosts.h. Records are made once and stay; threads publish them without locks. A host
 * stays loaded from then on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* dladdr1, dl_iterate_phdr, RTLD_DEFAULT, RTLD_NEXT */
#include "bindings/preload/hosts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/memory.h"
#include "bindings/preload/settings.h"

#define HOSTS 16
static _Atomic(gfp_host_place *) hosts[HOSTS];

static struct link_map *object_at(void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
}

static void *open_object(const struct link_map *map, int flags)
{
    const bool program = map == NULL || map->l_name[0] == '\0';
    return dlopen(program ? NULL : map->l_name, RTLD_LAZY | RTLD_NOLOAD | flags);
}

bool gfp_host_find(gfp_host *host, void *handle, const gfp_host_symbol *symbols, size_t n)
{
    bool all = true;
    const struct link_map *library = object_at((void *)hosts);
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (address != NULL && object_at(address) == library) {
            address = dlsym(RTLD_NEXT, symbols[i].name);
        }
        memcpy((char *)host + symbols[i].offset, &address, sizeof address);
        all = all && address != NULL;
    }
    return all;
}

typedef struct extent {
    uintptr_t inside, from, to;
} extent;

gfp_host_code gfp_host_near[2];

static void set_near(gfp_host_code *code, uintptr_t from, uintptr_t to)
{
    code->from = from;
    atomic_store_explicit(&code->size, to - from, memory_order_release);
}

static void extent_of(const struct dl_phdr_info *info, extent *e)
{
    uintptr_t from = UINTPTR_MAX, to = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = info->dlpi_phdr + i;
        const uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            from = start < from ? start : from;
            to = start + p->p_memsz > to ? start + p->p_memsz : to;
        }
    }
    e->from = from;
    e->to = to;
}

static int find_extent(struct dl_phdr_info *info, size_t size, void *user)
{
    extent *e = user;
    extent found;
    (void)size;
    extent_of(info, &found);
    if (e->inside < found.from || e->inside >= found.to) {
        return 0;
    }
    e->from = found.from;
    e->to = found.to;
    return 1;
}

static gfp_host_place *first_place(void)
{
    return (gfp_host_place *)(void *)&gfp_host_first;
}

static gfp_host_place *new_place(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    return atomic_flag_test_and_set(&taken) ? gfp_host_allocate(gfp_host_kind_self.size)
                                            : first_place();
}

/* A thread that loses against another one that makes the same record gives its own back; the
 * first place stays the record of calls from the host's own code. */
static void give_place(gfp_host_place *place)
{
    if (place != first_place()) {
        gfp_host_release(place, gfp_host_kind_self.size);
    }
}

/* The record of the host that has this anchor; NULL: no memory, or no host. */
static gfp_host_place *make_host(void *anchor)
{
    extent e = {.inside = (uintptr_t)anchor};
    void *handle = open_object(object_at(anchor), RTLD_NODELETE);
    gfp_host_place *h = NULL;
    if (handle != NULL && dl_iterate_phdr(find_extent, &e) != 0) {
        h = new_place();
    }
    if (h != NULL) {
        h->from = e.from;
        h->to = e.to;
        gfp_host_kind_self.fill((gfp_host *)(void *)h, handle);
    }
    if (h == first_place()) {
        set_near(&gfp_host_near[0], e.from, e.to);
    }
    return h;
}

/* ---- the record of a call ---- */

static gfp_host_place *known_host(uintptr_t at)
{
    for (size_t i = 0; i < HOSTS; i++) {
        gfp_host_place *h = atomic_load_explicit(&hosts[i], memory_order_acquire);
        if (h == NULL) {
            return NULL;
        }
        if (at >= h->from && at < h->to) {
            return h;
        }
    }
    return NULL;
}

/* Adds the record; returns the one that serves, which another thread may have added. */
static gfp_host_place *add_host(gfp_host_place *made)
{
    for (size_t i = 0; i < HOSTS; i++) {
        gfp_host_place *there = NULL;
        if (atomic_compare_exchange_strong(&hosts[i], &there, made)) {
            if (i == 0) {
                gfp_settings_complain();
            }
            return made;
        }
        if (there->from == made->from) {
            give_place(made);
            return there;
        }
    }
    return made;
}

/* The host that the object with this address calls. */
static gfp_host_place *hosts_search(void *address)
{
    void *handle = open_object(object_at(address), 0);
    void *anchor = handle == NULL ? NULL : dlsym(handle, gfp_host_kind_self.anchor);
    if (handle != NULL) {
        (void)dlclose(handle);
    }
    anchor = anchor != NULL ? anchor : dlsym(RTLD_NEXT, gfp_host_kind_self.anchor);
    anchor = anchor != NULL ? anchor : dlsym(RTLD_DEFAULT, gfp_host_kind_self.anchor);
    gfp_host_place *h = anchor == NULL ? NULL : known_host((uintptr_t)anchor);
    if (h == NULL && anchor != NULL) {
        h = make_host(anchor);
        h = h == NULL ? NULL : add_host(h);
    }
    return h;
}

/* Callers outside the hosts that a thread remembers, each with the code before its return address:
 * where another object was loaded in the place of the caller's, the code tells. */
#define CALLERS 16
#define CODE 16
typedef struct caller {
    const void *volatile address;
    gfp_host_place *host;
    unsigned char code[CODE];
} caller;
static _Thread_local caller callers[CALLERS];

/* The code of the program and of the libraries that were loaded with it, which stay, and the host
 * that they all call: the loader, which has locks, is not asked again. */
#define OBJECTS 256
static extent objects[OBJECTS];
static size_t object_count;
static gfp_host_place *common;

static int add_object(struct dl_phdr_info *info, size_t size, void *user)
{
    const bool program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
    (void)size;
    (void)user;
    if (object_count == OBJECTS) {
        return 1;
    }
    extent *e = &objects[object_count++];
    extent_of(info, e);
    if (program && common == first_place()) {
        set_near(&gfp_host_near[1], e->from, e->to);
    }
    return 0;
}

static bool is_common(uintptr_t at)
{
    for (size_t i = 0; i < object_count && common != NULL; i++) {
        if (at >= objects[i].from && at < objects[i].to) {
            return true;
        }
    }
    return false;
}

static gfp_host_place *hosts_outside(void *address)
{
    caller *c = &callers[(uintptr_t)address / 4 % CALLERS];
    gfp_host_place *host = is_common((uintptr_t)address) ? common : hosts_search(address);
    /* A handler may jump out of this, or call: no entry is half of another one. */
    c->address = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    c->host = host;
    memcpy(c->code, (const unsigned char *)address - CODE, CODE);
    atomic_signal_fence(memory_order_seq_cst);
    c->address = address;
    return host;
}

/* This library's code. */
static extent library;
_Thread_local const gfp_host *gfp_host_recent;

/* Before the program has handlers that could jump out of the loader. */
__attribute__((constructor)) static void find_first(void)
{
    library.inside = (uintptr_t)hosts;
    (void)dl_iterate_phdr(find_extent, &library);
    void *anchor = dlsym(RTLD_NEXT, gfp_host_kind_self.anchor);
    gfp_host_place *made = anchor == NULL ? NULL : make_host(anchor);
    if (made != NULL) {
        common = add_host(made);
        (void)dl_iterate_phdr(add_object, NULL);
    }
    (void)dlerror();
}

static const gfp_host *as_host(const gfp_host_place *h)
{
    return (const gfp_host *)(const void *)h;
}

__attribute__((noinline)) static const gfp_host *other_host(void *address)
{
    const uintptr_t at = (uintptr_t)address;
    const gfp_host *h = as_host(known_host(at));
    if (h == NULL && at >= library.from && at < library.to) {
        h = gfp_host_recent == NULL ? &gfp_host_first : gfp_host_recent;
    }
    h = h == NULL ? as_host(hosts_outside(address)) : h;
    if (h == NULL) {
        abort();
    }
    return h;
}

/* Mostly the first host calls, or a caller that the thread remembers. */
const gfp_host *gfp_host_of(void *address)
{
    if (gfp_host_is_first(address)) {
        return &gfp_host_first;
    }
    const caller *c = &callers[(uintptr_t)address / 4 % CALLERS];
    const gfp_host *h =
        c->address == address && memcmp(c->code, (const char *)address - CODE, CODE) == 0
            ? as_host(c->host)
            : other_host(address);
    gfp_host_recent = h;
    return h;
}

unsigned gfp_host_count(void)
{
    unsigned n = 0;
    while (n < HOSTS && atomic_load(&hosts[n]) != NULL) {
        n++;
    }
    return n;
}
