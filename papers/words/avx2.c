/* avx2.c: the papers' transforms modulo word-size primes at the level avx2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

#define FORMS WORDS_LEVEL(gfp_forms)
#define LEVEL WORDS_LEVEL_NUMBER
#include "papers/words/forms.inc"
