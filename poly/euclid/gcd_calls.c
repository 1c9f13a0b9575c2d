/* gcd_calls.c: the public calls of Euclid's algorithm: arguments, the operation around the
 * computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"

#include "poly/division/divrem.h"
#include "poly/euclid/gcd.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* ---- a call ---- */

#define MOST_OUTPUTS 6

typedef struct job job;
struct job {
    const char *name;
    /* Computes the outputs, arrays of the operation, or the element r. */
    gfp_status (*compute)(gfp_operation_call *op, gfp_piece *z, const job *w);
    double units;
    unsigned claims;
    const gfp_poly *a, *b;
    gfp_poly *output[MOST_OUTPUTS];
    size_t outputs;
    uint64_t *r; /* `elements` elements, of z[0]; NULL: polynomials alone */
    size_t elements;
    size_t bound, max_num, max_den;
    const uint64_t *sequence;
    size_t length; /* of the sequence */
};

static gfp_status gcd_calls_complain(const gfp_options *options, gfp_status status,
                                     const char *name, const char *what)
{
    return gfp_error_set(options->error, status, "%s: %s", name, what);
}

/* Arguments that are there, of one field; outputs that differ. */
static gfp_status check_arguments(const job *w, const gfp_options *options)
{
    for (size_t i = 0; i < w->outputs; i++) {
        GFP_TRY(gfp_poly_check_operands(w->output[i], w->a, w->b, options));
        for (size_t j = 0; j < i; j++) {
            if (w->output[i] == w->output[j]) {
                return gcd_calls_complain(options, GFP_ERR_ARGUMENT, w->name,
                                          "two outputs are one polynomial");
            }
        }
    }
    return w->outputs > 0 ? GFP_OK : gfp_poly_check_operands(w->a, w->a, w->b, options);
}

static gfp_status gcd_calls_compute(gfp_operation_call *op, const job *w)
{
    gfp_piece z[MOST_OUTPUTS];
    gfp_status status = GFP_OK;
    GFP_TRY(w->compute(op, z, w));
    for (size_t i = 0; i < w->outputs && status == GFP_OK; i++) {
        status = gfp_poly_fit_length(w->output[i], z[i].len);
    }
    GFP_TRY(status);
    GFP_TRY(gfp_operation_finish(op));
    for (size_t i = 0; i < w->outputs; i++) {
        gfp_vec_copy(op->field, w->output[i]->digits, z[i].digits, z[i].len);
        gfp_poly_normalise(w->output[i], z[i].len);
    }
    if (w->r != NULL) {
        gfp_vec_copy(op->field, w->r, z[0].digits, w->elements);
    }
    return GFP_OK;
}

static gfp_status gcd_calls_run(const job *w, const gfp_options *options)
{
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(&op, w->name, w->a->field, options, w->units, w->claims));
    return gfp_operation_end(&op, gcd_calls_compute(&op, w));
}

static gfp_series series_of(const gfp_poly *a)
{
    return (gfp_series){a->digits, a->len};
}

/* ---- greatest common divisors ---- */

/* z := x X^n, a new array. */
static gfp_status times_power_of_x(gfp_operation_call *op, gfp_piece *z, const gfp_piece *x,
                                   size_t n)
{
    GFP_TRY(gfp_piece_make(op, z, gfp_size_add_sat(x->len, n)));
    gfp_vec_zero(op->field, z->digits, n);
    gfp_vec_copy(op->field, z->digits + n * gfp_field_k(op->field), x->digits, x->len);
    z->len = x->len + n;
    return GFP_OK;
}

/* The power of X in both operands is taken out. Without cofactors the one in a single operand is,
 * too: X does not divide the other one. */
static gfp_status compute_gcd(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    const gfp_series a = series_of(w->a), b = series_of(w->b);
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

static gfp_status run_gcd(job *w, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(w, options));
    w->compute = compute_gcd;
    w->units = gfp_gcd_units(w->a->len, w->b->len, w->outputs == 3);
    return gcd_calls_run(w, options);
}

gfp_status gfp_poly_gcd(gfp_poly *g, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    job w = {.name = "greatest common divisor",
             .claims = 1,
             .a = a,
             .b = b,
             .output = {g},
             .outputs = 1};
    return run_gcd(&w, options);
}

gfp_status gfp_poly_xgcd(gfp_poly *g, gfp_poly *u, gfp_poly *v, const gfp_poly *a,
                         const gfp_poly *b, const gfp_options *options)
{
    job w = {.name = "greatest common divisor and cofactors",
             .claims = 2,
             .a = a,
             .b = b,
             .output = {g, u, v},
             .outputs = 3};
    return run_gcd(&w, options);
}

/* ---- half-gcds ---- */

/* Row i of the matrix as m, and the remainder x, both divided by the leading coefficient of x, or
 * if x = 0 of the row's second polynomial. */
static void make_monic(const gfp_field *field, gfp_piece *x, gfp_piece *m, const uint64_t *inverse)
{
    gfp_piece *const z[] = {x, &m[0], &m[1]};
    for (size_t i = 0; i < 3; i++) {
        gfp_vec_scale(field, z[i]->digits, z[i]->digits, inverse, z[i]->len);
    }
}

static gfp_status compute_row(gfp_reduction *w, gfp_piece *x, gfp_piece *m, unsigned row)
{
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    uint64_t inverse[GFP_MAX_K];
    GFP_TRY(gfp_reduction_cofactors(w, &m[0], &m[1], row));
    if (w->listed) {
        const gfp_bezout claim = {gfp_piece_series(m[0]), w->a, gfp_piece_series(m[1]), w->b,
                                  gfp_piece_series(*x)};
        GFP_TRY(gfp_bezout_check(w->op, &claim));
    }
    const gfp_piece *scale = x->len > 0 ? x : &m[1];
    if (scale->len == 0) {
        return gfp_operation_wrong(w->op, GFP_NO_INDEX);
    }
    GFP_TRY(gfp_elem_inv(field, inverse, scale->digits + (scale->len - 1) * k));
    make_monic(field, x, m, inverse);
    return GFP_OK;
}

/* Outputs: the matrix, then the remainders. */
static gfp_status reduce_half(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    gfp_reduction reduction = {.kept = true, .listed = op->options->verify != GFP_VERIFY_NONE};
    for (size_t i = 0; i < 6; i++) {
        GFP_TRY(gfp_piece_make(op, &z[i], gfp_size_add_sat(w->a->len, 1)));
    }
    GFP_TRY(gfp_reduction_begin(op, &reduction, series_of(w->a), series_of(w->b)));
    GFP_TRY(gfp_reduce(&reduction, w->bound));
    if (reduction.listed) {
        GFP_TRY(gfp_reduction_check(&reduction));
    }
    gfp_piece_copy(op->field, &z[4], gfp_piece_series(reduction.x));
    gfp_piece_copy(op->field, &z[5], gfp_piece_series(reduction.y));
    GFP_TRY(compute_row(&reduction, &z[4], &z[0], 0));
    return compute_row(&reduction, &z[5], &z[2], 1);
}

static gfp_status compare_half(gfp_operation_call *op, const gfp_piece *z, const job *w)
{
    gfp_operation_call again;
    gfp_options options;
    gfp_piece other[MOST_OUTPUTS];
    bool good = true;
    GFP_TRY(gfp_operation_begin_again(&again, &options, op, w->a->len, w->units));
    const gfp_status status = reduce_half(&again, other, w);
    for (size_t i = 0; i < 6 && status == GFP_OK; i++) {
        good = good && z[i].len == other[i].len &&
               gfp_vec_equal(op->field, z[i].digits, other[i].digits, z[i].len);
    }
    GFP_TRY(gfp_operation_end_again(&again, op, status));
    return good ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status compute_half(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    GFP_TRY(reduce_half(op, z, w));
    return gfp_check_by_method(op, w->a->len + w->b->len + 1) ? compare_half(op, z, w) : GFP_OK;
}

gfp_status gfp_poly_hgcd(gfp_poly *const M[4], gfp_poly *c, gfp_poly *d, const gfp_poly *a,
                         const gfp_poly *b, size_t bound, const gfp_options *options)
{
    static const char name[] = "half-gcd";
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (M == NULL) {
        return gcd_calls_complain(options, GFP_ERR_ARGUMENT, name, "no matrix");
    }
    job w = {.name = name,
             .compute = compute_half,
             .claims = 3,
             .a = a,
             .b = b,
             .output = {M[0], M[1], M[2], M[3], c, d},
             .outputs = 6,
             .bound = bound};
    GFP_TRY(check_arguments(&w, options));
    if (bound == 0 || a->len <= bound || a->len <= b->len) {
        return gcd_calls_complain(
            options, GFP_ERR_ARGUMENT, name,
            "the degree of the first polynomial is not above that of the second one, "
            "or below the bound, or the bound is 0");
    }
    w.units = gfp_reduce_units(a->len, bound);
    return gcd_calls_run(&w, options);
}

/* ---- resultants ---- */

/* Powers of X are taken out: Res(a, X) = (-1)^deg(a) a(0), Res(X, b) = b(0). */
static gfp_status compute_resultant(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    const gfp_field *field = op->field;
    const gfp_series a = series_of(w->a), b = series_of(w->b);
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
    gfp_elem_copy(field, value, low_a > 0 ? b.digits : a.digits);
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
    job w = {.name = "resultant",
             .compute = compute_resultant,
             .claims = 1,
             .a = a,
             .b = b,
             .r = r,
             .elements = 1};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    if (r == NULL) {
        return gcd_calls_complain(options, GFP_ERR_ARGUMENT, w.name, "no place for the result");
    }
    w.units = gfp_gcd_units(a->len, b->len, false);
    return gcd_calls_run(&w, options);
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

static gfp_status compute_discriminant(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = w->a->len - 1;
    uint64_t *derivative;
    GFP_TRY(gfp_piece_make(op, &z[0], 1));
    GFP_TRY(gfp_operation_array(op, &derivative, n));
    GFP_TRY(gfp_series_times_index(op, derivative, w->a->digits + k, 1, n));
    const size_t len = gfp_series_trim(field, derivative, n);
    GFP_TRY(gfp_resultant(op, z[0].digits, series_of(w->a), (gfp_series){derivative, len}));
    return len == 0 ? GFP_OK
                    : normalise_discriminant(field, z[0].digits, w->a->digits + n * k, n, len - 1);
}

gfp_status gfp_poly_discriminant(uint64_t *r, const gfp_poly *f, const gfp_options *options)
{
    job w = {.name = "discriminant",
             .compute = compute_discriminant,
             .claims = 1,
             .a = f,
             .b = f,
             .r = r,
             .elements = 1};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    if (r == NULL) {
        return gcd_calls_complain(options, GFP_ERR_ARGUMENT, w.name, "no place for the result");
    }
    if (f->len <= 1) {
        w.compute = compute_resultant; /* 0 where f is 0 */
        gfp_poly none;
        gfp_poly_init(&none, f->field);
        w.b = &none;
        return gcd_calls_run(&w, options);
    }
    w.units = gfp_gcd_units(f->len, f->len, false);
    return gcd_calls_run(&w, options);
}

/* ---- subresultants ---- */

static gfp_status compute_subresultant(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    return gfp_subresultant(op, &z[0], series_of(w->a), series_of(w->b), w->bound);
}

gfp_status gfp_poly_subresultant(gfp_poly *s, const gfp_poly *a, const gfp_poly *b, size_t j,
                                 const gfp_options *options)
{
    job w = {.name = "subresultant",
             .compute = compute_subresultant,
             .claims = 1,
             .a = a,
             .b = b,
             .output = {s},
             .outputs = 1,
             .bound = j};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    const size_t longer = a->len > b->len ? a->len : b->len;
    if (a->len == 0 || b->len == 0) {
        w.bound = 0; /* the result is 0 */
    } else if (j >= gfp_size_min(a->len, b->len) || j + 1 >= longer) {
        return gcd_calls_complain(
            options, GFP_ERR_ARGUMENT, w.name,
            "the index is above the lower degree, or not below the higher one");
    }
    w.units = gfp_reduce_units(longer, w.bound);
    return gcd_calls_run(&w, options);
}

static gfp_status compute_principal(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    GFP_TRY(gfp_piece_make(op, &z[0], w->elements));
    return gfp_principal_subresultants(op, z[0].digits, series_of(w->a), series_of(w->b));
}

gfp_status gfp_poly_principal_subresultants(uint64_t *c, const gfp_poly *a, const gfp_poly *b,
                                            const gfp_options *options)
{
    job w = {.name = "principal subresultant coefficients",
             .compute = compute_principal,
             .claims = 1,
             .a = a,
             .b = b,
             .r = c};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    const size_t len = gfp_size_min(a->len, b->len);
    w.elements = len > 0 ? len - 1 : 0;
    if (c == NULL && w.elements > 0) {
        return gcd_calls_complain(options, GFP_ERR_ARGUMENT, w.name, "no place for the result");
    }
    w.units = gfp_gcd_units(a->len, b->len, false);
    return gcd_calls_run(&w, options);
}

/* ---- fractions and recurrences ---- */

static gfp_status no_fraction(const gfp_operation_call *op, const char *what)
{
    return gfp_error_set(op->options->error, GFP_ERR_NOT_INVERTIBLE, "%s: %s", op->name, what);
}

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

static gfp_status compute_fraction(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    gfp_series f = series_of(w->a);
    GFP_TRY(gcd_calls_reduced(op, &f, series_of(w->b)));
    GFP_TRY(gfp_fraction(op, &z[0], &z[1], f, series_of(w->b), w->max_num));
    return z[1].len - 1 <= w->max_den ? GFP_OK
                                      : no_fraction(op, "no fraction of these degrees exists");
}

gfp_status gfp_poly_reconstruct(gfp_poly *num, gfp_poly *den, const gfp_poly *f, const gfp_poly *m,
                                size_t max_num, size_t max_den, const gfp_options *options)
{
    job w = {.name = "rational reconstruction",
             .compute = compute_fraction,
             .claims = 3,
             .a = f,
             .b = m,
             .output = {num, den},
             .outputs = 2,
             .max_num = max_num,
             .max_den = max_den};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    if (m->len <= 1) {
        return gcd_calls_complain(options, GFP_ERR_NOT_INVERTIBLE, w.name,
                                  "the modulus is constant");
    }
    w.units = gfp_reduce_units(m->len, max_num) + 16 * (double)m->len;
    return gcd_calls_run(&w, options);
}

static gfp_status compute_pade(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = w->max_num + w->max_den + 1;
    uint64_t *power, c[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &power, gfp_size_add_sat(n, 1)));
    gfp_vec_zero(field, power, n);
    gfp_elem_one(field, power + n * k);
    GFP_TRY(gfp_fraction(op, &z[0], &z[1], (gfp_series){w->a->digits, gfp_size_min(w->a->len, n)},
                         (gfp_series){power, n + 1}, w->max_num));
    if (gfp_elem_is_zero(field, z[1].digits)) {
        return no_fraction(op, "the approximant of these degrees does not exist");
    }
    GFP_TRY(gfp_elem_inv(field, c, z[1].digits));
    gfp_vec_scale(field, z[0].digits, z[0].digits, c, z[0].len);
    gfp_vec_scale(field, z[1].digits, z[1].digits, c, z[1].len);
    return GFP_OK;
}

gfp_status gfp_poly_pade(gfp_poly *num, gfp_poly *den, const gfp_poly *f, size_t max_num,
                         size_t max_den, const gfp_options *options)
{
    job w = {.name = "Pade approximant",
             .compute = compute_pade,
             .claims = 2,
             .a = f,
             .b = f,
             .output = {num, den},
             .outputs = 2,
             .max_num = max_num,
             .max_den = max_den};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    if (gfp_size_add_sat(max_num, max_den) > SIZE_MAX / 4) {
        return gcd_calls_complain(options, GFP_ERR_SIZE, w.name, "the degrees are too large");
    }
    w.units = gfp_reduce_units(max_num + max_den, max_num) + 16 * (double)(max_num + max_den);
    return gcd_calls_run(&w, options);
}

static gfp_status compute_minpoly(gfp_operation_call *op, gfp_piece *z, const job *w)
{
    if (w->length == 0) {
        GFP_TRY(gfp_piece_make(op, &z[0], 1));
        gfp_elem_one(op->field, z[0].digits);
        z[0].len = 1;
        return GFP_OK;
    }
    return gfp_minimal_polynomial(op, &z[0], w->sequence, w->length);
}

gfp_status gfp_poly_minpoly(gfp_poly *f, const uint64_t *s, size_t n, const gfp_options *options)
{
    job w = {.name = "minimal polynomial of a sequence",
             .compute = compute_minpoly,
             .claims = 2,
             .a = f,
             .b = f,
             .output = {f},
             .outputs = 1};
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(&w, options));
    if (s == NULL && n > 0) {
        return gcd_calls_complain(options, GFP_ERR_ARGUMENT, w.name, "no sequence");
    }
    if (n > SIZE_MAX / 16) {
        return gcd_calls_complain(options, GFP_ERR_SIZE, w.name, "the sequence is too long");
    }
    w.sequence = s;
    w.length = n;
    w.units = gfp_reduce_units(n, n / 2) + 16 * (double)n;
    return gcd_calls_run(&w, options);
}
