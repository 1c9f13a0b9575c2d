/* moduli_make.c: trees of moduli: their shape, memory, spaces, polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "poly/division/divrem.h"
#include "poly/points/moduli.h"
#include "product/operand/impl.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/points/tree.h"
#include "product/methods/engine.h"

/* ---- memory ---- */

gfp_status gfp_moduli_allocate(gfp_operation_call *op, const gfp_moduli *M, void **block,
                               size_t count, size_t size)
{
    GFP_TRY(gfp_call_take(&op->base, gfp_size_mul_sat(count, size)));
    *block = gfp_allocate(&M->allocator, count, size);
    return *block == NULL ? GFP_ERR_MEMORY : GFP_OK;
}

gfp_status gfp_moduli_take(gfp_operation_call *op, const gfp_moduli *M, gfp_work *area,
                           size_t words)
{
    if (words > SIZE_MAX / 16) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_call_take(&op->base, gfp_work_bytes(words)));
    return gfp_work_take(area, M->field, words);
}

/* ---- shape ---- */

/* The ring for n coefficients, and its place in the list of spaces. */
static size_t ring_of(size_t n, size_t *place)
{
    static const size_t eighths[] = {5, 6, 8};
    size_t power = 1, i = 0;
    *place = 0;
    while (8 * power < n) {
        power *= 2;
        *place += 3;
    }
    while (eighths[i] * power < n) {
        i++;
    }
    *place += i;
    return eighths[i] * power;
}

/* The coefficients that a node's ring has at least. */
static size_t moduli_make_needs(const gfp_moduli_node *node)
{
    return node->left != NULL ? node->degree : 2 * node->degree - 1;
}

/* The modulus at which the halves of a node meet: their degrees are about equal. */
static size_t middle_of(const gfp_moduli_node *node, const size_t *offset)
{
    const size_t half = offset[node->first] + node->degree / 2;
    size_t low = node->first + 1, high = node->end - 1;
    while (low < high) { /* the first one whose offset is at least half */
        const size_t i = low + (high - low) / 2;
        if (offset[i] < half) {
            low = i + 1;
        } else {
            high = i;
        }
    }
    return low > node->first + 1 && half - offset[low - 1] < offset[low] - half ? low - 1 : low;
}

static void shape_node(gfp_moduli *M, gfp_moduli_node *node, const size_t *offset)
{
    const size_t shortest = M->shortest;
    size_t place;
    node->offset = offset[node->first];
    node->degree = offset[node->end] - node->offset;
    if (node->end - node->first == 1) {
        M->leaf[node->first] = node;
        node->length = node->degree > shortest / 2 ? ring_of(2 * node->degree - 1, &place) : 0;
        node->number = M->transformed;
        M->transformed += node->length > 0;
        M->operands += node->length > 0;
    } else {
        node->length = node->degree > shortest ? ring_of(node->degree, &place) : 0;
        M->operands += node->length > 0 ? 2 : 0;
    }
}

/* Fills all nodes, the halves of a node behind it, from the offsets of the moduli. */
static void shape_nodes(gfp_moduli *M, const size_t *offset)
{
    size_t used = 1;
    M->node[0] = (gfp_moduli_node){.end = M->count};
    for (size_t i = 0; i < used; i++) {
        gfp_moduli_node *node = &M->node[i];
        shape_node(M, node, offset);
        if (node->end - node->first > 1) {
            const size_t middle = middle_of(node, offset);
            node->left = &M->node[used++];
            node->right = &M->node[used++];
            *node->left =
                (gfp_moduli_node){.first = node->first, .end = middle, .depth = node->depth + 1};
            *node->right =
                (gfp_moduli_node){.first = middle, .end = node->end, .depth = node->depth + 1};
        }
        M->order[i] = node;
    }
}

/* Inner nodes by depth, then leaves; by ring among them. */
static int compare_nodes(const void *x, const void *y)
{
    const gfp_moduli_node *a = *(gfp_moduli_node *const *)x, *b = *(gfp_moduli_node *const *)y;
    if ((a->left == NULL) != (b->left == NULL)) {
        return a->left == NULL ? 1 : -1;
    }
    if (a->left != NULL && a->depth != b->depth) {
        return a->depth < b->depth ? -1 : 1;
    }
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

static gfp_status make_shape(gfp_operation_call *op, gfp_moduli *M, const gfp_poly *moduli)
{
    const size_t nodes = 2 * M->count - 1;
    void *block;
    size_t *offset;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, nodes, sizeof *M->node));
    M->node = block;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, nodes, sizeof(gfp_moduli_node *)));
    M->order = block;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, M->count, sizeof(gfp_moduli_node *)));
    M->leaf = block;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, M->count + 1, sizeof *offset));
    offset = block;
    offset[0] = 0;
    for (size_t i = 0; i < M->count; i++) {
        offset[i + 1] = offset[i] + moduli[i].len - 1;
    }
    M->inner = M->count - 1;
    shape_nodes(M, offset);
    qsort(M->order, nodes, sizeof(gfp_moduli_node *), compare_nodes);
    gfp_release(&M->allocator, offset, M->count + 1, sizeof *offset);
    return GFP_OK;
}

/* ---- spaces ---- */

/* node->space := that of its ring. The root comes first, whose ring is one of the longest. */
static gfp_status find_space(gfp_operation_call *op, gfp_moduli *M, gfp_moduli_node *node)
{
    size_t place;
    if (node->length == 0) {
        return GFP_OK;
    }
    (void)ring_of(moduli_make_needs(node), &place);
    if (M->space[place] == NULL) {
        GFP_TRY(gfp_tree_make_space(op, &M->space[place], node->length, 2));
    }
    node->space = M->space[place];
    return GFP_OK;
}

static gfp_status make_spaces(gfp_operation_call *op, gfp_moduli *M)
{
    if (!op->classical && M->n > M->shortest) {
        GFP_TRY(gfp_tree_make_space(op, &M->top, 2 * M->n - 1, 1));
        M->method = M->top->method;
        op->method = M->method;
        op->longest = gfp_space_length(M->top);
    }
    for (size_t i = 0; i < 2 * M->count - 1; i++) {
        GFP_TRY(find_space(op, M, &M->node[i]));
    }
    return GFP_OK;
}

/* ---- polynomials and operands ---- */

#define LINE_WORDS 8

static size_t moduli_make_lines(size_t words)
{
    return gfp_size_add_sat(words, LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
}

static unsigned operands_of(const gfp_moduli_node *node)
{
    return node->space == NULL ? 0 : node->left != NULL ? 2 : 1;
}

/* Counts the words of the area; with memory, places what lies there. */
static gfp_status place_all(gfp_moduli *M, uint64_t *memory)
{
    const size_t k = gfp_field_k(M->field);
    size_t words = 0, used = 0;
    for (size_t i = 0; i < 2 * M->count - 1; i++) {
        gfp_moduli_node *node = &M->node[i];
        const unsigned count = operands_of(node);
        if (memory != NULL) {
            node->poly = memory + words;
            node->x = count > 0 ? M->x + used : NULL;
        }
        words = gfp_size_add_sat(words, moduli_make_lines(gfp_size_mul_sat(node->degree + 1, k)));
        for (unsigned j = 0; j < count; j++) {
            if (memory != NULL) {
                GFP_TRY(gfp_operand_place(&M->x[used++], node->space, memory + words));
            }
            words =
                gfp_size_add_sat(words, moduli_make_lines(gfp_operand_place_words(node->space)));
        }
    }
    if (M->top != NULL) {
        if (memory != NULL) {
            GFP_TRY(gfp_operand_place(&M->x[used], M->top, memory + words));
            M->inverse = &M->x[used];
        }
        words = gfp_size_add_sat(words, moduli_make_lines(gfp_operand_place_words(M->top)));
    }
    M->words = words;
    return GFP_OK;
}

static gfp_status take_memory(gfp_operation_call *op, gfp_moduli *M)
{
    void *block;
    M->operands += M->top != NULL;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, M->operands + 1, sizeof *M->x));
    M->x = block;
    for (size_t i = 0; i < M->operands; i++) {
        M->x[i].space = NULL; /* not placed */
    }
    GFP_TRY(place_all(M, NULL));
    GFP_TRY(gfp_moduli_take(op, M, &M->area, M->words));
    return place_all(M, M->area.words);
}

/* leaf->poly := the moduli, monic. */
static gfp_status set_leaves(gfp_operation_call *op, const gfp_moduli *M, const gfp_poly *moduli)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    size_t zero = 0;
    uint64_t *inverse;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &inverse, M->count));
    for (size_t i = 0; i < M->count; i++) {
        gfp_elem_set(field, inverse + i * k, moduli[i].digits + M->leaf[i]->degree * k);
    }
    GFP_TRY(gfp_sequence_invert(op, inverse, inverse, M->count, &zero));
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)M->n, (double)M->n,
                               gfp_task_product_cost(field)));
    for (size_t i = 0; i < M->count; i++) {
        const size_t d = M->leaf[i]->degree;
        uint64_t *to = M->leaf[i]->poly;
        if (gfp_elem_is_one(field, inverse + i * k)) {
            gfp_vec_set(field, to, moduli[i].digits, d);
        } else {
            gfp_vec_scalar_mul(field, to, moduli[i].digits, inverse + i * k, d);
        }
        gfp_elem_one(field, to + d * k);
        if (!gfp_task_advance(&op->base.task, (double)d)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status invert_root(gfp_operation_call *op, gfp_moduli *M)
{
    uint64_t *z;
    if (M->inverse == NULL) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, M->n));
    GFP_TRY(gfp_poly_divisor_invert(op, z, M->n, M->node[0].poly, M->n));
    GFP_TRY(gfp_operation_set(op, M->inverse, z, M->n));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status moduli_make_fill(gfp_operation_call *op, gfp_moduli *M, const gfp_poly *moduli)
{
    GFP_TRY(make_shape(op, M, moduli));
    GFP_TRY(make_spaces(op, M));
    GFP_TRY(take_memory(op, M));
    GFP_TRY(set_leaves(op, M, moduli));
    GFP_TRY(gfp_moduli_multiply(op, M));
    GFP_TRY(gfp_moduli_check_product(op, M));
    return invert_root(op, M);
}

gfp_status gfp_moduli_make(gfp_moduli **M, gfp_operation_call *op, const gfp_poly *moduli,
                           size_t count)
{
    const gfp_allocator *allocator = gfp_field_allocator(op->field);
    gfp_moduli head = {.allocator = *allocator,
                       .field = op->field,
                       .count = count,
                       .shortest = op->classical ? SIZE_MAX : gfp_tree_most_base(op)};
    void *block;
    for (size_t i = 0; i < count; i++) {
        head.n = gfp_size_add_sat(head.n, moduli[i].len - 1);
    }
    if (head.n > SIZE_MAX / 64 / gfp_element_bytes(op->field)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_moduli_allocate(op, &head, &block, 1, sizeof head));
    gfp_moduli *made = block;
    *made = head;
    const gfp_status status = moduli_make_fill(op, made, moduli);
    if (status == GFP_OK) {
        *M = made;
    } else {
        gfp_moduli_destroy(made);
    }
    return status;
}

double gfp_moduli_make_units(size_t n, size_t count)
{
    double levels = 3;
    for (size_t m = count; m > 1; m /= 2) {
        levels += 1;
    }
    return levels * (double)n + gfp_series_invert_units(n);
}

/* ---- end ---- */

static void moduli_make_displace(gfp_operand *x, size_t count)
{
    for (size_t i = 0; x != NULL && i < count && x[i].space != NULL; i++) {
        gfp_operand_displace(&x[i]);
    }
}

void gfp_cofactors_destroy(const gfp_moduli *M, gfp_cofactors *c)
{
    if (c == NULL) {
        return;
    }
    const size_t operands = 2 * M->transformed;
    moduli_make_displace(c->x, operands);
    gfp_release(&M->allocator, c->x, operands + 1, sizeof *c->x);
    gfp_work_give(&c->area, M->field);
    gfp_release(&M->allocator, c, 1, sizeof *c);
}

void gfp_moduli_destroy(gfp_moduli *M)
{
    if (M == NULL) {
        return;
    }
    const gfp_allocator allocator = M->allocator;
    const size_t nodes = 2 * M->count - 1;
    moduli_make_displace(M->x, M->operands);
    for (size_t i = 0; i < GFP_MODULI_SPACES; i++) {
        gfp_space_destroy(M->space[i]);
    }
    gfp_space_destroy(M->top);
    gfp_release(&allocator, M->x, M->operands + 1, sizeof *M->x);
    gfp_work_give(&M->area, M->field);
    gfp_release(&allocator, M->node, nodes, sizeof *M->node);
    gfp_release(&allocator, M->order, nodes, sizeof(gfp_moduli_node *));
    gfp_release(&allocator, M->leaf, M->count, sizeof(gfp_moduli_node *));
    gfp_release(&allocator, M, 1, sizeof *M);
}
