/* roots.c: roots of polynomials in Z/pZ.
 *
 * The square-free parts have the multiplicities. The roots of a part g are those of gcd(g, X^p -
 * X), which is split by one power of X (equal.c).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/factor/frame.h"
#include "field/base/support.h"
#include "poly/call.h"

void gfp_roots_init(gfp_roots *R, const gfp_field *field)
{
    *R = (gfp_roots){.field = field};
}

void gfp_roots_clear(gfp_roots *R)
{
    const gfp_allocator *allocator = gfp_field_allocator(R->field);
    gfp_release(allocator, R->root, R->capacity, sizeof *R->root * gfp_field_k(R->field));
    gfp_release(allocator, R->multiplicity, R->capacity, sizeof *R->multiplicity);
    gfp_roots_init(R, R->field);
}

/* Adds the roots of g, monic and square-free, with this multiplicity to w->found; g := g without
 * them. */
static gfp_status find_in_part(gfp_factoring *w, gfp_poly *g, size_t multiplicity)
{
    gfp_factoring_item *mark = w->top;
    gfp_frobenius x;
    gfp_poly *linear;
    if (g->len == 2) {
        GFP_TRY(gfp_factors_add(&w->found, g, multiplicity));
        return gfp_poly_one(g);
    }
    GFP_TRY(gfp_factoring_poly(w, &linear, g->len + 1));
    GFP_TRY(gfp_frobenius_of(w, &x, g));
    GFP_TRY(gfp_factoring_minus_x(linear, x.x_p));
    GFP_TRY(gfp_factoring_gcd(w, linear, g, linear));
    if (linear->len > 1) {
        GFP_TRY(gfp_factoring_equal(w, linear, 1, multiplicity, &x));
        GFP_TRY(gfp_factoring_divide(w, g, linear));
    }
    gfp_factoring_release(w, mark);
    return GFP_OK;
}

/* rest := the square-free parts of f without their roots, which are added to w->found. */
static gfp_status find_roots(gfp_factoring *w, gfp_factors *rest, const gfp_poly *f)
{
    gfp_poly *monic;
    GFP_TRY(gfp_factoring_poly(w, &monic, f->len));
    GFP_TRY(gfp_poly_make_monic(monic, f));
    GFP_TRY(gfp_factoring_squarefree(w, rest, monic));
    for (size_t i = 0; i < rest->count; i++) {
        GFP_TRY(find_in_part(w, &rest->factor[i].poly, rest->factor[i].exponent));
    }
    return GFP_OK;
}

/* Checks that no root is a root of what is left. */
static gfp_status check_rest(gfp_factoring *w, const gfp_factors *rest)
{
    const gfp_field *field = w->op.field;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    const bool full = w->op.base.options->verify == GFP_VERIFY_CROSS;
    for (size_t i = 0; i < w->found.count && full; i++) {
        GFP_TRY(gfp_operation_step(&w->op, 0, 1, 1));
        gfp_elem_neg(field, x, w->found.factor[i].poly.digits);
        for (size_t j = 0; j < rest->count; j++) {
            gfp_poly_eval(y, &rest->factor[j].poly, x);
            if (gfp_elem_is_zero(field, y)) {
                return gfp_operation_wrong(&w->op, i);
            }
        }
    }
    return GFP_OK;
}

/* R := the roots of the linear factors found, which are sorted by root. */
static gfp_status make_roots(gfp_roots *R, const gfp_factors *F)
{
    const gfp_allocator *allocator = gfp_field_allocator(R->field);
    const size_t k = gfp_field_k(R->field);
    R->root = gfp_allocate(allocator, F->count, sizeof *R->root * k);
    R->multiplicity = gfp_allocate(allocator, F->count, sizeof *R->multiplicity);
    R->count = R->capacity = F->count;
    if (R->root == NULL || R->multiplicity == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < F->count; i++) {
        gfp_elem_neg(R->field, R->root + i * k, F->factor[i].poly.digits);
        R->multiplicity[i] = F->factor[i].exponent;
    }
    return GFP_OK;
}

/* -a for 0 < a < p is p - a: the order turns round, where 0 stays the first one. */
static void sort_by_root(gfp_factors *F)
{
    gfp_factors_sort(F);
    const size_t zero = F->count > 0 && gfp_elem_is_zero(F->field, F->factor[0].poly.digits);
    for (size_t i = zero, j = F->count; i + 1 < j; i++) {
        const gfp_factor_power t = F->factor[i];
        F->factor[i] = F->factor[--j];
        F->factor[j] = t;
    }
}

/* Finds and checks the roots; `rest` is the caller's to clear. */
static gfp_status find_checked(gfp_factoring *w, gfp_factors *rest, const gfp_poly *f)
{
    GFP_TRY(find_roots(w, rest, f));
    gfp_elem_set(f->field, w->found.leading, f->digits + (f->len - 1) * gfp_field_k(f->field));
    GFP_TRY(gfp_factoring_check(w, f, rest));
    GFP_TRY(check_rest(w, rest));
    return gfp_operation_finish(&w->op);
}

static gfp_status roots_compute(gfp_factoring *w, gfp_roots *R, const gfp_poly *f)
{
    gfp_factors rest;
    gfp_roots made;
    if (R == NULL || R->field == NULL) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT, "no place for the result");
    }
    GFP_TRY(gfp_factoring_check_input(w, f));
    GFP_TRY(gfp_factoring_start(
        w, f->field, gfp_frobenius_units(f->field, f->len) + gfp_factoring_units(f->len, 400)));
    const gfp_roots old = *R;
    gfp_factors_init(&rest, f->field);
    gfp_status status = find_checked(w, &rest, f);
    gfp_factors_clear(&rest);
    GFP_TRY(status);
    sort_by_root(&w->found);
    gfp_roots_init(&made, f->field);
    status = make_roots(&made, &w->found);
    if (status == GFP_OK) {
        *R = made;
        made = old;
    }
    gfp_roots_clear(&made);
    return status;
}

gfp_status gfp_poly_roots(gfp_roots *R, const gfp_poly *f, const gfp_options *options)
{
    gfp_factoring w;
    GFP_TRY(gfp_factoring_begin(&w, "roots", options));
    return gfp_factoring_end(&w, roots_compute(&w, R, f));
}
