/* squarefree.c: square-free factorisation, over fields of any characteristic.
 *
 * With c = gcd(f, f'), f / c is the product of all irreducible factors whose exponents p does not
 * divide. Those of exponent above i are its gcds with what is left of c; in the end c is a p-th
 * power. Musser's algorithm. A power of X is taken out first.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/frame.h"
#include "gfpoly/series.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* f, a polynomial in X^p, := its p-th root: elements are their own p-th powers. */
static gfp_status root_p(gfp_poly *f)
{
    const size_t k = gfp_field_k(f->field), p = gfp_field_modulus_limbs(f->field)[0];
    const size_t len = (f->len - 1) / p + 1;
    for (size_t i = 1; i < len; i++) {
        gfp_vec_set(f->field, f->digits + i * k, f->digits + i * p * k, 1);
    }
    return gfp_poly_set_length(f, len);
}

/* Adds the square-free parts whose exponents p does not divide; exponents are multiplied by
 * `scale`. `all`, which is used up, is the product of these parts; c := what is left of it, a p-th
 * power. */
static gfp_status squarefree_split(gfp_factoring *w, gfp_factors *F, gfp_poly *c, gfp_poly *all,
                                   size_t scale)
{
    gfp_factoring_item *mark = w->top;
    gfp_poly *common;
    GFP_TRY(gfp_factoring_poly(w, &common, all->len));
    for (size_t i = 1; all->len > 1; i++) {
        GFP_TRY(gfp_factoring_gcd(w, common, all, c));
        if (common->len < all->len) {
            GFP_TRY(gfp_factoring_divide(w, all, common));
            GFP_TRY(gfp_factors_add(F, all, i * scale));
        }
        if (common->len > 1) {
            GFP_TRY(gfp_factoring_divide(w, c, common));
        }
        gfp_poly_swap(all, common);
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* Multiplies F by X^exponent, exponent > 0. */
static gfp_status add_power_of_x(gfp_factoring *w, gfp_factors *F, size_t exponent)
{
    gfp_poly *x;
    for (size_t i = 0; i < F->count; i++) {
        if (F->factor[i].exponent == exponent) {
            return gfp_poly_shift_left(&F->factor[i].poly, &F->factor[i].poly, 1);
        }
    }
    GFP_TRY(gfp_factoring_poly(w, &x, 2));
    GFP_TRY(gfp_poly_set_coeff_u64(x, 1, 1));
    return gfp_factors_add(F, x, exponent);
}

gfp_status gfp_factoring_squarefree(gfp_factoring *w, gfp_factors *F, const gfp_poly *f)
{
    const size_t power = gfp_terms_valuation(f->field, (gfp_series){f->digits, f->len});
    gfp_factoring_item *mark = w->top;
    gfp_poly *c, *all;
    GFP_TRY(gfp_factoring_poly(w, &c, f->len));
    GFP_TRY(gfp_factoring_poly(w, &all, f->len));
    GFP_TRY(gfp_poly_shift_right(all, f, power));
    for (size_t scale = 1; all->len > 1;) {
        GFP_INSIDE(w, gfp_factoring_units(all->len, 1), gfp_poly_derivative(c, all, &w->inside));
        GFP_TRY(gfp_factoring_gcd(w, c, all, c));
        if (c->len == 1) { /* the usual case */
            GFP_TRY(gfp_factors_add(F, all, scale));
            break;
        }
        GFP_TRY(gfp_factoring_divide(w, all, c));
        GFP_TRY(squarefree_split(w, F, c, all, scale));
        gfp_poly_swap(all, c);
        if (all->len > 1) {
            GFP_TRY(root_p(all));
            scale *= gfp_field_modulus_limbs(w->op.field)[0];
        }
    }
    if (power > 0) {
        GFP_TRY(add_power_of_x(w, F, power));
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}
