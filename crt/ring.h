/* ring.h: the interface of kept transforms: polynomials of one length over Z/pZ, or modulo X^L - 1
 * or X^L + 1, as transforms on which products, sums and differences are computed. The engines of
 * hybrid (crt/hybrid/ring.c) and crt (crt/small/native_ring.c) compute with integers modulo a few
 * primes, whose product bounds the integers; those of bigfft (product/operand/bigfft.c) and of
 * devices (product/operand/device.c) compute in Z/pZ, without bounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_RING_H
#define GFP_CRT_RING_H

#include "field/base/context.h"
#include "field/base/support.h"
#include "field/base/task.h"
#include "gfpoly/options.h"

typedef struct gfp_ring_engine gfp_ring_engine;

/* What products do beyond the length L of a ring: they must not reach it; they wrap around, modulo
 * X^L - 1 or X^L + 1. */
typedef enum gfp_ring_wrap { GFP_RING_LINEAR, GFP_RING_CYCLIC, GFP_RING_NEGACYCLIC } gfp_ring_wrap;

/* A ring that is asked for: of at least `length` coefficients for sums of `terms` products or, if
 * the primes hold fewer, of fewer. */
typedef struct gfp_ring_problem {
    const gfp_field *field;
    size_t length, terms;
    gfp_ring_wrap wrap;
    const gfp_options *options; /* devices read them */
    const void *frame;          /* of the caller, for engines of its own room */
} gfp_ring_problem;

/* The ring of one method, field and length; the first member of the engine's own structure. */
typedef struct gfp_ring {
    const gfp_ring_engine *engine;
    const gfp_field *field;
    size_t length; /* coefficients: the ring determines polynomials with fewer */
    size_t words;  /* of a transform, which is aligned to 64 bytes */
    size_t bytes;  /* that the ring holds, tables of the field apart */
    /* Of engines with bounds. max_terms: terms that the primes hold; also the greatest weight. The
     * terms of a product of factors of weight 1: at most `reach`, at most the length of the shorter
     * factor, and so at most `most` for all factors that fit. */
    size_t max_terms, reach, most;
} gfp_ring;

/* A kept transform. Of engines with bounds: of a factor, a sum of `weight` polynomials with reduced
 * coefficients, or of a product, whose coefficients are sums of up to `weight` products of reduced
 * coefficients. weight 0: the polynomial 0, a factor and a product. */
typedef struct gfp_transform {
    uint64_t *words;
    size_t weight;
    bool product;
    void *cache; /* engine->cache_bytes; NULL: none */
} gfp_transform;

/* Coefficients of a factor. */
typedef struct gfp_ring_factor {
    const uint64_t *digits;
    size_t len;
} gfp_ring_factor;

/* Coefficients from <= i < end of a polynomial, each at its place in z; those below `from` may be
 * computed, too. */
typedef struct gfp_ring_part {
    uint64_t *z;
    size_t from, end;
} gfp_ring_part;

/* A running step on a ring: the threads of the task (NULL: one) share it. */
typedef struct gfp_ring_call {
    const gfp_ring *ring;
    uint64_t *work; /* engine->work words */
    gfp_task *task;
    void *frame; /* of the caller, for engines of its own room */
} gfp_ring_call;

/* The units that steps report to a task: one transform, one product, one restored polynomial. */
typedef struct gfp_ring_units {
    double transform, product, restore;
    double cost; /* of a unit: see gfp_task_span */
} gfp_ring_units;

/* Members "or NULL" may be left out. */
struct gfp_ring_engine {
    /* Measured: the time of a polynomial by an operand over the time of a product. */
    double by_product;
    /* Products can wrap around, modulo X^L - 1; also modulo X^L + 1. */
    bool wraps, negates;
    /* Bytes of each transform's cache, which is zero at first. A step may change the cache of an
     * input. */
    size_t cache_bytes;
    /* Whether transforms of this length exist; if not, writes the reason to why[0 .. size). Or
     * NULL: only create knows. */
    bool (*serves)(const gfp_field *field, size_t length, char *why, size_t size);
    /* *ring := the cheapest ring of the problem. Errors: SIZE, MEMORY, and those of the device;
     * *error (may be NULL) has the details. */
    gfp_status (*create)(gfp_ring **ring, const gfp_ring_problem *problem, gfp_error *error);
    void (*destroy)(gfp_ring *ring);
    /* Returns the bytes of such a ring with its tables; SIZE_MAX: too many. Or NULL: few. */
    size_t (*bytes)(const gfp_ring_problem *problem);
    /* Returns the words of a work area for this many threads: `whole` for transform, restore,
     * multiply_by and dot. The area need not be aligned. Saturates. Or NULL: 0. */
    size_t (*work)(const gfp_ring *ring, bool whole, unsigned threads);
    /* Returns the bytes of page-locked memory of a product. Or NULL: 0. */
    size_t (*staging)(const gfp_ring *ring);
    gfp_ring_units (*units)(const gfp_ring *ring);

    /* Steps return OK, CANCELLED, MEMORY or an error of the device; the output is undefined then,
     * but unchanged by multiply and add of engines with a cache. Results do not depend on threads.
     * An output may be an input if both are transforms. The caller sets the output's weight and
     * product. */

    /* x := the factor a, len <= length; weight 1. One transform. */
    gfp_status (*transform)(const gfp_ring_call *call, gfp_transform *x, const uint64_t *a,
                            size_t len);
    /* z := x y, z + x y, z - x y for sign 0, 1, -1: factors x, y, products z. One product. */
    gfp_status (*multiply)(const gfp_ring_call *call, gfp_transform *z, const gfp_transform *x,
                           const gfp_transform *y, int sign);
    /* z := x + y or x - y, both factors or both products. No units. */
    gfp_status (*add)(const gfp_ring_call *call, gfp_transform *z, const gfp_transform *x,
                      const gfp_transform *y, bool subtract);
    /* The part of the product x. One restored polynomial. */
    gfp_status (*restore)(const gfp_ring_call *call, const gfp_ring_part *part,
                          const gfp_transform *x);
    /* The part of a y, for a factor y and a polynomial a; `terms` in all. */
    gfp_status (*multiply_by)(const gfp_ring_call *call, const gfp_ring_part *part,
                              const gfp_ring_factor *a, const gfp_transform *y, size_t terms);
    /* The part of the sum of `count` products x[i] y[i] of words of factors; `terms` in all. Or
     * NULL. */
    gfp_status (*dot)(const gfp_ring_call *call, const gfp_ring_part *part,
                      const uint64_t *const *x, const uint64_t *const *y, size_t count,
                      size_t terms);

    /* Of engines with bounds; NULL: products are factors, and nothing exceeds a bound. */

    /* z := the factor x as a product, whose terms are its weight. At most the units of a
     * transform. */
    gfp_status (*lift)(const gfp_ring_call *call, gfp_transform *z, const gfp_transform *x);
    /* z := the product x as a factor of weight 1. Units: a restored polynomial and a transform. */
    gfp_status (*renew)(const gfp_ring_call *call, gfp_transform *z, const gfp_transform *x);

    /* Of engines with a cache. */

    /* Clears the cache of x: x has changed, or will be destroyed. */
    void (*forget)(const gfp_ring *ring, gfp_transform *x);
    /* Returns the bytes outside of the cache itself that the cache of x holds. */
    size_t (*held)(const gfp_ring *ring, const gfp_transform *x);
};

extern const gfp_ring_engine gfp_hybrid_rings, gfp_native_rings;

/* Returns the terms of a product of factors of these lengths and weights. Saturates. */
static inline size_t gfp_ring_terms(const gfp_ring *ring, size_t len_a, size_t weight_a,
                                    size_t len_b, size_t weight_b)
{
    const size_t terms = gfp_size_min(ring->reach, gfp_size_min(len_a, len_b));
    return gfp_size_mul_sat(terms, gfp_size_mul_sat(weight_a, weight_b));
}

static inline gfp_status gfp_done_or_cancelled(bool done)
{
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

#endif
