/* split.h: products of polynomials over Z of which a few coefficients are much longer than the
 * others, and the check of such products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_MUL_SPLIT_H
#define GFP_MODULAR_MUL_SPLIT_H

#include "modular/call.h"

/* *c := a b, by products of the short and the long coefficients, where that takes less time than a
 * product of vectors of one width; else *done := false and c is unchanged. Neither factor is 0.
 * Errors: those of gfp_zvec_mul. */
gfp_status gfp_zsplit_mul(gfp_zcall *call, bool *done, gfp_zvec *c, const gfp_zvec *a,
                          const gfp_zvec *b);

/* Whether c = a b, at random points modulo random primes; fills the call's report. Errors: VERIFY,
 * CANCELLED, UNAVAILABLE (no seed). */
gfp_status gfp_zsplit_check(gfp_zcall *call, const gfp_zvec *a, const gfp_zvec *b,
                            const gfp_zvec *c);

#endif
