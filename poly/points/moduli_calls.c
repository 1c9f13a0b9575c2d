/* moduli_calls.c: the public calls on remainders by many moduli.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "poly/points/moduli.h"
#include "poly/call.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

/* ---- arguments ---- */

/* A call: a reduction of its input, or a recombination into its output. */
typedef struct job {
    gfp_poly_call call;
    const gfp_poly *moduli;
    size_t count;
    gfp_poly *remainders; /* the results of a reduction, and */
    uint64_t **results;   /* the places where compute keeps them, one after the other, and their
                             lengths */
    const gfp_poly *from; /* the remainders of a recombination */
    gfp_status (*compute)(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w,
                          const gfp_moduli *M);
} job;

/* Whether x has `count` polynomials over the field. */
static gfp_status check_polynomials(gfp_operation_call *op, const gfp_poly *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (x[i].field == NULL) {
            return gfp_error_set_at(&op->base.error, GFP_ERR_ARGUMENT, i,
                                    "%s: no field of polynomial %zu", op->base.name, i);
        }
        if (!gfp_field_same(x[i].field, op->field)) {
            return gfp_error_set_at(&op->base.error, GFP_ERR_FIELD_MISMATCH, i,
                                    "%s: another field of polynomial %zu", op->base.name, i);
        }
    }
    return GFP_OK;
}

static gfp_status check_moduli(gfp_operation_call *op, const gfp_poly *moduli, size_t count)
{
    GFP_TRY(check_polynomials(op, moduli, count));
    for (size_t i = 0; i < count; i++) {
        if (moduli[i].len == 0) {
            return gfp_error_set_at(&op->base.error, GFP_ERR_NOT_INVERTIBLE, i,
                                    "%s: division by 0: modulus %zu", op->base.name, i);
        }
        if (moduli[i].len == 1) {
            return gfp_error_set_at(&op->base.error, GFP_ERR_ARGUMENT, i,
                                    "%s: a constant, modulo which everything is 0: modulus %zu",
                                    op->base.name, i);
        }
    }
    return GFP_OK;
}

static size_t sum_of_degrees(const gfp_poly *moduli, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n = gfp_size_add_sat(n, moduli[i].len - 1);
    }
    return n;
}

/* ---- calls ---- */

static gfp_status moduli_calls_compute(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const job *j = (const job *)w;
    gfp_moduli *M = NULL;
    GFP_TRY(gfp_moduli_make(&M, op, j->moduli, j->count));
    op->method = M->method;
    op->longest = M->top == NULL ? 0 : gfp_space_length(M->top);
    const gfp_status status = j->compute(op, z, w, M);
    gfp_moduli_destroy(M);
    return status;
}

/* The units of a pass down and one up. */
static double passes_units(size_t n, size_t count)
{
    double levels = 3;
    for (size_t m = count; m > 1; m /= 2) {
        levels += 1;
    }
    return 1.25 * levels * (double)n;
}

/* ---- remainders ---- */

static gfp_status plan_remainders(gfp_operation_call *op, gfp_poly_call *w)
{
    const job *j = (const job *)w;
    GFP_TRY(check_moduli(op, j->moduli, j->count));
    GFP_TRY(check_polynomials(op, j->remainders, j->count));
    const size_t n = sum_of_degrees(j->moduli, j->count);
    if (j->count == 0) {
        w->trivial = true;
        return GFP_OK;
    }
    w->units = passes_units(n, j->count) + gfp_division_units(n, w->input[0]->len) +
               gfp_moduli_make_units(n, j->count);
    return GFP_OK;
}

static gfp_status compute_remainders(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w,
                                     const gfp_moduli *M)
{
    gfp_poly *remainders = ((const job *)w)->remainders;
    uint64_t **results = ((const job *)w)->results;
    (void)z;
    GFP_TRY(gfp_operation_array(op, &results[0], M->n));
    GFP_TRY(gfp_call_array(&op->base, &results[1], M->count));
    GFP_TRY(gfp_moduli_remainders(op, results[0], gfp_poly_series(w->input[0]), M));
    for (size_t i = 0; i < M->count; i++) {
        results[1][i] = M->leaf[i]->degree;
        GFP_TRY(gfp_poly_fit_length(&remainders[i], M->leaf[i]->degree));
    }
    return GFP_OK;
}

static void deliver_remainders(const gfp_operation_call *op, const gfp_poly_call *w)
{
    const job *j = (const job *)w;
    const size_t k = gfp_field_k(op->field);
    const uint64_t *v = j->results[0];
    for (size_t i = 0; i < j->count; i++) {
        const size_t n = (size_t)j->results[1][i];
        gfp_vec_set(op->field, j->remainders[i].digits, v, n);
        gfp_poly_normalise(&j->remainders[i], n);
        v += n * k;
    }
}

gfp_status gfp_poly_multi_rem(gfp_poly *remainders, const gfp_poly *f, const gfp_poly *moduli,
                              size_t count, const gfp_options *options)
{
    uint64_t *results[2];
    job j = {.call = {.name = "remainders by moduli",
                      .input = {f},
                      .inputs = 1,
                      .array = {{moduli, count, "moduli"}, {remainders, count, "remainders"}},
                      .arrays = 2,
                      .plan = plan_remainders,
                      .claims = 5,
                      .compute = moduli_calls_compute,
                      .deliver = deliver_remainders},
             .moduli = moduli,
             .count = count,
             .remainders = remainders,
             .results = results,
             .compute = compute_remainders};
    return gfp_poly_call_run(&j.call, options);
}

/* ---- Chinese remainders ---- */

/* v := the remainders, those that are too long reduced. */
static gfp_status moduli_calls_gather(gfp_operation_call *op, uint64_t *v, const gfp_poly *from,
                                      const gfp_moduli *M)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        const gfp_series r = {from[i].digits, from[i].len};
        uint64_t *to = v + leaf->offset * k, *q;
        if (r.len <= leaf->degree) {
            gfp_series_copy(field, to, leaf->degree, r);
            continue;
        }
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        GFP_TRY(gfp_operation_array(op, &q, r.len - leaf->degree));
        GFP_TRY(gfp_division(op, q, to, r, leaf->poly, leaf->degree));
        GFP_TRY(gfp_division_check(op, q, to, r, leaf->poly, leaf->degree));
        gfp_operation_release(op, mark);
    }
    return GFP_OK;
}

static gfp_status plan_crt(gfp_operation_call *op, gfp_poly_call *w)
{
    const job *j = (const job *)w;
    GFP_TRY(check_moduli(op, j->moduli, j->count));
    GFP_TRY(check_polynomials(op, j->from, j->count));
    const size_t n = sum_of_degrees(j->moduli, j->count);
    if (j->count == 0) {
        w->trivial = true;
        return GFP_OK;
    }
    w->units = 2 * passes_units(n, j->count) + gfp_moduli_cofactors_units(n, j->count) +
               gfp_moduli_make_units(n, j->count);
    return GFP_OK;
}

static gfp_status compute_crt(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w,
                              const gfp_moduli *M)
{
    uint64_t *v;
    z[0].len = M->n;
    GFP_TRY(gfp_operation_array(op, &v, M->n));
    GFP_TRY(gfp_operation_array(op, &z[0].digits, M->n));
    GFP_TRY(moduli_calls_gather(op, v, ((const job *)w)->from, M));
    return gfp_moduli_recombine(op, z[0].digits, v, M);
}

gfp_status gfp_poly_multi_crt(gfp_poly *f, const gfp_poly *remainders, const gfp_poly *moduli,
                              size_t count, const gfp_options *options)
{
    job j = {.call = {.name = "Chinese remainders",
                      .array = {{moduli, count, "moduli"}, {remainders, count, "remainders"}},
                      .arrays = 2,
                      .output = {f},
                      .outputs = 1,
                      .plan = plan_crt,
                      .claims = 5,
                      .compute = moduli_calls_compute},
             .moduli = moduli,
             .count = count,
             .from = remainders,
             .compute = compute_crt};
    return gfp_poly_call_run(&j.call, options);
}
