/* call.c: the frame of a call over Z: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/call.h"

#include <math.h>

#include "field/base/parallel.h"
#include "product/verify/claim.h"

/* Parallel loops serve at most this number of threads: field/base/parallel.c cuts it, too. */
#define MOST_THREADS 1024
#define ALIGNMENT 64
/* Of a list of names, in messages. */
#define LIST_BYTES 100

const char *const gfp_zmethod_names[GFP_Z_METHODS] = {
    "auto", "words", "big", "flint", "kronecker", "classical", "short", "words_gpu"};

/* Before an array, in the block that holds both. */
typedef struct gfp_zcall_array {
    struct gfp_zcall_array *before;
    size_t bytes;
} array;

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

static gfp_status unknown_method(const gfp_zcall *call, const char *name)
{
    char list[LIST_BYTES];
    list_methods(list, sizeof list, ~0U);
    return gfp_error_set(call->options->error, GFP_ERR_UNKNOWN,
                         "unknown method \"%.60s\" over the integers; available: %s", name, list);
}

static gfp_status read_method(gfp_zcall *call)
{
    const char *name = call->options->method;
    call->method = GFP_Z_AUTO;
    if (gfp_options_auto(call->options)) {
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

gfp_status gfp_zcall_begin(gfp_zcall *call, const char *name, gfp_zring *ring,
                           const gfp_options *options)
{
    memset(call, 0, sizeof *call);
    GFP_TRY(gfp_options_read(&options, &call->copy));
    call->ring = ring;
    call->options = options;
    call->name = name;
    GFP_TRY(read_method(call));
    call->report.method = gfp_zmethod_names[call->method];
    call->left = options->memory_cap != 0 ? options->memory_cap : SIZE_MAX;
    call->start = gfp_clock_ns();
    call->report.threads = 1;
    gfp_task_start(&call->task, options->progress);
    gfp_task_part(&call->task, 1);
    if (options->threads > 1 && gfp_parallel_process() == ring->process) {
        call->task.threads = options->threads < MOST_THREADS ? options->threads : MOST_THREADS;
    }
    return GFP_OK;
}

static void fill_report(gfp_zcall *call)
{
    const uint64_t end = gfp_clock_ns();
    const uint64_t computed = call->checked_from != 0 ? call->checked_from : end;
    call->report.multiply_ns = computed - call->start;
    call->report.verify_ns = end - computed;
    if (call->options->report != NULL) {
        *call->options->report = call->report;
    }
}

gfp_status gfp_zcall_end(gfp_zcall *call, gfp_status status)
{
    gfp_zcall_release(call, NULL);
    if (status == GFP_OK || status == GFP_ERR_VERIFY) {
        fill_report(call);
    }
    if (status != GFP_OK && call->options->error != NULL) {
        if (call->error.message[0] != '\0' && call->error.status == status) {
            *call->options->error = call->error;
        } else {
            (void)gfp_error_set(call->options->error, status, "%s: %s", call->name,
                                gfp_status_string(status));
        }
    }
    return status;
}

gfp_status gfp_zcall_finish(gfp_zcall *call)
{
    return gfp_task_finish(&call->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

void gfp_zcall_checks(gfp_zcall *call)
{
    if (call->checked_from == 0) {
        call->checked_from = gfp_clock_ns();
    }
}

gfp_status gfp_zcall_unavailable(gfp_zcall *call, const char *reason)
{
    return gfp_error_set(&call->error, GFP_ERR_UNAVAILABLE, "%s: method %s: %s", call->name,
                         gfp_zmethod_names[call->method], reason);
}

gfp_status gfp_zcall_takes(gfp_zcall *call, unsigned methods)
{
    char list[LIST_BYTES];
    if (call->method == GFP_Z_AUTO || (methods >> call->method & 1) != 0) {
        return GFP_OK;
    }
    list_methods(list, sizeof list, methods);
    return gfp_error_set(&call->error, GFP_ERR_UNAVAILABLE, "%s: no method \"%s\"; available: %s",
                         call->name, gfp_zmethod_names[call->method], list);
}

gfp_status gfp_zcall_wrong(gfp_zcall *call)
{
    return gfp_error_set(&call->error, GFP_ERR_VERIFY, "%s: the result failed its verification",
                         call->name);
}

gfp_status gfp_zcall_random_block(gfp_zcall *call, gfp_words *block, double bits, double degree)
{
    gfp_random g;
    uint64_t seed = call->options->verify_seed;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &call->error));
    }
    gfp_random_seed(&g, seed);
    call->report.log2_error = (int)ceil(gfp_words_draw(block, &g, bits, degree));
    call->report.verified = GFP_VERIFY_POINT;
    call->report.points = GFP_WORDS;
    return GFP_OK;
}

gfp_options gfp_zcall_inside(gfp_zcall *call)
{
    call->forwarded = (gfp_progress){gfp_task_forward, &call->task};
    return (gfp_options){.progress = &call->forwarded,
                         .threads = call->task.threads > 1 ? call->task.threads : 1,
                         /* 0 would be no cap. */
                         .memory_cap = call->left == SIZE_MAX ? 0
                                       : call->left > 0       ? call->left
                                                              : 1,
                         .tuning = call->options->tuning,
                         .error = &call->error};
}

void gfp_zcall_part(gfp_zcall *call, double to)
{
    call->task.part_from = call->task.to;
    call->task.part_to = to;
}

gfp_status gfp_zcall_step(gfp_zcall *call, double to, double units, double cost)
{
    return gfp_task_span(&call->task, to, units, cost) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_zcall_step_on(gfp_zcall *call, double share, double units, double cost)
{
    const gfp_task *t = &call->task;
    const double part = t->part_to - t->part_from;
    const double from = part > 0 ? (t->to - t->part_from) / part : 1;
    return gfp_zcall_step(call, from + share * (1 - from), units, cost);
}

/* ---- memory ---- */

static gfp_status no_memory(gfp_zcall *call, size_t bytes)
{
    if (call->left != SIZE_MAX) {
        return gfp_error_set(&call->error, GFP_ERR_MEMORY,
                             "%s: %zu bytes more are needed, and %zu of the cap are left",
                             call->name, bytes, call->left);
    }
    return gfp_error_set(&call->error, GFP_ERR_MEMORY, "%s: no memory for %zu bytes", call->name,
                         bytes);
}

gfp_status gfp_zcall_may_take(gfp_zcall *call, size_t bytes)
{
    if (bytes > call->left) {
        return no_memory(call, bytes);
    }
    call->left -= call->left != SIZE_MAX ? bytes : 0;
    return GFP_OK;
}

void gfp_zcall_give_back(gfp_zcall *call, size_t bytes)
{
    call->left += call->left != SIZE_MAX ? bytes : 0;
}

gfp_status gfp_zcall_array(gfp_zcall *call, uint64_t **x, size_t n)
{
    size_t bytes;
    if (!gfp_size_mul(&bytes, n, sizeof **x) ||
        !gfp_size_add(&bytes, bytes, sizeof(array) + ALIGNMENT)) {
        return gfp_error_set(&call->error, GFP_ERR_SIZE, "%s: the operands are too large",
                             call->name);
    }
    GFP_TRY(gfp_zcall_may_take(call, bytes));
    array *a = gfp_allocate(&call->ring->allocator, bytes, 1);
    if (a == NULL) {
        gfp_zcall_give_back(call, bytes);
        return no_memory(call, bytes);
    }
    *a = (array){call->last, bytes};
    call->last = a;
    const uintptr_t begin = (uintptr_t)(a + 1);
    const size_t gap = (size_t)(-begin & (ALIGNMENT - 1));
    *x = (uint64_t *)(void *)((char *)(a + 1) + gap);
    return GFP_OK;
}

void gfp_zcall_release(gfp_zcall *call, gfp_zcall_mark mark)
{
    while (call->last != mark) {
        array *a = call->last;
        call->last = a->before;
        gfp_zcall_give_back(call, a->bytes);
        gfp_release(&call->ring->allocator, a, a->bytes, 1);
    }
}
