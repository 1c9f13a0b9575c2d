/* gfpoly/zmatrix.h: square matrices of polynomials in X over Z, and of integers as polynomials of
 * degree 0: determinants and characteristic polynomials.
 *
 * The ring, options, the methods' names, memory_cap and errors are those of gfpoly/zvec.h; outputs
 * may equal inputs, and are unchanged on an error.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_ZMATRIX_H
#define GFPOLY_ZMATRIX_H

#include "gfpoly/zbipoly.h"

GFP_BEGIN_DECLS

/* ---- storage ---- */

/* entry[i n + j] is the polynomial in row i and column j, without zeros at the end, in its least
 * width or in widths of their own, as rows of a gfp_zbipoly. The members may be read; change them
 * through functions only. */
typedef struct gfp_zmatrix {
    gfp_zring *ring;
    gfp_zvec *entry;
    size_t n; /* rows, and columns */
} gfp_zmatrix;

/* a := the empty matrix (n = 0) over the ring; allocates nothing and cannot fail. */
GFP_API void gfp_zmatrix_init(gfp_zmatrix *a, gfp_zring *ring);
/* Frees the storage; a is empty afterwards. */
GFP_API void gfp_zmatrix_clear(gfp_zmatrix *a);
/* a := the zero matrix of n rows. Errors: ARGUMENT (NULL), SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_set_zero(gfp_zmatrix *a, size_t n);
/* Replaces the entry in row i and column j; c may be an entry of a, and may have zeros at the end.
 * Errors: ARGUMENT (NULL; i or j is not below n), FIELD_MISMATCH (another ring), SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_set_entry(gfp_zmatrix *a, size_t i, size_t j,
                                                        const gfp_zvec *c);

/* ---- text ---- */

/* A line "n n", then the entries, row by row, each in one line and in the format of gfp_zvec_fread;
 * lines of white space do not count. The empty matrix is the line "0 0". Errors are those of
 * gfp_zvec_fread, with line, column, offset, and the power of X as index; the message begins with
 * the number of the entry, counted from 0. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_fread(gfp_zmatrix *a, FILE *stream, gfp_error *error);

/* ---- determinants and characteristic polynomials ---- */

/* r := the determinant of a, a polynomial in X; 1 for the empty matrix.
 *
 * Method "words", the only one: determinants at D + 1 roots of unity modulo each of B / 50
 * word-size primes, where D bounds the degree of r (the least of the sums of degrees of rows and of
 * columns) and B its bits (Hadamard's bound for rows or columns, on the unit circle). No point and
 * no prime is unlucky. threads share points and primes. verify = point compares r with determinants
 * at a random point modulo each of eight random primes; verify = cross computes the determinant of
 * the transposed matrix modulo other primes. SIZE: D is more than about 10^6. Cost: n^3 / 6 sums of
 * three products of words for each point and prime. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_det(gfp_zvec *r, const gfp_zmatrix *a,
                                                  const gfp_options *options);
/* c := the characteristic polynomial det(Y I - a), a polynomial in Y with coefficients in Z[X],
 * monic of degree n. Method, verify and bounds as for gfp_zmatrix_det. Cost: for each point
 * and prime n^3 / 3 products and n^3 / 4 sums of three products, by Hessenberg's form. */
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_charpoly(gfp_zbipoly *c, const gfp_zmatrix *a,
                                                       const gfp_options *options);

GFP_END_DECLS
#endif
