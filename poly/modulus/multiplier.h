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

/* B := a multiplier of b, at most n coefficients, which stays until gfp_multiplier_empty frees it,
 * also after an error. */
gfp_status gfp_multiplier_fill(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                               gfp_series b);
void gfp_multiplier_empty(gfp_multiplier *B);
/* B := a multiplier of the same b as long as the arrays and operands of the operation stay. */
gfp_status gfp_multiplier_borrow(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                                 gfp_series b);
double gfp_multiplier_units(const gfp_modulus *M);

/* r, n elements, := a b mod f, a of up to n coefficients, checked as options->verify says, by
 * itself (link = NULL) or in its chain. */
gfp_status gfp_multiplier_apply(gfp_operation_call *op, uint64_t *r, gfp_series a,
                                const gfp_multiplier *B, const gfp_chain_link *link);
/* The transpose, for linear forms on polynomials below X^n, which are arrays of the values at
 * X^(n - 1), ..., X, 1, in this order: r := the form a -> l(a b mod f). Not checked. */
gfp_status gfp_multiplier_transpose(gfp_operation_call *op, uint64_t *r, const uint64_t *l,
                                    const gfp_multiplier *B);
double gfp_multiplier_apply_units(const gfp_modulus *M);

/* Bytes that the multiplier holds. */
size_t gfp_multiplier_bytes(const gfp_multiplier *B);

#endif
