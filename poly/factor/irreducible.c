/* irreducible.c: irreducibility, and random irreducible polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/frame.h"
#include "field/base/support.h"
#include "poly/call.h"

/* ---- the test ---- */

/* *one := whether f and a - X have no common factor. */
static gfp_status is_coprime(gfp_factoring *w, bool *one, const gfp_poly *f, const gfp_poly *a)
{
    gfp_factoring_item *mark = w->top;
    gfp_poly *g;
    GFP_TRY(gfp_factoring_poly(w, &g, f->len));
    GFP_TRY(gfp_factoring_minus_x(g, a));
    GFP_TRY(gfp_factoring_gcd(w, g, f, g));
    *one = g->len == 1;
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

static bool is_x(const gfp_poly *a)
{
    const size_t k = gfp_field_k(a->field);
    return a->len == 2 && gfp_elem_is_zero(a->field, a->digits) &&
           gfp_elem_is_one(a->field, a->digits + k);
}

/* The smallest prime that divides n >= 2. */
static size_t smallest_prime(size_t n)
{
    size_t q = 2;
    while (q <= n / q && n % q != 0) {
        q++;
    }
    return n % q == 0 ? q : n;
}

/* Rabin's test for f of degree n >= 2 without roots. The last prime's power leads on to X^(p^n). */
static gfp_status test_of_rabin(gfp_factoring *w, bool *yes, const gfp_frobenius *x)
{
    const size_t n = x->f->len - 1;
    const gfp_modulus *M = x->modulus->M;
    gfp_poly *power, *last;
    GFP_TRY(gfp_factoring_poly(w, &power, n));
    GFP_TRY(gfp_factoring_poly(w, &last, n));
    *yes = true;
    for (size_t left = n; left > 1 && *yes;) {
        const size_t q = smallest_prime(left);
        while (left % q == 0) {
            left /= q;
        }
        GFP_TRY(gfp_frobenius_power(w, power, x->x_p, n / q, M));
        if (n / q > 1) {
            GFP_TRY(is_coprime(w, yes, x->f, power));
        }
        if (left == 1 && *yes) {
            GFP_TRY(gfp_frobenius_power_of(w, last, power, n / q, q, M));
            *yes = is_x(last);
        }
    }
    return GFP_OK;
}

gfp_status gfp_factoring_irreducible(gfp_factoring *w, bool *yes, const gfp_poly *f)
{
    gfp_factoring_item *mark = w->top;
    gfp_frobenius x;
    *yes = f->len == 2;
    if (f->len > 2 && !gfp_elem_is_zero(f->field, f->digits)) {
        GFP_TRY(gfp_frobenius_of(w, &x, f));
        GFP_TRY(is_coprime(w, yes, f, x.x_p));
        if (*yes) {
            GFP_TRY(test_of_rabin(w, yes, &x));
        }
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* ---- calls ---- */

static double units_of_test(const gfp_field *field, size_t n)
{
    double units = gfp_frobenius_units(field, n);
    for (size_t i = n; i > 1; i /= 2) {
        units += 2 * gfp_frobenius_composition_units(n);
    }
    return units;
}

static gfp_status test_input(gfp_factoring *w, bool *yes, const gfp_poly *f)
{
    bool answer = false;
    if (yes == NULL) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT, "no place for the result");
    }
    GFP_TRY(gfp_factoring_check_input(w, f));
    GFP_TRY(gfp_factoring_start(w, f->field, units_of_test(f->field, f->len - 1)));
    GFP_TRY(gfp_factoring_irreducible(w, &answer, f));
    GFP_TRY(gfp_operation_finish(&w->op));
    *yes = answer;
    return GFP_OK;
}

gfp_status gfp_poly_is_irreducible(bool *yes, const gfp_poly *f, const gfp_options *options)
{
    gfp_factoring w;
    GFP_TRY(gfp_factoring_begin(&w, "irreducibility", options));
    return gfp_factoring_end(&w, test_input(&w, yes, f));
}

/* f := the first irreducible one of random monic polynomials of degree n. */
static gfp_status irreducible_draw(gfp_factoring *w, gfp_poly *f, size_t n, gfp_random *g)
{
    bool yes = false;
    gfp_poly *drawn;
    if (f == NULL || f->field == NULL || g == NULL || n == 0) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT,
                                    "the degree is 0, or an argument is NULL");
    }
    if (n == SIZE_MAX) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_SIZE, "no room");
    }
    GFP_TRY(gfp_factoring_start(w, f->field, (double)n * gfp_frobenius_units(f->field, n)));
    GFP_TRY(gfp_factoring_poly(w, &drawn, n + 1));
    while (!yes) {
        GFP_TRY(gfp_poly_random(drawn, n, g));
        GFP_TRY(gfp_poly_set_coeff_u64(drawn, n, 1));
        GFP_TRY(gfp_factoring_irreducible(w, &yes, drawn));
    }
    GFP_TRY(gfp_operation_finish(&w->op));
    gfp_poly_swap(f, drawn);
    return GFP_OK;
}

gfp_status gfp_poly_random_irreducible(gfp_poly *f, size_t n, gfp_random *g,
                                       const gfp_options *options)
{
    gfp_factoring w;
    GFP_TRY(gfp_factoring_begin(&w, "random irreducible polynomial", options));
    return gfp_factoring_end(&w, irreducible_draw(&w, f, n, g));
}
