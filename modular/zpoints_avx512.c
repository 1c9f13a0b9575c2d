/* zpoints_avx512.c: see zpoints.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx512.h"

#define KERNELS gfp_points_avx512
#include "zpoints.inc"
