/* call.c: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/call.h"

#include "poly/impl.h"

/* ---- arguments ---- */

gfp_status gfp_poly_call_check(gfp_operation_call *op, const gfp_field **field,
                               const gfp_poly *const *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (x[i] == NULL) {
            return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "a polynomial is NULL");
        }
        if (x[i]->field == NULL) {
            return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT,
                                        "a polynomial was not initialised: it has no field");
        }
        *field = *field == NULL ? x[i]->field : *field;
        if (!gfp_field_same(x[i]->field, *field)) {
            return gfp_error_set(&op->base.error, GFP_ERR_FIELD_MISMATCH,
                                 "%s: polynomials over %s and %s", op->base.name,
                                 gfp_field_name(*field), gfp_field_name(x[i]->field));
        }
    }
    return GFP_OK;
}

static gfp_status check_outputs(gfp_operation_call *op, const gfp_field **field,
                                const gfp_poly_call *w)
{
    size_t there = 0;
    for (size_t i = 0; i < w->outputs; i++) {
        const gfp_poly *c = w->output[i];
        if (c == NULL && w->optional) {
            continue;
        }
        GFP_TRY(gfp_poly_call_check(op, field, &c, 1));
        for (size_t j = 0; j < i; j++) {
            if (w->output[j] == c) {
                return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "two outputs are one polynomial");
            }
        }
        there++;
    }
    return w->outputs > 0 && there == 0
               ? gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "a polynomial is NULL")
               : GFP_OK;
}

static gfp_status check_arrays(gfp_operation_call *op, const gfp_poly_call *w)
{
    for (size_t i = 0; i < w->arrays; i++) {
        const gfp_poly_call_array *a = &w->array[i];
        if (a->x == NULL && a->n > 0) {
            return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT, "%s: no %s", w->name, a->name);
        }
    }
    return GFP_OK;
}

/* Plans the call, whose arguments are there. */
static gfp_status plan_call(gfp_operation_call *op, gfp_poly_call *w)
{
    const gfp_field *field = w->field;
    GFP_TRY(check_arrays(op, w));
    GFP_TRY(check_outputs(op, &field, w));
    GFP_TRY(gfp_poly_call_check(op, &field, w->input, w->inputs));
    if (field == NULL) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "no field");
    }
    op->field = field;
    GFP_TRY(w->plan != NULL ? w->plan(op, w) : GFP_OK);
    if (w->length >= GFP_DEFAULT_LENGTH) {
        gfp_default_check(&op->base, field);
    }
    if (w->outputs == 0 && w->values == NULL && w->n > 0) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "no place for the result");
    }
    return gfp_operation_start(op, field, w->units, w->claims > 0 ? w->claims : 1);
}

/* ---- results ---- */

/* Room for the results: their lengths may lie beyond what inputs need. */
static gfp_status make_room(gfp_operation_call *op, const gfp_piece *z, const gfp_poly_call *w)
{
    for (size_t i = 0; i < w->outputs; i++) {
        if (w->output[i] != NULL && z[i].digits != NULL) {
            const gfp_status status = gfp_poly_fit_length(w->output[i], z[i].len);
            if (status != GFP_OK) {
                return gfp_error_set(&op->base.error, status, "%s: no room for %zu coefficients",
                                     w->name, z[i].len);
            }
        }
    }
    return GFP_OK;
}

static void hand_out(const gfp_operation_call *op, const gfp_piece *z, const gfp_poly_call *w)
{
    for (size_t i = 0; i < w->outputs; i++) {
        if (w->output[i] != NULL && z[i].digits != NULL) {
            gfp_vec_set(op->field, w->output[i]->digits, z[i].digits, z[i].len);
            gfp_poly_normalise(w->output[i], z[i].len);
        }
    }
    if (w->values != NULL) {
        gfp_vec_set(op->field, w->values, z[0].digits, w->n);
    }
}

static gfp_status run_call(gfp_operation_call *op, gfp_poly_call *w)
{
    gfp_piece z[GFP_POLY_CALL_OUTPUTS] = {{NULL, 0}};
    GFP_TRY(plan_call(op, w));
    if (w->trivial) {
        for (size_t i = 0; i < w->outputs; i++) {
            if (w->output[i] != NULL) {
                gfp_poly_zero(w->output[i]);
            }
        }
        return GFP_OK;
    }
    GFP_TRY(w->compute(op, z, w));
    GFP_TRY(make_room(op, z, w));
    GFP_TRY(gfp_operation_finish(op));
    hand_out(op, z, w);
    if (w->deliver != NULL) {
        w->deliver(op, w);
    }
    return GFP_OK;
}

gfp_status gfp_poly_call_run(gfp_poly_call *w, const gfp_options *options)
{
    gfp_operation_call op;
    GFP_TRY(gfp_operation_begin(&op, w->name, options));
    const gfp_status status = run_call(&op, w);
    if ((status != GFP_ERR_MEMORY && status != GFP_ERR_UNAVAILABLE) ||
        !gfp_call_uncheck(&op.base)) {
        return gfp_operation_end(&op, status);
    }
    /* The check by default lacks memory or random numbers: the call does without. */
    GFP_TRY(gfp_operation_again(&op, status));
    return gfp_operation_end(&op, run_call(&op, w));
}
