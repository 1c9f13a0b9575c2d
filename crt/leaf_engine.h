/* leaf_engine.h: products of the leaves of the hybrid method's outer DFT (fft/outer.h) by a few
 * word-size primes. A leaf's coefficient is a polynomial of degree < k in T with balanced digits;
 * modulo a prime q it is evaluated in T at the k roots of T^k + 1 (channels), every channel is
 * multiplied in Z_q[x]/(x^m - g) by number-theoretic transforms, and the digits of the product come
 * back by CRT. The cost is linear in k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_LEAF_ENGINE_H
#define GFP_LEAF_ENGINE_H

#include <stdatomic.h>

#include "attachment.h"
#include "outer.h"

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

/* ---- tables ---- */

#define GFP_LEAF_PRIMES 4
#define GFP_LEAF_LENGTHS 32
/* Words of a root of unity and its companion. */
#define GFP_LEAF_ROOT_WORDS 2

/* The tables of one engine, attached to a field: the head of the engine's constants. Tables of
 * roots grow with the leaves: each is a prefix of the next, and none is replaced, so that its
 * readers are never disturbed. */
typedef struct gfp_leaf_tables {
    gfp_attachment head;
    const struct gfp_leaf_engine *engine;
    /* By prime, odd / 2 and log2_roots (see gfp_leaf_batch). */
    _Atomic(uint64_t *) roots[GFP_LEAF_PRIMES][3][GFP_LEAF_LENGTHS];
} gfp_leaf_tables;

/* ---- the residue rings of a kernel level ---- */

/* Leaves in work: how their channels lie. Columns are of `lanes` coefficients, those of all leaves
 * side by side; the channels of a prime follow each other, and those of the primes. */
typedef struct gfp_leaf_batch {
    const gfp_hybrid_shape *shape;
    const gfp_leaf_tables *tables;
    unsigned k, log2_k;
    unsigned count;
    unsigned levels;     /* of the transforms in x */
    unsigned log2_roots; /* a table of roots has entries for 2^log2_roots nodes */
    size_t columns;      /* of all leaves */
    size_t step;         /* columns from one channel to the next */
    size_t words;        /* of the channels of one prime */
    uint64_t *other;     /* as many words: the channels of the second factor */
    uint64_t *scratch;
    uint32_t *nodes; /* [c count + i]: where leaf i in channel c is in the tree of x^N - 1 */
} gfp_leaf_batch;

/* The table of roots that the batch uses modulo this prime: of the nodes (odd = 1), or of their
 * third or fifth roots. */
static inline const void *gfp_leaf_roots(const gfp_leaf_batch *l, unsigned prime, unsigned odd)
{
    return atomic_load_explicit(&l->tables->roots[prime][odd / 2][l->log2_roots],
                                memory_order_acquire);
}

/* Steps of a product modulo one prime, in this order. Transforms of factors and of products are two
 * kinds: a product holds a factor that the inverse and recombine remove. */
enum { GFP_LEAF_FORWARD = 1, GFP_LEAF_MULTIPLY = 2, GFP_LEAF_INVERSE = 4 };
#define GFP_LEAF_PRODUCT (GFP_LEAF_FORWARD | GFP_LEAF_MULTIPLY | GFP_LEAF_INVERSE)

/* The arithmetic of one kernel level: a row of functions on arrays aligned to 64 bytes. */
typedef struct gfp_leaf_engine {
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

    unsigned lanes; /* coefficients of a column */
    /* Levels of the transform in x of a leaf. */
    unsigned (*levels)(const gfp_hybrid_shape *shape);
    /* Columns from one channel to the next, at least `columns`; step lanes is a multiple of 8. */
    size_t (*step)(size_t columns);
    /* Words of scratch space, a multiple of 8. */
    size_t (*scratch_words)(unsigned k, unsigned primes);

    size_t tables_size; /* of the constants with their head */
    void (*constants)(gfp_leaf_tables *tables, const gfp_field *field);
    /* Roots of a table for each of its nodes, by odd / 2; 0: there is none. */
    unsigned node_roots[3];
    void (*fill_roots)(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots);

    /* Modulo the prime: y := the channels of the digits b (unless NULL), then x := those of a
     * (unless NULL), then steps on x. y is the second factor: a transform, which stays, unless b or
     * y = x says that it is transformed as x is. b may lie at x. */
    void (*steps)(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, uint64_t *y,
                  const int64_t *a, const int64_t *b, unsigned steps);
    /* z := x y, z + x y or z - x y for sign 0, 1, -1: transforms, x and y of factors, z of
     * products.
     */
    void (*accumulate)(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                       const uint64_t *y, int sign);
    /* z := x + y or x - y, of one kind; l has neither a work area nor nodes. */
    void (*add)(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                const uint64_t *y, bool subtract);
    /* Balanced digits of so many columns from the channels of all primes, which are products. Their
     * coefficients are sums of at most `terms` products of digits. */
    void (*recombine)(const gfp_leaf_batch *l, int64_t *digits, const uint64_t *channels,
                      size_t columns, size_t terms);
} gfp_leaf_engine;

extern const gfp_leaf_engine gfp_leaf_portable;
#if GFP_X86_LEVELS
extern const gfp_leaf_engine gfp_leaf_avx2;
extern const gfp_leaf_engine gfp_leaf_avx512ifma;
#endif

/* ---- products of leaves, leaf_engine.c ---- */

/* Makes the tables that the shape needs, attached to its field, unless they are there. A field has
 * the tables of one engine, that of its level (gfp_hybrid_level). MEMORY; UNAVAILABLE where another
 * engine's tables are attached. */
gfp_status gfp_leaf_prepare(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);

/* Words of the work area of products of at most shape->group leaves. */
size_t gfp_leaf_work_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);
/* A word of that work area, on a line: from there on gfp_leaf_multiply of a single leaf writes
 * nothing before it has read b for the last time, so that b may lie there. */
size_t gfp_leaf_late_word(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);
/* Words of the transform of count leaves, which is aligned to 64 bytes. */
size_t gfp_leaf_transform_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                                unsigned count);

/* The leaves first <= j < first + count of a shape that is prepared, count <= group. work: as many
 * words as gfp_leaf_work_words says, aligned to 64 bytes. */
typedef struct gfp_leaves {
    const gfp_leaf_engine *engine;
    const gfp_hybrid_shape *shape;
    unsigned first, count;
    uint64_t *work;
} gfp_leaves;

/* a := a b: leaf digits as fft/outer.h has them, both arrays starting at the first leaf; b may
 * equal a. The result is balanced as well. */
void gfp_leaf_multiply(const gfp_leaves *leaves, int64_t *a, const int64_t *b);

/* The same for one leaf in steps that threads may share. First gfp_leaf_residues for every prime,
 * in an area of words[0] words for the leaf; then gfp_leaf_restore_columns for all columns, of
 * engine->lanes coefficients, from v0 to v1. The work of either is words[1] words for the thread.
 * The areas are aligned as work. */
void gfp_leaf_part_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                         size_t words[2]);
void gfp_leaf_residues(const gfp_leaves *leaf, unsigned prime, uint64_t *area, const int64_t *a,
                       const int64_t *b);
void gfp_leaf_restore_columns(const gfp_leaves *leaf, const uint64_t *area, int64_t *a, size_t v0,
                              size_t v1);

/* A product in its parts, for operands that are transformed once and used many times. The transform
 * of leaves is what their product needs, modulo all primes of the shape; its form is the engine's.
 * There are transforms of factors, and transforms of products, which hold a factor that restore
 * removes; sums are of one kind. Inputs are not changed unless it is said; an output may be an
 * input. */

/* x := the transform of a factor. */
void gfp_leaf_transform(const gfp_leaves *leaves, uint64_t *x, const int64_t *digits);
/* z := x y, z + x y or z - x y for sign 0, 1, -1: x and y of factors, z of products. */
void gfp_leaf_accumulate(const gfp_leaves *leaves, uint64_t *z, const uint64_t *x,
                         const uint64_t *y, int sign);
/* z := x + y or x - y, of one kind; without the work area. */
void gfp_leaf_add(const gfp_leaves *leaves, uint64_t *z, const uint64_t *x, const uint64_t *y,
                  bool subtract);
/* Leaf digits, balanced, of the products or sums of products x, which is destroyed. Their
 * coefficients are sums of at most `terms` products of digits, as gfp_hybrid_primes counts them;
 * terms is at most 2^log2_max_length(k, 1). */
void gfp_leaf_restore(const gfp_leaves *leaves, int64_t *digits, uint64_t *x, size_t terms);
/* Leaf digits a := a y, y the transform of a factor; with sums as for gfp_leaf_restore. */
void gfp_leaf_multiply_by(const gfp_leaves *leaves, int64_t *a, const uint64_t *y, size_t terms);

#endif
