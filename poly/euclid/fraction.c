/* fraction.c: rational functions and recurrences from consecutive remainders.
 *
 * Of all pairs with den f = num modulo m and deg num <= N, that of the first remainder of Euclid's
 * algorithm for m, f whose degree is at most N has den of least degree. A recurrence of a sequence
 * s_0, ..., s_(n-1) is such a den for m = X^n and f = s_0 X^(n-1) + ... + s_(n-1) with deg num <
 * deg den: that of the first remainder y with deg y < n - deg x, x the remainder before it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/gcd.h"
#include "field/base/support.h"

/* Checks the remainders, and y = u a + v b. */
static gfp_status fraction_check(gfp_reduction *w, const gfp_piece *u, const gfp_piece *v)
{
    const gfp_bezout claim = {gfp_piece_series(*u), w->a, gfp_piece_series(*v), w->b,
                              gfp_piece_series(w->y)};
    GFP_TRY(gfp_reduction_check(w));
    return gfp_bezout_check(w->op, &claim);
}

/* num := y and den := its cofactor v, scaled so that den is monic. */
static gfp_status hand_over(gfp_reduction *w, gfp_piece *num, gfp_piece *den)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const bool checked = w->listed;
    gfp_piece u, v;
    uint64_t c[GFP_MAX_K];
    GFP_TRY(gfp_piece_make(op, &u, gfp_size_add_sat(w->a.len, 1)));
    GFP_TRY(gfp_piece_make(op, &v, gfp_size_add_sat(w->a.len, 1)));
    GFP_TRY(gfp_reduction_cofactors(w, checked ? &u : NULL, &v, 1));
    if (checked) {
        GFP_TRY(fraction_check(w, &u, &v));
    }
    if (v.len == 0) {
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    GFP_TRY(gfp_elem_inv(field, c, v.digits + (v.len - 1) * gfp_field_k(field)));
    gfp_vec_scalar_mul(field, den->digits, v.digits, c, v.len);
    den->len = v.len;
    gfp_vec_scalar_mul(field, num->digits, w->y.digits, c, w->y.len);
    num->len = w->y.len;
    return GFP_OK;
}

/* The first remainder of degree at most max_num, or (recurrence) the one described above. */
static gfp_status fraction_reduce(gfp_reduction *w, size_t max_num, bool recurrence)
{
    GFP_TRY(gfp_reduce(w, gfp_size_add_sat(max_num, 1)));
    return recurrence && w->y.len > w->a.len - w->x.len ? gfp_reduce(w, w->y.len - 1) : GFP_OK;
}

static gfp_status fraction_find(gfp_operation_call *op, gfp_piece *num, gfp_piece *den,
                                gfp_series m, gfp_series f, size_t max_num, bool recurrence);

/* Computes both again by a second method. */
static gfp_status fraction_compare(gfp_operation_call *op, const gfp_piece *num,
                                   const gfp_piece *den, gfp_series m, gfp_series f, size_t max_num,
                                   bool recurrence)
{
    const gfp_field *field = op->field;
    gfp_operation_call again;
    gfp_options options;
    gfp_piece x, y;
    bool good = true;
    GFP_TRY(
        gfp_operation_begin_again(&again, &options, op, m.len, gfp_gcd_units(m.len, m.len, true)));
    const gfp_status status = fraction_find(&again, &x, &y, m, f, max_num, recurrence);
    if (status == GFP_OK) {
        good = x.len == num->len && y.len == den->len &&
               gfp_vec_equal(field, x.digits, num->digits, x.len) &&
               gfp_vec_equal(field, y.digits, den->digits, y.len);
    }
    GFP_TRY(gfp_operation_end_again(&again, op, status));
    return good ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status fraction_find(gfp_operation_call *op, gfp_piece *num, gfp_piece *den,
                                gfp_series m, gfp_series f, size_t max_num, bool recurrence)
{
    gfp_reduction w = {.kept = true, .listed = op->base.options->verify != GFP_VERIFY_NONE};
    GFP_TRY(gfp_piece_make(op, num, m.len));
    GFP_TRY(gfp_piece_make(op, den, gfp_size_add_sat(m.len, 1)));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    f.len = gfp_series_trim(op->field, f.digits, f.len);
    GFP_TRY(gfp_reduction_begin(op, &w, m, f));
    GFP_TRY(fraction_reduce(&w, max_num, recurrence));
    GFP_TRY(hand_over(&w, num, den));
    gfp_operation_release(op, mark);
    return gfp_check_by_method(op, m.len + f.len + 1)
               ? fraction_compare(op, num, den, m, f, max_num, recurrence)
               : GFP_OK;
}

gfp_status gfp_fraction(gfp_operation_call *op, gfp_piece *num, gfp_piece *den, gfp_series f,
                        gfp_series m, size_t max_num)
{
    return fraction_find(op, num, den, m, f, max_num, false);
}

gfp_status gfp_minimal_polynomial(gfp_operation_call *op, gfp_piece *f, const uint64_t *s, size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *power, *reversed;
    gfp_piece num;
    GFP_TRY(gfp_operation_array(op, &power, gfp_size_add_sat(n, 1)));
    GFP_TRY(gfp_operation_array(op, &reversed, n));
    gfp_vec_zero(field, power, n);
    gfp_elem_one(field, power + n * k);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set(field, reversed + i * k, s + (n - 1 - i) * k);
    }
    return fraction_find(op, &num, f, (gfp_series){power, n + 1}, (gfp_series){reversed, n},
                         (n - 1) / 2, true);
}
