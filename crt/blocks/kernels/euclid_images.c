/* euclid_images.c: see euclid.h. The choice of the level, and columns of lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/kernels/euclid_levels.h"

#include "field/base/support.h"

static const gfp_words_image_kernels *const levels[GFP_LEVEL_COUNT] =
    GFP_LEVEL_ROWS(&gfp_words_image_portable, &gfp_words_image_avx2, &gfp_words_image_avx512dq,
                   &gfp_words_image_avx512, &gfp_words_image_avx2);

/* Polynomials of degrees m and n, m >= n, raised in a lane: Euclid's algorithm divides numbers of
 * at most n + m + 1 coefficients. */
size_t gfp_words_image_room(size_t len_a, size_t len_b)
{
    return gfp_size_add_sat(gfp_size_add_sat(len_a, len_b), 1);
}

bool gfp_words_image_half_size(size_t len_a, size_t len_b, gfp_words_size *size)
{
    const size_t n = gfp_size_min(len_a, len_b) - 1;
    return n >= GFP_IMAGE_HALF_LEAST && gfp_words_size_for(size, n);
}

/* The words of half-gcds: roots; copies of f and g, and a matrix, for n / 2 steps; 8 transforms
 * of n points, or half as many steps, whose area for k steps is below 16 k + 24 coefficients. */
static size_t half_words(size_t len_a, size_t len_b)
{
    gfp_words_size size;
    if (!gfp_words_image_half_size(len_a, len_b, &size)) {
        return 0;
    }
    const size_t n = gfp_size_min(len_a, len_b), points = gfp_words_points(size);
    const size_t coefficients = gfp_size_add_sat(4 * n + 64, gfp_size_mul_sat(8, points));
    return gfp_size_add_sat(gfp_words_root_words(size), gfp_size_mul_sat(GFP_WORDS, coefficients));
}

size_t gfp_words_image_work_words(size_t len_a, size_t len_b)
{
    return gfp_size_add_sat(
        gfp_size_mul_sat((size_t)2 * GFP_WORDS, gfp_words_image_room(len_a, len_b)),
        half_words(len_a, len_b));
}

void gfp_words_image_resultant(const gfp_words_image_pair *pair, gfp_level level,
                               uint64_t r[GFP_WORDS], uint64_t *work)
{
    levels[level]->resultant(pair, r, work);
}

/* The words of the pairs of a set, which stay in a first-level cache. */
#define TOGETHER_WORDS ((size_t)3 << 10)
/* The products that take a longer polynomial to the degree of the other one without an inversion,
 * which takes as long. */
#define TOGETHER_PRODUCTS 256

/* One coefficient more of the longer polynomial, and one below the constant coefficient. */
size_t gfp_words_image_together_room(const gfp_words_image_many *many)
{
    const size_t a = many->pair.len_a, b = many->pair.len_b;
    return gfp_size_add_sat(a > b ? a : b, 2);
}

/* The words of one of them. */
static size_t together_words(const gfp_words_image_many *many)
{
    return gfp_size_mul_sat((size_t)2 * GFP_WORDS, gfp_words_image_together_room(many));
}

size_t gfp_words_image_together(const gfp_words_image_many *many)
{
    const size_t a = many->pair.len_a, b = many->pair.len_b;
    const size_t least = gfp_size_min(a, b), more = a < b ? b - a : a - b;
    const size_t n = gfp_size_min(TOGETHER_WORDS / together_words(many), GFP_IMAGE_TOGETHER);
    if (least < many->index + 2 || n < 2) {
        return 1;
    }
    return more <= 1 || (more - 1) * (a + b) / 2 <= TOGETHER_PRODUCTS ? n : 1;
}

size_t gfp_words_image_many_words(const gfp_words_image_many *many)
{
    const size_t forms = gfp_size_add_sat(gfp_size_mul_sat(2, many->count), many->index + 1);
    const size_t alone = gfp_words_image_work_words(many->pair.len_a, many->pair.len_b);
    const size_t together = gfp_size_mul_sat(gfp_words_image_together(many), together_words(many));
    return gfp_size_add_sat(gfp_size_mul_sat(forms, GFP_WORDS),
                            alone > together ? alone : together);
}

void gfp_words_image_resultants(const gfp_words_image_many *many, gfp_level level, uint64_t *r,
                                uint64_t *work)
{
    levels[level]->resultants(many, r, work);
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
