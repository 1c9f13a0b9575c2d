/* tree_interp.c: interpolation, and the weights of a tree.
 *
 * With M the product of all X - x_i and c_i = y_i / M'(x_i), the polynomial is the sum of c_i M /
 * (X - x_i) (Lagrange). Read backwards the sums over the points of a node, N, go up the tree: N =
 * N_a Q_b + N_b Q_a, one sum of two products by the transforms that the tree keeps. The weights 1 /
 * M'(x_i) are values of M', which the tree computes, inverted at once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- from level to level ---- */

typedef struct job {
    const gfp_field *field;
    const gfp_tree_level *level; /* the nodes below */
    const uint64_t *below;       /* their sums */
    uint64_t *above;
} job;

static gfp_status ascend_to(void *user, size_t i, const gfp_operation_worker *w)
{
    const job *j = user;
    const size_t k = gfp_field_k(j->field), size = j->level->size;
    const gfp_operand *const sums[] = {w->x[0], w->x[1]};
    const gfp_operand *const others[] = {&j->level->x[2 * i + 1], &j->level->x[2 * i]};
    GFP_TRY(gfp_operation_worker_set(w, w->x[0], j->below + 2 * i * size * k, size));
    GFP_TRY(gfp_operation_worker_set(w, w->x[1], j->below + (2 * i + 1) * size * k, size));
    return gfp_operation_worker_dot(w, j->above + 2 * i * size * k, 0, 2 * size, sums, others, 2);
}

/* The units of a level, of a coefficient: two transforms, two products, a way back. */
#define LEVEL_UNITS (2 * GFP_OPERATION_SET_UNITS + 0.75)

static gfp_status tree_interp_ascend(gfp_operation_call *op, const gfp_tree_level *level,
                                     uint64_t *above, const uint64_t *below)
{
    job j = {op->field, level, below, above};
    const gfp_operation_batch batch = {.run = ascend_to,
                                       .job = &j,
                                       .space = level->space,
                                       .items = level->count / 2,
                                       .operands = 2,
                                       .terms = 2,
                                       .units = LEVEL_UNITS * (double)(level->count * level->size)};
    return gfp_operation_batch_run(op, &batch);
}

/* ---- weights ---- */

gfp_status gfp_tree_equal_points(gfp_operation_call *op, size_t i, size_t j, const char *why)
{
    return gfp_error_set_at(&op->base.error, GFP_ERR_NOT_INVERTIBLE, j,
                            "%s: points %zu and %zu are equal%s", op->base.name, i, j, why);
}

gfp_status gfp_tree_refuse_point(gfp_operation_call *op, const gfp_tree *T, size_t i)
{
    const size_t k = gfp_field_k(op->field);
    const size_t n = T->shape.n;
    size_t j = 0;
    while (j < n && (j == i || !gfp_elem_equal(op->field, T->points + j * k, T->points + i * k))) {
        j++;
    }
    if (j == n) { /* the value that was 0 is wrong */
        return gfp_operation_wrong(op, i);
    }
    return gfp_tree_equal_points(op, i < j ? i : j, i < j ? j : i, "");
}

/* z := the weights. The values of M' are not checked apart: the weights are. */
static gfp_status compute_weights(gfp_operation_call *op, uint64_t *z, const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t n = T->shape.n;
    size_t zero;
    uint64_t *derivative;
    GFP_TRY(gfp_operation_array(op, &derivative, n));
    GFP_TRY(gfp_series_times_index(op, derivative, T->product + gfp_field_k(field), 1, n));
    GFP_TRY(gfp_tree_raw_values(op, z, (gfp_series){derivative, n}, T));
    const gfp_status status = gfp_sequence_invert(op, z, z, n, &zero);
    return status == GFP_ERR_NOT_INVERTIBLE ? gfp_tree_refuse_point(op, T, zero) : status;
}

void gfp_tree_keep(gfp_operation_call *op, const gfp_tree *tree, _Atomic(uint64_t *) *place,
                   const uint64_t *x)
{
    gfp_tree *T = (gfp_tree *)tree;
    const size_t n = T->shape.n, size = gfp_element_bytes(T->field);
    uint64_t *none = NULL, *kept = NULL;
    if (T->kept && gfp_call_afford(&op->base, gfp_size_mul_sat(n, size)) == GFP_OK) {
        kept = gfp_allocate(&T->allocator, n, size);
    }
    if (kept == NULL) {
        op->base.refused = 0;
        return;
    }
    gfp_vec_set(T->field, kept, x, n);
    if (!atomic_compare_exchange_strong(place, &none, kept)) {
        gfp_release(&T->allocator, kept, n, size);
    }
}

/* ---- interpolation ---- */

/* f := the sum of c_i M / (X - x_i). */
static gfp_status tree_interp_lagrange(gfp_operation_call *op, uint64_t *f, const uint64_t *c,
                                       const gfp_tree *T)
{
    uint64_t *below, *above;
    GFP_TRY(gfp_operation_array(op, &below, T->shape.padded));
    GFP_TRY(gfp_operation_array(op, &above, T->shape.padded));
    GFP_TRY(gfp_tree_leaf_sums(op, below, c, T));
    for (unsigned l = 0; l < T->shape.levels; l++) {
        GFP_TRY(tree_interp_ascend(op, &T->level[l], above, below));
        uint64_t *const done = below;
        below = above;
        above = done;
    }
    gfp_tree_reverse(op->field, f, below, T->shape.n);
    return GFP_OK;
}

static gfp_status by_tree(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                          const uint64_t *weights, const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n;
    uint64_t *c;
    GFP_TRY(gfp_operation_array(op, &c, T->shape.padded));
    gfp_vec_zero(field, c + n * k, T->shape.padded - n);
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)n, (double)n,
                               gfp_task_product_cost(field)));
    if (!gfp_task_vec_mul(&op->base.task, field, c, values, weights, n)) {
        return GFP_ERR_CANCELLED;
    }
    return tree_interp_lagrange(op, f, c, T);
}

/* Weights stay with the tree after the first result is right, as far as it is checked. */
gfp_status gfp_tree_solve(gfp_operation_call *op, uint64_t *f, const uint64_t *values,
                          const gfp_tree *T)
{
    const uint64_t *weights = atomic_load(&T->weights);
    uint64_t *fresh = NULL;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (T->shape.base == 0) {
        GFP_TRY(gfp_classical_solve(op, f, values, T));
    } else {
        if (weights == NULL) {
            GFP_TRY(gfp_operation_array(op, &fresh, T->shape.n));
            GFP_TRY(compute_weights(op, fresh, T));
            weights = fresh;
        }
        GFP_TRY(by_tree(op, f, values, weights, T));
    }
    GFP_TRY(gfp_tree_check_values(op, T, weights, (gfp_series){f, T->shape.n}, values));
    if (fresh != NULL) {
        gfp_tree_keep(op, T, &((gfp_tree *)T)->weights, fresh);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_tree_solve_units(const gfp_tree_shape *shape, bool weights)
{
    const double n = (double)shape->padded;
    return (LEVEL_UNITS * shape->levels + 2 + 2 * GFP_OPERATION_ELEMENT_UNITS) * n +
           (weights ? 0
                    : gfp_tree_values_units(shape, shape->n) + 6 * GFP_OPERATION_ELEMENT_UNITS * n);
}
