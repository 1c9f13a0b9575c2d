/* lean.c: the hybrid product in little memory. The leaves of the first factor lie in the
 * product's place. Those of the second are made a few at a time, by repeating the outer DFT, which
 * works on a few columns at a time (columns.c). If even that needs too much memory, the factors are
 * cut into blocks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/lean.h"
#include "crt/hybrid/columns.h"
#include "crt/hybrid/product.h"

#include <string.h>

#include "field/base/support.h"
#include "field/base/work.h"

/* The units of a usual product: three outer DFTs and a leaf. */
#define USUAL_UNITS 17.0

/* A running product of blocks. The leaves of the first factor, and then of the product, lie one
 * after the other in c, and continue in rest beyond the end of c. */
typedef struct job {
    const gfp_hybrid_product *p;
    const gfp_hybrid_shape *shape;
    size_t k, leaf; /* leaf: the words of a leaf */
    uint64_t *c;
    size_t room, len_c; /* room: elements of c; len_c: coefficients of the product */
    uint64_t *rest, *a, *b, *engine;
    gfp_hybrid_columns columns;
    gfp_task *task;
} job;

/* ---- the work area ---- */

/* Returns the words of the leaves that do not fit into c, which has len_c coefficients. */
static size_t rest_words(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape,
                         size_t len_c)
{
    return gfp_hybrid_align((shape->outer.leaves * shape->outer.m - len_c) * choice->k);
}

/* Returns the words that outer DFTs and products share: two arrays of columns for outer DFTs, or a
 * leaf of the first factor and the engine's work space for products. *b := the place of the second
 * factor's leaves in these words. A single leaf lies at a place that the engine writes only after
 * its last read of the leaf, if this place is behind the columns; several leaves lie behind
 * everything else. Saturates. */
static size_t shared_words(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape,
                           unsigned group, size_t *b)
{
    const size_t leaf = gfp_size_mul_sat(shape->outer.m, choice->k);
    const size_t columns = gfp_hybrid_columns_words(choice, &shape->outer);
    const size_t late = gfp_size_add_sat(leaf, gfp_leaf_late_word(choice->engine, shape));
    const size_t words =
        gfp_size_add_sat(leaf, gfp_hybrid_align(gfp_leaf_work_words(choice->engine, shape)));
    if (group == 1 && late >= columns) {
        *b = late;
        return words;
    }
    *b = words > columns ? words : columns;
    return gfp_size_add_sat(*b, gfp_size_mul_sat(leaf, group));
}

/* Returns the words besides c: the parts of struct job from rest on. */
static size_t lean_words(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape,
                         size_t len_c, unsigned group)
{
    size_t b;
    return gfp_size_add_sat(rest_words(choice, shape, len_c),
                            shared_words(choice, shape, group, &b));
}

/* Returns the words of the product of two blocks, if there are several. */
static size_t product_words(const gfp_hybrid_product *p, size_t len_a, size_t len_b)
{
    return gfp_hybrid_is_cut(&p->plan, len_a, len_b)
               ? gfp_hybrid_align(
                     gfp_size_mul_sat(p->plan.block_a + p->plan.block_b - 1, p->choice.k))
               : 0;
}

/* ---- the outer DFT ---- */

/* The array of leaves: an element has the k words of a coefficient. */
static uint64_t *leaves_at(const void *user, size_t i, size_t *run)
{
    const job *w = user;
    const bool in_c = i < w->room;
    *run = (in_c ? w->room : w->shape->outer.leaves * w->shape->outer.m) - i;
    return in_c ? w->c + i * w->k : w->rest + (i - w->room) * w->k;
}

/* Computes leaves first <= j < end of x: to b, or if b is NULL to their places. Returns false if
 * the call is cancelled. */
static bool lean_forward(const job *w, const uint64_t *x, size_t len, unsigned first, unsigned end,
                         uint64_t *b)
{
    const gfp_outer *outer = &w->shape->outer;
    const gfp_hybrid_piece from = {(uint64_t *)x, 0, len, w->k};
    const gfp_hybrid_piece group = {b, first * outer->m, end * outer->m, w->k};
    const gfp_hybrid_pieces source = gfp_hybrid_one_piece(&from);
    const gfp_hybrid_pieces leaves =
        b != NULL ? gfp_hybrid_one_piece(&group) : (gfp_hybrid_pieces){leaves_at, w};
    const size_t lanes = w->p->choice.outer->lanes, columns = outer->m / lanes;
    for (size_t v = 0; v < columns; v += w->columns.at_once) {
        const size_t count = gfp_size_min(w->columns.at_once, columns - v);
        gfp_hybrid_columns_forward(&w->columns, &source, len, v, count);
        gfp_hybrid_columns_put(&w->columns, &leaves, first, end, v, count);
        if (!gfp_task_advance(w->task,
                              (double)(count * lanes * outer->leaves) * GFP_HYBRID_COLUMN_UNITS)) {
            return false;
        }
    }
    return true;
}

/* c := the polynomial of the leaves. Each round overwrites only digits that it has read: the
 * coefficients of its columns have the places of their digits. Returns false if the call is
 * cancelled. */
static bool lean_inverse(const job *w)
{
    const gfp_hybrid_pieces leaves = {leaves_at, w};
    const size_t columns = w->shape->outer.m / w->p->choice.outer->lanes;
    return gfp_hybrid_columns_pass(&w->columns, &leaves, w->len_c, &leaves, true, 0, columns,
                                   w->task);
}

/* ---- the product ---- */

/* Computes leaf j of the product. b is the leaf of the second factor, or w->a for a square. Returns
 * false if the call is cancelled. */
static bool multiply_leaf(const job *w, unsigned j, const uint64_t *b)
{
    const gfp_hybrid_pieces leaves = {leaves_at, w};
    const size_t m = w->shape->outer.m;
    gfp_hybrid_pieces_read(&leaves, j * m, m, w->k, w->a); /* c is not aligned */
    const gfp_leaves leaf = {w->p->choice.engine, w->shape, j, 1, w->engine};
    gfp_leaf_multiply(&leaf, (int64_t *)w->a, (const int64_t *)b);
    gfp_hybrid_pieces_write(&leaves, j * m, m, w->k, w->a);
    return gfp_task_advance(w->task, (double)m * GFP_HYBRID_LEAF_UNITS);
}

static bool lean_multiply(const job *w, const uint64_t *a, size_t len_a, const uint64_t *b,
                          size_t len_b)
{
    const unsigned leaves = w->shape->outer.leaves, group = w->p->group;
    const bool square = a == b && len_a == len_b;
    if (!lean_forward(w, a, len_a, 0, leaves, NULL)) {
        return false;
    }
    for (unsigned first = 0; first < leaves; first += group) {
        const unsigned end = leaves - first < group ? leaves : first + group;
        if (!square && !lean_forward(w, b, len_b, first, end, w->b)) {
            return false;
        }
        for (unsigned j = first; j < end; j++) {
            if (!multiply_leaf(w, j, square ? w->a : w->b + (j - first) * w->leaf)) {
                return false;
            }
        }
    }
    return lean_inverse(w);
}

static gfp_status lean_piece(void *user, const gfp_cut_piece *x, uint64_t *c)
{
    const gfp_range *r = &x->range;
    job *w = user;
    w->c = c;
    w->len_c = r->end;
    return lean_multiply(w, r->a, r->len_a, r->b, r->len_b) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Returns the number of outer DFTs of a block. */
static unsigned lean_passes(const gfp_hybrid_product *p, bool square)
{
    return 2 + (square ? 0 : (p->plan.shape.outer.leaves - 1) / p->group + 1);
}

gfp_status gfp_hybrid_lean_run(const gfp_hybrid_product *p, const gfp_range *r, uint64_t *c,
                               uint64_t *work, gfp_task *task)
{
    const gfp_hybrid_shape *shape = &p->plan.shape;
    const size_t product = product_words(p, r->len_a, r->len_b), k = p->choice.k;
    const double points = (double)shape->outer.leaves * (double)shape->outer.m;
    const bool square = r->a == r->b && r->len_a == r->len_b && product == 0;
    const double units =
        points * (lean_passes(p, square) * GFP_HYBRID_COLUMN_UNITS + GFP_HYBRID_LEAF_UNITS);
    if (!gfp_task_span(task, 1, units * gfp_hybrid_blocks(&p->plan, r->len_a, r->len_b),
                       GFP_HYBRID_UNIT_COST * (double)k)) {
        return GFP_ERR_CANCELLED;
    }
    const size_t len = p->plan.block_a + p->plan.block_b - 1;
    job w = {.p = p, .shape = shape, .k = k, .task = task};
    w.leaf = shape->outer.m * k;
    w.room = len;
    w.rest = work + product;
    w.a = w.rest + rest_words(&p->choice, shape, len);
    w.engine = w.a + w.leaf;
    w.columns = gfp_hybrid_columns_in(&p->choice, &shape->outer, w.a);
    size_t second;
    (void)shared_words(&p->choice, shape, p->group, &second);
    w.b = w.a + second;
    const int rounding = gfp_rounding_begin();
    gfp_status status = gfp_leaf_prepare(p->choice.engine, shape);
    if (status == GFP_OK) {
        const gfp_cut pieces = gfp_cut_factors(r, p->plan.block_a, p->plan.block_b);
        status = gfp_cut_run(&pieces, c, product > 0 ? work : NULL, lean_piece, &w);
    }
    gfp_rounding_end(rounding);
    return status;
}

/* ---- plans ---- */

/* Plans blocks of these lengths, with all leaves of the second factor at once, or as many as
 * fit. */
static bool plan_groups(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r, size_t cap)
{
    const gfp_hybrid_shape *shape = &p->plan.shape;
    const size_t len = p->plan.block_a + p->plan.block_b - 1;
    const size_t product = product_words(p, r->len_a, r->len_b);
    for (unsigned rounds = 1; rounds <= shape->outer.leaves; rounds++) {
        p->group = (shape->outer.leaves - 1) / rounds + 1;
        needs->words = gfp_size_add_sat(product, lean_words(&p->choice, shape, len, p->group));
        if (gfp_work_bytes(needs->words) <= cap) {
            return true;
        }
    }
    return false;
}

bool gfp_hybrid_lean_plan(gfp_hybrid_product *p, gfp_needs *needs, const gfp_range *r, size_t cap)
{
    const double usual = p->plan.cost;
    const gfp_needs before = *needs;
    for (size_t block_a = r->len_a, block_b = r->len_b;;) {
        if (gfp_hybrid_plan_unwrapped(&p->plan, &p->choice, block_a, block_b)) {
            p->plan.shape.group = 1;
            if (plan_groups(p, needs, r, cap)) {
                const double each =
                    (lean_passes(p, false) * GFP_HYBRID_COLUMN_UNITS + GFP_HYBRID_LEAF_UNITS) /
                    USUAL_UNITS;
                needs->share =
                    each * p->plan.cost * gfp_hybrid_blocks(&p->plan, r->len_a, r->len_b) / usual;
                needs->on_stack = false;
                return true;
            }
        }
        if (block_a == 1 && block_b == 1) {
            *needs = before;
            return false;
        }
        gfp_cut_longer(&block_a, &block_b);
    }
}
