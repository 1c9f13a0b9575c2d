/* moduli_calls.c: the public calls on remainders by many moduli: arguments, the operation around
 * the computation, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/divrem.h"
#include "poly/points/moduli.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* ---- arguments ---- */

static gfp_status moduli_calls_refuse(const gfp_options *options, gfp_status status,
                                      const char *name, const char *what, size_t i)
{
    gfp_error_fill(options->error, status, "%s: %s %zu", name, what, i);
    if (options->error != NULL) {
        options->error->index = i;
    }
    return status;
}

/* Whether x has `count` polynomials over the field. */
static gfp_status check_polynomials(const char *name, const gfp_poly *x, size_t count,
                                    const gfp_field *field, const gfp_options *options)
{
    if (x == NULL && count > 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: an array is NULL", name);
    }
    for (size_t i = 0; i < count; i++) {
        if (x[i].field == NULL) {
            return moduli_calls_refuse(options, GFP_ERR_ARGUMENT, name, "no field of polynomial",
                                       i);
        }
        if (!gfp_field_same(x[i].field, field)) {
            return moduli_calls_refuse(options, GFP_ERR_FIELD_MISMATCH, name,
                                       "another field of polynomial", i);
        }
    }
    return GFP_OK;
}

static gfp_status check_moduli(const char *name, const gfp_poly *moduli, size_t count,
                               const gfp_field *field, const gfp_options *options)
{
    GFP_TRY(check_polynomials(name, moduli, count, field, options));
    for (size_t i = 0; i < count; i++) {
        if (moduli[i].len == 0) {
            return moduli_calls_refuse(options, GFP_ERR_NOT_INVERTIBLE, name,
                                       "division by 0: modulus", i);
        }
        if (moduli[i].len == 1) {
            return moduli_calls_refuse(options, GFP_ERR_ARGUMENT, name,
                                       "a constant, modulo which everything is 0: modulus", i);
        }
    }
    return GFP_OK;
}

/* Whether f is a polynomial. */
static gfp_status check_polynomial(const char *name, const gfp_poly *f, const gfp_options *options)
{
    return f != NULL && f->field != NULL
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                               "%s: a polynomial is NULL or has no field", name);
}

static size_t sum_of_degrees(const gfp_poly *moduli, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n = gfp_size_add_sat(n, moduli[i].len - 1);
    }
    return n;
}

/* Room for n coefficients. */
static gfp_status make_room(const char *name, gfp_poly *f, size_t n, const gfp_options *options)
{
    const gfp_status status = gfp_poly_fit_length(f, n);
    return status == GFP_OK
               ? GFP_OK
               : gfp_error_set(options->error, status, "%s: no room for %zu coefficients", name, n);
}

/* ---- calls ---- */

typedef struct job job;
struct job {
    const char *name;
    gfp_status (*compute)(gfp_operation_call *op, const job *w, const gfp_moduli *M);
    const gfp_poly *moduli;
    size_t count;
    gfp_poly *f;          /* the result of a recombination, and */
    const gfp_poly *from; /* the remainders that it is made from */
    const gfp_poly *given;
    gfp_poly *remainders; /* the results of reductions of `given` */
};

static gfp_status moduli_calls_work(gfp_operation_call *op, const job *w)
{
    gfp_moduli *M = NULL;
    GFP_TRY(gfp_moduli_make(&M, op, w->moduli, w->count));
    op->method = M->method;
    op->longest = M->top == NULL ? 0 : gfp_space_length(M->top);
    const gfp_status status = w->compute(op, w, M);
    gfp_moduli_destroy(M);
    return status;
}

static gfp_status moduli_calls_run(const job *w, const gfp_field *field, double units,
                                   const gfp_options *options)
{
    gfp_operation_call op;
    units += gfp_moduli_make_units(sum_of_degrees(w->moduli, w->count), w->count);
    GFP_TRY(gfp_operation_begin(&op, w->name, field, options, units, 5));
    return gfp_operation_end(&op, moduli_calls_work(&op, w));
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

static const char reduction[] = "remainders by moduli";

static gfp_status compute_remainders(gfp_operation_call *op, const job *w, const gfp_moduli *M)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *v;
    GFP_TRY(gfp_operation_array(op, &v, M->n));
    GFP_TRY(gfp_moduli_remainders(op, v, (gfp_series){w->given->digits, w->given->len}, M));
    GFP_TRY(gfp_operation_finish(op));
    for (size_t i = 0; i < M->count; i++) {
        const gfp_moduli_node *leaf = M->leaf[i];
        gfp_vec_copy(op->field, w->remainders[i].digits, v + leaf->offset * k, leaf->degree);
        gfp_poly_normalise(&w->remainders[i], leaf->degree);
    }
    return GFP_OK;
}

gfp_status gfp_poly_multi_rem(gfp_poly *remainders, const gfp_poly *f, const gfp_poly *moduli,
                              size_t count, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_polynomial(reduction, f, options));
    GFP_TRY(check_moduli(reduction, moduli, count, f->field, options));
    if (count == 0) {
        return GFP_OK;
    }
    GFP_TRY(check_polynomials(reduction, remainders, count, f->field, options));
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(make_room(reduction, &remainders[i], moduli[i].len - 1, options));
    }
    const job w = {.name = reduction,
                   .compute = compute_remainders,
                   .moduli = moduli,
                   .count = count,
                   .given = f,
                   .remainders = remainders};
    const size_t n = sum_of_degrees(moduli, count);
    return moduli_calls_run(&w, f->field, passes_units(n, count) + gfp_division_units(n, f->len),
                            options);
}

/* ---- Chinese remainders ---- */

static const char recombination[] = "Chinese remainders";

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

static gfp_status compute_crt(gfp_operation_call *op, const job *w, const gfp_moduli *M)
{
    uint64_t *v, *f;
    GFP_TRY(gfp_operation_array(op, &v, M->n));
    GFP_TRY(gfp_operation_array(op, &f, M->n));
    GFP_TRY(moduli_calls_gather(op, v, w->from, M));
    GFP_TRY(gfp_moduli_recombine(op, f, v, M));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, w->f->digits, f, M->n);
    gfp_poly_normalise(w->f, M->n);
    return GFP_OK;
}

gfp_status gfp_poly_multi_crt(gfp_poly *f, const gfp_poly *remainders, const gfp_poly *moduli,
                              size_t count, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_polynomial(recombination, f, options));
    GFP_TRY(check_moduli(recombination, moduli, count, f->field, options));
    GFP_TRY(check_polynomials(recombination, remainders, count, f->field, options));
    if (count == 0) {
        gfp_poly_zero(f);
        return GFP_OK;
    }
    const job w = {.name = recombination,
                   .compute = compute_crt,
                   .moduli = moduli,
                   .count = count,
                   .f = f,
                   .from = remainders};
    const size_t n = sum_of_degrees(moduli, count);
    GFP_TRY(make_room(recombination, f, n, options));
    const double units = 2 * passes_units(n, count) + gfp_moduli_cofactors_units(n, count);
    return moduli_calls_run(&w, f->field, units, options);
}
