/* hosts.h: the host that calls this library: FLINT, NTL. A process may have several copies of one,
 * which python wheels load with RTLD_LOCAL; each gets a record of its own, found by the return
 * address of a call. No header of a host is included, and no host is linked.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HOSTS_H
#define GFP_HOSTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of a record: the addresses of the host's code and data. */
typedef struct gfp_host_place {
    uintptr_t from, to;
} gfp_host_place;

/* The record: each library for LD_PRELOAD defines its own (host.h). */
typedef struct gfp_host gfp_host;

/* The description of a library's hosts. */
typedef struct gfp_host_kind {
    const char *anchor; /* a function that every host has, and that this library does not define */
    size_t size;        /* of a record */
    /* Fills a record of zeros. handle: the host's, for dlsym; it stays valid. */
    void (*fill)(gfp_host *host, void *handle);
} gfp_host_kind;
extern const gfp_host_kind gfp_host_kind_self;

/* A function of a host, and the place of its address in the record. */
typedef struct gfp_host_symbol {
    const char *name;
    size_t offset;
} gfp_host_symbol;

/* Fills members of the record; false: a function is missing, and its member is NULL. A function of
 * this library, which a search that begins at the program finds, counts as missing. */
bool gfp_host_find(gfp_host *host, void *handle, const gfp_host_symbol *symbols, size_t n);

/* Returns the record of the host that the code at this return address belongs to, or calls.
 * Ends the process as the dynamic linker would if there is none: then nobody can compute. */
const gfp_host *gfp_host_of(void *address);

/* ---- the first host, without a call ---- */

#pragma GCC visibility push(hidden)

/* The record of the host that is seen first: each library for LD_PRELOAD defines it (host.c). */
extern gfp_host gfp_host_first;

/* Code that calls the first host: the host's own, and the program's. size: 0: none. */
typedef struct gfp_host_code {
    uintptr_t from;
    _Atomic uintptr_t size;
} gfp_host_code;
extern gfp_host_code gfp_host_near[2];

/* The host of the thread's last call, NULL: the first one. A host's function that was called from
 * here may end with a jump to another one, whose return address then is here. */
extern _Thread_local const gfp_host *gfp_host_recent;

#pragma GCC visibility pop

static inline bool gfp_host_has(const gfp_host_code *code, uintptr_t at)
{
    const uintptr_t size = atomic_load_explicit(&code->size, memory_order_acquire);
    return at - code->from < size;
}

/* Whether gfp_host_of(address) is certainly &gfp_host_first; false tells nothing. */
static inline bool gfp_host_is_first(const void *address)
{
    const uintptr_t at = (uintptr_t)address;
    if (gfp_host_has(&gfp_host_near[0], at) || gfp_host_has(&gfp_host_near[1], at)) {
        gfp_host_recent = NULL;
        return true;
    }
    return false;
}
/* The number of hosts seen. */
unsigned gfp_host_count(void);

#endif
