/* call.c: the frame of a call over Z: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/call.h"

#include <math.h>

#include "field/base/parallel.h"
#include "product/verify/claim.h"

/* Parallel loops serve at most this number of threads: field/base/parallel.c cuts it, too. */
#define MOST_THREADS 1024
/* Of a list of names, in messages. */
#define LIST_BYTES 100

const char *const gfp_zmethod_names[GFP_Z_METHODS] = {
    "auto", "words", "big", "flint", "kronecker", "classical", "short", "words_gpu"};

/* ---- begin and end ---- */

/* list := the names of `auto` and of the methods whose bits are set. */
static void list_methods(char *list, size_t size, unsigned methods)
{
    for (size_t i = 0, used = 0; i < GFP_Z_METHODS; i++) {
        if (i == GFP_Z_AUTO || (methods >> i & 1) != 0) {
            used = gfp_list_name(list, size, used, gfp_zmethod_names[i]);
        }
    }
}

static gfp_status unknown_method(gfp_zcall *call, const char *name)
{
    char list[LIST_BYTES];
    list_methods(list, sizeof list, ~0U);
    return gfp_error_set(&call->base.error, GFP_ERR_UNKNOWN,
                         "unknown method \"%.60s\" over the integers; available: %s", name, list);
}

static gfp_status read_method(gfp_zcall *call)
{
    const char *name = call->base.options->method;
    call->method = GFP_Z_AUTO;
    if (gfp_options_auto(call->base.options)) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < GFP_Z_METHODS; i++) {
        if (strcmp(name, gfp_zmethod_names[i]) == 0) {
            call->method = (gfp_zmethod)i;
            return GFP_OK;
        }
    }
    return unknown_method(call, name);
}

gfp_status gfp_zcall_begin(gfp_zcall *call, const char *name, const gfp_options *options)
{
    GFP_TRY(gfp_call_begin(&call->base, name, options));
    call->ring = NULL;
    call->method = GFP_Z_AUTO;
    call->cofactors = false;
    return GFP_OK;
}

gfp_status gfp_zcall_begin_dealt(gfp_zcall *call, const char *name, const gfp_options *options)
{
    const gfp_status status = gfp_zcall_begin(call, name, options);
    if (status == GFP_OK) {
        gfp_call_use_dealer(&call->base);
        return GFP_OK;
    }
    const gfp_options only = {.dealer = gfp_options_dealer(options),
                              .error = gfp_options_error(options)};
    if (only.dealer == NULL || gfp_zcall_begin(call, name, &only) != GFP_OK) {
        return status;
    }
    /* Other ranks wait for this one: the call of all ends with this status. */
    gfp_call_use_dealer(&call->base);
    if (only.error != NULL) {
        call->base.error = *only.error;
    }
    return gfp_call_end(&call->base, status);
}

void gfp_zcall_key(gfp_zcall *call, const gfp_zvec *x, size_t count)
{
    const uint64_t head[] = {call->ring->level, call->method, count};
    if (call->base.dealer == NULL) {
        return;
    }
    gfp_call_key(&call->base, gfp_version(), strlen(gfp_version()));
    gfp_call_key(&call->base, head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        const uint64_t shape[] = {x[i].len, x[i].width};
        const size_t limbs =
            x[i].width > 0 || x[i].len == 0 ? x[i].len * x[i].width : (size_t)x[i].limbs[x[i].len];
        gfp_call_key(&call->base, shape, sizeof shape);
        gfp_call_key(&call->base, x[i].limbs, limbs * sizeof *x[i].limbs);
    }
}

gfp_status gfp_zcall_start_in(gfp_zcall *call, gfp_zring *ring)
{
    const gfp_options *options = call->base.options;
    call->ring = ring;
    GFP_TRY(read_method(call));
    call->base.allocator = &call->ring->allocator;
    call->base.report.method = gfp_zmethod_names[call->method];
    gfp_task_part(&call->base.task, 1);
    if (options->threads > 1 && gfp_parallel_process() == call->ring->process) {
        call->base.task.threads = options->threads < MOST_THREADS ? options->threads : MOST_THREADS;
    }
    return GFP_OK;
}

gfp_status gfp_zcall_unavailable(gfp_zcall *call, const char *reason)
{
    return gfp_error_set(&call->base.error, GFP_ERR_UNAVAILABLE, "%s: method %s: %s",
                         call->base.name, gfp_zmethod_names[call->method], reason);
}

gfp_status gfp_zcall_takes(gfp_zcall *call, unsigned methods)
{
    char list[LIST_BYTES];
    if (call->method == GFP_Z_AUTO || (methods >> call->method & 1) != 0) {
        return GFP_OK;
    }
    list_methods(list, sizeof list, methods);
    return gfp_error_set(&call->base.error, GFP_ERR_UNAVAILABLE,
                         "%s: no method \"%s\"; available: %s", call->base.name,
                         gfp_zmethod_names[call->method], list);
}

gfp_status gfp_zcall_wrong(gfp_zcall *call)
{
    return gfp_error_set(&call->base.error, GFP_ERR_VERIFY,
                         "%s: the result failed its verification", call->base.name);
}

gfp_status gfp_zcall_random_block(gfp_zcall *call, gfp_words *block, double bits, double degree)
{
    gfp_random g;
    uint64_t seed = call->base.options->verify_seed;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &call->base.error));
    }
    gfp_random_seed(&g, seed);
    call->base.report.log2_error = (int)ceil(gfp_words_draw(block, &g, bits, degree));
    call->base.report.verified = GFP_VERIFY_POINT;
    call->base.report.points = GFP_WORDS;
    return GFP_OK;
}

gfp_options gfp_zcall_inside(gfp_zcall *call)
{
    gfp_options inside = gfp_call_inside(&call->base);
    inside.method = NULL;
    inside.threads = call->base.task.threads > 1 ? call->base.task.threads : 1;
    return inside;
}

void gfp_zcall_part(gfp_zcall *call, double to)
{
    call->base.task.part_from = call->base.task.to;
    call->base.task.part_to = to;
}

gfp_status gfp_zcall_step(gfp_zcall *call, double to, double units, double cost)
{
    return gfp_task_span(&call->base.task, to, units, cost) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_zcall_step_on(gfp_zcall *call, double share, double units, double cost)
{
    const gfp_task *t = &call->base.task;
    const double part = t->part_to - t->part_from;
    const double from = part > 0 ? (t->to - t->part_from) / part : 1;
    return gfp_zcall_step(call, from + share * (1 - from), units, cost);
}
