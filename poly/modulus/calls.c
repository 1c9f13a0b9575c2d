/* calls.c: the public calls modulo f: arguments, the operation around the computation,
 * outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/exponent.h"
#include "poly/euclid/gcd.h"
#include "poly/modulus/multiplier.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* ---- a call ---- */

typedef struct job job;
struct job {
    const char *name;
    /* r, n elements, := the result. */
    gfp_status (*compute)(gfp_operation_call *op, uint64_t *r, const job *w);
    double units;
    unsigned products; /* that are checked, at least 1 */
    const gfp_modulus *M;
    const gfp_poly *a, *b;
    const uint64_t *exponent;
    size_t limbs;
    const gfp_multiplier *B;
};

static const gfp_field *field_of(const gfp_modulus *M)
{
    return M->f.field;
}

static gfp_status modulus_calls_compute(gfp_operation_call *op, gfp_poly *c, const job *w)
{
    const size_t n = w->M->divisor.n;
    uint64_t *r;
    gfp_modulus_name_method(op, w->M);
    GFP_TRY(gfp_operation_array(op, &r, n));
    GFP_TRY(w->compute(op, r, w));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, c->digits, r, n);
    gfp_poly_normalise(c, n);
    return GFP_OK;
}

static gfp_status compute_rem(gfp_operation_call *op, uint64_t *r, const job *w)
{
    return gfp_modulus_reduce(op, w->M, r, (gfp_series){w->a->digits, w->a->len});
}

/* The inputs may be the output: they are looked at after it has room. */
static gfp_status modulus_calls_run(gfp_poly *c, const job *w, const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (w->M == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no modulus", w->name);
    }
    GFP_TRY(gfp_poly_check_operands(c, w->a, w->b, options));
    GFP_TRY(gfp_poly_check_operands(c, w->a, &w->M->f, options));
    if (w->exponent == NULL && w->limbs > 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no exponent", w->name);
    }
    const gfp_status status = gfp_poly_fit_length(c, w->M->divisor.n);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "%s: no room for the result", w->name);
    }
    GFP_TRY(gfp_operation_begin(&op, w->name, field_of(w->M), options,
                                w->units +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->a->len) +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->b->len),
                                w->products));
    return gfp_operation_end(&op, modulus_calls_compute(&op, c, w));
}

/* ---- remainders ---- */

gfp_status gfp_poly_rem_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    return modulus_calls_run(c,
                             &(job){.name = "remainder by a modulus",
                                    .compute = compute_rem,
                                    .products = 1,
                                    .M = M,
                                    .a = a,
                                    .b = a},
                             options);
}

/* ---- products and powers ---- */

static gfp_status compute_mul(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_modular_product p = {.shift = 0};
    GFP_TRY(gfp_modulus_reduced(op, &p.a, w->M, w->a));
    p.b = p.a;
    if (w->b != w->a) {
        GFP_TRY(gfp_modulus_reduced(op, &p.b, w->M, w->b));
    }
    return gfp_modulus_multiply(op, w->M, r, &p);
}

gfp_status gfp_poly_mul_mod(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, const gfp_modulus *M,
                            const gfp_options *options)
{
    return modulus_calls_run(c,
                             &(job){.name = "product by a modulus",
                                    .compute = compute_mul,
                                    .units = M == NULL ? 0 : gfp_modulus_multiply_units(M),
                                    .products = 3,
                                    .M = M,
                                    .a = a,
                                    .b = b},
                             options);
}

gfp_status gfp_poly_sqr_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    return gfp_poly_mul_mod(c, a, a, M, options);
}

static gfp_status compute_power(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_series a;
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    return gfp_modulus_power(op, w->M, r, a, w->exponent, w->limbs);
}

gfp_status gfp_poly_pow_mod(gfp_poly *c, const gfp_poly *a, const uint64_t *exponent,
                            size_t n_limbs, const gfp_modulus *M, const gfp_options *options)
{
    const unsigned products = exponent == NULL ? 1 : gfp_modulus_power_products(exponent, n_limbs);
    return modulus_calls_run(
        c,
        &(job){.name = "power by a modulus",
               .compute = compute_power,
               .units = M == NULL ? 0 : products * gfp_modulus_multiply_units(M),
               .products = products + 1,
               .M = M,
               .a = a,
               .b = a,
               .exponent = exponent,
               .limbs = n_limbs},
        options);
}

gfp_status gfp_poly_pow_p_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                              const gfp_options *options)
{
    const gfp_field *field = M == NULL ? NULL : field_of(M);
    return gfp_poly_pow_mod(c, a, M == NULL ? NULL : gfp_field_modulus_limbs(field),
                            M == NULL ? 0 : gfp_field_limbs(field), M, options);
}

static gfp_status compute_inverse(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_series a;
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    a.len = gfp_series_trim(op->field, a.digits, a.len);
    if (a.len == 0) {
        return gfp_error_set(op->options->error, GFP_ERR_NOT_INVERTIBLE,
                             "%s: the polynomial is 0 modulo the modulus", op->name);
    }
    return gfp_inverse_modulo(op, r, a, (gfp_series){w->M->f.digits, w->M->f.len});
}

gfp_status gfp_poly_inv_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    const size_t len = M == NULL ? 0 : M->f.len;
    return modulus_calls_run(c,
                             &(job){.name = "inverse by a modulus",
                                    .compute = compute_inverse,
                                    .units = gfp_gcd_units(len, len, true),
                                    .products = 2,
                                    .M = M,
                                    .a = a,
                                    .b = a},
                             options);
}

/* ---- products by a multiplier ---- */

static gfp_status compute_multiplier(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_series a;
    GFP_TRY(gfp_modulus_reduced(op, &a, w->M, w->a));
    return gfp_multiplier_apply(op, r, a, w->B);
}

gfp_status gfp_poly_mul_multiplier(gfp_poly *c, const gfp_poly *a, const gfp_multiplier *B,
                                   const gfp_options *options)
{
    return modulus_calls_run(c,
                             &(job){.name = "product by a multiplier",
                                    .compute = compute_multiplier,
                                    .units = B == NULL ? 0 : gfp_modulus_multiply_units(B->M),
                                    .products = 2,
                                    .M = B == NULL ? NULL : B->M,
                                    .a = a,
                                    .b = a,
                                    .B = B},
                             options);
}
