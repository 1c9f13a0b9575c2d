/* matrix.h: declarations that the files of matrices over Z[X] share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_MATRIX_H
#define GFP_MODULAR_POINTS_MATRIX_H

#include "gfpoly/zmatrix.h"
#include "modular/points/images.h"

/* The entries as coefficients of powers of Y, row by row; shares them. */
static inline gfp_zbipoly gfp_zmatrix_view(const gfp_zmatrix *a)
{
    return (gfp_zbipoly){a->ring, a->entry, a->n * a->n, 0};
}

/* Kinds of images of a matrix: its determinant; the coefficients below T^n of its characteristic
 * polynomial. */
extern const gfp_zimage_kind gfp_zmatrix_determinants, gfp_zmatrix_charpolys;

/* Sets both bounds of the images' results; *zero: whether a row or a column is 0. Errors: SIZE,
 * MEMORY. */
gfp_status gfp_zmatrix_bounds(gfp_zcall *call, gfp_zimages *images, const gfp_zmatrix *a,
                              bool *zero);

#endif
