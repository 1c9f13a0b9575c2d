/* words_lab_avx2.c: words_lab.inc over fft/words_avx2.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx2.h"

#define LAB words_lab_avx2
#include "words_lab.inc"
