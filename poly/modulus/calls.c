/* calls.c: the public calls modulo f.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/exponent.h"
#include "poly/euclid/gcd.h"
#include "poly/modulus/impl.h"
#include "poly/call.h"
#include "field/base/support.h"

/* A call: its inputs are a, b and f. */
typedef struct job {
    gfp_poly_call call;
    const gfp_modulus *M;
    double units; /* of the computation with reduced operands */
    gfp_status (*compute)(gfp_operation_call *op, uint64_t *r, const gfp_poly_call *w);
} job;

static const gfp_modulus *modulus_of(const gfp_poly_call *w)
{
    return ((const job *)w)->M;
}

static gfp_status modulus_calls_plan(gfp_operation_call *op, gfp_poly_call *w)
{
    const gfp_poly_divisor *divisor = &modulus_of(w)->divisor;
    (void)op;
    w->length = divisor->n;
    w->units = ((const job *)w)->units + gfp_poly_divisor_reduce_units(divisor, w->input[0]->len) +
               gfp_poly_divisor_reduce_units(divisor, w->input[1]->len);
    return GFP_OK;
}

static gfp_status modulus_calls_compute(gfp_operation_call *op, gfp_piece *z,
                                        const gfp_poly_call *w)
{
    z[0].len = modulus_of(w)->divisor.n;
    gfp_modulus_name_method(op, modulus_of(w));
    GFP_TRY(gfp_operation_array(op, &z[0].digits, z[0].len));
    return ((const job *)w)->compute(op, z[0].digits, w);
}

static gfp_status modulus_calls_run(job *j, gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                    const gfp_options *options)
{
    gfp_poly_call *w = &j->call;
    w->input[0] = a;
    w->input[1] = b;
    w->input[2] = j->M == NULL ? NULL : &j->M->f;
    w->inputs = 3;
    w->array[w->arrays++] = (gfp_poly_call_array){j->M, 1, "modulus"};
    w->output[0] = c;
    w->outputs = 1;
    w->plan = modulus_calls_plan;
    w->compute = modulus_calls_compute;
    return gfp_poly_call_run(w, options);
}

/* ---- remainders ---- */

static gfp_status compute_rem(gfp_operation_call *op, uint64_t *r, const gfp_poly_call *w)
{
    return gfp_modulus_reduce(op, modulus_of(w), r, gfp_poly_series(w->input[0]));
}

gfp_status gfp_poly_rem_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    job j = {
        .call = {.name = "remainder by a modulus", .claims = 1}, .M = M, .compute = compute_rem};
    return modulus_calls_run(&j, c, a, a, options);
}

/* ---- products and powers ---- */

static gfp_status compute_mul(gfp_operation_call *op, uint64_t *r, const gfp_poly_call *w)
{
    const gfp_modulus *M = modulus_of(w);
    gfp_modular_product p = {.shift = 0};
    GFP_TRY(gfp_modulus_reduced(op, &p.a, M, w->input[0]));
    p.b = p.a;
    if (w->input[1] != w->input[0]) {
        GFP_TRY(gfp_modulus_reduced(op, &p.b, M, w->input[1]));
    }
    return gfp_modulus_multiply(op, M, r, &p);
}

gfp_status gfp_poly_mul_mod(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, const gfp_modulus *M,
                            const gfp_options *options)
{
    job j = {.call = {.name = "product by a modulus", .claims = 3},
             .M = M,
             .units = M == NULL ? 0 : gfp_modulus_multiply_units(M),
             .compute = compute_mul};
    return modulus_calls_run(&j, c, a, b, options);
}

static gfp_status compute_power(gfp_operation_call *op, uint64_t *r, const gfp_poly_call *w)
{
    gfp_series a;
    GFP_TRY(gfp_modulus_reduced(op, &a, modulus_of(w), w->input[0]));
    return gfp_modulus_power(op, modulus_of(w), r, a, w->array[0].x, w->array[0].n);
}

gfp_status gfp_poly_pow_mod(gfp_poly *c, const gfp_poly *a, const uint64_t *exponent,
                            size_t n_limbs, const gfp_modulus *M, const gfp_options *options)
{
    const unsigned products = exponent == NULL ? 1 : gfp_modulus_power_products(exponent, n_limbs);
    job j = {.call = {.name = "power by a modulus",
                      .array = {{exponent, n_limbs, "exponent"}},
                      .arrays = 1,
                      .claims = products + 1},
             .M = M,
             .units = M == NULL ? 0 : products * gfp_modulus_multiply_units(M),
             .compute = compute_power};
    return modulus_calls_run(&j, c, a, a, options);
}

static gfp_status compute_inverse(gfp_operation_call *op, uint64_t *r, const gfp_poly_call *w)
{
    gfp_series a;
    GFP_TRY(gfp_modulus_reduced(op, &a, modulus_of(w), w->input[0]));
    a.len = gfp_series_trim(op->field, a.digits, a.len);
    return a.len == 0 ? gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE,
                                             "the polynomial is 0 modulo the modulus")
                      : gfp_inverse_modulo(op, r, a, gfp_poly_series(w->input[2]));
}

gfp_status gfp_poly_inv_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    const size_t len = M == NULL ? 0 : M->f.len;
    job j = {.call = {.name = "inverse by a modulus", .claims = 2},
             .M = M,
             .units = gfp_gcd_units(len, len, true),
             .compute = compute_inverse};
    return modulus_calls_run(&j, c, a, a, options);
}
