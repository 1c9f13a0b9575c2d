/* supply.c: the supply of blocks of word-size primes: the first ones from a table, the others
 * searched in order; random blocks for checks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/remainders.h"

#include <math.h>
#include <stdatomic.h>

#include "field/base/support.h"
#include "field/primes/factor.h"

static const uint8_t table[] = {
#include "crt/blocks/primes.inc"
};
#define TABLE_BLOCKS (sizeof table / GFP_WORDS)

/* Blocks are in shelves; a shelf is made with its first block. Some 60500 blocks are to be
 * expected: a number j 2^24 + 1 between 2^50 - 2^47 and 2^50 is a prime with probability 2 / log
 * 2^50, and 2^23 such numbers are there. Blocks beyond the shelves are refused. */
#define SHELF 512
#define SHELVES 128
#define LEAST (((uint64_t)1 << GFP_WORDS_BITS) - ((uint64_t)1 << 47))

typedef _Atomic(gfp_words *) slot;

struct gfp_words_supply {
    gfp_allocator allocator;
    _Atomic(slot *) shelves[SHELVES];
    atomic_size_t known; /* blocks 0 .. known - 1 are there, if they are beyond the table */
};

gfp_status gfp_words_supply_create(gfp_words_supply **supply, const gfp_allocator *allocator)
{
    const gfp_allocator *a = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_words_supply *s = gfp_allocate(a, 1, sizeof *s);
    if (s == NULL) {
        return GFP_ERR_MEMORY;
    }
    s->allocator = *a;
    for (size_t i = 0; i < SHELVES; i++) {
        atomic_init(&s->shelves[i], NULL);
    }
    atomic_init(&s->known, TABLE_BLOCKS);
    *supply = s;
    return GFP_OK;
}

void gfp_words_supply_destroy(gfp_words_supply *supply)
{
    if (supply == NULL) {
        return;
    }
    const gfp_allocator a = supply->allocator;
    for (size_t i = 0; i < SHELVES; i++) {
        slot *shelf = atomic_load(&supply->shelves[i]);
        for (size_t j = 0; shelf != NULL && j < SHELF; j++) {
            gfp_release(&a, atomic_load(&shelf[j]), 1, sizeof(gfp_words));
        }
        gfp_release(&a, shelf, SHELF, sizeof *shelf);
    }
    gfp_release(&a, supply, 1, sizeof *supply);
}

/* Returns the shelf, which is made if there is none; NULL: no memory. */
static slot *shelf_of(gfp_words_supply *supply, size_t number)
{
    slot *shelf = atomic_load(&supply->shelves[number]);
    if (shelf != NULL) {
        return shelf;
    }
    slot *fresh = gfp_allocate(&supply->allocator, SHELF, sizeof *fresh);
    if (fresh == NULL) {
        return NULL;
    }
    for (size_t j = 0; j < SHELF; j++) {
        atomic_init(&fresh[j], NULL);
    }
    if (atomic_compare_exchange_strong(&supply->shelves[number], &shelf, fresh)) {
        return fresh;
    }
    gfp_release(&supply->allocator, fresh, SHELF, sizeof *fresh);
    return shelf;
}

/* q := the primes of a block of the table. */
static void table_primes(uint64_t q[GFP_WORDS], size_t index)
{
    uint64_t j = (uint64_t)1 << (GFP_WORDS_BITS - GFP_WORDS_LOG2_ORDER);
    for (size_t i = 0; i < (index + 1) * GFP_WORDS; i++) {
        j -= table[i];
        q[i % GFP_WORDS] = (j << GFP_WORDS_LOG2_ORDER) + 1;
    }
}

/* Whether q has no small factor. */
static bool is_candidate(uint64_t q)
{
    static const unsigned char factors[] = {3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                            43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
    for (unsigned i = 0; i < sizeof factors; i++) {
        if (q % factors[i] == 0) {
            return false;
        }
    }
    return true;
}

/* q := the next primes below `below`, which is one. Errors: SIZE. */
static gfp_status supply_search(uint64_t q[GFP_WORDS], uint64_t below)
{
    uint64_t next = below;
    for (unsigned found = 0; found < GFP_WORDS;) {
        uint64_t candidates[GFP_WORDS];
        for (unsigned i = 0; i < GFP_WORDS;) {
            next -= (uint64_t)1 << GFP_WORDS_LOG2_ORDER;
            if (next <= LEAST) {
                return GFP_ERR_SIZE;
            }
            candidates[i] = next;
            i += is_candidate(next) ? 1 : 0;
        }
        const unsigned primes = gfp_words_primes(candidates);
        for (unsigned i = 0; i < GFP_WORDS && found < GFP_WORDS; i++) {
            q[found] = candidates[i];
            found += primes >> i & 1;
        }
    }
    return GFP_OK;
}

/* *place: block `index`, which is made from its primes if it is not there. */
static gfp_status supply_put(gfp_words_supply *supply, slot *place, const uint64_t q[GFP_WORDS])
{
    gfp_words *fresh = gfp_allocate(&supply->allocator, 1, sizeof *fresh), *there = NULL;
    if (fresh == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_words_fill(fresh, q);
    if (!atomic_compare_exchange_strong(place, &there, fresh)) {
        gfp_release(&supply->allocator, fresh, 1, sizeof *fresh);
    }
    return GFP_OK;
}

/* Makes one block; the block before is there if this one is beyond the table. */
static gfp_status supply_make(gfp_words_supply *supply, size_t index)
{
    slot *shelf = shelf_of(supply, index / SHELF);
    if (shelf == NULL) {
        return GFP_ERR_MEMORY;
    }
    slot *place = &shelf[index % SHELF];
    if (atomic_load(place) != NULL) {
        return GFP_OK;
    }
    uint64_t q[GFP_WORDS];
    if (index < TABLE_BLOCKS) {
        table_primes(q, index);
    } else {
        uint64_t before[GFP_WORDS];
        if (index == TABLE_BLOCKS) {
            table_primes(before, index - 1);
        } else {
            const slot *previous = atomic_load(&supply->shelves[(index - 1) / SHELF]);
            const gfp_words *block = atomic_load(&previous[(index - 1) % SHELF]);
            before[GFP_WORDS - 1] = block->q[GFP_WORDS - 1];
        }
        GFP_TRY(supply_search(q, before[GFP_WORDS - 1]));
    }
    return supply_put(supply, place, q);
}

gfp_status gfp_words_supply_block(gfp_words_supply *supply, size_t index, const gfp_words **block)
{
    if (index >= (size_t)SHELF * SHELVES) {
        return GFP_ERR_SIZE;
    }
    for (size_t i = atomic_load(&supply->known); i < index; i++) {
        GFP_TRY(supply_make(supply, i));
        atomic_store(&supply->known, i + 1);
    }
    GFP_TRY(supply_make(supply, index));
    *block = atomic_load(&atomic_load(&supply->shelves[index / SHELF])[index % SHELF]);
    return GFP_OK;
}

/* Whether x is not among q[0 .. n - 1]. */
static bool is_new(uint64_t x, const uint64_t *q, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (q[i] == x) {
            return false;
        }
    }
    return true;
}

/* The primes = 1 mod 2^24 in (2^49, 2^50), counted; there are more than 2^43 primes in this
 * interval (Rosser and Schoenfeld 1962: pi(2 x) - pi(x) > 3 x / (5 log x)). */
#define PRIMES_WITH_ROOTS 1952699.0
#define ALL_PRIMES 0x1p43
/* The greatest error for which primes with roots will do, see gfp_words_draw. */
#define LOG2_ERROR (-40)

/* Returns log2 of the probability that D vanishes at random points modulo eight of `primes` primes:
 * at most bits / 49 primes above 2^49 divide a coefficient that is not 0; modulo another prime D
 * vanishes at no more than `degree` of more than 2^49 points. */
static double log2_error(double primes, double bits, double degree)
{
    const int least = GFP_WORDS_BITS - 1; /* bits of a prime, rounded down */
    return GFP_WORDS * log2(fmin(1, (bits / least + 1) / primes + ldexp(degree, -least)));
}

/* q := eight different primes = 1 mod 2^24. */
static void draw_with_roots(uint64_t q[GFP_WORDS], gfp_random *random)
{
    const unsigned bits = GFP_WORDS_BITS - 1 - GFP_WORDS_LOG2_ORDER;
    for (unsigned count = 0; count < GFP_WORDS;) {
        uint64_t candidates[GFP_WORDS];
        for (unsigned i = 0; i < GFP_WORDS;) {
            const uint64_t j = ((uint64_t)1 << bits) + (gfp_random_u64(random) >> (64 - bits));
            candidates[i] = (j << GFP_WORDS_LOG2_ORDER) + 1;
            i += is_candidate(candidates[i]) ? 1 : 0;
        }
        const unsigned primes = gfp_words_primes(candidates);
        for (unsigned i = 0; i < GFP_WORDS && count < GFP_WORDS; i++) {
            if ((primes >> i & 1) != 0 && is_new(candidates[i], q, count)) {
                q[count++] = candidates[i];
            }
        }
    }
}

/* q := eight different primes. */
static void draw_any(uint64_t q[GFP_WORDS], gfp_random *random)
{
    const unsigned bits = GFP_WORDS_BITS - 1;
    for (unsigned count = 0; count < GFP_WORDS;) {
        const uint64_t x = (uint64_t)1 << bits | gfp_random_u64(random) >> (64 - bits) | 1;
        if (is_candidate(x) && gfp_word_is_prime(x) && is_new(x, q, count)) {
            q[count++] = x;
        }
    }
}

double gfp_words_draw(gfp_words *block, gfp_random *random, double bits, double degree)
{
    uint64_t q[GFP_WORDS];
    const double error = log2_error(PRIMES_WITH_ROOTS, bits, degree);
    if (error <= LOG2_ERROR) {
        draw_with_roots(q, random);
        gfp_words_fill(block, q);
        return error;
    }
    draw_any(q, random);
    gfp_words_fill_arithmetic(block, q);
    return log2_error(ALL_PRIMES, bits, degree);
}
