/* bench/peers/wrong.c: replaces gfp_poly_mul and gfp_zvec_mul in a build of gfpoly_peers that must
 * notice wrong products: the right ones with a coefficient changed. The rest of that program is
 * compiled with these names defined as those of the functions below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#undef gfp_poly_mul
#undef gfp_zvec_mul
#include "gfpoly.h"

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_options *options);
gfp_status wrong_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                          const gfp_options *options);

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_options *options)
{
    const gfp_status status = gfp_poly_mul(c, a, b, options);

    return status == GFP_OK ? gfp_poly_set_coeff_u64(c, 1, 5) : status;
}

gfp_status wrong_zvec_mul(gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                          const gfp_options *options)
{
    const gfp_status status = gfp_zvec_mul(c, a, b, options);

    if (status == GFP_OK) {
        c->limbs[0] ^= 1;
    }
    return status;
}
