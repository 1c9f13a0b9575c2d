/* gfpoly/compose.h: composition f(g): modulo a fixed polynomial h, of polynomials, and of power
 * series; with it minimal and characteristic polynomials modulo h, and the reversion of series.
 *
 * Options are those of a product (gfpoly/options.h). memory_cap counts all memory that the call
 * takes in addition to inputs, outputs (an argument is one), and what the field keeps: from n = 64
 * on at most 65 n elements modulo h, with an argument for one use, and 75 n for series. No cheap
 * identity holds for a composition: verify checks every product inside. Modulo X^j - d for a random
 * digit d or at random points, in linear time, a wrong result passes with probability at most 2^-40
 * (projections: 2^-39) (see gfp_verify; the report has the bound); cross computes the products
 * again by a second method.
 *
 * Outputs may equal inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY,
 * CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * Costs are in products M of two polynomials of n terms, measured over p8 at n = 2^10.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_COMPOSE_H
#define GFPOLY_COMPOSE_H

#include "gfpoly/modulus.h"

GFP_BEGIN_DECLS

/* ---- composition modulo h ---- */

/* A polynomial g modulo h, the polynomial of a gfp_modulus of degree n, for compositions f(g) mod
 * h: powers 1, g, ..., g^s of g are kept. An argument does not change: threads may share it. */
typedef struct gfp_compose_argument gfp_compose_argument;

/* *A := the argument g mod h, for about `uses` compositions (at least 1): s is about (uses n)^(1/2)
 * and at most n, so that many compositions take less time and more memory. The modulus must outlive
 * it. The method "classical" keeps g alone. Errors: ARGUMENT (uses is 0). Cost: 1.5 for each
 * power, 44 for one use. Memory: s n elements, and for more than one use four times as much. */
GFP_API GFP_MUST_CHECK gfp_status gfp_compose_argument_create(gfp_compose_argument **A,
                                                              const gfp_poly *g,
                                                              const gfp_modulus *M, size_t uses,
                                                              const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_compose_argument_destroy(gfp_compose_argument *A);

/* c := f(g) mod h; f is of any degree. Cost: 62 for f of n terms and an argument for one use, 30
 * for ten uses. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_compose_mod(gfp_poly *c, const gfp_poly *f,
                                                       const gfp_compose_argument *A,
                                                       const gfp_options *options);

/* ---- elements modulo h ---- */

/* a below is of any degree. */

/* f := the minimal polynomial of a modulo h: monic of least degree with f(a) = 0 mod h. The values
 * of forms that are drawn from options->verify_seed give it; f(a) = 0 is always tested, so that
 * the result does not depend on chance. VERIFY also where this fails again and again. Cost: 350. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_minpoly_mod(gfp_poly *f, const gfp_poly *a,
                                                       const gfp_modulus *M,
                                                       const gfp_options *options);
/* f := the characteristic polynomial of a modulo h, of degree n: the product of X - a(x) over the
 * roots x of h, that is up to a constant the resultant of h(Y) and X - a(Y). Errors: UNAVAILABLE
 * (p <= n: it comes from power sums). Cost: 190. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_charpoly_mod(gfp_poly *f, const gfp_poly *a,
                                                        const gfp_modulus *M,
                                                        const gfp_options *options);

/* ---- polynomials and series ---- */

/* c := f(g), of degree deg(f) deg(g). Checked once, at the end: the value of c at a random digit is
 * that of f at the value of g. Errors: SIZE (the result is too long). Cost: 3 to 6, n the length of
 * the result. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_compose(gfp_poly *c, const gfp_poly *f,
                                                   const gfp_poly *g, const gfp_options *options);

/* c := f(g) modulo X^n. Errors: ARGUMENT (g_0 is not 0; error->index is 0). Cost: 35, and 4 more
 * for each doubling of n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_compose_series(gfp_poly *c, const gfp_poly *f,
                                                          const gfp_poly *g, size_t n,
                                                          const gfp_options *options);
/* c := the series modulo X^n with g(c) = X, and so c(g) = X, in any characteristic. Errors:
 * ARGUMENT (g_0 is not 0; error->index is 0), NOT_INVERTIBLE (g_1 = 0 and n > 1; error->index is
 * 1). Cost: 66. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_revert_series(gfp_poly *c, const gfp_poly *g, size_t n,
                                                         const gfp_options *options);

GFP_END_DECLS
#endif
