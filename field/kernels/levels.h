/* levels.h: what the build makes of portable.c, avx2.c and avx512.c, compiled once for each k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_LEVELS_H
#define GFP_FIELD_KERNELS_LEVELS_H

#include "field/base/kernels.h"

/* The tables of a level. */
#define GFP_KERNELS_OF(level)                                                                      \
    extern const gfp_kernels gfp_kernels_##level##_2, gfp_kernels_##level##_4,                     \
        gfp_kernels_##level##_8, gfp_kernels_##level##_16, gfp_kernels_##level##_32,               \
        gfp_kernels_##level##_64, gfp_kernels_##level##_128, gfp_kernels_##level##_256
GFP_KERNELS_OF(portable);
#if GFP_X86_LEVELS
GFP_KERNELS_OF(avx2);
GFP_KERNELS_OF(avx512);
GFP_KERNELS_OF(avx512dq);
#endif

/* gfp_mul_plain by k, for radices that the portable tables serve. */
gfp_mul_one gfp_mul_plain_2, gfp_mul_plain_4, gfp_mul_plain_8, gfp_mul_plain_16;
gfp_mul_one gfp_mul_plain_32, gfp_mul_plain_64, gfp_mul_plain_128, gfp_mul_plain_256;

#endif
