/* cli_wrong_product.c: what gfp_poly_mul is in a command built to test failed verifications: this
 * file is compiled with gfp_poly_mul defined as the name of the function below. Where the
 * environment names a method, only its products are wrong, and nothing reports that.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_mul_options *options)
{
    const char *wrong = getenv("GFP_WRONG_METHOD");
    if (wrong != NULL) {
        gfp_status status = gfp_poly_mul_low(c, a, b, SIZE_MAX, options);
        const bool alter = options->method != NULL && strcmp(options->method, wrong) == 0;
        return status == GFP_OK && alter ? gfp_poly_set_coeff_u64(c, 0, 1) : status;
    }
    (void)c;
    (void)a;
    (void)b;
    if (options->report != NULL) {
        *options->report = (gfp_mul_report){.method = "classical", .verified = options->verify};
    }
    options->error->status = GFP_ERR_VERIFY;
    snprintf(options->error->message, sizeof(options->error->message),
             "the product failed its verification");
    return GFP_ERR_VERIFY;
}
