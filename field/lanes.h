/* lanes.h: products in vector lanes: what the kernels of the vector levels (kernels_lanes.inc) need
 * to know of a radix, computed once per field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_LANES_H
#define GFP_LANES_H

#include <stdint.h>

/* The radices that the vector levels serve. */
#define GFP_LANES_R_MIN ((uint64_t)1 << 44)
#define GFP_LANES_R_MAX (UINT64_MAX - 0xfffff)

/* Products of digits that one column may add up: |column| <= GFP_LANES_TERMS r^2. */
#define GFP_LANES_TERMS 512

/* Everything is computed scaled by 2^shift, so that the divisor has its top bit set. Integers of
 * several words are in base 2^52, least significant first. */
typedef struct gfp_lanes_radix {
    uint64_t r;
    uint64_t scaled; /* r 2^shift, in [2^63, 2^64) */
    unsigned shift;
    uint64_t inverse[2];     /* floor(2^156 / scaled) */
    uint64_t coarse_inverse; /* floor(2^114 / scaled) */
    uint64_t offset[3];      /* GFP_LANES_TERMS r scaled */
} gfp_lanes_radix;

/* r >= 2^32, of which the kernels take those from GFP_LANES_R_MIN on. */
void gfp_lanes_radix_init(gfp_lanes_radix *radix, uint64_t r);

#endif
