/* zchoose.h: the method of a gcd or resultant over Z, by predicted times; and FLINT's functions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZCHOOSE_H
#define GFP_ZCHOOSE_H

#include "crt.h"
#include "zresultant.h"

/* The methods with the least predicted time: "words", or "flint" where half-gcds win. */
gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair);
gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b);

/* Whether FLINT is built in, and the one that is loaded fits. */
bool gfp_zflint_is_there(void);
static inline gfp_crt_integers gfp_zflint_integers(gfp_zpoly a)
{
    return (gfp_crt_integers){a.limbs, a.len, a.width};
}

#endif
