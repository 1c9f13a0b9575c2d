/* multimodular_tables.c: see multimodular.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/multimodular.h"

#include <gmp.h>
#include <string.h>

#include "field/base/context.h"
#include "gfpoly/elem.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

/* ---- primes ---- */

/* Words of 2 terms r^(2k), and of a product of primes that has just passed this bound. */
#define BOUND_WORDS (2 * GFP_MAX_K + 4)

/* Multiplies x[0 .. n) by y in place; returns the new n. */
static size_t mul_word(uint64_t *x, size_t n, uint64_t y)
{
    const uint64_t carry = mpn_mul_1(x, x, (mp_size_t)n, y);
    if (carry != 0) {
        x[n++] = carry;
    }
    return n;
}

size_t gfp_multi_most(const gfp_field *field, unsigned bits, size_t terms)
{
    const size_t all = 2 * (size_t)field->bits + 1 + 64 - gfp_clz64(terms);
    return all / (bits - 1) + 1;
}

bool gfp_multi_half_words(const gfp_field *field, unsigned log2_n, size_t terms)
{
    /* The number of primes between 2^30 and 2^31 that are 1 modulo 2^15, 2^16, ... */
    static const uint16_t supply[] = {3107, 1530, 764, 389, 194, 91, 41, 18, 10, 7, 5, 2, 1};
    const size_t at = log2_n < 15 ? 0 : log2_n - 15;
    return at < sizeof supply / sizeof supply[0] && gfp_multi_most(field, 31, terms) <= supply[at];
}

bool gfp_multi_choose(gfp_multi_primes *primes, const gfp_field *field, unsigned bits,
                      unsigned log2_n, size_t terms)
{
    uint64_t bound[BOUND_WORDS] = {2}, product[BOUND_WORDS] = {1};
    size_t bound_n = mul_word(bound, 1, terms), product_n = 1;
    uint64_t q = (uint64_t)1 << bits;

    for (unsigned i = 0; i < 2 * field->k; i++) {
        bound_n = mul_word(bound, bound_n, field->r);
    }
    primes->bits = bits;
    primes->log2_n = log2_n;
    primes->count = 0;
    while (product_n < bound_n ||
           (product_n == bound_n && mpn_cmp(product, bound, (mp_size_t)bound_n) <= 0)) {
        if (gfp_word_prime_below(&q, q, log2_n) != GFP_OK || q >> (bits - 1) == 0) {
            return false;
        }
        primes->q[primes->count++] = q;
        product_n = mul_word(product, product_n, q);
    }
    return true;
}

/* ---- tables ---- */

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

/* The number of pieces of a residue. */
static unsigned multimodular_tables_pieces(unsigned bits)
{
    return bits == 31 ? 1 : 2;
}

/* Words of the first matrix with `rows` rows. */
static size_t split_words(unsigned k, size_t rows)
{
    return round_up(rows, GFP_MULTI_SPLIT_ROWS) * k;
}

/* The rows of the second matrix, with the row of -M, rounded up to an even number. */
static size_t merge_rows(size_t rows)
{
    return round_up(rows + 1, 2);
}

static size_t merge_words(unsigned k, size_t rows)
{
    return merge_rows(rows) * k;
}

size_t gfp_multi_table_words(unsigned k, unsigned bits, size_t count)
{
    const size_t rows = multimodular_tables_pieces(bits) * count;
    return split_words(k, rows) + merge_words(k, rows) +
           count * (sizeof(gfp_multi_prime) / sizeof(uint64_t));
}

/* Fills the first matrix row by row. */
static void fill_split(uint32_t *split, const gfp_field *field, const gfp_multi_primes *primes)
{
    const unsigned parts = multimodular_tables_pieces(primes->bits), k = field->k;
    const uint64_t mask = ((uint64_t)1 << GFP_MULTI_PIECE_BITS) - 1;
    for (size_t i = 0; i < primes->count; i++) {
        const uint64_t q = primes->q[i];
        const uint64_t half = ((uint64_t)1 << 32) % q;
        uint64_t power = gfp_mod_pow(2, parts == 1 ? 64 : 128, q);
        for (unsigned j = 0; j < 2 * k; j++) {
            const uint64_t entry = j % 2 == 0 ? power : gfp_mod_mul(power, half, q);
            for (unsigned part = 0; part < parts; part++) {
                const size_t row = i * parts + part;
                split[(row / GFP_MULTI_SPLIT_ROWS * 2 * k + j) * GFP_MULTI_SPLIT_ROWS +
                      row % GFP_MULTI_SPLIT_ROWS] =
                    (uint32_t)(entry >> (GFP_MULTI_PIECE_BITS * part) & mask);
            }
            if (j % 2 == 1) {
                power = gfp_mod_mul(power, field->r % q, q);
            }
        }
    }
}

/* Row `row` of the second matrix := the halves of `digits`. */
static void fill_row(uint32_t *merge, unsigned k, size_t rows, size_t row, const uint64_t *digits)
{
    const size_t columns = 2 * (size_t)gfp_multi_digits(k);
    for (size_t j = 0; j < 2 * (size_t)k; j++) {
        merge[(j / columns * rows + row) * columns + j % columns] =
            (uint32_t)(digits[j / 2] >> (32 * (j % 2)));
    }
}

/* Fills the second matrix, and the scale of each prime. M has n words; work has room for n + 2. */
static void fill_merge(uint32_t *merge, const gfp_field *field, const gfp_multi_primes *primes,
                       uint64_t *scale, const uint64_t *product, size_t n, uint64_t *work)
{
    const unsigned parts = multimodular_tables_pieces(primes->bits), k = field->k;
    const size_t rows = merge_rows(parts * primes->count);
    uint64_t digits[GFP_MAX_K];
    for (size_t i = 0; i < primes->count; i++) {
        const uint64_t q = primes->q[i];
        /* M_i, and 2^31 M_i. */
        (void)mpn_divrem_1(work, 0, product, (mp_size_t)n, q);
        const uint64_t points = gfp_mod_pow(2, primes->log2_n, q);
        const uint64_t divisor = gfp_mod_mul(mpn_mod_1(work, (mp_size_t)n, q), points, q);
        scale[i] =
            gfp_mod_mul(gfp_mod_pow(divisor, q - 2, q), gfp_mod_pow(2, parts == 1 ? 32 : 64, q), q);
        for (unsigned part = 0; part < parts; part++) {
            gfp_radix_reduce(field, digits, work, n + part);
            fill_row(merge, k, rows, i * parts + part, digits);
            work[n] = mpn_lshift(work, work, (mp_size_t)n, GFP_MULTI_PIECE_BITS);
        }
    }
    gfp_radix_reduce(field, digits, product, n);
    gfp_elem_neg(field, digits, digits);
    fill_row(merge, k, rows, parts * primes->count, digits);
}

static void fill_primes(gfp_multi_prime *prime, const gfp_multi_primes *primes)
{
    for (size_t i = 0; i < primes->count; i++) {
        const uint64_t q = primes->q[i];
        const unsigned shift = primes->bits - GFP_MULTI_PIECE_BITS;
        const gfp_u128 one = (gfp_u128)1 << (GFP_MULTI_FRACTION_BITS + shift);
        prime[i] = (gfp_multi_prime){q, gfp_mont_negative_inverse(q), (uint64_t)(one / q)};
    }
}

gfp_status gfp_multi_tables_init(gfp_multi_tables *tables, const gfp_field *field,
                                 const gfp_multi_primes *primes, const gfp_allocator *allocator)
{
    const size_t count = primes->count;
    gfp_multi_tables made = {.rows = multimodular_tables_pieces(primes->bits) * count,
                             .count = count};
    made.merge_rows = merge_rows(made.rows);
    made.merge = split_words(field->k, made.rows);
    made.primes = made.merge + merge_words(field->k, made.rows);
    made.words = gfp_multi_table_words(field->k, primes->bits, count);
    made.image = gfp_allocate(allocator, made.words, sizeof *made.image);
    made.scale = gfp_allocate(allocator, count, sizeof *made.scale);
    /* Room for M, and for M_i with two words more. */
    uint64_t *product = gfp_allocate(allocator, 2 * count + 4, sizeof *product);
    if (made.image == NULL || made.scale == NULL || product == NULL) {
        gfp_release(allocator, product, 2 * count + 4, sizeof *product);
        gfp_multi_tables_release(&made, allocator);
        return GFP_ERR_MEMORY;
    }
    size_t n = 1;
    product[0] = 1;
    for (size_t i = 0; i < count; i++) {
        n = mul_word(product, n, primes->q[i]);
    }
    memset(made.image, 0, made.words * sizeof *made.image);
    fill_split((uint32_t *)made.image, field, primes);
    fill_merge((uint32_t *)(made.image + made.merge), field, primes, made.scale, product, n,
               product + count + 1);
    fill_primes((gfp_multi_prime *)(made.image + made.primes), primes);
    gfp_release(allocator, product, 2 * count + 4, sizeof *product);
    *tables = made;
    return GFP_OK;
}

void gfp_multi_tables_release(gfp_multi_tables *tables, const gfp_allocator *allocator)
{
    gfp_release(allocator, tables->image, tables->words, sizeof *tables->image);
    gfp_release(allocator, tables->scale, tables->count, sizeof *tables->scale);
    tables->image = NULL;
    tables->scale = NULL;
}
