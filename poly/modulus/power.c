/* power.c: powers modulo f, the exponent read from its highest bit down.
 *
 * Powers of X: a factor X costs nothing, since the product that is reduced is only shifted; those
 * of c X^v follow. Other powers: sliding windows over a table of odd powers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/steps.h"
#include "poly/exponent.h"
#include "poly/modulus/chain.h"
#include "poly/modulus/impl.h"
#include "poly/modulus/reducer.h"
#include "field/base/support.h"
#include "poly/terms.h"
#include "field/base/word.h"
#include "product/methods/engine.h"

unsigned gfp_modulus_power_products(const uint64_t *exponent, size_t limbs)
{
    const size_t bits = gfp_exponent_bits(exponent, limbs);
    const unsigned w = gfp_exponent_window(bits);
    return (unsigned)(bits + bits / w + 2) + (1U << (w - 1));
}

/* ---- steps ---- */

/* A power that was computed, and its residue where a chain checks all (else NULL). */
typedef struct value {
    uint64_t *digits, *residue;
} value;

/* A power under way: r, and another value, where the next one comes. Long chains have a reducer and
 * its representation, others NULL. chain: checks all products; NULL: each is checked by itself. */
typedef struct power {
    gfp_operation_call *op;
    const gfp_modulus *M;
    gfp_reducer *reducer;
    gfp_chain *chain;
    value r, next;
    size_t n;
} power;

/* A factor: its digits and, where there are any, its residue and transforms of it. */
typedef struct factor {
    gfp_reducer_factor factor; /* the digits also without a reducer */
    uint64_t *residue;
    gfp_operand *kept;
} factor;

static size_t elements_of(const power *w)
{
    return w->reducer != NULL ? w->reducer->N : w->n;
}

/* *z := a new value, undefined. */
static gfp_status make_value(power *w, value *z)
{
    z->residue = NULL;
    GFP_TRY(gfp_operation_array(w->op, &z->digits, elements_of(w)));
    return w->chain == NULL ? GFP_OK : gfp_chain_array(w->op, w->chain, &z->residue);
}

/* c := a b X^shift; b = NULL: a^2. */
static gfp_status multiply_to(power *w, const value *c, const value *a, const factor *b,
                              size_t shift)
{
    const gfp_chain_link place = {w->chain, a->residue, b == NULL ? a->residue : b->residue,
                                  c->residue};
    const gfp_chain_link *link = w->chain == NULL ? NULL : &place;
    if (w->reducer != NULL) {
        return gfp_reducer_multiply(w->op, w->reducer, c->digits, a->digits,
                                    b == NULL ? NULL : &b->factor, shift, link);
    }
    const gfp_modular_product p = {.a = {a->digits, w->n},
                                   .b = {b == NULL ? a->digits : b->factor.digits, w->n},
                                   .kept = b == NULL ? NULL : b->kept,
                                   .shift = shift,
                                   .link = link};
    return gfp_modulus_multiply(w->op, w->M, c->digits, &p);
}

/* r := r b X^shift; b = NULL: r^2. */
static gfp_status power_multiply(power *w, const factor *b, size_t shift)
{
    const value r = w->r;
    GFP_TRY(multiply_to(w, &w->next, &r, b, shift));
    w->r = w->next;
    w->next = r;
    return GFP_OK;
}

/* r := a, of up to n coefficients. */
static gfp_status power_enter(power *w, const value *r, gfp_series a)
{
    if (w->reducer != NULL) {
        GFP_TRY(gfp_reducer_enter(w->op, w->reducer, r->digits, a));
    } else {
        gfp_series_copy(w->op->field, r->digits, w->n, a);
    }
    return w->chain == NULL ? GFP_OK
                            : gfp_chain_enter(w->op, w->chain, r->residue, r->digits, w->n);
}

/* ---- powers of X ---- */

static gfp_status power_of_x(power *w, const uint64_t *exponent, size_t bits)
{
    const gfp_field *field = w->op->field;
    const size_t start = gfp_exponent_start(exponent, w->n, &bits);
    gfp_vec_zero(field, w->next.digits, w->n);
    gfp_elem_one(field, w->next.digits + start * gfp_field_k(field));
    GFP_TRY(power_enter(w, &w->r, (gfp_series){w->next.digits, w->n}));
    while (bits-- > 0) {
        GFP_TRY(power_multiply(w, NULL, gfp_exponent_bit(exponent, bits)));
    }
    return GFP_OK;
}

/* ---- other powers ---- */

/* The odd powers of a. */
typedef struct table {
    factor power[1 << (GFP_MAX_WINDOW - 1)];
} table;

/* Keeps the transforms of b, whose digits are set. */
static gfp_status power_keep(power *w, factor *b)
{
    b->kept = NULL;
    if (w->reducer != NULL) {
        return gfp_reducer_keep(w->op, w->reducer, &b->factor);
    }
    if (w->M->quotients == NULL) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_operand(w->op, &b->kept, gfp_operand_space(w->M->quotients)));
    return gfp_operation_set(w->op, b->kept, b->factor.digits, w->n);
}

static value value_of(const factor *b)
{
    return (value){b->factor.digits, b->residue};
}

/* t := a, a^3, a^5, ...: `count` powers. */
static gfp_status power_fill(power *w, table *t, gfp_series a, size_t count)
{
    value z, second;
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(make_value(w, &z));
        t->power[i].factor.digits = z.digits;
        t->power[i].residue = z.residue;
    }
    z = value_of(&t->power[0]);
    GFP_TRY(power_enter(w, &z, a));
    GFP_TRY(power_keep(w, &t->power[0]));
    if (count == 1) {
        return GFP_OK;
    }
    GFP_TRY(make_value(w, &second));
    GFP_TRY(multiply_to(w, &second, &z, NULL, 0));
    for (size_t i = 1; i < count; i++) {
        z = value_of(&t->power[i]);
        GFP_TRY(multiply_to(w, &z, &second, &t->power[i - 1], 0));
        GFP_TRY(power_keep(w, &t->power[i]));
    }
    return GFP_OK;
}

static gfp_status power_apply(power *w, const table *t, gfp_exponent_step step)
{
    for (size_t j = 0; j < step.squares; j++) {
        GFP_TRY(power_multiply(w, NULL, 0));
    }
    return step.odd == 0 ? GFP_OK : power_multiply(w, &t->power[step.odd / 2], 0);
}

static gfp_status power_by_windows(power *w, gfp_series a, const uint64_t *exponent, size_t bits)
{
    const unsigned most = gfp_exponent_window(bits);
    table t;
    GFP_TRY(power_fill(w, &t, a, (size_t)1 << (most - 1)));
    const factor *first = &t.power[gfp_exponent_next(exponent, most, &bits).odd / 2];
    gfp_vec_set(w->op->field, w->r.digits, first->factor.digits, elements_of(w));
    if (w->chain != NULL) {
        gfp_vec_set(w->op->field, w->r.residue, first->residue, w->chain->ring.j);
    }
    while (bits > 0) {
        GFP_TRY(power_apply(w, &t, gfp_exponent_next(exponent, most, &bits)));
    }
    return GFP_OK;
}

/* *z, an array of the operation, := x v, limbs + 1 words. */
static gfp_status multiply_exponent(gfp_operation_call *op, const uint64_t **z, const uint64_t *x,
                                    size_t limbs, uint64_t v)
{
    uint64_t *words, carry = 0;
    GFP_TRY(gfp_operation_array(op, &words, limbs / gfp_field_k(op->field) + 1));
    for (size_t i = 0; i < limbs; i++) {
        const gfp_u128 t = (gfp_u128)x[i] * v + carry;
        words[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    words[limbs] = carry;
    *z = words;
    return GFP_OK;
}

static gfp_status run_power(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r, gfp_series a,
                            const uint64_t *exponent, size_t bits, bool of_x)
{
    const gfp_field *field = op->field;
    gfp_reducer reducer;
    gfp_chain chain;
    power w = {.op = op, .M = M, .n = M->divisor.n};
    bool made = false, begun = false;
    if (bits > GFP_REDUCER_PRODUCTS) {
        GFP_TRY(gfp_reducer_make(op, &reducer, &made, M));
        w.reducer = made ? &reducer : NULL;
    }
    GFP_TRY(gfp_chain_begin(op, &chain, &begun, M, made ? reducer.N : 0));
    w.chain = begun ? &chain : NULL;
    GFP_TRY(make_value(&w, &w.r));
    GFP_TRY(make_value(&w, &w.next));
    GFP_TRY(of_x ? power_of_x(&w, exponent, bits) : power_by_windows(&w, a, exponent, bits));
    GFP_TRY(begun ? gfp_chain_end(op, &chain) : GFP_OK);
    if (made) {
        return gfp_reducer_leave(op, &reducer, r, w.r.digits);
    }
    gfp_vec_set(field, r, w.r.digits, w.n);
    return GFP_OK;
}

/* r := (c X^v)^e, v < n, e not 0. */
static gfp_status power_of_monomial(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                                    const uint64_t *c, size_t v, const uint64_t *exponent,
                                    size_t limbs)
{
    const gfp_field *field = op->field;
    uint64_t x[GFP_MAX_K];
    gfp_elem_pow(field, x, c, exponent, limbs);
    if (v == 0) {
        gfp_vec_zero(field, r, M->divisor.n);
        gfp_elem_set(field, r, x);
        return GFP_OK;
    }
    if (v > 1) {
        GFP_TRY(multiply_exponent(op, &exponent, exponent, limbs, v));
        limbs++;
    }
    GFP_TRY(run_power(op, M, r, (gfp_series){NULL, 0}, exponent, gfp_exponent_bits(exponent, limbs),
                      true));
    if (!gfp_elem_is_one(field, x)) {
        gfp_vec_scalar_mul(field, r, r, x, M->divisor.n);
    }
    return GFP_OK;
}

gfp_status gfp_modulus_power(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                             gfp_series a, const uint64_t *exponent, size_t limbs)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, bits = gfp_exponent_bits(exponent, limbs);
    const size_t low = gfp_terms_valuation(field, a), len = gfp_series_trim(field, a.digits, a.len);
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (bits == 0 || len == 0) {
        gfp_vec_zero(field, r, n);
        if (bits == 0) {
            gfp_elem_one(field, r);
        }
    } else if (low + 1 == len) {
        GFP_TRY(
            power_of_monomial(op, M, r, a.digits + low * gfp_field_k(field), low, exponent, limbs));
    } else {
        GFP_TRY(run_power(op, M, r, a, exponent, bits, false));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}
