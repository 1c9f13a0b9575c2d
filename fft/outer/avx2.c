/* avx2.c: the outer DFT on the lanes of this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/kernels/lanes_avx2.h"

#define OUTER_ENGINE gfp_outer_avx2
#define BASE_ENGINE gfp_base_avx2
#define OUTER_NAME GFP_LEVEL_FOUR_LANES_NAME
#define OUTER_FUSED 1
#include "fft/outer/body.inc"
