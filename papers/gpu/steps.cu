/* steps.cu: see steps.cuh.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "papers/gpu/steps.cuh"

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
        gfp_cuda_event_destroy(clock->mark[i].event);
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
    GFP_CUDA_TRY(clock->gpu,
                 cudaEventRecord(clock->mark[0].event, gfp_cuda_of(clock->gpu)->stream));
    clock->marks = 1;
    return GFP_OK;
}

gfp_status gfp_gpu_clock_mark(gfp_gpu_clock *clock, unsigned step, unsigned kernels)
{
    if (clock->mark == nullptr) {
        return GFP_OK;
    }
    if (clock->marks == clock->capacity) {
        return GFP_GPU_FAIL(clock->gpu, GFP_ERR_SIZE, "the call has more than %u steps",
                            clock->capacity - 1);
    }
    gfp_gpu_mark *mark = &clock->mark[clock->marks];
    mark->step = step;
    mark->kernels = kernels;
    GFP_CUDA_TRY(clock->gpu, cudaEventRecord(mark->event, gfp_cuda_of(clock->gpu)->stream));
    clock->marks++;
    return GFP_OK;
}

gfp_status gfp_gpu_clock_read(gfp_gpu *gpu, const gfp_gpu_clock *clock, gfp_gpu_times *times)
{
    gfp_gpu_times read = {};
    if (clock->marks == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the plan has no timed transform yet");
    }
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
