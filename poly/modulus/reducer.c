/* reducer.c: see reducer.h.
 *
 * With m = -a b / f modulo X^N - 1 the polynomial a b + m f is t (X^N - 1), t of degree < n, and t
 * = a b / (X^N - 1) modulo f. Modulo X^N + 1, X^N - 1 is -2: there a b + m f is r = -2 t, all
 * coefficients of which are below N. So r = a b / V for V = (1 - X^N) / 2, and a V b V / V = a b V.
 * A factor X turns m modulo X^N - 1; the product is divided by X modulo X^N + 1 and multiplied
 * again, so that both are only turned.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/reducer.h"

#include <string.h>

#include "poly/modulus/chain.h"
#include "product/methods/engine.h"
#include "field/base/kernels.h"
#include "field/base/support.h"

/* ---- a reducer ---- */

/* x := -1 / f modulo X^N - 1, unless there is none. */
static gfp_status set_inverse(gfp_operation_call *op, gfp_operand *x, bool *unit, const gfp_poly *f,
                              size_t N)
{
    uint64_t *z, *wrapped;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, N));
    GFP_TRY(gfp_operation_array(op, &wrapped, N));
    gfp_series_wrap(op->field, wrapped, N, N, (gfp_series){f->digits, f->len});
    GFP_TRY(gfp_modulus_invert_cyclic(op, gfp_operand_space(x)->method, z, unit, wrapped, N));
    if (*unit) {
        gfp_vec_neg(op->field, z, z, N);
        GFP_TRY(gfp_operation_set(op, x, z, N));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* x := f modulo X^N + 1, of degree n <= N. */
static gfp_status set_modulus(gfp_operation_call *op, gfp_operand *x, const gfp_poly *f, size_t N)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *z;
    if (f->len <= N) {
        return gfp_operation_set(op, x, f->digits, f->len);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, N));
    gfp_vec_set(op->field, z, f->digits, N);
    gfp_elem_sub(op->field, z, z, f->digits + N * k);
    GFP_TRY(gfp_operation_set(op, x, z, N));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* *plus := the space modulo X^N + 1 of the modulus's method; NULL: it has none of this length. */
static gfp_status find_space(gfp_operation_call *op, gfp_space **plus, const gfp_modulus *M)
{
    const gfp_space *minus = gfp_operand_space(M->minus);
    const char *named = op->inner.method;
    *plus = NULL;
    if (!minus->engine->negates) {
        return GFP_OK;
    }
    op->inner.method = minus->method->name;
    const gfp_status status =
        gfp_operation_space_of(op, plus, minus->length, 2, GFP_WRAP_NEGACYCLIC);
    op->inner.method = named;
    if (status == GFP_ERR_SIZE || status == GFP_ERR_UNAVAILABLE) {
        *plus = NULL;
        op->base.error.status = GFP_OK; /* that is no error */
        return GFP_OK;
    }
    if (status == GFP_OK && gfp_space_length(*plus) != minus->length) {
        *plus = NULL;
    }
    return status;
}

/* *unit := false if f has no inverse modulo X^N - 1. */
static gfp_status reducer_fill(gfp_operation_call *op, gfp_reducer *w, gfp_space *plus, bool *unit)
{
    gfp_space *minus = gfp_operand_space(w->M->minus);
    GFP_TRY(gfp_operation_operand(op, &w->inverse, minus));
    GFP_TRY(gfp_operation_operand(op, &w->below, minus));
    GFP_TRY(gfp_operation_operand(op, &w->f, plus));
    GFP_TRY(gfp_operation_operand(op, &w->a, plus));
    GFP_TRY(gfp_operation_operand(op, &w->m, plus));
    GFP_TRY(gfp_operation_array(op, &w->square, w->N));
    GFP_TRY(gfp_operation_array(op, &w->digits, w->N));
    GFP_TRY(set_inverse(op, w->inverse, unit, &w->M->f, w->N));
    return *unit ? set_modulus(op, w->f, &w->M->f, w->N) : GFP_OK;
}

/* Whether products are not checked, or at points. */
static bool checks_at_points(const gfp_operation_call *op, size_t len)
{
    int log2_error;
    return op->base.options->verify == GFP_VERIFY_NONE ||
           (op->base.options->verify == GFP_VERIFY_POINT &&
            gfp_verify_points(op->field, len, &log2_error) > 0);
}

gfp_status gfp_reducer_make(gfp_operation_call *op, gfp_reducer *w, bool *made,
                            const gfp_modulus *M)
{
    gfp_space *plus = NULL;
    bool unit = false;
    *made = false;
    if (M->minus == NULL || M->divisor.n < GFP_REDUCER_DEGREE) {
        return GFP_OK;
    }
    *w = (gfp_reducer){
        .M = M, .n = M->divisor.n, .N = gfp_space_length(gfp_operand_space(M->minus))};
    if (!checks_at_points(op, w->N + w->n)) {
        return GFP_OK;
    }
    /* More than a cap is no error: products reduced by high coefficients take less. */
    const bool capped = op->base.left != SIZE_MAX;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_status status = find_space(op, &plus, M);
    if (status == GFP_OK && plus != NULL) {
        status = reducer_fill(op, w, plus, &unit);
    }
    *made = status == GFP_OK && unit;
    if (!*made) {
        gfp_operation_release(op, mark);
    }
    if (status == GFP_ERR_MEMORY && capped) {
        op->base.refused = 0;
        return GFP_OK;
    }
    return status;
}

/* ---- check ---- */

/* A product to check: b = NULL stands for a. m as it is used, before it is turned. */
typedef struct product {
    const uint64_t *a, *b, *m, *r;
    size_t shift;
    const gfp_chain_link *link;
} product;

/* r has N elements: n coefficients, and zeros. 2 (a b X^shift + m f) = r (1 - X^N), where m turned
 * is X m + m_(N-1) (1 - X^N). */
static gfp_status reducer_check(gfp_operation_call *op, const gfp_reducer *w, const product *p)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = w->n, N = w->N;
    const gfp_poly *f = &w->M->f;
    const uint64_t *top = p->m + (N - 1) * k, *b = p->b == NULL ? p->a : p->b;
    const size_t turned = p->shift != 0 ? 1 : 0; /* else m_(N-1) is no term */
    gfp_identity identity = {.field = field};
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    for (size_t i = n; i < N; i++) {
        if (!gfp_elem_is_zero(field, p->r + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    if (p->link != NULL) {
        return gfp_chain_add(op, p->link,
                             &(gfp_chain_product){{p->r, n}, {p->m, N}, p->shift, turned == 1});
    }
    gfp_term *const term[] = {gfp_identity_add(&identity, p->a, n, b, n),
                              gfp_identity_add(&identity, p->m, N, f->digits, f->len),
                              gfp_identity_add(&identity, top, turned, f->digits, f->len),
                              gfp_identity_add(&identity, top, turned, f->digits, f->len),
                              gfp_identity_add(&identity, p->r, n, NULL, 1),
                              gfp_identity_add(&identity, p->r, n, NULL, 1)};
    term[0]->shift = term[1]->shift = p->shift;
    term[3]->shift = term[5]->shift = N;
    term[0]->twice = term[1]->twice = term[2]->twice = term[3]->twice = true;
    term[1]->result = term[4]->result = true;
    term[3]->minus = term[4]->minus = true;
    return gfp_operation_check(op, &identity);
}

/* ---- products ---- */

/* r := X r modulo X^N + 1. */
static void reducer_turn(const gfp_reducer *w, const gfp_field *field, uint64_t *r)
{
    const size_t k = gfp_field_k(field);
    uint64_t top[GFP_MAX_K];
    gfp_elem_neg(field, top, r + (w->N - 1) * k);
    memmove(r + k, r, (w->N - 1) * k * sizeof *r);
    gfp_elem_set(field, r, top);
}

/* r := a b + m f modulo X^N + 1 with m in w->digits, times X^shift for the turned m; b = NULL: a^2.
 * The turned m divided by X modulo X^N + 1 has the coefficients of m, the last one negative. */
static gfp_status reducer_join(gfp_operation_call *op, const gfp_reducer *w, uint64_t *r,
                               const uint64_t *a, const gfp_operand *b, size_t shift)
{
    const gfp_field *field = op->field;
    uint64_t *last = w->digits + (w->N - 1) * gfp_field_k(field);
    GFP_TRY(gfp_operation_set(op, w->a, a, w->n));
    if (shift != 0) {
        gfp_elem_neg(field, last, last);
    }
    GFP_TRY(gfp_operation_set(op, w->m, w->digits, w->N));
    const gfp_operand *const left[] = {w->a, w->m}, *const right[] = {b != NULL ? b : w->a, w->f};
    GFP_TRY(gfp_operation_dot(op, r, 0, w->N, left, right, 2));
    if (shift != 0) {
        gfp_elem_neg(field, last, last);
        reducer_turn(w, field, r);
    }
    return GFP_OK;
}

/* w->digits := -a^2 / f modulo X^N - 1. */
static gfp_status square_below(gfp_operation_call *op, const gfp_reducer *w, const uint64_t *a)
{
    const gfp_operand *const x[] = {w->below};
    GFP_TRY(gfp_operation_set(op, w->below, a, w->n));
    GFP_TRY(gfp_operation_dot(op, w->square, 0, w->N, x, x, 1));
    return gfp_operation_multiply_by(op, w->digits, 0, w->N, w->square, w->N, w->inverse);
}

gfp_status gfp_reducer_multiply(gfp_operation_call *op, gfp_reducer *w, uint64_t *r,
                                const uint64_t *a, const gfp_reducer_factor *b, size_t shift,
                                const gfp_chain_link *link)
{
    GFP_TRY(b == NULL ? square_below(op, w, a)
                      : gfp_operation_multiply_by(op, w->digits, 0, w->N, a, w->n, b->scaled));
    GFP_TRY(reducer_join(op, w, r, a, b == NULL ? NULL : b->b, shift));
    const uint64_t *digits = b == NULL ? NULL : b->digits;
    return reducer_check(op, w, &(product){a, digits, w->digits, r, shift, link});
}

gfp_status gfp_reducer_keep(gfp_operation_call *op, const gfp_reducer *w, gfp_reducer_factor *b)
{
    GFP_TRY(gfp_operation_operand(op, &b->scaled, gfp_operand_space(w->inverse)));
    GFP_TRY(gfp_operation_operand(op, &b->b, gfp_operand_space(w->f)));
    GFP_TRY(gfp_operation_multiply_by(op, w->digits, 0, w->N, b->digits, w->n, w->inverse));
    GFP_TRY(gfp_operation_set(op, b->scaled, w->digits, w->N));
    return gfp_operation_set(op, b->b, b->digits, w->n);
}

/* ---- in and out ---- */

/* r := a (1 - X^N) / 2 modulo f, checked as a quotient and a remainder. */
gfp_status gfp_reducer_enter(gfp_operation_call *op, gfp_reducer *w, uint64_t *r, gfp_series a)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), len = w->N + w->n;
    uint64_t *half, *q, one[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &half, len));
    GFP_TRY(gfp_operation_array(op, &q, w->N));
    gfp_vec_zero(field, half, len);
    gfp_vec_div_2exp(field, half, a.digits, 1, a.len);
    gfp_vec_zero(field, r, w->N);
    gfp_vec_neg(field, r, half, a.len);
    gfp_vec_add(field, half + w->N * k, half + w->N * k, r, a.len);
    GFP_TRY(gfp_poly_divisor_reduce(op, &w->M->divisor, q, r, (gfp_series){half, len}));
    gfp_vec_zero(field, r + w->n * k, w->N - w->n);
    gfp_elem_one(field, one);
    const gfp_modular_product p = {.a = {half, len}, .b = {one, 1}};
    GFP_TRY(gfp_modulus_check(op, w->M, &p, (gfp_series){q, w->N}, r));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* The product by the polynomial 1. */
gfp_status gfp_reducer_leave(gfp_operation_call *op, gfp_reducer *w, uint64_t *r, const uint64_t *a)
{
    const gfp_field *field = op->field;
    uint64_t *one, *z;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &one, w->n));
    GFP_TRY(gfp_operation_array(op, &z, w->N));
    gfp_vec_zero(field, one, w->n);
    gfp_elem_one(field, one);
    GFP_TRY(gfp_operation_multiply_by(op, w->digits, 0, w->N, a, w->n, w->inverse));
    GFP_TRY(gfp_operation_multiply_by(op, z, 0, w->N, w->digits, w->N, w->f));
    gfp_vec_add(field, z, z, a, w->n);
    GFP_TRY(reducer_check(op, w, &(product){a, one, w->digits, z, 0, NULL}));
    gfp_vec_set(field, r, z, w->n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}
