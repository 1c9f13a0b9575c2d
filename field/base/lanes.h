/* lanes.h: the constants of a radix that products in vector lanes (field/kernels/lanes.inc) use,
 * computed once per field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_LANES_H
#define GFP_FIELD_BASE_LANES_H

#include <stdint.h>

/* The radices that the vector levels serve. */
#define GFP_LANES_R_MIN ((uint64_t)1 << 44)
#define GFP_LANES_R_MAX (UINT64_MAX - 0xfffff)

/* The most products of digits in one column: |column| <= GFP_LANES_TERMS r^2. */
#define GFP_LANES_TERMS 512

/* The constants of a radix. All values are scaled by 2^shift, so that the divisor has its top bit
 * set. Integers of several words are in base 2^52, least significant first. */
typedef struct gfp_lanes_radix {
    uint64_t r;
    uint64_t scaled; /* r 2^shift, in [2^63, 2^64) */
    unsigned shift;
    uint64_t inverse[2];     /* floor(2^156 / scaled) */
    uint64_t coarse_inverse; /* floor(2^114 / scaled) */
    uint64_t offset[3];      /* GFP_LANES_TERMS r scaled */
} gfp_lanes_radix;

/* Computes the constants for r >= 2^32; the kernels use those of r >= GFP_LANES_R_MIN. */
void gfp_lanes_radix_init(gfp_lanes_radix *radix, uint64_t r);

#endif
