/* calls.c: the public factorisations: arguments, the stages in order, checks, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "poly/factor/frame.h"
#include "field/base/support.h"
#include "poly/call.h"

/* A call: its stages fill w->found. */
typedef struct job {
    const char *name;
    gfp_status (*compute)(gfp_factoring *w, const gfp_poly *f);
    bool degrees; /* exponents are degrees: the product of the factors alone is f */
} job;

/* ---- stages ---- */

/* Adds the irreducible factors of g, monic and square-free, with this exponent. */
static gfp_status factor_squarefree_part(gfp_factoring *w, const gfp_poly *g, size_t exponent)
{
    gfp_factoring_item *mark = w->top;
    gfp_factors groups;
    gfp_frobenius x;
    if (g->len == 2) {
        return gfp_factors_add(&w->found, g, exponent);
    }
    gfp_factors_init(&groups, w->op.field);
    gfp_status status = gfp_frobenius_of(w, &x, g);
    if (status == GFP_OK) {
        status = gfp_factoring_distinct(w, &groups, &x);
    }
    for (size_t i = 0; i < groups.count && status == GFP_OK; i++) {
        const gfp_factor_power *group = &groups.factor[i];
        status = gfp_factoring_equal(w, &group->poly, group->exponent, exponent, &x);
    }
    gfp_factors_clear(&groups);
    gfp_factoring_release(w, mark);
    return status;
}

static gfp_status factor_polynomial(gfp_factoring *w, const gfp_poly *f)
{
    gfp_factors parts;
    gfp_factors_init(&parts, w->op.field);
    gfp_status status = gfp_factoring_squarefree(w, &parts, f);
    for (size_t i = 0; i < parts.count && status == GFP_OK; i++) {
        const gfp_factor_power *part = &parts.factor[i];
        status = factor_squarefree_part(w, &part->poly, part->exponent);
    }
    gfp_factors_clear(&parts);
    GFP_TRY(status);
    gfp_factors_sort(&w->found);
    return gfp_factoring_check_irreducible(w);
}

static gfp_status factor_calls_squarefree(gfp_factoring *w, const gfp_poly *f)
{
    GFP_TRY(gfp_factoring_squarefree(w, &w->found, f));
    gfp_factors_sort_by_exponent(&w->found);
    return GFP_OK;
}

/* Refuses f with multiple factors. */
static gfp_status expect_squarefree(gfp_factoring *w, const gfp_poly *f)
{
    gfp_factors parts;
    gfp_factors_init(&parts, w->op.field);
    const gfp_status status = gfp_factoring_squarefree(w, &parts, f);
    const bool yes = parts.count == 0 || (parts.count == 1 && parts.factor[0].exponent == 1);
    gfp_factors_clear(&parts);
    GFP_TRY(status);
    return yes ? GFP_OK
               : gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT,
                                      "the polynomial has a multiple factor");
}

static gfp_status distinct_degree(gfp_factoring *w, const gfp_poly *f)
{
    gfp_frobenius x;
    if (f->len < 2) {
        return GFP_OK;
    }
    GFP_TRY(expect_squarefree(w, f));
    GFP_TRY(gfp_frobenius_of(w, &x, f));
    GFP_TRY(gfp_factoring_distinct(w, &w->found, &x));
    gfp_factors_sort_by_exponent(&w->found);
    return GFP_OK;
}

/* ---- calls ---- */

/* Checks the product of the factors, whose exponents may be degrees. */
static gfp_status factor_calls_check(gfp_factoring *w, const gfp_poly *f, bool degrees)
{
    gfp_factors *F = &w->found;
    gfp_status status;
    if (!degrees) {
        return gfp_factoring_check(w, f, NULL);
    }
    gfp_factors once = *F;
    once.factor = gfp_allocate(gfp_field_allocator(F->field), F->count, sizeof *once.factor);
    if (once.factor == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < F->count; i++) {
        once.factor[i] = (gfp_factor_power){F->factor[i].poly, 1};
    }
    const gfp_factors found = *F;
    *F = once;
    status = gfp_factoring_check(w, f, NULL);
    *F = found;
    gfp_release(gfp_field_allocator(F->field), once.factor, F->count, sizeof *once.factor);
    return status;
}

static gfp_status factor_calls_compute(gfp_factoring *w, gfp_factors *F, const gfp_poly *f,
                                       const job *j)
{
    const size_t k = gfp_field_k(f->field);
    gfp_poly *monic;
    GFP_TRY(gfp_factoring_poly(w, &monic, f->len));
    GFP_TRY(gfp_poly_make_monic(monic, f));
    GFP_TRY(j->compute(w, monic));
    gfp_elem_set(f->field, w->found.leading, f->digits + (f->len - 1) * k);
    GFP_TRY(factor_calls_check(w, f, j->degrees));
    GFP_TRY(gfp_operation_finish(&w->op));
    const gfp_factors old = *F;
    *F = w->found;
    w->found = old;
    return GFP_OK;
}

static gfp_status factor_calls_start(gfp_factoring *w, gfp_factors *F, const gfp_poly *f,
                                     const job *j)
{
    if (F == NULL || F->field == NULL) {
        return gfp_poly_call_refuse(&w->op, GFP_ERR_ARGUMENT, "no place for the result");
    }
    GFP_TRY(gfp_factoring_check_input(w, f));
    const double n = (double)f->len, steps = sqrt(2 * n);
    GFP_TRY(gfp_factoring_start(w, f->field,
                                gfp_frobenius_units(f->field, f->len) +
                                    steps * gfp_frobenius_composition_units(f->len) +
                                    gfp_factoring_units(f->len, 30 * steps + 2 * n)));
    return factor_calls_compute(w, F, f, j);
}

static gfp_status factor_calls_run(gfp_factors *F, const gfp_poly *f, const gfp_options *options,
                                   const job *j)
{
    gfp_factoring w;
    GFP_TRY(gfp_factoring_begin(&w, j->name, options));
    return gfp_factoring_end(&w, factor_calls_start(&w, F, f, j));
}

gfp_status gfp_poly_factor(gfp_factors *F, const gfp_poly *f, const gfp_options *options)
{
    return factor_calls_run(F, f, options,
                            &(job){.name = "factorisation", .compute = factor_polynomial});
}

gfp_status gfp_poly_factor_squarefree(gfp_factors *F, const gfp_poly *f, const gfp_options *options)
{
    return factor_calls_run(
        F, f, options,
        &(job){.name = "square-free factorisation", .compute = factor_calls_squarefree});
}

gfp_status gfp_poly_factor_distinct_deg(gfp_factors *F, const gfp_poly *f,
                                        const gfp_options *options)
{
    return factor_calls_run(F, f, options,
                            &(job){.name = "distinct-degree factorisation",
                                   .compute = distinct_degree,
                                   .degrees = true});
}
