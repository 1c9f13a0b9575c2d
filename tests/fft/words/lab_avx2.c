/* lab_avx2.c: lab.inc over fft/words/avx2.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

#define LAB WORDS_LEVEL(words_lab)
#include "fft/words/lab.inc"
