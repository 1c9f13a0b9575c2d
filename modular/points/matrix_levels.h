/* matrix_levels.h: determinants and characteristic polynomials of matrices modulo the eight
 * primes of a block, at three levels.
 *
 * Matrices are forms of the level (words_enter), n rows of n entries, eight words for each, aligned
 * to 64 bytes; they are destroyed. A lane may be singular, or need other exchanges of rows than the
 * others: results are right in every lane.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_MATRIX_LEVELS_H
#define GFP_MODULAR_POINTS_MATRIX_LEVELS_H

#include "modular/points/images.h"

typedef struct gfp_zmatrix_kernels {
    /* Result 0 := the determinants of group->points matrices of n >= 1 rows. */
    void (*determinants)(const gfp_zimage_group *group, size_t n, uint64_t *work);
    /* Result o := the coefficients of T^o of their characteristic polynomials, o < n. */
    void (*charpolys)(const gfp_zimage_group *group, size_t n, uint64_t *work);
} gfp_zmatrix_kernels;

extern const gfp_zmatrix_kernels gfp_zmatrix_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_zmatrix_kernels gfp_zmatrix_avx2, gfp_zmatrix_avx512dq, gfp_zmatrix_avx512;
#endif

/* Words of the work areas, for this number of points. Saturates. */
size_t gfp_zmatrix_determinant_words(size_t n, size_t points);
size_t gfp_zmatrix_charpoly_words(size_t n, size_t points);

#endif
