/* gfpoly/gpu_toolkit.h: what is built on products, for data that stay on a CUDA device: inverses of
 * elements; power series, one or many of one shape in a call; quotient and remainder; gcds and
 * resultants of many pairs in a call; products from roots, evaluation at many points,
 * interpolation; arithmetic modulo a fixed polynomial, Taylor shifts. The rules of
 * gfpoly/gpu_poly.h hold here. Calls use the plans and the work space of a ring; the first call of
 * a shape makes plans, and waits.
 *
 * Options are as there. options->error->index names an element, a row or a point where one is at
 * fault. Checks at random elements of the field pass a wrong result with the probability that the
 * call's comment tells; for all points together it is below 2^-40.
 *
 * Costs are in products M of two polynomials of n terms (for rows: of all rows), without launches,
 * which count for short operands: an operation by Newton's iteration starts some 10 of them for
 * each doubling.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_TOOLKIT_H
#define GFPOLY_GPU_TOOLKIT_H

#include "gfpoly/gpu_poly.h"

GFP_BEGIN_DECLS

/* ---- elements ---- */

/* z_i := 1 / x_i, i < n. z may be x, else must not overlap it. Waits. Errors: NOT_INVERTIBLE
 * (error->index is some i with x_i = 0), ARGUMENT, SIZE, MEMORY, DEVICE. Cost: 3 n products of
 * elements; work space for 4 n elements; the check is n products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_inv(gfp_gpu_ring *ring, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, size_t n,
                                                  const gfp_options *options);

/* ---- power series ---- */

/* q := a / b mod X^n. q may be a or b. Waits. Errors: NOT_INVERTIBLE (n > 0, and the constant term
 * of b is 0), FIELD_MISMATCH, ARGUMENT, SIZE, MEMORY, DEVICE, UNAVAILABLE (the ring's method does
 * not serve these lengths). Cost: 2.5 M; work space for 3 n elements. The check is that of the
 * inverse of b: a product and one check of a product, which waits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_div_series(gfp_gpu_poly *q, const gfp_gpu_poly *a,
                                                          const gfp_gpu_poly *b, size_t n,
                                                          const gfp_options *options);

/* ---- division ---- */

/* q, r := quotient and remainder of a by b: a = q b + r, the degree of r is below that of b. q and
 * r may be a and b, in any order. Waits. Errors: NOT_INVERTIBLE (b = 0), ARGUMENT (q and r are the
 * same), FIELD_MISMATCH, SIZE, MEMORY, DEVICE, UNAVAILABLE. Cost: about 3.5 M for 2 n by n terms.
 * The check is one of a = q b + r at residues, as of a product. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_divrem(gfp_gpu_poly *q, gfp_gpu_poly *r,
                                                      const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                                      const gfp_options *options);

/* ---- gcds and resultants ---- */

/* For each row i < rows of the pairs: g_i := the gcd of a_i and b_i, monic; 0 if both are 0. Rows g
 * have n = max(len_a, len_b) elements, coefficients beyond the gcd are 0; they may overlap a and b.
 * lengths (on the host, or NULL) gets the gcds' numbers of coefficients. Leading coefficients of a
 * and b may be 0. Waits. Errors: ARGUMENT, SIZE, MEMORY, DEVICE, UNAVAILABLE (the ring's method
 * does not serve products of these rows by elements). Cost: Euclid's algorithm by steps, 1.5 n^2
 * products of elements for each row, n of them one after another; work space for 2 n + 6 elements
 * a row. Made for many short pairs: a block of the device works at each. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_gcd(gfp_gpu_ring *ring, const gfp_gpu_rows *g,
                                                  uint64_t *lengths, const gfp_gpu_pairs *pairs,
                                                  const gfp_options *options);
/* For each row: r_i, one element, := the resultant of a_i and b_i, as gfp_poly_resultant: 0 if an
 * operand is 0, 1 for two other constants. Rows r may overlap a and b. Waits. Errors: ARGUMENT,
 * SIZE, MEMORY, DEVICE. Cost: as above. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_resultant(gfp_gpu_ring *ring, const gfp_gpu_rows *r,
                                                        const gfp_gpu_pairs *pairs,
                                                        const gfp_options *options);
/* The check of both: Euclid's algorithm runs again, the values of a and b at a random element are
 * taken through all its steps to those of the last two remainders, and the results are compared;
 * those of the first run are not used. Wrong gcds pass with probability at most rows ((len_a +
 * len_b) / p)^points for all pairs together. The steps' leading coefficients of a resultant are
 * certified in the same way; their product is computed a second time. Cost: that of the results,
 * and n steps of Horner's rule, for each point. */

/* ---- many points ---- */

/* m := the product of X - x_i, i < n; 1 if n = 0. points has n elements. Waits. Errors: ARGUMENT
 * (the array is too short or of another context), SIZE, MEMORY, DEVICE, UNAVAILABLE. Cost: half a
 * product of N terms for each of log2 N levels, N the least power of two >= n; work space for 2 N
 * elements. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_product_roots(gfp_gpu_poly *m,
                                                             const gfp_gpu_array *points, size_t n,
                                                             const gfp_options *options);

/* The products (X - x_i) ... of 1, 2, 4, ... neighbouring points, level by level: for n points, N
 * elements in each of log2 N + 1 levels, N the least power of two >= n. The ring must outlive the
 * tree, and a tree serves one call at a time. */
typedef struct gfp_gpu_tree gfp_gpu_tree;

/* *tree := the tree of n points, which are copied; n >= 1. Errors: ARGUMENT (n = 0, or the array is
 * too short or of another context), SIZE, MEMORY, DEVICE, UNAVAILABLE; *tree is unchanged. Cost:
 * half a product of N terms for each level. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_tree_create(gfp_gpu_tree **tree, gfp_gpu_ring *ring,
                                                      const gfp_gpu_array *points, size_t n,
                                                      const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_gpu_tree_destroy(gfp_gpu_tree *tree);
/* m := the product of X - x_i over all points. Errors: ARGUMENT, FIELD_MISMATCH, MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_tree_product(gfp_gpu_poly *m, const gfp_gpu_tree *tree,
                                                       const gfp_options *options);
/* y_i := f(x_i), i < n, for any f; points may repeat. y is an array of n elements or more, apart
 * from f's. The first call makes the inverse of the reversed product. Waits. Errors: ARGUMENT,
 * FIELD_MISMATCH, SIZE, MEMORY, DEVICE, UNAVAILABLE. Cost: a product of N terms for each level, 1.5
 * M(N), and 1 M(N) in the first call. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_tree_eval(gfp_gpu_array *y, const gfp_gpu_poly *f,
                                                    gfp_gpu_tree *tree, const gfp_options *options);
/* f := the polynomial of degree below n with f(x_i) = y_i. The first call evaluates the
 * derivative of the product, and keeps the weights 1 / M'(x_i). Waits. Errors: NOT_INVERTIBLE (two
 * points are equal: error->index is one of them, the message names both), ARGUMENT, SIZE, MEMORY,
 * DEVICE, UNAVAILABLE. Cost: a product of N terms for each level, and that of an evaluation in the
 * first call. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_tree_interpolate(gfp_gpu_poly *f, const gfp_gpu_array *y,
                                                           gfp_gpu_tree *tree,
                                                           const gfp_options *options);
/* The check of values and of interpolations, for f of at most n terms, takes the weights w_i = 1 /
 * M'(x_i): at random elements t, the sum of w_i / (t - x_i) is 1 / M(t), and the sum of y_i w_i /
 * (t - x_i) is f(t) / M(t). A wrong f or y passes with probability at most ((n - 1) / (p -
 * n))^points. A longer f is divided by M first, and the division is checked. Values at equal points
 * are UNAVAILABLE then. Cost: 12 n products of elements. A tree, and a product from roots, is
 * checked as M(t) = the product of t - x_i. */

/* ---- geometric progressions ---- */

/* values_i := f(start ratio^i), i < n; start and ratio are elements on the host, any ones. values
 * is an array of n elements or more, apart from f's. Waits. Errors: ARGUMENT (the array is too
 * short or of another context), SIZE, MEMORY, DEVICE, UNAVAILABLE (the ring's method does not serve
 * these lengths). Cost: a middle product of f's length and n, 6 products of elements for each term
 * and value, and up to four launches for each doubling of three sequences; work space for 5 max(n,
 * len) elements and those of the product. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_eval_geometric(gfp_gpu_array *values,
                                                              const gfp_gpu_poly *f,
                                                              const uint64_t *start,
                                                              const uint64_t *ratio, size_t n,
                                                              const gfp_options *options);
/* f := the polynomial of degree below n with f(start ratio^i) = values_i; 0 for n = 0. values may
 * be f's array. Waits. Errors: NOT_INVERTIBLE (n > 1, and two points are equal: the message names
 * both, error->index is the second; or the ratio is 0), and those above. Cost: the middle product
 * of n values of n terms, a product of n terms, and 27 n products of elements; work space for 10 n
 * elements and those of the products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_interpolate_geometric(
    gfp_gpu_poly *f, const gfp_gpu_array *values, const uint64_t *start, const uint64_t *ratio,
    size_t n, const gfp_options *options);
/* The check of both: at random elements t, the sum of t^i values_i is that of f_j start^j (1 - (t
 * ratio^j)^n) / (1 - t ratio^j). Wrong values or a wrong f pass with probability at most ((n - 1) /
 * (p - len))^points, len the length of f; an f of more than n terms has these values for other f,
 * too. VERIFY also if values or f are not canonical. Cost: 12 products of elements for each term,
 * one for each value. */

/* ---- a fixed modulus ---- */

/* A polynomial f with its inverse as a series, transforms of both, plans and work space, for many
 * products modulo f. Its ring must outlive it, and it serves one call at a time.
 *
 * Inputs of the calls are of any degree; those that are not below that of f are reduced first, by a
 * division if they have more than twice as many terms. Results have at most as many terms as f has
 * degree; outputs may equal inputs. Products of a call are enqueued without waits between them.
 *
 * The check of these calls checks every product and remainder as a b X^s = q f + r, s <= 1, at
 * residues modulo X^j - d with j <= 1024 a power of two and d random in S as in gfpoly/gpu_poly.h:
 * a wrong one passes with probability at most (floor((2 n - 1) / j) / |S|)^points for f of degree
 * n, and j and points make the sum over all products of the call less than 2^-40; a division of a
 * long input is checked as by gfp_gpu_poly_divrem. The device computes residues as it goes, and the
 * CPU compares them for 32 products at once; a call with checks or progress waits then. verify_ns
 * is the time of the comparisons. progress->step runs after each product.
 *
 * Errors of all calls: FIELD_MISMATCH, ARGUMENT (two contexts), SIZE, MEMORY, DEVICE, VERIFY,
 * CANCELLED, UNAVAILABLE (another check; or S is too small for certainty). */
typedef struct gfp_gpu_modulus gfp_gpu_modulus;

/* *M := a modulus of a copy of f, of degree at least 1; f need not be monic. Waits. Errors:
 * NOT_INVERTIBLE (f = 0), ARGUMENT (the degree of f is 0), SIZE, MEMORY, DEVICE, UNAVAILABLE (the
 * ring's method does not serve products of n terms); *M is unchanged. Cost: 3 M; the check is a
 * product of n terms, and its check. Memory: some 7 n elements, one or two plans, and a transform
 * with each; later calls keep what they add: powers of a base other than X up to 33 n elements,
 * long operands n each, checks 64 j elements for each point. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_modulus_create(gfp_gpu_modulus **M, const gfp_gpu_poly *f,
                                                         const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_gpu_modulus_destroy(gfp_gpu_modulus *M);
/* c := a mod f. Cost: 1.2 M for a of up to 2 n terms, else that of gfp_gpu_poly_divrem. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_rem_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       gfp_gpu_modulus *M,
                                                       const gfp_options *options);
/* c := a b mod f. Cost: 2.2 M; 1.95 M for a = b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       const gfp_gpu_poly *b, gfp_gpu_modulus *M,
                                                       const gfp_options *options);
/* c := a^e mod f, e = sum of exponent[i] 2^(64 i), i < n_limbs; a^0 = 1 for every a. For a^p
 * pass gfp_field_modulus_limbs and gfp_field_limbs. Errors also: ARGUMENT (exponent is NULL).
 * Cost: 1.95 M for each bit of e, less those whose value is below n if a = X, and for other a 2.2 M
 * for about every seventh bit. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_pow_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       const uint64_t *exponent, size_t n_limbs,
                                                       gfp_gpu_modulus *M,
                                                       const gfp_options *options);

/* c := f(g) mod h, where h is the polynomial of the modulus; f and g are of any degree. Waits. Also
 * checked: the values of the blocks of f that are joined, as sums with the powers of random
 * elements modulo the same X^j - d, with the bound of one product. Cost for len terms of f: 2
 * sqrt(len) products of 2 M each, and len n products of elements modulo 4 k primes of 31 bits each;
 * over p8 at n = 2^16 1360 M, of which the products of elements are 290. Memory of the device for
 * the time of the call: 2 sqrt(len) + 1 times n elements, f once more with its residues (4 k words
 * of 32 bits a term), and 256 MiB, or more for 64 columns of n. Memory of the host for checks: f,
 * and residues of j elements for each power and block at each point. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_compose_mod(gfp_gpu_poly *c, const gfp_gpu_poly *f,
                                                           const gfp_gpu_poly *g,
                                                           gfp_gpu_modulus *M,
                                                           const gfp_options *options);

/* ---- Taylor shifts ---- */

/* b(X) := a(X + c), c an element on the host. Waits. Errors: UNAVAILABLE (p < n for the n terms of
 * a, leading zeros apart; or the ring's method does not serve), FIELD_MISMATCH, ARGUMENT (two
 * contexts), SIZE, MEMORY, DEVICE. Cost: M, and 9 n products of elements; work space for 9 n
 * elements. The check compares b(x) and a(x + c) at random elements x of the field: a wrong b of up
 * to n terms passes with probability at most ((n - 1) / p)^points. Cost: 2 n products of elements
 * for each point. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_taylor_shift(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                            const uint64_t *c,
                                                            const gfp_options *options);

GFP_END_DECLS
#endif
