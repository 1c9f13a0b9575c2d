/* divide.c: see divide.h: the portable level, and the choice of a level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/portable.h"

#define GFP_LEVEL_NAME(name) name##_portable
#include "crt/blocks/kernels/divide.inc"

static gfp_words_divide_run *divide_of(gfp_level level)
{
#if GFP_X86_LEVELS
    if (level == GFP_LEVEL_AVX512IFMA) {
        return gfp_words_divide_avx512;
    }
    if (level == GFP_LEVEL_AVX2) {
        return gfp_words_divide_avx2;
    }
#endif
    (void)level;
    return gfp_words_divide_portable;
}

static gfp_words_scale_run *scale_of(gfp_level level)
{
#if GFP_X86_LEVELS
    if (level == GFP_LEVEL_AVX512IFMA) {
        return gfp_words_scale_avx512;
    }
    if (level == GFP_LEVEL_AVX2) {
        return gfp_words_scale_avx2;
    }
#endif
    (void)level;
    return gfp_words_scale_portable;
}

unsigned gfp_words_divide(gfp_level level, const gfp_words *block, uint64_t *q, uint64_t *a,
                          size_t len_a, uint64_t *g, size_t len_g)
{
    return divide_of(level)(block, q, a, len_a, g, len_g);
}

void gfp_words_scale(gfp_level level, const gfp_words *block, uint64_t *z, const uint64_t *x,
                     size_t n, const uint64_t c[GFP_WORDS])
{
    scale_of(level)(block, z, x, n, c);
}
