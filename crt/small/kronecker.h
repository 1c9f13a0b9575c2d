/* kronecker.h: products of polynomials over Z by Kronecker's substitution X = 2^s and one product
 * of integers by GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_KRONECKER_H
#define GFP_CRT_SMALL_KRONECKER_H

#include "field/base/task.h"
#include "crt/methods.h"

/* Limbs that hold all integers of absolute value below 2^bits, with their signs; at least 1. */
static inline size_t gfp_zkronecker_width(size_t bits)
{
    return bits / 64 + 1;
}

/* The words of the work area of a product whose coefficients are below 2^bits in absolute value.
 * len_b = 0: a square. Saturates. */
size_t gfp_zkronecker_words(size_t len_a, size_t len_b, size_t bits);

/* A product's integers x and y of size_x and size_y limbs, and z for x y, of the sum of both; y = x
 * is a square. */
typedef struct gfp_zkronecker {
    const uint64_t *x, *y;
    uint64_t *z;
    size_t size_x, size_y;
    size_t bits, len; /* of the product's coefficients */
    bool negative;    /* the product is -x y */
} gfp_zkronecker;

/* Packs the factors (b = NULL: a square) of a product, a->len + b->len - 1 coefficients below
 * 2^bits in absolute value; the factors' widths are at most gfp_zkronecker_width(bits). work has
 * gfp_zkronecker_words words. Reports to the task (may be NULL), of which no units are
 * counted. Returns false if the task is cancelled. */
bool gfp_zkronecker_pack(gfp_zkronecker *p, const gfp_crt_integers *a, const gfp_crt_integers *b,
                         size_t bits, uint64_t *work, gfp_task *task);
/* c := the coefficients in z, each of gfp_zkronecker_width(bits) limbs; changes z, which has room
 * for all of them. Returns false if the task is cancelled: c is undefined then. */
bool gfp_zkronecker_unpack(uint64_t *c, const gfp_zkronecker *p, gfp_task *task);
/* c := a b: the three steps. c and work overlap nothing. Cost: one product of integers. */
void gfp_zkronecker_multiply(uint64_t *c, const gfp_crt_integers *a, const gfp_crt_integers *b,
                             size_t bits, uint64_t *work);
/* The predicted nanoseconds of a product of polynomials, and of integers of x and y limbs. */
double gfp_zkronecker_integer_ns(double x, double y);
double gfp_zkronecker_ns(size_t len_a, size_t len_b, size_t bits);

#endif
