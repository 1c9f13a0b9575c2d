/* gfpoly/tree.h: products from roots, values at many points, interpolation; remainders by many
 * moduli, Chinese remainders.
 *
 * A gfp_tree keeps n points and what serves many evaluations and interpolations at them: the
 * products of X - x_i over halves, quarters, ... of the points, with their transforms. Points,
 * roots and values are arrays of elements, n k words. Points may be any elements; equal ones are
 * legal unless a function says otherwise. Indices of points in messages count from 0.
 *
 * Options are those of a product (gfpoly/options.h). method is one with transforms that stay
 * (gfpoly/operand.h), or "classical", for quadratic algorithms alone; calls on a tree take the
 * method of its creation. threads share the work. memory_cap counts all memory that the call takes
 * in addition to inputs, outputs (a tree is one), and what the field keeps: for n from 64 to 2^14
 * at most 110 n elements for products from roots, and 130 n for f of n terms without a tree that
 * stays.
 *
 * verify checks results at random points z. M is the product of all X - x_i, y_i are the values.
 * Roots: M(z) is the product of z - x_i. A tree: the leaves at z, and every product of the tree
 * modulo X^j - d for a random digit d. Values: f(z) = M(z) sum
 * of y_i w_i / (z - x_i), if the tree has the weights w_i = 1 / M'(x_i), which it computes for the
 * first interpolation; else the sum of (f(z) - y_i) / (z - x_i) is the sum of g_j s_j, with g = (f
 * - f(z)) / (X - z) and s_j the sum of x_i^j: the tree keeps these n elements. Interpolation: the
 * identity by weights, and for the weights sum of w_i / (z - x_i) = 1 / M(z). Progressions with
 * start s and ratio q: sum of y_i z^i = sum of f_j s^j (1 - (z q^j)^n) / (1 - z q^j).
 *
 * A wrong result passes with probability at most 2^-40 (see gfp_verify; the report has the bound).
 * cross compares with the quadratic algorithm: n^2 products in
 * the field.
 *
 * Outputs may equal inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY,
 * CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * Costs are in products of two polynomials of n terms, over p8 at n = 2^10, on one thread
 * (docs/design/trees.md); n is rounded up to 5, 6 or 8 times a power of 2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_TREE_H
#define GFPOLY_TREE_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- products from roots ---- */

/* f := the product of X - roots_i, i < n; 1 for n = 0. Cost: 3.4, checked 3.5. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_product_roots(gfp_poly *f, const uint64_t *roots,
                                                         size_t n, const gfp_options *options);

/* ---- trees ---- */

typedef struct gfp_tree gfp_tree;

/* *T := a tree of n points, which it copies. The field must outlive it. A tree does not change,
 * but for the weights, which the first interpolation computes once: threads may share it. Errors:
 * ARGUMENT (n = 0). Cost: 5.9, checked 7.1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tree_create(gfp_tree **T, const gfp_field *field,
                                                  const uint64_t *points, size_t n,
                                                  const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_tree_destroy(gfp_tree *T);
/* f := the product of all X - x_i. Cost: a copy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tree_product(gfp_poly *f, const gfp_tree *T);

/* values_i := f(x_i), i < n, for f of any degree: from n on f is divided by the product first.
 * Cost: 6.3, and what the division takes; checked 10, 7.5 if the tree has weights. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tree_eval(uint64_t *values, const gfp_poly *f,
                                                const gfp_tree *T, const gfp_options *options);
/* f := the polynomial of degree below n with f(x_i) = values_i. Errors: NOT_INVERTIBLE (two points
 * are equal: the message names both, error->index is the second). Cost: 5.1, checked 6.2; the first
 * one 7 more. */
GFP_API GFP_MUST_CHECK gfp_status gfp_tree_interpolate(gfp_poly *f, const uint64_t *values,
                                                       const gfp_tree *T,
                                                       const gfp_options *options);

/* ---- without a tree that stays ---- */

/* values_i := f(points_i), i < n. memory_cap counts the tree. Cost: 12.3, checked 16. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_eval_vec(uint64_t *values, const gfp_poly *f,
                                                    const uint64_t *points, size_t n,
                                                    const gfp_options *options);
/* f := the polynomial of degree below n with f(points_i) = values_i; 0 for n = 0. memory_cap counts
 * the tree. Errors: NOT_INVERTIBLE, as gfp_tree_interpolate. Cost: 18, checked 19. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_interpolate(gfp_poly *f, const uint64_t *points,
                                                       const uint64_t *values, size_t n,
                                                       const gfp_options *options);

/* ---- geometric progressions ---- */

/* values_i := f(start ratio^i), i < n; start and ratio are elements, any ones. Products are
 * gfp_poly_mulmid's, and options->method is one of a product. Cost: a middle product of f's
 * length and n, and about 5 products in the field for each term and value: 2.8 for n terms, checked
 * 4.7. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_eval_geometric(uint64_t *values, const gfp_poly *f,
                                                          const uint64_t *start,
                                                          const uint64_t *ratio, size_t n,
                                                          const gfp_options *options);
/* f := the polynomial of degree below n with f(start ratio^i) = values_i; 0 for n = 0. Errors:
 * NOT_INVERTIBLE (two of the points are equal: the order of ratio is below n, which the message
 * names, or n > 1 and start or ratio is 0). Cost: 6.7, checked 8.6. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_interpolate_geometric(gfp_poly *f,
                                                                 const uint64_t *values,
                                                                 const uint64_t *start,
                                                                 const uint64_t *ratio, size_t n,
                                                                 const gfp_options *options);

/* ---- remainders by many moduli ---- */

/* Moduli m_i have degrees of at least 1, of any sizes, and need not be monic; n is the sum of the
 * degrees, M the product of all m_i. Arrays of polynomials are arrays of gfp_poly, all over one
 * field; indices of moduli and remainders in messages count from 0. Outputs of one call are
 * different polynomials. memory_cap counts the tree of products that each call makes. Errors:
 * ARGUMENT (a modulus is a constant other than 0), NOT_INVERTIBLE (a modulus is 0; error->index
 * names it).
 *
 * verify = point checks M by its value at a random point, and remainders r_i of f, given or found,
 * as follows: R has the coefficients of all r_i, one after the other, and R(z) at a random point z
 * is a linear function of f, whose coefficients a sum over the tree gives without any r_i: N / M as
 * a power series in 1 / X, for N the sum of z^(o_i) (m_i - m_i(z)) / (X - z) M / m_i, r_i at
 * X^(o_i) of R. N is checked by its value at a second random point, N / M by the product. A wrong
 * result passes with probability at most 3 ((2 n + 1) / |S|)^points (see gfp_verify; the report has
 * the bound). Where f has more than n terms, its division by M is checked as well.
 * cross, and point where the field has too few points, divides f by every modulus by the
 * definition: up to n^2 products in the field.
 *
 * Costs are in products of two polynomials of n terms; l is log2 of the number of moduli if all
 * have one degree, less where a few are much longer than the others. */

/* remainders[i] := f mod moduli[i], i < count, f of any degree: from n on f is divided by M first.
 * Cost: 1.7 l + 3.5, and what the division takes; checked l + 2 more. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_multi_rem(gfp_poly *remainders, const gfp_poly *f,
                                                     const gfp_poly *moduli, size_t count,
                                                     const gfp_options *options);
/* f := the polynomial of degree below n with f = remainders[i] modulo moduli[i], i < count; 0 for
 * count = 0. Remainders of any degree are reduced first. Errors: NOT_INVERTIBLE (two moduli have a
 * common factor: the message names both, error->index is the second). Cost: 3.7 l + 6.5, checked
 * l + 2 more, and an extended gcd with each modulus. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_multi_crt(gfp_poly *f, const gfp_poly *remainders,
                                                     const gfp_poly *moduli, size_t count,
                                                     const gfp_options *options);

GFP_END_DECLS
#endif
