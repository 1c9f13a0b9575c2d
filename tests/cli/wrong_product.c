/* wrong_product.c: replaces gfp_poly_mul and gfp_poly_divrem in a build of the command for
 * tests of failed verifications. The rest of that command is compiled with these names defined as
 * those of the functions below. If the environment names a method, only that method's products are
 * wrong without a report, or fail, or are slow at times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly.h"

/* Returns whether the environment variable names the call's method; *named: whether it names any
 * method. */
static bool is_named(const char *variable, const gfp_options *options, bool *named)
{
    const char *method = getenv(variable);
    *named = *named || method != NULL;
    return method != NULL && options->method != NULL && strcmp(options->method, method) == 0;
}

static gfp_status wrong_product_fail(gfp_error *error, gfp_status status, const char *message)
{
    error->status = status;
    snprintf(error->message, sizeof(error->message), "%s", message);
    return status;
}

/* Delays products by GFP_SLOW_METHOD of factors of GFP_SLOW_LEN terms: the first GFP_SLOW_CALLS of
 * them wait for GFP_SLOW_MS. */
static void waste_time(size_t len, const gfp_options *options, bool *named)
{
    static long calls;
    if (is_named("GFP_SLOW_METHOD", options, named) &&
        strtoul(getenv("GFP_SLOW_LEN"), NULL, 10) == len &&
        calls++ < strtol(getenv("GFP_SLOW_CALLS"), NULL, 10)) {
        const struct timespec pause = {.tv_nsec =
                                           1000000 * strtol(getenv("GFP_SLOW_MS"), NULL, 10)};
        (void)nanosleep(&pause, NULL);
    }
}

gfp_status wrong_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                          const gfp_options *options)
{
    bool named = false;
    waste_time(a->len, options, &named);
    const bool wrong = is_named("GFP_WRONG_METHOD", options, &named);
    if (is_named("GFP_FAILING_METHOD", options, &named)) {
        return wrong_product_fail(options->error, GFP_ERR_MEMORY, "made to fail");
    }
    if (named) {
        gfp_status status = gfp_poly_mullow(c, a, b, SIZE_MAX, options);
        return status == GFP_OK && wrong ? gfp_poly_set_coeff_u64(c, 0, 1) : status;
    }
    if (options->report != NULL) {
        *options->report = (gfp_report){.method = "classical", .verified = options->verify};
    }
    return wrong_product_fail(options->error, GFP_ERR_VERIFY,
                              "the product failed its verification");
}

gfp_status wrong_poly_divrem(gfp_poly *q, gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                             const gfp_options *options)
{
    (void)q;
    (void)r;
    (void)a;
    (void)b;
    return wrong_product_fail(options->error, GFP_ERR_VERIFY,
                              "the division failed its verification");
}
