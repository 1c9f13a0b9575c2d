/* host.c: see host.h. Records are made once and stay; threads publish them without locks. FLINT
 * stays loaded from then on.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* dladdr1, dl_iterate_phdr, RTLD_DEFAULT, RTLD_NEXT */
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "shield.h"

#define HOSTS 16
static _Atomic(gfp_host *) hosts[HOSTS];

/* ---- the functions of a FLINT ---- */

typedef struct symbol {
    const char *name;
    size_t offset; /* in gfp_host */
} symbol;

static const symbol originals[] = {
    {"_fmpz_mod_poly_mul", offsetof(gfp_host, original.mod_mul)},
    {"_fmpz_mod_poly_sqr", offsetof(gfp_host, original.mod_sqr)},
    {"_fmpz_mod_poly_mullow", offsetof(gfp_host, original.mod_mullow)},
    {"_fmpz_mod_poly_mulmid", offsetof(gfp_host, original.mod_mulmid)},
    {"fmpz_mod_poly_mul", offsetof(gfp_host, original.poly_mul)},
    {"fmpz_mod_poly_sqr", offsetof(gfp_host, original.poly_sqr)},
    {"fmpz_mod_poly_mullow", offsetof(gfp_host, original.poly_mullow)},
    {"fmpz_mod_poly_mulmid", offsetof(gfp_host, original.poly_mulmid)},
    {"_fmpz_poly_mul", offsetof(gfp_host, original.mul)},
    {"_fmpz_poly_sqr", offsetof(gfp_host, original.sqr)},
    {"_fmpz_poly_mullow", offsetof(gfp_host, original.mullow)},
    {"_fmpz_poly_sqrlow", offsetof(gfp_host, original.sqrlow)},
};

static const symbol helpers[] = {
    {"fmpz_get_ui_array", offsetof(gfp_host, get_ui_array)},
    {"fmpz_set_ui_array", offsetof(gfp_host, set_ui_array)},
    {"fmpz_get_signed_ui_array", offsetof(gfp_host, get_signed_ui_array)},
    {"fmpz_set_signed_ui_array", offsetof(gfp_host, set_signed_ui_array)},
    {"_fmpz_vec_max_bits", offsetof(gfp_host, max_bits)},
    {"_fmpz_vec_init", offsetof(gfp_host, vec_init)},
    {"_fmpz_vec_clear", offsetof(gfp_host, vec_clear)},
    {"_fmpz_vec_equal", offsetof(gfp_host, vec_equal)},
    {"_fmpz_vec_zero", offsetof(gfp_host, vec_zero)},
    {"_fmpz_vec_swap", offsetof(gfp_host, vec_swap)},
    {"_fmpz_mod_poly_fit_length", offsetof(gfp_host, fit_length)},
    {"_fmpz_mod_poly_set_length", offsetof(gfp_host, set_length)},
    {"_fmpz_mod_poly_normalise", offsetof(gfp_host, normalise)},
    {"flint_get_num_threads", offsetof(gfp_host, threads)},
    {"fmpz_mod_ctx_modulus", offsetof(gfp_host, modulus)},
};

/* A function that every FLINT has, and that this library does not define. */
#define ANCHOR "_fmpz_vec_max_bits"

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

/* Fills members of the record; false: a function is missing. A function of this library, which a
 * search that begins at the program finds, counts as missing. */
static bool fill(gfp_host *h, void *handle, const symbol *symbols, size_t n)
{
    bool all = true;
    const struct link_map *own = object_at((void *)hosts);
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (address != NULL && object_at(address) == own) {
            address = dlsym(RTLD_NEXT, symbols[i].name);
        }
        memcpy((char *)h + symbols[i].offset, &address, sizeof address);
        all = all && address != NULL;
    }
    return all;
}

typedef struct extent {
    uintptr_t inside, from, to;
} extent;

static int find_extent(struct dl_phdr_info *info, size_t size, void *user)
{
    extent *e = user;
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = info->dlpi_phdr + i;
        const uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            from = start < from ? start : from;
            to = start + p->p_memsz > to ? start + p->p_memsz : to;
        }
    }
    if (e->inside < from || e->inside >= to) {
        return 0;
    }
    e->from = from;
    e->to = to;
    return 1;
}

/* Returns the major version, 0 if the version has another form than "3.4.0". */
static long major_version(void *handle)
{
    char *end;
    const char *version = dlsym(handle, "flint_version");
    const long major = version == NULL ? 0 : strtol(version, &end, 10);
    return major != 0 && *end == '.' ? major : 0;
}

/* The record of the FLINT that has this anchor; NULL: no memory, or no FLINT. */
static gfp_host *make_host(void *anchor)
{
    extent e = {.inside = (uintptr_t)anchor};
    gfp_host *h = calloc(1, sizeof *h);
    void *handle = open_object(object_at(anchor), RTLD_NODELETE);
    if (h == NULL || handle == NULL || dl_iterate_phdr(find_extent, &e) == 0) {
        free(h);
        return NULL;
    }
    h->from = e.from;
    h->to = e.to;
    (void)fill(h, handle, originals, sizeof originals / sizeof *originals);
    const bool all = fill(h, handle, helpers, sizeof helpers / sizeof *helpers);
    const long major = major_version(handle);
    h->contexts = major == 3;
    h->serves = all && (major == 2 || major == 3);
    h->fft = dlsym(handle, "_nmod_poly_mul_mid_mpn_ctx") != NULL;
    return h;
}

/* ---- the record of a call ---- */

static gfp_host *known_host(uintptr_t at)
{
    for (size_t i = 0; i < HOSTS; i++) {
        gfp_host *h = atomic_load_explicit(&hosts[i], memory_order_acquire);
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
static gfp_host *add_host(gfp_host *made)
{
    for (size_t i = 0; i < HOSTS; i++) {
        gfp_host *there = NULL;
        if (atomic_compare_exchange_strong(&hosts[i], &there, made)) {
            return made;
        }
        if (there->from == made->from) {
            free(made);
            return there;
        }
    }
    return made;
}

/* The FLINT that the object with this address calls. */
static gfp_host *search(void *address)
{
    void *handle = open_object(object_at(address), 0);
    void *anchor = handle == NULL ? NULL : dlsym(handle, ANCHOR);
    if (handle != NULL) {
        (void)dlclose(handle);
    }
    anchor = anchor != NULL ? anchor : dlsym(RTLD_NEXT, ANCHOR);
    anchor = anchor != NULL ? anchor : dlsym(RTLD_DEFAULT, ANCHOR);
    gfp_host *h = anchor == NULL ? NULL : known_host((uintptr_t)anchor);
    if (h == NULL && anchor != NULL) {
        h = make_host(anchor);
        h = h == NULL ? NULL : add_host(h);
    }
    return h;
}

/* Callers outside FLINT that a thread remembers, each with the code before its return address:
 * where another object was loaded in the place of the caller's, the code tells. */
#define CALLERS 16
#define CODE 16
typedef struct caller {
    const void *address;
    gfp_host *host;
    unsigned char code[CODE];
} caller;
static _Thread_local caller callers[CALLERS];

static const gfp_host *outside(void *address)
{
    caller *c = &callers[(uintptr_t)address / 4 % CALLERS];
    const unsigned char *code = (const unsigned char *)address - CODE;
    if (c->address != address || memcmp(c->code, code, CODE) != 0) {
        gfp_shield shield;
        gfp_shield_raise(&shield); /* the loader has locks */
        *c = (caller){.address = address, .host = search(address)};
        memcpy(c->code, code, CODE);
        gfp_shield_lower(&shield);
    }
    return c->host;
}

const gfp_host *gfp_host_of(void *address)
{
    const gfp_host *h = known_host((uintptr_t)address);
    h = h == NULL ? outside(address) : h;
    if (h == NULL) {
        abort();
    }
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
