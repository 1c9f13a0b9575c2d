/* half.c: the primes and tables of the papers' rival: powers of r modulo the primes and cofactors
 * Q/q, as matrices of half words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "papers/rival/half.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

/* Finds the 2k greatest primes below 2^31. Errors: UNAVAILABLE. */
static gfp_status choose_primes(gfp_half_rival *rival, uint64_t *primes, unsigned log2_n,
                                gfp_error *error)
{
    uint64_t below = (uint64_t)1 << GFP_RIVAL_BITS;

    rival->count = 2 * (size_t)gfp_field_k(rival->field);
    for (size_t i = 0; i < rival->count; i++) {
        if (gfp_word_prime_below(&primes[i], below, log2_n) != GFP_OK ||
            primes[i] >> (GFP_RIVAL_MIN_BITS - 1) == 0) {
            return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                                 "there are no %zu primes below 2^%d for transforms of 2^%u points",
                                 rival->count, GFP_RIVAL_BITS, log2_n);
        }
        below = primes[i];
    }
    return GFP_OK;
}

/* floor(log2 x), x >= 1. */
static unsigned log2_floor(uint64_t x)
{
    return 63 - gfp_clz64(x);
}

/* As few parts per digit as keep a row's sum below 2^63: parts k (2^part_bits - 1) (2^31 - 1).
 * Three parts suffice for all k <= 256: 768 2^22 2^31 < 2^63. */
static void choose_parts(gfp_half_rival *rival)
{
    const unsigned log2_k = log2_floor(gfp_field_k(rival->field));
    const unsigned bits = log2_floor(gfp_field_r(rival->field)) + 1;

    for (rival->parts = 1; rival->parts <= 3; rival->parts++) {
        const unsigned log2_parts = rival->parts - 1; /* log2 of 1, 2 and (rounded up) 3 parts */
        rival->part_bits = (bits + rival->parts - 1) / rival->parts;
        if (rival->part_bits + GFP_RIVAL_BITS + log2_k + log2_parts <= 63) {
            break;
        }
    }
    rival->terms = rival->parts * (size_t)gfp_field_k(rival->field);
}

/* A column's sum stays below 2^64: s (2^31 - 1) (2^w - 1) for its products, (s - 1) (2^w - 1) for t
 * times the complement, 2^(64 - w) - 1 for the carry from below: 2^64 - 2^w in all for s = 2^(33 -
 * w), and s = 2k is a power of two. */
static void choose_columns(gfp_half_rival *rival, const uint64_t *modulus)
{
    const size_t bits = 64 * rival->words - gfp_clz64(modulus[rival->words - 1]);

    rival->column_bits = 33 - log2_floor(rival->count);
    rival->columns = (bits + 1 + rival->column_bits - 1) / rival->column_bits;
}

/* modulus := the product of the primes, in rival->words words; it has room for 64 bits per prime.
 */
static void multiply_primes(gfp_half_rival *rival, uint64_t *modulus, const uint64_t *primes)
{
    modulus[0] = primes[0];
    rival->words = 1;
    for (size_t i = 1; i < rival->count; i++) {
        const uint64_t carry = mpn_mul_1(modulus, modulus, (mp_size_t)rival->words, primes[i]);
        if (carry != 0) {
            modulus[rival->words++] = carry;
        }
    }
}

/* Allocates the block and finds the tables' places in it: matrices first, since devices read them
 * by 16 bytes; two of their entries make a word. Errors: MEMORY. */
static gfp_status allocate_block(gfp_half_rival *rival)
{
    const size_t split = round_up(rival->count, GFP_RIVAL_ROWS) * rival->terms / 2;
    const size_t merge = round_up(1 + rival->columns, GFP_RIVAL_ROWS) * rival->count / 2;
    const size_t primes = rival->count * sizeof(gfp_rival_prime) / sizeof(uint64_t);

    rival->device_words = split + merge + rival->columns + primes + rival->words;
    rival->block_words = rival->device_words + rival->count * rival->words;
    rival->block =
        gfp_allocate(gfp_field_allocator(rival->field), rival->block_words, sizeof *rival->block);
    if (rival->block == NULL) {
        return GFP_ERR_MEMORY;
    }
    memset(rival->block, 0, rival->block_words * sizeof *rival->block);
    rival->split = (uint32_t *)rival->block;
    rival->merge = rival->split + 2 * split;
    rival->complement = rival->block + split + merge;
    rival->prime = (gfp_rival_prime *)(rival->complement + rival->columns);
    rival->modulus = (uint64_t *)(rival->prime + rival->count);
    rival->cofactors = rival->modulus + rival->words;
    return GFP_OK;
}

static void fill_prime(gfp_half_rival *rival, size_t index, uint64_t q)
{
    const mp_size_t words = (mp_size_t)rival->words;
    uint64_t *cofactor = rival->cofactors + index * rival->words;
    const unsigned bits = 64 - gfp_clz64(q);

    (void)mpn_divrem_1(cofactor, 0, rival->modulus, words, q);
    const uint64_t inverse = gfp_mod_pow(mpn_mod_1(cofactor, words, q), q - 2, q);
    rival->prime[index] = (gfp_rival_prime){
        .q = q,
        .negative_inverse = (uint32_t)gfp_mont_negative_inverse(q),
        .inverse = inverse,
        .companion = gfp_shoup_companion(inverse, q),
        .reciprocal = (uint64_t)(((gfp_u128)1 << (63 + bits)) / q),
        .shift = bits + 63 - GFP_RIVAL_FRACTION_BITS,
    };
}

/* ---- matrices ---- */

/* The `width` bits of x (n words) from bit `from` on; bits beyond x are 0. width <= 32. */
static uint32_t bits_at(const uint64_t *x, size_t n, size_t from, unsigned width)
{
    const size_t i = from / 64;
    const uint64_t low = i < n ? x[i] : 0;
    const uint64_t high = i + 1 < n ? x[i + 1] : 0;

    return (uint32_t)((gfp_join(high, low) >> (from % 64)) & (((uint64_t)1 << width) - 1));
}

/* The place of an entry in a matrix with `columns` columns. */
static size_t place_of(size_t row, size_t column, size_t columns)
{
    return (row / GFP_RIVAL_ROWS * columns + column) * GFP_RIVAL_ROWS + row % GFP_RIVAL_ROWS;
}

static void fill_split(gfp_half_rival *rival)
{
    const unsigned k = gfp_field_k(rival->field);

    for (size_t j = 0; j < rival->count; j++) {
        const uint64_t q = rival->prime[j].q, r = gfp_field_r(rival->field) % q;
        const uint64_t shift = gfp_mod_pow(2, rival->part_bits, q);
        uint64_t power = gfp_mod_pow(2, 64, q); /* the kernels reduce by 2^64 */
        for (unsigned i = 0; i < k; i++) {
            uint64_t w = power;
            for (unsigned part = 0; part < rival->parts; part++) {
                rival->split[place_of(j, i * rival->parts + part, rival->terms)] = (uint32_t)w;
                w = gfp_mod_mul(w, shift, q);
            }
            power = gfp_mod_mul(power, r, q);
        }
    }
}

static void fill_merge(gfp_half_rival *rival)
{
    const size_t s = rival->count, words = rival->words;

    for (size_t j = 0; j < s; j++) {
        rival->merge[place_of(0, j, s)] =
            (uint32_t)(((uint64_t)1 << GFP_RIVAL_FRACTION_BITS) / rival->prime[j].q);
        for (size_t c = 0; c < rival->columns; c++) {
            rival->merge[place_of(1 + c, j, s)] = bits_at(
                rival->cofactors + j * words, words, c * rival->column_bits, rival->column_bits);
        }
    }
}

/* Minus Q, column by column: the complement of each column, plus one in the lowest column, which
 * does not carry: Q is odd. */
static void fill_complement(gfp_half_rival *rival)
{
    const uint64_t mask = ((uint64_t)1 << rival->column_bits) - 1;

    for (size_t c = 0; c < rival->columns; c++) {
        rival->complement[c] = mask - bits_at(rival->modulus, rival->words, c * rival->column_bits,
                                              rival->column_bits);
    }
    rival->complement[0]++;
}

gfp_status gfp_half_rival_init(gfp_half_rival *rival, const gfp_field *field, unsigned log2_n,
                               gfp_error *error)
{
    uint64_t primes[GFP_RIVAL_MAX_PRIMES] = {0}, modulus[GFP_RIVAL_MAX_PRIMES];

    *rival = (gfp_half_rival){.field = field};
    GFP_TRY(choose_primes(rival, primes, log2_n, error));
    multiply_primes(rival, modulus, primes);
    choose_parts(rival);
    choose_columns(rival, modulus);
    const gfp_status status = allocate_block(rival);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "out of memory for %zu primes", rival->count);
    }
    memcpy(rival->modulus, modulus, rival->words * sizeof *modulus);
    for (size_t i = 0; i < rival->count; i++) {
        fill_prime(rival, i, primes[i]);
    }
    fill_split(rival);
    fill_merge(rival);
    fill_complement(rival);
    return GFP_OK;
}

void gfp_half_rival_clear(gfp_half_rival *rival)
{
    if (rival->field != NULL) {
        gfp_release(gfp_field_allocator(rival->field), rival->block, rival->block_words,
                    sizeof *rival->block);
    }
    *rival = (gfp_half_rival){.field = NULL};
}
