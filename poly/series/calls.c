/* calls.c: the public calls on series: a table of functions, and their forms for arrays and
 * polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/series.h"

#include "poly/call.h"
#include "poly/series/impl.h"
#include "field/base/support.h"
#include "poly/terms.h"

/* ---- the course of a call ---- */

typedef struct job job;

/* z := the result; and whether z is right, where that is asked for. */
typedef gfp_status compute(gfp_operation_call *op, uint64_t *z, const job *w);
typedef gfp_status check(gfp_operation_call *op, const uint64_t *z, const job *w);

/* A function of series. */
typedef struct function {
    const char *name;
    compute *compute;
    check *check;            /* NULL: compute has done that, or there is no check */
    double (*units)(size_t); /* of a result of n terms; NULL: the plan sets them */
    unsigned claims;
    bool of_powers; /* the function of f(X^d) and a(X^d) is that of f and a at X^d */
    bool inverses;  /* and needs those of 1, ..., n - 1 */
    bool cheap;     /* the check, at any length: gfp_poly_call.length */
} function;

struct job {
    gfp_poly_call call;
    const function *of_series;
    size_t n;
    gfp_series f, a;   /* a: of a quotient, the dividend */
    gfp_power power;   /* of a power */
    const uint64_t *c; /* of a Taylor shift */
};

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
    if (!w->of_series->of_powers ||
        (w->of_series->inverses && !gfp_series_has_inverses(field, w->n))) {
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

static gfp_status series_calls_compute(gfp_operation_call *op, gfp_piece *z,
                                       const gfp_poly_call *call)
{
    const job *w = (const job *)call;
    const function *f = w->of_series;
    uint64_t *result;
    job part;
    size_t d;
    GFP_TRY(gfp_operation_array(op, &result, w->n));
    GFP_TRY(take_step(op, &d, &part, w));
    GFP_TRY(f->compute(op, result, &part));
    if (f->check != NULL && op->base.options->verify != GFP_VERIFY_NONE) {
        gfp_call_checks(&op->base);
        GFP_TRY(f->check(op, result, &part));
        gfp_call_checked(&op->base);
    }
    gfp_terms_spread(op->field, result, w->n, d);
    z[0] = (gfp_piece){result, w->n};
    return GFP_OK;
}

static gfp_status series_calls_plan(gfp_operation_call *op, gfp_poly_call *call)
{
    job *w = (job *)call;
    if (call->inputs > 0) {
        w->f = gfp_poly_series(call->input[0]);
    }
    if (call->inputs > 1) {
        w->a = gfp_poly_series(call->input[1]);
    }
    if (w->n > SIZE_MAX / 64) {
        return gfp_error_set(&op->base.error, GFP_ERR_SIZE,
                             "%s: no room for a series of %zu coefficients", call->name, w->n);
    }
    call->n = w->n;
    call->length = w->of_series->cheap ? w->n : 0;
    call->trivial = w->n == 0;
    call->claims = w->of_series->claims;
    if (w->of_series->units == NULL) { /* a power */
        plan_power(w, op->field);
        call->units = gfp_power_units(&w->power);
        call->claims = gfp_power_claims(&w->power);
    } else {
        call->units = w->of_series->units(w->n);
    }
    return GFP_OK;
}

static gfp_status series_calls_run(const function *f, job *w, const gfp_options *options)
{
    w->of_series = f;
    w->call.name = f->name;
    w->call.plan = w->call.plan != NULL ? w->call.plan : series_calls_plan;
    w->call.compute = series_calls_compute;
    return gfp_poly_call_run(&w->call, options);
}

/* ---- inputs at fault ---- */

static gfp_status series_calls_refuse(gfp_operation_call *op, gfp_status status, const char *why)
{
    return gfp_error_set_at(&op->base.error, status, 0, "%s: %s", op->base.name, why);
}

static bool starts_with_zero(const gfp_operation_call *op, gfp_series f)
{
    return f.len == 0 || gfp_elem_is_zero(op->field, f.digits);
}

static gfp_status expect_unit(gfp_operation_call *op, gfp_series f)
{
    return starts_with_zero(op, f) ? series_calls_refuse(op, GFP_ERR_NOT_INVERTIBLE,
                                                         "the constant term of the divisor is 0")
                                   : GFP_OK;
}

static gfp_status expect_one(gfp_operation_call *op, gfp_series f)
{
    return f.len > 0 && gfp_elem_is_one(op->field, f.digits)
               ? GFP_OK
               : series_calls_refuse(op, GFP_ERR_ARGUMENT, "the constant term is not 1");
}

static gfp_status expect_zero(gfp_operation_call *op, gfp_series f)
{
    return starts_with_zero(op, f)
               ? GFP_OK
               : series_calls_refuse(op, GFP_ERR_ARGUMENT, "the constant term is not 0");
}

static gfp_status expect_characteristic(gfp_operation_call *op, size_t n)
{
    return gfp_series_has_inverses(op->field, n)
               ? GFP_OK
               : gfp_error_set(&op->base.error, GFP_ERR_UNAVAILABLE,
                               "%s: %zu terms need a characteristic of at least %zu", op->base.name,
                               n, n);
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

static const function series_inverse = {
    .name = "inverse of a series",
    .compute = compute_inv,
    .check = check_inv,
    .units = gfp_series_invert_units,
    .claims = 1,
    .of_powers = true,
    .cheap = true,
};

static gfp_status compute_div(gfp_operation_call *op, uint64_t *z, const job *w)
{
    GFP_TRY(expect_unit(op, w->f));
    return gfp_series_divide(op, z, w->n, w->a, w->f);
}

static gfp_status check_div(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return check_product(op, w->n, (gfp_series){z, w->n}, w->f, w->a);
}

static const function series_quotient = {
    .name = "quotient of series",
    .compute = compute_div,
    .check = check_div,
    .units = gfp_series_divide_units,
    .claims = 1,
    .of_powers = true,
};

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

static const function series_square_root = {
    .name = "square root of a series",
    .compute = compute_sqrt,
    .check = check_root,
    .units = gfp_series_root_units,
    .claims = 1,
    .of_powers = true,
};

/* The root, too, is checked here. */
static gfp_status compute_invsqrt(gfp_operation_call *op, uint64_t *z, const job *w)
{
    uint64_t *s;
    GFP_TRY(expect_one(op, w->f));
    GFP_TRY(gfp_operation_array(op, &s, w->n));
    GFP_TRY(gfp_series_root(op, s, z, w->n, w->f, true));
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    GFP_TRY(check_root(op, s, w));
    return check_inverse(op, w->n, (gfp_series){z, w->n}, (gfp_series){s, w->n});
}

static double invsqrt_units(size_t n)
{
    return gfp_series_root_units(n) + gfp_series_invert_units(n) / 2;
}

static const function series_inverse_square_root = {
    .name = "inverse square root of a series",
    .compute = compute_invsqrt,
    .units = invsqrt_units,
    .claims = 2,
    .of_powers = true,
};

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

static double log_units(size_t n)
{
    return gfp_series_inverses_units(n) + gfp_series_log_units(n);
}

static const function series_logarithm = {
    .name = "logarithm of a series",
    .compute = compute_log,
    .check = check_log,
    .units = log_units,
    .claims = 1,
    .of_powers = true,
    .inverses = true,
};

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

static double exp_units(size_t n)
{
    return gfp_series_inverses_units(n) + gfp_series_exp_units(n);
}

static const function series_exponential = {
    .name = "exponential of a series",
    .compute = compute_exp,
    .check = check_exp,
    .units = exp_units,
    .claims = 1,
    .of_powers = true,
    .inverses = true,
    .cheap = true,
};

static gfp_status compute_pow(gfp_operation_call *op, uint64_t *z, const job *w)
{
    return gfp_power_run(op, z, &w->power);
}

static const function series_power = {
    .name = "power of a series",
    .compute = compute_pow,
    .claims = 1,
    .of_powers = true,
};

/* ---- derivative, integral, shift ---- */

static gfp_status compute_derivative(gfp_operation_call *op, uint64_t *z, const job *w)
{
    return gfp_series_times_index(op, z, w->f.digits + gfp_field_k(op->field), 1, w->n);
}

static double derivative_units(size_t n)
{
    return GFP_OPERATION_ELEMENT_UNITS * (double)n;
}

static const function series_derivative = {
    .name = "derivative",
    .compute = compute_derivative,
    .units = derivative_units,
    .claims = 1,
};

static gfp_status compute_integral(gfp_operation_call *op, uint64_t *z, const job *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *inverse;
    if (!gfp_series_has_inverses(field, w->n)) {
        const uint64_t p = gfp_field_modulus_limbs(field)[0];
        return gfp_error_set_at(&op->base.error, GFP_ERR_NOT_INVERTIBLE, p - 1,
                                "%s: coefficient %zu would be divided by the characteristic",
                                op->base.name, (size_t)p - 1);
    }
    GFP_TRY(make_inverses(op, &inverse, w->n));
    gfp_elem_zero(field, z);
    GFP_TRY(gfp_operation_step(op, GFP_OPERATION_ELEMENT_UNITS * (double)w->n, (double)w->n,
                               gfp_task_product_cost(field)));
    return gfp_task_vec_mul(&op->base.task, field, z + k, w->f.digits, inverse + k, w->n - 1)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static double integral_units(size_t n)
{
    return gfp_series_inverses_units(n) + GFP_OPERATION_ELEMENT_UNITS * (double)n;
}

static const function series_integral = {
    .name = "integral",
    .compute = compute_integral,
    .units = integral_units,
    .claims = 1,
};

static gfp_status compute_shift(gfp_operation_call *op, uint64_t *z, const job *w)
{
    GFP_TRY(expect_characteristic(op, w->n));
    return gfp_taylor_shift(op, z, w->f.digits, w->n, w->c);
}

static gfp_status check_shift(gfp_operation_call *op, const uint64_t *z, const job *w)
{
    return gfp_taylor_check(op, z, w->f.digits, w->n, w->c);
}

static const function series_taylor_shift = {
    .name = "Taylor shift",
    .compute = compute_shift,
    .check = check_shift,
    .units = gfp_taylor_units,
    .claims = 1,
    .cheap = true,
};

/* ---- arrays ---- */

/* z, n elements, := a function of one series. */
static gfp_status run_vec(const function *which, const gfp_field *field, uint64_t *z, size_t n,
                          gfp_series f, const gfp_options *options)
{
    job w = {.call = {.field = field,
                      .array = {{f.digits, f.len, "coefficients"}},
                      .arrays = 1,
                      .values = z},
             .n = n,
             .f = f};
    return series_calls_run(which, &w, options);
}

gfp_status gfp_vec_inv_series(const gfp_field *field, uint64_t *g, size_t n, const uint64_t *f,
                              size_t len_f, const gfp_options *options)
{
    return run_vec(&series_inverse, field, g, n, (gfp_series){f, len_f}, options);
}

gfp_status gfp_vec_div_series(const gfp_field *field, uint64_t *q, size_t n, const uint64_t *a,
                              size_t len_a, const uint64_t *b, size_t len_b,
                              const gfp_options *options)
{
    job w = {.call = {.field = field,
                      .array = {{a, len_a, "coefficients"}, {b, len_b, "coefficients"}},
                      .arrays = 2,
                      .values = q},
             .n = n,
             .f = {b, len_b},
             .a = {a, len_a}};
    return series_calls_run(&series_quotient, &w, options);
}

gfp_status gfp_vec_taylor_shift(const gfp_field *field, uint64_t *b, const uint64_t *a, size_t n,
                                const uint64_t *c, const gfp_options *options)
{
    job w = {.call = {.field = field,
                      .array = {{a, n, "coefficients"}, {c, 1, "shift"}},
                      .arrays = 2,
                      .values = b},
             .n = n,
             .f = {a, n},
             .c = c};
    return series_calls_run(&series_taylor_shift, &w, options);
}

/* ---- polynomials ---- */

/* z := a function of one series, modulo X^n. */
static gfp_status run_poly(const function *which, gfp_poly *z, const gfp_poly *f, size_t n,
                           const gfp_options *options)
{
    job w = {.call = {.input = {f}, .inputs = 1, .output = {z}, .outputs = 1}, .n = n};
    return series_calls_run(which, &w, options);
}

gfp_status gfp_poly_inv_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly(&series_inverse, g, f, n, options);
}

gfp_status gfp_poly_sqrt_series(gfp_poly *s, const gfp_poly *f, size_t n,
                                const gfp_options *options)
{
    return run_poly(&series_square_root, s, f, n, options);
}

gfp_status gfp_poly_invsqrt_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                   const gfp_options *options)
{
    return run_poly(&series_inverse_square_root, g, f, n, options);
}

gfp_status gfp_poly_log_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly(&series_logarithm, g, f, n, options);
}

gfp_status gfp_poly_exp_series(gfp_poly *g, const gfp_poly *f, size_t n, const gfp_options *options)
{
    return run_poly(&series_exponential, g, f, n, options);
}

gfp_status gfp_poly_div_series(gfp_poly *q, const gfp_poly *a, const gfp_poly *b, size_t n,
                               const gfp_options *options)
{
    job w = {.call = {.input = {b, a}, .inputs = 2, .output = {q}, .outputs = 1}, .n = n};
    return series_calls_run(&series_quotient, &w, options);
}

gfp_status gfp_poly_pow_series(gfp_poly *g, const gfp_poly *f, const uint64_t *exponent,
                               size_t n_limbs, size_t n, const gfp_options *options)
{
    job w = {.call = {.input = {f},
                      .inputs = 1,
                      .array = {{exponent, n_limbs, "exponent"}},
                      .arrays = 1,
                      .output = {g},
                      .outputs = 1},
             .n = n,
             .power = {.exponent = exponent, .limbs = n_limbs}};
    return series_calls_run(&series_power, &w, options);
}

/* The result has one term less than a, one more, as many. */
static gfp_status plan_derivative(gfp_operation_call *op, gfp_poly_call *call)
{
    const size_t len = call->input[0]->len;
    ((job *)call)->n = len == 0 ? 0 : len - 1;
    return series_calls_plan(op, call);
}

static gfp_status plan_integral(gfp_operation_call *op, gfp_poly_call *call)
{
    const size_t len = call->input[0]->len;
    ((job *)call)->n = len == 0 ? 0 : len + 1;
    return series_calls_plan(op, call);
}

static gfp_status plan_shift(gfp_operation_call *op, gfp_poly_call *call)
{
    ((job *)call)->n = call->input[0]->len;
    return series_calls_plan(op, call);
}

gfp_status gfp_poly_derivative(gfp_poly *b, const gfp_poly *a, const gfp_options *options)
{
    job w = {
        .call = {.plan = plan_derivative, .input = {a}, .inputs = 1, .output = {b}, .outputs = 1}};
    return series_calls_run(&series_derivative, &w, options);
}

gfp_status gfp_poly_integral(gfp_poly *b, const gfp_poly *a, const gfp_options *options)
{
    job w = {
        .call = {.plan = plan_integral, .input = {a}, .inputs = 1, .output = {b}, .outputs = 1}};
    return series_calls_run(&series_integral, &w, options);
}

gfp_status gfp_poly_taylor_shift(gfp_poly *b, const gfp_poly *a, const uint64_t *c,
                                 const gfp_options *options)
{
    job w = {.call = {.plan = plan_shift,
                      .input = {a},
                      .inputs = 1,
                      .array = {{c, 1, "shift"}},
                      .arrays = 1,
                      .output = {b},
                      .outputs = 1},
             .c = c};
    return series_calls_run(&series_taylor_shift, &w, options);
}
