/* zdivide_avx512.c: see zdivide.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx512.h"

#define GFP_LEVEL_NAME(name) name##_avx512
#include "zdivide.inc"
