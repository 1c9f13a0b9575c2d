/* bench/peers/integers_wrong.c: replaces gfp_zvec_mul in a build of gfpoly_zpeers that must
 * notice a wrong product: the right product with a bit of a coefficient changed. The rest of that
 * program has gfp_zvec_mul defined as the name of the function below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#undef gfp_zvec_mul
#include "gfpoly.h"

gfp_status wrong_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                          const gfp_options *options);

gfp_status wrong_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                          const gfp_options *options)
{
    const gfp_status status = gfp_zvec_mul(c, a, b, options);
    if (status == GFP_OK) {
        c->limbs[0] ^= 1;
    }
    return status;
}
