/* bipoly_arith.c: linear operations on bivariate polynomials, and values at elements. Results are
 * made apart, so that a failure changes nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"
#include "poly_impl.h"
#include "support.h"

/* ---- row by row ---- */

/* c := a sum, difference, negative or multiple of polynomials. */
typedef struct row_operation {
    gfp_status (*of_two)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b); /* or NULL */
    gfp_status (*of_one)(gfp_poly *c, const gfp_poly *a);                    /* or NULL */
    const uint64_t *factor;
} row_operation;

static gfp_status do_row(const row_operation *o, gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    if (o->of_two != NULL) {
        return o->of_two(c, a, b);
    }
    return o->of_one != NULL ? o->of_one(c, a) : gfp_poly_scale(c, a, o->factor);
}

static gfp_status do_rows(gfp_bipoly *made, const row_operation *o, const gfp_bipoly *a,
                          const gfp_bipoly *b)
{
    const size_t rows = a->len > b->len ? a->len : b->len;
    gfp_poly zero;
    gfp_poly_init(&zero, made->field);
    GFP_TRY(gfp_bipoly_fit_length(made, rows));
    for (size_t j = 0; j < rows; j++) {
        GFP_TRY(do_row(o, &made->coeff[j], j < a->len ? &a->coeff[j] : &zero,
                       j < b->len ? &b->coeff[j] : &zero));
    }
    gfp_bipoly_normalise(made, rows);
    return GFP_OK;
}

static gfp_status run(gfp_bipoly *c, const row_operation *o, const gfp_bipoly *a,
                      const gfp_bipoly *b)
{
    gfp_bipoly made;
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_bipoly_init(&made, c->field);
    const gfp_status status = do_rows(&made, o, a, b);
    if (status == GFP_OK) {
        gfp_bipoly_swap(c, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_add(gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b)
{
    return run(c, &(row_operation){.of_two = gfp_poly_add}, a, b);
}

gfp_status gfp_bipoly_sub(gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b)
{
    return run(c, &(row_operation){.of_two = gfp_poly_sub}, a, b);
}

gfp_status gfp_bipoly_neg(gfp_bipoly *b, const gfp_bipoly *a)
{
    return run(b, &(row_operation){.of_one = gfp_poly_neg}, a, a);
}

gfp_status gfp_bipoly_scale(gfp_bipoly *b, const gfp_bipoly *a, const uint64_t *x)
{
    return run(b, &(row_operation){.factor = x}, a, a);
}

gfp_status gfp_bipoly_make_monic(gfp_bipoly *b, const gfp_bipoly *a)
{
    uint64_t inverse[GFP_MAX_K];
    if (a->len == 0) {
        return gfp_field_same(a->field, b->field) ? GFP_ERR_NOT_INVERTIBLE : GFP_ERR_FIELD_MISMATCH;
    }
    const gfp_poly *lead = &a->coeff[a->len - 1];
    GFP_TRY(
        gfp_elem_inv(a->field, inverse, lead->digits + (lead->len - 1) * gfp_field_k(a->field)));
    return gfp_bipoly_scale(b, a, inverse);
}

/* ---- values ---- */

/* power := 1, x, ..., x^(n-1). */
static gfp_status make_powers(gfp_poly *power, const uint64_t *x, size_t n)
{
    const gfp_field *field = power->field;
    const size_t k = gfp_field_k(field);
    GFP_TRY(gfp_poly_fit_length(power, n));
    for (size_t i = 0; i < n; i++) {
        if (i == 0) {
            gfp_elem_one(field, power->digits);
        } else {
            gfp_elem_mul(field, power->digits + i * k, power->digits + (i - 1) * k, x);
        }
    }
    return GFP_OK;
}

gfp_status gfp_bipoly_eval_x(gfp_poly *f, const gfp_bipoly *a, const uint64_t *x)
{
    const gfp_field *field = a->field;
    const size_t k = gfp_field_k(field);
    gfp_poly made;
    gfp_poly power;
    if (!gfp_field_same(field, f->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_poly_init(&made, field);
    gfp_poly_init(&power, field);
    gfp_status status = make_powers(&power, x, gfp_bipoly_len_x(a));
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(&made, a->len);
    }
    if (status == GFP_OK) {
        for (size_t j = 0; j < a->len; j++) {
            gfp_elem_zero(field, made.digits + j * k);
            if (a->coeff[j].len > 0) {
                gfp_vec_dot(field, made.digits + j * k, a->coeff[j].digits, power.digits,
                            a->coeff[j].len);
            }
        }
        gfp_poly_normalise(&made, a->len);
        gfp_poly_swap(f, &made);
    }
    gfp_poly_clear(&power);
    gfp_poly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_eval_y(gfp_poly *f, const gfp_bipoly *a, const uint64_t *y)
{
    const gfp_field *field = a->field;
    const size_t n = gfp_bipoly_len_x(a);
    uint64_t power[GFP_MAX_K], factor[GFP_MAX_K]; /* y may lie in f */
    gfp_poly made;
    if (!gfp_field_same(field, f->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_poly_init(&made, field);
    GFP_TRY(gfp_poly_fit_length(&made, n));
    gfp_elem_copy(field, factor, y);
    gfp_elem_one(field, power);
    gfp_vec_zero(field, made.digits, n);
    for (size_t j = 0; j < a->len; j++) {
        if (a->coeff[j].len > 0) {
            gfp_vec_addmul(field, made.digits, a->coeff[j].digits, power, a->coeff[j].len);
        }
        gfp_elem_mul(field, power, power, factor);
    }
    gfp_poly_normalise(&made, n);
    gfp_poly_swap(f, &made);
    gfp_poly_clear(&made);
    return GFP_OK;
}

void gfp_bipoly_eval(uint64_t *z, const gfp_bipoly *a, const uint64_t *x, const uint64_t *y)
{
    const gfp_field *field = a->field;
    uint64_t sum[GFP_MAX_K], value[GFP_MAX_K]; /* z may be x or y */
    gfp_elem_zero(field, sum);
    for (size_t j = a->len; j-- > 0;) {
        gfp_poly_eval(&a->coeff[j], value, x);
        gfp_elem_mul(field, sum, sum, y);
        gfp_elem_add(field, sum, sum, value);
    }
    gfp_elem_copy(field, z, sum);
}
