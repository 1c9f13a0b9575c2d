/* copy.cu: copies that run beside the work, in queues of their own, and the fences between queues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu_impl.h"

/* The stream of a queue; those of copies are made on first use. */
static gfp_status stream_of(gfp_gpu *gpu, gfp_gpu_queue queue, cudaStream_t *stream)
{
    if (queue == GFP_GPU_QUEUE_MAIN) {
        *stream = gpu->stream;
        return GFP_OK;
    }
    if (queue != GFP_GPU_QUEUE_UPLOAD && queue != GFP_GPU_QUEUE_DOWNLOAD) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such queue: %d", (int)queue);
    }
    cudaStream_t *side = &gpu->side[queue == GFP_GPU_QUEUE_UPLOAD ? 0 : 1];
    if (*side == nullptr) {
        GFP_CUDA_TRY(gpu, cudaStreamCreateWithFlags(side, cudaStreamNonBlocking));
    }
    *stream = *side;
    return GFP_OK;
}

gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first, const uint64_t *from,
                                size_t words)
{
    gfp_gpu *gpu = array->gpu;
    cudaStream_t stream = nullptr;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(gfp_gpu_array_check_range(gpu, array, first, words));
    GFP_TRY(stream_of(gpu, GFP_GPU_QUEUE_UPLOAD, &stream));
    if (words != 0) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(array->data + first, from, words * sizeof *from,
                                          cudaMemcpyHostToDevice, stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array, size_t first,
                                  size_t words)
{
    gfp_gpu *gpu = array->gpu;
    cudaStream_t stream = nullptr;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(gfp_gpu_array_check_range(gpu, array, first, words));
    GFP_TRY(stream_of(gpu, GFP_GPU_QUEUE_DOWNLOAD, &stream));
    if (words != 0) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, array->data + first, words * sizeof *to,
                                          cudaMemcpyDeviceToHost, stream));
    }
    return GFP_OK;
}

static gfp_status is_pinned(gfp_gpu *gpu, const void *address, bool *pinned)
{
    cudaPointerAttributes attributes;
    GFP_CUDA_TRY(gpu, cudaPointerGetAttributes(&attributes, address));
    *pinned = attributes.type == cudaMemoryTypeHost;
    return GFP_OK;
}

gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    bool first = false, last = false;
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(is_pinned(gpu, block, &first));
    if (first) {
        GFP_TRY(is_pinned(gpu, (const char *)block + (bytes != 0 ? bytes - 1 : 0), &last));
    }
    *pinned = first && last;
    return GFP_OK;
}

/* ---- fences ---- */

struct gfp_gpu_fence {
    gfp_gpu *gpu;
    cudaEvent_t event;
};

static gfp_status create_event(gfp_gpu *gpu, cudaEvent_t *event)
{
    GFP_GPU_ENTER(gpu, true);
    GFP_CUDA_TRY(gpu, cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    return GFP_OK;
}

gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu)
{
    gfp_gpu_fence *made = (gfp_gpu_fence *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a fence");
    }
    memset(made, 0, sizeof *made);
    made->gpu = gpu;
    gfp_status status = create_event(gpu, &made->event);
    if (status != GFP_OK) {
        gfp_release(&gpu->allocator, made, 1, sizeof *made);
        return status;
    }
    *fence = made;
    return GFP_OK;
}

void gfp_gpu_fence_destroy(gfp_gpu_fence *fence)
{
    if (fence == nullptr) {
        return;
    }
    gfp_gpu *gpu = fence->gpu;
    gfp_gpu_scope scope(gpu);
    (void)cudaEventDestroy(fence->event);
    (void)cudaGetLastError();
    gfp_release(&gpu->allocator, fence, 1, sizeof *fence);
}

gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    gfp_gpu *gpu = fence->gpu;
    cudaStream_t stream = nullptr;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(stream_of(gpu, queue, &stream));
    GFP_CUDA_TRY(gpu, cudaEventRecord(fence->event, stream));
    return GFP_OK;
}

gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    gfp_gpu *gpu = fence->gpu;
    cudaStream_t stream = nullptr;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(stream_of(gpu, queue, &stream));
    GFP_CUDA_TRY(gpu, cudaStreamWaitEvent(stream, fence->event, 0));
    return GFP_OK;
}

gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence)
{
    gfp_gpu *gpu = fence->gpu;
    GFP_GPU_ENTER(gpu, true);
    GFP_CUDA_TRY(gpu, cudaEventSynchronize(fence->event));
    return GFP_OK;
}
