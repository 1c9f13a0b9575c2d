/* inverse.c: the inverse of a polynomial modulo X^N - 1 by Graeffe's method: with f =
 * f_0(Y) + X f_1(Y), Y = X^2, f(X) f(-X) = f_0^2 - Y f_1^2 = g(Y), and 1 / f = f(-X) / g(Y): half
 * the length remains, modulo Y^(N/2) - 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/reducer.h"

#include <string.h>

#include "field/base/support.h"

/* The longest odd length, where a system of equations is solved. */
#define MOST_ODD 5

/* c := a b modulo Y^h - 1, h coefficients each. */
static gfp_status multiply_cyclic(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                                  const uint64_t *a, const uint64_t *b, size_t h)
{
    const gfp_range range = {
        .field = op->field, .a = a, .b = b, .len_a = h, .len_b = h, .end = 2 * h - 1};
    uint64_t *whole;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &whole, 2 * h - 1));
    GFP_TRY(gfp_operation_product(op, method, whole, &range));
    gfp_series_wrap(op->field, c, h, h, (gfp_series){whole, 2 * h - 1});
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* The equations sum over j of f_(i-j) z_j = e_i, e the polynomial 1: rows of n + 1 elements. */
typedef struct equations {
    uint64_t row[MOST_ODD][(MOST_ODD + 1) * GFP_MAX_K];
} equations;

/* Eliminates unknown number j from all rows but number j. Returns false if it has no pivot. */
static bool inverse_eliminate(const gfp_field *field, equations *w, size_t n, size_t j)
{
    const size_t k = gfp_field_k(field), bytes = (n + 1) * k * sizeof(uint64_t);
    uint64_t inverse[GFP_MAX_K], swapped[(MOST_ODD + 1) * GFP_MAX_K];
    size_t pivot = j;
    while (pivot < n && gfp_elem_is_zero(field, w->row[pivot] + j * k)) {
        pivot++;
    }
    if (pivot == n || gfp_elem_inv(field, inverse, w->row[pivot] + j * k) != GFP_OK) {
        return false;
    }
    memcpy(swapped, w->row[j], bytes);
    memcpy(w->row[j], w->row[pivot], bytes);
    memcpy(w->row[pivot], swapped, bytes);
    gfp_vec_scalar_mul(field, w->row[j], w->row[j], inverse, n + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t factor[GFP_MAX_K];
        gfp_elem_set(field, factor, w->row[i] + j * k);
        if (i != j) {
            gfp_vec_scalar_submul(field, w->row[i], w->row[j], factor, n + 1);
        }
    }
    return true;
}

/* z := 1 / f modulo X^n - 1 for an odd n. Returns false if there is none. */
static bool invert_odd(const gfp_field *field, uint64_t *z, const uint64_t *f, size_t n)
{
    const size_t k = gfp_field_k(field);
    equations w;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            gfp_elem_set(field, w.row[i] + j * k, f + (i + n - j) % n * k);
        }
        gfp_elem_zero(field, w.row[i] + n * k);
    }
    gfp_elem_one(field, w.row[0] + n * k);
    for (size_t j = 0; j < n; j++) {
        if (!inverse_eliminate(field, &w, n, j)) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(field, z + i * k, w.row[i] + n * k);
    }
    return true;
}

/* The halves of f, and polynomials of their length. */
typedef struct halves {
    uint64_t *even, *odd, *norm, *inverse, *product;
} halves;

static gfp_status take_halves(gfp_operation_call *op, halves *w, size_t h)
{
    uint64_t **const arrays[] = {&w->even, &w->odd, &w->norm, &w->inverse, &w->product};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        GFP_TRY(gfp_operation_array(op, arrays[i], h));
    }
    return GFP_OK;
}

/* norm := f_0^2 - Y f_1^2 modulo Y^h - 1. */
static gfp_status make_norm(gfp_operation_call *op, const gfp_method *method, const halves *w,
                            size_t h)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    GFP_TRY(multiply_cyclic(op, method, w->norm, w->even, w->even, h));
    GFP_TRY(multiply_cyclic(op, method, w->product, w->odd, w->odd, h));
    gfp_vec_sub(field, w->norm + k, w->norm + k, w->product, h - 1);
    gfp_elem_sub(field, w->norm, w->norm, w->product + (h - 1) * k);
    return GFP_OK;
}

gfp_status gfp_modulus_invert_cyclic(gfp_operation_call *op, const gfp_method *method, uint64_t *z,
                                     bool *unit, const uint64_t *f, size_t N)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), h = N / 2;
    halves w;
    if (N % 2 != 0) {
        *unit = N <= MOST_ODD && invert_odd(field, z, f, N);
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(take_halves(op, &w, h));
    for (size_t i = 0; i < h; i++) {
        gfp_elem_set(field, w.even + i * k, f + 2 * i * k);
        gfp_elem_set(field, w.odd + i * k, f + (2 * i + 1) * k);
    }
    GFP_TRY(make_norm(op, method, &w, h));
    GFP_TRY(gfp_modulus_invert_cyclic(op, method, w.inverse, unit, w.norm, h));
    if (*unit) {
        GFP_TRY(multiply_cyclic(op, method, w.norm, w.even, w.inverse, h));
        GFP_TRY(multiply_cyclic(op, method, w.product, w.odd, w.inverse, h));
        for (size_t i = 0; i < h; i++) {
            gfp_elem_set(field, z + 2 * i * k, w.norm + i * k);
            gfp_elem_neg(field, z + (2 * i + 1) * k, w.product + i * k);
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}
