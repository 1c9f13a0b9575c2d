/* words_crt.c: projection of integers to a basis of word-size primes, and their reconstruction.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_crt.h"

#include <string.h>

#include "support.h"
#include "words_basis.h"

const gfp_words_kernels *gfp_words_kernels_of(gfp_level level)
{
    (void)level;
    return &gfp_words_portable;
}

/* ---- projection ---- */

/* The integers that are in digits at a time. */
#define BATCH 64

size_t gfp_words_project_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    (void)basis;
    const size_t len = gfp_size_add_sat(width, width / 4 + 1); /* 64/52 < 5/4 */
    return gfp_size_mul_sat(gfp_size_add_sat(len, 1), gfp_size_min(n, BATCH));
}

/* digits := the digits of a number of `width` limbs, and its sign. */
static void split(uint64_t *digits, size_t len, const uint64_t *x, size_t width)
{
    const uint64_t sign = x[width - 1] >> 63;
    for (size_t t = 0; t < len; t++) {
        digits[t] = gfp_words_digit(x, width, t);
    }
    const unsigned used = (unsigned)(width * 64 - (len - 1) * GFP_WORDS_RADIX_BITS);
    digits[len - 1] |= (((uint64_t)0 - sign) << used) & GFP_WORDS_RADIX_MASK;
    digits[len] = sign;
}

void gfp_words_project(const gfp_words_basis *basis, gfp_level level, size_t first, size_t count,
                       uint64_t *z, size_t step, const uint64_t *x, size_t width, size_t n,
                       uint64_t *work)
{
    const gfp_words_kernels *kernels = gfp_words_kernels_of(level);
    const size_t len = gfp_words_digits_of(width * 64);
    for (size_t from = 0; from < n; from += BATCH) {
        const gfp_words_digits digits = {work, len, gfp_size_min(n - from, BATCH)};
        for (size_t i = 0; i < digits.n; i++) {
            split(work + i * (len + 1), len, x + (from + i) * width, width);
        }
        for (size_t j = 0; j < count; j++) {
            kernels->project(basis->blocks[first + j],
                             basis->powers + (first + j) * GFP_WORDS_POWER_WORDS,
                             z + j * step + from * GFP_WORDS, &digits);
        }
    }
}

/* ---- reconstruction ---- */

size_t gfp_words_recombine_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    (void)width;
    (void)n;
    return gfp_size_mul_sat(basis->leaf.rows + basis->leaf.digits, GFP_WORDS_GROUP);
}

/* c := the number of len digits in two's complement. */
static void join(uint64_t *c, size_t width, const uint64_t *d, size_t len)
{
    const uint64_t sign = (uint64_t)0 - (d[(len - 1) * GFP_WORDS_GROUP] >> 51);
    uint64_t low = 0;
    unsigned bits = 0; /* of low */
    size_t t = 0;
    for (size_t i = 0; i < width; i++) {
        while (bits < 64) {
            const uint64_t digit = t < len ? d[t * GFP_WORDS_GROUP] : sign & GFP_WORDS_RADIX_MASK;
            t++;
            if (bits + GFP_WORDS_RADIX_BITS < 64) {
                low |= digit << bits;
                bits += GFP_WORDS_RADIX_BITS;
            } else {
                c[i] = low | digit << bits;
                bits = bits + GFP_WORDS_RADIX_BITS - 64;
                low = digit >> (GFP_WORDS_RADIX_BITS - bits);
                break;
            }
        }
    }
}

/* Whether the digits d are above (M - 1) / 2, as numbers that are not negative. */
static bool above_half(const gfp_words_basis *basis, const uint64_t *d)
{
    for (size_t t = basis->leaf.digits; t-- != 0;) {
        const uint64_t digit = d[t * GFP_WORDS_GROUP], half = basis->half[t];
        if (digit != half) {
            return digit > half;
        }
    }
    return false;
}

/* Puts the multiples of -M into the last row of y: with S / 2^49 the sum of the fractions, c / M =
 * sum y_i / q_i - f lies in [-1/2, 1/2) for f = floor(sum + 1/2). S is low by less than 5/4 for
 * each prime. f computed from S is too small by one at most, and then c, computed with this f, is
 * above M / 2: these cases are looked at, those where S + 5/4 primes has another f. */
static void round_sums(const gfp_words_basis *basis, const gfp_words_kernels *kernels, uint64_t *y,
                       const uint64_t sums[GFP_WORDS_GROUP], uint64_t *d, size_t n)
{
    const gfp_words_leaf *leaf = &basis->leaf;
    const uint64_t unit = (uint64_t)1 << GFP_WORDS_FRACTION_BITS;
    uint64_t *last = y + leaf->primes * GFP_WORDS_GROUP;
    unsigned near = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t sum = sums[i] + unit / 2;
        last[i] = sum >> GFP_WORDS_FRACTION_BITS;
        const uint64_t error = leaf->primes + leaf->primes / 4 + 1;
        near |= (unsigned)((sum + error) >> GFP_WORDS_FRACTION_BITS != last[i]) << i;
    }
    if (near == 0) {
        return;
    }
    kernels->combine(leaf, d, leaf->digits, y, n);
    for (size_t i = 0; i < n; i++) {
        last[i] += (near >> i & 1) != 0 && above_half(basis, d + i) ? 1 : 0;
    }
}

void gfp_words_recombine(const gfp_words_basis *basis, gfp_level level, uint64_t *c, size_t width,
                         const uint64_t *z, size_t step, size_t n, uint64_t *work)
{
    const gfp_words_kernels *kernels = gfp_words_kernels_of(level);
    const gfp_words_leaf *leaf = &basis->leaf;
    uint64_t *d = work + leaf->rows * GFP_WORDS_GROUP, sums[GFP_WORDS_GROUP];
    size_t len = leaf->digits;
    if (width <= leaf->digits) {
        len = gfp_size_min(len, gfp_words_columns(gfp_words_digits_of(width * 64)));
    }
    for (size_t from = 0; from < n; from += GFP_WORDS_GROUP) {
        const size_t group = gfp_size_min(n - from, GFP_WORDS_GROUP);
        kernels->weigh(leaf, work, sums, z + from * GFP_WORDS, step, group);
        memset(work + leaf->primes * GFP_WORDS_GROUP, 0, GFP_WORDS_GROUP * sizeof *work);
        round_sums(basis, kernels, work, sums, d, group);
        kernels->combine(leaf, d, len, work, group);
        for (size_t i = 0; i < group; i++) {
            join(c + (from + i) * width, width, d + i, len);
        }
    }
}
