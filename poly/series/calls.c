/* calls.c: the public calls on series: arguments, the operation around the computation, its
 * check, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/series.h"

#include "poly/impl.h"
#include "poly/series/impl.h"
#include "field/base/support.h"
#include "poly/terms.h"

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
static gfp_status series_calls_prepare(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
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

/* ---- the course of a call ---- */

typedef struct job job;

/* z := the result; and whether z is right, where that is asked for. */
typedef gfp_status compute(gfp_operation_call *op, uint64_t *z, const job *w);
typedef gfp_status check(gfp_operation_call *op, const uint64_t *z, const job *w);

struct job {
    const char *name;
    compute *compute;
    check *check; /* NULL: compute has done that, or there is no check */
    double units;
    unsigned claims;
    size_t n;
    bool of_powers;    /* the function of f(X^d) and a(X^d) is that of f and a at X^d */
    bool inverses;     /* and needs those of 1, ..., n - 1 */
    gfp_series f, a;   /* a: of a quotient, the dividend */
    gfp_power power;   /* of a power */
    const uint64_t *c; /* of a Taylor shift */
};

static gfp_status check_result(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    if (w->check == NULL || op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_status status = w->check(op, z, w);
    op->report.verify_ns = gfp_clock_ns() - start;
    return status;
}

static void plan_power(job *w, const gfp_field *field)
{
    const gfp_power power = w->power;
    gfp_power_plan(&w->power, field, w->n, w->f, power.exponent, power.limbs);
}

/* The series in X^d, d >= 1, that w is about; *part := w for them. Where the characteristic
 * is too small for n, w is refused as it is. */
static gfp_status take_step(gfp_operation_call *op, size_t *d, job *part, const job *w)
{
    const gfp_field *field = op->field;
    *part = *w;
    *d = 1;
    if (!w->of_powers || (w->inverses && !gfp_series_has_inverses(field, w->n))) {
        return GFP_OK;
    }
    part->f.len = gfp_size_min(w->f.len, w->n);
    part->a.len = gfp_size_min(w->a.len, w->n);
    *d = gfp_terms_step(field, part->a, gfp_terms_step(field, part->f, 0));
    *d = *d == 0 ? w->n : *d;
    if (*d > 1) {
        GFP_TRY(gfp_terms_compress(op, &part->f, part->f, *d));
        GFP_TRY(gfp_terms_compress(op, &part->a, part->a, *d));
        part->n = (w->n - 1) / *d + 1;
        plan_power(part, field);
    }
    return GFP_OK;
}

static gfp_status compute_result(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *result;
    job part;
    size_t d;
    GFP_TRY(gfp_operation_array(op, &result, w->n));
    GFP_TRY(take_step(op, &d, &part, w));
    GFP_TRY(part.compute(op, result, &part));
    GFP_TRY(check_result(op, result, &part));
    gfp_terms_spread(op->field, result, w->n, d);
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
    return gfp_operation_end(&op, w->n == 0 ? GFP_OK : compute_result(&op, z, w));
}

/* z := the result, for which it has room. */
static gfp_status run_poly(gfp_poly *z, const job *w, const gfp_options *options)
{
    GFP_TRY(series_calls_run(z->field, z->digits, w, options));
    gfp_poly_normalise(z, w->n);
    return GFP_OK;
}

/* ---- inputs at fault ---- */

static gfp_status series_calls_refuse(const gfp_operation_call *op, gfp_status status,
                                      const char *why)
{
    gfp_error *error = op->options->error;
    gfp_error_fill(error, status, "%s: %s", op->name, why);
    if (error != NULL) {
        error->index = 0;
    }
    return status;
}

static bool starts_with_zero(const gfp_operation_call *op, gfp_series f)
{
    return f.len == 0 || gfp_elem_is_zero(op->field, f.digits);
}

static gfp_status expect_unit(const gfp_operation_call *op, gfp_series f)
{
    return starts_with_zero(op, f) ? series_calls_refuse(op, GFP_ERR_NOT_INVERTIBLE,
                                                         "the constant term of the divisor is 0")
                                   : GFP_OK;
}

static gfp_status expect_one(const gfp_operation_call *op, gfp_series f)
{
    return f.len > 0 && gfp_elem_is_one(op->field, f.digits)
               ? GFP_OK
               : series_calls_refuse(op, GFP_ERR_ARGUMENT, "the constant term is not 1");
}

static gfp_status expect_zero(const gfp_operation_call *op, gfp_series f)
{
    return starts_with_zero(op, f)
               ? GFP_OK
               : series_calls_refuse(op, GFP_ERR_ARGUMENT, "the constant term is not 0");
}

static gfp_status expect_characteristic(const gfp_operation_call *op, size_t n)
{
    return gfp_series_has_inverses(op->field, n)
               ? GFP_OK
               : gfp_error_set(op->options->error, GFP_ERR_UNAVAILABLE,
                               "%s: %zu terms need a characteristic of at least %zu", op->name, n,
                               n);
}

/* ---- inverse and quotient ---- */

/* Checks a b = c modulo X^n. */
static gfp_status check_product(gfp_operation_call *op, size_t n, gfp_series a, gfp_series b,
                                gfp_series c)
{
    const gfp_operation_claim claim = {.c = c.digits,
                                       .a = a.digits,
                                       .b = b.digits,
                                       .len_c = gfp_size_min(c.len, n),
                                       .len_a = a.len,
                                       .len_b = b.len,
                                       .end = n};
    return gfp_operation_check_product(op, &claim);
}

/* Checks a b = 1 modulo X^n. */
static gfp_status check_inverse(gfp_operation_call *op, size_t n, gfp_series a, gfp_series b)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(op->field, one);
    return check_product(op, n, a, b, (gfp_series){one, 1});
}

static gfp_status compute_inv(gfp_operation_call *op, uint64_t *z, const job *w)
{
    GFP_TRY(expect_unit(op, w->f));
    return gfp_series_invert(op, z, w->n, w->f);
}

static gfp_status check_inv(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return check_inverse(op, w->n, (gfp_series){z, w->n}, w->f);
}

static job inv_job(size_t n, gfp_series f)
{
    return (job){.name = "inverse of a series",
                 .of_powers = true,
                 .compute = compute_inv,
                 .check = check_inv,
                 .units = gfp_series_invert_units(n),
                 .claims = 1,
                 .n = n,
                 .f = f};
}

static gfp_status compute_div(gfp_operation_call *op, uint64_t *z, const job *w)
{
    GFP_TRY(expect_unit(op, w->f));
    return gfp_series_divide(op, z, w->n, w->a, w->f);
}

static gfp_status check_div(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return check_product(op, w->n, (gfp_series){z, w->n}, w->f, w->a);
}

static job div_job(size_t n, gfp_series a, gfp_series b)
{
    return (job){.name = "quotient of series",
                 .of_powers = true,
                 .compute = compute_div,
                 .check = check_div,
                 .units = gfp_series_divide_units(n),
                 .claims = 1,
                 .n = n,
                 .f = b,
                 .a = a};
}

/* ---- roots ---- */

static gfp_status compute_sqrt(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *g;
    GFP_TRY(expect_one(op, w->f));
    GFP_TRY(gfp_operation_array(op, &g, w->n));
    return gfp_series_root(op, z, g, w->n, w->f, false);
}

static gfp_status check_root(gfp_operation_call *op, const uint64_t *s, const job *w)
{
    const gfp_series root = {s, w->n};
    return gfp_elem_is_one(op->field, s) ? check_product(op, w->n, root, root, w->f)
                                         : gfp_operation_wrong(op, 0);
}

static job sqrt_job(size_t n, gfp_series f)
{
    return (job){.name = "square root of a series",
                 .of_powers = true,
                 .compute = compute_sqrt,
                 .check = check_root,
                 .units = gfp_series_root_units(n),
                 .claims = 1,
                 .n = n,
                 .f = f};
}

/* The root, too, is checked here. */
static gfp_status compute_invsqrt(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *s;
    GFP_TRY(expect_one(op, w->f));
    GFP_TRY(gfp_operation_array(op, &s, w->n));
    GFP_TRY(gfp_series_root(op, s, z, w->n, w->f, true));
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    GFP_TRY(check_root(op, s, w));
    return check_inverse(op, w->n, (gfp_series){z, w->n}, (gfp_series){s, w->n});
}

static job invsqrt_job(size_t n, gfp_series f)
{
    return (job){.name = "inverse square root of a series",
                 .of_powers = true,
                 .compute = compute_invsqrt,
                 .units = gfp_series_root_units(n) + gfp_series_invert_units(n) / 2,
                 .claims = 2,
                 .n = n,
                 .f = f};
}

/* ---- logarithm, exponential, powers ---- */

static gfp_status make_inverses(gfp_operation_call *op, uint64_t **inverse, size_t n)
{
    GFP_TRY(expect_characteristic(op, n));
    GFP_TRY(gfp_operation_array(op, inverse, n));
    return gfp_series_inverses(op, *inverse, n);
}

static gfp_status compute_log(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *inverse;
    GFP_TRY(expect_one(op, w->f));
    GFP_TRY(make_inverses(op, &inverse, w->n));
    return gfp_series_log(op, z, w->n, w->f, inverse);
}

static gfp_status check_log(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return gfp_elem_is_zero(op->field, z) ? gfp_series_check_log(op, z, w->n, w->f)
                                          : gfp_operation_wrong(op, 0);
}

static job log_job(size_t n, gfp_series f)
{
    return (job){.name = "logarithm of a series",
                 .of_powers = true,
                 .inverses = true,
                 .compute = compute_log,
                 .check = check_log,
                 .units = gfp_series_inverses_units(n) + gfp_series_log_units(n),
                 .claims = 1,
                 .n = n,
                 .f = f};
}

static gfp_status compute_exp(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *inverse;
    GFP_TRY(expect_zero(op, w->f));
    GFP_TRY(make_inverses(op, &inverse, w->n));
    return gfp_series_exp(op, z, w->n, w->f, inverse);
}

static gfp_status check_exp(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return gfp_elem_is_one(op->field, z) ? gfp_series_check_exp(op, z, w->n, w->f)
                                         : gfp_operation_wrong(op, 0);
}

static job exp_job(size_t n, gfp_series f)
{
    return (job){.name = "exponential of a series",
                 .of_powers = true,
                 .inverses = true,
                 .compute = compute_exp,
                 .check = check_exp,
                 .units = gfp_series_inverses_units(n) + gfp_series_exp_units(n),
                 .claims = 1,
                 .n = n,
                 .f = f};
}

static gfp_status compute_pow(gfp_operation_call *op, uint64_t *z, const job *w)
{
    return gfp_power_run(op, z, &w->power);
}

static job pow_job(const gfp_field *field, size_t n, gfp_series f, const uint64_t *exponent,
                   size_t limbs)
{
    job w = {
        .name = "power of a series", .of_powers = true, .compute = compute_pow, .n = n, .f = f};
    gfp_power_plan(&w.power, field, n, f, exponent, limbs);
    w.units = gfp_power_units(&w.power);
    w.claims = gfp_power_claims(&w.power);
    return w;
}

/* ---- derivative, integral, shift ---- */

static gfp_status compute_derivative(gfp_operation_call *op, uint64_t *z, const job *w)
{
    return gfp_series_times_index(op, z, w->f.digits + gfp_field_k(op->field), 1, w->n);
}

static gfp_status compute_integral(gfp_operation_call *op, uint64_t *z, const job *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *inverse;
    if (!gfp_series_has_inverses(field, w->n)) {
        const uint64_t p = gfp_field_modulus_limbs(field)[0];
        return gfp_error_set_at(op->options->error, GFP_ERR_NOT_INVERTIBLE, p - 1,
                                "%s: coefficient %zu would be divided by the characteristic",
                                op->name, (size_t)p - 1);
    }
    GFP_TRY(make_inverses(op, &inverse, w->n));
    gfp_elem_zero(field, z);
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)w->n, (double)w->n,
                               gfp_task_product_cost(field)));
    return gfp_task_vec_mul(&op->task, field, z + k, w->f.digits, inverse + k, w->n - 1)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static gfp_status compute_shift(gfp_operation_call *op, uint64_t *z, const job *w)
{
    GFP_TRY(expect_characteristic(op, w->n));
    return gfp_taylor_shift(op, z, w->f.digits, w->n, w->c);
}

static gfp_status check_shift(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return gfp_taylor_check(op, z, w->f.digits, w->n, w->c);
}

static job shift_job(gfp_series a, const uint64_t *c)
{
    return (job){.name = "Taylor shift",
                 .compute = compute_shift,
                 .check = check_shift,
                 .units = gfp_taylor_units(a.len),
                 .claims = 1,
                 .n = a.len,
                 .f = a,
                 .c = c};
}

/* ---- arrays ---- */

typedef job make_job(size_t n, gfp_series f);

/* A function of one series. */
static gfp_status run_vec(make_job *make, const gfp_field *field, uint64_t *z, size_t n,
                          const uint64_t *f, size_t len_f, const gfp_options *options)
{
    GFP_TRY(check_vector(field, z, n, options));
    GFP_TRY(check_vector(field, f, len_f, options));
    const job w = make(n, (gfp_series){f, len_f});
    return series_calls_run(field, z, &w, options);
}

gfp_status gfp_vec_inv_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const gfp_options *options)
{
    return run_vec(inv_job, field, g, n, f, len_f, options);
}

gfp_status gfp_vec_sqrt_series(const gfp_field *field, uint64_t *s, size_t n, const uint64_t *f,
                               size_t len_f, const gfp_options *options)
{
    return run_vec(sqrt_job, field, s, n, f, len_f, options);
}

gfp_status gfp_vec_invsqrt_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                                  size_t len_f, const gfp_options *options)
{
    return run_vec(invsqrt_job, field, g, n, f, len_f, options);
}

gfp_status gfp_vec_log_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const gfp_options *options)
{
    return run_vec(log_job, field, g, n, f, len_f, options);
}

gfp_status gfp_vec_exp_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const gfp_options *options)
{
    return run_vec(exp_job, field, g, n, f, len_f, options);
}

gfp_status gfp_vec_div_series(const gfp_field *field, uint64_t *q, size_t n, const uint64_t *a,
                              size_t len_a, const uint64_t *b, size_t len_b,
                              const gfp_options *options)
{
    GFP_TRY(check_vector(field, q, n, options));
    GFP_TRY(check_vector(field, a, len_a, options));
    GFP_TRY(check_vector(field, b, len_b, options));
    const job w = div_job(n, (gfp_series){a, len_a}, (gfp_series){b, len_b});
    return series_calls_run(field, q, &w, options);
}

gfp_status gfp_vec_pow_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const uint64_t *exponent, size_t n_limbs,
                              const gfp_options *options)
{
    GFP_TRY(check_vector(field, g, n, options));
    GFP_TRY(check_vector(field, f, len_f, options));
    GFP_TRY(check_vector(field, exponent, n_limbs, options));
    const job w = pow_job(field, n, (gfp_series){f, len_f}, exponent, n_limbs);
    return series_calls_run(field, g, &w, options);
}

gfp_status gfp_vec_taylor_shift(const gfp_field *field, uint64_t *b, const uint64_t *a, size_t n,
                                const uint64_t *c, const gfp_options *options)
{
    GFP_TRY(check_vector(field, b, n, options));
    GFP_TRY(check_vector(field, a, n, options));
    GFP_TRY(check_vector(field, c, 1, options));
    const job w = shift_job((gfp_series){a, n}, c);
    return series_calls_run(field, b, &w, options);
}

/* ---- polynomials ---- */

/* A function of one series. */
static gfp_status run_poly_1(make_job *make, gfp_poly *z, const gfp_poly *f, size_t n,
                             const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(z, f, f, n, options));
    const job w = make(n, series_of(f));
    return run_poly(z, &w, options);
}

gfp_status gfp_poly_inv_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly_1(inv_job, g, f, n, options);
}

gfp_status gfp_poly_sqrt_series(gfp_poly *s, const gfp_poly *f, size_t n,
                                const gfp_options *options)
{
    return run_poly_1(sqrt_job, s, f, n, options);
}

gfp_status gfp_poly_invsqrt_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                   const gfp_options *options)
{
    return run_poly_1(invsqrt_job, g, f, n, options);
}

gfp_status gfp_poly_log_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly_1(log_job, g, f, n, options);
}

gfp_status gfp_poly_exp_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly_1(exp_job, g, f, n, options);
}

gfp_status gfp_poly_div_series(gfp_poly *q, const gfp_poly *a, const gfp_poly *b, size_t n,
                               const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(q, a, b, n, options));
    const job w = div_job(n, series_of(a), series_of(b));
    return run_poly(q, &w, options);
}

gfp_status gfp_poly_pow_series(gfp_poly *g, const gfp_poly *f, const uint64_t *exponent,
                               size_t n_limbs, size_t n, const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(g, f, f, n, options));
    GFP_TRY(check_vector(g->field, exponent, n_limbs, options));
    const job w = pow_job(g->field, n, series_of(f), exponent, n_limbs);
    return run_poly(g, &w, options);
}

gfp_status gfp_poly_derivative(gfp_poly *b, const gfp_poly *a, const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(b, a, a, 0, options));
    const size_t n = a->len == 0 ? 0 : a->len - 1;
    GFP_TRY(series_calls_prepare(b, a, a, n, options));
    const job w = {.name = "derivative",
                   .compute = compute_derivative,
                   .units = GFP_OPERATION_ELEMENT_UNITS * (double)n,
                   .claims = 1,
                   .n = n,
                   .f = series_of(a)};
    return run_poly(b, &w, options);
}

gfp_status gfp_poly_integral(gfp_poly *b, const gfp_poly *a, const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(b, a, a, 0, options));
    const size_t n = a->len == 0 ? 0 : a->len + 1;
    GFP_TRY(series_calls_prepare(b, a, a, n, options));
    const job w = {.name = "integral",
                   .compute = compute_integral,
                   .units = gfp_series_inverses_units(n) + GFP_OPERATION_ELEMENT_UNITS * (double)n,
                   .claims = 1,
                   .n = n,
                   .f = series_of(a)};
    return run_poly(b, &w, options);
}

gfp_status gfp_poly_taylor_shift(gfp_poly *b, const gfp_poly *a, const uint64_t *c,
                                 const gfp_options *options)
{
    GFP_TRY(series_calls_prepare(b, a, a, 0, options));
    GFP_TRY(series_calls_prepare(b, a, a, a->len, options));
    GFP_TRY(check_vector(b->field, c, 1, options));
    const job w = shift_job(series_of(a), c);
    return run_poly(b, &w, options);
}
