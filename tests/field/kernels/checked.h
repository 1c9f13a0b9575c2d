/* checked.h: the kernels on checking lanes, by k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_FIELD_KERNELS_CHECKED_H
#define GFP_TESTS_FIELD_KERNELS_CHECKED_H

#include "field/base/kernels.h"

extern const gfp_kernels gfp_kernels_checked_2, gfp_kernels_checked_4, gfp_kernels_checked_8,
    gfp_kernels_checked_16, gfp_kernels_checked_32, gfp_kernels_checked_64, gfp_kernels_checked_128,
    gfp_kernels_checked_256;
/* With digits in three pieces. */
extern const gfp_kernels gfp_kernels_thirds_8;

#endif
