/* portable.c: projection and reconstruction in plain C: the definition of the other levels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/levels.h"

#include <string.h>

#include "field/base/support.h"
#include "fft/words/portable.h"

#include "crt/blocks/steps.inc"

void gfp_words_split(uint64_t *digits, size_t len, const uint64_t *x, size_t n)
{
    size_t t = 0, bit = 0;
    /* Digits below the top limb: of the limbs at `bit` and the next ones. */
    for (; t < len && bit / 64 + 1 < n; t++, bit += GFP_WORDS_DIGIT_BITS) {
        const uint64_t *limb = x + bit / 64;
        const unsigned shift = (unsigned)(bit % 64);
        digits[t] = (limb[0] >> shift | limb[1] << (63 - shift) << 1) & GFP_WORDS_DIGIT_MASK;
    }
    for (; t < len; t++, bit += GFP_WORDS_DIGIT_BITS) {
        digits[t] = bit / 64 < n ? x[n - 1] >> bit % 64 & GFP_WORDS_DIGIT_MASK : 0;
    }
}

/* The primes in use of a block, and their rows. */
typedef struct divisors {
    uint64_t q[GFP_WORDS], negative_inverse[GFP_WORDS];
    size_t n;
} divisors;

static divisors divisors_of(const gfp_words_leaf *leaf, size_t j)
{
    divisors d = {.n = 0};
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        if ((leaf->use[j] >> l & 1) != 0) {
            d.q[d.n] = leaf->blocks[j]->q[l];
            d.negative_inverse[d.n++] = leaf->blocks[j]->negative_inverse[l];
        }
    }
    return d;
}

/* From the lowest digit up: digit r of the quotient has r q + carry = digit of M modulo 2^51, and
 * the next carry is (r q + carry) / 2^51, below q. Eight divisions do not wait for each other. */
void gfp_words_rows(const gfp_words_leaf *leaf, const uint64_t *digits, uint64_t *sums)
{
    const size_t columns = gfp_words_columns(leaf->digits);
    for (size_t j = 0, row = 0; j < leaf->count; j++) {
        const divisors d = divisors_of(leaf, j);
        uint64_t carry[GFP_WORDS] = {0};
        for (size_t t = 0; t < columns; t++) {
            uint64_t *to = leaf->table + gfp_words_entry(leaf, row, t);
            for (size_t l = 0; l < d.n; l++) {
                const uint64_t r =
                    ((carry[l] - digits[t]) * d.negative_inverse[l]) & GFP_WORDS_DIGIT_MASK;
                carry[l] = (uint64_t)((gfp_mul_wide(r, d.q[l]) + carry[l]) >> GFP_WORDS_DIGIT_BITS);
                to[l * GFP_WORDS_GROUP] = r;
                sums[t] += r;
            }
        }
        row += d.n;
    }
}

void gfp_words_sum_rows(const gfp_words_leaf *leaf)
{
    const size_t columns = gfp_words_columns(leaf->digits);
    for (size_t t = 0; t < columns; t++) {
        const uint64_t *digit = leaf->table + gfp_words_entry(leaf, 0, t);
        gfp_u128 sum = 0;
        for (size_t r = 0; r < leaf->rows; r += 2, digit += (size_t)2 * GFP_WORDS_GROUP) {
            sum += gfp_mul_wide(digit[0], digit[GFP_WORDS_GROUP]);
        }
        gfp_words_neighbours(&leaf->neighbours[t], &leaf->neighbours[columns + t], sum);
    }
}

static void sum_neighbours(uint64_t *sums, const uint64_t *digits, size_t len)
{
    for (size_t t = 0; t < len; sums += 2) {
        const size_t end = gfp_size_min(len, t + GFP_WORDS_STEP);
        gfp_u128 sum = 0;
        for (; t + 1 < end; t += 2) {
            sum += gfp_mul_wide(digits[t], digits[t + 1]);
        }
        t = end;
        gfp_words_neighbours(&sums[0], &sums[1], sum);
    }
}

void gfp_words_cut(const gfp_words_digits *x, const uint64_t *limbs, size_t width)
{
    const size_t top = x->len - 1;
    for (size_t i = 0; i < x->n; i++, limbs += width) {
        uint64_t *digits = x->digits + i * x->stride;
        const uint64_t sign = 0 - (limbs[width - 1] >> 63);
        gfp_words_split(digits, x->len, limbs, width);
        digits[top] |= sign << (64 * width - top * GFP_WORDS_DIGIT_BITS) & GFP_WORDS_DIGIT_MASK;
        digits[top + 1] = sign;
        sum_neighbours(digits + top + 2, digits, x->len);
    }
}

/* By the definition. Products are below 2^101, and STEP + 1 of them below 2^108. */
static void project_one(const gfp_words *block, const uint64_t *powers, uint64_t z[GFP_WORDS],
                        const uint64_t *digits, size_t len)
{
    const uint64_t negative = digits[len];
    memset(z, 0, GFP_WORDS * sizeof *z);
    /* The top step is the short one. */
    size_t from = len == 0 ? 0 : (len - 1) / GFP_WORDS_STEP * GFP_WORDS_STEP;
    for (size_t end = len;; end = from, from -= GFP_WORDS_STEP) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = block->q[l];
            const uint64_t top = end == len && negative != 0 ? q - 1 : z[l];
            gfp_u128 sum = gfp_mul_wide(top, powers[(end - from) * GFP_WORDS + l]);
            for (size_t t = from; t < end; t++) {
                sum += gfp_mul_wide(digits[t], powers[(t - from) * GFP_WORDS + l]);
            }
            /* sum / 2^52 mod q */
            const uint64_t f = ((uint64_t)sum * block->negative_inverse[l]) & GFP_WORDS_RADIX_MASK;
            z[l] = (uint64_t)((sum + gfp_mul_wide(f, q)) >> GFP_WORDS_RADIX_BITS) % q;
        }
        if (from == 0) {
            return;
        }
    }
}

static void blocks_portable_project(const gfp_words *block, const uint64_t *powers, uint64_t *z,
                                    const gfp_words_digits *x)
{
    for (size_t i = 0; i < x->n; i++) {
        project_one(block, powers, z + i * GFP_WORDS, x->digits + i * x->stride, x->len);
    }
}

static void blocks_portable_weigh(const gfp_words_leaf *leaf, uint64_t *y,
                                  uint64_t sums[GFP_WORDS_GROUP], const uint64_t *z, size_t step,
                                  size_t n)
{
    size_t row = 0;
    memset(sums, 0, GFP_WORDS_GROUP * sizeof *sums);
    for (size_t j = 0; j < leaf->count; j++) {
        const gfp_words *block = leaf->blocks[j];
        const words_moduli m = words_moduli_of(block);
        const words scale = words_enter(words_load(leaf->scale + j * GFP_WORDS), &m);
        words x[GFP_WORDS_GROUP];
        for (size_t i = 0; i < GFP_WORDS_GROUP; i++) {
            x[i] = i < n ? words_mul(words_load(z + j * step + i * GFP_WORDS), scale, &m)
                         : words_zero();
        }
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((leaf->use[j] >> l & 1) == 0) {
                continue;
            }
            const uint64_t reciprocal = leaf->reciprocals[row++];
            for (size_t i = 0; i < GFP_WORDS_GROUP; i++, y++) {
                *y = x[i].w[l];
                sums[i] += (uint64_t)(gfp_mul_wide(*y, reciprocal) >> GFP_WORDS_RADIX_BITS);
            }
        }
    }
}

static void blocks_portable_combine(const gfp_words_leaf *leaf, uint64_t *d, size_t len,
                                    const uint64_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gfp_u128 sum = 0; /* below 2^114 */
        for (size_t t = 0; t < len; t++) {
            const uint64_t *column = leaf->table + gfp_words_entry(leaf, 0, t);
            for (size_t r = 0; r < leaf->rows; r++) {
                sum += gfp_mul_wide(y[r * GFP_WORDS_GROUP + i], column[r * GFP_WORDS_GROUP]);
            }
            d[t * GFP_WORDS_GROUP + i] = (uint64_t)sum & GFP_WORDS_DIGIT_MASK;
            sum >>= GFP_WORDS_DIGIT_BITS;
        }
    }
}

static void blocks_portable_pack(uint64_t *c, size_t stride, size_t width, uint64_t *d, size_t len,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gfp_words_pack_one(c + i * stride, width, d + i, len);
    }
}

const gfp_words_kernels gfp_words_portable = {
    steps_tabulate,          steps_invert,        gfp_words_split,         gfp_words_rows,
    gfp_words_sum_rows,      gfp_words_cut,       blocks_portable_project, blocks_portable_weigh,
    blocks_portable_combine, blocks_portable_pack};
