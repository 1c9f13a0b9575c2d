/* image.c: see image.h. The choice of the level, and columns of lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "image_kernels.h"

#include "support.h"

static const gfp_words_image_kernels *const levels[GFP_LEVEL_COUNT] = {
    [GFP_LEVEL_PORTABLE] = &gfp_words_image_portable,
#if GFP_X86_LEVELS
    [GFP_LEVEL_AVX2] = &gfp_words_image_avx2,
    [GFP_LEVEL_AVX512IFMA] = &gfp_words_image_avx512,
#else
    [GFP_LEVEL_AVX2] = &gfp_words_image_portable,
    [GFP_LEVEL_AVX512IFMA] = &gfp_words_image_portable,
#endif
};

/* Polynomials of degrees m and n, m >= n, raised in a lane: Euclid's algorithm divides numbers of
 * at most n + m + 1 coefficients. */
size_t gfp_words_image_room(size_t len_a, size_t len_b)
{
    return gfp_size_add_sat(gfp_size_add_sat(len_a, len_b), 1);
}

size_t gfp_words_image_work_words(size_t len_a, size_t len_b)
{
    return gfp_size_mul_sat((size_t)2 * GFP_WORDS, gfp_words_image_room(len_a, len_b));
}

void gfp_words_image_resultant(const gfp_words_image_pair *pair, gfp_level level,
                               uint64_t r[GFP_WORDS], uint64_t *work)
{
    levels[level]->resultant(pair, r, work);
}

void gfp_words_image_gcd(const gfp_words_image_pair *pair, gfp_level level, uint64_t *g,
                         size_t len[GFP_WORDS], uint64_t *work)
{
    levels[level]->gcd(pair, g, len, work);
}

/* ---- columns ---- */

void gfp_words_image_column_raise(uint64_t *x, unsigned lane, size_t n, size_t up)
{
    x += lane;
    while (n-- > 0) {
        x[GFP_WORDS * (n + up)] = x[GFP_WORDS * n];
    }
    for (size_t i = 0; i < up; i++) {
        x[GFP_WORDS * i] = 0;
    }
}

void gfp_words_image_column_swap(uint64_t *x, uint64_t *y, unsigned lane, size_t n)
{
    for (size_t i = lane; i < GFP_WORDS * n; i += GFP_WORDS) {
        const uint64_t t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

void gfp_words_image_column_copy(uint64_t *z, size_t room, const uint64_t *x, unsigned lane,
                                 size_t from, size_t n)
{
    for (size_t i = 0; i < room; i++) {
        z[GFP_WORDS * i + lane] = i < n ? x[GFP_WORDS * (from + i) + lane] : 0;
    }
}
