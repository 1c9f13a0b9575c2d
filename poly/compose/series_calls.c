/* series_calls.c: the public calls of composition of polynomials and series, and of
 * reversion: arguments, the operation around the computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/series.h"

#include <limits.h>

#include "poly/euclid/steps.h"
#include "gfpoly/compose.h"
#include "poly/impl.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "poly/terms.h"

typedef struct job job;
struct job {
    const char *name;
    gfp_status (*compute)(gfp_operation_call *op, uint64_t *z, const job *w);
    double units;
    unsigned claims;
    size_t n; /* elements of the result */
    gfp_series f, g;
};

static gfp_status series_calls_compute(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *result;
    GFP_TRY(gfp_operation_array(op, &result, w->n));
    GFP_TRY(w->compute(op, result, w));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, z, result, w->n);
    return GFP_OK;
}

/* z, n elements, := the result. */
static gfp_status series_calls_run(const gfp_field *field, uint64_t *z, const job *w,
                                   const gfp_options *options)
{
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(&op, w->name, field, options, w->units, w->claims));
    return gfp_operation_end(&op, w->n == 0 ? GFP_OK : series_calls_compute(&op, z, w));
}

static gfp_status series_calls_refuse(gfp_operation_call *op, gfp_status status, uint64_t index,
                                      const char *why)
{
    gfp_error *error = op->options->error;
    gfp_error_fill(error, status, "%s: %s", op->name, why);
    if (error != NULL) {
        error->index = index;
    }
    return status;
}

static gfp_series series_of(const gfp_poly *a)
{
    return (gfp_series){a->digits, a->len};
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
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = gfp_compose_plain_check(op, z, f, g);
    op->report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* f(h(X^d)) is f(h) at X^d. */
static gfp_status compute_plain(gfp_operation_call *op, uint64_t *z, const job *w)
{
    const size_t d = gfp_terms_step(op->field, w->g, 0);
    gfp_series g = w->g;
    if (d > 1) {
        GFP_TRY(gfp_terms_compress(op, &g, g, d));
    }
    GFP_TRY(compose_checked(op, z, w->f, g));
    gfp_terms_spread(op->field, z, w->n, d > 1 ? d : 1);
    return GFP_OK;
}

gfp_status gfp_poly_compose(gfp_poly *c, const gfp_poly *f, const gfp_poly *g,
                            const gfp_options *options)
{
    static const char name[] = "composition of polynomials";
    gfp_options copy;
    uint64_t zero[GFP_MAX_K];
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(c, f, g, options));
    const size_t len_g = g->len > 0 ? g->len : 1;
    const size_t n = f->len == 0 ? 0 : gfp_size_add_sat(gfp_size_mul_sat(f->len - 1, len_g - 1), 1);
    if (n > SIZE_MAX / 16) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: the result is too long", name);
    }
    const gfp_status status = gfp_poly_fit_length(c, n);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "%s: no room for %zu coefficients", name, n);
    }
    gfp_elem_zero(c->field, zero);
    const job w = {.name = name,
                   .compute = compute_plain,
                   .units = n == 0 ? 1 : gfp_compose_plain_units(c->field, f->len, len_g),
                   .claims = 1,
                   .n = n,
                   .f = series_of(f),
                   .g = g->len > 0 ? series_of(g) : (gfp_series){zero, 1}};
    GFP_TRY(series_calls_run(c->field, c->digits, &w, options));
    gfp_poly_normalise(c, n);
    return GFP_OK;
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
static job series_calls_composition(size_t n, gfp_series f, gfp_series g,
                                    const gfp_options *options)
{
    const size_t terms = gfp_size_min(f.len, n);
    const double horner = (double)terms * (double)n, fast = gfp_series_compose_units(n + 1);
    const bool simple = gfp_operation_is_classical(options) || horner < fast;
    return (job){.name = "composition of series",
                 .compute = compute_series,
                 .units = simple ? horner : fast,
                 .claims = simple ? (unsigned)gfp_size_min(terms + 1, UINT_MAX) : 100,
                 .n = n,
                 .f = f,
                 .g = g};
}

static job series_calls_reversion(size_t n, gfp_series g, const gfp_options *options)
{
    job w = {.name = "reversion of a series",
             .compute = compute_reversion,
             .units = gfp_series_revert_units(n + 1),
             .claims = 200,
             .n = n,
             .g = g};
    if (gfp_operation_is_classical(options)) { /* a composition for each step of Newton's */
        size_t claims = 2;
        w.units = 1;
        for (size_t m = n; m > 2; m = m / 2 + m % 2) {
            const size_t terms = gfp_size_min(g.len, m);
            w.units += ((double)terms + 2) * (double)m;
            claims += terms + 2;
        }
        w.claims = (unsigned)gfp_size_min(claims, UINT_MAX);
    }
    return w;
}

static gfp_status check_vectors(const gfp_field *field, const uint64_t *z, size_t n, gfp_series f,
                                gfp_series g, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (field == NULL || (z == NULL && n > 0) || (f.digits == NULL && f.len > 0) ||
        (g.digits == NULL && g.len > 0)) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no field, or an array is NULL");
    }
    return n <= SIZE_MAX / 64
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_SIZE, "too many coefficients");
}

gfp_status gfp_vec_compose_series(const gfp_field *field, uint64_t *z, size_t n, const uint64_t *f,
                                  size_t len_f, const uint64_t *g, size_t len_g,
                                  const gfp_options *options)
{
    const job w =
        series_calls_composition(n, (gfp_series){f, len_f}, (gfp_series){g, len_g}, options);
    GFP_TRY(check_vectors(field, z, n, w.f, w.g, options));
    return series_calls_run(field, z, &w, options);
}

gfp_status gfp_vec_revert_series(const gfp_field *field, uint64_t *z, size_t n, const uint64_t *g,
                                 size_t len_g, const gfp_options *options)
{
    const job w = series_calls_reversion(n, (gfp_series){g, len_g}, options);
    GFP_TRY(check_vectors(field, z, n, w.f, w.g, options));
    return series_calls_run(field, z, &w, options);
}

/* c := the result; w reads inputs after c has room. */
static gfp_status series_calls_prepare(gfp_poly *c, const gfp_poly *f, const gfp_poly *g, size_t n,
                                       const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(c, f, g, options));
    const gfp_status status = n <= SIZE_MAX / 64 ? gfp_poly_fit_length(c, n) : GFP_ERR_SIZE;
    return status == GFP_OK ? GFP_OK
                            : gfp_error_set(options->error, status,
                                            "no room for a series of %zu coefficients", n);
}

gfp_status gfp_poly_compose_series(gfp_poly *c, const gfp_poly *f, const gfp_poly *g, size_t n,
                                   const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(c, f, g, n, options));
    const job w = series_calls_composition(n, series_of(f), series_of(g), options);
    GFP_TRY(series_calls_run(c->field, c->digits, &w, options));
    gfp_poly_normalise(c, n);
    return GFP_OK;
}

gfp_status gfp_poly_revert_series(gfp_poly *c, const gfp_poly *g, size_t n,
                                  const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(c, g, g, n, options));
    const job w = series_calls_reversion(n, series_of(g), options);
    GFP_TRY(series_calls_run(c->field, c->digits, &w, options));
    gfp_poly_normalise(c, n);
    return GFP_OK;
}
