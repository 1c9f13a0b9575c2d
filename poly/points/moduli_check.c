/* moduli_check.c: checks of trees of moduli, at random points or by the definition.
 *
 * Remainders r_i, one after the other, are the coefficients of a polynomial R. At a point z, R(z)
 * is a linear function of f, which a sum over the tree computes, read backwards: with B_i = (m_i -
 * m_i(z)) / (X - z) and o_i the place of r_i in R, N is the sum of z^(o_i) B_i M / m_i, and R(z) is
 * the coefficient of 1 / X in f N / M (Tellegen's principle). N is checked at another point, where
 * the values of all m_i give that of N, and its quotient by M by a product. No transform of the
 * tree, no cofactor and no remainder enters the right hand side.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "field/base/kernels.h"
#include "poly/points/moduli.h"
#include "poly/points/tree_check.h"

/* ---- values ---- */

/* The values of the products of all nodes, and of their sums, at a point. */
typedef struct values {
    uint64_t *product, *sum;
} values;

static gfp_status make_values(gfp_operation_call *op, values *w, const gfp_moduli *M)
{
    GFP_TRY(gfp_operation_array(op, &w->product, 2 * M->count - 1));
    return gfp_operation_array(op, &w->sum, 2 * M->count - 1);
}

/* Fills them at d for the vector v; v = NULL: products alone. */
static gfp_status compute_values(gfp_operation_call *op, const values *w, const gfp_moduli *M,
                                 const uint64_t *v, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t x[GFP_MAX_K];
    for (size_t i = 2 * M->count - 1; i-- > 0;) { /* halves before their node */
        const gfp_moduli_node *node = &M->node[i];
        if (node->left == NULL) {
            GFP_TRY(gfp_check_value(op, w->product + i * k, node->poly, node->degree + 1, d));
            if (v != NULL) {
                GFP_TRY(gfp_check_value(op, w->sum + i * k, v + node->offset * k, node->degree, d));
            }
            continue;
        }
        const size_t left = (size_t)(node->left - M->node) * k;
        const size_t right = (size_t)(node->right - M->node) * k;
        gfp_elem_mul(field, w->product + i * k, w->product + left, w->product + right);
        if (v != NULL) {
            gfp_elem_mul(field, x, w->sum + left, w->product + right);
            gfp_elem_mul(field, w->sum + i * k, w->sum + right, w->product + left);
            gfp_elem_add(field, w->sum + i * k, w->sum + i * k, x);
        }
    }
    return GFP_OK;
}

/* ---- the product ---- */

/* z := the product of all moduli, one factor after the other by the definition. */
static gfp_status multiply_again(gfp_operation_call *op, uint64_t *z, const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *other;
    size_t len = 1;
    GFP_TRY(gfp_operation_array(op, &other, M->n + 1));
    gfp_elem_one(field, z);
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        const double terms = (double)gfp_size_min(len, leaf->degree + 1);
        const size_t block = gfp_task_block(terms * gfp_task_product_cost(field));
        const size_t above = len + leaf->degree;
        for (size_t from = 0; from < above; from += block) {
            gfp_field_kernels(field)->convolve(field, other + from * k, z, len, leaf->poly,
                                               leaf->degree + 1, from,
                                               gfp_size_min(above, from + block));
            if (!gfp_task_advance(&op->base.task, 1 / (double)M->count)) {
                return GFP_ERR_CANCELLED;
            }
        }
        gfp_vec_set(field, z, other, above);
        len = above;
    }
    return GFP_OK;
}

static gfp_status check_product(gfp_operation_call *op, const gfp_moduli *M)
{
    const gfp_moduli_node *root = &M->node[0];
    uint64_t d[GFP_VERIFY_MAX_POINTS], x[GFP_MAX_K], *again;
    unsigned points;
    values w;
    GFP_TRY(gfp_check_canonical(op, root->poly, M->n + 1));
    GFP_TRY(gfp_check_begin(op, M->n, &points, d, 2 * (double)M->n));
    if (points == 0) {
        GFP_TRY(gfp_operation_array(op, &again, M->n + 1));
        GFP_TRY(multiply_again(op, again, M));
        return gfp_vec_equal(op->field, again, root->poly, M->n + 1)
                   ? GFP_OK
                   : gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    GFP_TRY(make_values(op, &w, M));
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(compute_values(op, &w, M, NULL, d[i]));
        GFP_TRY(gfp_check_value(op, x, root->poly, M->n + 1, d[i]));
        GFP_TRY(gfp_check_equal(op, x, w.product));
    }
    return GFP_OK;
}

gfp_status gfp_moduli_check_product(gfp_operation_call *op, const gfp_moduli *M)
{
    if (op->base.options->verify == GFP_VERIFY_NONE || M->count == 1) {
        return GFP_OK;
    }
    const gfp_check_watch c = gfp_check_start(op);
    return gfp_check_stop(&c, check_product(op, M));
}

/* ---- remainders by the definition ---- */

static gfp_status divide_again(gfp_operation_call *op, gfp_series f, const uint64_t *v,
                               const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *q, *r;
    GFP_TRY(gfp_operation_array(op, &q, f.len));
    GFP_TRY(gfp_operation_array(op, &r, M->n));
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        GFP_TRY(gfp_division(op, q, r, f, leaf->poly, leaf->degree));
        for (size_t j = 0; j < leaf->degree; j++) {
            if (!gfp_elem_equal(field, r + j * k, v + (leaf->offset + j) * k)) {
                return gfp_operation_wrong(op, i);
            }
        }
    }
    return GFP_OK;
}

/* ---- remainders at points ---- */

/* b := of every modulus z^(o_i) B_i; by Horner's rule. */
static gfp_status quotients_at(gfp_operation_call *op, uint64_t *b, const gfp_moduli *M, uint64_t z)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t point[GFP_MAX_K], power[GFP_MAX_K], x[GFP_MAX_K];
    gfp_elem_set_u64(field, point, z);
    gfp_elem_one(field, power);
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * 2 * (double)M->n, (double)M->n,
                               2 * gfp_task_product_cost(field)));
    for (size_t i = 0; i < M->count; i++) {
        const uint64_t d = M->leaf[i]->degree;
        uint64_t *to = b + M->leaf[i]->offset * k;
        gfp_vec_scalar_mul(field, to, M->leaf[i]->poly + k, power, d);
        for (size_t j = d - 1; j-- > 0;) {
            gfp_elem_mul(field, x, to + (j + 1) * k, point);
            gfp_elem_add(field, to + j * k, to + j * k, x);
            if (!gfp_task_advance(&op->base.task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
        gfp_elem_pow(field, x, point, &d, 1);
        gfp_elem_mul(field, power, power, x);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Checks that the polynomial n, M->n coefficients, is the sum of b_i M / m_i. */
static gfp_status check_sum(gfp_operation_call *op, const uint64_t *n, const uint64_t *b,
                            const gfp_moduli *M)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS], x[GFP_MAX_K];
    unsigned points;
    values w;
    GFP_TRY(make_values(op, &w, M));
    GFP_TRY(gfp_check_begin(op, M->n, &points, d, 3 * (double)M->n));
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(compute_values(op, &w, M, b, d[i]));
        GFP_TRY(gfp_check_value(op, x, n, M->n, d[i]));
        GFP_TRY(gfp_check_equal(op, x, w.sum));
    }
    return GFP_OK;
}

/* u := the polynomial part of X^n N / M, for N in the array a; checked. */
static gfp_status quotient_of(gfp_operation_call *op, uint64_t *u, const uint64_t *a,
                              const gfp_moduli *M)
{
    const size_t n = M->n;
    const gfp_operation_claim claim = {.c = a,
                                       .a = u,
                                       .b = M->node[0].poly,
                                       .len_c = n,
                                       .len_a = n,
                                       .len_b = n + 1,
                                       .first = n,
                                       .end = 2 * n};
    GFP_TRY(gfp_moduli_start(op, u, (gfp_series){a, n}, M));
    return gfp_operation_check_product(op, &claim);
}

static gfp_status check_at(gfp_operation_call *op, gfp_series f, const uint64_t *v,
                           const gfp_moduli *M, uint64_t z)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = M->n;
    uint64_t *b, *sum, x[GFP_MAX_K], y[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &b, n));
    GFP_TRY(gfp_operation_array(op, &sum, n));
    GFP_TRY(quotients_at(op, b, M, z));
    gfp_vec_set(field, sum, b, n);
    GFP_TRY(gfp_moduli_sum(op, sum, M));
    GFP_TRY(check_sum(op, sum, b, M));
    GFP_TRY(quotient_of(op, b, sum, M));
    gfp_elem_zero(field, x);
    if (f.len > 0) {
        gfp_vec_dot_reversed(field, x, f.digits, b + (n - f.len) * k, f.len);
    }
    GFP_TRY(gfp_check_value(op, y, v, n, z));
    GFP_TRY(gfp_check_equal(op, x, y));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status check_remainders(gfp_operation_call *op, gfp_series f, const uint64_t *v,
                                   const gfp_moduli *M)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    GFP_TRY(gfp_check_canonical(op, v, M->n));
    GFP_TRY(gfp_check_canonical(op, f.digits, f.len));
    /* N depends on the point, and is checked at others that are drawn apart: three bounds, less
     * than four, add up. */
    GFP_TRY(gfp_check_begin(op, gfp_size_mul_sat(4, M->n), &points, d, (double)M->n));
    if (points == 0) {
        const bool classical = op->classical;
        op->classical = true; /* divisions by the definition */
        const gfp_status status = divide_again(op, f, v, M);
        op->classical = classical;
        return status;
    }
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(op, f, v, M, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_moduli_check_remainders(gfp_operation_call *op, gfp_series f, const uint64_t *v,
                                       const gfp_moduli *M)
{
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const gfp_check_watch c = gfp_check_start(op);
    return gfp_check_stop(&c, check_remainders(op, f, v, M));
}
