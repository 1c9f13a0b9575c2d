/* reducer.h: long chains of products modulo f, reduced from below: modulo W = X^N - 1
 * instead of by high coefficients (McLaughlin, after Montgomery). A residue a is represented by
 * a V modulo f, V = (1 - X^N) / 2, of n coefficients, n the degree of f, N >= n.
 *
 * Inside operations (poly/operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_MODULUS_REDUCER_H
#define GFP_POLY_MODULUS_REDUCER_H

#include "poly/modulus/impl.h"

typedef struct gfp_reducer {
    const gfp_modulus *M;
    size_t n, N;
    gfp_operand *inverse;      /* -1 / f modulo X^N - 1 */
    gfp_operand *below;        /* a factor modulo X^N - 1 */
    gfp_operand *f, *a, *m;    /* f, a factor and a multiple's factor modulo X^N + 1 */
    uint64_t *square, *digits; /* N elements each */
} gfp_reducer;

/* What is kept of a factor b in this representation. */
typedef struct gfp_reducer_factor {
    uint64_t *digits;    /* N elements */
    gfp_operand *scaled; /* -b / f modulo X^N - 1 */
    gfp_operand *b;      /* b modulo X^N + 1 */
} gfp_reducer_factor;

/* z, N elements, := 1 / f modulo X^N - 1, N elements of f (inverse.c). *unit := whether it
 * exists and N is one of 1, 3, 5 times a power of 2; z is undefined if not. Products are
 * computed by this row and not checked. Cost: 4 products of N terms. */
gfp_status gfp_modulus_invert_cyclic(gfp_operation_call *op, const gfp_method *method, uint64_t *z,
                                     bool *unit, const uint64_t *f, size_t N);

/* The least degree for which a chain of GFP_REDUCER_PRODUCTS products gains. */
#define GFP_REDUCER_DEGREE 32
#define GFP_REDUCER_PRODUCTS 32

/* Makes a reducer for the rest of the operation. *made := false, and nothing is taken, where it
 * does not serve: the method has no operands modulo X^N + 1 of this length, f and X^N - 1 have a
 * common factor, products are checked by a second method, or it would exceed the operation's cap.
 * Errors: MEMORY, CANCELLED, and those of products. */
gfp_status gfp_reducer_make(gfp_operation_call *op, gfp_reducer *w, bool *made,
                            const gfp_modulus *M);

/* r, N elements, := the representation of a, of up to n coefficients; and back, n elements. Both
 * are checked. */
gfp_status gfp_reducer_enter(gfp_operation_call *op, gfp_reducer *w, uint64_t *r, gfp_series a);
gfp_status gfp_reducer_leave(gfp_operation_call *op, gfp_reducer *w, uint64_t *r,
                             const uint64_t *a);

/* Fills *b, whose arrays and operands the operation makes, from the N elements of b->digits. */
gfp_status gfp_reducer_keep(gfp_operation_call *op, const gfp_reducer *w, gfp_reducer_factor *b);

/* r, N elements, := a b X^shift in this representation, shift at most 1; b = NULL: a^2. Checked as
 * 2 (a b X^shift + m f) = r (1 - X^N), by itself (link = NULL) or in its chain. */
gfp_status gfp_reducer_multiply(gfp_operation_call *op, gfp_reducer *w, uint64_t *r,
                                const uint64_t *a, const gfp_reducer_factor *b, size_t shift,
                                const gfp_chain_link *link);

#endif
