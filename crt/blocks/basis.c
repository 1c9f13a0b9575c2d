/* basis.c: bases of word-size primes: the powers of the digits' radix modulo the primes, the
 * tree of products, and the rows and factors of the reconstruction.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/basis.h"

#include <string.h>

#include "field/base/support.h"

static const uint64_t *words_of(const mp_limb_t *x)
{
    return (const uint64_t *)(const void *)x;
}

static unsigned bits_of(unsigned mask)
{
    unsigned n = 0;
    for (; mask != 0; mask &= mask - 1) {
        n++;
    }
    return n;
}

/* ---- sizes and memory ---- */

/* The most limbs of a product of this many primes, with one limb more for products on the way. */
static size_t room_of(size_t primes)
{
    return primes * GFP_WORDS_BITS / 64 + 2;
}

/* Levels and nodes. */
static void measure_tree(gfp_words_basis *b)
{
    b->node_count = b->level_count = b->level_start[0] = 0;
    for (size_t level = b->leaf_count;; level = (level + 1) / 2) {
        b->node_count += level;
        b->level_start[++b->level_count] = b->node_count;
        if (level == 1) {
            return;
        }
    }
}

/* The rows of a leaf of this many primes: an even number. */
static size_t leaf_rows(const gfp_words_basis *b, size_t primes)
{
    const size_t rows = primes + (b->leaf_count == 1 ? 1 : 0);
    return rows + rows % 2;
}

/* The digits of its shares: those of the shares of a leaf of a tree, below s M_leaf, s < 2^19, and
 * those of M. */
static size_t leaf_digits(const gfp_words_basis *b, size_t primes)
{
    return gfp_words_digits_of(primes * GFP_WORDS_BITS + (b->leaf_count == 1 ? 0 : 20));
}

static gfp_status basis_measure(gfp_words_basis *b, const uint8_t *use, size_t count, bool few)
{
    if (count == 0) {
        return GFP_ERR_ARGUMENT;
    }
    if (count > GFP_WORDS_BLOCKS) {
        return GFP_ERR_SIZE;
    }
    b->count = count;
    b->leaf_blocks = few ? GFP_WORDS_LEAF_FEW : GFP_WORDS_LEAF;
    if (count <= (few ? GFP_WORDS_ALONE_FEW : GFP_WORDS_ALONE)) {
        b->leaf_blocks = count;
    }
    b->leaf_count = (count + b->leaf_blocks - 1) / b->leaf_blocks;
    measure_tree(b);
    b->primes = b->table_words = b->most_rows = b->most_digits = 0;
    for (size_t j = 0; j < count;) {
        size_t primes = 0;
        const size_t end = gfp_size_min(count, j + b->leaf_blocks);
        for (; j < end; j++) {
            primes += use == NULL ? GFP_WORDS : bits_of(use[j]);
        }
        const size_t rows = leaf_rows(b, primes), digits = leaf_digits(b, primes);
        b->primes += primes;
        b->table_words += (rows + 2) * gfp_words_columns(digits);
        b->most_rows = rows > b->most_rows ? rows : b->most_rows;
        b->most_digits = digits > b->most_digits ? digits : b->most_digits;
    }
    /* Nodes of a level have at most the limbs of all primes, and two more each. */
    b->limb_count = (b->level_count + 1) * room_of(b->primes) + 2 * b->node_count;
    return b->primes == 0 ? GFP_ERR_ARGUMENT : GFP_OK;
}

/* The blocks of memory of a basis. place: of the pointer. */
typedef struct piece {
    void *place;
    size_t count, size;
} piece;

enum { PIECES = 10 };

static void list_pieces(gfp_words_basis *b, piece pieces[PIECES])
{
    const piece list[PIECES] = {
        {&b->blocks, b->count, sizeof(void *)},
        {&b->use, b->count, sizeof *b->use},
        {&b->powers, b->count * GFP_WORDS_POWER_WORDS, sizeof *b->powers},
        {&b->scale, b->count * GFP_WORDS, sizeof *b->scale},
        {&b->reciprocals, b->primes, sizeof *b->reciprocals},
        {&b->leaves, b->leaf_count, sizeof *b->leaves},
        {&b->tables, b->table_words, sizeof *b->tables},
        {&b->nodes, b->node_count, sizeof *b->nodes},
        {&b->limbs, b->limb_count, sizeof *b->limbs},
        {&b->half_digits, b->most_digits, sizeof *b->half_digits},
    };
    memcpy(pieces, list, sizeof list);
}

static gfp_status basis_allocate(gfp_words_basis *b)
{
    piece pieces[PIECES];
    gfp_status status = GFP_OK;
    list_pieces(b, pieces);
    for (unsigned i = 0; i < PIECES; i++) {
        void *block = gfp_allocate(&b->allocator, pieces[i].count, pieces[i].size);
        memcpy(pieces[i].place, &block, sizeof block);
        status = block == NULL ? GFP_ERR_MEMORY : status;
    }
    return status;
}

void gfp_words_basis_destroy(gfp_words_basis *basis)
{
    if (basis == NULL) {
        return;
    }
    const gfp_allocator a = basis->allocator;
    piece pieces[PIECES];
    list_pieces(basis, pieces);
    for (unsigned i = 0; i < PIECES; i++) {
        void *block;
        memcpy(&block, pieces[i].place, sizeof block);
        gfp_release(&a, block, pieces[i].count, pieces[i].size);
    }
    gfp_release(&a, basis, 1, sizeof *basis);
}

size_t gfp_words_basis_bytes(const gfp_words_basis *basis)
{
    gfp_words_basis copy = *basis;
    piece pieces[PIECES];
    size_t bytes = sizeof copy;
    list_pieces(&copy, pieces);
    for (unsigned i = 0; i < PIECES; i++) {
        bytes += pieces[i].count * pieces[i].size;
    }
    return bytes;
}

/* ---- tables ---- */

/* The parts of a leaf. */
static void place_leaves(gfp_words_basis *b)
{
    size_t row = 0, table = 0;
    for (size_t i = 0; i < b->leaf_count; i++) {
        const size_t first = i * b->leaf_blocks;
        gfp_words_leaf *leaf = &b->leaves[i];
        leaf->blocks = b->blocks + first;
        leaf->use = b->use + first;
        leaf->scale = b->scale + first * GFP_WORDS;
        leaf->reciprocals = b->reciprocals + row;
        leaf->table = b->tables + table;
        leaf->count = gfp_size_min(b->count - first, b->leaf_blocks);
        leaf->primes = 0;
        for (size_t j = 0; j < leaf->count; j++) {
            leaf->primes += bits_of(leaf->use[j]);
        }
        leaf->rows = leaf_rows(b, leaf->primes);
        leaf->digits = leaf_digits(b, leaf->primes);
        row += leaf->primes;
        table += leaf->rows * gfp_words_columns(leaf->digits);
        leaf->neighbours = b->tables + table;
        table += 2 * gfp_words_columns(leaf->digits);
    }
}

/* The product of a leaf's primes. Returns its limbs. */
static size_t multiply_primes(mp_limb_t *product, const gfp_words_leaf *leaf)
{
    size_t n = 1;
    product[0] = 1;
    for (size_t j = 0; j < leaf->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((leaf->use[j] >> l & 1) != 0) {
                product[n] = mpn_mul_1(product, product, (mp_size_t)n, leaf->blocks[j]->q[l]);
                n += product[n] != 0 ? 1 : 0;
            }
        }
    }
    return n;
}

static void fill_nodes(gfp_words_basis *b, gfp_task *task)
{
    mp_limb_t *limbs = b->limbs;
    for (size_t i = 0; i < b->leaf_count; i++) {
        b->nodes[i] = (gfp_words_node){limbs, multiply_primes(limbs, &b->leaves[i])};
        limbs += b->nodes[i].n + 1;
    }
    for (size_t h = 1; h < b->level_count; h++) {
        for (size_t i = 0; i < gfp_words_nodes(b, h); i++) {
            gfp_words_node *node = &b->nodes[b->level_start[h] + i];
            const gfp_words_node *left = gfp_words_node_of(b, h - 1, 2 * i);
            if (2 * i + 1 == gfp_words_nodes(b, h - 1)) {
                *node = *left;
                continue;
            }
            const gfp_words_node *x = left, *y = left + 1;
            if (x->n < y->n) {
                x = left + 1;
                y = left;
            }
            *node = (gfp_words_node){limbs, x->n + y->n};
            node->n -= mpn_mul(limbs, x->limbs, (mp_size_t)x->n, y->limbs, (mp_size_t)y->n) == 0;
            limbs += node->n + 1;
            (void)gfp_task_advance(task, (double)(b->leaf_blocks << h));
        }
    }
    const gfp_words_node *top = gfp_words_top(b);
    b->half = limbs;
    mpn_rshift(b->half, top->limbs, (mp_size_t)top->n, 1);
    b->bits = top->n * 64 - 1 - gfp_clz64(top->limbs[top->n - 1]);
}

/* Places in the work area of the tables. */
typedef struct filling {
    mp_limb_t *sum;
    uint64_t *digits; /* of a product or a row, and as many sums */
    const gfp_words_kernels *kernels;
} filling;

static void fill_row(gfp_words_leaf *leaf, size_t row, const uint64_t *digits)
{
    for (size_t t = 0; t < leaf->digits; t += GFP_WORDS_GROUP) {
        memcpy(leaf->table + gfp_words_entry(leaf, row, t), digits + t,
               GFP_WORDS_GROUP * sizeof *digits);
    }
}

/* The row of -M of a basis of one leaf, modulo a power of 2^51, and (M - 1) / 2. M is odd. */
static void fill_last_row(gfp_words_basis *b, const filling *f)
{
    gfp_words_leaf *leaf = &b->leaves[0];
    const gfp_words_node *top = gfp_words_top(b);
    const size_t len = gfp_words_columns(leaf->digits);
    f->kernels->split(f->digits, len, words_of(top->limbs), top->n);
    for (size_t t = 0; t < len; t++) {
        f->digits[t] ^= GFP_WORDS_DIGIT_MASK - (t == 0);
    }
    fill_row(leaf, leaf->primes, f->digits);
    f->kernels->split(b->half_digits, leaf->digits, words_of(b->half), top->n);
}

/* x, n limbs, := the sum of sums[t] 2^(51 t), t < len, which n limbs hold; sums are below 2^61. */
static void carry_digits(mp_limb_t *x, size_t n, const uint64_t *sums, size_t len)
{
    gfp_u128 rest = 0;
    size_t i = 0;
    for (size_t t = 0, bit = 0; i < n; t++, bit += GFP_WORDS_DIGIT_BITS) {
        if (bit >= 64) {
            x[i++] = (mp_limb_t)rest;
            rest >>= 64;
            bit -= 64;
        }
        rest += t < len ? (gfp_u128)sums[t] << bit : 0;
    }
}

/* The rows of a leaf, zeros last; f->sum := the sum of the rows, one limb more than the node's. */
static void fill_rows(gfp_words_leaf *leaf, const gfp_words_node *node, const filling *f)
{
    const size_t columns = gfp_words_columns(leaf->digits);
    uint64_t *sums = f->digits + columns, *reciprocal = leaf->reciprocals;
    memset(sums, 0, columns * sizeof *sums);
    for (size_t r = leaf->primes; r < leaf->rows; r++) {
        fill_row(leaf, r, sums);
    }
    for (size_t j = 0; j < leaf->count; j++) {
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            if ((leaf->use[j] >> l & 1) != 0) {
                *reciprocal++ = gfp_words_reciprocal(leaf->blocks[j]->q[l]);
            }
        }
    }
    f->kernels->split(f->digits, columns, words_of(node->limbs), node->n);
    f->kernels->divide(leaf, f->digits, sums);
    carry_digits(f->sum, node->n + 1, sums, columns);
}

/* u, a number, := the residues of the sum of the leaves' sums. */
static void scale_of_sum(gfp_words_basis *b, mp_limb_t *u, uint64_t *work, gfp_task *task)
{
    const gfp_level level = gfp_cpu_level_get();
    const size_t width = gfp_words_top(b)->n + 2;
    const gfp_words_residues scale = {b, level, 0, b->count, b->scale, GFP_WORDS};
    u[width - 1] = 0; /* the sign */
    if (gfp_words_tree_pays(b, width, b->count)) {
        gfp_words_tree_project(&scale, words_of(u), width, work, task);
    } else {
        gfp_words_project(&scale, words_of(u), width, 1, work);
    }
}

static bool is_cancelled(gfp_task *task)
{
    return !gfp_task_advance(task, 0);
}

/* Errors: MEMORY, ARGUMENT (a prime is there twice), CANCELLED. */
static gfp_status basis_fill(gfp_words_basis *b, gfp_task *task)
{
    const gfp_allocator *a = &b->allocator;
    const gfp_level level = gfp_cpu_level_get();
    const gfp_words_kernels *kernels = gfp_words_kernels_of(level);
    for (size_t j = 0; j < b->count; j++) {
        kernels->tabulate(b->blocks[j], b->powers + j * GFP_WORDS_POWER_WORDS);
    }
    place_leaves(b);
    fill_nodes(b, task);
    if (is_cancelled(task)) {
        return GFP_ERR_CANCELLED;
    }
    /* A number, its scratch space, digits and their sums, or the work of its projection. */
    const size_t limbs = gfp_words_tree_limbs(b) + 1, scratch = gfp_words_tree_scratch(b);
    const size_t count = limbs + scratch + gfp_words_project_words(b, limbs, 1) +
                         2 * gfp_words_columns(b->most_digits);
    uint64_t *room = gfp_allocate(a, count, sizeof *room), *work = room + limbs + scratch;
    if (room == NULL) {
        return GFP_ERR_MEMORY;
    }
    mp_limb_t *u = (mp_limb_t *)(void *)room;
    filling f = {u, work, kernels};
    for (size_t i = 0; i < b->leaf_count; i++) {
        fill_rows(&b->leaves[i], &b->nodes[i], &f);
        f.sum += b->nodes[i].n + 1;
        (void)gfp_task_advance(task, (double)b->leaf_blocks);
    }
    gfp_words_tree_sum(b, u, u + limbs, task);
    scale_of_sum(b, u, work, task);
    if (b->leaf_count == 1) {
        fill_last_row(b, &f);
    }
    for (size_t i = 0; i < b->leaf_count; i++) {
        kernels->neighbours(&b->leaves[i]);
    }
    gfp_release(a, room, count, sizeof *room);
    if (is_cancelled(task)) {
        return GFP_ERR_CANCELLED;
    }
    /* The residues of sum M / q_i: modulo q_i those of M / q_i, 0 if q_i is there twice. */
    unsigned zeros = 0;
    for (size_t j = 0; j < b->count; j++) {
        zeros |= kernels->invert(b->blocks[j], b->use[j], b->scale + j * GFP_WORDS);
    }
    return zeros == 0 ? GFP_OK : GFP_ERR_ARGUMENT;
}

static gfp_status basis_create(gfp_words_basis **basis, gfp_words_basis *shape,
                               const gfp_words *const *blocks, const uint8_t *use, gfp_task *task)
{
    gfp_words_basis *b = gfp_allocate(&shape->allocator, 1, sizeof *b);
    if (b == NULL) {
        return GFP_ERR_MEMORY;
    }
    *b = *shape;
    gfp_status status = basis_allocate(b);
    if (status == GFP_OK) {
        memcpy(b->blocks, blocks, b->count * sizeof(void *));
        if (use != NULL) {
            memcpy(b->use, use, b->count);
        } else {
            memset(b->use, 0xff, b->count);
        }
        status = basis_fill(b, task);
    }
    if (status != GFP_OK) {
        gfp_words_basis_destroy(b);
        return status;
    }
    *basis = b;
    return GFP_OK;
}

gfp_status gfp_words_basis_create(gfp_words_basis **basis, const gfp_words *const *blocks,
                                  const uint8_t *use, size_t count, const gfp_allocator *allocator)
{
    gfp_words_basis shape = {.allocator = allocator != NULL ? *allocator : gfp_default_allocator};
    GFP_TRY(basis_measure(&shape, use, count, false));
    return basis_create(basis, &shape, blocks, use, NULL);
}

gfp_status gfp_words_basis_create_few(gfp_words_basis **basis, const gfp_words *const *blocks,
                                      const uint8_t *use, size_t count,
                                      const gfp_allocator *allocator)
{
    gfp_words_basis shape = {.allocator = allocator != NULL ? *allocator : gfp_default_allocator};
    GFP_TRY(basis_measure(&shape, use, count, true));
    return basis_create(basis, &shape, blocks, use, NULL);
}

gfp_status gfp_words_basis_create_watched(gfp_words_basis **basis, const gfp_words *const *blocks,
                                          size_t count, bool few, const gfp_allocator *allocator,
                                          gfp_task *task)
{
    gfp_words_basis shape = {.allocator = *allocator};
    GFP_TRY(basis_measure(&shape, NULL, count, few));
    return basis_create(basis, &shape, blocks, NULL, task);
}

const gfp_words *gfp_words_basis_block(const gfp_words_basis *basis, size_t j)
{
    return basis->blocks[j];
}

size_t gfp_words_basis_bits(const gfp_words_basis *basis)
{
    return basis->bits;
}

/* |c| <= (M - 1) / 2 < 2^bits, and so bits + 1 bits with the sign. */
size_t gfp_words_basis_limbs(const gfp_words_basis *basis)
{
    return basis->bits / 64 + 1;
}
