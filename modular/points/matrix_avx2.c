/* matrix_avx2.c: see matrix.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

#define KERNELS WORDS_LEVEL(gfp_zmatrix)
#include "modular/points/matrix.inc"
