/* divide_avx512.c: see divide.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx512.h"

#define GFP_LEVEL_NAME(name) name##_avx512
#include "crt/blocks/kernels/divide.inc"
