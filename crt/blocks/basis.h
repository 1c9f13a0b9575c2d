/* basis.h: the tables of a basis of word-size primes (remainders.h).
 *
 * A basis of few blocks is one leaf. Longer ones have leaves of leaf_blocks blocks, and a tree
 * of the products of their primes: node i of level h + 1 is the product of nodes 2 i and 2 i + 1 of
 * level h, or the former alone; level 0 has the leaves' products, and the top level has M. A number
 * is c = sum y_i M / q_i - f M. A node's share of the sum is u = sum y_i M_node / q_i over its
 * primes: u = u' M'' + u'' M' for children with shares u', u'' and products M', M''.
 *
 * The tree multiplies and divides by GMP's mpn functions, which take memory from malloc for numbers
 * of more than some dozens of limbs, and abort if there is none.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_BASIS_H
#define GFP_CRT_BLOCKS_BASIS_H

#include <gmp.h>

#include "field/base/task.h"
#include "crt/blocks/remainders.h"
#include "crt/blocks/levels.h"

/* The most blocks of a basis of one leaf, and the blocks of a leaf of a tree, for many numbers and
 * for few. The table of s primes takes 8 s^2 bytes, and as much time in proportion. */
#define GFP_WORDS_ALONE 127
#define GFP_WORDS_LEAF 32
#define GFP_WORDS_ALONE_FEW 8
#define GFP_WORDS_LEAF_FEW 8
/* The most blocks, more than a supply has, and levels of a tree for them. */
#define GFP_WORDS_BLOCKS 65536
#define GFP_WORDS_LEVELS 14

typedef struct gfp_words_node {
    mp_limb_t *limbs; /* the product */
    size_t n;
} gfp_words_node;

struct gfp_words_basis {
    gfp_allocator allocator;
    size_t count;  /* blocks */
    size_t primes; /* in use */
    size_t bits;   /* floor(log2 M) */
    const gfp_words **blocks;
    uint8_t *use;
    uint64_t *powers;      /* GFP_WORDS_POWER_WORDS for a block */
    uint64_t *scale;       /* eight words for a block */
    uint64_t *reciprocals; /* a word for a prime in use */
    gfp_words_leaf *leaves;
    size_t leaf_count, leaf_blocks;
    uint64_t *tables; /* of the leaves */
    size_t table_words;
    size_t most_rows, most_digits; /* of a leaf */
    /* The tree; for one leaf, node 0 of level 0 only. */
    gfp_words_node *nodes;
    size_t node_count, level_count;
    size_t level_start[GFP_WORDS_LEVELS + 1];
    mp_limb_t *limbs; /* of the nodes, and (M - 1) / 2 */
    size_t limb_count;
    mp_limb_t *half;       /* as many limbs as M */
    uint64_t *half_digits; /* the same in digits, for a basis of one leaf; most_digits */
};

/* Returns the digits that hold this many bits. */
static inline size_t gfp_words_digits_of(size_t bits)
{
    return bits / GFP_WORDS_DIGIT_BITS + (bits % GFP_WORDS_DIGIT_BITS != 0 ? 1 : 0);
}

/* Returns node i of level h. */
static inline const gfp_words_node *gfp_words_node_of(const gfp_words_basis *basis, size_t h,
                                                      size_t i)
{
    return &basis->nodes[basis->level_start[h] + i];
}

/* The nodes of level h. */
static inline size_t gfp_words_nodes(const gfp_words_basis *basis, size_t h)
{
    return basis->level_start[h + 1] - basis->level_start[h];
}

/* Returns M. */
static inline const gfp_words_node *gfp_words_top(const gfp_words_basis *basis)
{
    return &basis->nodes[basis->node_count - 1];
}

/* Returns the kernels of a level. */
const gfp_words_kernels *gfp_words_kernels_of(gfp_level level);

/* ---- tree.c ---- */

/* Limbs of the shares of all leaves, one after the other, a leaf with n limbs takes n + 1; and of
 * the scratch space of gfp_words_tree_sum. */
size_t gfp_words_tree_limbs(const gfp_words_basis *basis);
size_t gfp_words_tree_scratch(const gfp_words_basis *basis);
/* From the leaves' shares u computes the top's, which takes the first n + 1 limbs, M has n. A unit
 * of the task is a block on a level; u is undefined once the task is cancelled. */
void gfp_words_tree_sum(const gfp_words_basis *basis, mp_limb_t *u, mp_limb_t *scratch,
                        gfp_task *task);

/* Does the same as gfp_words_project, by matrices alone. work: gfp_words_matrix_words. */
void gfp_words_matrix(const gfp_words_residues *r, const uint64_t *x, size_t width, size_t n,
                      uint64_t *work);
size_t gfp_words_matrix_words(size_t width, size_t n);

/* Whether gfp_words_tree_project is the way for numbers of this width and `count` blocks. */
bool gfp_words_tree_pays(const gfp_words_basis *basis, size_t width, size_t count);
size_t gfp_words_tree_project_words(const gfp_words_basis *basis, size_t width);
/* Does the same as gfp_words_project for one number, by remainders modulo nodes. A unit of the task
 * is a block on a level; the residues are undefined once the task is cancelled. */
void gfp_words_tree_project(const gfp_words_residues *r, const uint64_t *x, size_t width,
                            uint64_t *work, gfp_task *task);

#endif
