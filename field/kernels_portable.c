/* kernels_portable.c: the kernels in plain C, one instance of kernels_portable.inc per digit count,
 * so that k is a constant in every loop.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field_impl.h"
#include "support.h"

/* Whether the plain product is faster than the FFT-based one, which wins from k = 64 with two
 * primes and from k = 128 with three (measured: docs/design/kernels.md). */
static inline bool plain_is_faster(const gfp_field *field, unsigned k)
{
    return k <= 32 || (k == 64 && gfp_mul_fft_prime_count(field) == 3);
}

/* A digit after the first of two passes: s in [0, r), and the carry that digit i passes on to digit
 * i+1. */
typedef struct digit_carry {
    uint64_t digit;
    int64_t carry;
} digit_carry;

/* x + y = digit + carry r for x, y <= r, not both r: carry 0 or 1. */
static inline digit_carry add_digits(uint64_t x, uint64_t y, uint64_t r)
{
    uint64_t s = x + y;
    bool over = (s < x) | (s >= r);
    return (digit_carry){s - (over ? r : 0), over};
}

/* x - y = digit + carry r for x < r, y <= r, or x <= r, y > 0: carry -1 or 0. */
static inline digit_carry sub_digits(uint64_t x, uint64_t y, uint64_t r)
{
    bool under = x < y;
    return (digit_carry){x - y + (under ? r : 0), -(int64_t)under};
}

/* The end of a two-pass normalisation if a digit left [0, r), or for the special element: z := sum
 * (digit_i + add_i) r^i + carry_i r^(i+1), |add_i| and |carry_i| small. */
static void ripple(const gfp_field *field, uint64_t *z, const digit_carry *digits,
                   const int64_t *add)
{
    unsigned k = field->k;
    gfp_i128 v[GFP_MAX_K];
    for (unsigned i = 0; i < k; i++) {
        v[i] = (gfp_i128)digits[i].digit + (add == NULL ? 0 : add[i]);
        v[i] += i == 0 ? -digits[k - 1].carry : digits[i - 1].carry;
    }
    gfp_reference_normalize(field, z, v);
}

/* A sum of digit products, modulo 2^192. */
typedef struct column_sum {
    gfp_u128 low;
    uint64_t high;
} column_sum;

static inline void column_add(column_sum *u, uint64_t x, uint64_t y)
{
    gfp_u128 product = gfp_mul_wide(x, y);
    u->low += product;
    u->high += u->low < product;
}

/* A multiple of r^2, terms r^2, that makes a column of |u| <= terms r^2 a natural number. */
typedef struct column_offset {
    column_sum value;
    int64_t terms;
} column_offset;

static inline column_offset column_offset_make(const gfp_field *field, uint64_t terms)
{
    GFP_CONTRACT(terms <= (uint64_t)1 << 15);
    gfp_u128 low = gfp_mul_wide(field->r_squared[0], terms);
    gfp_u128 high = gfp_mul_wide(field->r_squared[1], terms) + gfp_hi64(low);
    return (column_offset){{gfp_join((uint64_t)high, (uint64_t)low), gfp_hi64(high)},
                           (int64_t)terms};
}

/* Splits plus - minus, negated if negate is set, at place i of columns. With the offset the column
 * lies in [0, 2 terms r^2]; terms <= 2^15 and r >= 2^32 keep it below 2^(192-shift) and the third
 * digit below 2^16 + 1. */
static inline void column_split(const gfp_field *field, gfp_columns *columns, unsigned i,
                                const column_sum *plus, const column_sum *minus, bool negate,
                                const column_offset *offset)
{
    const column_sum *p = negate ? minus : plus;
    const column_sum *m = negate ? plus : minus;
    gfp_u128 low = p->low - m->low;
    uint64_t high = p->high - m->high - (p->low < m->low);
    low += offset->value.low;
    high += offset->value.high + (low < offset->value.low);
    GFP_CONTRACT(high < (uint64_t)1 << 32); /* not negative, and below 2 terms r^2 */
    columns->c[i] = (int64_t)gfp_split3(&field->radix, high, gfp_hi64(low), (uint64_t)low,
                                        &columns->l[i], &columns->h[i]) -
                    offset->terms;
}

#define K_DIGITS 2
#include "kernels_portable.inc"
#define K_DIGITS 4
#include "kernels_portable.inc"
#define K_DIGITS 8
#include "kernels_portable.inc"
#define K_DIGITS 16
#include "kernels_portable.inc"
#define K_DIGITS 32
#include "kernels_portable.inc"
#define K_DIGITS 64
#include "kernels_portable.inc"
#define K_DIGITS 128
#include "kernels_portable.inc"
#define K_DIGITS 256
#include "kernels_portable.inc"

void gfp_mul_plain(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    static void (*const products[])(const gfp_field *, uint64_t *, const uint64_t *, size_t,
                                    const uint64_t *, size_t, unsigned, size_t) = {
        mul_plain_2,  mul_plain_4,  mul_plain_8,   mul_plain_16,
        mul_plain_32, mul_plain_64, mul_plain_128, mul_plain_256,
    };
    if (gfp_kernels_portable(field->k, field->r) == NULL) {
        gfp_kernels_reference.mul(field, z, x, field->k, y, field->k, 0, 1);
    } else {
        products[field->log2_k - 1](field, z, x, field->k, y, field->k, 0, 1);
    }
}

const gfp_kernels *gfp_kernels_portable(unsigned k, uint64_t r)
{
    static const gfp_kernels *const tables[] = {
        &kernels_2,  &kernels_4,  &kernels_8,   &kernels_16,
        &kernels_32, &kernels_64, &kernels_128, &kernels_256,
    };
    if (r < GFP_FAST_R_MIN || r > GFP_FAST_R_MAX || k < 2 || k > GFP_MAX_K) {
        return NULL;
    }
    return tables[gfp_ctz64(k) - 1];
}
