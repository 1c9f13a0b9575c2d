/* gfpoly/modulus.h: polynomials modulo a fixed polynomial f: remainders, products, powers.
 *
 * A gfp_modulus keeps a copy of f, transforms of f and of its inverse as a series. It does not
 * change: threads may share it.
 * Inputs of the functions below are of any degree; those that are not below that of f are reduced
 * first, by a division. Results are below it.
 *
 * Options are those of a product (gfpoly/options.h). The method is the one that was named or picked
 * when the modulus was made: it has transforms that stay (gfpoly/operand.h), or is "classical", for
 * quadratic algorithms alone. memory_cap counts all memory that the call takes in addition to
 * inputs, outputs (a modulus is one), and what the field keeps: for powers at most
 * 320 n elements from degree n = 64 on. verify checks every product and remainder by a b = q f + r:
 * modulo X^j - d for a random digit d or at random points, in linear time, where a wrong result
 * passes with probability at most 2^-40 (see gfp_verify; the report has the bound); cross, by
 * products of a second method.
 *
 * Outputs may equal inputs. Errors of all functions: ARGUMENT (NULL), FIELD_MISMATCH, SIZE, MEMORY,
 * CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method). Outputs are unchanged then.
 *
 * Costs are in products of two polynomials of n terms, measured over p8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_MODULUS_H
#define GFPOLY_MODULUS_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- moduli ---- */

typedef struct gfp_modulus gfp_modulus;

/* *M := a modulus of f, of degree at least 1; f need not be monic. The field must outlive it.
 * Errors: ARGUMENT (the degree of f is 0), NOT_INVERTIBLE (f = 0). Cost: 2.2. */
GFP_API GFP_MUST_CHECK gfp_status gfp_modulus_create(gfp_modulus **M, const gfp_poly *f,
                                                     const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_modulus_destroy(gfp_modulus *M);
/* The polynomial f. */
GFP_API const gfp_poly *gfp_modulus_poly(const gfp_modulus *M);

/* ---- arithmetic modulo f ---- */

/* c := a mod f. Cost: 1.2 for a of 2n terms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_rem_mod(gfp_poly *c, const gfp_poly *a,
                                                   const gfp_modulus *M,
                                                   const gfp_options *options);
/* c := a b mod f. Cost: 2.2; 1.95 for a = b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mul_mod(gfp_poly *c, const gfp_poly *a,
                                                   const gfp_poly *b, const gfp_modulus *M,
                                                   const gfp_options *options);
/* c := a^e mod f, e = sum of exponent[i] 2^(64 i), i < n_limbs; a^0 = 1 for every a. Cost: 1.7 for
 * each bit of e if e has more than 32 bits and f a degree of at least 32 (a single square takes
 * 2.0), and for a other than X about 1.3 for every sixth bit. Every product is checked by an
 * identity of degree below 3 n at the same points: a wrong result passes with probability at most
 * the number of products times (3 n / |S|)^points. For a^p
 * pass gfp_field_modulus_limbs and gfp_field_limbs. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_pow_mod(gfp_poly *c, const gfp_poly *a,
                                                   const uint64_t *exponent, size_t n_limbs,
                                                   const gfp_modulus *M,
                                                   const gfp_options *options);
/* c := 1 / a mod f. The method is options->method, not the modulus's. verify is that of
 * gfpoly/gcd.h. Errors: NOT_INVERTIBLE (a and f have a common factor; a = 0). Cost: that of
 * gfp_poly_xgcd. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_inv_mod(gfp_poly *c, const gfp_poly *a,
                                                   const gfp_modulus *M,
                                                   const gfp_options *options);

GFP_END_DECLS
#endif
