/* words_lab_avx512.c: words_lab.inc over fft/words_avx512.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx512.h"

#define LAB words_lab_avx512
#include "words_lab.inc"
