/* tree.c: long numbers and bases of many primes: sums of the leaves' shares along a tree of
 * products, and remainders modulo its nodes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/support.h"
#include "crt/blocks/basis.h"

/* ---- sums of shares ---- */

size_t gfp_words_tree_limbs(const gfp_words_basis *basis)
{
    size_t limbs = 0;
    for (size_t i = 0; i < basis->leaf_count; i++) {
        limbs += basis->nodes[i].n + 1;
    }
    return limbs;
}

/* Two products of n' + n'' + 1 limbs for children of n' and n'' limbs. */
size_t gfp_words_tree_scratch(const gfp_words_basis *basis)
{
    return 2 * (gfp_words_tree_limbs(basis) + 1);
}

static void tree_multiply(mp_limb_t *z, const mp_limb_t *x, size_t n, const mp_limb_t *y, size_t m)
{
    if (n >= m) {
        mpn_mul(z, x, (mp_size_t)n, y, (mp_size_t)m);
    } else {
        mpn_mul(z, y, (mp_size_t)m, x, (mp_size_t)n);
    }
}

/* Shares of s primes are below s M_node: one limb more than the product has. A parent with n limbs
 * has n <= n' + n'', and so its share fits in the place of its children's. */
void gfp_words_tree_sum(const gfp_words_basis *basis, mp_limb_t *u, mp_limb_t *scratch,
                        gfp_task *task)
{
    for (size_t h = 1; h < basis->level_count; h++) {
        const size_t below = gfp_words_nodes(basis, h - 1);
        mp_limb_t *from = u, *to = u;
        for (size_t i = 0; i < gfp_words_nodes(basis, h); i++) {
            const gfp_words_node *left = gfp_words_node_of(basis, h - 1, 2 * i);
            const size_t parent = gfp_words_node_of(basis, h, i)->n + 1;
            if (2 * i + 1 < below) {
                const gfp_words_node *right = left + 1;
                const mp_limb_t *other = from + left->n + 1;
                const size_t n = left->n + right->n + 1;
                tree_multiply(scratch, from, left->n + 1, right->limbs, right->n);
                tree_multiply(scratch + n, other, right->n + 1, left->limbs, left->n);
                from += n + 1;
                mpn_add_n(scratch, scratch, scratch + n, (mp_size_t)n);
                memcpy(to, scratch, parent * sizeof *to);
            } else {
                memmove(to, from, parent * sizeof *to);
                from += parent;
            }
            to += parent;
            if (!gfp_task_advance(task, (double)(basis->leaf_blocks << h))) {
                return;
            }
        }
    }
}

/* ---- remainders ---- */

/* Below this many limbs a product by a matrix is faster than a division (measured). */
#define CUT 4000
#define BLOCK_LIMBS 6 /* of the product of a block's primes, rounded down */

bool gfp_words_tree_pays(const gfp_words_basis *basis, size_t width, size_t count)
{
    return basis->level_count > 1 && width > CUT && count > CUT / BLOCK_LIMBS;
}

typedef struct descent {
    const gfp_words_residues *to;
    uint64_t *room; /* for quotients, and for the work of the matrices */
    gfp_task *task;
} descent;

/* The absolute value, remainders along a branch, each with a limb for the sign: they halve up to a
 * factor 2/3. */
size_t gfp_words_tree_project_words(const gfp_words_basis *basis, size_t width)
{
    const size_t room = gfp_size_add_sat(width, 2);
    (void)basis;
    return gfp_size_add_sat(
        gfp_size_mul_sat(room, 4),
        gfp_size_add_sat(4 * GFP_WORDS_LEVELS, gfp_words_matrix_words(room, 1)));
}

/* Returns n without zeros at the top, at least 1. */
static size_t tree_normal(const mp_limb_t *x, size_t n)
{
    while (n > 1 && x[n - 1] == 0) {
        n--;
    }
    return n;
}

/* Computes the residues of x >= 0, n limbs, for the blocks of node i of level h. x[n] may be
 * written; the words from `room` on are free. */
static void tree_descend(const descent *d, size_t h, size_t i, mp_limb_t *x, size_t n,
                         mp_limb_t *room)
{
    const gfp_words_basis *basis = d->to->basis;
    const gfp_words_node *node = gfp_words_node_of(basis, h, i);
    const size_t from = (i * basis->leaf_blocks) << h, end = from + (basis->leaf_blocks << h);
    gfp_words_residues part = *d->to;
    part.first = from > part.first ? from : part.first;
    const size_t last = gfp_size_min(end, d->to->first + d->to->count);
    if (part.first >= last) {
        return;
    }
    part.count = last - part.first;
    part.z += (part.first - d->to->first) * part.step;
    if (n >= node->n + node->n / 2 + 1) {
        mpn_tdiv_qr((mp_limb_t *)(void *)d->room, room, 0, x, (mp_size_t)n, node->limbs,
                    (mp_size_t)node->n);
        x = room;
        room += node->n + 1;
        n = tree_normal(x, node->n);
    }
    if (!gfp_task_advance(d->task, (double)part.count)) {
        return;
    }
    if (h == 0 || n <= CUT || part.count * BLOCK_LIMBS <= CUT) {
        x[n] = 0;
        gfp_words_matrix(&part, (const uint64_t *)(const void *)x, n + 1, 1, d->room);
        return;
    }
    for (size_t child = 2 * i; child < 2 * i + 2 && child < gfp_words_nodes(basis, h - 1);
         child++) {
        tree_descend(d, h - 1, child, x, n, room);
    }
}

void gfp_words_tree_project(const gfp_words_residues *r, const uint64_t *x, size_t width,
                            uint64_t *work, gfp_task *task)
{
    const bool negative = x[width - 1] >> 63 != 0;
    mp_limb_t *value = (mp_limb_t *)(void *)(work + gfp_words_matrix_words(width + 2, 1));
    memcpy(value, x, width * sizeof *x);
    if (negative) {
        mpn_neg(value, value, (mp_size_t)width);
    }
    const descent d = {r, work, task};
    tree_descend(&d, r->basis->level_count - 1, 0, value, tree_normal(value, width),
                 value + width + 1);
    for (size_t j = 0; negative && j < r->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            uint64_t *residue = &r->z[j * r->step + l];
            *residue = *residue == 0 ? 0 : r->basis->blocks[r->first + j]->q[l] - *residue;
        }
    }
}
