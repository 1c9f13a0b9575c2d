/* avx512.c: the papers' transforms modulo word-size primes at the level avx512ifma.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx512.h"

#define FORMS gfp_forms_avx512
#define LEVEL GFP_LEVEL_AVX512IFMA
#include "papers/words/forms.inc"
