/* lab_avx512.c: lab.inc over fft/words/avx512.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx512.h"

#define LAB words_lab_avx512
#include "fft/words/lab.inc"
