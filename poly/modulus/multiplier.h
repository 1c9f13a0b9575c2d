/* multiplier.h: products by a fixed polynomial modulo f inside operations (poly/operation.h):
 * outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_MODULUS_MULTIPLIER_H
#define GFP_POLY_MODULUS_MULTIPLIER_H

#include "gfpoly/modulus.h"
#include "poly/modulus/impl.h"

typedef struct gfp_multiplier gfp_multiplier;
struct gfp_multiplier {
    const gfp_modulus *M;
    gfp_poly b;            /* below f; in a multiplier of an operation it owns no digits */
    gfp_operand *quotient; /* b'; NULL: products as of any two factors */
    gfp_operand *low;      /* b modulo X^L - 1 */
};

/* *B := a multiplier of b, at most n coefficients, which stays until gfp_multiplier_destroy. */
gfp_status gfp_multiplier_make(gfp_operation_call *op, gfp_multiplier **B, const gfp_modulus *M,
                               gfp_series b);
/* The same in a given place, which gfp_multiplier_empty frees, also after an error. */
gfp_status gfp_multiplier_fill(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                               gfp_series b);
void gfp_multiplier_empty(gfp_multiplier *B);
/* B := a multiplier of the same b as long as the arrays and operands of the operation stay. */
gfp_status gfp_multiplier_borrow(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                                 gfp_series b);
double gfp_multiplier_units(const gfp_modulus *M);

/* r, n elements, := a b mod f, a of up to n coefficients, checked as options->verify says. */
gfp_status gfp_multiplier_apply(gfp_operation_call *op, uint64_t *r, gfp_series a,
                                const gfp_multiplier *B);
/* The transpose, for linear forms on polynomials below X^n, which are arrays of the values at
 * X^(n - 1), ..., X, 1, in this order: r := the form a -> l(a b mod f). Not checked. */
gfp_status gfp_multiplier_transpose(gfp_operation_call *op, uint64_t *r, const uint64_t *l,
                                    const gfp_multiplier *B);
double gfp_multiplier_apply_units(const gfp_modulus *M);

/* ---- calls that are not public ---- */

/* *B := b mod f for products by it. It does not change; the modulus must outlive it. Cost: 1.5. */
GFP_MUST_CHECK gfp_status gfp_multiplier_create(gfp_multiplier **B, const gfp_poly *b,
                                                const gfp_modulus *M, const gfp_options *options);
/* NULL is allowed. */
void gfp_multiplier_destroy(gfp_multiplier *B);
/* Bytes that the multiplier holds. */
size_t gfp_multiplier_bytes(const gfp_multiplier *B);
/* c := a b mod f. Cost: 1.4. */
GFP_MUST_CHECK gfp_status gfp_poly_mul_multiplier(gfp_poly *c, const gfp_poly *a,
                                                  const gfp_multiplier *B,
                                                  const gfp_options *options);

#endif
