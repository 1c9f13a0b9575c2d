/* bench/peers/poly_wrong.c: replaces gfp_poly_mul in a build of gfpoly_peers that must notice a
 * wrong product: the right product with coefficient 1 changed. The rest of that program is compiled
 * with gfp_poly_mul defined as the name of the function below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#undef gfp_poly_mul
#include "gfpoly.h"

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_options *options);

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_options *options)
{
    const gfp_status status = gfp_poly_mul(c, a, b, options);

    return status == GFP_OK ? gfp_poly_set_coeff_u64(c, 1, 5) : status;
}
