/* copy.cu: copies that run at the same time as computations, in queues of their own, and the fences
 * between queues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"

gfp_status gfp_cuda_stream(gfp_gpu *base, gfp_gpu_queue queue, cudaStream_t *stream)
{
    gfp_cuda *gpu = gfp_cuda_of(base);
    if (queue == GFP_GPU_QUEUE_MAIN) {
        *stream = gpu->stream;
        return GFP_OK;
    }
    cudaStream_t *side = &gpu->side[queue == GFP_GPU_QUEUE_UPLOAD ? 0 : 1];
    if (*side == nullptr) {
        GFP_CUDA_TRY(gpu, cudaStreamCreateWithFlags(side, cudaStreamNonBlocking));
    }
    *stream = *side;
    return GFP_OK;
}

static gfp_status copy_upload(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(gpu, GFP_GPU_QUEUE_UPLOAD, &stream));
    GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    return GFP_OK;
}

static gfp_status copy_download(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(gpu, GFP_GPU_QUEUE_DOWNLOAD, &stream));
    GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    return GFP_OK;
}

/* ---- fences ---- */

typedef struct cuda_fence : gfp_gpu_fence {
    cudaEvent_t event;
} cuda_fence;

static cudaEvent_t event_of(const gfp_gpu_fence *fence)
{
    return ((const cuda_fence *)fence)->event;
}

static gfp_status fence_open(gfp_gpu_fence *fence)
{
    GFP_CUDA_TRY(fence->gpu,
                 cudaEventCreateWithFlags(&((cuda_fence *)fence)->event, cudaEventDisableTiming));
    return GFP_OK;
}

static void fence_close(gfp_gpu_fence *fence)
{
    (void)cudaEventDestroy(event_of(fence));
    (void)cudaGetLastError();
}

static gfp_status fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(fence->gpu, queue, &stream));
    GFP_CUDA_TRY(fence->gpu, cudaEventRecord(event_of(fence), stream));
    return GFP_OK;
}

static gfp_status fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(fence->gpu, queue, &stream));
    GFP_CUDA_TRY(fence->gpu, cudaStreamWaitEvent(stream, event_of(fence), 0));
    return GFP_OK;
}

static gfp_status fence_wait(gfp_gpu_fence *fence)
{
    GFP_CUDA_TRY(fence->gpu, cudaEventSynchronize(event_of(fence)));
    return GFP_OK;
}

const gfp_gpu_queue_calls gfp_cuda_queues = {
    copy_upload, copy_download, sizeof(cuda_fence), fence_open,
    fence_close, fence_set,     fence_hold,         fence_wait,
};

/* ---- several contexts ---- */

static gfp_status exchange_reach(gfp_gpu *gpu, const gfp_gpu *peer)
{
    int can = 0;
    if (gpu->device == peer->device) {
        return GFP_OK;
    }
    GFP_CUDA_TRY(gpu, cudaDeviceCanAccessPeer(&can, (int)gpu->device, (int)peer->device));
    if (can == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "device %u cannot reach device %u",
                            gpu->device, peer->device);
    }
    cudaError_t error = (cudaError_t)gfp_gpu_seam_next();
    if (error == cudaSuccess) {
        error = cudaDeviceEnablePeerAccess((int)peer->device, 0);
    }
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        error = cudaSuccess;
    }
    return error == cudaSuccess ? GFP_OK
                                : gfp_gpu_cuda_failed(gpu, error, "cudaDeviceEnablePeerAccess");
}

static gfp_status exchange_hold(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_fence *fence)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(gpu, queue, &stream));
    GFP_CUDA_TRY(gpu, cudaStreamWaitEvent(stream, event_of(fence), 0));
    return GFP_OK;
}

static gfp_status exchange_copy(gfp_gpu *gpu, gfp_gpu_queue queue, const gfp_gpu_copy *copy)
{
    cudaStream_t stream = nullptr;
    GFP_TRY(gfp_cuda_stream(gpu, queue, &stream));
    GFP_CUDA_TRY(gpu, cudaMemcpy2DAsync(copy->to, copy->to_pitch, copy->from, copy->from_pitch,
                                        copy->bytes, copy->rows, cudaMemcpyDefault, stream));
    return GFP_OK;
}

/* A group takes the host some 15 us for each device, and its kernels some 30 us at their ends. */
const gfp_gpu_exchange_calls gfp_cuda_exchange = {exchange_reach, exchange_hold, exchange_copy,
                                                  (size_t)32 << 20};
