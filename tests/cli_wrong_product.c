/* cli_wrong_product.c: what gfp_poly_mul is in a command built to test failed verifications: this
 * file is compiled with gfp_poly_mul defined as the name of the function below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gfpoly.h"

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_mul_options *options)
{
    (void)c;
    (void)a;
    (void)b;
    *options->report = (gfp_mul_report){.method = "classical", .verified = options->verify};
    options->error->status = GFP_ERR_VERIFY;
    snprintf(options->error->message, sizeof(options->error->message),
             "the product failed its verification");
    return GFP_ERR_VERIFY;
}
