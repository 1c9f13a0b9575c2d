/* portable.c: the kernels in plain C for K_DIGITS digits. The build compiles this file once for
 * each k, so that k is a constant in every loop.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"
#include "field/base/unroll.h"
#include "field/kernels/levels.h"

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
static void ripple_carry(const gfp_field *field, uint64_t *z, const digit_carry *digits,
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

/* The constants of fold. Quotients are counted in units of 2^-bits, bits >= 4: the point is d 2^(64
 * + bits) / r < 2^64, one is 2^(64 + bits) / r <= 2^16, and a digit z stands for z + 2^63 in the
 * product. The errors are less than 7/2 units. */
typedef struct portable_folding {
    uint64_t r, d, point, one;
    uint64_t start; /* half a quotient less the bias, what the offset adds, and a unit for errors */
    uint64_t high;
    unsigned bits;
} portable_folding;

static portable_folding fold_constants(uint64_t r, uint64_t d)
{
    const unsigned bits = 63 - gfp_clz64(r) - GFP_FOLD_BITS;
    const gfp_u128 one = ((gfp_u128)1 << (64 + bits)) / r, point = ((gfp_u128)d << (64 + bits)) / r;
    const uint64_t half = (uint64_t)1 << (bits - 1);
    const uint64_t bias = r > GFP_FOLD_R_NARROW ? (half * GFP_FOLD_BIAS) / 32 : 0;
    return (portable_folding){.r = r,
                              .d = d,
                              .point = (uint64_t)point,
                              .one = (uint64_t)one,
                              .start = half + 1 - bias - (uint64_t)point / 2,
                              .high = half + half * GFP_FOLD_HIGH / 32,
                              .bits = bits};
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

/* ---- from columns to digits ----
 *
 * The columns are scaled: u = sum of x_i y_j 2^shift, to be divided by d = r 2^shift. With the
 * offset they lie in [0, 2^COLUMN_BITS r d). Their words above 2^(64 + COLUMN_BITS), multiplied by
 * the inverse, give a quotient q that lacks its last COLUMN_BITS + 1 bits and is up to two units
 * too small. The rest and the quotient of the column below form a sum of less than 2^(COLUMN_BITS +
 * 3) d; this sum is divided in the same way. The digit that remains may be a little above r, by
 * less than 2^(COLUMN_BITS + 6): the carries repair this. ranges.py has the bounds. */
#define COLUMN_BITS 10

typedef struct column_part {
    gfp_u128 rest;     /* u + offset - quotient 2^(COLUMN_BITS + 1) d */
    uint64_t quotient; /* of the column, without COLUMN_BITS + 1 bits */
} column_part;

GFP_INLINE column_part column_divide(const gfp_field *field, const column_sum *plus,
                                     const column_sum *minus)
{
    const gfp_u128 low = plus->low - minus->low;
    const uint64_t high = plus->high - minus->high - (plus->low < minus->low);
    GFP_CONTRACT(high < (uint64_t)1 << COLUMN_BITS);
    const uint64_t top = high << (64 - COLUMN_BITS) | gfp_hi64(low) >> COLUMN_BITS;
    const uint64_t quotient = gfp_hi64(gfp_mul_wide(top, field->column.inverse));
    const gfp_u128 product = gfp_mul_wide(quotient, field->radix.d) << (COLUMN_BITS + 1);
    return (column_part){low - product, quotient};
}

/* z[0 .. k) := the canonical digits of the divided columns. */
GFP_INLINE void column_finish(const gfp_field *field, uint64_t *z, const column_part *part,
                              const unsigned k)
{
    const unsigned shift = field->radix.shift;
    const uint64_t r = field->r, d = field->radix.d, inverse = field->column.inverse;
    uint64_t digit[GFP_MAX_K];
    uint64_t carry[GFP_MAX_K];
    for (unsigned i = 0; i < k; i++) {
        const uint64_t quotient = part[i == 0 ? k - 1 : i - 1].quotient;
        const gfp_u128 below =
            gfp_join(quotient >> (63 - COLUMN_BITS - shift), quotient << (COLUMN_BITS + 1 + shift));
        /* r^k = -1: at the bottom the quotient is subtracted from 2 GFP_COLUMN_OFFSET d. */
        const gfp_u128 sum = part[i].rest + (i == 0 ? ((gfp_u128)d << COLUMN_BITS) - below : below);
        const uint64_t low = (uint64_t)sum, high = gfp_hi64(sum);
        const uint64_t top = high << (61 - COLUMN_BITS) | low >> (COLUMN_BITS + 3);
        const uint64_t multiple = gfp_hi64(gfp_mul_wide(top, inverse)) >> (60 - COLUMN_BITS);
        digit[i] = (low >> shift) + (high << 1 << (63 - shift)) - multiple * r;
        carry[i] = multiple - GFP_COLUMN_OFFSET;
    }
    bool out = false;
    for (unsigned i = 0; i < k; i++) {
        z[i] = i == 0 ? digit[0] - carry[k - 1] : digit[i] + carry[i - 1];
        out |= z[i] >= r;
    }
    if (out) {
        gfp_carry_digits(z, k, r);
    }
}

/* Returns the quotient of u < 2 r d by d, less r if it is r or more; *above := all bits then, else
 * 0. *rest := the remainder / 2^shift. The quotient is floor(u inverse / 2^191) from three products
 * of words, without their last bits: with probability 2^-59 it is one too small, and the rest r or
 * up to 32 more. */
GFP_INLINE uint64_t divide_pair(const gfp_field *field, gfp_u128 u, uint64_t *rest, uint64_t *above)
{
    const gfp_divisor *radix = &field->radix;
    const uint64_t *inverse = field->pair.inverse;
    const uint64_t low = (uint64_t)u, high = gfp_hi64(u), r = radix->value;
    const gfp_u128 product = gfp_mul_wide(high, inverse[1]);
    /* In units of 2^-61; the two bits that are lost make room for the sum. */
    const uint64_t fraction =
        ((uint64_t)product >> 2) + ((gfp_hi64(gfp_mul_wide(high, inverse[0])) >> 2) +
                                    (gfp_hi64(gfp_mul_wide(low, inverse[1])) >> 2));
    const uint64_t quotient = 2 * gfp_hi64(product) + (fraction >> 61); /* modulo 2^64 */
    const uint64_t half = gfp_hi64(product) + (fraction >> 62);
    *rest = (low - quotient * radix->d) >> radix->shift;
    *above = (uint64_t)0 - (uint64_t)(half >= r >> 1); /* r is even */
    return quotient - (r & *above);
}

/* z := x y for k = 2, r^2 = -1, if field->pair is set. The columns x_0 y_0 - x_1 y_1 + r^2 and x_0
 * y_1 + x_1 y_0 are in [0, 2 r^2). Where a quotient is r or more, r^3 or r^2 goes into the other
 * digit. */
GFP_INLINE void mul_pair(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    const gfp_divisor *radix = &field->radix;
    const uint64_t r = radix->value, x0 = x[0], x1 = x[1];
    const uint64_t y0 = y[0] << radix->shift, y1 = y[1] << radix->shift;
    const gfp_u128 square = gfp_join(field->pair.square[1], field->pair.square[0]);
    uint64_t l0, l1, above0, above1;
    const uint64_t q0 =
        divide_pair(field, square - gfp_mul_wide(x1, y1) + gfp_mul_wide(x0, y0), &l0, &above0);
    const uint64_t q1 =
        divide_pair(field, gfp_mul_wide(x0, y1) + gfp_mul_wide(x1, y0), &l1, &above1);
    /* l0 - q1 and l1 - (r - q0) with r added to negative ones; masks are -1 and 0. */
    const uint64_t down = r - q0;
    const bool under0 = l0 < q1, under1 = l1 < down;
    const uint64_t z0 = l0 - q1 + (under0 ? r : 0) + (above0 + under1);
    const uint64_t z1 = l1 - down + (under1 ? r : 0) + (above1 - under0);
    z[0] = z0;
    z[1] = z1;
    if ((z0 >= r) | (z1 >= r)) {
        gfp_carry_digits(z, 2, r);
    }
}

#include "field/kernels/portable.inc"
