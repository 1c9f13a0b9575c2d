/* zbiresultant.h: resultants of bivariate polynomials over Z; zbiresultant_calls.c has the public
 * call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZBIRESULTANT_H
#define GFP_ZBIRESULTANT_H

#include "zimages.h"

/* Two polynomials, neither 0, and bounds of the resultant: its degree in X, and |r_i| < 2^bits for
 * its coefficients. */
typedef struct gfp_zbipair {
    const gfp_zbipoly *a, *b;
    size_t degree, bits;
} gfp_zbipair;

/* Sets both bounds, with an array for the time of the call. Errors: SIZE, MEMORY. */
gfp_status gfp_zbiresultant_bounds(gfp_zcall *call, gfp_zbipair *pair);

/* r, degree + 1 integers of gfp_z_width(bits) limbs, := the resultant with respect to Y, modulo the
 * blocks of the supply from `first` on, up to the fraction `to` of the call. Errors: MEMORY, SIZE,
 * CANCELLED. */
gfp_status gfp_zbiresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zbipair *pair,
                                  size_t first, double to);
/* The blocks that suffice. */
size_t gfp_zbiresultant_blocks(const gfp_zbipair *pair);
/* Compares r with resultants at a random point modulo each of eight random primes; adds to the
 * report. Errors: VERIFY, MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zbiresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair);

#endif
