/* lanes.c: constants of a radix for products in vector lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/lanes.h"

#include "field/base/word.h"

#define LIMB_BITS 52
#define LIMB_MASK (((uint64_t)1 << LIMB_BITS) - 1)

void gfp_lanes_radix_init(gfp_lanes_radix *radix, uint64_t r)
{
    gfp_divisor divisor;
    uint64_t rest;
    gfp_divisor_init(&divisor, r);
    radix->r = r;
    radix->scaled = divisor.d;
    radix->shift = divisor.shift;
    /* 2^156 = 2^28 2^128, 2^114 = 2^50 2^64, and 2^50 < d. */
    uint64_t high = gfp_div21(&divisor, (uint64_t)1 << 28, 0, &rest);
    uint64_t low = gfp_div21(&divisor, rest, 0, &rest);
    radix->inverse[0] = low & LIMB_MASK;
    radix->inverse[1] = (uint64_t)(gfp_join(high, low) >> LIMB_BITS);
    radix->coarse_inverse = gfp_div21(&divisor, (uint64_t)1 << 50, 0, &rest);
    gfp_u128 product = gfp_mul_wide(r, divisor.d);
    gfp_u128 bottom = (product & LIMB_MASK) * GFP_LANES_TERMS;
    gfp_u128 top = (product >> LIMB_BITS) * GFP_LANES_TERMS + (bottom >> LIMB_BITS);
    radix->offset[0] = (uint64_t)bottom & LIMB_MASK;
    radix->offset[1] = (uint64_t)top & LIMB_MASK;
    radix->offset[2] = (uint64_t)(top >> LIMB_BITS);
}
