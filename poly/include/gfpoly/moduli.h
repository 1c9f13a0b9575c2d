/* gfpoly/moduli.h: remainders by many moduli, and Chinese remainders of polynomials.
 *
 * A gfp_moduli keeps s moduli m_i of degree at least 1 and what serves many calls with them: a tree
 * of products of the moduli with their transforms, and for the Chinese remainder theorem the
 * inverses of M / m_i modulo m_i, M the product of all. The degrees may be of any sizes; n is their
 * sum. Moduli need not be monic. Arrays of polynomials are arrays of gfp_poly, all over one field;
 * indices of moduli and remainders in messages count from 0.
 *
 * Options are those of a product (gfpoly/options.h). method is one with transforms that stay
 * (gfpoly/operand.h), or "classical", for products by the definition alone; calls on a gfp_moduli
 * take the method of its creation; the first gfp_moduli_crt computes inverses by options->method.
 * threads share the work: nodes of one depth of the tree side by side. memory_cap counts all memory
 * that the call takes in addition to inputs, outputs, and what the field keeps. A gfp_moduli is an
 * output, and so are the inverses that its first gfp_moduli_crt adds to it.
 *
 * verify = point checks M by its value at a random point, and remainders r_i of f, given or found,
 * as follows: R has the coefficients of all r_i, one after the other, and R(z) at a random point z
 * is a linear function of f, whose coefficients a sum over the tree gives without any r_i: N / M as
 * a power series in 1 / X, for N the sum of z^(o_i) (m_i - m_i(z)) / (X - z) M / m_i, r_i at
 * X^(o_i) of R. N is checked by its value at a second random point, N / M by the product. A wrong
 * result passes with probability at most 3 ((2 n + 1) / |S|)^points (see gfp_verify; the report has
 * the sum over all checks). Where f has more than n terms, its division by M is checked as well.
 * cross, and point where the field has too few points, divides f by every modulus by the
 * definition: up to n^2 products in the field.
 *
 * Outputs may equal inputs; outputs of one call are different polynomials. Errors of all functions:
 * ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the
 * method). Outputs are unchanged then.
 *
 * Costs are in products of two polynomials of n terms, n the sum of the degrees; l is log2(s) for
 * moduli of one degree, less where a few are much longer than the others (docs/design/trees.md).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_MODULI_H
#define GFPOLY_MODULI_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- moduli ---- */

typedef struct gfp_moduli gfp_moduli;

/* *M := `count` moduli, which it copies. The field must outlive it. They need not be coprime unless
 * gfp_moduli_crt is called. A gfp_moduli does not change, but for the inverses that the first
 * gfp_moduli_crt computes: threads may share it. Errors: ARGUMENT (count = 0; a modulus is a
 * constant other than 0), NOT_INVERTIBLE (a modulus is 0; error->index names it). Cost: 0.7 l
 * + 2.5, checked 0.2 more. */
GFP_API GFP_MUST_CHECK gfp_status gfp_moduli_create(gfp_moduli **M, const gfp_poly *moduli,
                                                    size_t count, const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_moduli_destroy(gfp_moduli *M);
/* Bytes that it holds, tables of the field apart: at most about 60 k n (l + 4) with three primes,
 * inverses included. */
GFP_API size_t gfp_moduli_bytes(const gfp_moduli *M);
/* The field. */
GFP_API const gfp_field *gfp_moduli_field(const gfp_moduli *M);
/* The number of moduli. */
GFP_API size_t gfp_moduli_count(const gfp_moduli *M);
/* f := the product of the moduli, each divided by its leading coefficient. Cost: a copy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_moduli_product(gfp_poly *f, const gfp_moduli *M);

/* remainders[i] := f mod m_i for all i, f of any degree: from n on f is divided by the product
 * first. Cost: l + 1, and what the division takes; checked l + 2 more. */
GFP_API GFP_MUST_CHECK gfp_status gfp_moduli_reduce(gfp_poly *remainders, const gfp_poly *f,
                                                    const gfp_moduli *M,
                                                    const gfp_options *options);
/* f := the polynomial of degree below n with f = remainders[i] modulo m_i for all i. Remainders of
 * any degree are reduced first. Errors: NOT_INVERTIBLE (two moduli have a common factor: the
 * message names both, error->index is the second). Cost: l + 1, checked l + 2 more; the first
 * one 2 l + 3 more, and s extended gcds with the moduli. */
GFP_API GFP_MUST_CHECK gfp_status gfp_moduli_crt(gfp_poly *f, const gfp_poly *remainders,
                                                 const gfp_moduli *M, const gfp_options *options);

/* ---- moduli that do not stay ---- */

/* remainders[i] := f mod moduli[i], i < count. memory_cap counts the tree. Errors: as
 * gfp_moduli_create, but count may be 0. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_multi_rem(gfp_poly *remainders, const gfp_poly *f,
                                                     const gfp_poly *moduli, size_t count,
                                                     const gfp_options *options);
/* f := the polynomial of degree below n with f = remainders[i] modulo moduli[i], i < count; 0 for
 * count = 0. memory_cap counts the tree. Errors: as gfp_moduli_create and gfp_moduli_crt. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_multi_crt(gfp_poly *f, const gfp_poly *remainders,
                                                     const gfp_poly *moduli, size_t count,
                                                     const gfp_options *options);

GFP_END_DECLS
#endif
