/* divide.c: see divide.h: the portable level, and the choice of a level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/portable.h"

#define GFP_LEVEL_NAME(name) name##_portable
#include "crt/blocks/kernels/divide.inc"

static gfp_words_divide_run *const divide_rows[GFP_LEVEL_COUNT] =
    GFP_LEVEL_ROWS(gfp_words_divide_portable, gfp_words_divide_avx2, gfp_words_divide_avx512dq,
                   gfp_words_divide_avx512, gfp_words_divide_avx2);
static gfp_words_scale_run *const scale_rows[GFP_LEVEL_COUNT] =
    GFP_LEVEL_ROWS(gfp_words_scale_portable, gfp_words_scale_avx2, gfp_words_scale_avx512dq,
                   gfp_words_scale_avx512, gfp_words_scale_avx2);

unsigned gfp_words_divide(gfp_level level, const gfp_words *block, uint64_t *q, uint64_t *a,
                          size_t len_a, uint64_t *g, size_t len_g)
{
    return divide_rows[level](block, q, a, len_a, g, len_g);
}

void gfp_words_scale(gfp_level level, const gfp_words *block, uint64_t *z, const uint64_t *x,
                     size_t n, const uint64_t c[GFP_WORDS])
{
    scale_rows[level](block, z, x, n, c);
}
