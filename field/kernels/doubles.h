/* doubles.h: products of 52-bit integers in double precision, rounding toward zero: a fused
 * multiply-add onto 2^104 leaves the high 52 bits, and a second one the rest. The vector header
 * that includes this file has the operations: lanes_factor, a vector of doubles; lanes_double,
 * copies of one; sums, differences; a b + c and c - a b, rounded once, toward zero after
 * lanes_enter; the bits as words, and back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_DOUBLES_H
#define GFP_FIELD_KERNELS_DOUBLES_H

/* Converts the low 52 bits of x: the double 2^52 + x has these as its lower 52 bits. */
GFP_INLINE lanes_factor lanes_factor_of(lanes x)
{
    const lanes_factor unit = lanes_double(0x1p52);
    const lanes low = lanes_and(x, lanes_set(((uint64_t)1 << 52) - 1));
    return lanes_double_sub(lanes_words_factor(lanes_or(low, lanes_factor_words(unit))), unit);
}

/* Adds the low 52 bits of x y to *low, and the higher bits to *high. The higher bits are those of
 * the sum 2^104 + x y, rounded down to a multiple of 2^52. x y less this multiple, plus 2^52, is a
 * number whose lower 52 bits are the low ones. */
GFP_INLINE void lanes_add_product(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    const lanes_factor top = lanes_double(0x1p104);
    const lanes_factor both = lanes_double(0x1p104 + 0x1p52);
    const lanes_factor bottom = lanes_double(0x1p52);
    const lanes_factor h = lanes_double_fma(x, y, top);
    const lanes_factor l = lanes_double_fma(x, y, lanes_double_sub(both, h));
    *low = lanes_add(*low, lanes_sub(lanes_factor_words(l), lanes_factor_words(bottom)));
    *high = lanes_add(*high, lanes_sub(lanes_factor_words(h), lanes_factor_words(top)));
}

/* The names of conversions (convert_lanes.inc): the constant factor x; either half of a product. */
GFP_INLINE lanes_factor lanes_factor_set(double x)
{
    return lanes_double(x);
}

GFP_INLINE void lanes_product_low(lanes *low, lanes_factor x, lanes_factor y)
{
    lanes unused = lanes_zero();
    lanes_add_product(low, &unused, x, y);
}

GFP_INLINE void lanes_product_high(lanes *high, lanes_factor x, lanes_factor y)
{
    lanes unused = lanes_zero();
    lanes_add_product(&unused, high, x, y);
}

#endif
