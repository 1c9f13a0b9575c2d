/* calls.c: the public divisions: arguments, the operation around the computation, its
 * check, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/division.h"

#include "poly/division/divrem.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* A division: NULL for an output that is not wanted. */
typedef struct division {
    const char *name;
    gfp_poly *q, *r;
    bool *exact; /* not NULL: whether the remainder is 0, and only then an output changes */
    const gfp_poly *a, *b;
} division;

/* Room in the outputs for what is computed. */
static gfp_status division_calls_prepare(const division *w, const gfp_options *options)
{
    const size_t len_a = w->a->len, len_b = w->b->len;
    gfp_status status = GFP_OK;
    if (w->q != NULL) {
        status = gfp_poly_fit_length(w->q, len_a < len_b ? 0 : len_a - len_b + 1);
    }
    if (status == GFP_OK && w->r != NULL) {
        status = gfp_poly_fit_length(w->r, gfp_size_min(len_a, len_b - 1));
    }
    return status == GFP_OK
               ? GFP_OK
               : gfp_error_set(options->error, status,
                               "%s: no room for a result for %zu coefficients", w->name, len_a);
}

/* b := the first n coefficients of an array. */
static void division_calls_install(gfp_poly *b, const uint64_t *z, size_t n)
{
    if (b != NULL) {
        gfp_vec_copy(b->field, b->digits, z, n);
        gfp_poly_normalise(b, n);
    }
}

static bool is_zero(const gfp_field *field, const uint64_t *z, size_t n)
{
    size_t i = 0;
    while (i < n && gfp_elem_is_zero(field, z + i * gfp_field_k(field))) {
        i++;
    }
    return i == n;
}

/* q := the quotient; r, NULL or w->b->len - 1 elements, := the remainder. A power of X in the
 * divisor cuts the dividend: what lies below belongs to the remainder. */
static gfp_status division_calls_divide(gfp_operation_call *op, uint64_t *q, uint64_t *r,
                                        const division *w)
{
    const size_t k = gfp_field_k(op->field);
    const gfp_series a = {w->a->digits, w->a->len}, b = {w->b->digits, w->b->len};
    const size_t low = gfp_terms_valuation(op->field, b), n = b.len - 1 - low;
    const gfp_series high = gfp_terms_above(op->field, a, low),
                     f = gfp_terms_above(op->field, b, low);
    uint64_t *rest = r == NULL ? NULL : r + low * k;
    if (r != NULL) {
        gfp_series_copy(op->field, r, low, a);
    }
    GFP_TRY(gfp_division(op, q, rest, high, f.digits, n));
    return high.len > n ? gfp_division_check(op, q, rest, high, f.digits, n) : GFP_OK;
}

static gfp_status division_calls_compute(gfp_operation_call *op, const division *w)
{
    const gfp_field *field = op->field;
    const size_t len = w->a->len, n = w->b->len - 1, c = len > n ? len - n : 0;
    uint64_t *q = NULL, *r = NULL;
    GFP_TRY(gfp_operation_array(op, &q, c));
    if (w->r != NULL || w->exact != NULL) {
        GFP_TRY(gfp_operation_array(op, &r, n));
    }
    GFP_TRY(division_calls_divide(op, q, r, w));
    GFP_TRY(gfp_operation_finish(op));
    if (w->exact != NULL) {
        *w->exact = is_zero(field, r, n);
    }
    if (w->exact == NULL || *w->exact) {
        division_calls_install(w->q, q, c);
        division_calls_install(w->r, r, gfp_size_min(n, len));
    }
    return GFP_OK;
}

/* Arguments that are there and of one field: a is over it, b may be NULL. */
static gfp_status check_fields(gfp_poly *b, const division *w, const gfp_options *options)
{
    return b == NULL ? GFP_OK : gfp_poly_check_operands(b, w->a, w->b, options);
}

/* By the definition a unit is a coefficient of the quotient or the remainder. */
static double units_of(const division *w, const gfp_options *options)
{
    const size_t n = w->b->len - 1, len = w->a->len;
    const double remainder = w->r != NULL || w->exact != NULL ? (double)n : 0;
    return gfp_operation_is_classical(options) ? remainder + (double)(len > n ? len - n : 0)
                                               : gfp_division_units(n, len);
}

static gfp_status division_calls_run(const division *w, const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_fields(w->q, w, options));
    GFP_TRY(check_fields(w->r, w, options));
    if (w->b->len == 0) {
        return gfp_error_set(options->error, GFP_ERR_NOT_INVERTIBLE, "%s: division by 0", w->name);
    }
    GFP_TRY(division_calls_prepare(w, options));
    GFP_TRY(gfp_operation_begin(&op, w->name, w->a->field, options, units_of(w, options), 1));
    return gfp_operation_end(&op, division_calls_compute(&op, w));
}

static gfp_status division_calls_missing(const gfp_options *options, const char *what)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s", what);
}

gfp_status gfp_poly_divrem(gfp_poly *q, gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                           const gfp_options *options)
{
    if (q == NULL || r == NULL || q == r) {
        return division_calls_missing(options,
                                      "division: quotient and remainder are two polynomials");
    }
    return division_calls_run(&(division){.name = "division", .q = q, .r = r, .a = a, .b = b},
                              options);
}

gfp_status gfp_poly_div(gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    if (q == NULL) {
        return division_calls_missing(options, "quotient: a polynomial is NULL");
    }
    return division_calls_run(&(division){.name = "quotient", .q = q, .a = a, .b = b}, options);
}

gfp_status gfp_poly_rem(gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    if (r == NULL) {
        return division_calls_missing(options, "remainder: a polynomial is NULL");
    }
    return division_calls_run(&(division){.name = "remainder", .r = r, .a = a, .b = b}, options);
}

gfp_status gfp_poly_divexact(gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                             const gfp_options *options)
{
    bool exact = false;
    gfp_options copy;
    if (q == NULL) {
        return division_calls_missing(options, "exact quotient: a polynomial is NULL");
    }
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(division_calls_run(
        &(division){.name = "exact quotient", .q = q, .exact = &exact, .a = a, .b = b}, options));
    return exact ? GFP_OK
                 : gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                                 "exact quotient: the divisor does not divide the dividend");
}

gfp_status gfp_poly_divides(bool *yes, gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                            const gfp_options *options)
{
    gfp_poly none;
    bool exact = false;
    if (yes == NULL || a == NULL || b == NULL) {
        return division_calls_missing(options, "divisibility: an argument is NULL");
    }
    gfp_poly_init(&none, a->field);
    const division w = {
        .name = "divisibility", .q = q != NULL ? q : &none, .exact = &exact, .a = a, .b = b};
    gfp_status status = GFP_OK;
    if (b->len == 0 && a->field != NULL && b->field != NULL) {
        gfp_options copy;
        GFP_TRY(gfp_options_read(&options, &copy));
        GFP_TRY(check_fields(w.q, &w, options));
        exact = a->len == 0;
        if (exact) {
            gfp_poly_zero(w.q);
        }
    } else {
        status = division_calls_run(&w, options);
    }
    gfp_poly_clear(&none);
    if (status == GFP_OK) {
        *yes = exact;
    }
    return status;
}
