/* resultant.h: resultants of bivariate polynomials over Z; resultant_calls.c has the public
 * call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_RESULTANT_H
#define GFP_MODULAR_POINTS_RESULTANT_H

#include "modular/bivariate.h"
#include "modular/residues.h"

/* Two polynomials, neither 0, and bounds of the resultant: its degree in X, and |r_i| < 2^bits for
 * its coefficients. index k > 0: the same for the subresultant of index k, a polynomial of degree k
 * in Y. k is less than the degrees of a and b in Y then. */
typedef struct gfp_zbipair {
    const gfp_zbipoly *a, *b;
    size_t degree, bits, index;
    bool on_device; /* a device computes the images, if it can; index is 0 then */
} gfp_zbipair;

/* Sets both bounds, with an array for the time of the call. Errors: SIZE, MEMORY. */
gfp_status gfp_zbiresultant_bounds(gfp_zcall *call, gfp_zbipair *pair);

/* Sets on_device, by the call's method. Errors: UNAVAILABLE (no device). */
gfp_status gfp_zbiresultant_choose(gfp_zcall *call, gfp_zbipair *pair);

/* r, degree + 1 integers of gfp_z_width(bits) limbs, := the resultant with respect to Y, or as many
 * for each coefficient of the subresultant, that of Y^0 first, modulo the blocks of the supply from
 * `first` on, up to the fraction `to` of the call. Reports the method. If a device fails, and the
 * options do not name its method, the CPU goes on. Errors: MEMORY, SIZE, CANCELLED; those of a
 * device. */
gfp_status gfp_zbiresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zbipair *pair,
                                  size_t first, double to);
/* The blocks that suffice. */
size_t gfp_zbiresultant_blocks(const gfp_zbipair *pair);
/* Compares r with resultants at a random point modulo each of eight random primes; adds to the
 * report. Errors: VERIFY, MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zbiresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair);

#endif
