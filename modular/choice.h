/* choice.h: the method of a call over Z that names none, by the sizes of its operands; whether
 * FLINT's functions are there.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_CHOICE_H
#define GFP_MODULAR_CHOICE_H

#include "modular/call.h"

/* Two polynomials, neither 0: lengths, and bits of the greatest coefficients. */
typedef struct gfp_zsizes {
    size_t len_a, len_b, bits_a, bits_b;
} gfp_zsizes;

/* The most coefficients of the shorter factor for `classical`, unless all fit words. */
#define GFP_ZCLASSICAL 16

/* CLASSICAL, KRONECKER, SHORT, WORDS or FLINT; the last one also where FLINT is not there. The
 * method may not serve: SHORT is for short coefficients, and WORDS serves all but the longest
 * products. */
gfp_zmethod gfp_zchoose_mul(gfp_level level, const gfp_zsizes *s);
/* KRONECKER or WORDS. */
gfp_zmethod gfp_zchoose_gcd(gfp_level level, const gfp_zsizes *s);

/* Whether FLINT is built in, and the one that is loaded fits. */
bool gfp_zflint_is_there(void);

#endif
