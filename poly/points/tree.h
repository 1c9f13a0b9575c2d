/* tree.h: trees of products over points, inside operations (poly/operation.h).
 *
 * The polynomial of a node is the product of 1 - x_i X over its points, so that a root x stands for
 * X - x read backwards. Points are padded by zeros, which change no product, to base 2^levels:
 * every leaf has `base` points, and every node of a level as many as the others. Leaf i has the
 * points i, i + groups, i + 2 groups, ...: point number j of all leaves is a part of the array of
 * points, and leaves are computed by products of vectors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_POINTS_TREE_H
#define GFP_POLY_POINTS_TREE_H

#include <stdatomic.h>

#include "gfpoly/tree.h"
#include "poly/operation_batch.h"
#include "poly/series/impl.h"

/* ---- shapes ---- */

/* The most points of a leaf, and the levels of its halves. */
#define GFP_TREE_MOST_BASE 32
#define GFP_TREE_DEPTH 5
#define GFP_TREE_LEVELS 64

typedef struct gfp_tree_shape {
    size_t n;      /* points */
    size_t base;   /* of a leaf; 0: no tree, quadratic algorithms */
    size_t groups; /* leaves, 2^levels */
    size_t padded; /* base groups */
    unsigned levels;
} gfp_tree_shape;

/* The most points of a leaf, a power of 2. */
size_t gfp_tree_most_base(const gfp_operation_call *op);
/* The shape for n points, whose rings are filled: base is 5, 6 or 8 times a power of 2. Up to this
 * threshold there is no tree. Errors: SIZE. */
gfp_status gfp_tree_shape_of(gfp_tree_shape *shape, const gfp_operation_call *op, size_t n,
                             gfp_threshold threshold);

/* ---- trees ---- */

/* Nodes of one length. */
typedef struct gfp_tree_level {
    size_t size, count;
    uint64_t *polys;  /* size + 1 coefficients each */
    gfp_space *space; /* modulo X^L - 1, L >= 2 size; NULL: the root */
    gfp_operand *x;   /* transforms of the polynomials; NULL: the root */
} gfp_tree_level;

struct gfp_tree {
    gfp_allocator allocator;
    const gfp_field *field;
    gfp_tree_shape shape;
    const gfp_method *method; /* NULL: classical */
    size_t words;             /* of the memory that all of the following lie in */
    gfp_work area;            /* the memory, if it is the tree's own, */
    bool kept;                /* and not that of an operation */
    uint64_t *points;         /* padded elements */
    uint64_t *minus;          /* -x_i, padded elements */
    uint64_t *inner;          /* polynomials of parts of leaves: see tree_base.c */
    uint64_t *product;        /* n + 1 coefficients of the product of X - x_i */
    gfp_tree_level level[GFP_TREE_LEVELS];
    gfp_space *top;       /* of the inverse */
    gfp_operand *inverse; /* of the root modulo X^n */
    /* Of n elements each; NULL: not computed yet. 1 / M'(x_i); the sums of all x_i^j, j < n, the
     * last one first (tree_certify.c). */
    _Atomic(uint64_t *) weights, sums;
};

/* *T := a tree of these points, which gfp_tree_destroy frees. kept: in memory of its own, and
 * checked; else in that of the operation, which ends later, and unchecked: results are. Errors:
 * SIZE, MEMORY, CANCELLED, VERIFY, those of gfp_space_create. */
gfp_status gfp_tree_make(gfp_tree **T, gfp_operation_call *op, const uint64_t *points, size_t n,
                         bool kept);
double gfp_tree_make_units(size_t n);
/* *s := a space of cyclic products for a tree, its bytes taken off the cap of op. Errors: MEMORY,
 * those of gfp_space_create. */
gfp_status gfp_tree_make_space(gfp_operation_call *op, gfp_space **s, size_t length, size_t terms);

/* ---- products (tree.c) ---- */

/* f, n + 1 elements, := the product of X - x_i. */
gfp_status gfp_tree_roots(gfp_operation_call *op, uint64_t *f, const uint64_t *points, size_t n);
double gfp_tree_roots_units(size_t n);
/* above := the products of the pairs of nodes of a level; their transforms go to level->x unless
 * that is NULL. */
gfp_status gfp_tree_multiply(gfp_operation_call *op, uint64_t *above, const gfp_tree_level *level,
                             gfp_space *s);
/* minus := -x_i, and zeros. */
void gfp_tree_negate(const gfp_field *field, uint64_t *minus, const uint64_t *points,
                     const gfp_tree_shape *shape);
/* z := x, n elements, the last one first; they do not overlap. */
void gfp_tree_reverse(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);

/* ---- leaves (tree_base.c) ---- */

/* polys := the polynomials of all leaves, base + 1 coefficients each; inner (NULL: not kept) those
 * of their parts. */
gfp_status gfp_tree_leaves(gfp_operation_call *op, uint64_t *polys, uint64_t *inner,
                           const uint64_t *minus, const gfp_tree_shape *shape);
/* The elements of inner. */
size_t gfp_tree_inner_size(const gfp_tree_shape *shape);
/* values, padded elements, := the values at the points; v: of each leaf the vector w (see
 * tree_eval.c), the last entry first. */
gfp_status gfp_tree_leaf_values(gfp_operation_call *op, uint64_t *values, const uint64_t *v,
                                const gfp_tree *T);
/* v := of each leaf the sum of c_i times the product of 1 - x_j X over its other points, base
 * coefficients; c has padded elements. */
gfp_status gfp_tree_leaf_sums(gfp_operation_call *op, uint64_t *v, const uint64_t *c,
                              const gfp_tree *T);

/* ---- values (tree_eval.c) ---- */

/* Up to this number of terms, values without a tree are faster than by a tree that stays, or than
 * by a tree where they are checked. */
static inline size_t gfp_tree_few_terms(const gfp_operation_call *op)
{
    const size_t few = op->threshold[GFP_THRESHOLD_TREE_POINTS] / 4;
    return few > 16 ? few : 16;
}

/* values, n elements, := f(x_i). */
gfp_status gfp_tree_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                           const gfp_tree *T);
/* The same by transforms, without a check; f has at most n terms. */
gfp_status gfp_tree_raw_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                               const gfp_tree *T);
double gfp_tree_values_units(const gfp_tree_shape *shape, size_t len);

/* ---- interpolation (tree_interp.c) ---- */

/* f, n elements, := the polynomial with these values. */
gfp_status gfp_tree_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                          const gfp_tree *T);
double gfp_tree_solve_units(const gfp_tree_shape *shape, bool weights);
/* Keeps n elements x at *place, a member of the tree, if the tree stays and there is memory: the
 * only change of a tree. */
void gfp_tree_keep(gfp_operation_call *op, const gfp_tree *tree, _Atomic(uint64_t *) *place,
                   const uint64_t *x);
/* Fill the error of a call whose points i < j are equal, or whose point i is equal to another one;
 * return its status. why: further text for the message. */
gfp_status gfp_tree_equal_points(gfp_operation_call *op, size_t i, size_t j, const char *why);
gfp_status gfp_tree_refuse_point(gfp_operation_call *op, const gfp_tree *T, size_t i);

/* ---- values without a tree ---- */

/* values, n >= 1 elements, := f(x_i), f of at least one term (tree_steps.c): by Horner's rule if f
 * has more than 4096 terms or the memory within a cap is short. values overlaps neither. */
gfp_status gfp_steps_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                            const uint64_t *points, size_t n);

/* ---- quadratic algorithms (tree_classical.c) ---- */

/* The units of n values by Horner's rule, and of their check by it. */
static inline double gfp_classical_values_units(size_t n, size_t len)
{
    return GFP_OPERATION_ELEMENT_UNITS * (double)n * ((double)len + 1);
}
gfp_status gfp_classical_roots(gfp_operation_call *op, uint64_t *f, const uint64_t *points,
                               size_t n);
gfp_status gfp_classical_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                const uint64_t *points, size_t n);
gfp_status gfp_classical_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                               const gfp_tree *T);

/* Whether values_i = f(x_i), by Horner's rule in another form (tree_check.c); a step of n len units
 * has begun. */
gfp_status gfp_classical_check(gfp_operation_call *op, gfp_series f, const uint64_t *points,
                               const uint64_t *values, size_t n);

/* ---- checks (tree_check.c), as options->verify says ---- */

gfp_status gfp_tree_check_roots(gfp_operation_call *op, const uint64_t *f, const uint64_t *points,
                                size_t n);
/* Every product of the tree. */
gfp_status gfp_tree_check_products(gfp_operation_call *op, const gfp_tree *T);
/* f(x_i) = values_i (tree_certify.c), by the weights (NULL: none), which are checked, too; f has at
 * most n terms. */
gfp_status gfp_tree_check_values(gfp_operation_call *op, const gfp_tree *T, const uint64_t *weights,
                                 gfp_series f, const uint64_t *values);

#endif
