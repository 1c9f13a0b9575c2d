/* hybrid.h: the hybrid product: an outer DFT over Z/pZ on digits (fft/outer.h), its leaves by a few
 * word-size primes. A leaf's coefficient is a polynomial of degree < k in T with balanced digits;
 * modulo a prime q it is evaluated in T at the k roots of T^k + 1 (channels), every channel is
 * multiplied in Z_q[x]/(x^m - g) by number-theoretic transforms, and the digits of the product come
 * back by CRT. The cost is linear in k. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HYBRID_H
#define GFP_HYBRID_H

#include "outer.h"
#include "task.h"

/* How a product of len_a by len_b coefficients is computed. */
typedef struct gfp_hybrid_shape {
    gfp_outer outer; /* m = odd 2^j, at least 8 */
    unsigned odd;    /* 1, 3 or 5: the factor of m that is no power of two */
    unsigned primes; /* word-size primes: their product exceeds twice every coefficient of a leaf */
    unsigned group;  /* leaves multiplied at once: short ones lie side by side. Whole nodes without
                        padding, or a part of a node that divides it (fft/outer.h) */
    size_t wrap;     /* coefficients of the product beyond leaves m, computed apart; only for a full
                        tree */
} gfp_hybrid_shape;

#define GFP_HYBRID_BITS 65536

/* A product in its parts, for operands that are transformed once and used many times. The transform
 * of count leaves is what their product needs, modulo all primes of the shape; its form is the
 * engine's. There are transforms of factors, and transforms of products, which hold a factor that
 * restore removes; sums are of one kind. Work areas as for the engine's multiply. Inputs are not
 * changed unless it is said; an output may be an input. */
typedef struct gfp_hybrid_parts {
    /* Words of the transform of count leaves; it is aligned to 64 bytes. */
    size_t (*words)(const gfp_hybrid_shape *shape, unsigned count);
    void (*transform)(const gfp_hybrid_shape *shape, uint64_t *x, const int64_t *digits,
                      unsigned first, unsigned count, uint64_t *work);
    /* z := x y, z + x y or z - x y for sign 0, 1, -1: x and y of factors, z of products. */
    void (*multiply)(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x,
                     const uint64_t *y, unsigned first, unsigned count, int sign, uint64_t *work);
    /* z := x + y or x - y, of one kind. */
    void (*add)(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x, const uint64_t *y,
                unsigned count, bool subtract);
    /* Leaf digits, balanced, of the products or sums of products x, which is destroyed. Their
     * coefficients are sums of at most `terms` products of digits, as gfp_hybrid_primes counts
     * them. terms is at most 2^log2_max_length(k, 1). */
    void (*restore)(const gfp_hybrid_shape *shape, int64_t *digits, uint64_t *x, unsigned first,
                    unsigned count, size_t terms, uint64_t *work);
    /* Leaf digits a := a y, y the transform of a factor; with sums as for restore. */
    void (*multiply_by)(const gfp_hybrid_shape *shape, int64_t *a, const uint64_t *y,
                        unsigned first, unsigned count, size_t terms, uint64_t *work);
} gfp_hybrid_parts;

/* The leaf products of one kernel level. */
typedef struct gfp_hybrid_engine {
    const char *name;
    /* Whether it serves this k and r (the portable engine serves all). */
    bool (*serves)(unsigned k, uint64_t r);
    /* What the coefficients of a product of leaves stay below in absolute value with count primes:
     * its log2 in units of 1 / GFP_HYBRID_BITS, rounded down: at most that of half the primes'
     * product, so fine a unit because radices just below 2^64 come close to it. 0 for a count that
     * it does not do. */
    unsigned (*bound_log2)(unsigned count);
    /* log2 of the longest leaf times outer size that its roots of unity admit, for odd = 1, 3, 5;
     * the least admitted leaf length is 8. 0: this odd is not supported. */
    unsigned (*log2_max_length)(unsigned k, unsigned odd);
    /* Words of work space of multiply. */
    size_t (*work_words)(const gfp_hybrid_shape *shape);
    /* A word of that work space, on a line: from there on multiply of a single leaf writes nothing
     * before it has read b for the last time, so that b may lie there. */
    size_t (*late_word)(const gfp_hybrid_shape *shape);
    /* Makes the tables that the shape needs, attached to its field, unless they are there. A field
     * has the tables of one engine, that of its level (gfp_hybrid_level). MEMORY. */
    gfp_status (*prepare)(const gfp_hybrid_shape *shape);
    /* a := a b for the leaves first <= j < first + count: leaf digits as fft/outer.h has them, both
     * arrays starting at leaf first; b may equal a. work: work_words, aligned to 64 bytes. The
     * result is balanced as well. */
    void (*multiply)(const gfp_hybrid_shape *shape, int64_t *a, const int64_t *b, unsigned first,
                     unsigned count, uint64_t *work);
    /* The same for one leaf in steps that threads may share; NULL: it has none. First `residues`
     * for every prime, in an area of part_words[0] words for the leaf; then `restore` for all
     * columns, of 8 coefficients, v0 <= v < v1, in an area of part_words[1] words for the thread.
     * Both areas are aligned as work. */
    void (*part_words)(const gfp_hybrid_shape *shape, size_t words[2]);
    void (*residues)(const gfp_hybrid_shape *shape, const int64_t *a, const int64_t *b,
                     unsigned leaf, unsigned prime, uint64_t *area);
    void (*restore)(const gfp_hybrid_shape *shape, int64_t *a, size_t v0, size_t v1,
                    const uint64_t *area, uint64_t *work);
    const gfp_hybrid_parts *parts;
} gfp_hybrid_engine;

extern const gfp_hybrid_engine gfp_hybrid_portable;
#if GFP_X86_LEVELS
extern const gfp_hybrid_engine gfp_hybrid_avx2;
extern const gfp_hybrid_engine gfp_hybrid_avx512ifma;
#endif

#endif
