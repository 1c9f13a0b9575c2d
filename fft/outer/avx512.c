/* avx512.c: the outer DFT on the lanes of this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/kernels/lanes_avx512.h"

#define OUTER_ENGINE gfp_outer_avx512
#define BASE_ENGINE gfp_base_avx512
#define OUTER_NAME "avx512"
#define OUTER_FUSED 1
#include "fft/outer/body.inc"
