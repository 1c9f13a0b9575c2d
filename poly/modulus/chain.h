/* chain.h: one check of many products modulo f, each a factor or a result of others.
 *
 * A product is the identity a b X^shift - r V - q f = 0: V = 1 where q is the quotient, V = (1 -
 * X^N) / 2 and -q a multiple's factor in the representation of a reducer. Its residues modulo X^j -
 * d for one random digit d are weighed by a random digit, and added to a sum. Every polynomial is
 * folded once: r as a result and as a factor. At the end the sums of the r and of the q are
 * multiplied by V and by f.
 *
 * For a wrong product the sum of the weighed identities, as a polynomial, is 0 with probability <=
 * 2^-48; if it is not 0, X^j - d divides it for at most len / j of the 2^48 digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_MODULUS_CHAIN_H
#define GFP_POLY_MODULUS_CHAIN_H

#include "poly/modulus/impl.h"
#include "product/verify/fold.h"

struct gfp_chain {
    gfp_residue_ring ring;
    gfp_random weights;
    size_t N;        /* of V; 0: V = 1 */
    size_t products; /* that were added */
    int log2_error;
    uint64_t *f;          /* the residue */
    uint64_t *sum, *next; /* three sums, and behind them three terms: a b X^shift, r and q: 2 j, j
                             and j elements; `next` is where sums come */
};

/* Begins a chain modulo M's f, N as above. *begun := false, and nothing is taken, where such a
 * check does not serve: products are not checked, or by a second method; the field or the degree
 * has no residues; or the arrays exceed the operation's cap. Errors: MEMORY, UNAVAILABLE,
 * CANCELLED. */
gfp_status gfp_chain_begin(gfp_operation_call *op, gfp_chain *w, bool *begun, const gfp_modulus *M,
                           size_t N);
/* *residue, a new array, := zeros, for a polynomial. */
gfp_status gfp_chain_array(gfp_operation_call *op, const gfp_chain *w, uint64_t **residue);
/* residue := that of the n coefficients of x, which the caller has checked. */
gfp_status gfp_chain_enter(gfp_operation_call *op, gfp_chain *w, uint64_t *residue,
                           const uint64_t *x, size_t n);
/* r and q of a product, shift at most 1; turned: X q modulo X^N - 1 stands for q. */
typedef struct gfp_chain_product {
    gfp_series r, q;
    size_t shift;
    bool turned;
} gfp_chain_product;
/* Adds a product; link->r is set. Errors: VERIFY (a coefficient of r or q is not canonical),
 * CANCELLED, and those of products of residues. */
gfp_status gfp_chain_add(gfp_operation_call *op, const gfp_chain_link *link,
                         const gfp_chain_product *p);
/* Checks all products; without any nothing is done or reported. Errors: VERIFY, CANCELLED, and
 * those of products of residues. */
gfp_status gfp_chain_end(gfp_operation_call *op, gfp_chain *w);

#endif
