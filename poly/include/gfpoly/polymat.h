/* gfpoly/polymat.h: matrices of polynomials over Z/pZ: products, determinants.
 *
 * A matrix is an array of its entries, row by row: entry (i, j) of one with n columns is number i n
 * + j. In the functions on digits each entry is an array of the same number of coefficients, the
 * constant term first, zeros at the end allowed, and the entries follow each other. The functions
 * on polynomials take arrays of initialised gfp_poly. Vectors are matrices of one column.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for products by the definition. memory_cap counts all
 * memory that the call takes in addition to inputs, outputs, and what the field keeps; a product
 * within a cap transforms entries more than once if the transforms of all of them do not fit.
 * Outputs may overlap inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH, SIZE,
 * MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * verify = point compares both sides of C = A B, or the determinant, at a random point d in S: a
 * wrong result passes with probability at most (degree / |S|)^points (see gfp_verify). cross, and
 * point where the field has too few points, computes the result again by a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_POLYMAT_H
#define GFPOLY_POLYMAT_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* The shape of a product: a has rows x inner entries of len_a coefficients, b inner x columns
 * entries of len_b. */
typedef struct gfp_polymat_shape {
    size_t rows, inner, columns;
    size_t len_a, len_b;
} gfp_polymat_shape;

/* c := a b, rows x columns entries of len_a + len_b - 1 coefficients each; of none if len_a or
 * len_b is 0. Cost: with m rows, l inner and n columns m l + l n transforms, m n l products of
 * transforms and m n transforms back, where a product of two polynomials takes 2, 1 and 1. A
 * product of 2 x 2 matrices takes 0.75 to 0.9 of 8 products of polynomials, one of 8 x 8 0.5 to 0.7
 * of 512 (p2 to p16, 2^9 to 2^12 terms). Where (m + n) l is above 80, some transforms are computed
 * several times. Memory: m n products and (m + n) l transforms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_polymat_mul(const gfp_field *field, uint64_t *c,
                                                      const uint64_t *a, const uint64_t *b,
                                                      const gfp_polymat_shape *shape,
                                                      const gfp_options *options);
/* The same for polynomials of any lengths: the shape's len_a and len_b are not read. c may be a or
 * b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_polymat_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                                  const gfp_polymat_shape *shape,
                                                  const gfp_options *options);

/* d := the determinant of the n x n matrix a, whose entries have len >= 1 coefficients: n (len - 1)
 * + 1 coefficients; 1 for n = 0. By values at a geometric progression of as many points, and
 * elimination at each point. Errors: also UNAVAILABLE (the field has too few elements for the
 * points). Cost: n^2 evaluations at N = n len points, N n^3 / 3 products and N n inverses in the
 * field, and an interpolation. Memory: n^2 N elements, and what interpolation takes. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_polymat_det(const gfp_field *field, uint64_t *d,
                                                      const uint64_t *a, size_t n, size_t len,
                                                      const gfp_options *options);
/* The same for polynomials of any lengths. d may be one of the entries. */
GFP_API GFP_MUST_CHECK gfp_status gfp_polymat_det(gfp_poly *d, const gfp_poly *a, size_t n,
                                                  const gfp_options *options);

GFP_END_DECLS
#endif
