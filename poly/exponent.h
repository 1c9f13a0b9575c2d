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

/* A step of a power a^e by windows: squares, then a product by the power `odd` of a; 0: none. The
 * first step begins with that power. */
typedef struct gfp_exponent_step {
    size_t squares, odd;
} gfp_exponent_step;

/* The next step, a bit that is 0 or a window of at most `most` bits, from the *bits lowest bits of
 * e on; *bits := the bits that are left. */
static inline gfp_exponent_step gfp_exponent_next(const uint64_t *exponent, unsigned most,
                                                  size_t *bits)
{
    const size_t top = *bits;
    gfp_exponent_step step = {1, 0};
    size_t low = top - 1;
    if (gfp_exponent_bit(exponent, low) != 0) {
        low = top > most ? top - most : 0;
        while (gfp_exponent_bit(exponent, low) == 0) {
            low++;
        }
        step.squares = top - low;
        for (size_t i = top; i-- > low;) {
            step.odd = 2 * step.odd + gfp_exponent_bit(exponent, i);
        }
    }
    *bits = low;
    return step;
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
