/* words_basis.c: bases of word-size primes: the powers of the digits' radix modulo the primes, and
 * the rows and factors of the reconstruction.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_basis.h"

#include <gmp.h>
#include <string.h>

#include "support.h"

uint64_t gfp_words_digit(const uint64_t *limbs, size_t n, size_t t)
{
    const size_t bit = t * GFP_WORDS_RADIX_BITS, limb = bit / 64;
    const unsigned shift = (unsigned)(bit % 64);
    if (limb >= n) {
        return 0;
    }
    const uint64_t next = limb + 1 < n ? limbs[limb + 1] : 0;
    return (uint64_t)(gfp_join(next, limbs[limb]) >> shift) & GFP_WORDS_RADIX_MASK;
}

/* ---- memory ---- */

/* The sizes of a basis; leaf has primes, rows, digits and table_words. */
static gfp_status measure(gfp_words_basis *b, const uint8_t *use, size_t count)
{
    gfp_words_leaf *leaf = &b->leaf;
    size_t words;
    b->count = leaf->count = count;
    leaf->primes = 0;
    if (count > SIZE_MAX / sizeof(uint64_t) / GFP_WORDS_POWER_WORDS) {
        return GFP_ERR_SIZE;
    }
    for (size_t j = 0; j < count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            leaf->primes += use == NULL || (use[j] >> l & 1) != 0 ? 1 : 0;
        }
    }
    leaf->rows = leaf->primes + 1;
    if (leaf->primes == 0) {
        return GFP_ERR_ARGUMENT;
    }
    if (leaf->rows >= (size_t)1 << 12) {
        return GFP_ERR_SIZE;
    }
    leaf->digits = gfp_words_columns(gfp_words_digits_of(leaf->primes * GFP_WORDS_BITS));
    if (!gfp_size_mul(&words, leaf->rows, leaf->digits)) {
        return GFP_ERR_SIZE;
    }
    leaf->table_words = words;
    return GFP_OK;
}

static gfp_status allocate(gfp_words_basis *b)
{
    const gfp_allocator *a = &b->allocator;
    b->blocks = gfp_allocate(a, b->count, sizeof *b->blocks);
    b->use = gfp_allocate(a, b->count, sizeof *b->use);
    b->powers = gfp_allocate(a, b->count * GFP_WORDS_POWER_WORDS, sizeof *b->powers);
    b->scale = gfp_allocate(a, b->count * GFP_WORDS, sizeof *b->scale);
    b->half = gfp_allocate(a, b->leaf.digits, sizeof *b->half);
    b->leaf.table = gfp_allocate(a, b->leaf.table_words, sizeof *b->leaf.table);
    return b->blocks == NULL || b->use == NULL || b->powers == NULL || b->scale == NULL ||
                   b->half == NULL || b->leaf.table == NULL
               ? GFP_ERR_MEMORY
               : GFP_OK;
}

void gfp_words_basis_destroy(gfp_words_basis *basis)
{
    if (basis == NULL) {
        return;
    }
    const gfp_allocator a = basis->allocator;
    gfp_release(&a, basis->blocks, basis->count, sizeof *basis->blocks);
    gfp_release(&a, basis->use, basis->count, sizeof *basis->use);
    gfp_release(&a, basis->powers, basis->count * GFP_WORDS_POWER_WORDS, sizeof *basis->powers);
    gfp_release(&a, basis->scale, basis->count * GFP_WORDS, sizeof *basis->scale);
    gfp_release(&a, basis->half, basis->leaf.digits, sizeof *basis->half);
    gfp_release(&a, basis->leaf.table, basis->leaf.table_words, sizeof *basis->leaf.table);
    gfp_release(&a, basis, 1, sizeof *basis);
}

/* ---- tables ---- */

static void fill_powers(gfp_words_basis *b)
{
    for (size_t j = 0; j < b->count; j++) {
        const gfp_words *block = b->blocks[j];
        uint64_t *powers = b->powers + j * GFP_WORDS_POWER_WORDS;
        memcpy(powers, block->one, sizeof block->one);
        for (size_t i = GFP_WORDS; i < GFP_WORDS_POWER_WORDS; i++) {
            const size_t l = i % GFP_WORDS;
            powers[i] = gfp_mod_mul(powers[i - GFP_WORDS], block->one[l], block->q[l]);
        }
    }
}

/* product := M. Returns its limbs. */
static size_t multiply_all(const gfp_words_basis *b, mp_limb_t *product)
{
    size_t n = 1;
    product[0] = 1;
    for (size_t j = 0; j < b->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((b->use[j] >> l & 1) != 0) {
                product[n] = mpn_mul_1(product, product, (mp_size_t)n, b->blocks[j]->q[l]);
                n += product[n] != 0 ? 1 : 0;
            }
        }
    }
    return n;
}

static void fill_row(gfp_words_leaf *leaf, size_t row, const mp_limb_t *x, size_t n)
{
    for (size_t t = 0; t < leaf->digits; t++) {
        leaf->table[gfp_words_entry(leaf, row, t)] =
            gfp_words_digit((const uint64_t *)(const void *)x, n, t);
    }
}

/* The row of -M, modulo 2^52 to the number of digits. M is odd. */
static void fill_last_row(gfp_words_leaf *leaf, const mp_limb_t *x, size_t n)
{
    fill_row(leaf, leaf->primes, x, n);
    for (size_t t = 0; t < leaf->digits; t++) {
        leaf->table[gfp_words_entry(leaf, leaf->primes, t)] ^= GFP_WORDS_RADIX_MASK - (t == 0);
    }
}

/* The rows M_i and the factors 1 / M_i. Errors: ARGUMENT (a prime is there twice). */
static gfp_status fill_rows(gfp_words_basis *b, const mp_limb_t *product, mp_limb_t *cofactor,
                            size_t n)
{
    size_t row = 0;
    for (size_t j = 0; j < b->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            uint64_t *scale = &b->scale[j * GFP_WORDS + l];
            *scale = 0;
            if ((b->use[j] >> l & 1) == 0) {
                continue;
            }
            const uint64_t q = b->blocks[j]->q[l];
            mpn_divrem_1(cofactor, 0, product, (mp_size_t)n, q);
            *scale = gfp_mod_pow(mpn_mod_1(cofactor, (mp_size_t)n, q), q - 2, q);
            if (*scale == 0) {
                return GFP_ERR_ARGUMENT;
            }
            fill_row(&b->leaf, row++, cofactor, n);
        }
    }
    fill_last_row(&b->leaf, product, n);
    return GFP_OK;
}

static gfp_status fill(gfp_words_basis *b)
{
    const gfp_allocator *a = &b->allocator;
    const size_t room = b->leaf.primes + 1; /* every prime is below 2^64 */
    mp_limb_t *product = gfp_allocate(a, 2 * room, sizeof *product);
    if (product == NULL) {
        return GFP_ERR_MEMORY;
    }
    const size_t n = multiply_all(b, product);
    b->bits = n * 64 - 1 - gfp_clz64(product[n - 1]);
    fill_powers(b);
    const gfp_status status = fill_rows(b, product, product + room, n);
    mpn_rshift(product, product, (mp_size_t)n, 1);
    for (size_t t = 0; t < b->leaf.digits; t++) {
        b->half[t] = gfp_words_digit((const uint64_t *)(const void *)product, n, t);
    }
    gfp_release(a, product, 2 * room, sizeof *product);
    return status;
}

gfp_status gfp_words_basis_create(gfp_words_basis **basis, const gfp_words *const *blocks,
                                  const uint8_t *use, size_t count, const gfp_allocator *allocator)
{
    const gfp_allocator *a = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_words_basis shape = {.allocator = *a};
    GFP_TRY(measure(&shape, use, count));
    gfp_words_basis *b = gfp_allocate(a, 1, sizeof *b);
    if (b == NULL) {
        return GFP_ERR_MEMORY;
    }
    *b = shape;
    gfp_status status = allocate(b);
    if (status == GFP_OK) {
        memcpy(b->blocks, blocks, count * sizeof *blocks);
        if (use != NULL) {
            memcpy(b->use, use, count);
        } else {
            memset(b->use, 0xff, count);
        }
        b->leaf.blocks = b->blocks;
        b->leaf.use = b->use;
        b->leaf.scale = b->scale;
        status = fill(b);
    }
    if (status != GFP_OK) {
        gfp_words_basis_destroy(b);
        return status;
    }
    *basis = b;
    return GFP_OK;
}

size_t gfp_words_basis_bits(const gfp_words_basis *basis)
{
    return basis->bits;
}

/* |c| <= (M - 1) / 2 < 2^bits, and so bits + 1 bits with the sign. */
size_t gfp_words_basis_limbs(const gfp_words_basis *basis)
{
    return basis->bits / 64 + 1;
}

size_t gfp_words_basis_bytes(const gfp_words_basis *basis)
{
    return sizeof *basis + basis->count * (sizeof *basis->blocks + 1) +
           (basis->count * (GFP_WORDS_POWER_WORDS + GFP_WORDS) + basis->leaf.digits +
            basis->leaf.table_words) *
               sizeof(uint64_t);
}
