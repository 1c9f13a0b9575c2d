/* radix.c: conversion between integers (64-bit limbs) and base-r digits, by halving: an integer
 * below r^(2^i) is divided by r^(2^(i-1)), and so on (ISSAC 2017, section 3). The mpn functions
 * work on the stack and do not allocate: the sizes stay far below the point at which GMP leaves the
 * stack for its temporaries.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "field/base/decimal.h"
#include "field/base/context.h"
#include "field/base/support.h"

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64 bits without nails");
_Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "limbs are 64-bit words");

static const mp_limb_t *as_const_limbs(const uint64_t *x)
{
    return (const mp_limb_t *)(const void *)x;
}

static uint64_t *power_of(gfp_field *field, unsigned i)
{
    return field->power + ((1u << i) - 1);
}

static const mp_limb_t *const_power_of(const gfp_field *field, unsigned i)
{
    return as_const_limbs(field->power + ((1u << i) - 1));
}

unsigned gfp_radix_modulus_bits(uint64_t r, unsigned log2_k)
{
    mp_limb_t power[GFP_MAX_LIMBS] = {r};
    mp_limb_t square[GFP_MAX_LIMBS];
    unsigned size = 1;
    for (unsigned i = 0; i < log2_k; i++) {
        mpn_sqr(square, power, size);
        size = gfp_significant(square, 2 * size);
        memcpy(power, square, size * sizeof *power);
    }
    return 64 * size - gfp_clz64(power[size - 1]); /* the bits of r^k: no even power is 2^m - 1 */
}

void gfp_radix_init(gfp_field *field)
{
    mp_limb_t square[GFP_MAX_LIMBS + 2];
    power_of(field, 0)[0] = field->r;
    field->power_size[0] = 1;
    for (unsigned i = 1; i <= field->log2_k; i++) {
        unsigned size = field->power_size[i - 1];
        mpn_sqr(square, const_power_of(field, i - 1), size);
        size = gfp_significant(square, 2 * size);
        if (i == field->log2_k) { /* p = r^k + 1: r is even, so no carry */
            memcpy(field->modulus, square, size * sizeof *square);
            field->modulus[0] |= 1;
            field->limbs = size;
        } else {
            memcpy(power_of(field, i), square, size * sizeof *square);
            field->power_size[i] = size;
        }
    }
    field->bits = 64 * field->limbs - gfp_clz64(field->modulus[field->limbs - 1]);
}

/* digits := the 2^level digits of z (n limbs, overwritten, below r^(2^level)). */
static void radix_split(const gfp_field *field, uint64_t *digits, mp_limb_t *z, unsigned n,
                        unsigned level)
{
    unsigned half_digits = level == 0 ? 0 : 1u << (level - 1);
    n = gfp_significant(z, n);
    if (n == 0) {
        memset(digits, 0, ((size_t)1 << level) * sizeof *digits);
    } else if (level == 0) {
        digits[0] = z[0];
    } else if (level == 1) {
        digits[1] = gfp_div_wide(&field->radix, gfp_join(n > 1 ? z[1] : 0, z[0]), &digits[0]);
    } else {
        unsigned size = field->power_size[level - 1];
        mp_limb_t high[GFP_MAX_LIMBS / 2 + 2];
        unsigned high_size = 0;
        if (n >= size) {
            mpn_tdiv_qr(high, z, 0, z, n, const_power_of(field, level - 1), size);
            high_size = n - size + 1;
            n = size;
        }
        radix_split(field, digits, z, n, level - 1);
        radix_split(field, digits + half_digits, high, high_size, level - 1);
    }
}

void gfp_radix_to_digits(const gfp_field *field, uint64_t *digits, const uint64_t *limbs)
{
    mp_limb_t z[GFP_MAX_LIMBS];
    memcpy(z, limbs, field->limbs * sizeof *limbs);
    z[0] ^= 1; /* p - 1 differs from p in the last bit */
    bool special = mpn_cmp(z, as_const_limbs(field->modulus), (mp_size_t)field->limbs) == 0;
    z[0] ^= 1;
    if (special) {
        memset(digits, 0, field->k * sizeof *digits);
        digits[field->k - 1] = field->r;
    } else {
        radix_split(field, digits, z, field->limbs, field->log2_k);
    }
}

void gfp_radix_to_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *digits)
{
    if (gfp_is_special(field, digits)) {
        memcpy(limbs, field->modulus, field->limbs * sizeof *limbs);
        limbs[0] ^= 1;
        return;
    }
    /* Numbers of 2^i digits, each in a slot of 2^i words: low + high r^(2^i) joins two slots. */
    mp_limb_t a[GFP_MAX_K];
    mp_limb_t product[GFP_MAX_K + 2];
    memcpy(a, digits, field->k * sizeof *digits);
    for (unsigned i = 0; i < field->log2_k; i++) {
        unsigned slot = 1u << i;
        unsigned size = field->power_size[i];
        for (unsigned at = 0; at < field->k; at += 2 * slot) {
            mp_limb_t *low = a + at;
            mp_limb_t *high = low + slot;
            /* low and high are below r^(2^i): size limbs each. */
            mpn_mul_n(product, high, const_power_of(field, i), size);
            mp_limb_t carry = mpn_add(product, product, 2 * size, low, size);
            (void)carry; /* the sum is below r^(2^(i+1)) */
            memcpy(low, product, 2 * (size_t)size * sizeof *product);
            memset(low + 2 * (size_t)size, 0, 2 * (size_t)(slot - size) * sizeof *low);
        }
    }
    memcpy(limbs, a, field->limbs * sizeof *limbs);
}

void gfp_radix_reduce(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t n)
{
    /* Horner's rule in blocks of the modulus's size: value = rest 2^(64 size) + block, reduced. */
    unsigned size = field->limbs;
    mp_limb_t value[2 * GFP_MAX_LIMBS] = {0};
    mp_limb_t quotient[GFP_MAX_LIMBS + 1];
    const mp_limb_t *p = as_const_limbs(field->modulus);
    size_t done = 0; /* limbs done, from the top */
    while (done < n) {
        size_t count = (n - done) % size == 0 ? size : (n - done) % size;
        memmove(value + count, value, size * sizeof *value);
        memcpy(value, limbs + (n - done - count), count * sizeof *value);
        if (done > 0 || (count == size && mpn_cmp(value, p, (mp_size_t)size) >= 0)) {
            mpn_tdiv_qr(quotient, value, 0, value, (mp_size_t)(size + count), p, (mp_size_t)size);
        }
        done += count;
    }
    uint64_t reduced[GFP_MAX_LIMBS];
    memcpy(reduced, value, size * sizeof *value);
    gfp_radix_to_digits(field, z, reduced);
}

size_t gfp_elem_string_size(const gfp_field *field, int base)
{
    return gfp_limbs_text_size(field->limbs, base) + 1;
}

static bool is_base(int base)
{
    return base == 10 || base == 16;
}

gfp_status gfp_elem_set_string(const gfp_field *field, uint64_t *z, const char *text, size_t length,
                               int base, gfp_error *error)
{
    uint64_t value[GFP_MAX_LIMBS];
    size_t bad;
    if (!is_base(base)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "base %d is neither 10 nor 16", base);
    }
    gfp_status status = gfp_limbs_from_text(value, field->limbs, text, length, base, &bad);
    if (status == GFP_ERR_PARSE && length == 0) {
        return gfp_error_set(error, status, "no digits");
    }
    if (status == GFP_ERR_PARSE) {
        gfp_error_set(error, status, "not a digit of base %d", base);
        if (error != NULL) {
            error->column = bad + 1;
            error->offset = bad;
        }
        return status;
    }
    if (status != GFP_OK || mpn_cmp(as_const_limbs(value), as_const_limbs(field->modulus),
                                    (mp_size_t)field->limbs) >= 0) {
        return gfp_error_set(error, GFP_ERR_RANGE, "number is not below the modulus");
    }
    gfp_radix_to_digits(field, z, value);
    return GFP_OK;
}

gfp_status gfp_elem_get_string(const gfp_field *field, char *text, size_t size, size_t *length,
                               int base, const uint64_t *x)
{
    enum { MAX_DIGITS = 20 * GFP_MAX_LIMBS };
    char digits[MAX_DIGITS];
    uint64_t limbs[GFP_MAX_LIMBS];
    if (!is_base(base)) {
        return GFP_ERR_ARGUMENT;
    }
    gfp_radix_to_limbs(field, limbs, x);
    size_t count = gfp_limbs_to_text(digits, limbs, field->limbs, base);
    if (size < count + 1) {
        return GFP_ERR_SIZE;
    }
    memcpy(text, digits, count);
    text[count] = '\0';
    if (length != NULL) {
        *length = count;
    }
    return GFP_OK;
}
