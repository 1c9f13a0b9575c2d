/* reduce.h: two polynomials over Z without the powers of X that divide them, and as polynomials in
 * the greatest power of X that both are polynomials in.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_REDUCE_H
#define GFP_MODULAR_REDUCE_H

#include "modular/scalar.h"

/* The operands are X^power_a a(X^step) and X^power_b b(X^step); a(0) and b(0) are not 0. */
typedef struct gfp_zreduced {
    gfp_zpoly a, b;
    size_t power_a, power_b, step;
} gfp_zreduced;

/* r := that of a and b, neither 0, with the greatest step; 1 if both are constants times powers of
 * X. r shares their limbs if the step is 1. Reads a and b up to the first coefficients that show
 * the step 1. Errors: SIZE, MEMORY. */
gfp_status gfp_zreduce(gfp_zcall *call, gfp_zreduced *r, gfp_zpoly a, gfp_zpoly b);
/* z := X^power f(X^step); f itself if power = 0 and step = 1. Errors: SIZE, MEMORY. */
gfp_status gfp_zinflate(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f, size_t power, size_t step);

#endif
