/* big.h: polynomials over Z modulo one big prime, and back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_BIG_H
#define GFP_MODULAR_BIG_H

#include "gfpoly/poly.h"

#include "modular/scalar.h"

/* z_i := x_i mod p, n integers of `width` limbs, of any sign and size. wrap := 2^(64 width) mod p,
 * which gfp_zbig_wrap gives. */
void gfp_zbig_reduce(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t width, size_t n,
                     const uint64_t *wrap);
void gfp_zbig_wrap(const gfp_field *field, uint64_t *wrap, size_t width);
/* z := a mod p, over the field of z. Errors: MEMORY, SIZE. */
gfp_status gfp_zbig_image(gfp_zcall *call, gfp_poly *z, gfp_zpoly a);
/* x_i, `width` limbs, := the integer in (-p/2, p/2) that is the element i of z, i < n; all fit the
 * width. Errors: MEMORY, SIZE. */
gfp_status gfp_zbig_lift(gfp_zcall *call, uint64_t *x, size_t width, const gfp_field *field,
                         const uint64_t *z, size_t n);

#endif
