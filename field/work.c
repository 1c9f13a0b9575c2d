/* work.c: the work areas that a field keeps: a few slots that threads exchange blocks with, without
 * locks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/work.h"

#include "field/base/context.h"
#include "field/base/support.h"

#define LINE 64

/* The head of a block; the words follow on the next line. */
struct gfp_work_block {
    size_t bytes; /* of the whole block, as the allocator was asked */
    uint64_t head[GFP_WORK_HEAD / sizeof(uint64_t)];
};

typedef struct gfp_work_block block;

/* Kept areas are a cache: the field keeps its value, and fields are never in read-only memory. */
static gfp_work_pool *pool_of(const gfp_field *field)
{
    return (gfp_work_pool *)&field->pool;
}

size_t gfp_work_bytes(size_t words)
{
    if (words == 0) {
        return 0;
    }
    /* The head, and the padding that aligns the words behind it. */
    const size_t bytes = gfp_size_add_sat(gfp_size_mul_sat(words, sizeof(uint64_t)), 2 * LINE);
    const size_t step = (size_t)1 << (60 - gfp_clz64(bytes)); /* bytes >= 2^7 */
    const size_t rounded = gfp_size_add_sat(bytes, step - 1);
    return rounded == SIZE_MAX ? SIZE_MAX : rounded / step * step;
}

/* Whether the block serves: a block up to 8 times too large does, and larger ones stay for larger
 * requests. */
static bool work_fits(const block *b, size_t bytes)
{
    return b->bytes >= bytes && b->bytes / 8 <= bytes;
}

/* Whether the block is too short: the same caller may have used it for a shorter length. */
static bool work_outgrown(const block *b, size_t bytes)
{
    return b->bytes < bytes && b->bytes >= bytes / 8;
}

static void work_release(const gfp_field *field, block *b)
{
    gfp_release(&field->allocator, b, b->bytes, 1);
}

/* Empties a slot. The thread that exchanges a block for NULL owns the block. */
static block *empty_slot(gfp_work_pool *pool, size_t slot)
{
    return atomic_load(&pool->kept[slot]) == NULL ? NULL : atomic_exchange(&pool->kept[slot], NULL);
}

static bool fill_slot(gfp_work_pool *pool, size_t slot, block *b)
{
    block *none = NULL;
    return atomic_compare_exchange_strong(&pool->kept[slot], &none, b);
}

/* Keeps b, which counts among the kept bytes, in a free slot, this one first; without a free slot,
 * in place of the smallest block. */
static void work_put(const gfp_field *field, size_t first, block *b)
{
    gfp_work_pool *pool = pool_of(field);
    for (size_t i = 0; i < GFP_WORK_SLOTS; i++) {
        if (fill_slot(pool, (first + i) % GFP_WORK_SLOTS, b)) {
            return;
        }
    }
    for (size_t i = 0; i < GFP_WORK_SLOTS; i++) {
        block *other = empty_slot(pool, i);
        block *larger = other == NULL || other->bytes < b->bytes ? b : other;
        block *smaller = larger == b ? other : b;
        if (fill_slot(pool, i, larger)) {
            b = smaller;
        } else if (other != NULL) { /* another thread was faster: rare, and one block is lost */
            atomic_fetch_sub_explicit(&pool->bytes, other->bytes, memory_order_relaxed);
            work_release(field, other);
        }
        if (b == NULL) {
            return;
        }
    }
    atomic_fetch_sub_explicit(&pool->bytes, b->bytes, memory_order_relaxed);
    work_release(field, b);
}

/* Returns the first kept block with wanted(block, bytes), no longer kept; or NULL. */
static block *work_find(const gfp_field *field, size_t bytes, bool (*wanted)(const block *, size_t))
{
    gfp_work_pool *pool = pool_of(field);
    for (size_t i = 0; i < GFP_WORK_SLOTS; i++) {
        block *b = empty_slot(pool, i);
        if (b == NULL) {
            continue;
        }
        if (wanted(b, bytes)) {
            atomic_fetch_sub_explicit(&pool->bytes, b->bytes, memory_order_relaxed);
            return b;
        }
        work_put(field, i, b);
    }
    return NULL;
}

void *gfp_work_head(const gfp_work *work)
{
    return work->block->head;
}

gfp_status gfp_work_take(gfp_work *work, const gfp_field *field, size_t words)
{
    const size_t bytes = gfp_work_bytes(words);
    *work = (gfp_work){NULL, NULL};
    if (bytes == 0) {
        return GFP_OK;
    }
    if (bytes == SIZE_MAX) {
        return GFP_ERR_SIZE;
    }
    block *b = work_find(field, bytes, work_fits);
    if (b == NULL) {
        block *old = work_find(field, bytes, work_outgrown);
        if (old != NULL) {
            work_release(field, old);
        }
        b = gfp_allocate(&field->allocator, bytes, 1);
        if (b == NULL) {
            return GFP_ERR_MEMORY;
        }
        b->bytes = bytes;
    }
    const uintptr_t past = ((uintptr_t)b + sizeof *b) % LINE;
    work->block = b;
    work->words = (uint64_t *)((char *)b + sizeof *b + (LINE - past) % LINE);
    return GFP_OK;
}

/* Releases the kept blocks if they exceed the limit. If the limit is lowered while a block is on
 * its way to a slot, either the giving thread sees the new limit, or gfp_field_limit_memory sees
 * the block, since all threads see the writes and reads of limit, bytes and slots in one order. */
static void work_trim(const gfp_field *field)
{
    const size_t limit = atomic_load(&field->pool.limit);
    if (atomic_load(&field->pool.bytes) > limit) {
        gfp_field_release_memory(field);
    }
}

/* Counts b among the kept bytes, which never exceed the limit, if b may be kept. Returns whether b
 * may be kept. */
static bool work_admit(gfp_work_pool *pool, const block *b)
{
    const size_t limit = atomic_load_explicit(&pool->limit, memory_order_relaxed);
    size_t others = atomic_load_explicit(&pool->bytes, memory_order_relaxed);
    do {
        if (others > limit || b->bytes > limit - others) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&pool->bytes, &others, others + b->bytes));
    return true;
}

void gfp_work_give(gfp_work *work, const gfp_field *field)
{
    block *b = work->block;
    *work = (gfp_work){NULL, NULL};
    if (b == NULL) {
        return;
    }
    if (work_admit(pool_of(field), b)) {
        work_put(field, 0, b);
    } else {
        work_release(field, b);
    }
    work_trim(field);
}

static bool work_any(const block *b, size_t bytes)
{
    (void)b;
    (void)bytes;
    return true;
}

void gfp_field_release_memory(const gfp_field *field)
{
    for (block *b = work_find(field, 0, work_any); b != NULL; b = work_find(field, 0, work_any)) {
        work_release(field, b);
    }
}

void gfp_field_limit_memory(const gfp_field *field, size_t bytes)
{
    atomic_store(&pool_of(field)->limit, bytes);
    work_trim(field);
}
