/* exponent.h: the bits of exponents, and windows of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_EXPONENT_H
#define GFP_POLY_EXPONENT_H

#include <stddef.h>
#include <stdint.h>

/* The number of bits of the sum of exponent[i] 2^(64 i), i < limbs. */
static inline size_t gfp_exponent_bits(const uint64_t *exponent, size_t limbs)
{
    size_t bits = 64 * limbs;
    while (bits > 0 && (exponent[(bits - 1) / 64] >> (bits - 1) % 64 & 1) == 0) {
        bits--;
    }
    return bits;
}

static inline unsigned gfp_exponent_bit(const uint64_t *exponent, size_t i)
{
    return exponent[i / 64] >> i % 64 & 1;
}

/* The bits of a window: a table of 2^(w - 1) powers, and a product for about every w + 1 bits. */
#define GFP_MAX_WINDOW 6
static inline unsigned gfp_exponent_window(size_t bits)
{
    static const size_t up_to[GFP_MAX_WINDOW - 1] = {6, 24, 80, 240, 672};
    unsigned w = 1;
    while (w < GFP_MAX_WINDOW && bits > up_to[w - 1]) {
        w++;
    }
    return w;
}

/* The window of at most `most` bits below bit number `bits`, whose highest bit is 1: *low := its
 * lowest bit that is 1. Returns its value, an odd number. */
static inline size_t gfp_exponent_next(const uint64_t *exponent, size_t bits, unsigned most,
                                       size_t *low)
{
    size_t value = 0;
    *low = bits > most ? bits - most : 0;
    while (gfp_exponent_bit(exponent, *low) == 0) {
        ++*low;
    }
    for (size_t i = bits; i-- > *low;) {
        value = 2 * value + gfp_exponent_bit(exponent, i);
    }
    return value;
}

/* For powers of X modulo a polynomial of degree n: takes high bits of the exponent as long as they
 * are a number below n, which is returned; *bits := the number of other bits. */
static inline size_t gfp_exponent_start(const uint64_t *exponent, size_t n, size_t *bits)
{
    size_t start = 0;
    while (*bits > 0 && 2 * start + gfp_exponent_bit(exponent, *bits - 1) < n) {
        start = 2 * start + gfp_exponent_bit(exponent, --*bits);
    }
    return start;
}

#endif
