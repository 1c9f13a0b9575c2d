/* ring.h: the interface of kept transforms, for methods that compute with integers modulo a few
 * primes: hybrid (crt/hybrid/ring.c) and crt (crt/small/native_ring.c). Products, sums and
 * differences are computed on transforms, as long as the product of the primes holds the integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_RING_H
#define GFP_CRT_RING_H

#include "field/base/context.h"
#include "field/base/support.h"
#include "field/base/task.h"

typedef struct gfp_ring_engine gfp_ring_engine;

/* What products do beyond the length L of a ring: they must not reach it; they wrap around, modulo
 * X^L - 1 or X^L + 1. */
typedef enum gfp_ring_wrap { GFP_RING_LINEAR, GFP_RING_CYCLIC, GFP_RING_NEGACYCLIC } gfp_ring_wrap;

/* The ring of one method, field and length; the first member of the engine's own structure.
 * Transforms are of factors (sums of w polynomials with reduced coefficients have weight w) or of
 * products, whose coefficients are sums of up to `terms` products of reduced coefficients. */
typedef struct gfp_ring {
    const gfp_ring_engine *engine;
    const gfp_field *field;
    size_t length;    /* coefficients: the ring determines polynomials with fewer */
    size_t words;     /* of a transform, which is aligned to 64 bytes */
    size_t bytes;     /* that the ring holds, tables of the field apart */
    size_t max_terms; /* terms that the primes hold; also the greatest weight */
    /* The terms of a product of factors of weight 1: at most `reach`, at most the length of the
     * shorter factor, and so at most `most` for all factors that fit. */
    size_t reach, most;
} gfp_ring;

/* A running step on a ring: the threads of the task (NULL: one) share it. */
typedef struct gfp_ring_call {
    const gfp_ring *ring;
    uint64_t *work; /* engine->work words */
    gfp_task *task;
} gfp_ring_call;

/* The units that steps report to a task: one transform, one product, one restored polynomial. */
typedef struct gfp_ring_units {
    double transform, product, restore;
    double cost; /* of a unit: see gfp_task_span */
} gfp_ring_units;

struct gfp_ring_engine {
    /* Whether transforms of this length exist; if not, writes the reason to why[0 .. size). NULL:
     * only create knows. */
    bool (*serves)(const gfp_field *field, size_t length, char *why, size_t size);
    /* *ring := the cheapest ring of at least `length` coefficients for sums of `terms` products or,
     * if the primes hold fewer, of fewer.
     * Errors: SIZE, MEMORY; *error (may be NULL) has the details. */
    gfp_status (*create)(gfp_ring **ring, const gfp_field *field, size_t length, size_t terms,
                         gfp_ring_wrap wrap, gfp_error *error);
    void (*destroy)(gfp_ring *ring);
    /* Returns the bytes of such a ring with its tables; SIZE_MAX: too many. NULL: few. */
    size_t (*bytes)(const gfp_field *field, size_t length, size_t terms, gfp_ring_wrap wrap);
    /* Returns the words of a work area for this many threads: `whole` for transform, restore,
     * multiply_by and dot. The area need not be aligned. Saturates. */
    size_t (*work)(const gfp_ring *ring, bool whole, unsigned threads);
    gfp_ring_units (*units)(const gfp_ring *ring);

    /* The functions below return false if the call is cancelled; the output is undefined then.
     * Results do not depend on threads. An output may be an input if both are transforms. */

    /* x := the factor a, len <= length; weight 1. One transform. */
    bool (*transform)(const gfp_ring_call *call, uint64_t *x, const uint64_t *a, size_t len);
    /* z := x y, z + x y, z - x y for sign 0, 1, -1: factors x, y, products z. One product. */
    bool (*multiply)(const gfp_ring_call *call, uint64_t *z, const uint64_t *x, const uint64_t *y,
                     int sign);
    /* z := x + y or x - y, both factors or both products. No units. */
    bool (*add)(const gfp_ring_call *call, uint64_t *z, const uint64_t *x, const uint64_t *y,
                bool subtract);
    /* z := the factor x as a product, whose terms are its weight. At most the units of a
     * transform. */
    bool (*lift)(const gfp_ring_call *call, uint64_t *z, const uint64_t *x);
    /* z := the product x as a factor of weight 1. Units: a restored polynomial and a transform. */
    bool (*renew)(const gfp_ring_call *call, uint64_t *z, const uint64_t *x, size_t terms);
    /* c := the first len <= length coefficients of the product x. One restored polynomial. */
    bool (*restore)(const gfp_ring_call *call, uint64_t *c, size_t len, const uint64_t *x,
                    size_t terms);
    /* c := the first len <= length coefficients of a y, for a factor y and a polynomial a; `terms`
     * in all. */
    bool (*multiply_by)(const gfp_ring_call *call, uint64_t *c, size_t len, const uint64_t *a,
                        size_t len_a, const uint64_t *y, size_t terms);
    /* c := the first len <= length coefficients of the sum of `count` products x[i] y[i] of
     * factors; `terms` in all. */
    bool (*dot)(const gfp_ring_call *call, uint64_t *c, size_t len, const uint64_t *const *x,
                const uint64_t *const *y, size_t count, size_t terms);
};

extern const gfp_ring_engine gfp_hybrid_rings, gfp_native_rings;

/* Returns the terms of a product of factors of these lengths and weights. Saturates. */
static inline size_t gfp_ring_terms(const gfp_ring *ring, size_t len_a, size_t weight_a,
                                    size_t len_b, size_t weight_b)
{
    const size_t terms = gfp_size_min(ring->reach, gfp_size_min(len_a, len_b));
    return gfp_size_mul_sat(terms, gfp_size_mul_sat(weight_a, weight_b));
}

#endif
