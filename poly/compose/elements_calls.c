/* elements_calls.c: the calls of trace maps, minimal and characteristic polynomials.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/elements.h"

#include "poly/call.h"
#include "field/base/support.h"

/* ---- elements ---- */

/* A call on residues a and x_p: its inputs are these and f. */
typedef struct job {
    gfp_poly_call call;
    const gfp_modulus *M;
    double units; /* of the computation with reduced operands */
    size_t d;
} job;

static const gfp_modulus *modulus_of(const gfp_poly_call *w)
{
    return ((const job *)w)->M;
}

static gfp_status elements_calls_plan(gfp_operation_call *op, gfp_poly_call *w)
{
    const gfp_poly_divisor *divisor = &modulus_of(w)->divisor;
    (void)op;
    w->claims = 200;
    w->units = ((const job *)w)->units + gfp_poly_divisor_reduce_units(divisor, w->input[0]->len) +
               gfp_poly_divisor_reduce_units(divisor, w->input[1]->len);
    return GFP_OK;
}

static gfp_status elements_calls_run(job *j, const gfp_poly *a, const gfp_poly *x_p,
                                     const gfp_options *options)
{
    gfp_poly_call *w = &j->call;
    w->input[0] = a;
    w->input[1] = x_p;
    w->input[2] = j->M == NULL ? NULL : &j->M->f;
    w->inputs = 3;
    w->array[w->arrays++] = (gfp_poly_call_array){j->M, 1, "modulus"};
    w->plan = elements_calls_plan;
    return gfp_poly_call_run(w, options);
}

/* z := an array of n elements. */
static gfp_status element_array(gfp_operation_call *op, gfp_piece *z, size_t n)
{
    z->len = n;
    return gfp_operation_array(op, &z->digits, n);
}

static gfp_status compute_trace(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_modulus *M = modulus_of(w);
    gfp_series a, x_p;
    gfp_modulus_name_method(op, M);
    GFP_TRY(element_array(op, &z[0], M->divisor.n));
    GFP_TRY(element_array(op, &z[1], M->divisor.n));
    GFP_TRY(gfp_modulus_reduced(op, &a, M, w->input[0]));
    GFP_TRY(gfp_modulus_reduced(op, &x_p, M, w->input[1]));
    return gfp_compose_trace(op, w->output[0] == NULL ? NULL : z[0].digits,
                             w->output[1] == NULL ? NULL : z[1].digits, M, a, x_p,
                             ((const job *)w)->d);
}

gfp_status gfp_poly_trace_map_mod(gfp_poly *trace, gfp_poly *power, const gfp_poly *a,
                                  const gfp_poly *x_p, size_t d, const gfp_modulus *M,
                                  const gfp_options *options)
{
    job j = {.call = {.name = "trace map",
                      .output = {trace, power},
                      .outputs = 2,
                      .optional = true,
                      .compute = compute_trace},
             .M = M,
             .units = M == NULL ? 0 : gfp_compose_trace_units(M, d),
             .d = d};
    return elements_calls_run(&j, trace == NULL ? x_p : a, x_p, options);
}

static gfp_status compute_minimal(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_modulus *M = modulus_of(w);
    gfp_series a;
    gfp_modulus_name_method(op, M);
    GFP_TRY(element_array(op, &z[0], M->divisor.n + 1));
    GFP_TRY(gfp_modulus_reduced(op, &a, M, w->input[0]));
    return gfp_compose_minimal(op, z[0].digits, &z[0].len, M, a);
}

gfp_status gfp_poly_minpoly_mod(gfp_poly *f, const gfp_poly *a, const gfp_modulus *M,
                                const gfp_options *options)
{
    job j = {.call = {.name = "minimal polynomial",
                      .output = {f},
                      .outputs = 1,
                      .compute = compute_minimal},
             .M = M,
             .units = M == NULL ? 0 : gfp_compose_minimal_units(M)};
    return elements_calls_run(&j, a, a, options);
}

static gfp_status compute_characteristic(gfp_operation_call *op, gfp_piece *z,
                                         const gfp_poly_call *w)
{
    const gfp_modulus *M = modulus_of(w);
    gfp_series a;
    gfp_modulus_name_method(op, M);
    if (!gfp_series_has_inverses(op->field, M->divisor.n + 1)) {
        return gfp_poly_call_refuse(op, GFP_ERR_UNAVAILABLE,
                                    "the degree of the modulus is not below the characteristic");
    }
    GFP_TRY(element_array(op, &z[0], M->divisor.n + 1));
    GFP_TRY(gfp_modulus_reduced(op, &a, M, w->input[0]));
    return gfp_compose_characteristic(op, z[0].digits, M, a);
}

gfp_status gfp_poly_charpoly_mod(gfp_poly *f, const gfp_poly *a, const gfp_modulus *M,
                                 const gfp_options *options)
{
    job j = {.call = {.name = "characteristic polynomial",
                      .output = {f},
                      .outputs = 1,
                      .compute = compute_characteristic},
             .M = M,
             .units = M == NULL ? 0 : gfp_compose_characteristic_units(M)};
    return elements_calls_run(&j, a, a, options);
}
