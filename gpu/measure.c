/* measure.c: graphs and timers: measure.h over a backend's table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/measure.h"
#include "gpu/backend.h"

static gfp_status begin_capture(gfp_gpu *gpu)
{
    GFP_GPU_NEED(gpu, measure, capture_begin);
    GFP_TRY(gpu->backend->measure->capture_begin(gpu));
    gpu->capturing = true;
    return GFP_OK;
}

gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu)
{
    GFP_GPU_RETURN(gpu, true, begin_capture(gpu));
}

gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    if (!gpu->capturing) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no capture is open");
    }
    const int before = gfp_gpu_enter_to_destroy(gpu);
    const gfp_status status = gpu->backend->measure->capture_end(gpu, graph);
    gpu->capturing = false;
    return gfp_gpu_leave(gpu, before, status);
}

gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph)
{
    GFP_GPU_RETURN(graph->gpu, true, graph->gpu->backend->measure->graph_launch(graph));
}

void gfp_gpu_graph_destroy(gfp_gpu_graph *graph)
{
    if (graph != NULL) {
        gfp_gpu *gpu = graph->gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        gpu->backend->measure->graph_destroy(graph);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
}

static gfp_status create_timer(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    GFP_GPU_NEED(gpu, measure, timer_create);
    return gpu->backend->measure->timer_create(timer, gpu);
}

gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    GFP_GPU_RETURN(gpu, true, create_timer(timer, gpu));
}

void gfp_gpu_timer_destroy(gfp_gpu_timer *timer)
{
    if (timer != NULL) {
        gfp_gpu *gpu = timer->gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        gpu->backend->measure->timer_destroy(timer);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
}

gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->measure->timer_start(timer));
}

gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->measure->timer_stop(timer));
}

gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->measure->timer_read(timer, ms));
}
