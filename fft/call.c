/* call.c: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/call.h"

#include <string.h>

#include "field/base/parallel.h"
#include "field/base/support.h"

/* The least words of a thread's share: some 15 us of work. */
#define LEAST_SHARE ((size_t)2048)

static gfp_status check_options(gfp_call *call)
{
    const gfp_options *options = call->options;
    if (!gfp_options_auto(options) && strcmp(options->method, call->name) != 0) {
        return gfp_error_set(&call->error, GFP_ERR_UNKNOWN,
                             "unknown method \"%.60s\"; available: auto, %s", options->method,
                             call->name);
    }
    if (options->verify != GFP_VERIFY_NONE) {
        return gfp_error_set(&call->error, GFP_ERR_UNAVAILABLE, "transforms have no verification");
    }
    return GFP_OK;
}

/* Returns the bytes of the work area of a call on this number of threads. */
static size_t bytes_for(const gfp_fft_needs *needs, unsigned threads, size_t *words)
{
    *words = gfp_size_add_sat(needs->shared, gfp_size_mul_sat(needs->each, threads));
    return gfp_work_bytes(*words);
}

/* Returns the most threads that have enough to do. */
static unsigned useful_threads(const gfp_field *field, const gfp_fft_needs *needs, unsigned asked)
{
    const unsigned threads = gfp_parallel_threads(field, asked);
    const size_t shares = gfp_size_mul_sat(needs->elements, gfp_field_k(field)) / LEAST_SHARE;
    return shares == 0 ? 1 : (unsigned)gfp_size_min(threads, shares);
}

/* Takes the work area for call->threads threads, or fewer if the cap says so. */
static gfp_status take_area(gfp_fft_call *call, const gfp_fft_needs *needs)
{
    const size_t cap = call->base.cap;
    size_t words, bytes = bytes_for(needs, call->threads, &words);
    while (call->threads > 1 && bytes > cap) {
        bytes = bytes_for(needs, --call->threads, &words);
    }
    if (bytes > cap) {
        return gfp_error_set(&call->base.error, GFP_ERR_MEMORY,
                             "a transform needs %zu bytes of work space, the cap is %zu", bytes,
                             cap);
    }
    const gfp_status status = gfp_work_take(&call->work, call->field, words);
    call->area = call->work.words;
    return status == GFP_OK ? status
                            : gfp_error_set(&call->base.error, status,
                                            "no memory for %zu bytes of work space", bytes);
}

/* Starts the task if there are threads or progress; false: the call is cancelled. */
static bool start_task(gfp_fft_call *call, double units)
{
    call->base.report.threads = call->threads;
    if (call->threads <= 1 && call->base.options->progress == NULL) {
        return true;
    }
    call->task = &call->base.task;
    call->task->threads = call->threads;
    gfp_task_part(call->task, 1);
    return gfp_task_span(call->task, 1, units, gfp_task_product_cost(call->field));
}

gfp_status gfp_fft_call_begin(gfp_fft_call *call, const char *name, const gfp_field *field,
                              const gfp_fft_needs *needs, const gfp_options *options)
{
    GFP_TRY(gfp_call_begin(&call->base, name, options));
    call->field = field;
    call->task = NULL;
    call->threads = useful_threads(field, needs, call->base.options->threads);
    call->base.report.method = name;
    gfp_status status = check_options(&call->base);
    status = status == GFP_OK ? take_area(call, needs) : status;
    if (status != GFP_OK) {
        return gfp_call_end(&call->base, status);
    }
    return start_task(call, needs->units) ? GFP_OK : gfp_fft_call_end(call, false);
}

gfp_status gfp_fft_call_end(gfp_fft_call *call, bool completed)
{
    gfp_work_give(&call->work, call->field);
    return gfp_call_end(&call->base,
                        completed && gfp_task_finish(call->task) ? GFP_OK : GFP_ERR_CANCELLED);
}
