/* series_calls.c: the public calls of composition of polynomials and series, and of
 * reversion.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/series.h"

#include <limits.h>

#include "poly/euclid/steps.h"
#include "gfpoly/compose.h"
#include "poly/call.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* A call: the result has n elements. */
typedef struct job job;
struct job {
    gfp_poly_call call;
    gfp_status (*compute)(gfp_operation_call *op, uint64_t *z, const job *w);
    size_t n;
    gfp_series f, g; /* of reversions g alone */
};

static gfp_status series_calls_compute(gfp_operation_call *op, gfp_piece *z,
                                       const gfp_poly_call *call)
{
    const job *w = (const job *)call;
    z[0].len = w->n;
    GFP_TRY(gfp_operation_array(op, &z[0].digits, w->n));
    return w->compute(op, z[0].digits, w);
}

/* The operands of a call on polynomials, the inner one last, and the result's length. */
static gfp_status series_calls_operands(gfp_operation_call *op, job *w)
{
    gfp_poly_call *call = &w->call;
    if (call->inputs > 0) {
        w->g = gfp_poly_series(call->input[call->inputs - 1]);
        w->f = gfp_poly_series(call->input[0]);
    }
    if (w->n > SIZE_MAX / 64) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "too many coefficients");
    }
    call->n = w->n;
    call->trivial = w->n == 0;
    return GFP_OK;
}

static gfp_status series_calls_run(job *w, const gfp_options *options)
{
    w->call.compute = series_calls_compute;
    return gfp_poly_call_run(&w->call, options);
}

static gfp_status series_calls_refuse(gfp_operation_call *op, gfp_status status, uint64_t index,
                                      const char *why)
{
    return gfp_error_set_at(&op->base.error, status, index, "%s: %s", op->base.name, why);
}

/* ---- polynomials ---- */

/* z, f.len elements, := f(g) for g of degree at most 1: a Taylor shift, then powers of a factor. */
static gfp_status compose_linear(gfp_operation_call *op, uint64_t *z, gfp_series f, gfp_series g)
{
    const uint64_t *slope = g.digits + gfp_field_k(op->field);
    GFP_TRY(gfp_taylor_shift(op, z, f.digits, f.len, g.digits));
    return gfp_elem_is_one(op->field, slope) ? GFP_OK
                                             : gfp_sequence_times_powers(op, z, f.len, slope);
}

/* z := f(g), for f that is not 0, and checks it. */
static gfp_status compose_checked(gfp_operation_call *op, uint64_t *z, gfp_series f, gfp_series g)
{
    const bool linear =
        !op->classical && g.len == 2 &&
        (gfp_elem_is_zero(op->field, g.digits) || gfp_series_has_inverses(op->field, f.len));
    const size_t d = gfp_terms_step(op->field, f, 0);
    if (linear) {
        GFP_TRY(compose_linear(op, z, f, g));
    } else {
        GFP_TRY(d > 1 && g.len > 1 && !op->classical ? gfp_compose_powers(op, z, f, g, d)
                                                     : gfp_compose_plain(op, z, f, g));
    }
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    gfp_call_checks(&op->base);
    GFP_TRY(gfp_compose_plain_check(op, z, f, g));
    gfp_call_checked(&op->base);
    return GFP_OK;
}

/* f(h(X^d)) is f(h) at X^d. */
static gfp_status compute_plain(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t zero[GFP_MAX_K];
    gfp_series g = w->g;
    if (g.len == 0) {
        gfp_elem_zero(op->field, zero);
        g = (gfp_series){zero, 1};
    }
    const size_t d = gfp_terms_step(op->field, g, 0);
    if (d > 1) {
        GFP_TRY(gfp_terms_compress(op, &g, g, d));
    }
    GFP_TRY(compose_checked(op, z, w->f, g));
    gfp_terms_spread(op->field, z, w->n, d > 1 ? d : 1);
    return GFP_OK;
}

static gfp_status plan_plain(gfp_operation_call *op, gfp_poly_call *call)
{
    job *w = (job *)call;
    const size_t len_f = call->input[0]->len, len = call->input[1]->len, len_g = len > 0 ? len : 1;
    w->n = len_f == 0 ? 0 : gfp_size_add_sat(gfp_size_mul_sat(len_f - 1, len_g - 1), 1);
    call->units = len_f == 0 ? 1 : gfp_compose_plain_units(op->field, len_f, len_g);
    return series_calls_operands(op, w);
}

gfp_status gfp_poly_compose(gfp_poly *c, const gfp_poly *f, const gfp_poly *g,
                            const gfp_options *options)
{
    job w = {.call = {.name = "composition of polynomials",
                      .input = {f, g},
                      .inputs = 2,
                      .output = {c},
                      .outputs = 1,
                      .plan = plan_plain},
             .compute = compute_plain};
    return series_calls_run(&w, options);
}

/* ---- series ---- */

static bool has_constant_term(const gfp_operation_call *op, gfp_series g)
{
    return g.len > 0 && !gfp_elem_is_zero(op->field, g.digits);
}

/* f(h(X^d)) is f(h) at X^d; h = c X is served by powers of c. */
static gfp_status compute_series(gfp_operation_call *op, uint64_t *z, const job *w)
{
    const gfp_field *field = op->field;
    gfp_series f = w->f, g = gfp_series_slice(field, w->g, 0, w->n);
    if (has_constant_term(op, w->g)) {
        return series_calls_refuse(op, GFP_ERR_ARGUMENT, 0,
                                   "the constant term of the inner series is not 0");
    }
    g.len = gfp_series_trim(field, g.digits, g.len);
    if (f.len == 0 || g.len == 0) {
        gfp_series_copy(field, z, w->n, gfp_series_slice(field, f, 0, 1));
        return GFP_OK;
    }
    const size_t d = gfp_terms_step(field, g, 0), n = (w->n - 1) / d + 1;
    if (d > 1) {
        GFP_TRY(gfp_terms_compress(op, &g, g, d));
    }
    /* Higher terms of f do not matter. */
    f = gfp_series_slice(field, f, 0, (n - 1) / gfp_terms_valuation(field, g) + 1);
    if (g.len == 2 && !op->classical) {
        GFP_TRY(compose_checked(op, z, f, g));
        gfp_vec_zero(field, z + f.len * gfp_field_k(field), n - f.len);
    } else {
        GFP_TRY(gfp_series_compose(op, z, n, f, g));
    }
    gfp_terms_spread(field, z, w->n, d);
    return GFP_OK;
}

static gfp_status compute_reversion(gfp_operation_call *op, uint64_t *z, const job *w)
{
    const size_t k = gfp_field_k(op->field);
    if (has_constant_term(op, w->g)) {
        return series_calls_refuse(op, GFP_ERR_ARGUMENT, 0, "the constant term is not 0");
    }
    if (w->n > 1 && (w->g.len < 2 || gfp_elem_is_zero(op->field, w->g.digits + k))) {
        return series_calls_refuse(op, GFP_ERR_NOT_INVERTIBLE, 1, "the coefficient of X is 0");
    }
    return gfp_series_revert(op, z, w->n, w->g);
}

/* Horner's rule takes and checks a product for each term of f. */
static gfp_status plan_composition(gfp_operation_call *op, gfp_poly_call *call)
{
    job *w = (job *)call;
    GFP_TRY(series_calls_operands(op, w));
    const size_t terms = gfp_size_min(w->f.len, w->n);
    const double horner = (double)terms * (double)w->n, fast = gfp_series_compose_units(w->n + 1);
    const bool simple = gfp_operation_is_classical(op->base.options) || horner < fast;
    call->units = simple ? horner : fast;
    call->claims = simple ? (unsigned)gfp_size_min(terms + 1, UINT_MAX) : 100;
    return GFP_OK;
}

static gfp_status plan_reversion(gfp_operation_call *op, gfp_poly_call *call)
{
    job *w = (job *)call;
    GFP_TRY(series_calls_operands(op, w));
    call->units = gfp_series_revert_units(w->n + 1);
    call->claims = 200;
    if (gfp_operation_is_classical(
            op->base.options)) { /* a composition for each of Newton's steps */
        size_t claims = 2;
        call->units = 1;
        for (size_t m = w->n; m > 2; m = m / 2 + m % 2) {
            const size_t terms = gfp_size_min(w->g.len, m);
            call->units += ((double)terms + 2) * (double)m;
            claims += terms + 2;
        }
        call->claims = (unsigned)gfp_size_min(claims, UINT_MAX);
    }
    return GFP_OK;
}

gfp_status gfp_poly_compose_series(gfp_poly *c, const gfp_poly *f, const gfp_poly *g, size_t n,
                                   const gfp_options *options)
{
    job w = {.call = {.name = "composition of series",
                      .input = {f, g},
                      .inputs = 2,
                      .output = {c},
                      .outputs = 1,
                      .plan = plan_composition},
             .compute = compute_series,
             .n = n};
    return series_calls_run(&w, options);
}

gfp_status gfp_poly_revert_series(gfp_poly *c, const gfp_poly *g, size_t n,
                                  const gfp_options *options)
{
    job w = {.call = {.name = "reversion of a series",
                      .input = {g},
                      .inputs = 1,
                      .output = {c},
                      .outputs = 1,
                      .plan = plan_reversion},
             .compute = compute_reversion,
             .n = n};
    return series_calls_run(&w, options);
}
