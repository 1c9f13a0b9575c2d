/* hybrid_ring.h: hybrid transforms that stay: the ring Z/p[x]/(x^N - 1), or its first leaves, with
 * polynomials in it transformed down to the channels of all primes. Products, sums and differences
 * are made there, as long as coefficients of leaves stay below what the primes hold.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HYBRID_RING_H
#define GFP_HYBRID_RING_H

#include "hybrid_shape.h"

typedef struct gfp_hybrid_ring {
    gfp_hybrid_choice choice;
    gfp_hybrid_shape shape;
    size_t length;    /* leaves m coefficients: polynomials of fewer are determined */
    size_t max_terms; /* digit products in a leaf's coefficient, in units of k D^2 (choice) */
    double cost;      /* of a product, roughly, in nanoseconds */
} gfp_hybrid_ring;

/* The cheapest ring of at least `length` coefficients in which sums of `terms` products, the
 * shorter factor of each of at most `shorter` coefficients, can be restored; with cyclic a full
 * tree: products wrap around at ring->length. False: there is none. */
bool gfp_hybrid_ring_make(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                          size_t terms, size_t shorter, bool cyclic);
/* The same, not cyclic, for single products: max_terms is not known. */
bool gfp_hybrid_ring_shape(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                           size_t shorter);
/* Tables of roots; before anything below. MEMORY. */
gfp_status gfp_hybrid_ring_prepare(const gfp_hybrid_ring *ring);

/* Words of a transform, which is aligned to 64 bytes, and of a work area, which need not be: for so
 * many threads, those of the task; whole for what begins or ends with polynomials, else one for
 * transforms alone suffices. Saturate. */
size_t gfp_hybrid_ring_words(const gfp_hybrid_ring *ring);
size_t gfp_hybrid_ring_work(const gfp_hybrid_ring *ring, bool whole, unsigned threads);

/* What a step costs, for spans of a task: units are those of points. */
#define GFP_RING_OUTER 1.0
#define GFP_RING_TRANSFORM 4.0
#define GFP_RING_MULTIPLY 3.0
#define GFP_RING_RESTORE 6.0
double gfp_hybrid_ring_points(const gfp_hybrid_ring *ring);
double gfp_hybrid_ring_unit_cost(const gfp_hybrid_ring *ring);

/* Each false: cancelled, the output is undefined. The task's threads share the leaves; what comes
 * out does not depend on them. Transforms are of factors (sums of w polynomials with balanced
 * digits have weight w) or of products (with so many terms). An output may be an input where both
 * are transforms. */

/* The leaf terms of a product of factors of these lengths and weights. Saturates. */
size_t gfp_hybrid_ring_terms(const gfp_hybrid_ring *ring, size_t len_a, size_t weight_a,
                             size_t len_b, size_t weight_b);
/* x := the factor a, len <= length; weight 1. OUTER + TRANSFORM. */
bool gfp_hybrid_ring_transform(const gfp_hybrid_ring *ring, uint64_t *x, const uint64_t *a,
                               size_t len, uint64_t *work, gfp_task *task);
/* z := x y, z + x y, z - x y for sign 0, 1, -1. MULTIPLY. */
bool gfp_hybrid_ring_multiply(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                              const uint64_t *y, int sign, uint64_t *work, gfp_task *task);
/* z := x + y or x - y, of one kind. No units. */
bool gfp_hybrid_ring_add(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                         const uint64_t *y, bool subtract, uint64_t *work, gfp_task *task);
/* z := the factor x as a product, whose terms are its weight. Units: TRANSFORM. */
bool gfp_hybrid_ring_lift(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                          uint64_t *work, gfp_task *task);
/* z := the product x as a factor of weight 1. RESTORE + TRANSFORM. */
bool gfp_hybrid_ring_renew(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                           size_t terms, uint64_t *work, gfp_task *task);
/* c := the first len <= length coefficients of the product x. RESTORE + OUTER. */
bool gfp_hybrid_ring_restore(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                             const uint64_t *x, size_t terms, uint64_t *work, gfp_task *task);
/* c := the first len <= length coefficients of a y, y a factor. 2 OUTER + TRANSFORM + MULTIPLY +
 * RESTORE. */
bool gfp_hybrid_ring_multiply_by(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                                 const uint64_t *a, size_t len_a, const uint64_t *y, size_t terms,
                                 uint64_t *work, gfp_task *task);
/* c := the first len <= length coefficients of the sum of count products x[i] y[i] of factors;
 * terms in all. count MULTIPLY + RESTORE + OUTER. */
bool gfp_hybrid_ring_dot(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                         const uint64_t *const *x, const uint64_t *const *y, size_t count,
                         size_t terms, uint64_t *work, gfp_task *task);
#endif
