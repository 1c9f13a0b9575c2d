/* outer.h: the outer DFT of a product: the first levels of the tree of x^N - 1 over Z/pZ, whose
 * nodes x^M - T^e split into x^(M/2) - T^(e/2) and x^(M/2) - T^(e/2 + k), T standing for r, T^k =
 * -1: only additions and negacyclic shifts of digits, kept lazily in vector lanes. It leaves
 * products modulo x^m - T^e, the leaves. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OUTER_H
#define GFP_OUTER_H

#include "cpu.h"
#include "gfpoly/field.h"

/* N = 2^log2_size m. Leaf j < 2^log2_size is x^m - T^e(j), e(j) = 2k / 2^log2_size times j with its
 * log2_size bits reversed. Only the first leaves of them are computed; they determine polynomials
 * of fewer than leaves m coefficients. */
typedef struct gfp_outer {
    const gfp_field *field;
    unsigned log2_size; /* 2^log2_size <= 2k */
    unsigned leaves;    /* 1 <= leaves <= 2^log2_size; where log2_size > 4, a multiple of
                           2^(log2_size - 4) */
    size_t m;           /* coefficients of a leaf, a multiple of lanes */
} gfp_outer;

/* Leaf digits: digit t of coefficient x of leaf j is the lane x mod lanes of vector ((j m + x) /
 * lanes) k + t, that is place (((j m + x) / lanes) k + t) lanes + x mod lanes of an array of leaves
 * m k words, which is aligned to 64 bytes. They are signed and balanced: |d| <= (r/2)(1 + 2^-20),
 * and d fits int64_t. */
typedef struct gfp_outer_engine {
    const char *name;
    unsigned lanes;
    /* The leaves of x (len <= leaves m coefficients, canonical; zeros follow) for columns v0 <= v <
     * v1 of m / lanes: column v is lane vector v of every leaf. */
    void (*forward)(const gfp_outer *outer, int64_t *leaf_digits, const uint64_t *x, size_t len,
                    size_t v0, size_t v1);
    /* z[0 .. len) := the polynomial of these leaves, canonical, for the coefficients in columns
     * v0 <= v < v1; len <= leaves m. leaf_digits may be overwritten in these columns. */
    void (*inverse)(const gfp_outer *outer, uint64_t *z, size_t len, int64_t *leaf_digits,
                    size_t v0, size_t v1);
} gfp_outer_engine;

/* The engine of this level for a field: the portable one serves all k and r, vector levels those of
 * GFP_FAST_R_MIN <= r <= GFP_OUTER_R_MAX; NULL otherwise. */
const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r);
#define GFP_OUTER_R_MAX (UINT64_MAX - 0xfffffff)

#endif
