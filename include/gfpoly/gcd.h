/* gfpoly/gcd.h: greatest common divisors, cofactors, resultants, subresultants, rational functions
 * and recurrences: what Euclid's algorithm computes.
 *
 * Conventions are FLINT's: a gcd is monic, that of 0 and 0 is 0; cofactors are those of Euclid's
 * algorithm that begins with the longer operand, with the first one where lengths are equal.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for the quadratic algorithm without products. memory_cap
 * counts all memory that the call takes in addition to inputs, outputs, and what the field keeps:
 * from 64 terms on at most 42 times the longer operand for gcds and resultants, and 60 times where
 * cofactors are computed; usually 30 and 45 times.
 * The report has the method of the longest products.
 *
 * verify = point checks all quotients of Euclid's algorithm, and so that the result is the right
 * one: the values of both operands at a random point, a single random digit, are taken through all
 * steps to the values of the last two remainders. This is a proof but for the choice of the point:
 * a wrong result passes with probability at most ((deg a + deg b + 1) / |S|)^points (see
 * gfp_verify). Cost: 4 % of the call. Cofactors and matrices are checked in addition by u a + v b =
 * g, modulo X^j - d for a random digit d; the report has the larger one of the probabilities.
 * cross, and point where the field has too few points, computes the result again by another method
 * with operands, or by "classical", and compares all coefficients; operands of fewer than about 50
 * terms take the same steps in both.
 *
 * Outputs may equal inputs; outputs of one call are different polynomials. Errors of all functions:
 * ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the
 * method). Outputs are unchanged then. Between two calls of gfp_progress a step of the quadratic
 * algorithm passes, or a product.
 *
 * Costs are in products of two polynomials of n terms, measured over p8 without verification, for
 * two operands of n terms. A longer operand is first divided by the shorter one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GCD_H
#define GFPOLY_GCD_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- greatest common divisors ---- */

/* g := the greatest common divisor of a and b, monic; 0 if both are 0. Cost: 15, 20, 30, 33 for n =
 * 2^6, 2^8, 2^10, 2^12. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_gcd(gfp_poly *g, const gfp_poly *a, const gfp_poly *b,
                                               const gfp_options *options);
/* g as above, and u, v := cofactors: u a + v b = g. Where neither operand divides the other one,
 * deg u < deg b - deg g and deg v < deg a - deg g, and no other cofactors are as short. Where b
 * divides a: u = 0 and v is constant, unless a is shorter than b; where a is shorter and divides b:
 * v = 0 and u is constant. Cost: 24, 27, 36, 39. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_xgcd(gfp_poly *g, gfp_poly *u, gfp_poly *v,
                                                const gfp_poly *a, const gfp_poly *b,
                                                const gfp_options *options);

/* ---- resultants ---- */

/* r, k digits, := the resultant of a and b: lc(a)^deg(b) times the product of the values of b at
 * the roots of a. 0 if an operand is 0; b^deg(a) for a constant b other than 0, 1 for two
 * constants. r must not lie inside the polynomials. Cost: 16, 22, 31, 34. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_resultant(uint64_t *r, const gfp_poly *a,
                                                     const gfp_poly *b, const gfp_options *options);
/* r, k digits, := the discriminant of f of degree n: (-1)^(n (n - 1) / 2) lc(f)^(n - m - 2) times
 * the resultant of f and its derivative, of degree m. 0 if f has a multiple root; 0 for constants,
 * 1 for degree 1. Cost: that of a resultant. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_discriminant(uint64_t *r, const gfp_poly *f,
                                                        const gfp_options *options);

/* ---- subresultants ---- */

/* s := the subresultant S_j of a and b, of degrees m and n: the determinant of the matrix whose
 * rows are X^(n-j-1) a, ..., X a, a, X^(m-j-1) b, ..., X b, b, and whose m + n - 2 j columns are
 * the coefficients of X^(m+n-j-1), ..., X^(j+1) and, last, the polynomials themselves. deg S_j <=
 * j, and S_j is a multiple of a remainder of Euclid's algorithm by a constant. S_0 is the
 * resultant. S_n = lc(b)^(m-n-1) b if n < m, S_m = lc(a)^(n-m-1) a if m < n. S_j(b, a) =
 * (-1)^((m-j)(n-j)) S_j(a, b).
 *
 * For consecutive remainders of degrees d > e, S_j = 0 if e < j < d - 1; S_(d-1) and S_e are both
 * multiples of the second one. If e < d - 1, S_(d-1) is defective: its degree e is below its index.
 * If a or b is 0, S_j is 0. Errors: also ARGUMENT (j > min(m, n), or j = m = n). Cost: at most that
 * of a resultant; less, the higher j is. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_subresultant(gfp_poly *s, const gfp_poly *a,
                                                        const gfp_poly *b, size_t j,
                                                        const gfp_options *options);

/* ---- rational functions and recurrences ---- */

/* num, den := the fraction with den f = num modulo m, deg num <= max_num, deg den <= max_den, den
 * monic of least degree. If max_num + max_den < deg m, all other such pairs are multiples of this
 * one. den and m may have a common factor, which num then has, too. Errors: NOT_INVERTIBLE (no such
 * fraction exists; m is constant). Cost: at most that of cofactors of n = deg m. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_reconstruct(gfp_poly *num, gfp_poly *den,
                                                       const gfp_poly *f, const gfp_poly *m,
                                                       size_t max_num, size_t max_den,
                                                       const gfp_options *options);
/* num, den := the Padé approximant of the series f: num / den = f modulo X^(max_num + max_den + 1),
 * deg num <= max_num, deg den <= max_den, and den has the constant term 1. Errors: NOT_INVERTIBLE
 * (it does not exist). Cost: that of a fraction modulo X^(max_num + max_den + 1). */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_pade(gfp_poly *num, gfp_poly *den, const gfp_poly *f,
                                                size_t max_num, size_t max_den,
                                                const gfp_options *options);
/* f := the minimal polynomial of a sequence s of n elements: monic, f_0 s_i + ... + f_d s_(i+d) = 0
 * for all 0 <= i < n - d, d least. Unique if 2 d <= n. f is 1 if all s_i are 0. f->field is the
 * field. s may be in the digits of f. Cost: at most that of cofactors. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_minpoly(gfp_poly *f, const uint64_t *s, size_t n,
                                                   const gfp_options *options);

GFP_END_DECLS
#endif
