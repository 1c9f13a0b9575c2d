/* tree_make.c: trees: their memory, which is one block, their nodes, the inverse of the root.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/impl.h"
#include "field/base/support.h"
#include "poly/points/tree.h"
#include "product/methods/engine.h"

/* ---- spaces ---- */

gfp_status gfp_tree_make_space(gfp_operation_call *op, gfp_space **s, size_t length, size_t terms)
{
    const gfp_space_spec spec = {length, terms, GFP_WRAP_CYCLIC};
    gfp_options options = op->inner;
    options.memory_cap = 0; /* of calls that name none */
    options.report = NULL;
    GFP_TRY(gfp_call_afford(&op->base, sizeof **s));
    GFP_TRY(gfp_call_inner(&op->base, gfp_space_create(s, op->field, &spec, &options)));
    return gfp_call_take(&op->base, gfp_space_bytes(*s));
}

/* The longest one first: where there is none, that takes no time. */
static gfp_status make_spaces(gfp_operation_call *op, gfp_tree *T)
{
    const gfp_tree_shape *shape = &T->shape;
    GFP_TRY(gfp_tree_make_space(op, &T->top, 2 * shape->n - 1, 1));
    T->method = T->top->method;
    op->method = T->method;
    op->longest = gfp_space_length(T->top);
    for (unsigned l = shape->levels + 1; l-- > 0;) {
        gfp_tree_level *level = &T->level[l];
        level->count = shape->groups >> l;
        level->size = shape->base << l;
        if (l < shape->levels) {
            GFP_TRY(gfp_tree_make_space(op, &level->space, 2 * level->size, 2));
        }
    }
    return GFP_OK;
}

/* ---- memory ---- */

#define LINE_WORDS 8

/* Memory that is cut into parts; at = NULL: they are only counted. */
typedef struct cut {
    uint64_t *at;
    size_t words, k;
} cut;

static uint64_t *cut_words(cut *c, size_t words)
{
    uint64_t *part = c->at == NULL ? NULL : c->at + c->words;
    const size_t lines = gfp_size_add_sat(words, LINE_WORDS - 1) / LINE_WORDS;
    c->words = gfp_size_add_sat(c->words, gfp_size_mul_sat(lines, LINE_WORDS));
    return part;
}

static uint64_t *cut_elements(cut *c, size_t n)
{
    return cut_words(c, gfp_size_mul_sat(n, c->k));
}

/* Operands, which place_operands places in the words behind them. */
static gfp_operand *cut_operands(cut *c, size_t n, const gfp_space *s)
{
    const size_t each = (sizeof(gfp_operand) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    uint64_t *x = cut_words(c, gfp_size_mul_sat(n, each));
    (void)cut_words(c, gfp_size_mul_sat(n, gfp_operand_place_words(s)));
    return (gfp_operand *)(void *)x;
}

/* Cuts the memory of a tree. */
static void cut_tree(gfp_tree *T, cut *c)
{
    const gfp_tree_shape *shape = &T->shape;
    T->points = cut_elements(c, shape->padded);
    T->product = cut_elements(c, gfp_size_add_sat(shape->n, 1));
    if (shape->base == 0) {
        return;
    }
    T->minus = cut_elements(c, shape->padded);
    T->inner = cut_elements(c, gfp_tree_inner_size(shape));
    T->inverse = cut_operands(c, 1, T->top);
    for (unsigned l = 0; l <= shape->levels; l++) {
        gfp_tree_level *level = &T->level[l];
        level->polys = cut_elements(c, level->count * (level->size + 1));
        if (l < shape->levels) {
            level->x = cut_operands(c, level->count, level->space);
        }
    }
}

/* The words behind n operands that were cut. */
static uint64_t *words_behind(gfp_operand *x, size_t n)
{
    cut c = {.at = (uint64_t *)(void *)x};
    (void)cut_words(&c, n * ((sizeof *x + sizeof(uint64_t) - 1) / sizeof(uint64_t)));
    return c.at + c.words;
}

/* Operands that are not placed have no space. */
static void clear_operands(gfp_operand *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i].space = NULL;
    }
}

static gfp_status place_operands(gfp_operand *x, size_t n, gfp_space *s)
{
    uint64_t *words = words_behind(x, n);
    for (size_t i = 0; i < n; i++) {
        gfp_operand made;
        GFP_TRY(gfp_operand_place(&made, s, words + i * gfp_operand_place_words(s)));
        x[i] = made;
    }
    return GFP_OK;
}

static gfp_status place_all(gfp_tree *T)
{
    clear_operands(T->inverse, 1);
    for (unsigned l = 0; l < T->shape.levels; l++) {
        clear_operands(T->level[l].x, T->level[l].count);
    }
    GFP_TRY(place_operands(T->inverse, 1, T->top));
    for (unsigned l = 0; l < T->shape.levels; l++) {
        GFP_TRY(place_operands(T->level[l].x, T->level[l].count, T->level[l].space));
    }
    return GFP_OK;
}

/* Cuts the memory, which is the tree's own or the operation's. */
static gfp_status take_memory(gfp_operation_call *op, gfp_tree *T, bool kept)
{
    cut c = {.k = gfp_field_k(T->field)};
    cut_tree(T, &c);
    T->words = c.words;
    if (c.words > SIZE_MAX / 16) {
        return GFP_ERR_SIZE;
    }
    if (kept) {
        GFP_TRY(gfp_work_take(&T->area, T->field, c.words));
        T->kept = true;
        c.at = T->area.words;
    } else {
        GFP_TRY(gfp_operation_array(op, &c.at, c.words / c.k + 1));
    }
    c.words = 0;
    cut_tree(T, &c);
    return T->shape.base == 0 ? GFP_OK : place_all(T);
}

static void displace_operands(gfp_operand *x, size_t n)
{
    for (size_t i = 0; x != NULL && i < n && x[i].space != NULL; i++) {
        gfp_operand_displace(&x[i]);
    }
}

void gfp_tree_destroy(gfp_tree *T)
{
    if (T == NULL) {
        return;
    }
    const gfp_allocator allocator = T->allocator;
    displace_operands(T->inverse, 1);
    for (unsigned l = 0; l < T->shape.levels; l++) {
        displace_operands(T->level[l].x, T->level[l].count);
        gfp_space_destroy(T->level[l].space);
    }
    gfp_space_destroy(T->top);
    if (T->kept) {
        gfp_release(&allocator, atomic_load(&T->weights), T->shape.n, gfp_element_bytes(T->field));
        gfp_release(&allocator, atomic_load(&T->sums), T->shape.n, gfp_element_bytes(T->field));
        gfp_work_give(&T->area, T->field);
    }
    gfp_release(&allocator, T, 1, sizeof *T);
}

/* ---- the computation ---- */

/* Checks that the product of the inverse and the root is 1 modulo X^n. */
static gfp_status check_inverse(gfp_operation_call *op, const gfp_tree *T, const uint64_t *g)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(op->field, one);
    const gfp_operation_claim claim = {.c = one,
                                       .a = g,
                                       .b = T->level[T->shape.levels].polys,
                                       .len_c = 1,
                                       .len_a = T->shape.n,
                                       .len_b = T->shape.n + 1,
                                       .end = T->shape.n};
    return gfp_operation_check_product(op, &claim);
}

/* The inverse of the root, for polynomials of up to n terms. */
static gfp_status invert_root(gfp_operation_call *op, gfp_tree *T, bool kept)
{
    const size_t n = T->shape.n;
    const uint64_t *root = T->level[T->shape.levels].polys;
    uint64_t *g;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &g, n));
    GFP_TRY(gfp_series_invert(op, g, n, (gfp_series){root, n + 1}));
    if (kept) {
        GFP_TRY(check_inverse(op, T, g));
    }
    GFP_TRY(gfp_operation_set(op, T->inverse, g, n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status compute_nodes(gfp_operation_call *op, gfp_tree *T)
{
    const gfp_tree_shape *shape = &T->shape;
    gfp_tree_negate(op->field, T->minus, T->points, shape);
    GFP_TRY(gfp_tree_leaves(op, T->level[0].polys, T->inner, T->minus, shape));
    for (unsigned l = 0; l < shape->levels; l++) {
        const gfp_tree_level *level = &T->level[l];
        GFP_TRY(gfp_tree_multiply(op, T->level[l + 1].polys, level, level->space));
    }
    gfp_tree_reverse(op->field, T->product, T->level[shape->levels].polys, shape->n + 1);
    return GFP_OK;
}

static gfp_status tree_make_fill(gfp_operation_call *op, gfp_tree *T, const uint64_t *points,
                                 bool kept)
{
    const size_t n = T->shape.n;
    if (T->shape.base > 0) {
        GFP_TRY(make_spaces(op, T));
    }
    GFP_TRY(take_memory(op, T, kept));
    gfp_vec_set(op->field, T->points, points, n);
    gfp_vec_zero(op->field, T->points + n * gfp_field_k(op->field), T->shape.padded - n);
    if (T->shape.base == 0) {
        GFP_TRY(gfp_classical_roots(op, T->product, T->points, n));
    } else {
        GFP_TRY(compute_nodes(op, T));
        GFP_TRY(invert_root(op, T, kept));
    }
    return kept ? gfp_tree_check_products(op, T) : GFP_OK;
}

gfp_status gfp_tree_make(gfp_tree **T, gfp_operation_call *op, const uint64_t *points, size_t n,
                         bool kept)
{
    const gfp_allocator *allocator = gfp_field_allocator(op->field);
    gfp_tree_shape shape;
    GFP_TRY(gfp_tree_shape_of(&shape, op, n, GFP_THRESHOLD_TREE_INTERPOLATION));
    GFP_TRY(kept ? GFP_OK : gfp_call_afford(&op->base, sizeof **T));
    gfp_tree *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_tree){.allocator = *allocator, .field = op->field, .shape = shape};
    atomic_init(&made->weights, NULL);
    atomic_init(&made->sums, NULL);
    if (!kept) {
        gfp_call_charge(&op->base, sizeof *made);
    }
    const gfp_status status = tree_make_fill(op, made, points, kept);
    if (status != GFP_OK) {
        gfp_tree_destroy(made);
        return status;
    }
    *T = made;
    return GFP_OK;
}

double gfp_tree_make_units(size_t n)
{
    return gfp_tree_roots_units(n) + gfp_series_invert_units(n) + (double)n;
}
