/* points_avx2.c: see points.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx2.h"

#define KERNELS WORDS_LEVEL(gfp_points)
#include "crt/blocks/kernels/points.inc"
