/* engine.h: products of the leaves of the hybrid method's outer DFT (fft/outer/dft.h) by a few
 * word-size primes. A leaf's coefficient is a polynomial of degree < k in T with balanced digits.
 * Modulo a prime q it is evaluated in T at the k roots of T^k + 1 (channels), every channel is
 * multiplied in Z_q[x]/(x^m - g) by number-theoretic transforms, and the digits of the product come
 * back by CRT. The cost is linear in k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAF_ENGINE_H
#define GFP_CRT_HYBRID_LEAF_ENGINE_H

#include <stdatomic.h>

#include "field/base/attachment.h"
#include "fft/outer/dft.h"
#include "fft/words/ntt48.h"

/* The shape of a product of len_a by len_b coefficients. */
typedef struct gfp_hybrid_shape {
    gfp_outer outer; /* m = odd 2^j, j >= 3 */
    unsigned odd;    /* 1, 3 or 5: the factor of m that is not a power of two */
    unsigned primes; /* word-size primes: their product exceeds twice every coefficient of a leaf */
    unsigned group;  /* leaves multiplied at once: short ones lie side by side. Whole nodes without
                        padding, or a part of a node that divides it (fft/outer/dft.h) */
    size_t wrap;     /* coefficients of the product beyond leaves m, computed separately; only for a
                        full tree */
    bool real;       /* reals stand for the last of three primes: only for whole products */
} gfp_hybrid_shape;

#define GFP_HYBRID_BITS 65536

/* ---- tables ---- */

#define GFP_LEAF_PRIMES 4
/* The number of the real transform, which stands for the third prime of a shape with `real`. */
#define GFP_LEAF_REAL GFP_LEAF_PRIMES
#define GFP_LEAF_LENGTHS 32
/* Words of a root of unity and its companion. */
#define GFP_LEAF_ROOT_WORDS 2

/* The tables of one engine, attached to a field: the head of the engine's constants. Tables of
 * roots grow with the leaves: each table is a prefix of the next, and no table is replaced, so that
 * readers are never disturbed. */
typedef struct gfp_leaf_tables {
    gfp_attachment head;
    const struct gfp_leaf_engine *engine;
    /* Indexed by prime, odd / 2 and log2_roots (see gfp_leaf_batch). */
    _Atomic(uint64_t *) roots[GFP_LEAF_PRIMES + 1][3][GFP_LEAF_LENGTHS];
} gfp_leaf_tables;

/* ---- the residue rings of a kernel level ---- */

/* A batch of leaves, with the layout of their channels. Columns are of `lanes` coefficients, those
 * of all leaves side by side; the channels of a prime follow each other, and the primes follow each
 * other. */
typedef struct gfp_leaf_batch {
    const gfp_hybrid_shape *shape;
    const gfp_leaf_tables *tables;
    unsigned k;      /* channels of a call */
    unsigned log2_k; /* of the ring */
    unsigned count;
    unsigned levels;     /* of the transforms in x */
    unsigned log2_roots; /* a table of roots has entries for 2^log2_roots nodes */
    size_t columns;      /* of all leaves */
    size_t step;         /* columns from one channel to the next */
    size_t words;        /* of the channels of one prime */
    uint64_t *other;     /* as many words for the channels of the second factor */
    uint64_t *scratch;
    uint32_t *nodes; /* [c count + i]: the node of leaf i in channel c in the tree of x^N - 1 */
} gfp_leaf_batch;

/* Returns the table of roots that the batch uses modulo this prime: of the nodes (odd = 1), or of
 * their third or fifth roots. */
static inline const void *gfp_leaf_roots(const gfp_leaf_batch *l, unsigned prime, unsigned odd)
{
    return atomic_load_explicit(&l->tables->roots[prime][odd / 2][l->log2_roots],
                                memory_order_acquire);
}

/* Pairs of transforms of factors, at least one: x and y. */
#define GFP_LEAF_PAIRS 4
typedef struct gfp_leaf_pairs {
    const uint64_t *x[GFP_LEAF_PAIRS], *y[GFP_LEAF_PAIRS];
    size_t count;
} gfp_leaf_pairs;

/* The steps of a product modulo one prime, in this order. Transforms of factors and of products
 * differ: a product holds a factor that the inverse and recombine remove. */
enum { GFP_LEAF_FORWARD = 1, GFP_LEAF_MULTIPLY = 2, GFP_LEAF_INVERSE = 4 };
#define GFP_LEAF_PRODUCT (GFP_LEAF_FORWARD | GFP_LEAF_MULTIPLY | GFP_LEAF_INVERSE)

/* The arithmetic of one kernel level: a row of functions on arrays aligned to 64 bytes. */
typedef struct gfp_leaf_engine {
    const char *name;
    /* Whether the engine serves this k and r (the portable engine serves all). */
    bool (*serves)(unsigned k, uint64_t r);
    /* Returns the bound of the coefficients of a product of leaves in absolute value with `count`
     * primes, as its log2 in units of 1 / GFP_HYBRID_BITS, rounded down; at most half the primes'
     * product. The unit is this fine because radices just below 2^64 come close to the bound. 0:
     * the engine does not serve this count. */
    unsigned (*bound_log2)(unsigned count);
    /* The bound of k m D^2, in these units, below which the reals of a product are exact enough;
     * 0: the engine has no real transform. */
    unsigned real_log2;
    /* Returns log2 of the longest leaf times outer size that its roots of unity admit, for odd = 1,
     * 3, 5; the least admitted leaf length is 8 odd. 0: this odd is not supported. */
    unsigned (*log2_max_length)(unsigned k, unsigned odd);

    unsigned lanes; /* coefficients of a column */
    /* Returns the levels of the transform in x of a leaf. */
    unsigned (*levels)(const gfp_hybrid_shape *shape);
    /* Returns the columns from one channel to the next, at least `columns`; step lanes is a
     * multiple of 8. */
    size_t (*step)(size_t columns);
    /* Returns the words of scratch space, a multiple of 8. */
    size_t (*scratch_words)(unsigned k, unsigned primes);

    size_t tables_size; /* of the constants with their head */
    void (*constants)(gfp_leaf_tables *tables, const gfp_field *field);
    /* Roots of a table for each of its nodes, indexed by odd / 2; 0: no such table. */
    unsigned node_roots[3];
    void (*fill_roots)(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots);

    /* Works modulo the prime, or (GFP_LEAF_REAL) with reals: y := the channels of the digits b
     * (unless b is NULL), then x := those of a (unless a is NULL), then steps on x, if any; l has
     * no nodes if there are none. y is the second factor: a transform, which does not change,
     * unless b is given or y = x; then y is transformed as x is. b may lie at x. */
    void (*steps)(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, uint64_t *y,
                  const int64_t *a, const int64_t *b, unsigned steps);
    /* z := s, z + s or z - s for sign 0, 1, -1, s the sum of the pairs' products: z is a transform
     * of products. */
    void (*accumulate)(const gfp_leaf_batch *l, unsigned prime, uint64_t *z,
                       const gfp_leaf_pairs *pairs, int sign);
    /* z := x + y or x - y, all transforms of factors, or all of products; l has neither a work area
     * nor nodes. */
    void (*add)(const gfp_leaf_batch *l, unsigned prime, uint64_t *z, const uint64_t *x,
                const uint64_t *y, bool subtract);
    /* For matrices (gfp_leaf_values), or NULL. project: x := the channels of the digits, with
     * `left` times the factor that a product lacks; l has levels = 0 and neither a work area nor
     * nodes. combine: c := a b, or c + a b unless `first`, in one channel: a is left, b is not, c
     * is a product. The panel has at most GFP_PANEL_TERMS terms. */
    void (*project)(const gfp_leaf_batch *l, unsigned prime, uint64_t *x, const int64_t *digits,
                    bool left);
    void (*combine)(const gfp_leaf_tables *tables, unsigned prime, uint64_t *c,
                    const gfp_panel *panel, bool first);
    /* Computes balanced digits of columns columns[0] <= v < columns[1] from the channels of all
     * primes, which are products. Their coefficients are sums of at most `terms` products of
     * digits. */
    void (*recombine)(const gfp_leaf_batch *l, int64_t *digits, const uint64_t *channels,
                      const size_t columns[2], size_t terms);
} gfp_leaf_engine;

extern const gfp_leaf_engine gfp_leaf_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_leaf_engine gfp_leaf_avx2;
extern const gfp_leaf_engine gfp_leaf_avx512dq;
extern const gfp_leaf_engine gfp_leaf_avx512ifma;
#endif

/* ---- products of leaves, engine.c ---- */

/* Makes the tables that the shape needs and attaches them to its field, unless the field has them.
 * A field has the tables of one engine, that of its level (gfp_hybrid_level). Errors: MEMORY;
 * UNAVAILABLE if another engine's tables are attached. */
gfp_status gfp_leaf_prepare(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);

/* Returns the words of the work area of products of at most shape->group leaves. */
size_t gfp_leaf_work_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);
/* Returns an index into that work area, on a line: from this word on gfp_leaf_multiply of a single
 * leaf writes nothing before it has read b for the last time, so that b may lie there. */
size_t gfp_leaf_late_word(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape);
/* Returns the words of the transform of count leaves, which is aligned to 64 bytes. */
size_t gfp_leaf_transform_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                                unsigned count);

/* Leaves first <= j < first + count of a shape that is prepared, count <= group. work has
 * gfp_leaf_work_words words, aligned to 64 bytes. */
typedef struct gfp_leaves {
    const gfp_leaf_engine *engine;
    const gfp_hybrid_shape *shape;
    unsigned first, count;
    uint64_t *work;
} gfp_leaves;

/* a := a b. Leaf digits have the layout of fft/outer/dft.h; both arrays start at the first leaf. b
 * may equal a. The result is balanced, too. */
void gfp_leaf_multiply(const gfp_leaves *leaves, int64_t *a, const int64_t *b);

/* gfp_leaf_multiply of one leaf in steps that threads may share. For every prime the channels x of
 * a b, by one call (gfp_leaf_residues) or by several: channels x and y of a and b for all columns,
 * of engine->lanes coefficients (gfp_leaf_evaluate_columns), and x := x y for all channels
 * (gfp_leaf_multiply_channels). Then gfp_leaf_restore_columns for all columns. Channels of a leaf
 * modulo one prime have words[0] words, whole lines; those of all primes, in order, are one array
 * for restore. The work area is words[1] words for the thread. All areas are aligned like work. */
void gfp_leaf_part_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                         size_t words[2]);
/* y is work space. b may equal a. */
void gfp_leaf_residues(const gfp_leaves *leaf, unsigned prime, uint64_t *x, uint64_t *y,
                       const int64_t *a, const int64_t *b);
/* Columns v0 <= v < v1 of the channels x := those of the leaf's digits. */
void gfp_leaf_evaluate_columns(const gfp_leaves *leaf, unsigned prime, uint64_t *x,
                               const int64_t *digits, size_t v0, size_t v1);
/* x := x y for channels c0 <= c < c1. y is overwritten; it may equal x. */
void gfp_leaf_multiply_channels(const gfp_leaves *leaf, unsigned prime, uint64_t *x, uint64_t *y,
                                unsigned c0, unsigned c1);
/* Columns v0 <= v < v1 of the leaf's digits := those of the channels x of all primes. */
void gfp_leaf_restore_columns(const gfp_leaves *leaf, const uint64_t *x, int64_t *digits, size_t v0,
                              size_t v1);

/* A product in its parts, for operands that are transformed once and used many times. The transform
 * of leaves is the input of their product, modulo all primes of the shape; its form is the
 * engine's. Transforms are of factors, or of products, which hold a factor that restore removes; a
 * sum has terms of one kind. Inputs do not change unless a comment says so; an output may be an
 * input. */

/* x := the transform of a factor. */
void gfp_leaf_transform(const gfp_leaves *leaves, uint64_t *x, const int64_t *digits);
/* z := s, z + s or z - s for sign 0, 1, -1, s the sum of the pairs' products: z is a transform of
 * products. */
void gfp_leaf_accumulate(const gfp_leaves *leaves, uint64_t *z, const gfp_leaf_pairs *pairs,
                         int sign);
/* z := x + y or x - y, all of one kind; this needs no work area. */
void gfp_leaf_add(const gfp_leaves *leaves, uint64_t *z, const uint64_t *x, const uint64_t *y,
                  bool subtract);
/* digits := the leaf digits, balanced, of the products or sums of products x, which is destroyed.
 * Their coefficients are sums of at most `terms` products of digits, as gfp_hybrid_primes counts
 * them; terms is at most 2^log2_max_length(k, 1). */
void gfp_leaf_restore(const gfp_leaves *leaves, int64_t *digits, uint64_t *x, size_t terms);
/* Coefficients one by one, without products in x, for matrices: digits have the layout of a leaf of
 * `columns` columns, and channel c modulo prime i is at x + (i k + c) step, a multiple of a line.
 * The shape is gfp_leaf_values_shape's, prepared; the engine has combine. */
typedef struct gfp_leaf_values {
    const gfp_leaf_engine *engine;
    const gfp_hybrid_shape *shape;
    uint64_t *x;
    size_t step, columns;
} gfp_leaf_values;
gfp_hybrid_shape gfp_leaf_values_shape(const gfp_field *field, unsigned primes);
/* x := the residues of the digits; left: as the left factor of a product of matrices. scratch:
 * engine->scratch_words. */
void gfp_leaf_project(const gfp_leaf_values *v, const int64_t *digits, bool left,
                      uint64_t *scratch);
/* c := a b, or c + a b unless `first`, modulo channel number j = i k + c of the shape. */
void gfp_leaf_combine(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape, size_t j,
                      uint64_t *c, const gfp_panel *panel, bool first);
/* digits := those of sums of at most `terms` products. scratch: as for project. */
void gfp_leaf_recombine(const gfp_leaf_values *v, int64_t *digits, size_t terms, uint64_t *scratch);

/* a := a y for leaf digits a, y the transform of a factor; terms as for gfp_leaf_restore. */
void gfp_leaf_multiply_by(const gfp_leaves *leaves, int64_t *a, const uint64_t *y, size_t terms);

#endif
