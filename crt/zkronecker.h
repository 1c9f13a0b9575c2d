/* zkronecker.h: products of polynomials over Z by Kronecker's substitution X = 2^s and one product
 * of integers by GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZKRONECKER_H
#define GFP_ZKRONECKER_H

#include "crt.h"

/* Limbs that hold all integers of absolute value below 2^bits, with their signs; at least 1. */
static inline size_t gfp_zkronecker_width(size_t bits)
{
    return bits / 64 + 1;
}

/* The words of the work area of a product whose coefficients are below 2^bits in absolute value.
 * len_b = 0: a square. Saturates. */
size_t gfp_zkronecker_words(size_t len_a, size_t len_b, size_t bits);
/* c := a b (b = NULL: a^2), a->len + b->len - 1 coefficients below 2^bits in absolute value, each
 * of gfp_zkronecker_width(bits) limbs; the factors' widths are at most this. c and work overlap
 * nothing. GMP aborts the process if memory runs out. Cost: one product of integers. */
void gfp_zkronecker_multiply(uint64_t *c, const gfp_crt_integers *a, const gfp_crt_integers *b,
                             size_t bits, uint64_t *work);
/* The predicted nanoseconds of a product of polynomials, and of integers of x and y limbs. */
double gfp_zkronecker_integer_ns(double x, double y);
double gfp_zkronecker_ns(size_t len_a, size_t len_b, size_t bits);

#endif
