/* impl.h: arithmetic modulo a fixed polynomial inside operations (poly/operation.h): outputs
 * overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_MODULUS_IMPL_H
#define GFP_POLY_MODULUS_IMPL_H

#include "poly/division/divrem.h"
#include "gfpoly/modulus.h"

struct gfp_modulus {
    gfp_allocator allocator;
    gfp_poly f;
    /* Kept for f: quotients of up to n coefficients, n its degree. Short moduli and
     * "classical" keep no operands. */
    gfp_poly_divisor divisor;
    gfp_operand *quotients, *minus;
};

/* The place of a product in a chain that checks it (chain.h): the residues of a, b and r. */
typedef struct gfp_chain gfp_chain;
typedef struct gfp_chain_link {
    gfp_chain *chain;
    const uint64_t *a, *b;
    uint64_t *r;
} gfp_chain_link;

/* a b X^shift modulo f: factors of up to n coefficients, shift at most 1. kept: b in the space of
 * the modulus's quotients, or NULL. link: NULL, or the chain that checks it. */
typedef struct gfp_modular_product {
    gfp_series a, b;
    const gfp_operand *kept;
    size_t shift;
    const gfp_chain_link *link;
} gfp_modular_product;

/* Names the method of the modulus in the report: moduli alone know it. */
void gfp_modulus_name_method(gfp_operation_call *op, const gfp_modulus *M);
/* r, n elements, := a mod f, checked as a 1 = q f + r. */
gfp_status gfp_modulus_reduce(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                              gfp_series a);
/* *x := a, or in a new array a mod f. */
gfp_status gfp_modulus_reduced(gfp_operation_call *op, gfp_series *x, const gfp_modulus *M,
                               const gfp_poly *a);

/* r, n elements, := such a product, checked as options->verify says. */
gfp_status gfp_modulus_multiply(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                                const gfp_modular_product *p);
double gfp_modulus_multiply_units(const gfp_modulus *M);
/* Checks p = q f + r for a quotient of len_q coefficients, or leaves that to the chain. */
gfp_status gfp_modulus_check(gfp_operation_call *op, const gfp_modulus *M,
                             const gfp_modular_product *p, gfp_series q, const uint64_t *r);

/* r, n elements, := a^e modulo f, a of up to n coefficients. Its products are checked together by a
 * chain, or where that does not serve one by one. */
gfp_status gfp_modulus_power(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                             gfp_series a, const uint64_t *exponent, size_t limbs);
/* A bound for the products of a power. */
unsigned gfp_modulus_power_products(const uint64_t *exponent, size_t limbs);

/* ---- calls that are not public ---- */

/* Bytes that the modulus holds, tables of the field apart: about 80 k n with three primes. */
size_t gfp_modulus_bytes(const gfp_modulus *M);

#endif
