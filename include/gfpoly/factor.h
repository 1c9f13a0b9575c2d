/* gfpoly/factor.h: roots in Z/pZ, factorisation of polynomials, irreducible polynomials.
 *
 * Factors are monic. They are sorted by degree, then by their coefficients as integers below p,
 * that of the highest power first. The algorithms draw random polynomials from
 * options->verify_seed.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for quadratic algorithms without products, one gcd for
 * each degree. memory_cap counts all memory that the call takes in addition to inputs, outputs, and
 * what the field keeps: about 100 n elements for roots, and 50 n^(3/2) for a factorisation. verify
 * checks each remainder, product, gcd and composition inside as their own headers say, and that the
 * factors multiply back to f: at random points, where a wrong result passes with at most the
 * probability that the report has, or (cross) by products of a second method; cross also proves
 * each factor irreducible by Rabin's test.
 *
 * Outputs are over the field of f afterwards. Errors of all functions: ARGUMENT (NULL; f = 0, which
 * has neither factors nor finitely many roots), SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and
 * UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * Costs are for f of degree n: P is X^p modulo f, about 1.7 log2(p) products of n terms; C is a
 * composition modulo f (gfpoly/compose.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FACTOR_H
#define GFPOLY_FACTOR_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- results ---- */

typedef struct gfp_factor_power {
    gfp_poly poly; /* monic, of degree 1 at least */
    size_t exponent;
} gfp_factor_power;

/* leading times the product of factor[i].poly^factor[i].exponent over i < count: different factors,
 * exponents of 1 at least. The members may be read. */
typedef struct gfp_factors {
    const gfp_field *field;
    uint64_t leading[GFP_MAX_K]; /* k digits */
    gfp_factor_power *factor;
    size_t count, capacity;
} gfp_factors;

/* The product 1 without factors; allocates nothing and cannot fail. */
GFP_API void gfp_factors_init(gfp_factors *F, const gfp_field *field);
/* Frees the storage; F is the product 1 afterwards. */
GFP_API void gfp_factors_clear(gfp_factors *F);

/* Different elements root[i], count of k digits each, in the order of the integers below p, with
 * multiplicities. The members may be read. */
typedef struct gfp_roots {
    const gfp_field *field;
    uint64_t *root;
    size_t *multiplicity; /* at least 1 */
    size_t count, capacity;
} gfp_roots;

/* No roots; allocates nothing and cannot fail. */
GFP_API void gfp_roots_init(gfp_roots *R, const gfp_field *field);
/* Frees the storage; R has no roots afterwards. */
GFP_API void gfp_roots_clear(gfp_roots *R);

/* ---- factorisation ---- */

/* F := f as a product of irreducible polynomials; constants have no factors. Cost: P, about
 * (2 n)^(1/2) C and as many gcds; less where an early degree leaves one factor. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_factor(gfp_factors *F, const gfp_poly *f,
                                                  const gfp_options *options);
/* F := f as a product of powers of square-free polynomials without common factors, sorted by
 * exponent; no exponent occurs twice. Cost: a gcd for each exponent up to the greatest. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_factor_squarefree(gfp_factors *F, const gfp_poly *f,
                                                             const gfp_options *options);
/* F := the products of the irreducible factors of each degree of a square-free f; exponent
 * is that degree: factor[i].poly has factors of degree factor[i].exponent alone. Errors: ARGUMENT
 * (f has a multiple factor). Cost: as gfp_poly_factor. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_factor_distinct_deg(gfp_factors *F, const gfp_poly *f,
                                                               const gfp_options *options);

/* ---- roots ---- */

/* R := the roots of f in Z/pZ. verify checks that the product of X - root[i], with multiplicities,
 * divides f; cross also that the cofactor has no root among them. Cost: P, a gcd, and for m
 * different roots gcds of log2(m) levels. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_roots(gfp_roots *R, const gfp_poly *f,
                                                 const gfp_options *options);

/* ---- irreducible polynomials ---- */

/* *yes := whether f is irreducible: neither constant nor a product of two that are not. By a gcd
 * with X^p - X, then Rabin's test: X^(p^n) = X modulo f, and the gcds of f and X^(p^(n/q)) - X are
 * 1 for the primes q that divide n. Cost: P; with no root in Z/pZ, up to 2 log2(n) C for each q. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_is_irreducible(bool *yes, const gfp_poly *f,
                                                          const gfp_options *options);
/* f := a monic irreducible polynomial of degree n, uniform among all of them, by trial: about n
 * polynomials are drawn from g, and each is tested. f->field is the field. Errors: ARGUMENT (n =
 * 0). Cost: about n P. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_random_irreducible(gfp_poly *f, size_t n, gfp_random *g,
                                                              const gfp_options *options);

GFP_END_DECLS
#endif
