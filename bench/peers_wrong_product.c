/* bench/peers_wrong_product.c: what gfp_poly_mul is in a gfpoly_peers built to test that it notices
 * a wrong product: the right one with another coefficient 1. The rest of that program is compiled
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
