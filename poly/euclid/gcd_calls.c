/* gcd_calls.c: the public calls of Euclid's algorithm.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"

#include "poly/division/divrem.h"
#include "poly/euclid/gcd.h"
#include "poly/call.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* A call: its inputs are a and b. */
typedef struct job {
    gfp_poly_call call;
    size_t bound, max_num, max_den;
} job;

static gfp_series operand_a(const gfp_poly_call *w)
{
    return gfp_poly_series(w->input[0]);
}

static gfp_series operand_b(const gfp_poly_call *w)
{
    return gfp_poly_series(w->input[1]);
}

static size_t longer_operand(const gfp_poly_call *w)
{
    const size_t a = operand_a(w).len, b = operand_b(w).len;
    return a > b ? a : b;
}

/* ---- greatest common divisors ---- */

/* z := x X^n, a new array. */
static gfp_status times_power_of_x(gfp_operation_call *op, gfp_piece *z, const gfp_piece *x,
                                   size_t n)
{
    GFP_TRY(gfp_piece_make(op, z, gfp_size_add_sat(x->len, n)));
    gfp_vec_zero(op->field, z->digits, n);
    gfp_vec_set(op->field, z->digits + n * gfp_field_k(op->field), x->digits, x->len);
    z->len = x->len + n;
    return GFP_OK;
}

/* The power of X in both operands is taken out. Without cofactors the one in a single operand is,
 * too: X does not divide the other one. */
static gfp_status compute_gcd(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_series a = operand_a(w), b = operand_b(w);
    const bool cofactors = w->outputs == 3, both = a.len > 0 && b.len > 0;
    const size_t low_a = both ? gfp_terms_valuation(op->field, a) : 0,
                 low_b = both ? gfp_terms_valuation(op->field, b) : 0,
                 low = gfp_size_min(low_a, low_b);
    gfp_common_divisor d;
    GFP_TRY(gfp_gcd(op, &d, gfp_terms_above(op->field, a, cofactors ? low : low_a),
                    gfp_terms_above(op->field, b, cofactors ? low : low_b), cofactors));
    z[0] = d.g;
    if (low > 0) {
        GFP_TRY(times_power_of_x(op, &z[0], &d.g, low));
    }
    if (w->outputs == 3) {
        z[1] = d.u;
        z[2] = d.v;
    }
    return GFP_OK;
}

static gfp_status plan_gcd(gfp_operation_call *op, gfp_poly_call *w)
{
    (void)op;
    w->length = w->outputs > 0 ? longer_operand(w) : 0;
    w->units = gfp_gcd_units(operand_a(w).len, operand_b(w).len, w->outputs == 3);
    return GFP_OK;
}

gfp_status gfp_poly_gcd(gfp_poly *g, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    gfp_poly_call w = {.name = "greatest common divisor",
                       .input = {a, b},
                       .inputs = 2,
                       .output = {g},
                       .outputs = 1,
                       .plan = plan_gcd,
                       .claims = 1,
                       .compute = compute_gcd};
    return gfp_poly_call_run(&w, options);
}

gfp_status gfp_poly_xgcd(gfp_poly *g, gfp_poly *u, gfp_poly *v, const gfp_poly *a,
                         const gfp_poly *b, const gfp_options *options)
{
    gfp_poly_call w = {.name = "greatest common divisor and cofactors",
                       .input = {a, b},
                       .inputs = 2,
                       .output = {g, u, v},
                       .outputs = 3,
                       .plan = plan_gcd,
                       .claims = 2,
                       .compute = compute_gcd};
    return gfp_poly_call_run(&w, options);
}

/* ---- resultants ---- */

/* Powers of X are taken out: Res(a, X) = (-1)^deg(a) a(0), Res(X, b) = b(0). */
static gfp_status compute_resultant(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_field *field = op->field;
    const gfp_series a = operand_a(w), b = operand_b(w);
    uint64_t value[GFP_MAX_K];
    GFP_TRY(gfp_piece_make(op, &z[0], 1));
    if (a.len == 0 || b.len == 0) {
        gfp_elem_zero(field, z[0].digits);
        return GFP_OK;
    }
    const size_t low_a = gfp_terms_valuation(field, a), low_b = gfp_terms_valuation(field, b);
    if (low_a > 0 && low_b > 0) {
        gfp_elem_zero(field, z[0].digits);
        return GFP_OK;
    }
    GFP_TRY(gfp_resultant(op, z[0].digits, gfp_terms_above(field, a, low_a),
                          gfp_terms_above(field, b, low_b)));
    const uint64_t exponent = low_a > 0 ? low_a : low_b;
    gfp_elem_set(field, value, low_a > 0 ? b.digits : a.digits);
    if (low_a == 0 && a.len % 2 == 0) {
        gfp_elem_neg(field, value, value);
    }
    gfp_elem_pow(field, value, value, &exponent, 1);
    gfp_elem_mul(field, z[0].digits, z[0].digits, value);
    return GFP_OK;
}

gfp_status gfp_poly_resultant(uint64_t *r, const gfp_poly *a, const gfp_poly *b,
                              const gfp_options *options)
{
    gfp_poly_call w = {.name = "resultant",
                       .input = {a, b},
                       .inputs = 2,
                       .values = r,
                       .n = 1,
                       .plan = plan_gcd,
                       .claims = 1,
                       .compute = compute_resultant};
    return gfp_poly_call_run(&w, options);
}

/* z := z (-1)^(n (n - 1) / 2) lc^(n - m - 2). */
static gfp_status normalise_discriminant(const gfp_field *field, uint64_t *z, const uint64_t *lead,
                                         size_t n, size_t m)
{
    uint64_t x[GFP_MAX_K];
    const uint64_t exponent = n - m >= 2 ? n - m - 2 : 1;
    gfp_elem_pow(field, x, lead, &exponent, 1);
    if (n - m < 2) {
        GFP_TRY(gfp_elem_inv(field, x, x));
    }
    gfp_elem_mul(field, z, z, x);
    if (n / 2 % 2 == 1) { /* n (n - 1) / 2 is odd for n = 2, 3 modulo 4 */
        gfp_elem_neg(field, z, z);
    }
    return GFP_OK;
}

/* That of a constant is Res(f, 0) = 0. */
static gfp_status compute_discriminant(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_field *field = op->field;
    const gfp_series f = operand_a(w);
    const size_t k = gfp_field_k(field), n = f.len > 0 ? f.len - 1 : 0;
    uint64_t *derivative;
    GFP_TRY(gfp_piece_make(op, &z[0], 1));
    gfp_elem_zero(field, z[0].digits);
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &derivative, n));
    GFP_TRY(gfp_series_times_index(op, derivative, f.digits + k, 1, n));
    const size_t len = gfp_series_trim(field, derivative, n);
    GFP_TRY(gfp_resultant(op, z[0].digits, f, (gfp_series){derivative, len}));
    return len == 0 ? GFP_OK
                    : normalise_discriminant(field, z[0].digits, f.digits + n * k, n, len - 1);
}

gfp_status gfp_poly_discriminant(uint64_t *r, const gfp_poly *f, const gfp_options *options)
{
    gfp_poly_call w = {.name = "discriminant",
                       .input = {f, f},
                       .inputs = 2,
                       .values = r,
                       .n = 1,
                       .plan = plan_gcd,
                       .claims = 1,
                       .compute = compute_discriminant};
    return gfp_poly_call_run(&w, options);
}

/* ---- subresultants ---- */

static gfp_status compute_subresultant(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    return gfp_subresultant(op, &z[0], operand_a(w), operand_b(w), ((const job *)w)->bound);
}

static gfp_status plan_subresultant(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t len_a = operand_a(w).len, len_b = operand_b(w).len;
    const size_t longer = len_a > len_b ? len_a : len_b;
    size_t *j = &((job *)w)->bound;
    if (len_a == 0 || len_b == 0) {
        *j = 0; /* the result is 0 */
    } else if (*j >= gfp_size_min(len_a, len_b) || *j + 1 >= longer) {
        return gfp_poly_call_refuse(
            op, GFP_ERR_ARGUMENT,
            "the index is above the lower degree, or not below the higher one");
    }
    w->units = gfp_reduce_units(longer, *j);
    return GFP_OK;
}

gfp_status gfp_poly_subresultant(gfp_poly *s, const gfp_poly *a, const gfp_poly *b, size_t j,
                                 const gfp_options *options)
{
    job w = {.call = {.name = "subresultant",
                      .input = {a, b},
                      .inputs = 2,
                      .output = {s},
                      .outputs = 1,
                      .plan = plan_subresultant,
                      .claims = 1,
                      .compute = compute_subresultant},
             .bound = j};
    return gfp_poly_call_run(&w.call, options);
}

/* ---- fractions and recurrences ---- */

/* f modulo m. */
static gfp_status gcd_calls_reduced(gfp_operation_call *op, gfp_series *f, gfp_series m)
{
    const size_t n = m.len - 1;
    uint64_t *q, *r;
    if (f->len >= m.len) {
        GFP_TRY(gfp_operation_array(op, &q, f->len - n));
        GFP_TRY(gfp_operation_array(op, &r, n));
        GFP_TRY(gfp_division(op, q, r, *f, m.digits, n));
        GFP_TRY(gfp_division_check(op, q, r, *f, m.digits, n));
        *f = (gfp_series){r, n};
    }
    return GFP_OK;
}

static gfp_status compute_fraction(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const job *j = (const job *)w;
    gfp_series f = operand_a(w);
    GFP_TRY(gcd_calls_reduced(op, &f, operand_b(w)));
    GFP_TRY(gfp_fraction(op, &z[0], &z[1], f, operand_b(w), j->max_num));
    return z[1].len - 1 <= j->max_den ? GFP_OK
                                      : gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE,
                                                             "no fraction of these degrees exists");
}

static gfp_status plan_fraction(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t len = operand_b(w).len;
    if (len <= 1) {
        return gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE, "the modulus is constant");
    }
    w->units = gfp_reduce_units(len, ((const job *)w)->max_num) + 16 * (double)len;
    return GFP_OK;
}

gfp_status gfp_poly_reconstruct(gfp_poly *num, gfp_poly *den, const gfp_poly *f, const gfp_poly *m,
                                size_t max_num, size_t max_den, const gfp_options *options)
{
    job w = {.call = {.name = "rational reconstruction",
                      .input = {f, m},
                      .inputs = 2,
                      .output = {num, den},
                      .outputs = 2,
                      .plan = plan_fraction,
                      .claims = 3,
                      .compute = compute_fraction},
             .max_num = max_num,
             .max_den = max_den};
    return gfp_poly_call_run(&w.call, options);
}

static gfp_status compute_pade(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_field *field = op->field;
    const job *j = (const job *)w;
    const gfp_series f = operand_a(w);
    const size_t k = gfp_field_k(field), n = j->max_num + j->max_den + 1;
    uint64_t *power, c[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &power, gfp_size_add_sat(n, 1)));
    gfp_vec_zero(field, power, n);
    gfp_elem_one(field, power + n * k);
    GFP_TRY(gfp_fraction(op, &z[0], &z[1], (gfp_series){f.digits, gfp_size_min(f.len, n)},
                         (gfp_series){power, n + 1}, j->max_num));
    if (gfp_elem_is_zero(field, z[1].digits)) {
        return gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE,
                                    "the approximant of these degrees does not exist");
    }
    GFP_TRY(gfp_elem_inv(field, c, z[1].digits));
    gfp_vec_scalar_mul(field, z[0].digits, z[0].digits, c, z[0].len);
    gfp_vec_scalar_mul(field, z[1].digits, z[1].digits, c, z[1].len);
    return GFP_OK;
}

static gfp_status plan_pade(gfp_operation_call *op, gfp_poly_call *w)
{
    const job *j = (const job *)w;
    const size_t n = gfp_size_add_sat(j->max_num, j->max_den);
    if (n > SIZE_MAX / 4) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "the degrees are too large");
    }
    w->units = gfp_reduce_units(n, j->max_num) + 16 * (double)n;
    return GFP_OK;
}

gfp_status gfp_poly_pade(gfp_poly *num, gfp_poly *den, const gfp_poly *f, size_t max_num,
                         size_t max_den, const gfp_options *options)
{
    job w = {.call = {.name = "Pade approximant",
                      .input = {f},
                      .inputs = 1,
                      .output = {num, den},
                      .outputs = 2,
                      .plan = plan_pade,
                      .claims = 2,
                      .compute = compute_pade},
             .max_num = max_num,
             .max_den = max_den};
    return gfp_poly_call_run(&w.call, options);
}

static gfp_status plan_minpoly(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t n = w->array[0].n;
    if (n > SIZE_MAX / 16) {
        return gfp_poly_call_refuse(op, GFP_ERR_SIZE, "the sequence is too long");
    }
    w->units = gfp_reduce_units(n, n / 2) + 16 * (double)n;
    return GFP_OK;
}

static gfp_status compute_minpoly(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    if (w->array[0].n == 0) {
        GFP_TRY(gfp_piece_make(op, &z[0], 1));
        gfp_elem_one(op->field, z[0].digits);
        z[0].len = 1;
        return GFP_OK;
    }
    return gfp_minimal_polynomial(op, &z[0], w->array[0].x, w->array[0].n);
}

gfp_status gfp_poly_minpoly(gfp_poly *f, const uint64_t *s, size_t n, const gfp_options *options)
{
    gfp_poly_call w = {.name = "minimal polynomial of a sequence",
                       .array = {{s, n, "sequence"}},
                       .arrays = 1,
                       .output = {f},
                       .outputs = 1,
                       .plan = plan_minpoly,
                       .claims = 2,
                       .compute = compute_minpoly};
    return gfp_poly_call_run(&w, options);
}
