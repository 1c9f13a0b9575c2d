/* zmatrix_avx2.c: see zmatrix.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx2.h"

#define KERNELS gfp_zmatrix_avx2
#include "zmatrix.inc"
