/* engine.c: the leaf engine, once for all kernel levels: the layout of channels, the order of
 * steps, and tables of roots, which grow. The level's residue rings do the arithmetic.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/engine.h"

#include <string.h>

#include "field/base/contract.h"
#include "field/base/context.h"
#include "field/base/support.h"

/* ---- layout ---- */

static gfp_leaf_batch layout_of(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                                unsigned count)
{
    const gfp_field *field = shape->outer.field;
    gfp_leaf_batch l = {.shape = shape, .k = field->k, .log2_k = field->log2_k, .count = count};
    l.columns = count * (shape->outer.m / engine->lanes);
    l.step = engine->step(l.columns);
    l.words = engine->lanes * l.step * l.k;
    return l;
}

/* Roots serve the nodes above the last level in x, and those of the tree of T^(2k) - 1. */
static unsigned log2_roots(const gfp_hybrid_shape *shape, unsigned levels)
{
    const unsigned depth = shape->outer.log2_size + levels, log2_k = shape->outer.field->log2_k;
    return depth > log2_k ? depth - 1 : log2_k;
}

/* Returns the words behind the channels of the first factor: those of the second, modulo one prime;
 * scratch; nodes. */
static size_t rest_words(const gfp_leaf_engine *engine, const gfp_leaf_batch *l)
{
    const size_t nodes = ((size_t)l->count * l->k + 15) / 16 * 8;
    return l->words + engine->scratch_words(l->k, l->shape->primes) + nodes;
}

size_t gfp_leaf_work_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape)
{
    const gfp_leaf_batch l = layout_of(engine, shape, shape->group);
    return shape->primes * l.words + rest_words(engine, &l);
}

/* The place is that of the channels of a for the last prime. */
size_t gfp_leaf_late_word(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape)
{
    return (shape->primes - 1) * layout_of(engine, shape, 1).words;
}

size_t gfp_leaf_transform_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                                unsigned count)
{
    return shape->primes * layout_of(engine, shape, count).words;
}

void gfp_leaf_part_words(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape,
                         size_t words[2])
{
    const gfp_leaf_batch l = layout_of(engine, shape, 1);
    words[0] = l.words;
    words[1] = rest_words(engine, &l) - l.words;
}

/* ---- nodes ---- */

/* The 9 bits of the index in reverse: enough for 2k. */
#define REVERSED_2(x) (x), (x) + 256
#define REVERSED_4(x) REVERSED_2(x), REVERSED_2((x) + 128)
#define REVERSED_8(x) REVERSED_4(x), REVERSED_4((x) + 64)
#define REVERSED_16(x) REVERSED_8(x), REVERSED_8((x) + 32)
#define REVERSED_32(x) REVERSED_16(x), REVERSED_16((x) + 16)
#define REVERSED_64(x) REVERSED_32(x), REVERSED_32((x) + 8)
#define REVERSED_128(x) REVERSED_64(x), REVERSED_64((x) + 4)
#define REVERSED_256(x) REVERSED_128(x), REVERSED_128((x) + 2)
#define REVERSED_BITS 9
static const uint16_t reversed[2 * GFP_MAX_K] = {REVERSED_256(0), REVERSED_256(1)};

/* Leaf j is x^m - T^e(j), e(j) = 2k / 2^L reversed_L(j), and channel c has T = theta of order 2k to
 * the power E(c) = reversed_(1 + log2 k)(k + c), its place in the tree of T^(2k) - 1. So the leaf
 * modulo q is x^m - w^(E(c) reversed_L(j)), w of order 2^L, which is the node reversed_L(E(c)
 * reversed_L(j) mod 2^L) at depth L. */
static void fill_nodes(const gfp_leaf_batch *l, unsigned first)
{
    const unsigned unused = REVERSED_BITS - l->shape->outer.log2_size;
    const unsigned mask = (1U << l->shape->outer.log2_size) - 1;
    uint32_t *node = l->nodes;
    for (unsigned c = 0; c < l->k; c++) {
        const unsigned exponent = reversed[l->k + c] >> (REVERSED_BITS - 1 - l->log2_k);
        for (unsigned j = first; j < first + l->count; j++) {
            const unsigned leaf = reversed[j] >> unused;
            *node++ = (uint32_t)reversed[(exponent * leaf) & mask] >> unused;
        }
    }
}

static gfp_attachment_destroy tables_destroy;

/* Returns the leaves without a work area. */
static gfp_leaf_batch batch_of(const gfp_leaves *leaves)
{
    const gfp_leaf_engine *engine = leaves->engine;
    const gfp_hybrid_shape *shape = leaves->shape;
    GFP_CONTRACT(shape->primes >= 1 && shape->primes <= GFP_LEAF_PRIMES);
    GFP_CONTRACT(!shape->real || (shape->primes == 3 && engine->real_log2 > 0));
    GFP_CONTRACT(shape->outer.m % (engine->lanes * shape->odd) == 0);
    GFP_CONTRACT(leaves->first + leaves->count <= 1U << shape->outer.log2_size);
    gfp_leaf_batch l = layout_of(engine, shape, leaves->count);
    l.tables = (const gfp_leaf_tables *)gfp_field_attached(shape->outer.field, tables_destroy);
    l.levels = engine->levels(shape);
    l.log2_roots = log2_roots(shape, l.levels);
    return l;
}

/* Returns the leaves in their work area, which begins with the channels of the first factor, or (no
 * factor) with the parts behind these. */
static gfp_leaf_batch engine_begin(const gfp_leaves *leaves, bool factor)
{
    gfp_leaf_batch l = batch_of(leaves);
    const unsigned primes = leaves->shape->primes;
    l.other = leaves->work + (factor ? primes * l.words : 0);
    l.scratch = l.other + l.words;
    l.nodes = (uint32_t *)(l.scratch + leaves->engine->scratch_words(l.k, primes));
    fill_nodes(&l, leaves->first);
    return l;
}

/* ---- products ---- */

/* Returns the number of the modulus that stands for prime i. */
static unsigned modulus_number(const gfp_hybrid_shape *shape, unsigned i)
{
    return shape->real && i + 1 == shape->primes ? GFP_LEAF_REAL : i;
}

/* x := the channels of a b modulo the prime. */
static void multiply_modulo(const gfp_leaf_engine *engine, const gfp_leaf_batch *l, unsigned prime,
                            uint64_t *x, const int64_t *a, const int64_t *b)
{
    const unsigned modulus = modulus_number(l->shape, prime);
    if (a == b) {
        engine->steps(l, modulus, x, x, a, NULL, GFP_LEAF_PRODUCT);
    } else {
        engine->steps(l, modulus, x, l->other, a, b, GFP_LEAF_PRODUCT);
    }
}

/* Recombines all columns of the batch. */
static void recombine_all(const gfp_leaf_engine *engine, const gfp_leaf_batch *l, int64_t *digits,
                          const uint64_t *x, size_t terms)
{
    engine->recombine(l, digits, x, (const size_t[2]){0, l->columns}, terms);
}

void gfp_leaf_multiply(const gfp_leaves *leaves, int64_t *a, const int64_t *b)
{
    const gfp_leaf_engine *engine = leaves->engine;
    const unsigned primes = leaves->shape->primes;
    GFP_CONTRACT(leaves->count <= leaves->shape->group);
    uint64_t *x = leaves->work;
    const gfp_leaf_batch l = engine_begin(leaves, true);
    for (unsigned i = 0; i < primes; i++) {
        multiply_modulo(engine, &l, i, x + i * l.words, a, b);
    }
    recombine_all(engine, &l, a, x, leaves->shape->outer.m);
}

/* ---- products of one leaf in steps ---- */

/* Returns one leaf whose work area is a thread's (gfp_leaf_part_words). */
static gfp_leaf_batch part_begin(const gfp_leaves *leaf)
{
    gfp_leaf_batch l = batch_of(leaf);
    l.scratch = leaf->work;
    l.nodes = (uint32_t *)(l.scratch + leaf->engine->scratch_words(l.k, leaf->shape->primes));
    return l;
}

void gfp_leaf_residues(const gfp_leaves *leaf, unsigned prime, uint64_t *x, uint64_t *y,
                       const int64_t *a, const int64_t *b)
{
    gfp_leaf_batch l = part_begin(leaf);
    l.other = y;
    fill_nodes(&l, leaf->first);
    multiply_modulo(leaf->engine, &l, prime, x, a, b);
}

/* Returns how many channels of a prime one of this modulus stands for: channels of reals are
 * complex. */
static unsigned channel_width(unsigned modulus)
{
    return modulus == GFP_LEAF_REAL ? 2 : 1;
}

void gfp_leaf_evaluate_columns(const gfp_leaves *leaf, unsigned prime, uint64_t *x,
                               const int64_t *digits, size_t v0, size_t v1)
{
    gfp_leaf_batch l = part_begin(leaf);
    const unsigned modulus = modulus_number(l.shape, prime);
    const size_t at = v0 * leaf->engine->lanes;
    l.columns = v1 - v0;
    leaf->engine->steps(&l, modulus, x + channel_width(modulus) * at, NULL, digits + at * l.k, NULL,
                        0);
}

void gfp_leaf_multiply_channels(const gfp_leaves *leaf, unsigned prime, uint64_t *x, uint64_t *y,
                                unsigned c0, unsigned c1)
{
    const gfp_leaf_engine *engine = leaf->engine;
    gfp_leaf_batch l = part_begin(leaf);
    const unsigned modulus = modulus_number(l.shape, prime), width = channel_width(modulus);
    const unsigned first = c0 / width, count = c1 / width - first;
    const size_t at = width * first * engine->lanes * l.step;
    fill_nodes(&l, leaf->first);
    l.nodes += first;
    l.k = width * count;
    if (y != x) {
        engine->steps(&l, modulus, y + at, NULL, NULL, NULL, GFP_LEAF_FORWARD);
    }
    engine->steps(&l, modulus, x + at, y + at, NULL, NULL, GFP_LEAF_PRODUCT);
}

void gfp_leaf_restore_columns(const gfp_leaves *leaf, const uint64_t *x, int64_t *digits, size_t v0,
                              size_t v1)
{
    const gfp_leaf_batch l = part_begin(leaf);
    leaf->engine->recombine(&l, digits, x, (const size_t[2]){v0, v1}, leaf->shape->outer.m);
}

/* ---- products in parts ---- */

void gfp_leaf_transform(const gfp_leaves *leaves, uint64_t *x, const int64_t *digits)
{
    const gfp_leaf_batch l = engine_begin(leaves, false);
    GFP_CONTRACT(!leaves->shape->real);
    for (unsigned i = 0; i < leaves->shape->primes; i++) {
        leaves->engine->steps(&l, i, x + i * l.words, NULL, digits, NULL, GFP_LEAF_FORWARD);
    }
}

void gfp_leaf_accumulate(const gfp_leaves *leaves, uint64_t *z, const gfp_leaf_pairs *pairs,
                         int sign)
{
    const gfp_leaf_batch l = engine_begin(leaves, false);
    GFP_CONTRACT(!leaves->shape->real);
    gfp_leaf_pairs p = *pairs;
    for (unsigned i = 0; i < leaves->shape->primes; i++) {
        leaves->engine->accumulate(&l, i, z + i * l.words, &p, sign);
        for (size_t j = 0; j < p.count; j++) {
            p.x[j] += l.words;
            p.y[j] += l.words;
        }
    }
}

void gfp_leaf_add(const gfp_leaves *leaves, uint64_t *z, const uint64_t *x, const uint64_t *y,
                  bool subtract)
{
    const gfp_leaf_batch l = batch_of(leaves);
    GFP_CONTRACT(!leaves->shape->real);
    for (unsigned i = 0; i < leaves->shape->primes; i++) {
        const size_t at = i * l.words;
        leaves->engine->add(&l, i, z + at, x + at, y + at, subtract);
    }
}

void gfp_leaf_restore(const gfp_leaves *leaves, int64_t *digits, uint64_t *x, size_t terms)
{
    const gfp_leaf_batch l = engine_begin(leaves, false);
    GFP_CONTRACT(!leaves->shape->real);
    for (unsigned i = 0; i < leaves->shape->primes; i++) {
        leaves->engine->steps(&l, i, x + i * l.words, NULL, NULL, NULL, GFP_LEAF_INVERSE);
    }
    recombine_all(leaves->engine, &l, digits, x, terms);
}

void gfp_leaf_multiply_by(const gfp_leaves *leaves, int64_t *a, const uint64_t *y, size_t terms)
{
    const gfp_leaf_engine *engine = leaves->engine;
    const unsigned primes = leaves->shape->primes;
    uint64_t *x = leaves->work;
    const gfp_leaf_batch l = engine_begin(leaves, true);
    GFP_CONTRACT(!leaves->shape->real);
    for (unsigned i = 0; i < primes; i++) {
        /* y does not change. */
        engine->steps(&l, i, x + i * l.words, (uint64_t *)y + i * l.words, a, NULL,
                      GFP_LEAF_PRODUCT);
    }
    recombine_all(engine, &l, a, x, terms);
}

/* ---- matrices ---- */

gfp_hybrid_shape gfp_leaf_values_shape(const gfp_field *field, unsigned primes)
{
    return (gfp_hybrid_shape){.outer = {field, 0, 1, 8}, .odd = 1, .primes = primes, .group = 1};
}

static gfp_leaf_batch values_of(const gfp_leaf_values *v, uint64_t *scratch)
{
    const gfp_field *field = v->shape->outer.field;
    return (gfp_leaf_batch){
        .shape = v->shape,
        .tables = (const gfp_leaf_tables *)gfp_field_attached(field, tables_destroy),
        .k = field->k,
        .log2_k = field->log2_k,
        .count = 1,
        .log2_roots = log2_roots(v->shape, 0),
        .columns = v->columns,
        .step = v->step / v->engine->lanes,
        .words = v->step * field->k,
        .scratch = scratch,
    };
}

void gfp_leaf_project(const gfp_leaf_values *v, const int64_t *digits, bool left, uint64_t *scratch)
{
    const gfp_leaf_batch l = values_of(v, scratch);
    for (unsigned i = 0; i < v->shape->primes; i++) {
        v->engine->project(&l, i, v->x + i * l.words, digits, left);
    }
}

void gfp_leaf_combine(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape, size_t j,
                      uint64_t *c, const gfp_panel *panel, bool first)
{
    const gfp_field *field = shape->outer.field;
    engine->combine((const gfp_leaf_tables *)gfp_field_attached(field, tables_destroy),
                    (unsigned)(j / field->k), c, panel, first);
}

void gfp_leaf_recombine(const gfp_leaf_values *v, int64_t *digits, size_t terms, uint64_t *scratch)
{
    const gfp_leaf_batch l = values_of(v, scratch);
    recombine_all(v->engine, &l, digits, v->x, terms);
}

/* ---- tables ---- */

/* Returns the roots of the prime's table for 2^log2 nodes. Reals have one root for each node, and
 * one table for all odd. */
static size_t root_count(const gfp_leaf_engine *engine, unsigned prime, unsigned odd, unsigned log2)
{
    if (prime == GFP_LEAF_REAL) {
        return odd == 1 ? (size_t)1 << log2 : 0;
    }
    return (size_t)engine->node_roots[odd / 2] << log2;
}

static void tables_destroy(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    gfp_leaf_tables *tables = (gfp_leaf_tables *)attachment;
    for (unsigned i = 0; i <= GFP_LEAF_REAL; i++) {
        for (unsigned odd = 1; odd <= 5; odd += 2) {
            for (unsigned j = 0; j < GFP_LEAF_LENGTHS; j++) {
                gfp_release(allocator, atomic_load(&tables->roots[i][odd / 2][j]),
                            root_count(tables->engine, i, odd, j),
                            GFP_LEAF_ROOT_WORDS * sizeof(uint64_t));
            }
        }
    }
    gfp_release(allocator, tables, 1, tables->engine->tables_size);
}

/* *tables := the tables of the field; the first call makes them. Errors: MEMORY, UNAVAILABLE. */
static gfp_status engine_attach(const gfp_leaf_engine *engine, const gfp_field *field,
                                gfp_leaf_tables **tables)
{
    gfp_attachment *attached = gfp_field_attached(field, tables_destroy);
    if (attached == NULL) {
        gfp_leaf_tables *made = gfp_allocate(&field->allocator, 1, engine->tables_size);
        if (made == NULL) {
            return GFP_ERR_MEMORY;
        }
        memset(made, 0, engine->tables_size);
        made->head.destroy = tables_destroy;
        made->engine = engine;
        engine->constants(made, field);
        attached = gfp_field_attach(field, &made->head);
    }
    *tables = (gfp_leaf_tables *)attached;
    return (*tables)->engine == engine ? GFP_OK : GFP_ERR_UNAVAILABLE;
}

/* Makes a table of roots; if another thread is faster, its table stays. */
static gfp_status make_roots(gfp_leaf_tables *tables, unsigned prime, unsigned odd, unsigned log2,
                             const gfp_allocator *allocator)
{
    const gfp_leaf_engine *engine = tables->engine;
    const size_t count = root_count(engine, prime, odd, log2);
    _Atomic(uint64_t *) *place = &tables->roots[prime][odd / 2][log2];
    if (count == 0 || atomic_load(place) != NULL) {
        return GFP_OK;
    }
    uint64_t *none = NULL,
             *made = gfp_allocate(allocator, count, GFP_LEAF_ROOT_WORDS * sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    engine->fill_roots(made, prime, odd, log2);
    if (!atomic_compare_exchange_strong(place, &none, made)) {
        gfp_release(allocator, made, count, GFP_LEAF_ROOT_WORDS * sizeof *made);
    }
    return GFP_OK;
}

gfp_status gfp_leaf_prepare(const gfp_leaf_engine *engine, const gfp_hybrid_shape *shape)
{
    const gfp_field *field = shape->outer.field;
    const unsigned log2 = log2_roots(shape, engine->levels(shape));
    gfp_leaf_tables *tables;
    GFP_TRY(engine_attach(engine, field, &tables));
    for (unsigned i = 0; i < shape->primes; i++) {
        const unsigned number = modulus_number(shape, i);
        GFP_TRY(make_roots(tables, number, 1, log2, &field->allocator));
        if (shape->odd != 1) {
            GFP_TRY(make_roots(tables, number, shape->odd, log2, &field->allocator));
        }
    }
    return GFP_OK;
}
