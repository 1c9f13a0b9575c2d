/* convolve.h: products modulo X^N - 1 by a plan's transforms, for tests.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_CONVOLVE_H
#define GFP_TESTS_LAB_CONVOLVE_H

#include <stdlib.h>

#include "gfpoly/fft.h"

/* c := a b modulo X^n - 1, n elements each, by transforms in this order; c may be a or b. */
static inline gfp_status lab_convolve(uint64_t *c, const uint64_t *a, const uint64_t *b, size_t n,
                                      gfp_order order, const gfp_fft_plan *plan)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    uint64_t *z = (uint64_t *)malloc(n * gfp_field_k(field) * sizeof *z);
    gfp_status status =
        z == NULL ? GFP_ERR_MEMORY : gfp_fft_run(z, b, GFP_FORWARD, order, plan, NULL);
    if (status == GFP_OK) {
        status = gfp_fft_run(c, a, GFP_FORWARD, order, plan, NULL);
    }
    if (status == GFP_OK) {
        gfp_vec_mul(field, c, c, z, n);
        status = gfp_fft_run(c, c, GFP_INVERSE, order, plan, NULL);
    }
    free(z);
    return status;
}

#endif
