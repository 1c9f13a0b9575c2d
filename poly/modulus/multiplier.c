/* multiplier.c: products by a fixed polynomial b modulo f of degree n.
 *
 * With b' the quotient of b X^(n - 1) by f, the quotient of a b by f is that of a b' by X^(n - 1):
 * both differ by a fraction whose numerator's degree is below its denominator's. So a b itself is
 * computed modulo X^L - 1 alone, together with the remainder. The idea is Shoup's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/multiplier.h"

#include "poly/euclid/steps.h"
#include "field/base/kernels.h"
#include "product/methods/engine.h"
#include "poly/call.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* ---- what is kept ---- */

static double length_of(const gfp_operand *x)
{
    return (double)gfp_space_length(gfp_operand_space(x));
}

double gfp_multiplier_units(const gfp_modulus *M)
{
    return M->quotients == NULL ? (double)M->divisor.n
                                : (GFP_OPERATION_SET_UNITS + GFP_OPERATION_MULTIPLY_BY_UNITS) *
                                      (length_of(M->quotients) + length_of(M->minus));
}

/* A new operand: of the operation, or one that stays. */
static gfp_status make_operand(gfp_operation_call *op, gfp_operand **x, const gfp_operand *like,
                               bool stays)
{
    gfp_space *s = gfp_operand_space(like);
    return stays ? gfp_operand_create(x, s) : gfp_operation_operand(op, x, s);
}

/* Fills the operands. */
static gfp_status multiplier_keep(gfp_operation_call *op, gfp_multiplier *B, bool stays)
{
    const gfp_modulus *M = B->M;
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = M->divisor.n, len = B->b.len + n - 1;
    const bool checked = op->base.options->verify != GFP_VERIFY_NONE;
    uint64_t one[GFP_MAX_K], *w, *q, *r;
    if (M->quotients == NULL || B->b.len <= op->threshold[GFP_THRESHOLD_MODULUS]) {
        return GFP_OK;
    }
    GFP_TRY(make_operand(op, &B->quotient, M->quotients, stays));
    GFP_TRY(make_operand(op, &B->low, M->minus, stays));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_elem_one(field, one);
    GFP_TRY(gfp_operation_array(op, &w, len));
    GFP_TRY(gfp_operation_array(op, &q, len - n));
    GFP_TRY(gfp_operation_array(op, &r, checked ? n : 0));
    gfp_vec_zero(field, w, n - 1);
    gfp_vec_set(field, w + (n - 1) * k, B->b.digits, B->b.len);
    const gfp_modular_product p = {.a = {w, len}, .b = {one, 1}};
    GFP_TRY(gfp_poly_divisor_reduce(op, &M->divisor, q, checked ? r : NULL, p.a));
    GFP_TRY(gfp_modulus_check(op, M, &p, (gfp_series){q, len - n}, r));
    GFP_TRY(gfp_operation_set(op, B->quotient, q, len - n));
    GFP_TRY(gfp_operation_set(op, B->low, B->b.digits, B->b.len));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_multiplier_borrow(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                                 gfp_series b)
{
    *B = (gfp_multiplier){.M = M};
    gfp_poly_init(&B->b, op->field);
    B->b.len = gfp_series_trim(op->field, b.digits, b.len);
    GFP_TRY(gfp_operation_array(op, &B->b.digits, B->b.len));
    gfp_vec_set(op->field, B->b.digits, b.digits, B->b.len);
    return multiplier_keep(op, B, false);
}

gfp_status gfp_multiplier_fill(gfp_operation_call *op, gfp_multiplier *B, const gfp_modulus *M,
                               gfp_series b)
{
    *B = (gfp_multiplier){.M = M};
    gfp_poly_init(&B->b, op->field);
    GFP_TRY(gfp_poly_fit_length(&B->b, b.len));
    gfp_vec_set(op->field, B->b.digits, b.digits, b.len);
    gfp_poly_normalise(&B->b, b.len);
    return multiplier_keep(op, B, true);
}

void gfp_multiplier_empty(gfp_multiplier *B)
{
    gfp_operand_destroy(B->quotient);
    gfp_operand_destroy(B->low);
    gfp_poly_clear(&B->b);
}

size_t gfp_multiplier_bytes(const gfp_multiplier *B)
{
    size_t bytes = sizeof *B + B->b.capacity * gfp_element_bytes(B->b.field);
    if (B->quotient != NULL) {
        bytes += gfp_operand_bytes(B->quotient) + gfp_operand_bytes(B->low);
    }
    return bytes;
}

/* ---- products ---- */

double gfp_multiplier_apply_units(const gfp_modulus *M)
{
    return M->quotients == NULL
               ? gfp_modulus_multiply_units(M)
               : GFP_OPERATION_MULTIPLY_BY_UNITS * length_of(M->quotients) + length_of(M->minus);
}

/* r := a b mod f by what is kept of b. */
static gfp_status multiply_by_kept(gfp_operation_call *op, uint64_t *r, gfp_series a,
                                   const gfp_multiplier *B, const gfp_chain_link *link)
{
    const gfp_modulus *M = B->M;
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, len_q = a.len - 1;
    gfp_operand *x, *y;
    uint64_t *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_operand(op, &x, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_operand(op, &y, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_array(op, &t, n - 1 + len_q));
    GFP_TRY(gfp_operation_multiply_by(op, t, n - 1, n - 1 + len_q, a.digits, a.len, B->quotient));
    const gfp_series q = {t + (n - 1) * gfp_field_k(field), len_q};
    GFP_TRY(gfp_operation_set(op, x, a.digits, a.len));
    GFP_TRY(gfp_operation_set(op, y, q.digits, q.len));
    const gfp_operand *const left[] = {x, y}, *const right[] = {B->low, M->minus};
    GFP_TRY(gfp_operation_dot(op, r, 0, n, left, right, 2));
    const gfp_modular_product p = {.a = a, .b = {B->b.digits, B->b.len}, .link = link};
    GFP_TRY(gfp_modulus_check(op, M, &p, q, r));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_multiplier_apply(gfp_operation_call *op, uint64_t *r, gfp_series a,
                                const gfp_multiplier *B, const gfp_chain_link *link)
{
    if (B->quotient != NULL && a.len > op->threshold[GFP_THRESHOLD_MODULUS]) {
        return multiply_by_kept(op, r, a, B, link);
    }
    const gfp_modular_product p = {.a = a, .b = {B->b.digits, B->b.len}, .link = link};
    return gfp_modulus_multiply(op, B->M, r, &p);
}

/* ---- the transpose ---- */

/* The product of a by X^i keeps, of a b' and of the two products modulo X^L - 1, coefficients that
 * move with i: their transposes are parts of products by the same operands, of the reversed form
 * v. E: the values of the form at -f X^j for the places j of a quotient. */
static gfp_status transpose_kept(gfp_operation_call *op, uint64_t *r, const uint64_t *v,
                                 const gfp_multiplier *B)
{
    const gfp_modulus *M = B->M;
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, m = B->b.len - 1, k = gfp_field_k(field);
    gfp_operand *x;
    uint64_t *e, *high;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_operand(op, &x, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_array(op, &e, n));
    GFP_TRY(gfp_operation_array(op, &high, m - 1 + n));
    GFP_TRY(gfp_operation_set(op, x, v, n));
    const gfp_operand *const form = x, *const low = B->low, *const minus = M->minus;
    GFP_TRY(gfp_operation_dot(op, r, 0, n, &form, &low, 1));
    GFP_TRY(gfp_operation_dot(op, e, n - m, n, &form, &minus, 1));
    GFP_TRY(gfp_operation_multiply_by(op, high, m - 1, m - 1 + n, e + (n - m) * k, m, B->quotient));
    gfp_vec_add(field, r, r, high + (m - 1) * k, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* The values of the form at b, b X, ..., b X^(n - 1). */
static gfp_status transpose_by_definition(gfp_operation_call *op, uint64_t *r, const uint64_t *v,
                                          const gfp_multiplier *B)
{
    const gfp_field *field = op->field;
    const gfp_poly_divisor *d = &B->M->divisor;
    const size_t n = d->n, k = gfp_field_k(field);
    uint64_t *a, top[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &a, n));
    gfp_series_copy(field, a, n, (gfp_series){B->b.digits, B->b.len});
    GFP_TRY(
        gfp_operation_step(op, (double)n, (double)n * 2 * (double)n, gfp_task_product_cost(field)));
    for (size_t i = 0; i < n; i++) {
        gfp_vec_dot_reversed(field, r + (n - 1 - i) * k, v, a, n);
        gfp_elem_mul(field, top, a + (n - 1) * k, d->inverse);
        gfp_vec_set(field, a + k, a, n - 1);
        gfp_elem_zero(field, a);
        gfp_vec_scalar_submul(field, a, d->f, top, n);
        if (!gfp_task_advance(&op->base.task, 2 * (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_multiplier_transpose(gfp_operation_call *op, uint64_t *r, const uint64_t *l,
                                    const gfp_multiplier *B)
{
    return B->quotient != NULL ? transpose_kept(op, r, l, B) : transpose_by_definition(op, r, l, B);
}
