/* zring.c: the ring of integers: see zring.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zring.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

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
    made->process = (long)getpid();
    atomic_init(&made->basis_bytes, 0);
    for (size_t i = 0; i < GFP_ZRING_BASES; i++) {
        atomic_init(&made->basis[i], NULL);
        atomic_init(&made->few[i], NULL);
    }
    for (size_t i = 0; i < GFP_ZRING_FIELDS; i++) {
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
        gfp_words_basis_destroy(atomic_load(&ring->few[i]));
    }
    for (size_t i = 0; i < GFP_ZRING_FIELDS; i++) {
        gfp_field_destroy(atomic_load(&ring->field[i]));
    }
    gfp_zkept_clear(ring);
    gfp_words_supply_destroy(ring->supply);
    const gfp_allocator allocator = ring->allocator;
    gfp_release(&allocator, ring, 1, sizeof *ring);
}

/* ---- bases ---- */

static gfp_status make_basis(gfp_zring *ring, gfp_words_basis **basis, size_t first, size_t count,
                             bool few)
{
    const gfp_words **blocks = gfp_allocate(&ring->allocator, count, sizeof(void *));
    gfp_status status = blocks == NULL ? GFP_ERR_MEMORY : GFP_OK;
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        status = gfp_words_supply_block(ring->supply, first + i, &blocks[i]);
    }
    if (status == GFP_OK) {
        status = (few ? gfp_words_basis_create_few
                      : gfp_words_basis_create)(basis, blocks, NULL, count, &ring->allocator);
    }
    gfp_release(&ring->allocator, blocks, count, sizeof(void *));
    return status;
}

/* Keeps a basis at its place, if the bytes allow that: returns the one that is kept then, which may
 * be another thread's, and else NULL. */
static gfp_words_basis *keep_basis(gfp_zring *ring, _Atomic(gfp_words_basis *) *place,
                                   gfp_words_basis *made)
{
    gfp_words_basis *none = NULL;
    const size_t bytes = gfp_words_basis_bytes(made);
    if (atomic_fetch_add(&ring->basis_bytes, bytes) + bytes > GFP_ZRING_BASIS_BYTES) {
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

gfp_status gfp_zring_take(gfp_zring *ring, gfp_zring_basis *b, size_t first, size_t count, bool few)
{
    const bool has_place = first == 0 && count <= GFP_ZRING_BASES && count > 0;
    const size_t index = has_place ? count - 1 : 0;
    _Atomic(gfp_words_basis *) *place = few ? &ring->few[index] : &ring->basis[index];
    gfp_words_basis *made, *kept;
    *b = (gfp_zring_basis){has_place ? atomic_load(&ring->basis[index]) : NULL, true};
    if (b->basis == NULL && has_place) {
        b->basis = atomic_load(place);
    }
    if (b->basis != NULL) {
        return GFP_OK;
    }
    GFP_TRY(make_basis(ring, &made, first, count, few));
    kept = has_place ? keep_basis(ring, place, made) : NULL;
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

size_t gfp_zring_named_bits(size_t index)
{
    const gfp_named_prime *prime = gfp_named_prime_get(index);
    /* p > r^k; the logarithm is right to 2^-40. */
    return (size_t)floor(prime->k * log2((double)prime->r) - 0x1p-20);
}

bool gfp_zring_named(size_t bits, size_t *index)
{
    size_t best = SIZE_MAX, best_bits = SIZE_MAX;
    for (size_t i = 0; i < gfp_named_prime_count() && i < GFP_ZRING_FIELDS; i++) {
        const size_t own = gfp_zring_named_bits(i);
        if (own >= bits && own < best_bits) {
            best = i;
            best_bits = own;
        }
    }
    *index = best;
    return best != SIZE_MAX;
}

gfp_status gfp_zring_field(gfp_zring *ring, size_t index, const gfp_field **field)
{
    gfp_field *made, *none = NULL;
    if (index >= GFP_ZRING_FIELDS || index >= gfp_named_prime_count()) {
        return GFP_ERR_UNKNOWN;
    }
    made = atomic_load(&ring->field[index]);
    if (made == NULL) {
        GFP_TRY(gfp_field_create(&made, gfp_named_prime_get(index)->name, &ring->allocator, NULL));
        if (!atomic_compare_exchange_strong(&ring->field[index], &none, made)) {
            gfp_field_destroy(made);
            made = none;
        }
    }
    *field = made;
    return GFP_OK;
}
