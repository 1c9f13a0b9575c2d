/* big.h: products over the field of one big prime, for the strategies big and mix.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_MUL_BIG_H
#define GFP_MODULAR_MUL_BIG_H

#include "gfpoly/poly.h"
#include "modular/mul/methods.h"

/* c := the product modulo p; leading zeros are cut off. Takes the part of the task's part between
 * the fractions from and to. Errors: MEMORY, CANCELLED and those of gfp_poly_mul. */
gfp_status gfp_zbig_product(const gfp_zmul *z, const gfp_field *field, gfp_poly *c, double from,
                            double to);
/* The bytes of the digits of factors and product. */
size_t gfp_zbig_bytes(const gfp_zmul *z, unsigned k);

#endif
