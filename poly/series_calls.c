/* series_calls.c: the public calls on series: arguments, the operation around the computation, its
 * check, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/series.h"

#include "poly_impl.h"
#include "series.h"
#include "support.h"

/* ---- arguments and outputs ---- */

static gfp_status check_vector(const gfp_field *field, const uint64_t *z, size_t n,
                               const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    return field != NULL && (z != NULL || n == 0)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no field, or an array is NULL");
}

/* Whether polynomials are over one field; room for n coefficients in c. */
static gfp_status prepare(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                          const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_poly_check_operands(c, a, b, options));
    const gfp_status status = gfp_poly_fit_length(c, n);
    return status == GFP_OK ? GFP_OK
                            : gfp_error_set(options->error, status,
                                            "no room for a series of %zu coefficients", n);
}

static gfp_series series_of(const gfp_poly *a)
{
    return (gfp_series){a->digits, a->len};
}

/* ---- inverse and quotient ---- */

static gfp_status not_invertible(const gfp_operation_call *op)
{
    gfp_error *error = op->options->error;
    gfp_error_fill(error, GFP_ERR_NOT_INVERTIBLE, "%s: the constant term of the divisor is 0",
                   op->name);
    if (error != NULL) {
        error->index = 0;
    }
    return GFP_ERR_NOT_INVERTIBLE;
}

/* z := a / b modulo X^n; a = NULL: 1 / b. */
static gfp_status compute_quotient(gfp_operation_call *op, uint64_t *z, size_t n,
                                   const gfp_series *a, gfp_series b)
{
    uint64_t one[GFP_MAX_K], *q;
    gfp_elem_one(op->field, one);
    if (b.len == 0 || gfp_elem_is_zero(op->field, b.digits)) {
        return not_invertible(op);
    }
    GFP_TRY(gfp_operation_array(op, &q, n));
    GFP_TRY(a == NULL ? gfp_series_invert(op, q, n, b) : gfp_series_divide(op, q, n, *a, b));
    const gfp_series product = a == NULL ? (gfp_series){one, 1} : *a;
    const gfp_operation_claim claim = {.c = product.digits,
                                       .a = q,
                                       .b = b.digits,
                                       .len_c = gfp_size_min(product.len, n),
                                       .len_a = n,
                                       .len_b = b.len,
                                       .end = n};
    GFP_TRY(gfp_operation_check_product(op, &claim));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, z, q, n);
    return GFP_OK;
}

static gfp_status run_quotient(const gfp_field *field, uint64_t *z, size_t n, const gfp_series *a,
                               gfp_series b, const gfp_options *options)
{
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(
        &op, a == NULL ? "inverse of a series" : "quotient of series", field, options,
        a == NULL ? gfp_series_invert_units(n) : gfp_series_divide_units(n)));
    return gfp_operation_end(&op, n == 0 ? GFP_OK : compute_quotient(&op, z, n, a, b));
}

gfp_status gfp_vec_inv_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const gfp_options *options)
{
    GFP_TRY(check_vector(field, g, n, options));
    GFP_TRY(check_vector(field, f, len_f, options));
    return run_quotient(field, g, n, NULL, (gfp_series){f, len_f}, options);
}

gfp_status gfp_vec_div_series(const gfp_field *field, uint64_t *q, size_t n, const uint64_t *a,
                              size_t len_a, const uint64_t *b, size_t len_b,
                              const gfp_options *options)
{
    const gfp_series dividend = {a, len_a};
    GFP_TRY(check_vector(field, q, n, options));
    GFP_TRY(check_vector(field, a, len_a, options));
    GFP_TRY(check_vector(field, b, len_b, options));
    return run_quotient(field, q, n, &dividend, (gfp_series){b, len_b}, options);
}

gfp_status gfp_poly_inv_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    GFP_TRY(prepare(g, f, f, n, options));
    GFP_TRY(run_quotient(g->field, g->digits, n, NULL, series_of(f), options));
    gfp_poly_normalise(g, n);
    return GFP_OK;
}

gfp_status gfp_poly_div_series(gfp_poly *q, const gfp_poly *a, const gfp_poly *b, size_t n,
                               const gfp_options *options)
{
    GFP_TRY(prepare(q, a, b, n, options));
    const gfp_series dividend = series_of(a);
    GFP_TRY(run_quotient(q->field, q->digits, n, &dividend, series_of(b), options));
    gfp_poly_normalise(q, n);
    return GFP_OK;
}
