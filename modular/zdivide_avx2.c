/* zdivide_avx2.c: see zdivide.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx2.h"

#define GFP_LEVEL_NAME(name) name##_avx2
#include "zdivide.inc"
