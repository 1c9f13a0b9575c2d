/* matrix_avx512.c: see matrix.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx512.h"

#define KERNELS gfp_zmatrix_avx512
#include "modular/points/matrix.inc"
