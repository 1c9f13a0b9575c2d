/* primes.c: checks of arguments and the choice of primes for plans of the papers' rival, on
 * the CPU and on a device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>

#include "papers/rival/impl.h"
#include "field/base/support.h"
#include "fft/words/primes.h"

gfp_status gfp_rival_check(const gfp_field *field, size_t n, gfp_crt_rival_primes kind,
                           size_t words, gfp_error *error)
{
    size_t bytes;

    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if ((unsigned)kind > GFP_CRT_RIVAL_WORDS) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown kind of primes %d", (int)kind);
    }
    if (!gfp_size_mul(&bytes, n, words * gfp_field_k(field) * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    return GFP_OK;
}

/* Words of a product of primes that has just passed p. */
#define PRODUCT_WORDS (GFP_MAX_K + 2)

/* A search for the greatest primes below `below`, in descending order. */
typedef struct supply {
    uint64_t below;
    unsigned log2_n;
} supply;

/* Returns false if no further prime has GFP_RIVAL_MIN_BITS bits or more. */
static bool next_prime(supply *s, uint64_t *q)
{
    if (gfp_word_prime_below(q, s->below, s->log2_n) != GFP_OK ||
        *q >> (GFP_RIVAL_MIN_BITS - 1) == 0) {
        return false;
    }
    s->below = *q;
    return true;
}

/* Finds the 2k greatest primes below 2^bits. */
static bool find_half_words(const gfp_field *field, uint64_t *primes, size_t *count,
                            unsigned log2_n, unsigned bits)
{
    supply s = {(uint64_t)1 << bits, log2_n};
    bool found = true;

    *count = 2 * (size_t)gfp_field_k(field);
    for (size_t i = 0; i < *count && found; i++) {
        found = next_prime(&s, &primes[i]);
    }
    return found;
}

/* Finds the greatest primes that transforms admit, as few as have a product above p. */
static bool find_words(const gfp_field *field, uint64_t *primes, size_t *count, unsigned log2_n)
{
    const uint64_t *p = gfp_field_modulus_limbs(field);
    const size_t p_words = gfp_field_limbs(field);
    uint64_t product[PRODUCT_WORDS] = {1};
    size_t words = 1;
    supply s = {(uint64_t)1 << GFP_NTT_MAX_BITS, log2_n};

    *count = 0;
    while (words < p_words || (words == p_words && mpn_cmp(product, p, (mp_size_t)p_words) <= 0)) {
        uint64_t q;
        if (*count == GFP_RIVAL_MAX_PRIMES || !next_prime(&s, &q)) {
            return false;
        }
        primes[(*count)++] = q;
        const uint64_t carry = mpn_mul_1(product, product, (mp_size_t)words, q);
        if (carry != 0) {
            product[words++] = carry;
        }
    }
    return true;
}

gfp_status gfp_rival_choose_primes(uint64_t *primes, size_t *count, gfp_crt_rival_primes *kind,
                                   const gfp_field *field, unsigned log2_n,
                                   const gfp_crt_rival_options *options, gfp_error *error)
{
    const bool narrow = options->ntt.product == GFP_NTT_DOUBLE_QUOTIENT;
    const unsigned half_bits = narrow ? GFP_NTT_DOUBLE_QUOTIENT_BITS : 31;

    if (options->primes != GFP_CRT_RIVAL_WORDS &&
        find_half_words(field, primes, count, log2_n, half_bits)) {
        *kind = GFP_CRT_RIVAL_HALF_WORDS;
        return GFP_OK;
    }
    /* The double quotient serves half words only. */
    if (options->primes == GFP_CRT_RIVAL_HALF_WORDS ||
        (narrow && options->primes == GFP_CRT_RIVAL_AUTO)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "there are no %u primes below 2^%u for transforms of 2^%u points",
                             2 * gfp_field_k(field), half_bits, log2_n);
    }
    *kind = GFP_CRT_RIVAL_WORDS;
    return find_words(field, primes, count, log2_n)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                               "too few primes below 2^%u have transforms of 2^%u points",
                               GFP_NTT_MAX_BITS, log2_n);
}
