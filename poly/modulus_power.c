/* modulus_power.c: powers modulo f, the exponent read from its highest bit down.
 *
 * Powers of X: a factor X costs nothing, since the product that is reduced is only shifted. Other
 * powers: sliding windows over a table of odd powers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modulus.h"

#include "support.h"

/* ---- exponents ---- */

static size_t bits_of(const uint64_t *exponent, size_t limbs)
{
    size_t bits = 64 * limbs;
    while (bits > 0 && (exponent[(bits - 1) / 64] >> (bits - 1) % 64 & 1) == 0) {
        bits--;
    }
    return bits;
}

static unsigned bit(const uint64_t *exponent, size_t i)
{
    return exponent[i / 64] >> i % 64 & 1;
}

/* The bits of a window: a table of 2^(w - 1) powers, and a product for about every w + 1 bits. */
#define MAX_WINDOW 6
static unsigned window_bits(size_t bits)
{
    static const size_t up_to[MAX_WINDOW - 1] = {6, 24, 80, 240, 672};
    unsigned w = 1;
    while (w < MAX_WINDOW && bits > up_to[w - 1]) {
        w++;
    }
    return w;
}

unsigned gfp_modulus_power_products(const uint64_t *exponent, size_t limbs)
{
    const size_t bits = bits_of(exponent, limbs);
    const unsigned w = window_bits(bits);
    return (unsigned)(bits + bits / w + 2) + (1U << (w - 1));
}

/* ---- steps ---- */

/* A power under way: r, and another array of n elements, where the next one comes. */
typedef struct power {
    gfp_operation_call *op;
    const gfp_modulus *M;
    uint64_t *r, *next;
    size_t n;
} power;

/* r := r b X^shift. */
static gfp_status multiply(power *w, gfp_series b, const gfp_operand *kept, size_t shift)
{
    const gfp_modular_product p = {{w->r, w->n}, b, kept, shift};
    uint64_t *r = w->r;
    GFP_TRY(gfp_modulus_multiply(w->op, w->M, w->next, &p));
    w->r = w->next;
    w->next = r;
    return GFP_OK;
}

static gfp_status square(power *w, size_t shift)
{
    return multiply(w, (gfp_series){w->r, w->n}, NULL, shift);
}

/* ---- powers of X ---- */

static bool is_x(const gfp_field *field, gfp_series a)
{
    const size_t k = gfp_field_k(field);
    return a.len == 2 && gfp_elem_is_zero(field, a.digits) && gfp_elem_is_one(field, a.digits + k);
}

static gfp_status power_of_x(power *w, const uint64_t *exponent, size_t bits)
{
    const gfp_field *field = w->op->field;
    size_t start = 0; /* of the exponent's highest bits, below n */
    while (bits > 0 && 2 * start + bit(exponent, bits - 1) < w->n) {
        start = 2 * start + bit(exponent, --bits);
    }
    gfp_vec_zero(field, w->r, w->n);
    gfp_elem_one(field, w->r + start * gfp_field_k(field));
    while (bits-- > 0) {
        GFP_TRY(square(w, bit(exponent, bits)));
    }
    return GFP_OK;
}

/* ---- other powers ---- */

/* The odd powers of a, and where they are kept the transforms. */
typedef struct table {
    uint64_t *digits[1 << (MAX_WINDOW - 1)];
    gfp_operand *kept[1 << (MAX_WINDOW - 1)];
} table;

static gfp_status keep(power *w, table *t, size_t i)
{
    t->kept[i] = NULL;
    if (w->M->quotients == NULL) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_operand(w->op, &t->kept[i], gfp_operand_space(w->M->quotients)));
    return gfp_operation_set(w->op, t->kept[i], t->digits[i], w->n);
}

/* t := a, a^3, a^5, ...: `count` powers, a of n coefficients. */
static gfp_status fill(power *w, table *t, const uint64_t *a, size_t count)
{
    const gfp_series factor = {a, w->n};
    uint64_t *second;
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(gfp_operation_array(w->op, &t->digits[i], w->n));
    }
    gfp_vec_copy(w->op->field, t->digits[0], a, w->n);
    GFP_TRY(keep(w, t, 0));
    if (count == 1) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(w->op, &second, w->n));
    const gfp_modular_product twice = {factor, factor, NULL, 0};
    GFP_TRY(gfp_modulus_multiply(w->op, w->M, second, &twice));
    for (size_t i = 1; i < count; i++) {
        const gfp_modular_product p = {{second, w->n}, {t->digits[i - 1], w->n}, t->kept[i - 1], 0};
        GFP_TRY(gfp_modulus_multiply(w->op, w->M, t->digits[i], &p));
        GFP_TRY(keep(w, t, i));
    }
    return GFP_OK;
}

/* r := r^(2^size) times a power of the table, for a window of `size` bits with this odd value. */
static gfp_status apply(power *w, const table *t, size_t size, size_t value, bool first)
{
    const size_t i = value / 2;
    if (first) {
        gfp_vec_copy(w->op->field, w->r, t->digits[i], w->n);
        return GFP_OK;
    }
    for (size_t j = 0; j < size; j++) {
        GFP_TRY(square(w, 0));
    }
    return multiply(w, (gfp_series){t->digits[i], w->n}, t->kept[i], 0);
}

static gfp_status power_by_windows(power *w, const uint64_t *a, const uint64_t *exponent,
                                   size_t bits)
{
    const unsigned most = window_bits(bits);
    table t;
    bool first = true;
    GFP_TRY(fill(w, &t, a, (size_t)1 << (most - 1)));
    while (bits > 0) {
        if (bit(exponent, bits - 1) == 0) {
            GFP_TRY(square(w, 0));
            bits--;
            continue;
        }
        size_t low = bits > most ? bits - most : 0, value = 0;
        while (bit(exponent, low) == 0) {
            low++;
        }
        for (size_t i = bits; i-- > low;) {
            value = 2 * value + bit(exponent, i);
        }
        GFP_TRY(apply(w, &t, bits - low, value, first));
        first = false;
        bits = low;
    }
    return GFP_OK;
}

gfp_status gfp_modulus_power(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                             gfp_series a, const uint64_t *exponent, size_t limbs)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, bits = bits_of(exponent, limbs);
    power w = {.op = op, .M = M, .n = n};
    uint64_t *base;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &w.r, n));
    GFP_TRY(gfp_operation_array(op, &w.next, n));
    if (bits == 0 || is_x(field, a)) {
        GFP_TRY(power_of_x(&w, exponent, bits));
    } else {
        GFP_TRY(gfp_operation_array(op, &base, n));
        gfp_series_copy(field, base, n, a);
        GFP_TRY(power_by_windows(&w, base, exponent, bits));
    }
    gfp_vec_copy(field, r, w.r, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}
