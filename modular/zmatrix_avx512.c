/* zmatrix_avx512.c: see zmatrix.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx512.h"

#define KERNELS gfp_zmatrix_avx512
#include "zmatrix.inc"
