/* call.c: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include <string.h>

#include "gpu/call.h"
#include "product/verify/claim.h"

/* ---- the frame ---- */

gfp_status gfp_gpu_operation_begin(gfp_gpu_operation *op, const char *name,
                                   const gfp_options *options)
{
    op->ring = NULL;
    return gfp_call_begin(&op->base, name, options);
}

/* Sets the context's cap to the call's if that is less. */
static void hold_device_cap(gfp_gpu_operation *op)
{
    const size_t cap = op->base.options->gpu_memory_cap;
    op->device_cap = gfp_gpu_set_memory_cap(op->ring->gpu, cap != 0 ? cap : SIZE_MAX);
    if (cap == 0 || cap > op->device_cap) {
        (void)gfp_gpu_set_memory_cap(op->ring->gpu, op->device_cap);
    }
}

gfp_status gfp_gpu_operation_start(gfp_gpu_operation *op, gfp_gpu_ring *ring, bool checked,
                                   double claims)
{
    const gfp_options *options = op->base.options;
    const bool checks = checked && gfp_gpu_operation_checks(op);
    op->ring = ring;
    op->outer = ring->operation;
    ring->operation = op;
    hold_device_cap(op);
    gfp_gpu_error_begin(ring->gpu, &op->device_error);
    op->base.allocator = &ring->allocator;
    gfp_task_part(&op->base.task, 1);
    op->apart = checked && (checks || options->progress != NULL);
    op->claims = claims > 0 ? claims : 1;
    op->seed = options->verify_seed;
    if (checks && options->verify != GFP_VERIFY_POINT) {
        return gfp_error_set(&op->base.error, GFP_ERR_UNAVAILABLE,
                             "results on a device are checked at points");
    }
    op->base.report.verified = checks ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
    return checks && op->seed == 0 ? gfp_system_seed(&op->seed, &op->base.error) : GFP_OK;
}

gfp_status gfp_gpu_call_refuse(const char *name, const char *reason, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, name, options));
    return gfp_call_end(&call,
                        gfp_error_set(&call.error, GFP_ERR_ARGUMENT, "%s: %s", name, reason));
}

/* Messages of steps do not name the call. */
static void name_error(gfp_call *call)
{
    char *message = call->error.message;
    const size_t name = strlen(call->name), room = sizeof call->error.message - name - 3;
    if (call->error.status == GFP_OK ||
        (strncmp(message, call->name, name) == 0 && message[name] == ':')) {
        return;
    }
    const size_t n = gfp_size_min(strlen(message), room);
    memmove(message + name + 2, message, n);
    memcpy(message, call->name, name);
    memcpy(message + name, ": ", 2);
    message[name + 2 + n] = '\0';
}

/* The reason of a failure is the context's unless a step told it. */
static void explain_failure(gfp_gpu_operation *op, gfp_status status)
{
    const gfp_error *last = gfp_gpu_last_error(op->ring->gpu);
    if (status != GFP_OK && op->base.error.status != status && last->status == status) {
        op->base.error = *last;
    }
}

gfp_status gfp_gpu_operation_end(gfp_gpu_operation *op, gfp_status status)
{
    gfp_gpu_ring *ring = op->ring;
    if (ring != NULL) {
        const gfp_gpu_method method =
            ring->plans != NULL ? gfp_gpu_product_plan_method(ring->plans->plan) : ring->method;
        if (op->base.report.method == NULL) {
            op->base.report.method = gfp_gpu_method_name(method);
        }
        explain_failure(op, status);
        gfp_gpu_error_resume(ring->gpu, &op->device_error, status);
        (void)gfp_gpu_set_memory_cap(ring->gpu, op->device_cap);
        if (op->base.options->gpu_memory_cap != 0) {
            gfp_gpu_ring_ask_again(ring);
        }
        gfp_call_release(&op->base, (gfp_call_mark){NULL, 0});
        ring->operation = op->outer;
    }
    name_error(&op->base);
    return gfp_call_end(&op->base, status);
}

/* ---- arguments ---- */

static gfp_status refuse_call(gfp_gpu_operation *op, gfp_status status, const char *why)
{
    return gfp_error_set(&op->base.error, status, "%s", why);
}

/* Sets *ring if it is NULL. */
static gfp_status check_poly(gfp_gpu_operation *op, gfp_gpu_ring **ring, const gfp_gpu_poly *a)
{
    if (a == NULL) {
        return refuse_call(op, GFP_ERR_ARGUMENT, "a polynomial is NULL");
    }
    *ring = *ring == NULL ? a->ring : *ring;
    if (!gfp_field_same(a->ring->field, (*ring)->field)) {
        return gfp_error_set(&op->base.error, GFP_ERR_FIELD_MISMATCH, "polynomials over %s and %s",
                             gfp_field_name((*ring)->field), gfp_field_name(a->ring->field));
    }
    return a->ring->gpu == (*ring)->gpu
               ? GFP_OK
               : refuse_call(op, GFP_ERR_ARGUMENT, "polynomials of two contexts");
}

static gfp_status check_array(gfp_gpu_operation *op, const gfp_gpu_ring *ring,
                              const gfp_gpu_call_array *a)
{
    gfp_error *error = &op->base.error;
    if (a->n == 0) {
        return GFP_OK;
    }
    if (a->x == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no array: %s", a->name);
    }
    if (gfp_gpu_array_context(a->x) != ring->gpu) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "%s: an array of another context", a->name);
    }
    return a->n <= gfp_gpu_array_words(a->x) / ring->k
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "%s: %zu elements in an array of %zu words",
                               a->name, a->n, gfp_gpu_array_words(a->x));
}

/* *ring := the ring of the call. */
static gfp_status check_arguments(gfp_gpu_operation *op, const gfp_gpu_call *w, gfp_gpu_ring **ring)
{
    *ring = w->ring;
    for (unsigned i = 0; i < w->outputs; i++) {
        GFP_TRY(check_poly(op, ring, w->output[i]));
    }
    for (unsigned i = 0; i < w->inputs; i++) {
        GFP_TRY(check_poly(op, ring, w->input[i]));
    }
    if (w->outputs == 2 && w->output[0] == w->output[1]) {
        return refuse_call(op, GFP_ERR_ARGUMENT, "two outputs are one polynomial");
    }
    if (*ring == NULL) {
        return refuse_call(op, GFP_ERR_ARGUMENT, "no ring");
    }
    for (unsigned i = 0; i < w->arrays; i++) {
        GFP_TRY(check_array(op, *ring, &w->array[i]));
    }
    return GFP_OK;
}

/* ---- the call ---- */

/* Whether the result already lies where taking it makes it the output's. */
static bool lies_there(const gfp_gpu_poly *c, const gfp_gpu_poly *z)
{
    return z->len == 0 || z->array == c->array || z->array == c->ring->spare;
}

static gfp_status make_room(const gfp_gpu_call *w, const gfp_gpu_poly *z)
{
    for (unsigned i = 0; i < w->outputs; i++) {
        if (!lies_there(w->output[i], &z[i])) {
            GFP_TRY(gfp_gpu_poly_make_room(w->output[i], z[i].len));
        }
    }
    return GFP_OK;
}

/* A call with checks, a report or progress waits for its results. */
static gfp_status check_call(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_options *options = op->base.options;
    const bool checks = w->check != NULL && gfp_gpu_operation_checks(op);
    if (checks || options->report != NULL || op->apart) {
        GFP_TRY(gfp_gpu_wait(op->ring->gpu, NULL));
    }
    if (!checks) {
        return GFP_OK;
    }
    gfp_call_checks(&op->base);
    const gfp_status status = w->check(op, z, w);
    gfp_call_checked(&op->base);
    return status == GFP_ERR_VERIFY && op->base.error.status != status
               ? refuse_call(op, status, "the result fails its identity at a random point")
               : status;
}

static gfp_status hand_out(const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    for (unsigned i = 0; i < w->outputs; i++) {
        gfp_gpu_poly *c = w->output[i];
        if (z[i].len == 0) {
            c->len = 0;
            c->exact = true;
        } else if (lies_there(c, &z[i])) {
            gfp_gpu_poly_take(c, z[i].array, z[i].len, z[i].exact);
        } else {
            GFP_TRY(gfp_gpu_set(c->array, z[i].array, z[i].len * c->ring->k, NULL));
            gfp_gpu_poly_take(c, c->array, z[i].len, z[i].exact);
        }
    }
    return GFP_OK;
}

static gfp_status run_call(gfp_gpu_operation *op, const gfp_gpu_call *w)
{
    gfp_gpu_ring *ring = NULL;
    gfp_gpu_poly z[GFP_GPU_CALL_OUTPUTS];
    memset(z, 0, sizeof z);
    GFP_TRY(check_arguments(op, w, &ring));
    GFP_TRY(gfp_gpu_operation_start(op, ring, w->check != NULL || w->own_checks, w->claims));
    for (unsigned i = 0; i < w->outputs; i++) {
        z[i] = (gfp_gpu_poly){.ring = ring, .exact = true};
    }
    GFP_TRY(w->compute(op, z, w));
    GFP_TRY(check_call(op, z, w));
    GFP_TRY(make_room(w, z));
    if (op->apart && (w->outputs == 0 || z[0].array != NULL || z[1].array != NULL)) {
        GFP_TRY(gfp_call_finish(&op->base));
    }
    GFP_TRY(hand_out(z, w));
    return w->deliver != NULL ? w->deliver(op, w) : GFP_OK;
}

gfp_status gfp_gpu_call_run(const gfp_gpu_call *w, const gfp_options *options)
{
    gfp_gpu_operation op;
    GFP_TRY(gfp_gpu_operation_begin(&op, w->name, options));
    return gfp_gpu_operation_end(&op, run_call(&op, w));
}
