/* roots.c: roots of polynomials in Z/pZ.
 *
 * The roots are those of g_1 = gcd(f, X^p - X), the roots of multiplicity i and more those of g_i =
 * gcd(g_(i - 1), f / (g_1 ... g_(i - 1))). Each g_i / g_(i + 1) is split by one power of X
 * (equal.c).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "factoring.h"
#include "support.h"

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

/* rest := f without roots in Z/pZ; these are added to w->found. */
static gfp_status find(gfp_factoring *w, gfp_poly *rest, const gfp_poly *f)
{
    gfp_frobenius x;
    gfp_poly *part, *more;
    GFP_TRY(gfp_poly_make_monic(rest, f));
    if (rest->len < 2) {
        return GFP_OK;
    }
    GFP_TRY(gfp_factoring_poly(w, &part, f->len + 1));
    GFP_TRY(gfp_factoring_poly(w, &more, f->len));
    GFP_TRY(gfp_poly_copy(more, rest));
    GFP_TRY(gfp_frobenius_of(w, &x, more));
    GFP_TRY(gfp_factoring_minus_x(part, x.x_p));
    GFP_TRY(gfp_factoring_gcd(w, part, rest, part));
    for (size_t i = 1; part->len > 1; i++) {
        GFP_TRY(gfp_factoring_divide(w, rest, part));
        GFP_TRY(gfp_factoring_gcd(w, more, part, rest));
        if (more->len < part->len) {
            GFP_TRY(gfp_factoring_divide(w, part, more));
            GFP_TRY(gfp_factoring_equal(w, part, 1, i, &x));
        }
        gfp_poly_swap(part, more);
    }
    return GFP_OK;
}

/* Checks that no root is a root of the cofactor. */
static gfp_status check_cofactor(gfp_factoring *w, const gfp_poly *rest)
{
    const gfp_field *field = w->op.field;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
    const bool full = w->op.options->verify == GFP_VERIFY_CROSS && rest->len > 1;
    for (size_t i = 0; i < w->found.count && full; i++) {
        GFP_TRY(gfp_operation_step(&w->op, 0, 1, 1));
        gfp_elem_neg(field, x, w->found.factor[i].poly.digits);
        gfp_poly_eval(rest, y, x);
        if (gfp_elem_is_zero(field, y)) {
            return gfp_operation_wrong(&w->op, i);
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

static gfp_status compute(gfp_factoring *w, gfp_roots *R, const gfp_poly *f)
{
    const gfp_field *field = f->field;
    const size_t k = gfp_field_k(field);
    gfp_poly *rest;
    gfp_roots made, old = *R;
    GFP_TRY(gfp_factoring_poly(w, &rest, f->len));
    GFP_TRY(find(w, rest, f));
    gfp_elem_copy(field, w->found.leading, f->digits + (f->len - 1) * k);
    GFP_TRY(gfp_factoring_check(w, f, rest));
    GFP_TRY(check_cofactor(w, rest));
    GFP_TRY(gfp_operation_finish(&w->op));
    sort_by_root(&w->found);
    gfp_roots_init(&made, field);
    const gfp_status status = make_roots(&made, &w->found);
    if (status == GFP_OK) {
        *R = made;
        made = old;
    }
    gfp_roots_clear(&made);
    return status;
}

gfp_status gfp_poly_roots(gfp_roots *R, const gfp_poly *f, const gfp_options *options)
{
    static const char name[] = "roots";
    gfp_factoring w;
    const bool ready = R != NULL && R->field != NULL;
    const gfp_status status = gfp_factoring_check_input(name, ready ? R : NULL, f, options);
    if (!ready || status != GFP_OK) {
        return status;
    }
    GFP_TRY(gfp_factoring_begin(&w, name, f->field, options,
                                gfp_frobenius_units(f->field, f->len) +
                                    gfp_factoring_units(f->len, 400)));
    return gfp_factoring_end(&w, compute(&w, R, f));
}
