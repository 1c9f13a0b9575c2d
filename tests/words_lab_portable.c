/* words_lab_portable.c: words_lab.inc over fft/words_portable.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_portable.h"

#define LAB words_lab_portable
#include "words_lab.inc"
