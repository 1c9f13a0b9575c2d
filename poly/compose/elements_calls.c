/* elements_calls.c: the public calls of power projections, trace maps, minimal and
 * characteristic polynomials: arguments, the operation around the computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/elements.h"

#include "poly/impl.h"
#include "field/base/support.h"

static gfp_status elements_calls_refuse(const gfp_options *options, gfp_status status,
                                        const char *name, const char *why)
{
    return gfp_error_set(options->error, status, "%s: %s", name, why);
}

/* ---- power projections ---- */

static gfp_status elements_calls_project(gfp_operation_call *op, uint64_t *y, size_t count,
                                         const uint64_t *l, const gfp_compose_argument *A)
{
    uint64_t *values;
    gfp_modulus_name_method(op, A->M);
    GFP_TRY(gfp_operation_array(op, &values, count));
    GFP_TRY(gfp_compose_project(op, values, count, A, l));
    GFP_TRY(gfp_compose_project_check(op, values, count, A, l));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, y, values, count);
    return GFP_OK;
}

gfp_status gfp_vec_power_projection(uint64_t *y, size_t count, const uint64_t *l,
                                    const gfp_compose_argument *A, const gfp_options *options)
{
    static const char name[] = "power projection";
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (A == NULL || l == NULL || (y == NULL && count > 0)) {
        return elements_calls_refuse(options, GFP_ERR_ARGUMENT, name,
                                     "no argument, or an array is NULL");
    }
    if (count > SIZE_MAX / 16) {
        return elements_calls_refuse(options, GFP_ERR_SIZE, name, "too many values");
    }
    GFP_TRY(gfp_operation_begin(&op, name, A->M->f.field, options,
                                gfp_compose_project_units(A, count), 2));
    return gfp_operation_end(&op, elements_calls_project(&op, y, count, l, A));
}

/* ---- elements ---- */

typedef struct job job;
struct job {
    const char *name;
    gfp_status (*compute)(gfp_operation_call *op, const job *w);
    double units;
    unsigned claims;
    gfp_poly *c[2]; /* outputs, or NULL, with room for n + 1 coefficients */
    const gfp_poly *a, *x_p;
    size_t d;
    const gfp_modulus *M;
};

static gfp_status check_job(const job *w, const gfp_options *options)
{
    const gfp_poly *any = w->c[0] != NULL ? w->c[0] : w->c[1];
    if (w->M == NULL || any == NULL || w->a == NULL || w->x_p == NULL) {
        return elements_calls_refuse(options, GFP_ERR_ARGUMENT, w->name,
                                     "a polynomial or the modulus is NULL");
    }
    if (w->c[0] == w->c[1]) {
        return elements_calls_refuse(options, GFP_ERR_ARGUMENT, w->name,
                                     "both outputs are one polynomial");
    }
    GFP_TRY(gfp_poly_check_operands(any, w->a, w->x_p, options));
    return gfp_poly_check_operands(w->c[1] != NULL ? w->c[1] : any, w->a, &w->M->f, options);
}

static gfp_status elements_calls_run(const job *w, const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_job(w, options));
    for (size_t i = 0; i < 2; i++) {
        const size_t room = w->M->divisor.n + 1;
        const gfp_status status = w->c[i] == NULL ? GFP_OK : gfp_poly_fit_length(w->c[i], room);
        if (status != GFP_OK) {
            return elements_calls_refuse(options, status, w->name, "no room for the result");
        }
    }
    GFP_TRY(gfp_operation_begin(&op, w->name, w->M->f.field, options,
                                w->units +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->a->len) +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->x_p->len),
                                w->claims));
    gfp_modulus_name_method(&op, w->M);
    return gfp_operation_end(&op, w->compute(&op, w));
}

static void elements_calls_give(const gfp_operation_call *op, gfp_poly *c, const uint64_t *digits,
                                size_t n)
{
    if (c != NULL) {
        gfp_vec_copy(op->field, c->digits, digits, n);
        gfp_poly_normalise(c, n);
    }
}

static gfp_status compute_trace(gfp_operation_call *op, const job *w)
{
    const size_t n = w->M->divisor.n;
    gfp_series a, x_p;
    uint64_t *trace, *power;
    GFP_TRY(gfp_operation_array(op, &trace, n));
    GFP_TRY(gfp_operation_array(op, &power, n));
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    GFP_TRY(gfp_modulus_reduced(op, &x_p, w->M, w->x_p));
    GFP_TRY(gfp_compose_trace(op, w->c[0] == NULL ? NULL : trace, w->c[1] == NULL ? NULL : power,
                              w->M, a, x_p, w->d));
    GFP_TRY(gfp_operation_finish(op));
    elements_calls_give(op, w->c[0], trace, n);
    elements_calls_give(op, w->c[1], power, n);
    return GFP_OK;
}

gfp_status gfp_poly_trace_map_mod(gfp_poly *trace, gfp_poly *power, const gfp_poly *a,
                                  const gfp_poly *x_p, size_t d, const gfp_modulus *M,
                                  const gfp_options *options)
{
    return elements_calls_run(&(job){.name = "trace map",
                                     .compute = compute_trace,
                                     .units = M == NULL ? 0 : gfp_compose_trace_units(M, d),
                                     .claims = 200,
                                     .c = {trace, power},
                                     .a = trace == NULL ? x_p : a,
                                     .x_p = x_p,
                                     .d = d,
                                     .M = M},
                              options);
}

static gfp_status compute_minimal(gfp_operation_call *op, const job *w)
{
    uint64_t *f;
    size_t len = 0;
    gfp_series a;
    GFP_TRY(gfp_operation_array(op, &f, w->M->divisor.n + 1));
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    GFP_TRY(gfp_compose_minimal(op, f, &len, w->M, a));
    GFP_TRY(gfp_operation_finish(op));
    elements_calls_give(op, w->c[0], f, len);
    return GFP_OK;
}

gfp_status gfp_poly_minpoly_mod(gfp_poly *f, const gfp_poly *a, const gfp_modulus *M,
                                const gfp_options *options)
{
    return elements_calls_run(&(job){.name = "minimal polynomial",
                                     .compute = compute_minimal,
                                     .units = M == NULL ? 0 : gfp_compose_minimal_units(M),
                                     .claims = 200,
                                     .c = {f},
                                     .a = a,
                                     .x_p = a,
                                     .M = M},
                              options);
}

static gfp_status compute_characteristic(gfp_operation_call *op, const job *w)
{
    const size_t n = w->M->divisor.n;
    uint64_t *f;
    gfp_series a;
    if (!gfp_series_has_inverses(op->field, n + 1)) {
        return elements_calls_refuse(op->options, GFP_ERR_UNAVAILABLE, op->name,
                                     "the degree of the modulus is not below the characteristic");
    }
    GFP_TRY(gfp_operation_array(op, &f, n + 1));
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    GFP_TRY(gfp_compose_characteristic(op, f, w->M, a));
    GFP_TRY(gfp_operation_finish(op));
    elements_calls_give(op, w->c[0], f, n + 1);
    return GFP_OK;
}

gfp_status gfp_poly_charpoly_mod(gfp_poly *f, const gfp_poly *a, const gfp_modulus *M,
                                 const gfp_options *options)
{
    return elements_calls_run(&(job){.name = "characteristic polynomial",
                                     .compute = compute_characteristic,
                                     .units = M == NULL ? 0 : gfp_compose_characteristic_units(M),
                                     .claims = 200,
                                     .c = {f},
                                     .a = a,
                                     .x_p = a,
                                     .M = M},
                              options);
}
