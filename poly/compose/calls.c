/* calls.c: the public calls of composition modulo h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include "poly/call.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* ---- arguments ---- */

/* A call that creates an argument: its inputs are g and h. */
typedef struct creation {
    gfp_poly_call call;
    gfp_compose_argument **made;
    const gfp_modulus *M;
    size_t uses;
} creation;

static gfp_status plan_argument(gfp_operation_call *op, gfp_poly_call *w)
{
    const creation *c = (const creation *)w;
    if (c->uses == 0) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "no use of it");
    }
    w->units = gfp_compose_argument_units(c->M, c->uses) +
               gfp_poly_divisor_reduce_units(&c->M->divisor, w->input[0]->len);
    w->claims = (unsigned)gfp_size_min(gfp_compose_steps(c->M, c->uses), 1 << 30);
    return GFP_OK;
}

static gfp_status compute_argument(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const creation *c = (const creation *)w;
    gfp_series x;
    (void)z;
    gfp_modulus_name_method(op, c->M);
    GFP_TRY(gfp_modulus_reduced(op, &x, c->M, w->input[0]));
    return gfp_compose_argument_make(op, c->made, c->M, x, c->uses);
}

gfp_status gfp_compose_argument_create(gfp_compose_argument **A, const gfp_poly *g,
                                       const gfp_modulus *M, size_t uses,
                                       const gfp_options *options)
{
    gfp_compose_argument *made = NULL;
    creation c = {.call = {.name = "argument of compositions",
                           .input = {g, M == NULL ? NULL : &M->f},
                           .inputs = 2,
                           .array = {{A, 1, "place for it"}, {M, 1, "modulus"}},
                           .arrays = 2,
                           .plan = plan_argument,
                           .compute = compute_argument},
                  .made = &made,
                  .M = M,
                  .uses = uses};
    const gfp_status status = gfp_poly_call_run(&c.call, options);
    if (status == GFP_OK) {
        *A = made;
    } else {
        gfp_compose_argument_destroy(made);
    }
    return status;
}

/* ---- compositions ---- */

/* Any number of compositions in an argument: c[i] := f[i] at the argument. */
typedef struct job {
    gfp_poly_call call;
    gfp_poly *const *c;
    const gfp_poly *const *f;
    size_t count;
    const gfp_compose_argument *A;
    uint64_t **results; /* the place where compute keeps its results: rows of n elements */
} job;

static gfp_status plan_many(gfp_operation_call *op, gfp_poly_call *w)
{
    const job *j = (const job *)w;
    size_t terms = 0;
    for (size_t i = 0; i < j->count; i++) {
        const gfp_field *field = op->field;
        const gfp_poly *const x[] = {j->c[i], j->f[i]};
        GFP_TRY(gfp_poly_call_check(op, &field, x, 2));
        for (size_t m = 0; m < i; m++) {
            if (j->c[i] == j->c[m]) {
                return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT,
                                     "%s: outputs %zu and %zu are the same polynomial", w->name, m,
                                     i);
            }
        }
        terms = gfp_size_add_sat(terms, j->f[i]->len);
    }
    const size_t claims = j->A->s == 0 ? terms + 1 : terms / j->A->s + 2;
    w->units = gfp_compose_modular_units(j->A, terms);
    w->length = j->A->M->divisor.n;
    w->claims = (unsigned)gfp_size_min(claims, 1 << 30);
    return GFP_OK;
}

static gfp_status compute_many(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const job *j = (const job *)w;
    const size_t n = j->A->M->divisor.n, k = gfp_field_k(op->field);
    uint64_t *digits, *block;
    (void)z;
    gfp_modulus_name_method(op, j->A->M);
    GFP_TRY(gfp_operation_array(op, &digits, gfp_size_mul_sat(j->count, n)));
    /* An element has room for a pointer, two for a series. */
    GFP_TRY(gfp_operation_array(op, &block, gfp_size_mul_sat(j->count, 3)));
    gfp_series *f = (gfp_series *)(void *)block;
    uint64_t **r = (uint64_t **)(void *)(f + j->count);
    for (size_t i = 0; i < j->count; i++) {
        r[i] = digits + i * n * k;
        f[i] = gfp_poly_series(j->f[i]);
    }
    GFP_TRY(gfp_compose_modular(op, r, j->A, f, j->count));
    for (size_t i = 0; i < j->count; i++) {
        GFP_TRY(gfp_poly_fit_length(j->c[i], n));
    }
    *j->results = digits;
    return GFP_OK;
}

static void deliver_many(const gfp_operation_call *op, const gfp_poly_call *w)
{
    const job *j = (const job *)w;
    const size_t n = j->A->M->divisor.n, k = gfp_field_k(op->field);
    for (size_t i = 0; i < j->count; i++) {
        gfp_vec_set(op->field, j->c[i]->digits, *j->results + i * n * k, n);
        gfp_poly_normalise(j->c[i], n);
    }
}

gfp_status gfp_poly_compose_mod_many(gfp_poly *const *c, const gfp_poly *const *f, size_t count,
                                     const gfp_compose_argument *A, const gfp_options *options)
{
    uint64_t *results = NULL;
    job j = {
        .call = {.name = "composition",
                 .input = {A == NULL ? NULL : &A->M->f},
                 .inputs = 1,
                 .array = {{c, count, "results"}, {f, count, "polynomials"}, {A, 1, "argument"}},
                 .arrays = 3,
                 .plan = plan_many,
                 .compute = compute_many,
                 .deliver = deliver_many},
        .c = c,
        .f = f,
        .count = count,
        .A = A,
        .results = &results};
    return gfp_poly_call_run(&j.call, options);
}

gfp_status gfp_poly_compose_mod(gfp_poly *c, const gfp_poly *f, const gfp_compose_argument *A,
                                const gfp_options *options)
{
    return gfp_poly_compose_mod_many(&c, &f, 1, A, options);
}
