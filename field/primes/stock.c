/* stock.c: the primes in stock. stock.py found and proved them; the tests check every proof
 * and search again.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/primes/stock.h"

#include "field/base/context.h"
#include "field/base/support.h"

/* r = 2^TOP - j 2^SHIFT. */
enum { TOP = 63, SHIFT = 36 };

typedef struct row {
    uint16_t step; /* from the j of the row before */
    uint8_t base;
} row;

static const row rows[] = {
#include "field/primes/stock.inc"
};

/* The rows of one k. */
typedef struct shelf {
    unsigned k, first, count;
} shelf;

static const shelf shelves[] = {{4, 0, 256},    {8, 256, 256},  {16, 512, 256},
                                {32, 768, 128}, {64, 896, 128}, {128, 1024, 32}};
#define SHELVES (sizeof shelves / sizeof *shelves)
_Static_assert(sizeof rows / sizeof *rows == 1056, "the shelves hold all rows");

static const shelf *shelf_of(unsigned k)
{
    for (size_t i = 0; i < SHELVES; i++) {
        if (shelves[i].k == k) {
            return &shelves[i];
        }
    }
    return NULL;
}

static gfp_certificate certificate_of(const row *at)
{
    return (gfp_certificate){
        .proof = GFP_PROOF_PROTH, .count = 1, .factor = {{.prime = 2, .base = at->base}}};
}

size_t gfp_prime_stock_count(unsigned k)
{
    const shelf *s = shelf_of(k);
    return s != NULL ? s->count : 0;
}

gfp_status gfp_prime_stock_get(gfp_prime *prime, unsigned k, size_t index, gfp_error *error)
{
    const shelf *s = shelf_of(k);
    uint64_t j = 0;
    if (prime == NULL || s == NULL || index >= s->count) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the stock has %zu primes of k = %u",
                             gfp_prime_stock_count(k), k);
    }
    const row *at = &rows[s->first];
    for (size_t i = 0; i <= index; i++) {
        j += at[i].step;
    }
    *prime = (gfp_prime){.r = ((uint64_t)1 << TOP) - (j << SHIFT),
                         .k = k,
                         .certificate = certificate_of(&at[index])};
    prime->bits = gfp_radix_modulus_bits(prime->r, gfp_ctz64(k));
    gfp_prime_describe(prime);
    return GFP_OK;
}

gfp_status gfp_prime_stock_field(gfp_field **field, unsigned k, size_t index,
                                 const gfp_allocator *allocator, gfp_error *error)
{
    gfp_prime prime;
    GFP_TRY(gfp_prime_stock_get(&prime, k, index, error));
    return gfp_field_create_proved(field, prime.r, k, &prime.certificate, allocator, error);
}

bool gfp_stock_find(gfp_certificate *certificate, uint64_t r, unsigned k)
{
    const shelf *s = shelf_of(k);
    const uint64_t top = (uint64_t)1 << TOP;
    if (s == NULL || r >= top || (top - r) % ((uint64_t)1 << SHIFT) != 0) {
        return false;
    }
    uint64_t left = (top - r) >> SHIFT;
    const row *at = &rows[s->first];
    for (size_t i = 0; i < s->count && left >= at[i].step; i++) {
        left -= at[i].step;
        if (left == 0) {
            *certificate = certificate_of(&at[i]);
            return true;
        }
    }
    return false;
}
