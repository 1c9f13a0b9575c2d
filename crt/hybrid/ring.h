/* ring.h: kept hybrid transforms (crt/ring.h): the ring Z/p[x]/(x^N - 1), its first leaves, or
 * its upper half of leaves, Z/p[x]/(x^(N/2) + 1).
 * Polynomials in the ring are transformed down to the channels of all primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_RING_H
#define GFP_CRT_HYBRID_RING_H

#include "crt/hybrid/shape.h"
#include "crt/ring.h"

typedef struct gfp_hybrid_ring {
    gfp_ring head;
    gfp_hybrid_choice choice;
    gfp_hybrid_shape shape;
    /* The tree of the outer DFT, and the number of its first leaf in that of the shape. Modulo
     * x^L + 1 the tree is that of x^L - 1: with y = x^m the leaves are those of y^h = -1, and y = z
     * T^(k/h) makes it z^h = 1. The turn is k / h for these rings, 0 for others. */
    gfp_outer tree;
    unsigned first, turn;
    double cost; /* of a product, roughly, in nanoseconds */
} gfp_hybrid_ring;

/* Makes the cheapest ring of at least `length` coefficients that restores sums of `terms` products,
 * the shorter factor of each of at most `shorter` coefficients; unless linear, products wrap around
 * at its length. A leaf's coefficient is a sum of digit products, in units of k D^2
 * (choice). Returns false if there is no such ring. */
bool gfp_hybrid_ring_make(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                          size_t terms, size_t shorter, gfp_ring_wrap wrap);
/* Makes a ring as gfp_hybrid_ring_make, linear, for single products: max_terms is not known. */
bool gfp_hybrid_ring_shape(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                           size_t shorter);
/* Makes the tables of roots; before any step. Errors: MEMORY. */
gfp_status gfp_hybrid_ring_prepare(const gfp_hybrid_ring *ring);

#endif
