/* calls.c: the public divisions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/division.h"

#include "poly/division/divrem.h"
#include "poly/call.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* A division: output 0 is the quotient, output 1 the remainder. */
typedef struct division {
    gfp_poly_call call;
    bool *exact;  /* not NULL: whether the remainder is 0, and only then an output changes */
    bool demands; /* and it is an error if it is not */
} division;

static bool is_zero(const gfp_field *field, const uint64_t *z, size_t n)
{
    size_t i = 0;
    while (i < n && gfp_elem_is_zero(field, z + i * gfp_field_k(field))) {
        i++;
    }
    return i == n;
}

/* q := the quotient; r, NULL or b->len - 1 elements, := the remainder. A power of X in the divisor
 * cuts the dividend: what lies below belongs to the remainder. */
static gfp_status division_calls_divide(gfp_operation_call *op, uint64_t *q, uint64_t *r,
                                        gfp_series a, gfp_series b)
{
    const size_t k = gfp_field_k(op->field);
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

static bool wants_remainder(const gfp_poly_call *w)
{
    return w->output[1] != NULL || ((const division *)w)->exact != NULL;
}

/* By the definition a unit is a coefficient of the quotient or the remainder. */
static gfp_status plan_division(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t len = w->input[0]->len, len_b = w->input[1]->len;
    const division *d = (const division *)w;
    if (len_b == 0 && d->exact != NULL && !d->demands) { /* 0 alone is divided by 0 */
        *d->exact = len == 0;
        w->trivial = true;
        w->outputs = len == 0 ? w->outputs : 0;
        return GFP_OK;
    }
    if (len_b == 0) {
        return gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE, "division by 0");
    }
    const size_t n = len_b - 1;
    w->length = len > len_b ? len : len_b;
    w->units = gfp_operation_is_classical(op->base.options)
                   ? (wants_remainder(w) ? (double)n : 0) + (double)(len > n ? len - n : 0)
                   : gfp_division_units(n, len);
    return GFP_OK;
}

static gfp_status compute_division(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_series a = gfp_poly_series(w->input[0]), b = gfp_poly_series(w->input[1]);
    const division *d = (const division *)w;
    const size_t n = b.len - 1;
    gfp_piece q = {.len = a.len > n ? a.len - n : 0}, r = {.len = gfp_size_min(n, a.len)};
    GFP_TRY(gfp_operation_array(op, &q.digits, q.len));
    if (wants_remainder(w)) {
        GFP_TRY(gfp_operation_array(op, &r.digits, n));
    }
    GFP_TRY(division_calls_divide(op, q.digits, r.digits, a, b));
    const bool divides = d->exact != NULL && is_zero(op->field, r.digits, n);
    if (d->demands && !divides) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT,
                                    "the divisor does not divide the dividend");
    }
    if (d->exact == NULL || divides) {
        z[0] = q;
        z[1] = r;
    }
    if (d->exact != NULL) {
        *d->exact = divides;
    }
    return GFP_OK;
}

static gfp_status division_calls_run(division *d, const gfp_poly *a, const gfp_poly *b,
                                     const gfp_options *options)
{
    gfp_poly_call *w = &d->call;
    w->plan = plan_division;
    w->compute = compute_division;
    w->input[0] = a;
    w->input[1] = b;
    w->inputs = 2;
    return gfp_poly_call_run(w, options);
}

gfp_status gfp_poly_divrem(gfp_poly *q, gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                           const gfp_options *options)
{
    division d = {.call = {.name = "division", .output = {q, r}, .outputs = 2}};
    return division_calls_run(&d, a, b, options);
}

gfp_status gfp_poly_div(gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    division d = {.call = {.name = "quotient", .output = {q}, .outputs = 1}};
    return division_calls_run(&d, a, b, options);
}

gfp_status gfp_poly_rem(gfp_poly *r, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    division d = {
        .call = {.name = "remainder", .output = {NULL, r}, .outputs = 2, .optional = true}};
    return division_calls_run(&d, a, b, options);
}

gfp_status gfp_poly_divexact(gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                             const gfp_options *options)
{
    bool exact;
    division d = {.call = {.name = "exact quotient", .output = {q}, .outputs = 1},
                  .exact = &exact,
                  .demands = true};
    return division_calls_run(&d, a, b, options);
}

gfp_status gfp_poly_divides(bool *yes, gfp_poly *q, const gfp_poly *a, const gfp_poly *b,
                            const gfp_options *options)
{
    bool exact = false;
    division d = {.call = {.name = "divisibility",
                           .array = {{yes, 1, "place for the answer"}},
                           .arrays = 1,
                           .output = {q},
                           .outputs = q != NULL ? 1 : 0},
                  .exact = &exact};
    GFP_TRY(division_calls_run(&d, a, b, options));
    *yes = exact;
    return GFP_OK;
}
