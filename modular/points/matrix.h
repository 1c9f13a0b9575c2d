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

/* ---- calls that are not public ---- */

/* Exchanges a and b; cannot fail. */
void gfp_zmatrix_swap(gfp_zmatrix *a, gfp_zmatrix *b);
/* b := a. Errors: ARGUMENT (NULL), FIELD_MISMATCH (other rings), SIZE, MEMORY. */
GFP_MUST_CHECK gfp_status gfp_zmatrix_set(gfp_zmatrix *b, const gfp_zmatrix *a);
/* Whether a = b; false if the rings differ. */
bool gfp_zmatrix_equal(const gfp_zmatrix *a, const gfp_zmatrix *b);
/* c := the entry in row i and column j. Errors: those of gfp_zmatrix_set; ARGUMENT also if i or j
 * is not below n. */
GFP_MUST_CHECK gfp_status gfp_zmatrix_get_entry(gfp_zvec *c, const gfp_zmatrix *a, size_t i,
                                                size_t j);
GFP_MUST_CHECK gfp_status gfp_zmatrix_from_string(gfp_zmatrix *a, const char *text, size_t length,
                                                  gfp_error *error);
/* Writes a, with a newline at the end of each line, and flushes the stream. Errors: IO (see errno),
 * MEMORY. Text written before an error stays written. */
GFP_MUST_CHECK gfp_status gfp_zmatrix_fwrite(const gfp_zmatrix *a, FILE *stream);
/* *text := the same text without the last newline; *size := its bytes with the terminator;
 * gfp_free frees the text. Errors: ARGUMENT (NULL), SIZE, MEMORY. */
GFP_MUST_CHECK gfp_status gfp_zmatrix_to_string(char **text, size_t *size, const gfp_zmatrix *a);

#endif
