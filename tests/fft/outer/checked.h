/* checked.h: the engines on checking lanes, by k as those of fft/outer/impl.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_FFT_OUTER_CHECKED_H
#define GFP_TESTS_FFT_OUTER_CHECKED_H

#include "fft/outer/impl.h"

extern const gfp_outer_engine gfp_outer_checked_2, gfp_outer_checked_4, gfp_outer_checked_8,
    gfp_outer_checked_16;
extern const gfp_base_engine gfp_base_checked_2, gfp_base_checked_4, gfp_base_checked_8;

#endif
