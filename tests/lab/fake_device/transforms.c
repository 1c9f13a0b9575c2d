/* transforms.c: the rest of the backend `host' (device.h): timers, graphs, and transforms
 * by the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdlib.h>

/* ---- graphs ---- */

static gfp_status capture_begin(gfp_gpu *gpu)
{
    fake_graph *graph = fake_make(sizeof *graph);
    graph->base.gpu = gpu;
    *fake_recording(gpu) = graph;
    return GFP_OK;
}

static void graph_destroy(gfp_gpu_graph *graph)
{
    free(((fake_graph *)graph)->recorded);
    fake_unmake(graph);
}

static gfp_status capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    fake_graph *recorded = *fake_recording(gpu);
    int before = -1;
    *fake_recording(gpu) = NULL;
    const gfp_status status = gfp_gpu_enter(gpu, false, &before);
    if (status != GFP_OK) {
        graph_destroy(&recorded->base);
        return status;
    }
    *graph = &recorded->base;
    return GFP_OK;
}

static gfp_status graph_launch(gfp_gpu_graph *base)
{
    const fake_graph *graph = (const fake_graph *)base;
    for (size_t i = 0; i < graph->count; i++) {
        GFP_TRY(fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, graph->recorded[i]));
    }
    return GFP_OK;
}

/* ---- timers ---- */

typedef struct host_timer {
    gfp_gpu_timer base;
    uint64_t start, stop; /* ns; 0: not set */
} host_timer;

static gfp_status timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    *timer = fake_make(sizeof(host_timer));
    (*timer)->gpu = gpu;
    return GFP_OK;
}

static void timer_destroy(gfp_gpu_timer *timer)
{
    fake_unmake(timer);
}

static gfp_status timer_start(gfp_gpu_timer *timer)
{
    fake_run_all(timer->gpu);
    ((host_timer *)timer)->start = gfp_clock_ns();
    ((host_timer *)timer)->stop = 0;
    return GFP_OK;
}

static gfp_status timer_stop(gfp_gpu_timer *timer)
{
    fake_run_all(timer->gpu);
    ((host_timer *)timer)->stop = ((host_timer *)timer)->start > 0 ? gfp_clock_ns() : 0;
    return GFP_OK;
}

static gfp_status timer_read(gfp_gpu_timer *base, double *ms)
{
    const host_timer *timer = (const host_timer *)base;
    if (timer->stop == 0) {
        return GFP_GPU_FAIL(base->gpu, GFP_ERR_ARGUMENT, "not started and stopped");
    }
    *ms = (double)(timer->stop - timer->start + 1) / 1e6;
    return GFP_OK;
}

const gfp_gpu_measure_calls fake_measure = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .timer_create = timer_create,
    .timer_destroy = timer_destroy,
    .timer_start = timer_start,
    .timer_stop = timer_stop,
    .timer_read = timer_read,
};

/* ---- transforms over Z/pZ ---- */

static bool fft_serves(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch)
{
    (void)gpu;
    (void)field;
    (void)log2_n;
    (void)batch;
    return true;
}

static void fft_destroy(gfp_gpu_fft_plan *plan)
{
    fake_fft *own = plan->state;
    gfp_gpu_device_release(plan->gpu, own->tables, plan->words * sizeof(uint64_t));
    gfp_fft_plan_destroy(own->cpu);
    fake_unmake(own);
}

static gfp_status fft_create(gfp_gpu_fft_plan *plan)
{
    fake_fft *own = fake_make(sizeof *own);
    plan->state = own;
    gfp_status status =
        gfp_gpu_device_allocate(plan->gpu, &own->tables, plan->words * sizeof(uint64_t));
    if (status == GFP_OK) {
        status = gfp_fft_plan_create(&own->cpu, plan->field, plan->n, &plan->gpu->error);
    }
    if (status != GFP_OK) {
        fft_destroy(plan);
        plan->state = NULL;
    }
    return status;
}

static void run_fft(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_fft_plan *plan = o->plan;
    const fake_fft *own = plan->state;
    const size_t words = plan->n * plan->k;
    (void)gpu;
    for (size_t i = 0; i < plan->batch; i++) {
        uint64_t *y = o->to + i * words;
        const uint64_t *x = o->from + i * words;
        if ((o->inverse ? gfp_fft_inverse(y, x, o->order, own->cpu, NULL)
                        : gfp_fft_forward(y, x, o->order, own->cpu, NULL)) != GFP_OK) {
            abort();
        }
    }
}

static gfp_status fft_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                              gfp_order order)
{
    const operation o = {.run = run_fft, .plan = plan, .to = y, .from = x, .order = order};
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN, o);
}

static gfp_status fft_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                              gfp_order order)
{
    const operation o = {
        .run = run_fft, .plan = plan, .to = x, .from = y, .order = order, .inverse = true};
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN, o);
}

static const gfp_gpu_fft_engine fast = {
    GFP_GPU_FFT_FAST, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy,
};
const gfp_gpu_fft_engine *const fake_fft_engines[] = {&fast, NULL};
