/* zchoose.c: see zchoose.h. The times are those of one thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"

bool gfp_zflint_is_there(void)
{
    return GFP_HAVE_FLINT && gfp_crt_flint_problem()[0] == '\0';
}

gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair)
{
    (void)call;
    (void)pair;
    return GFP_Z_WORDS;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    (void)call;
    (void)a;
    (void)b;
    return GFP_Z_WORDS;
}
