/* measure.cu: graphs and timers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"
#include "gpu/measure.h"

/* ---- graphs ---- */

typedef struct cuda_graph : gfp_gpu_graph {
    cudaGraphExec_t exec;
} cuda_graph;

static gfp_status capture_begin(gfp_gpu *gpu)
{
    /* The mode is relaxed: kernels that load on their first launch need calls that the other modes
     * forbid. */
    GFP_CUDA_TRY(gpu,
                 cudaStreamBeginCapture(gfp_cuda_of(gpu)->stream, cudaStreamCaptureModeRelaxed));
    return GFP_OK;
}

/* Ends the capture in any case. */
static gfp_status end_capture(gfp_gpu *gpu, cudaGraph_t *recorded)
{
    cudaError_t ended = cudaStreamEndCapture(gfp_cuda_of(gpu)->stream, recorded);
    if (gpu->lost) {
        return GFP_ERR_DEVICE;
    }
    GFP_CUDA_TRY(gpu, ended);
    return GFP_OK;
}

static gfp_status measure_instantiate(gfp_gpu *gpu, cudaGraphExec_t *exec, cudaGraph_t recorded)
{
    GFP_CUDA_TRY(gpu, cudaGraphInstantiateWithFlags(exec, recorded, 0));
    return GFP_OK;
}

static gfp_status capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    cudaGraph_t recorded = nullptr;
    cudaGraphExec_t exec = nullptr;
    gfp_status status = end_capture(gpu, &recorded);
    if (status == GFP_OK) {
        status = measure_instantiate(gpu, &exec, recorded);
    }
    if (recorded != nullptr) {
        (void)cudaGraphDestroy(recorded);
    }
    GFP_TRY(status);
    cuda_graph *made = (cuda_graph *)gfp_gpu_make(gpu, sizeof *made, "a graph");
    if (made == nullptr) {
        (void)cudaGraphExecDestroy(exec);
        return GFP_ERR_MEMORY;
    }
    made->gpu = gpu;
    made->exec = exec;
    *graph = made;
    return GFP_OK;
}

static gfp_status graph_launch(gfp_gpu_graph *graph)
{
    GFP_CUDA_TRY(graph->gpu,
                 cudaGraphLaunch(((cuda_graph *)graph)->exec, gfp_cuda_of(graph->gpu)->stream));
    return GFP_OK;
}

static void graph_destroy(gfp_gpu_graph *graph)
{
    (void)cudaGraphExecDestroy(((cuda_graph *)graph)->exec);
    (void)cudaGetLastError();
    gfp_release(&graph->gpu->allocator, graph, 1, sizeof(cuda_graph));
}

/* ---- timers ---- */

void gfp_cuda_event_destroy(cudaEvent_t event)
{
    if (event != nullptr) {
        (void)cudaEventDestroy(event);
        (void)cudaGetLastError();
    }
}

typedef struct cuda_timer : gfp_gpu_timer {
    cudaEvent_t start;
    cudaEvent_t stop;
    bool started;
    bool stopped;
} cuda_timer;

static gfp_status create_events(cuda_timer *timer)
{
    GFP_CUDA_TRY(timer->gpu, cudaEventCreate(&timer->start));
    GFP_CUDA_TRY(timer->gpu, cudaEventCreate(&timer->stop));
    return GFP_OK;
}

static void timer_destroy(gfp_gpu_timer *timer)
{
    gfp_cuda_event_destroy(((cuda_timer *)timer)->start);
    gfp_cuda_event_destroy(((cuda_timer *)timer)->stop);
    gfp_release(&timer->gpu->allocator, timer, 1, sizeof(cuda_timer));
}

static gfp_status timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    cuda_timer *made = (cuda_timer *)gfp_gpu_make(gpu, sizeof *made, "a timer");
    if (made == nullptr) {
        return GFP_ERR_MEMORY;
    }
    made->gpu = gpu;
    gfp_status status = create_events(made);
    if (status != GFP_OK) {
        timer_destroy(made);
        return status;
    }
    *timer = made;
    return GFP_OK;
}

static gfp_status timer_start(gfp_gpu_timer *base)
{
    cuda_timer *timer = (cuda_timer *)base;
    GFP_CUDA_TRY(timer->gpu, cudaEventRecord(timer->start, gfp_cuda_of(timer->gpu)->stream));
    timer->started = true;
    timer->stopped = false;
    return GFP_OK;
}

static gfp_status timer_stop(gfp_gpu_timer *base)
{
    cuda_timer *timer = (cuda_timer *)base;
    GFP_CUDA_TRY(timer->gpu, cudaEventRecord(timer->stop, gfp_cuda_of(timer->gpu)->stream));
    timer->stopped = timer->started;
    return GFP_OK;
}

static gfp_status timer_read(gfp_gpu_timer *base, double *ms)
{
    cuda_timer *timer = (cuda_timer *)base;
    float read = 0;
    if (!timer->stopped) {
        return GFP_GPU_FAIL(timer->gpu, GFP_ERR_ARGUMENT, "the timer was not started and stopped");
    }
    GFP_CUDA_TRY(timer->gpu, cudaEventSynchronize(timer->stop));
    GFP_CUDA_TRY(timer->gpu, cudaEventElapsedTime(&read, timer->start, timer->stop));
    *ms = read;
    return GFP_OK;
}

const gfp_gpu_measure_calls gfp_cuda_measure = {
    capture_begin, capture_end, graph_launch, graph_destroy, timer_create,
    timer_destroy, timer_start, timer_stop,   timer_read,
};
