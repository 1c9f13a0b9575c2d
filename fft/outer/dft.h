/* dft.h: the outer DFT of a product: the first levels of the tree of x^N - 1 over Z/pZ. A node
 * x^M - T^e splits into x^(M/2) - T^(e/2) and x^(M/2) - T^(e/2 + k), T standing for r, T^k = -1: a
 * level takes only additions and negacyclic shifts of digits, kept lazily in vector lanes. The
 * outer DFT leaves products modulo x^m - T^e, the leaves. Four leaves, with m = N/4 and T^0 = T^2k
 * = 1:
 *
 *                      x^N - 1
 *              /                     \
 *      x^2m - 1                       x^2m - T^k
 *       /    \                         /       \
 *   x^m - 1   x^m - T^k    x^m - T^(k/2)   x^m - T^(3k/2)
 *    leaf 0    leaf 1          leaf 2          leaf 3
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_OUTER_DFT_H
#define GFP_FFT_OUTER_DFT_H

#include "field/base/cpu.h"
#include "gfpoly/field.h"

/* A tree: N = 2^log2_size m. Leaf j < 2^log2_size is x^m - T^e(j), e(j) = 2k / 2^log2_size times j
 * with its log2_size bits reversed. Only the first `leaves` leaves are computed; they determine
 * polynomials of fewer than leaves m coefficients. */
typedef struct gfp_outer {
    const gfp_field *field;
    unsigned log2_size; /* 2^log2_size <= 2k */
    unsigned leaves;    /* 1 <= leaves <= 2^log2_size; for log2_size > 4 a multiple of the step
                           2^(log2_size - 4) */
    size_t m;           /* coefficients of a leaf, a multiple of lanes */
} gfp_outer;

/* Trees of more than 16 leaves are computed in two passes, so that the second pass, the products
 * and the way back find a node in a near cache: first at most 16 nodes, x^(step m) - T^e each, then
 * the step leaves of one node after the other. In trees of at most 16 leaves, the nodes are the
 * leaves. */
#define GFP_OUTER_MAX_STEP 32

static inline unsigned gfp_outer_log2_step(const gfp_outer *outer)
{
    return outer->log2_size > 4 ? outer->log2_size - 4 : 0;
}

/* Returns the tree whose leaves are the nodes. */
static inline gfp_outer gfp_outer_top(const gfp_outer *outer)
{
    const unsigned log2_step = gfp_outer_log2_step(outer);
    return (gfp_outer){outer->field, outer->log2_size - log2_step, outer->leaves >> log2_step,
                       outer->m << log2_step};
}

/* Nodes of more than GFP_OUTER_PAD_FROM words are padded by GFP_OUTER_PAD words if they would lie
 * multiples of a page apart: the lines that a column writes in all nodes must not share a few cache
 * sets. The padding is an even number of lines, since some caches fetch lines in pairs: an odd
 * number was slower. */
#define GFP_OUTER_PAD_FROM 8192
#define GFP_OUTER_PAD 80

/* Returns the words from node to node, a multiple of 8 if m k is one. */
static inline size_t gfp_outer_node_words(const gfp_outer *outer)
{
    const size_t words = (outer->m << gfp_outer_log2_step(outer)) * gfp_field_k(outer->field);
    return words > GFP_OUTER_PAD_FROM && words % 512 == 0 ? words + GFP_OUTER_PAD : words;
}

/* Returns the words of the array of all nodes, which must fit memory. */
static inline size_t gfp_outer_words(const gfp_outer *outer)
{
    return (outer->leaves >> gfp_outer_log2_step(outer)) * gfp_outer_node_words(outer);
}

/* Returns the start of leaf j in the array of all nodes. */
static inline size_t gfp_outer_leaf_at(const gfp_outer *outer, unsigned j)
{
    const unsigned log2_step = gfp_outer_log2_step(outer), within = j & ((1U << log2_step) - 1);
    return (j >> log2_step) * gfp_outer_node_words(outer) +
           within * outer->m * gfp_field_k(outer->field);
}

/* The layout of a leaf: digit t of coefficient x is lane x mod lanes of vector (x / lanes) k + t of
 * the leaf, that is place ((x / lanes) k + t) lanes + x mod lanes of its m k words. The leaves of a
 * node follow each other. The array, of gfp_outer_node_words for every node, is aligned to 64
 * bytes. A node that is not yet refined has the same layout, with step m coefficients. All digits
 * are signed and balanced: |d| <= (r/2)(1 + 2^-20), and d fits int64_t. */
typedef struct gfp_outer_engine {
    const char *name;
    unsigned lanes;
    /* Computes the nodes of x (len <= leaves m coefficients, canonical; zeros follow) for columns
     * v0 <= v < v1 of step m / lanes: column v is lane vector v of every node. */
    void (*forward)(const gfp_outer *outer, int64_t *node_digits, const uint64_t *x, size_t len,
                    size_t v0, size_t v1);
    /* Computes the leaves of node number `node` in place; digits are those of this node. */
    void (*refine)(const gfp_outer *outer, int64_t *digits, unsigned node);
    /* Computes step times the node from its leaves, in place. */
    void (*coarsen)(const gfp_outer *outer, int64_t *digits, unsigned node);
    /* z[0 .. len) := the polynomial of these nodes, divided by step, canonical, for the
     * coefficients in columns v0 <= v < v1; len <= leaves m. The function may overwrite node_digits
     * in these columns. */
    void (*inverse)(const gfp_outer *outer, uint64_t *z, size_t len, int64_t *node_digits,
                    size_t v0, size_t v1);
} gfp_outer_engine;

/* Returns the engine of this level for a field: the portable one serves all k and r, vector levels
 * serve GFP_FAST_R_MIN <= r <= GFP_OUTER_R_MAX; NULL otherwise. */
const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r);
#define GFP_OUTER_R_MAX (UINT64_MAX - 0xfffffff)

#endif
