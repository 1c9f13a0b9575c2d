/* memory.c: see memory.h. Each step that others see is one atomic exchange: a jump before or after
 * a step loses a block at most, and threads, handlers and children of fork find lists that are
 * whole.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "bindings/preload/memory.h"

#include <errno.h>
#include <gmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "field/base/support.h"
#include "field/base/word.h"

#define LINE 64
#define HUGE_PAGE ((size_t)1 << 21)
#define MOST_BYTES ((size_t)1 << 47)

/* ---- from the system ---- */

static void memory_unmap(void *address, size_t bytes)
{
    const int error = errno;
    if (bytes > 0) {
        (void)munmap(address, bytes);
    }
    errno = error;
}

/* Pages of zeros below 2^48; NULL: none. */
static void *memory_map(size_t bytes)
{
    const int error = errno;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = error;
    if (pages == MAP_FAILED) {
        return NULL;
    }
    if ((uintptr_t)pages >> 48 != 0) {
        memory_unmap(pages, bytes);
        return NULL;
    }
    return pages;
}

/* Blocks that begin at a huge page and ask for huge pages (docs/design/memory.md). */
static void *map_huge(size_t bytes)
{
    size_t all;
    char *pages = gfp_size_add(&all, bytes, HUGE_PAGE) ? memory_map(all) : NULL;
    if (pages == NULL) {
        return NULL;
    }
    const size_t before = (HUGE_PAGE - (uintptr_t)pages % HUGE_PAGE) % HUGE_PAGE;
    memory_unmap(pages, before);
    memory_unmap(pages + before + bytes, HUGE_PAGE - before);
#if defined(MADV_HUGEPAGE)
    const int error = errno;
    (void)madvise(pages + before, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    errno = error;
#endif
    return pages + before;
}

/* ---- short blocks: of 2^6 to 2^20 bytes, in chunks that stay ---- */

#define LEAST_LOG2 6
#define SHORT_LOG2 20
#define CHUNK ((size_t)1 << 23)

typedef struct chunk {
    atomic_size_t used;
} chunk;
static _Atomic(chunk *) chunk_in_use;

/* The free blocks of a size: the address of the first one by LINE, and above these bits a number
 * that each change of the list increments. */
#define ADDRESS_BITS (48 - LEAST_LOG2)
#define ADDRESS ((UINT64_C(1) << ADDRESS_BITS) - 1)
#define CHANGE (UINT64_C(1) << ADDRESS_BITS)
static atomic_uint_fast64_t free_lists[SHORT_LOG2 + 1];

typedef struct free_block {
    atomic_uint_fast64_t next;
} free_block;

static free_block *block_at(uint64_t list)
{
    return (free_block *)(uintptr_t)((list & ADDRESS) * LINE); // NOLINT(performance-no-int-to-ptr)
}

/* The next block may be read from a block that another thread has taken: then the list has
 * changed. */
static void *memory_pop(unsigned log2)
{
    uint64_t list = atomic_load(&free_lists[log2]);
    while ((list & ADDRESS) != 0) {
        free_block *first = block_at(list);
        const uint64_t next = atomic_load_explicit(&first->next, memory_order_relaxed) & ADDRESS;
        if (atomic_compare_exchange_weak(&free_lists[log2], &list,
                                         ((list & ~ADDRESS) + CHANGE) | next)) {
            return first;
        }
    }
    return NULL;
}

static void memory_push(unsigned log2, void *block)
{
    free_block *first = block;
    uint64_t list = atomic_load(&free_lists[log2]);
    do {
        atomic_store_explicit(&first->next, list & ADDRESS, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&free_lists[log2], &list,
                                           ((list & ~ADDRESS) + CHANGE) | (uintptr_t)block / LINE));
}

static void *memory_carve(size_t bytes)
{
    for (;;) {
        chunk *c = atomic_load(&chunk_in_use);
        const size_t at = c == NULL ? CHUNK : atomic_fetch_add(&c->used, bytes);
        if (at + bytes <= CHUNK) {
            return (char *)c + at;
        }
        chunk *fresh = memory_map(CHUNK);
        if (fresh == NULL) {
            return NULL;
        }
        atomic_init(&fresh->used, LINE);
        if (!atomic_compare_exchange_strong(&chunk_in_use, &c, fresh)) {
            memory_unmap(fresh, CHUNK);
        }
    }
}

static void *take_short(unsigned log2)
{
    void *block = memory_pop(log2);
    return block != NULL ? block : memory_carve((size_t)1 << log2);
}

/* ---- blocks; long ones are pages of their own ---- */

#define PAGES ((size_t)1 << 16)

/* The binary logarithm of the size of a short block; bytes >= 1. */
static unsigned log2_of(size_t bytes)
{
    return bytes <= LINE ? LEAST_LOG2 : 64 - gfp_clz64(bytes - 1);
}

/* bytes > 0. */
static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGES - 1) / PAGES * PAGES;
}

static void *memory_allocate(void *user, size_t bytes)
{
    (void)user;
    if (bytes <= (size_t)1 << SHORT_LOG2) {
        return take_short(log2_of(bytes));
    }
    if (bytes > MOST_BYTES) {
        return NULL;
    }
    return bytes >= HUGE_PAGE ? map_huge(whole_pages(bytes)) : memory_map(whole_pages(bytes));
}

static void memory_release(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes <= (size_t)1 << SHORT_LOG2) {
        memory_push(log2_of(bytes), block);
    } else {
        memory_unmap(block, whole_pages(bytes));
    }
}

const gfp_allocator gfp_host_memory = {memory_allocate, memory_release, NULL};

void *gfp_host_allocate(size_t bytes)
{
    void *block = memory_allocate(NULL, bytes);
    return block == NULL ? NULL : memset(block, 0, bytes);
}

void gfp_host_release(void *block, size_t bytes)
{
    if (block != NULL) {
        memory_release(NULL, block, bytes);
    }
}

/* ---- GMP, which has no way to fail ---- */

static void *allocate_or_abort(size_t bytes)
{
    void *block = memory_allocate(NULL, bytes);
    if (block == NULL) {
        abort();
    }
    return block;
}

static void *reallocate_or_abort(void *block, size_t before, size_t bytes)
{
    void *fresh = allocate_or_abort(bytes);
    memcpy(fresh, block, gfp_size_min(before, bytes));
    memory_release(NULL, block, before);
    return fresh;
}

static void release_of_gmp(void *block, size_t bytes)
{
    memory_release(NULL, block, bytes);
}

__attribute__((constructor)) static void give_to_gmp(void)
{
    mp_set_memory_functions(allocate_or_abort, reallocate_or_abort, release_of_gmp);
}
