/* points_avx512.c: see points.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx512.h"

#define KERNELS gfp_points_avx512
#include "crt/blocks/kernels/points.inc"
