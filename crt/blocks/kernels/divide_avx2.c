/* divide_avx2.c: see divide.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

#define GFP_LEVEL_NAME(name) WORDS_LEVEL(name)
#include "crt/blocks/kernels/divide.inc"
