/* ring.c: the ring of integers: see ring.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/ring.h"

#include <math.h>
#include <string.h>

#include "gfpoly/primes.h"
#include "field/base/parallel.h"
#include "field/primes/stock.h"

gfp_status gfp_zring_create(gfp_zring **ring, const gfp_allocator *allocator, gfp_error *error)
{
    const gfp_allocator *memory = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_zring *made;
    if (ring == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the integers: no place for the ring");
    }
    made = gfp_allocate(memory, 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "the integers: no memory");
    }
    memset(made, 0, sizeof *made);
    made->allocator = *memory;
    made->level = gfp_cpu_level_get();
    made->process = gfp_parallel_process();
    atomic_init(&made->basis_bytes, 0);
    atomic_init(&made->stock_bytes, 0);
    for (size_t i = 0; i < GFP_ZRING_BASES; i++) {
        atomic_init(&made->basis[i], NULL);
    }
    for (size_t i = 0; i < GFP_ZRING_BASES_FEW; i++) {
        atomic_init(&made->few[i], NULL);
    }
    for (size_t i = 0; i < GFP_ZRING_PRIMES; i++) {
        atomic_init(&made->field[i], NULL);
    }
    gfp_zkept_init(made);
    const gfp_status status = gfp_words_supply_create(&made->supply, &made->allocator);
    if (status != GFP_OK) {
        gfp_release(memory, made, 1, sizeof *made);
        return gfp_error_set(error, status, "the integers: no memory for primes");
    }
    *ring = made;
    return GFP_OK;
}

void gfp_zring_destroy(gfp_zring *ring)
{
    if (ring == NULL) {
        return;
    }
    for (size_t i = 0; i < GFP_ZRING_BASES; i++) {
        gfp_words_basis_destroy(atomic_load(&ring->basis[i]));
    }
    for (size_t i = 0; i < GFP_ZRING_BASES_FEW; i++) {
        gfp_words_basis_destroy(atomic_load(&ring->few[i]));
    }
    for (size_t i = 0; i < GFP_ZRING_PRIMES; i++) {
        gfp_field_destroy(atomic_load(&ring->field[i]));
    }
    gfp_zkept_clear(ring);
    gfp_words_supply_destroy(ring->supply);
    const gfp_allocator allocator = ring->allocator;
    gfp_release(&allocator, ring, 1, sizeof *ring);
}

/* ---- bases ---- */

static gfp_status make_basis(gfp_zring *ring, gfp_words_basis **basis, size_t first, size_t count,
                             bool few, gfp_task *task)
{
    const gfp_words **blocks = gfp_allocate(&ring->allocator, count, sizeof(void *));
    gfp_status status = blocks == NULL ? GFP_ERR_MEMORY : GFP_OK;
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        status = gfp_words_supply_block(ring->supply, first + i, &blocks[i]);
        if (!gfp_task_advance(task, 1)) {
            status = GFP_ERR_CANCELLED;
        }
    }
    if (status == GFP_OK) {
        status = gfp_words_basis_create_watched(basis, blocks, count, few, &ring->allocator, task);
    }
    gfp_release(&ring->allocator, blocks, count, sizeof(void *));
    return status;
}

gfp_words_basis *gfp_zring_keep(gfp_zring *ring, _Atomic(gfp_words_basis *) *place,
                                gfp_words_basis *made)
{
    gfp_words_basis *none = NULL;
    const size_t bytes = gfp_words_basis_bytes(made);
    const size_t most =
        bytes > GFP_ZRING_SHORT_BASIS ? GFP_ZRING_BASIS_BYTES : 2 * GFP_ZRING_BASIS_BYTES;
    if (atomic_fetch_add(&ring->basis_bytes, bytes) + bytes > most) {
        (void)atomic_fetch_sub(&ring->basis_bytes, bytes);
        return NULL;
    }
    if (atomic_compare_exchange_strong(place, &none, made)) {
        return made;
    }
    (void)atomic_fetch_sub(&ring->basis_bytes, bytes);
    gfp_words_basis_destroy(made);
    return none; /* another thread was faster */
}

gfp_words_basis *gfp_zring_kept(const gfp_zring *ring, size_t count, bool few)
{
    gfp_words_basis *kept =
        count > 0 && count <= GFP_ZRING_BASES ? atomic_load(&ring->basis[count - 1]) : NULL;
    if (kept == NULL && few && count > 0 && count <= GFP_ZRING_BASES_FEW) {
        kept = atomic_load(&ring->few[count - 1]);
    }
    return kept;
}

gfp_status gfp_zring_take(gfp_zring *ring, gfp_zring_basis *b, size_t first, size_t count, bool few,
                          gfp_task *task)
{
    const bool has_place =
        first == 0 && count > 0 && count <= (few ? GFP_ZRING_BASES_FEW : GFP_ZRING_BASES);
    gfp_words_basis *made, *kept;
    *b = (gfp_zring_basis){first == 0 ? gfp_zring_kept(ring, count, few) : NULL, true};
    if (b->basis != NULL) {
        return GFP_OK;
    }
    GFP_TRY(make_basis(ring, &made, first, count, few, task));
    kept = has_place
               ? gfp_zring_keep(ring, few ? &ring->few[count - 1] : &ring->basis[count - 1], made)
               : NULL;
    *b = (gfp_zring_basis){kept != NULL ? kept : made, kept != NULL};
    return GFP_OK;
}

void gfp_zring_give(gfp_zring_basis *b)
{
    if (!b->kept) {
        gfp_words_basis_destroy(b->basis);
    }
    *b = (gfp_zring_basis){NULL, false};
}

/* ---- big primes ---- */

static bool is_in_stock(size_t index)
{
    return index >= GFP_ZRING_FIELDS && index < GFP_ZRING_PRIMES;
}

/* k of an index in stock. */
static unsigned k_of_shelf(size_t index)
{
    return 4U << (index - GFP_ZRING_FIELDS) / GFP_ZRING_SHELF;
}

static size_t place_on_shelf(size_t index)
{
    return (index - GFP_ZRING_FIELDS) % GFP_ZRING_SHELF;
}

unsigned gfp_zring_k(size_t index)
{
    if (is_in_stock(index)) {
        const unsigned k = k_of_shelf(index);
        return place_on_shelf(index) < gfp_prime_stock_count(k) ? k : 0;
    }
    const gfp_named_prime *prime = gfp_named_prime_get(index);
    return prime != NULL ? prime->k : 0;
}

size_t gfp_zring_bits(size_t index)
{
    if (is_in_stock(index)) {
        return 63 * (size_t)k_of_shelf(index) - 1; /* p has 63 k bits */
    }
    const gfp_named_prime *prime = gfp_named_prime_get(index);
    /* p > r^k; the logarithm is right to 2^-40. */
    return (size_t)floor(prime->k * log2((double)prime->r) - 0x1p-20);
}

bool gfp_zring_named(size_t bits, size_t *index)
{
    size_t best = SIZE_MAX, best_bits = SIZE_MAX;
    for (size_t i = 0; i < gfp_named_prime_count() && i < GFP_ZRING_FIELDS; i++) {
        const size_t own = gfp_zring_bits(i);
        if (own >= bits && own < best_bits) {
            best = i;
            best_bits = own;
        }
    }
    *index = best;
    return best != SIZE_MAX;
}

/* Publishes a field at its place: returns the one that is there then, which may be another
 * thread's. */
static const gfp_field *ring_publish(gfp_zring *ring, size_t index, gfp_field *made)
{
    gfp_field *none = NULL;
    if (atomic_compare_exchange_strong(&ring->field[index], &none, made)) {
        return made;
    }
    gfp_field_destroy(made);
    return none;
}

gfp_status gfp_zring_big_take(gfp_zring *ring, gfp_zring_big *big, size_t index)
{
    gfp_field *made;
    const unsigned k = gfp_zring_k(index);
    *big = (gfp_zring_big){NULL, NULL};
    if (k == 0) {
        return GFP_ERR_UNKNOWN;
    }
    big->field = atomic_load(&ring->field[index]);
    if (big->field != NULL) {
        return GFP_OK;
    }
    if (!is_in_stock(index)) {
        const gfp_named_prime *prime = gfp_named_prime_get(index);
        GFP_TRY(gfp_field_create(&made, prime->name, &ring->allocator, NULL));
        big->field = ring_publish(ring, index, made);
        return GFP_OK;
    }
    GFP_TRY(gfp_prime_stock_field(&made, k, place_on_shelf(index), &ring->allocator, NULL));
    /* A call takes many of these fields, one after the other: work areas would add up. */
    gfp_field_limit_memory(made, 0);
    const size_t bytes = k * GFP_ZRING_STOCK_EACH;
    if (atomic_fetch_add(&ring->stock_bytes, bytes) + bytes <= GFP_ZRING_STOCK_BYTES) {
        big->field = ring_publish(ring, index, made);
        return GFP_OK;
    }
    (void)atomic_fetch_sub(&ring->stock_bytes, bytes);
    *big = (gfp_zring_big){made, made};
    return GFP_OK;
}

void gfp_zring_big_give(gfp_zring_big *big)
{
    gfp_field_destroy(big->own);
    *big = (gfp_zring_big){NULL, NULL};
}
