/* form.h: values of binary forms over Z and over Z[X], by halves: what a resultant with a linear
 * operand is; and powers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_RESULTANT_FORM_H
#define GFP_MODULAR_RESULTANT_FORM_H

#include "modular/bivariate.h"
#include "modular/linear.h"
#include "modular/scalar.h"

/* z := z x^n, x^n by repeated squares, up to the fraction `to` of the part. Errors: MEMORY, SIZE,
 * CANCELLED. */
gfp_status gfp_zvec_times_power(gfp_zcall *call, gfp_ztemp *z, const gfp_zvec *x, size_t n,
                                double to);

/* z, empty, := the sum of a_i s^i t^(n - 1 - i) for 0 <= i < n, the n coefficients of a, by
 * products of halves; s and t are integers or polynomials, neither 0. The step ends at the fraction
 * `to` of the part. Cost: products of the size of z, for each of log2(n) halvings. Errors: MEMORY,
 * SIZE, CANCELLED. */
gfp_status gfp_zform_of_integers(gfp_zcall *call, gfp_ztemp *z, gfp_zpoly a, const gfp_zvec *s,
                                 const gfp_zvec *t, double to);
gfp_status gfp_zform_of_polynomials(gfp_zcall *call, gfp_ztemp *z, const gfp_zbipoly *a,
                                    const gfp_zvec *s, const gfp_zvec *t, double to);

#endif
