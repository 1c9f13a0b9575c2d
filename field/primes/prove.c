/* prove.c: proofs that p = r^k + 1 is prime. p - 1 = r^k is known in factored form once r is, so
 * Pocklington's theorem applies: if F divides p - 1, F > sqrt(p) - 1, and for each prime q | F some
 * a has a^(p-1) = 1 and gcd(a^((p-1)/q) - 1, p) = 1, then p is prime. Proth's theorem is the case F
 * = 2^v2(p-1); there a^((p-1)/2) = -1 implies both conditions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "field/primes/factor.h"
#include "field/base/context.h"
#include "field/primes/sieve.h"
#include "field/base/support.h"
#include "field/primes/stock.h"

static uint64_t modulus_mod(const gfp_field *field, uint64_t m)
{
    return (gfp_mod_pow(field->r % m, field->k, m) + 1) % m;
}

void gfp_field_odd_power(const gfp_field *field, uint64_t *z, uint64_t a)
{
    /* (p-1)/2^v2 = odd^k with odd = r / 2^v2(r): k powers of one word. */
    uint64_t odd = field->r >> field->v2_r;
    gfp_elem_set_u64(field, z, a);
    for (unsigned i = 0; i < field->k; i++) {
        gfp_elem_pow(field, z, z, &odd, 1);
    }
}

/* Whether a^((p-1)/2) = -1. */
static bool is_euler_witness(const gfp_field *field, uint64_t a)
{
    uint64_t z[GFP_MAX_K];
    gfp_field_odd_power(field, z, a);
    for (unsigned i = 1; i < field->v2_order; i++) {
        gfp_elem_sqr(field, z, z);
    }
    return gfp_is_special(field, z);
}

/* Whether a^(p-1) = 1 and gcd(a^((p-1)/q) - 1, p) = 1, for a prime q | r. *fermat := whether
 * a^(p-1) = 1. */
static bool is_pocklington_base(const gfp_field *field, uint64_t q, uint64_t a, bool *fermat)
{
    uint64_t z[GFP_MAX_K];
    uint64_t last = field->r / q;
    gfp_elem_set_u64(field, z, a);
    for (unsigned i = 0; i + 1 < field->k; i++) {
        gfp_elem_pow(field, z, z, &field->r, 1);
    }
    gfp_elem_pow(field, z, z, &last, 1);
    uint64_t full[GFP_MAX_K];
    gfp_elem_pow(field, full, z, &q, 1);
    *fermat = gfp_elem_is_one(field, full);
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(field, one);
    gfp_elem_sub(field, z, z, one);
    return *fermat && gfp_elem_inv(field, z, z) == GFP_OK;
}

/* Returns a prime below 3000 that divides p, or 0. Prime factors of r^k + 1, r even, are 1 mod
 * 2k. */
static uint64_t small_factor(const gfp_field *field)
{
    for (uint32_t m = 2 * field->k + 1; m < 3000; m += 2 * field->k) {
        if (gfp_divides_modulus(m, field->r, field->log2_k) && gfp_word_is_prime(m)) {
            bool itself = field->limbs == 1 && field->modulus[0] == m;
            return itself ? 0 : m;
        }
    }
    return 0;
}

/* Returns the least odd prime a of which p is a non-residue, so that (a/p) = -1 by reciprocity (p =
 * 1 mod 4; only p = 5 has r = 2, k = 2 with p = 5 mod 8, and 3 serves there too). p is no square,
 * so a exists. */
static uint64_t non_residue(const gfp_field *field)
{
    for (uint64_t a = 3;; a += 2) {
        if (gfp_word_is_prime(a)) {
            uint64_t residue = modulus_mod(field, a);
            if (residue != 0 && gfp_mod_pow(residue, (a - 1) / 2, a) == a - 1) {
                return a;
            }
        }
    }
}

static double bits_of_part(const gfp_field *field, uint64_t prime)
{
    double bits = 0;
    for (uint64_t r = field->r; r % prime == 0; r /= prime) {
        bits += log2((double)prime);
    }
    return bits * field->k;
}

/* Whether the factored part has more than half the bits of p, with room for the rounding of
 * log2. */
static bool is_large_enough(const gfp_field *field, double part_bits)
{
    return part_bits > 0.5 * field->bits + 0.001;
}

static gfp_status prove_composite(gfp_error *error, const gfp_field *field, uint64_t a)
{
    return gfp_error_set(error, GFP_ERR_COMPOSITE,
                         "%llu^%u + 1 is composite: it fails Euler's or Fermat's test to base %llu",
                         (unsigned long long)field->r, field->k, (unsigned long long)a);
}

/* Finds a base for the prime q | r by trying one after the other. Errors: UNPROVED if none of the
 * first hundred serves (for a prime p each serves with probability 1 - 1/q). */
static gfp_status find_pocklington_base(const gfp_field *field, uint64_t q, uint64_t *base,
                                        gfp_error *error)
{
    for (uint64_t a = 2; a < 102; a++) {
        bool fermat;
        if (is_pocklington_base(field, q, a, &fermat)) {
            *base = a;
            return GFP_OK;
        }
        if (!fermat) {
            return prove_composite(error, field, a);
        }
    }
    return gfp_error_set(error, GFP_ERR_UNPROVED,
                         "no base proves %llu^%u + 1 prime for the factor %llu of its radix",
                         (unsigned long long)field->r, field->k, (unsigned long long)q);
}

gfp_status gfp_field_prove(const gfp_field *field, gfp_certificate *certificate, gfp_error *error)
{
    gfp_certificate c = {.proof = GFP_PROOF_PROTH, .count = 1};
    uint64_t factor = small_factor(field);
    if (factor != 0) {
        return gfp_error_set(error, GFP_ERR_COMPOSITE,
                             "%llu^%u + 1 is composite: divisible by %llu",
                             (unsigned long long)field->r, field->k, (unsigned long long)factor);
    }
    c.factor[0].prime = 2;
    c.factor[0].base = non_residue(field);
    if (!is_euler_witness(field, c.factor[0].base)) {
        return prove_composite(error, field, c.factor[0].base);
    }
    double part = field->v2_order;
    if (!is_large_enough(field, part)) {
        c.proof = GFP_PROOF_POCKLINGTON;
        uint64_t primes[GFP_MAX_FACTORS];
        unsigned count = gfp_factor(field->r >> field->v2_r, primes);
        /* The largest prime first, for the fewest powers. */
        while (!is_large_enough(field, part) && count > 0) {
            uint64_t q = primes[--count];
            c.factor[c.count].prime = q;
            GFP_TRY(find_pocklington_base(field, q, &c.factor[c.count].base, error));
            c.count++;
            part += bits_of_part(field, q);
        }
    }
    /* r^k is factored completely, so that the loop cannot end short; the check keeps any unproved
     * certificate inside. */
    if (!is_large_enough(field, part)) {
        return gfp_error_set(error, GFP_ERR_UNPROVED, "%llu^%u + 1: too few factors found",
                             (unsigned long long)field->r, field->k);
    }
    *certificate = c;
    return GFP_OK;
}

gfp_status gfp_certificate_create(gfp_certificate *certificate, uint64_t r, unsigned k,
                                  const gfp_allocator *allocator, gfp_error *error)
{
    gfp_field *field = NULL;
    GFP_TRY(gfp_field_create_raw(&field, r, k, allocator, error));
    gfp_status status = gfp_field_prove(field, certificate, error);
    gfp_field_destroy(field);
    return status;
}
