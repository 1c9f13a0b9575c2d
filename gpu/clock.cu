/* clock.cu: times on the device: the public timer, and the clock of a call's steps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu_impl.h"

/* ---- timers ---- */

struct gfp_gpu_timer {
    gfp_gpu *gpu;
    cudaEvent_t start;
    cudaEvent_t stop;
    bool started;
    bool stopped;
};

static gfp_status create_events(gfp_gpu_timer *timer)
{
    GFP_CUDA_TRY(timer->gpu, cudaEventCreate(&timer->start));
    GFP_CUDA_TRY(timer->gpu, cudaEventCreate(&timer->stop));
    return GFP_OK;
}

static void destroy_event(cudaEvent_t event)
{
    if (event != nullptr) {
        (void)cudaEventDestroy(event);
        (void)cudaGetLastError();
    }
}

gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    GFP_GPU_ENTER(gpu, true);
    gfp_gpu_timer *made = (gfp_gpu_timer *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a timer");
    }
    memset(made, 0, sizeof *made);
    made->gpu = gpu;
    gfp_status status = create_events(made);
    if (status != GFP_OK) {
        gfp_gpu_timer_destroy(made);
        return status;
    }
    *timer = made;
    return GFP_OK;
}

void gfp_gpu_timer_destroy(gfp_gpu_timer *timer)
{
    if (timer == nullptr) {
        return;
    }
    gfp_gpu *gpu = timer->gpu;
    gfp_gpu_scope scope(gpu);
    destroy_event(timer->start);
    destroy_event(timer->stop);
    gfp_release(&gpu->allocator, timer, 1, sizeof *timer);
}

gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer)
{
    GFP_GPU_ENTER(timer->gpu, true);
    GFP_CUDA_TRY(timer->gpu, cudaEventRecord(timer->start, timer->gpu->stream));
    timer->started = true;
    timer->stopped = false;
    return GFP_OK;
}

gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer)
{
    GFP_GPU_ENTER(timer->gpu, true);
    GFP_CUDA_TRY(timer->gpu, cudaEventRecord(timer->stop, timer->gpu->stream));
    timer->stopped = timer->started;
    return GFP_OK;
}

gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms)
{
    float read = 0;
    GFP_GPU_ENTER(timer->gpu, true);
    if (!timer->stopped) {
        return GFP_GPU_FAIL(timer->gpu, GFP_ERR_ARGUMENT, "a timer not started and stopped");
    }
    GFP_CUDA_TRY(timer->gpu, cudaEventSynchronize(timer->stop));
    GFP_CUDA_TRY(timer->gpu, cudaEventElapsedTime(&read, timer->start, timer->stop));
    *ms = read;
    return GFP_OK;
}

/* ---- the clock of a call's steps ---- */

static gfp_status create_marks(gfp_gpu_clock *clock)
{
    gfp_gpu *gpu = clock->gpu;
    for (unsigned i = 0; i < clock->capacity; i++) {
        GFP_CUDA_TRY(gpu, cudaEventCreate(&clock->mark[i].event));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_clock_create(gfp_gpu_clock *clock, gfp_gpu *gpu, const char *const *names,
                                unsigned steps, unsigned marks)
{
    clock->gpu = gpu;
    clock->names = names;
    clock->steps = steps;
    clock->capacity = marks + 1;
    clock->marks = 0;
    clock->mark =
        (gfp_gpu_mark *)gfp_allocate(&gpu->allocator, clock->capacity, sizeof *clock->mark);
    if (clock->mark == nullptr) {
        memset(clock, 0, sizeof *clock);
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for the times of steps");
    }
    memset(clock->mark, 0, clock->capacity * sizeof *clock->mark);
    gfp_status status = create_marks(clock);
    if (status != GFP_OK) {
        gfp_gpu_clock_destroy(clock);
    }
    return status;
}

void gfp_gpu_clock_destroy(gfp_gpu_clock *clock)
{
    if (clock->mark == nullptr) {
        return;
    }
    for (unsigned i = 0; i < clock->capacity; i++) {
        destroy_event(clock->mark[i].event);
    }
    gfp_release(&clock->gpu->allocator, clock->mark, clock->capacity, sizeof *clock->mark);
    memset(clock, 0, sizeof *clock);
}

gfp_status gfp_gpu_clock_start(gfp_gpu_clock *clock)
{
    if (clock->mark == nullptr) {
        return GFP_OK;
    }
    if (clock->gpu->capturing) {
        return GFP_GPU_FAIL(clock->gpu, GFP_ERR_ARGUMENT, "a timed call cannot be captured");
    }
    clock->marks = 0;
    GFP_CUDA_TRY(clock->gpu, cudaEventRecord(clock->mark[0].event, clock->gpu->stream));
    clock->marks = 1;
    return GFP_OK;
}

gfp_status gfp_gpu_clock_mark(gfp_gpu_clock *clock, unsigned step, unsigned kernels)
{
    if (clock->mark == nullptr) {
        return GFP_OK;
    }
    if (clock->marks == clock->capacity) {
        return GFP_GPU_FAIL(clock->gpu, GFP_ERR_SIZE, "a call of more than %u steps",
                            clock->capacity - 1);
    }
    gfp_gpu_mark *mark = &clock->mark[clock->marks];
    mark->step = step;
    mark->kernels = kernels;
    GFP_CUDA_TRY(clock->gpu, cudaEventRecord(mark->event, clock->gpu->stream));
    clock->marks++;
    return GFP_OK;
}

gfp_status gfp_gpu_clock_read(gfp_gpu_clock *clock, gfp_gpu_times *times)
{
    gfp_gpu_times read = {};
    gfp_gpu *gpu = clock->gpu;
    read.count = clock->steps;
    for (unsigned i = 0; i < clock->steps; i++) {
        read.step[i].name = clock->names[i];
    }
    if (clock->marks > 1) {
        GFP_CUDA_TRY(gpu, cudaEventSynchronize(clock->mark[clock->marks - 1].event));
    }
    for (unsigned i = 1; i < clock->marks; i++) {
        const gfp_gpu_mark *mark = &clock->mark[i];
        float ms = 0;
        GFP_CUDA_TRY(gpu, cudaEventElapsedTime(&ms, mark[-1].event, mark->event));
        read.step[mark->step].ms += ms;
        read.step[mark->step].kernels += mark->kernels;
    }
    *times = read;
    return GFP_OK;
}
