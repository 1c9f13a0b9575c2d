/* arith.c: linear operations on polynomials: truncation, shifts, reversal, sums, scaling.
 * Each grows the output first, so that a failure changes nothing; outputs may equal inputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gfpoly/poly.h"
#include "poly/impl.h"
#include "field/base/support.h"

static gfp_status check_fields(const gfp_poly *x, const gfp_poly *y)
{
    return gfp_field_same(x->field, y->field) ? GFP_OK : GFP_ERR_FIELD_MISMATCH;
}

/* The address of coefficient i. */
static uint64_t *arith_at(const gfp_poly *a, size_t i)
{
    return a->digits + i * gfp_field_k(a->field);
}

/* Moves n coefficients; source and destination may overlap. */
static void arith_move(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    if (n > 0) {
        memmove(z, x, n * gfp_field_k(field) * sizeof(uint64_t));
    }
}

gfp_status gfp_poly_truncate(gfp_poly *b, const gfp_poly *a, size_t n)
{
    GFP_TRY(check_fields(a, b));
    n = gfp_size_min(n, a->len);
    GFP_TRY(gfp_poly_fit_length(b, n));
    arith_move(b->field, b->digits, a->digits, n);
    gfp_poly_normalise(b, n);
    return GFP_OK;
}

gfp_status gfp_poly_shift_left(gfp_poly *b, const gfp_poly *a, size_t n)
{
    GFP_TRY(check_fields(a, b));
    size_t len = 0;
    if (a->len == 0) {
        gfp_poly_zero(b);
        return GFP_OK;
    }
    if (!gfp_size_add(&len, a->len, n)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_poly_fit_length(b, len));
    arith_move(b->field, arith_at(b, n), a->digits, len - n);
    gfp_vec_zero(b->field, b->digits, n);
    b->len = len;
    return GFP_OK;
}

gfp_status gfp_poly_shift_right(gfp_poly *b, const gfp_poly *a, size_t n)
{
    GFP_TRY(check_fields(a, b));
    size_t len = a->len - gfp_size_min(n, a->len);
    GFP_TRY(gfp_poly_fit_length(b, len));
    if (len > 0) {
        arith_move(b->field, b->digits, arith_at(a, n), len);
    }
    b->len = len;
    return GFP_OK;
}

/* Coefficients x_0 ... x_(n-1) in reverse, in place. */
static void reverse_in_place(const gfp_field *field, uint64_t *x, size_t n)
{
    size_t k = gfp_field_k(field);
    uint64_t t[GFP_MAX_K];
    for (size_t i = 0; i < n / 2; i++) {
        uint64_t *low = x + i * k, *high = x + (n - 1 - i) * k;
        gfp_elem_set(field, t, low);
        gfp_elem_set(field, low, high);
        gfp_elem_set(field, high, t);
    }
}

gfp_status gfp_poly_reverse(gfp_poly *b, const gfp_poly *a, size_t n)
{
    GFP_TRY(check_fields(a, b));
    if (a->len == 0 || n == 0) {
        gfp_poly_zero(b);
        return GFP_OK;
    }
    size_t len = gfp_size_min(n, a->len);
    GFP_TRY(gfp_poly_fit_length(b, n));
    /* The low len coefficients of a, reversed, are the high ones of b. */
    arith_move(b->field, arith_at(b, n - len), a->digits, len);
    reverse_in_place(b->field, arith_at(b, n - len), len);
    gfp_vec_zero(b->field, b->digits, n - len);
    gfp_poly_normalise(b, n);
    return GFP_OK;
}

gfp_status gfp_poly_scalar_mul(gfp_poly *b, const gfp_poly *a, const uint64_t *x)
{
    GFP_TRY(check_fields(a, b));
    uint64_t factor[GFP_MAX_K]; /* x may be a coefficient of b */
    gfp_elem_set(b->field, factor, x);
    size_t n = a->len;
    GFP_TRY(gfp_poly_fit_length(b, n));
    if (n > 0) {
        gfp_vec_scalar_mul(b->field, b->digits, a->digits, factor, n);
    }
    gfp_poly_normalise(b, n);
    return GFP_OK;
}

gfp_status gfp_poly_make_monic(gfp_poly *b, const gfp_poly *a)
{
    GFP_TRY(check_fields(a, b));
    if (a->len == 0) {
        return GFP_ERR_NOT_INVERTIBLE;
    }
    uint64_t inverse[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(a->field, inverse, arith_at(a, a->len - 1)));
    return gfp_poly_scalar_mul(b, a, inverse);
}

gfp_status gfp_poly_neg(gfp_poly *b, const gfp_poly *a)
{
    GFP_TRY(check_fields(a, b));
    GFP_TRY(gfp_poly_fit_length(b, a->len));
    if (a->len > 0) {
        gfp_vec_neg(b->field, b->digits, a->digits, a->len);
    }
    b->len = a->len;
    return GFP_OK;
}

gfp_status gfp_poly_add(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    GFP_TRY(check_fields(a, b));
    GFP_TRY(check_fields(a, c));
    const gfp_poly *longer = a->len >= b->len ? a : b;
    size_t n = longer->len, common = gfp_size_min(a->len, b->len);
    GFP_TRY(gfp_poly_fit_length(c, n));
    if (n > 0) {
        gfp_vec_add(c->field, c->digits, a->digits, b->digits, common);
        arith_move(c->field, arith_at(c, common), arith_at(longer, common), n - common);
    }
    gfp_poly_normalise(c, n);
    return GFP_OK;
}

gfp_status gfp_poly_sub(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    GFP_TRY(check_fields(a, b));
    GFP_TRY(check_fields(a, c));
    size_t common = gfp_size_min(a->len, b->len);
    size_t n = a->len >= b->len ? a->len : b->len;
    bool tail_of_b = b->len > common;
    GFP_TRY(gfp_poly_fit_length(c, n));
    if (n > 0) {
        gfp_vec_sub(c->field, c->digits, a->digits, b->digits, common);
        if (tail_of_b) {
            gfp_vec_neg(c->field, arith_at(c, common), arith_at(b, common), n - common);
        } else {
            arith_move(c->field, arith_at(c, common), arith_at(a, common), n - common);
        }
    }
    gfp_poly_normalise(c, n);
    return GFP_OK;
}
