/* matrix_images.c: images of matrices (matrix_levels.h): the portable level, and the choice of a
 * level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/portable.h"

#include "modular/points/matrix.h"

#define KERNELS gfp_zmatrix_portable
#include "modular/points/matrix.inc"

static const gfp_zmatrix_kernels *const levels[GFP_LEVEL_COUNT] =
    GFP_LEVEL_ROWS(&gfp_zmatrix_portable, &gfp_zmatrix_avx2, &gfp_zmatrix_avx512dq,
                   &gfp_zmatrix_avx512, &gfp_zmatrix_avx2);

/* Numerators, denominators and products for one inversion. */
size_t gfp_zmatrix_determinant_words(size_t n, size_t points)
{
    (void)n;
    return gfp_size_mul_sat((size_t)2 * GFP_WORDS, points);
}

/* The same, and polynomials of the leading parts of one matrix. */
size_t gfp_zmatrix_charpoly_words(size_t n, size_t points)
{
    const size_t polynomials = gfp_size_mul_sat(gfp_size_add_sat(n, 1), gfp_size_add_sat(n, 1));
    return gfp_size_mul_sat(GFP_WORDS, gfp_size_add_sat(gfp_size_mul_sat(3, points), polynomials));
}

static size_t determinant_words(const gfp_zimages *images, size_t points)
{
    return gfp_zmatrix_determinant_words(images->n, points);
}

static size_t charpoly_words(const gfp_zimages *images, size_t points)
{
    return gfp_zmatrix_charpoly_words(images->n, points);
}

static void compute_determinants(const gfp_zimages *images, const gfp_zimage_group *group,
                                 uint64_t *work)
{
    levels[group->level]->determinants(group, images->n, work);
}

static void compute_charpolys(const gfp_zimages *images, const gfp_zimage_group *group,
                              uint64_t *work)
{
    levels[group->level]->charpolys(group, images->n, work);
}

const gfp_zimage_kind gfp_zmatrix_determinants = {determinant_words, compute_determinants};
const gfp_zimage_kind gfp_zmatrix_charpolys = {charpoly_words, compute_charpolys};
