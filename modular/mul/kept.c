/* kept.c: what a ring keeps for products: bases of primes, and a work area.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "field/base/parallel.h"
#include "crt/small/short.h"
#include "modular/mul/methods.h"

#define ALIGNMENT 64

/* The begin of an area's memory. */
typedef struct gfp_zarea_head {
    size_t bytes; /* of all of it */
} gfp_zarea_head;

void gfp_zkept_init(gfp_zring *ring)
{
    for (size_t i = 0; i < GFP_ZKEPT_PRIMES; i++) {
        atomic_init(&ring->kept.basis[i], NULL);
    }
    for (size_t i = 0; i < GFP_ZKEPT_PRIMES / GFP_WORDS; i++) {
        atomic_init(&ring->kept.twice[i], NULL);
    }
    atomic_init(&ring->kept.short_primes, NULL);
    for (size_t i = 0; i < GFP_ZKEPT_ROOTS; i++) {
        atomic_init(&ring->kept.short_roots[i], NULL);
    }
    atomic_init(&ring->kept.area, NULL);
}

static void kept_release(gfp_zring *ring, gfp_zarea_head *head)
{
    if (head != NULL) {
        gfp_release(&ring->allocator, head, head->bytes, 1);
    }
}

/* The words of roots of a size for all primes of `short`, with room to align them. */
static size_t roots_count(const gfp_zring *ring, unsigned log2_n)
{
    const size_t words = gfp_short_kernels_get(ring->level)->engine->root_words(log2_n);
    return GFP_SHORT_PRIMES * ((words + 7) / 8 * 8) + ALIGNMENT / sizeof(uint64_t);
}

void gfp_zkept_clear(gfp_zring *ring)
{
    for (size_t i = 0; i < GFP_ZKEPT_PRIMES; i++) {
        gfp_words_basis_destroy(atomic_load(&ring->kept.basis[i]));
    }
    for (size_t i = 0; i < GFP_ZKEPT_PRIMES / GFP_WORDS; i++) {
        gfp_words *twice = atomic_load(&ring->kept.twice[i]);
        if (twice != NULL) {
            gfp_release(&ring->allocator, twice, 1, sizeof *twice);
        }
    }
    gfp_short_primes *primes = atomic_load(&ring->kept.short_primes);
    if (primes != NULL) {
        gfp_release(&ring->allocator, primes, 1, sizeof *primes);
    }
    for (unsigned i = 0; i < GFP_ZKEPT_ROOTS; i++) {
        uint64_t *roots = atomic_load(&ring->kept.short_roots[i]);
        if (roots != NULL) {
            gfp_release(&ring->allocator, roots, roots_count(ring, i), sizeof *roots);
        }
    }
    kept_release(ring, atomic_load(&ring->kept.area));
}

/* ---- areas ---- */

gfp_status gfp_zarea_take(gfp_zring *ring, gfp_zarea *area, size_t words)
{
    size_t bytes;
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t)) ||
        !gfp_size_add(&bytes, bytes, sizeof(gfp_zarea_head) + ALIGNMENT)) {
        return GFP_ERR_SIZE;
    }
    gfp_zarea_head *head = atomic_exchange(&ring->kept.area, NULL);
    if (head == NULL || head->bytes < bytes) {
        gfp_zarea_head *larger = gfp_allocate(&ring->allocator, bytes, 1);
        if (larger == NULL) {
            kept_release(ring, head);
            return GFP_ERR_MEMORY;
        }
        kept_release(ring, head);
        head = larger;
        head->bytes = bytes;
    }
    const uintptr_t at = (uintptr_t)(head + 1);
    area->head = head;
    area->words = (uint64_t *)(void *)((char *)(head + 1) + (ALIGNMENT - at % ALIGNMENT));
    return GFP_OK;
}

void gfp_zarea_give(gfp_zring *ring, gfp_zarea *area)
{
    gfp_zarea_head *head = area->head;
    if (head->bytes <= GFP_ZKEPT_AREA) {
        head = atomic_exchange(&ring->kept.area, head);
    }
    kept_release(ring, head);
    *area = (gfp_zarea){NULL, NULL};
}

/* ---- the primes of short coefficients ---- */

const gfp_short_primes *gfp_zshort_primes(gfp_zring *ring)
{
    gfp_short_primes *none = NULL, *made = atomic_load(&ring->kept.short_primes);
    if (made == NULL) {
        made = gfp_allocate(&ring->allocator, 1, sizeof *made);
        if (made == NULL) {
            return NULL;
        }
        gfp_short_primes_fill(made, gfp_short_kernels_get(ring->level)->engine);
        if (!atomic_compare_exchange_strong(&ring->kept.short_primes, &none, made)) {
            gfp_release(&ring->allocator, made, 1, sizeof *made);
            made = none; /* another thread was faster */
        }
    }
    return made;
}

static const uint64_t *align_roots(const uint64_t *roots)
{
    return roots + (ALIGNMENT - (uintptr_t)roots % ALIGNMENT) / sizeof *roots;
}

gfp_status gfp_zshort_roots(gfp_zring *ring, const uint64_t **roots, const gfp_short_primes *primes,
                            unsigned log2_n, size_t words)
{
    const gfp_native_engine *engine = gfp_short_kernels_get(ring->level)->engine;
    *roots = NULL;
    if (log2_n >= GFP_ZKEPT_ROOTS) {
        return GFP_OK;
    }
    uint64_t *none = NULL, *made = atomic_load(&ring->kept.short_roots[log2_n]);
    if (made == NULL) {
        const size_t count = roots_count(ring, log2_n);
        made = gfp_allocate(&ring->allocator, count, sizeof *made);
        if (made == NULL) {
            return GFP_ERR_MEMORY;
        }
        uint64_t *to = made + (align_roots(made) - made);
        for (size_t i = 0; i < GFP_SHORT_PRIMES; i++) {
            engine->roots(&primes->prime[i], log2_n, to + i * words);
        }
        if (!atomic_compare_exchange_strong(&ring->kept.short_roots[log2_n], &none, made)) {
            gfp_release(&ring->allocator, made, count, sizeof *made);
            made = none; /* another thread was faster */
        }
    }
    *roots = align_roots(made);
    return GFP_OK;
}

/* ---- bases ---- */

/* *twice := the first four primes of a block, twice; the ring keeps it. */
static gfp_status take_twice(gfp_zring *ring, size_t index, const gfp_words **twice)
{
    gfp_words *none = NULL, *made = atomic_load(&ring->kept.twice[index]);
    const gfp_words *block;
    if (made == NULL) {
        uint64_t q[GFP_WORDS];
        GFP_TRY(gfp_words_supply_block(ring->supply, index, &block));
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            q[l] = block->q[l % (GFP_WORDS / 2)];
        }
        made = gfp_allocate(&ring->allocator, 1, sizeof *made);
        if (made == NULL) {
            return GFP_ERR_MEMORY;
        }
        gfp_words_fill(made, q);
        if (!atomic_compare_exchange_strong(&ring->kept.twice[index], &none, made)) {
            gfp_release(&ring->allocator, made, 1, sizeof *made);
            made = none; /* another thread was faster */
        }
    }
    *twice = made;
    return GFP_OK;
}

static gfp_status make_basis(gfp_zring *ring, gfp_words_basis **basis, size_t primes)
{
    const size_t count = (primes + GFP_WORDS - 1) / GFP_WORDS;
    const gfp_words **blocks = gfp_allocate(&ring->allocator, count, sizeof(void *));
    uint8_t *use = gfp_allocate(&ring->allocator, count, 1);
    gfp_status status = blocks == NULL || use == NULL ? GFP_ERR_MEMORY : GFP_OK;
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        const size_t left = primes - i * GFP_WORDS;
        use[i] = (uint8_t)(left >= GFP_WORDS ? 0xff : (1U << left) - 1);
        status = i + 1 == count && gfp_zprimes_twice(primes)
                     ? take_twice(ring, i, &blocks[i])
                     : gfp_words_supply_block(ring->supply, i, &blocks[i]);
    }
    if (status == GFP_OK) {
        status = gfp_words_basis_create(basis, blocks, use, count, &ring->allocator);
    }
    gfp_release(&ring->allocator, blocks, count, sizeof(void *));
    gfp_release(&ring->allocator, use, count, 1);
    return status;
}

/* Whether blocks have all the primes, and the ring keeps such bases. */
static bool is_whole(size_t primes)
{
    return primes % GFP_WORDS == 0 && primes / GFP_WORDS <= GFP_ZRING_BASES;
}

/* Whether the ring has a place for a basis of that many primes. */
static bool has_place(size_t primes)
{
    return is_whole(primes) || primes < GFP_ZKEPT_PRIMES;
}

/* The place. */
static _Atomic(gfp_words_basis *) *place_of(gfp_zring *ring, size_t primes)
{
    return is_whole(primes) ? &ring->basis[primes / GFP_WORDS - 1] : &ring->kept.basis[primes];
}

static gfp_status kept_take(gfp_zring *ring, gfp_zprimes *p, size_t primes)
{
    gfp_words_basis *made;
    const bool place = has_place(primes);
    gfp_words_basis *kept = place ? atomic_load(place_of(ring, primes)) : NULL;
    *p = (gfp_zprimes){kept, primes, (primes + GFP_WORDS - 1) / GFP_WORDS, kept != NULL};
    if (kept != NULL) {
        return GFP_OK;
    }
    GFP_TRY(make_basis(ring, &made, primes));
    kept = place ? gfp_zring_keep(ring, place_of(ring, primes), made) : NULL;
    p->basis = kept != NULL ? kept : made;
    p->kept = kept != NULL;
    return GFP_OK;
}

/* s primes below 2^50 have less than 50 s bits, and hardly less: 2^50 - q is small. */
gfp_status gfp_zprimes_take(gfp_zring *ring, gfp_zprimes *p, size_t bits)
{
    for (size_t primes = bits / GFP_WORDS_BITS + 1;; primes++) {
        GFP_TRY(kept_take(ring, p, primes));
        if (gfp_words_basis_bits(p->basis) >= bits) {
            return GFP_OK;
        }
        gfp_zprimes_give(p);
    }
}

void gfp_zprimes_give(gfp_zprimes *p)
{
    if (!p->kept) {
        gfp_words_basis_destroy(p->basis);
    }
    *p = (gfp_zprimes){NULL, 0, 0, false};
}

/* ---- threads ---- */

/* A child of fork that inherited the ring gets 1, since the threads stay in the parent. */
unsigned gfp_zmul_threads(const gfp_zring *ring, unsigned asked)
{
    const unsigned threads = gfp_parallel_threads_in(ring->process, asked);
    return gfp_parallel_workers(&(gfp_task){.threads = threads}, threads, 1);
}
