/* inputs.c: see inputs.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/compare/inputs.h"

#include <stdint.h>
#include <stdlib.h>

const char *const zoperation_names[Z_OPERATIONS] = {"mul", "gcd", "resultant"};
const char *const zmethod_names[Z_OPERATIONS][MOST_ZMETHODS + 1] = {
    {"words", "short", "classical", "kronecker", "flint", "big"},
    {"words", "kronecker", "flint", "big"},
    {"words", "flint", "big"}};

gfp_status draw_integers(gfp_zvec *a, size_t n, size_t bits, gfp_random *g)
{
    const size_t width = bits / 64 + 1, top = bits % 64;
    uint64_t *x = width < SIZE_MAX / 8 / n ? calloc(n * width, sizeof *x) : NULL;
    if (x == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < n * width; i++) {
        x[i] = gfp_random_u64(g);
        if (i % width == width - 1) {
            const uint64_t sign = 0 - (x[i] >> 63);
            x[i] = top == 0 ? sign : (x[i] & ((UINT64_C(1) << top) - 1)) ^ sign << top;
        }
    }
    x[(n - 1) * width] |= 1;
    const gfp_status status = gfp_zvec_set_limbs(a, x, n, width);
    free(x);
    return status;
}

gfp_status draw_integer_pair(gfp_zvec *a, gfp_zvec *b, gfp_zvec *z, size_t degree, size_t bits,
                             bool common, gfp_random *g)
{
    const bool divisor = common && degree > 1 && bits > 1;
    const size_t half = divisor ? degree / 2 : degree, part = divisor ? bits / 2 : bits;
    gfp_status status = draw_integers(a, half + 1, part, g);
    if (status == GFP_OK) {
        status = draw_integers(b, half + 1, part, g);
    }
    if (status == GFP_OK && divisor) {
        status = draw_integers(z, degree - half + 1, part, g);
        status = status == GFP_OK ? gfp_zvec_mul(a, a, z, NULL) : status;
        status = status == GFP_OK ? gfp_zvec_mul(b, b, z, NULL) : status;
    }
    return status;
}

gfp_status call_over_z(zoperation operation, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                       const gfp_options *options)
{
    switch (operation) {
    case Z_GCD:
        return gfp_zvec_gcd(c, a, b, options);
    case Z_RESULTANT:
        return gfp_zvec_resultant(c, a, b, options);
    default:
        return gfp_zvec_mul(c, a, b, options);
    }
}
