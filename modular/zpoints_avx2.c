/* zpoints_avx2.c: see zpoints.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx2.h"

#define KERNELS gfp_points_avx2
#include "zpoints.inc"
