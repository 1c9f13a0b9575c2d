/* tree_eval.c: values at all points of a tree.
 *
 * Let f_j be 0 from n on. To a node with points S and polynomial P belongs a vector w of |S|
 * entries: w_t is the sum over j of f_(t+j) g_j, where g is the series 1 / P. At a single point x
 * that is f(x). The root's vector is a product of f, read backwards, by the inverse of the root.
 * The vector of a node follows from that of the node above by the polynomial Q of the other node
 * below it: u_t = sum over j of Q_j w_(t+j). With entries in the reverse order both are
 * coefficients |S'| <= i < |S| + |S'| of a product of Q and w modulo X^L - 1, L >= |S| + |S'|: what
 * wraps around falls on coefficients below. This is the transposed algorithm (Bostan, Lecerf,
 * Schost: Tellegen's principle into practice, 2003).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "product/methods/engine.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* ---- from level to level ---- */

typedef struct job {
    const gfp_field *field;
    const gfp_tree_level *level; /* the nodes below */
    const uint64_t *w;           /* vectors of the nodes above, entries in the reverse order */
    uint64_t *v;                 /* below */
} job;

/* The vectors of both nodes below node i. The first result lies where the second one will. */
static gfp_status descend_from(void *user, size_t i, const gfp_operation_worker *w)
{
    const job *j = user;
    const size_t k = gfp_field_k(j->field), size = j->level->size;
    const gfp_operand *const x[] = {w->x[0]};
    const gfp_operand *const left[] = {&j->level->x[2 * i]}, *const right[] = {left[0] + 1};
    uint64_t *v = j->v + 2 * i * size * k;
    GFP_TRY(gfp_operation_worker_set(w, w->x[0], j->w + 2 * i * size * k, 2 * size));
    GFP_TRY(gfp_operation_worker_dot(w, v, size, 2 * size, x, left, 1));
    GFP_TRY(gfp_operation_worker_dot(w, w->z, size, 2 * size, x, right, 1));
    gfp_vec_set(j->field, v, w->z + size * k, size);
    return GFP_OK;
}

/* The units of a level, of a coefficient: a transform, two products and ways back. */
#define LEVEL_UNITS (GFP_OPERATION_SET_UNITS + 1.0)

static gfp_status tree_eval_descend(gfp_operation_call *op, const gfp_tree_level *level,
                                    uint64_t *v, const uint64_t *w)
{
    job j = {op->field, level, w, v};
    const gfp_operation_batch batch = {.run = descend_from,
                                       .job = &j,
                                       .space = level->space,
                                       .items = level->count / 2,
                                       .operands = 1,
                                       .elements = 2 * level->size,
                                       .terms = 1,
                                       .units = LEVEL_UNITS * (double)(level->count * level->size)};
    return gfp_operation_batch_run(op, &batch);
}

/* ---- the root ---- */

/* w, padded elements, := the root's vector, the last entry first: f has at most n terms. */
static gfp_status tree_eval_start(gfp_operation_call *op, uint64_t *w, gfp_series f,
                                  const gfp_tree *T)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = T->shape.n, zeros = T->shape.padded - n;
    uint64_t *reversed;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_vec_zero(field, w, T->shape.padded);
    if (f.len > 0) {
        /* Entries from f.len on are 0: n - f.len, in the reverse order at the start. */
        uint64_t *to = w + (zeros + n - f.len) * k;
        GFP_TRY(gfp_operation_array(op, &reversed, f.len));
        gfp_tree_reverse(field, reversed, f.digits, f.len);
        GFP_TRY(gfp_operation_multiply_by(op, to, 0, f.len, reversed, f.len, T->inverse));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- all of it ---- */

/* values, padded elements, by the tree. */
static gfp_status by_tree(gfp_operation_call *op, uint64_t *values, gfp_series f, const gfp_tree *T)
{
    uint64_t *w, *v;
    GFP_TRY(gfp_operation_array(op, &w, T->shape.padded));
    GFP_TRY(gfp_operation_array(op, &v, T->shape.padded));
    GFP_TRY(tree_eval_start(op, w, f, T));
    for (unsigned l = T->shape.levels; l-- > 0;) {
        GFP_TRY(tree_eval_descend(op, &T->level[l], v, w));
        uint64_t *const above = w;
        w = v;
        v = above;
    }
    return gfp_tree_leaf_values(op, values, w, T);
}

gfp_status gfp_tree_raw_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                               const gfp_tree *T)
{
    uint64_t *padded;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &padded, T->shape.padded));
    GFP_TRY(by_tree(op, padded, f, T));
    gfp_vec_set(op->field, values, padded, T->shape.n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* *r := f, or in a new array its remainder by the product of all X - x_i. */
static gfp_status tree_eval_reduced(gfp_operation_call *op, gfp_series *r, gfp_series f,
                                    const gfp_tree *T)
{
    const size_t n = T->shape.n;
    uint64_t *quotient, *rest;
    *r = f;
    if (f.len <= n) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &rest, n));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &quotient, f.len - n));
    GFP_TRY(gfp_division(op, quotient, rest, f, T->product, n));
    GFP_TRY(gfp_division_check(op, quotient, rest, f, T->product, n));
    gfp_operation_release(op, mark);
    *r = (gfp_series){rest, n};
    return GFP_OK;
}

static gfp_status values_directly(gfp_operation_call *op, uint64_t *values, gfp_series f,
                                  const gfp_tree *T)
{
    return op->classical || f.len <= op->threshold[GFP_THRESHOLD_TREE_HORNER]
               ? gfp_classical_values(op, values, f, T->points, T->shape.n)
               : gfp_steps_values(op, values, f, T->points, T->shape.n);
}

gfp_status gfp_tree_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                           const gfp_tree *T)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const size_t few = gfp_size_min(gfp_tree_few_terms(op), T->shape.n); /* a check needs it */
    if (T->shape.base == 0 || f.len <= few) {
        GFP_TRY(values_directly(op, values, f, T));
    } else {
        GFP_TRY(tree_eval_reduced(op, &f, f, T));
        GFP_TRY(gfp_tree_raw_values(op, values, f, T));
    }
    GFP_TRY(gfp_tree_check_values(op, T, atomic_load(&T->weights), f, values));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_tree_values_units(const gfp_tree_shape *shape, size_t len)
{
    const double n = (double)shape->padded;
    return (GFP_OPERATION_MULTIPLY_BY_UNITS * 2 + LEVEL_UNITS * shape->levels + 1) * n +
           (len > shape->n ? gfp_division_units(shape->n, len) : 0);
}
