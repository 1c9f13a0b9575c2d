/* search.c: the supply of primes p = r^k + 1: candidates in a fixed or a drawn order, small factors
 * first, then the proof.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/primes.h"

#include <inttypes.h>
#include <stdio.h>

#include "field/base/context.h"
#include "field/primes/sieve.h"
#include "field/kernels/reference.h"
#include "field/primes/stock.h"
#include "field/base/support.h"

/* r = 2^w + 2^u for 1 <= u < w <= 63 and 2^w - 2^u for 1 <= u < w <= 64. */
enum { MOST_SPARSE = 63 * 62 / 2 + 64 * 63 / 2, ROUNDS = 8 };

typedef struct candidate {
    uint64_t r;
    unsigned bits;
} candidate;

/* A permutation of [0, count): a balanced Feistel network over 2^(2 half) >= count numbers, walked
 * along its cycle until it returns below count, then a shift by a uniform offset, which alone makes
 * the number at any one place uniform. The permutation needs no memory and meets every number
 * once. */
typedef struct shuffle {
    uint64_t count;
    uint64_t offset;
    uint64_t key[ROUNDS];
    unsigned half;
} shuffle;

struct gfp_prime_supply {
    gfp_allocator allocator;
    gfp_prime_range range;
    gfp_prime_sieve sieve;
    candidate *sparse; /* in order; NULL: the random family */
    shuffle order;     /* of the random family, */
    uint64_t first;    /* whose radices are (first + i) 2^shift, i < count */
    unsigned shift;
    uint64_t count; /* the number of all candidates */
    uint64_t next;
    gfp_prime last; /* the prime delivered last; r = 0: none yet */
};

/* ---- the range of a supply ---- */

static gfp_status check_range(const gfp_prime_range *range, gfp_error *error)
{
    GFP_TRY(gfp_field_check_form(2, range->k, error));
    unsigned most = 64 * range->k;
    if (range->min_bits > range->max_bits) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the range from %u to %u bits is empty",
                             range->min_bits, range->max_bits);
    }
    if (range->max_bits <= range->k || range->min_bits > most) {
        return gfp_error_set(
            error, GFP_ERR_ARGUMENT,
            "no prime r^%u + 1 has from %u to %u bits: even radices below 2^64 give "
            "from %u to %u bits",
            range->k, range->min_bits, range->max_bits, range->k + 1, most);
    }
    if (range->min_v2_r > 63) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no radix below 2^64 is divisible by 2^%u",
                             range->min_v2_r);
    }
    return GFP_OK;
}

static gfp_status no_memory(gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory searching for primes");
}

static gfp_status search_create(gfp_prime_supply **supply, const gfp_prime_range *range,
                                const gfp_allocator *allocator, gfp_error *error)
{
    if (allocator == NULL) {
        allocator = &gfp_default_allocator;
    }
    GFP_TRY(check_range(range, error));
    gfp_prime_supply *s = gfp_allocate(allocator, 1, sizeof *s);
    if (s == NULL) {
        return no_memory(error);
    }
    *s = (gfp_prime_supply){.allocator = *allocator, .range = *range};
    s->shift = range->min_v2_r > 1 ? range->min_v2_r : 1;
    if (gfp_prime_sieve_init(&s->sieve, range->k, allocator) != GFP_OK) {
        gfp_release(allocator, s, 1, sizeof *s);
        return no_memory(error);
    }
    *supply = s;
    return GFP_OK;
}

void gfp_prime_supply_destroy(gfp_prime_supply *supply)
{
    if (supply != NULL) {
        gfp_allocator allocator = supply->allocator;
        gfp_prime_sieve_clear(&supply->sieve, &allocator);
        gfp_release(&allocator, supply->sparse, MOST_SPARSE, sizeof *supply->sparse);
        gfp_release(&allocator, supply, 1, sizeof *supply);
    }
}

/* ---- sparse radices ---- */

static bool comes_before(const candidate *a, const candidate *b)
{
    unsigned v2_a = gfp_ctz64(a->r);
    unsigned v2_b = gfp_ctz64(b->r);
    if (a->bits != b->bits) {
        return a->bits < b->bits;
    }
    return v2_a != v2_b ? v2_a > v2_b : a->r < b->r;
}

/* Inserts r in order if its prime is in the range. Radices come nearly in order, so that few
 * move. */
static void search_insert(gfp_prime_supply *supply, uint64_t r)
{
    candidate c = {r, gfp_radix_modulus_bits(r, supply->sieve.log2_k)};
    if (c.bits < supply->range.min_bits || c.bits > supply->range.max_bits) {
        return;
    }
    uint64_t at = supply->count++;
    for (; at > 0 && comes_before(&c, &supply->sparse[at - 1]); at--) {
        supply->sparse[at] = supply->sparse[at - 1];
    }
    supply->sparse[at] = c;
}

static gfp_status create_sparse(gfp_prime_supply **supply, const gfp_prime_range *range,
                                const gfp_allocator *allocator, gfp_error *error)
{
    gfp_prime_supply *s = NULL;
    GFP_TRY(search_create(&s, range, allocator, error));
    s->sparse = gfp_allocate(&s->allocator, MOST_SPARSE, sizeof *s->sparse);
    if (s->sparse == NULL) {
        gfp_prime_supply_destroy(s);
        return no_memory(error);
    }
    for (unsigned w = 2; w <= 64; w++) {
        for (unsigned u = w; u-- > s->shift;) {
            uint64_t low = (uint64_t)1 << u;
            uint64_t high = w < 64 ? (uint64_t)1 << w : 0;
            if (u + 2 != w) { /* 2^w - 2^(w-2) = 2^(w-1) + 2^(w-2) */
                search_insert(s, high - low);
            }
            if (w < 64) {
                search_insert(s, high + low);
            }
        }
    }
    *supply = s;
    return GFP_OK;
}

/* ---- the random family ---- */

/* Returns the least word r such that r^k + 1 has at least this many bits; bits <= 64 k. */
static uint64_t least_radix(unsigned bits, unsigned log2_k)
{
    uint64_t low = 2;
    uint64_t high = UINT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (gfp_radix_modulus_bits(middle, log2_k) >= bits) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void shuffle_init(shuffle *s, uint64_t count, gfp_random *g)
{
    s->count = count;
    s->half = 1;
    while (s->half < 32 && (count - 1) >> (2 * s->half) != 0) {
        s->half++;
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        s->key[i] = gfp_random_u64(g);
    }
    s->offset = gfp_random_below(g, count);
}

static uint64_t shuffle_at(const shuffle *s, uint64_t i)
{
    uint64_t mask = ((uint64_t)1 << s->half) - 1;
    do {
        uint64_t left = i >> s->half;
        uint64_t right = i & mask;
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (gfp_mix64(s->key[round] + right) & mask);
            left = right;
            right = next;
        }
        i = left << s->half | right;
    } while (i >= s->count);
    return i < s->count - s->offset ? i + s->offset : i - (s->count - s->offset);
}

static gfp_status create_random(gfp_prime_supply **supply, const gfp_prime_range *range,
                                gfp_random *g, const gfp_allocator *allocator, gfp_error *error)
{
    gfp_prime_supply *s = NULL;
    GFP_TRY(search_create(&s, range, allocator, error));
    uint64_t low = least_radix(range->min_bits, s->sieve.log2_k);
    uint64_t above = UINT64_MAX; /* odd, so that no radix is lost */
    if (range->max_bits < 64 * range->k) {
        above = least_radix(range->max_bits + 1, s->sieve.log2_k);
    }
    /* The family is the multiples of 2^shift in [low, above). */
    uint64_t ones = ((uint64_t)1 << s->shift) - 1;
    s->first = (low >> s->shift) + ((low & ones) != 0);
    uint64_t end = (above >> s->shift) + ((above & ones) != 0);
    s->count = end > s->first ? end - s->first : 0;
    if (s->count != 0) {
        shuffle_init(&s->order, s->count, g);
    }
    *supply = s;
    return GFP_OK;
}

gfp_status gfp_prime_supply_create(gfp_prime_supply **supply, const gfp_prime_range *range,
                                   gfp_random *g, const gfp_allocator *allocator, gfp_error *error)
{
    return g == NULL ? create_sparse(supply, range, allocator, error)
                     : create_random(supply, range, g, allocator, error);
}

/* ---- delivery ---- */

static uint64_t candidate_at(const gfp_prime_supply *supply, uint64_t i)
{
    return supply->sparse != NULL
               ? supply->sparse[i].r
               : (supply->first + shuffle_at(&supply->order, i)) << supply->shift;
}

void gfp_prime_describe(gfp_prime *prime)
{
    gfp_sparse_radix radix;
    prime->v2_r = gfp_ctz64(prime->r);
    prime->v2_order = prime->k * prime->v2_r;
    if (!gfp_sparse_radix_find(&radix, prime->r)) {
        (void)snprintf(prime->formula, sizeof prime->formula, "%" PRIu64 "^%u+1", prime->r,
                       prime->k);
        return;
    }
    bool power = radix.sign == 0; /* 2^u = 2^(u+1) - 2^u */
    prime->sign = power ? -1 : radix.sign;
    prime->w = power ? radix.w + 1 : radix.w;
    prime->u = prime->v2_r;
    (void)snprintf(prime->formula, sizeof prime->formula, "(2^%u%c2^%u)^%u+1", prime->w,
                   prime->sign > 0 ? '+' : '-', prime->u, prime->k);
}

/* Proves r^k + 1 prime. Errors: COMPOSITE (error is unchanged then), MEMORY, UNPROVED. */
static gfp_status search_prove(const gfp_prime_supply *supply, uint64_t r, gfp_prime *prime,
                               gfp_error *error)
{
    gfp_prime found = {.r = r, .k = supply->range.k};
    gfp_field *field = NULL;
    gfp_error reason;
    if (gfp_prime_sieve_strikes(&supply->sieve, r)) {
        return GFP_ERR_COMPOSITE;
    }
    GFP_TRY(gfp_field_create_raw(&field, r, found.k, &supply->allocator, error));
    gfp_status status = gfp_field_prove(field, &found.certificate, &reason);
    found.bits = field->bits;
    gfp_field_destroy(field);
    if (status == GFP_ERR_UNPROVED && error != NULL) {
        *error = reason;
    }
    if (status == GFP_OK) {
        gfp_prime_describe(&found);
        *prime = found;
    }
    return status;
}

gfp_status gfp_prime_supply_next(gfp_prime *prime, gfp_prime_supply *supply, gfp_error *error)
{
    while (supply->next < supply->count) {
        uint64_t r = candidate_at(supply, supply->next);
        gfp_status status = search_prove(supply, r, &supply->last, error);
        if (status == GFP_ERR_MEMORY) {
            return status;
        }
        supply->next++;
        if (status == GFP_OK) {
            *prime = supply->last;
        }
        if (status != GFP_ERR_COMPOSITE) {
            return status;
        }
    }
    return GFP_DONE;
}

gfp_status gfp_prime_supply_field(gfp_field **field, const gfp_prime_supply *supply,
                                  gfp_error *error)
{
    const gfp_prime *prime = &supply->last;
    if (prime->r == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the supply has not delivered a prime yet");
    }
    return gfp_field_create_proved(field, prime->r, prime->k, &prime->certificate,
                                   &supply->allocator, error);
}
