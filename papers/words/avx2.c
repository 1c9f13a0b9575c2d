/* avx2.c: the papers' transforms modulo word-size primes at the level avx2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

#define FORMS gfp_forms_avx2
#define LEVEL GFP_LEVEL_FOUR_LANES
#include "papers/words/forms.inc"
