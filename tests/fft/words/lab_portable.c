/* lab_portable.c: lab.inc over fft/words/portable.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/portable.h"

#define LAB words_lab_portable
#include "fft/words/lab.inc"
