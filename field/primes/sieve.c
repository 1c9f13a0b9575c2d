/* sieve.c: the primes q = 1 mod 2k, the only odd primes that divide numbers r^k + 1, k a
 * power of two: r^k = -1 mod q makes the order of r mod q equal to 2k, which divides q - 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/primes/sieve.h"

#include <string.h>

#include "field/base/support.h"
#include "field/base/word.h"

/* The sieve goes up to SLOTS 2k = 512 k^2. q strikes k of q radices and costs about log2 k word
 * divisions. A power modulo p grows faster than k^2, so that the last q still pays for itself, and
 * the table stays small next to a single power. */
enum { SLOTS = 256 };

/* struck[i] := whether 2k i + 1 is composite, i < count (or 1, for i = 0). Eratosthenes along the
 * progression; odd composite divisors do no harm. */
static void strike_composites(uint8_t *struck, size_t count, unsigned log2_k)
{
    uint64_t bound = (uint64_t)count << (log2_k + 1);
    memset(struck, 0, count);
    struck[0] = 1;
    for (uint64_t d = 3; d * d < bound; d += 2) {
        /* 2k i + 1 = 0 mod d: i = -1/2k, by halving modulo d. */
        uint64_t i = d - 1;
        for (unsigned j = 0; j <= log2_k; j++) {
            i = i % 2 == 0 ? i / 2 : (i + d) / 2;
        }
        if ((i << (log2_k + 1)) + 1 == d) {
            i += d; /* d itself, which may be prime */
        }
        for (; i < count; i += d) {
            struck[i] = 1;
        }
    }
}

gfp_status gfp_prime_sieve_init(gfp_prime_sieve *sieve, unsigned k, const gfp_allocator *allocator)
{
    gfp_prime_sieve s = {.log2_k = gfp_ctz64(k)};
    size_t slots = (size_t)SLOTS * k;
    uint8_t *struck = gfp_allocate(allocator, slots, sizeof *struck);
    if (struck == NULL) {
        return GFP_ERR_MEMORY;
    }
    strike_composites(struck, slots, s.log2_k);
    for (size_t i = 0; i < slots; i++) {
        s.count += !struck[i];
    }
    s.prime = gfp_allocate(allocator, s.count, sizeof *s.prime);
    size_t n = 0;
    for (size_t i = 0; i < slots && s.prime != NULL; i++) {
        if (!struck[i]) {
            s.prime[n++] = (uint32_t)(i << (s.log2_k + 1)) + 1;
        }
    }
    gfp_release(allocator, struck, slots, sizeof *struck);
    if (s.prime == NULL) {
        return GFP_ERR_MEMORY;
    }
    *sieve = s;
    return GFP_OK;
}

void gfp_prime_sieve_clear(gfp_prime_sieve *sieve, const gfp_allocator *allocator)
{
    gfp_release(allocator, sieve->prime, sieve->count, sizeof *sieve->prime);
}

/* Whether r^k + 1 = q, possible for small r^k only: r^(2^i) grows past q within a few squarings. */
static bool is_modulus(uint32_t q, uint64_t r, unsigned log2_k)
{
    uint64_t x = r;
    for (unsigned i = 0; i < log2_k && x < q; i++) {
        x *= x;
    }
    return x == q - 1;
}

bool gfp_prime_sieve_strikes(const gfp_prime_sieve *sieve, uint64_t r)
{
    for (size_t i = 0; i < sieve->count; i++) {
        if (gfp_divides_modulus(sieve->prime[i], r, sieve->log2_k)) {
            return !is_modulus(sieve->prime[i], r, sieve->log2_k);
        }
    }
    return false;
}
