/* calls.c: the public calls of composition modulo h: arguments, the operation around the
 * computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include "poly/impl.h"
#include "field/base/support.h"

/* ---- arguments ---- */

static gfp_status compose_calls_create(gfp_operation_call *op, gfp_compose_argument **made,
                                       const gfp_poly *g, const gfp_modulus *M, size_t uses)
{
    gfp_series x;
    gfp_modulus_name_method(op, M);
    GFP_TRY(gfp_modulus_reduced(op, &x, M, g));
    GFP_TRY(gfp_compose_argument_make(op, made, M, x, uses));
    return gfp_operation_finish(op);
}

gfp_status gfp_compose_argument_create(gfp_compose_argument **A, const gfp_poly *g,
                                       const gfp_modulus *M, size_t uses,
                                       const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    gfp_compose_argument *made = NULL;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (A == NULL || M == NULL || uses == 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "argument of compositions: no place for it, no modulus, or no use");
    }
    GFP_TRY(gfp_poly_check_operands(g, g, &M->f, options));
    GFP_TRY(gfp_operation_begin(&op, "argument of compositions", M->f.field, options,
                                gfp_compose_argument_units(M, uses) +
                                    gfp_poly_divisor_reduce_units(&M->divisor, g->len),
                                (unsigned)gfp_size_min(gfp_compose_steps(M, uses), 1 << 30)));
    const gfp_status status = gfp_operation_end(&op, compose_calls_create(&op, &made, g, M, uses));
    if (status == GFP_OK) {
        *A = made;
    } else {
        gfp_compose_argument_destroy(made);
    }
    return status;
}

/* ---- compositions ---- */

typedef struct job {
    gfp_poly *const *c;
    const gfp_poly *const *f;
    size_t count;
    const gfp_compose_argument *A;
} job;

static gfp_status check_job(const job *w, const gfp_options *options)
{
    if (w->A == NULL || ((w->c == NULL || w->f == NULL) && w->count > 0)) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "composition: no argument or no polynomials");
    }
    for (size_t i = 0; i < w->count; i++) {
        GFP_TRY(gfp_poly_check_operands(w->c[i], w->f[i], &w->A->M->f, options));
        for (size_t j = 0; j < i; j++) {
            if (w->c[i] == w->c[j]) {
                return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                                     "composition: outputs %zu and %zu are the same polynomial", j,
                                     i);
            }
        }
    }
    return GFP_OK;
}

static gfp_status compose_calls_compute(gfp_operation_call *op, const job *w)
{
    const size_t n = w->A->M->divisor.n, k = gfp_field_k(op->field);
    uint64_t *digits, *block;
    gfp_modulus_name_method(op, w->A->M);
    GFP_TRY(gfp_operation_array(op, &digits, gfp_size_mul_sat(w->count, n)));
    /* An element has room for a pointer, two for a series. */
    GFP_TRY(gfp_operation_array(op, &block, gfp_size_mul_sat(w->count, 3)));
    gfp_series *f = (gfp_series *)(void *)block;
    uint64_t **r = (uint64_t **)(void *)(f + w->count);
    for (size_t i = 0; i < w->count; i++) {
        r[i] = digits + i * n * k;
        f[i] = (gfp_series){w->f[i]->digits, w->f[i]->len};
    }
    GFP_TRY(gfp_compose_modular(op, r, w->A, f, w->count));
    GFP_TRY(gfp_operation_finish(op));
    for (size_t i = 0; i < w->count; i++) {
        gfp_vec_copy(op->field, w->c[i]->digits, r[i], n);
        gfp_poly_normalise(w->c[i], n);
    }
    return GFP_OK;
}

/* Inputs may be outputs: they are looked at after these have room. */
static gfp_status compose_calls_run(const job *w, const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    size_t terms = 0;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_job(w, options));
    for (size_t i = 0; i < w->count; i++) {
        const gfp_status status = gfp_poly_fit_length(w->c[i], w->A->M->divisor.n);
        if (status != GFP_OK) {
            return gfp_error_set(options->error, status, "composition: no room for the result");
        }
        terms = gfp_size_add_sat(terms, w->f[i]->len);
    }
    const size_t claims = w->A->s == 0 ? terms + 1 : terms / w->A->s + 2;
    GFP_TRY(gfp_operation_begin(&op, "composition", w->A->M->f.field, options,
                                gfp_compose_modular_units(w->A, terms),
                                (unsigned)gfp_size_min(claims, 1 << 30)));
    return gfp_operation_end(&op, compose_calls_compute(&op, w));
}

gfp_status gfp_poly_compose_mod_many(gfp_poly *const *c, const gfp_poly *const *f, size_t count,
                                     const gfp_compose_argument *A, const gfp_options *options)
{
    return compose_calls_run(&(job){c, f, count, A}, options);
}

gfp_status gfp_poly_compose_mod(gfp_poly *c, const gfp_poly *f, const gfp_compose_argument *A,
                                const gfp_options *options)
{
    return compose_calls_run(&(job){&c, &f, 1, A}, options);
}
