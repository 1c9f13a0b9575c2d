/* moduli_crt.c: remainders by the moduli of a tree, and the polynomial with given remainders.
 *
 * With M the product of all moduli and c_i = 1 / (M / m_i) modulo m_i, the polynomial with the
 * remainders r_i is the sum of (r_i c_i mod m_i) M / m_i. The sum of all M / m_j is M / m_i modulo
 * m_i, since m_i divides the others: the tree computes it, and its remainders are inverted one by
 * one, those by moduli of degree 1 all at once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "poly/euclid/gcd.h"
#include "poly/points/moduli.h"
#include "product/operand/impl.h"
#include "poly/sequence.h"
#include "field/base/support.h"

/* ---- remainders ---- */

/* *r := f, or in a new array its remainder by the product. */
static gfp_status moduli_crt_reduced(gfp_operation_call *op, gfp_series *r, gfp_series f,
                                     const gfp_moduli *M)
{
    const uint64_t *product = M->node[0].poly;
    uint64_t *quotient, *rest;
    *r = f;
    if (f.len <= M->n) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &rest, M->n));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &quotient, f.len - M->n));
    GFP_TRY(gfp_division(op, quotient, rest, f, product, M->n));
    GFP_TRY(gfp_division_check(op, quotient, rest, f, product, M->n));
    gfp_operation_release(op, mark);
    *r = (gfp_series){rest, M->n};
    return GFP_OK;
}

gfp_status gfp_moduli_remainders(gfp_operation_call *op, uint64_t *v, gfp_series f,
                                 const gfp_moduli *M)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(moduli_crt_reduced(op, &f, f, M));
    GFP_TRY(gfp_moduli_start(op, v, f, M));
    GFP_TRY(gfp_moduli_descend(op, v, M));
    GFP_TRY(gfp_moduli_check_remainders(op, f, v, M));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- common factors ---- */

/* Fills the error of a call whose moduli i < j have a common factor; returns its status. */
static gfp_status common_factor(gfp_operation_call *op, size_t i, size_t j)
{
    return gfp_error_set_at(&op->base.error, GFP_ERR_NOT_INVERTIBLE, j,
                            "%s: moduli %zu and %zu have a common factor", op->base.name, i, j);
}

/* Finds the modulus with which modulus i has a common factor. */
static gfp_status moduli_crt_refuse(gfp_operation_call *op, const gfp_moduli *M, size_t i)
{
    const gfp_moduli_node *leaf = M->leaf[i];
    for (size_t j = 0; j < M->count; j++) {
        const gfp_moduli_node *other = M->leaf[j];
        gfp_common_divisor d;
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        if (j == i) {
            continue;
        }
        GFP_TRY(gfp_gcd(op, &d, (gfp_series){leaf->poly, leaf->degree + 1},
                        (gfp_series){other->poly, other->degree + 1}, false));
        if (d.g.len > 1) {
            return common_factor(op, i < j ? i : j, i < j ? j : i);
        }
        gfp_operation_release(op, mark);
    }
    return gfp_operation_wrong(op,
                               GFP_NO_INDEX); /* the remainder that was not invertible is wrong */
}

/* ---- cofactors ---- */

/* c := the inverses for moduli of degree 1, from their remainders s. */
static gfp_status invert_elements(gfp_operation_call *op, uint64_t *c, const uint64_t *s,
                                  const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    size_t count = 0, zero = 0, i = 0;
    uint64_t *x;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &x, M->count));
    for (i = 0; i < M->count; i++) {
        if (M->leaf[i]->degree == 1) {
            gfp_elem_set(field, x + count++ * k, s + M->leaf[i]->offset * k);
        }
    }
    const gfp_status status = count == 0 ? GFP_OK : gfp_sequence_invert(op, x, x, count, &zero);
    if (status != GFP_OK && status != GFP_ERR_NOT_INVERTIBLE) {
        return status;
    }
    count = 0;
    for (i = 0; i < M->count; i++) {
        if (M->leaf[i]->degree == 1) {
            if (status != GFP_OK && count == zero) {
                return moduli_crt_refuse(op, M, i);
            }
            gfp_elem_set(field, c + M->leaf[i]->offset * k, x + count++ * k);
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* c := the inverse for modulus i, of degree at least 2, from the remainder s. */
static gfp_status invert_polynomial(gfp_operation_call *op, uint64_t *c, const uint64_t *s,
                                    const gfp_moduli *M, size_t i)
{
    const gfp_moduli_node *leaf = M->leaf[i];
    const size_t at = leaf->offset * gfp_field_k(op->field);
    const size_t len = gfp_series_trim(op->field, s + at, leaf->degree);
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_status status = GFP_ERR_NOT_INVERTIBLE;
    if (len > 0) {
        status = gfp_inverse_modulo(op, c + at, (gfp_series){s + at, len},
                                    (gfp_series){leaf->poly, leaf->degree + 1});
    }
    gfp_operation_release(op, mark);
    return status == GFP_ERR_NOT_INVERTIBLE ? moduli_crt_refuse(op, M, i) : status;
}

/* high := for every modulus m of degree d the polynomial part of X^d c / m. */
static gfp_status divide_cofactors(gfp_operation_call *op, uint64_t *high, const uint64_t *c,
                                   const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        const size_t d = leaf->degree, at = leaf->offset * k;
        uint64_t *w;
        if (d == 1) {
            gfp_elem_set(field, high + at, c + at);
            continue;
        }
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        GFP_TRY(gfp_operation_array(op, &w, 2 * d));
        gfp_vec_zero(field, w, d);
        gfp_vec_set(field, w + d * k, c + at, d);
        GFP_TRY(gfp_division(op, high + at, NULL, (gfp_series){w, 2 * d}, leaf->poly, d));
        gfp_operation_release(op, mark);
    }
    return GFP_OK;
}

/* s := the remainders of the sum of all M / m_j. */
static gfp_status sum_remainders(gfp_operation_call *op, uint64_t *s, const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *sum;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &sum, M->n));
    gfp_vec_zero(field, sum, M->n);
    for (size_t i = 0; i < M->count; i++) {
        gfp_elem_one(field, sum + M->leaf[i]->offset * k);
    }
    GFP_TRY(gfp_moduli_sum(op, sum, M));
    GFP_TRY(gfp_moduli_start(op, s, (gfp_series){sum, M->n}, M));
    GFP_TRY(gfp_moduli_descend(op, s, M));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Takes the memory and cuts it. */
static gfp_status lay_out(gfp_operation_call *op, gfp_cofactors *w, const gfp_moduli *M)
{
    const size_t vector = gfp_size_mul_sat(M->n + 8, gfp_field_k(op->field)) / 8 * 8;
    size_t words = gfp_size_mul_sat(2, vector);
    for (size_t i = 0; i < M->count; i++) {
        if (M->leaf[i]->space != NULL) {
            words = gfp_size_add_sat(
                words, gfp_size_mul_sat(2, gfp_operand_place_words(M->leaf[i]->space) + 8));
        }
    }
    GFP_TRY(gfp_moduli_take(op, M, &w->area, words));
    w->c = w->area.words;
    w->high = w->c + vector;
    return GFP_OK;
}

/* The transforms of c_i and of its `high`, for leaves with transforms. */
static gfp_status moduli_crt_transform(gfp_operation_call *op, gfp_cofactors *w,
                                       const gfp_moduli *M)
{
    const size_t vector = (size_t)(w->high - w->c);
    uint64_t *words = w->high + vector;
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        const size_t at = leaf->offset * gfp_field_k(op->field);
        const uint64_t *const digits[] = {w->c + at, w->high + at};
        for (size_t j = 0; j < 2 && leaf->space != NULL; j++) {
            gfp_operand *x = &w->x[2 * leaf->number + j];
            GFP_TRY(gfp_operand_place(x, leaf->space, words));
            words += (gfp_operand_place_words(leaf->space) + 7) / 8 * 8;
            GFP_TRY(gfp_operation_set(op, x, digits[j], leaf->degree));
        }
    }
    return GFP_OK;
}

static gfp_status moduli_crt_fill(gfp_operation_call *op, gfp_cofactors *w, const gfp_moduli *M)
{
    void *block;
    uint64_t *s;
    const size_t operands = 2 * M->transformed;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, operands + 1, sizeof *w->x));
    w->x = block;
    for (size_t i = 0; i < operands; i++) {
        w->x[i].space = NULL; /* not placed */
    }
    GFP_TRY(lay_out(op, w, M));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &s, M->n));
    GFP_TRY(sum_remainders(op, s, M));
    GFP_TRY(invert_elements(op, w->c, s, M));
    for (size_t i = 0; i < M->count; i++) {
        if (M->leaf[i]->degree > 1) {
            GFP_TRY(invert_polynomial(op, w->c, s, M, i));
        }
    }
    gfp_operation_release(op, mark);
    GFP_TRY(divide_cofactors(op, w->high, w->c, M));
    return moduli_crt_transform(op, w, M);
}

static gfp_status make_cofactors(gfp_operation_call *op, gfp_cofactors **c, const gfp_moduli *M)
{
    void *block;
    GFP_TRY(gfp_moduli_allocate(op, M, &block, 1, sizeof **c));
    gfp_cofactors *made = block;
    *made = (gfp_cofactors){.c = NULL};
    const gfp_status status = moduli_crt_fill(op, made, M);
    if (status == GFP_OK) {
        *c = made;
    } else {
        gfp_cofactors_destroy(M, made);
    }
    return status;
}

double gfp_moduli_cofactors_units(size_t n, size_t count)
{
    const size_t d = n / count + 1;
    return (double)count * gfp_gcd_units(d + 1, d, true) + 8 * (double)n;
}

/* ---- recombination ---- */

static gfp_status recombine_by(gfp_operation_call *op, uint64_t *f, const uint64_t *remainders,
                               const gfp_moduli *M, const gfp_cofactors *c)
{
    gfp_vec_set(op->field, f, remainders, M->n);
    GFP_TRY(gfp_moduli_times(op, f, M, c));
    GFP_TRY(gfp_moduli_sum(op, f, M));
    return gfp_moduli_check_remainders(op, (gfp_series){f, M->n}, remainders, M);
}

gfp_status gfp_moduli_recombine(gfp_operation_call *op, uint64_t *f, const uint64_t *remainders,
                                const gfp_moduli *M)
{
    gfp_cofactors *c = NULL;
    GFP_TRY(make_cofactors(op, &c, M));
    const gfp_status status = recombine_by(op, f, remainders, M, c);
    gfp_cofactors_destroy(M, c);
    return status;
}
