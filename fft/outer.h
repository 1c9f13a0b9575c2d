/* outer.h: the outer DFT of a product: the first levels of the tree of x^N - 1 over Z/pZ, whose
 * nodes x^M - T^e split into x^(M/2) - T^(e/2) and x^(M/2) - T^(e/2 + k), T standing for r, T^k =
 * -1: only additions and negacyclic shifts of digits, kept lazily in vector lanes. It leaves
 * products modulo x^m - T^e, the leaves.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OUTER_H
#define GFP_OUTER_H

#include "cpu.h"
#include "gfpoly/field.h"

/* N = 2^log2_size m. Leaf j < 2^log2_size is x^m - T^e(j), e(j) = 2k / 2^log2_size times j with its
 * log2_size bits reversed. Only the first leaves of them are computed; they determine polynomials
 * of fewer than leaves m coefficients. */
typedef struct gfp_outer {
    const gfp_field *field;
    unsigned log2_size; /* 2^log2_size <= 2k */
    unsigned leaves;    /* 1 <= leaves <= 2^log2_size; where log2_size > 4, a multiple of the step
                           2^(log2_size - 4) */
    size_t m;           /* coefficients of a leaf, a multiple of lanes */
} gfp_outer;

/* Trees of more than 16 leaves are made in two goes, so that the second one, the products and the
 * way back find a node in a near cache: first at most 16 nodes, x^(step m) - T^e each, then the
 * step leaves of one node after the other. Where there are at most 16 leaves, these are the nodes.
 */
#define GFP_OUTER_MAX_STEP 32

static inline unsigned gfp_outer_log2_step(const gfp_outer *outer)
{
    return outer->log2_size > 4 ? outer->log2_size - 4 : 0;
}

/* The tree whose leaves are the nodes. */
static inline gfp_outer gfp_outer_top(const gfp_outer *outer)
{
    const unsigned log2_step = gfp_outer_log2_step(outer);
    return (gfp_outer){outer->field, outer->log2_size - log2_step, outer->leaves >> log2_step,
                       outer->m << log2_step};
}

/* Nodes of more words than this are padded where they would lie multiples of a page apart: the
 * lines that a column writes in all of them shall not meet in a few cache sets. Padding is an even
 * number of lines, which some caches fetch in pairs: an odd one was slower. */
#define GFP_OUTER_PAD_FROM 8192
#define GFP_OUTER_PAD 80

/* Words from node to node, a multiple of 8 where m k is one. */
static inline size_t gfp_outer_node_words(const gfp_outer *outer)
{
    const size_t words = (outer->m << gfp_outer_log2_step(outer)) * gfp_field_k(outer->field);
    return words > GFP_OUTER_PAD_FROM && words % 512 == 0 ? words + GFP_OUTER_PAD : words;
}

/* Where leaf j starts in the array of all nodes. */
static inline size_t gfp_outer_leaf_at(const gfp_outer *outer, unsigned j)
{
    const unsigned log2_step = gfp_outer_log2_step(outer), within = j & ((1U << log2_step) - 1);
    return (j >> log2_step) * gfp_outer_node_words(outer) +
           within * outer->m * gfp_field_k(outer->field);
}

/* Digits of a leaf: digit t of coefficient x is the lane x mod lanes of vector (x / lanes) k + t of
 * the leaf, that is place ((x / lanes) k + t) lanes + x mod lanes of its m k words. The leaves of a
 * node follow each other; the array, of gfp_outer_node_words for every node, is aligned to 64
 * bytes. Digits of a node, before it is refined, lie in the same way, with step m coefficients. All
 * are signed and balanced: |d| <= (r/2)(1 + 2^-20), and d fits int64_t. */
typedef struct gfp_outer_engine {
    const char *name;
    unsigned lanes;
    /* The nodes of x (len <= leaves m coefficients, canonical; zeros follow) for columns v0 <= v <
     * v1 of step m / lanes: column v is lane vector v of every node. */
    void (*forward)(const gfp_outer *outer, int64_t *node_digits, const uint64_t *x, size_t len,
                    size_t v0, size_t v1);
    /* The leaves of node number `node`, in place; digits: of this node. */
    void (*refine)(const gfp_outer *outer, int64_t *digits, unsigned node);
    /* Step times the node of these leaves, in place. */
    void (*coarsen)(const gfp_outer *outer, int64_t *digits, unsigned node);
    /* z[0 .. len) := the polynomial of these nodes, divided by step, canonical, for the
     * coefficients in columns v0 <= v < v1; len <= leaves m. node_digits may be overwritten in
     * these columns. */
    void (*inverse)(const gfp_outer *outer, uint64_t *z, size_t len, int64_t *node_digits,
                    size_t v0, size_t v1);
} gfp_outer_engine;

/* The engine of this level for a field: the portable one serves all k and r, vector levels those of
 * GFP_FAST_R_MIN <= r <= GFP_OUTER_R_MAX; NULL otherwise. */
const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r);
#define GFP_OUTER_R_MAX (UINT64_MAX - 0xfffffff)

#endif
