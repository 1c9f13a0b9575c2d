/* impl.h: shared by the .cu files, which make up the backend `cuda` (backend.cu): its contexts,
 * the one seam for CUDA calls, and the parts of its table. In .cu files everything but gfp_* is
 * static, kernels and their templates too (nvcc gives names in anonymous namespaces external
 * linkage). No exceptions, no C++ library.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_IMPL_H
#define GFP_GPU_CUDA_IMPL_H

#include <cuda_runtime.h>

#include "gpu/backend.h"
#include "gpu/seam.h"

/* kernel<<<...>>> without the code that nvcc adds: statics initialised on first use, which need the
 * C++ library or are not safe between threads. */
template <typename T> struct gfp_gpu_as {
    typedef T type;
};
template <typename... P>
__attribute__((always_inline)) static inline cudaError_t
gfp_gpu_launch(void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream,
               typename gfp_gpu_as<P>::type... arguments)
{
    void *addresses[] = {(void *)&arguments..., nullptr};
    return cudaLaunchKernel((const void *)kernel, blocks, threads, addresses, shared, stream);
}

/* External names are gfp_* with C linkage, as in the library's other rooms: no mangled names. */
GFP_BEGIN_DECLS

/* ---- contexts ---- */

typedef struct gfp_cuda : gfp_gpu {
    cudaStream_t stream;
    cudaStream_t side[2]; /* streams of uploads and downloads; created on first use
                             (gpu/cuda/vector/copy.cu) */
    int multiprocessors;
    int shared_per_block; /* most bytes of shared memory that a block may request (opt-in) */
} gfp_cuda;

static inline gfp_cuda *gfp_cuda_of(gfp_gpu *gpu)
{
    return (gfp_cuda *)gpu;
}

/* The properties of an open context, which do not change. */
static inline const gfp_cuda *gfp_cuda_device_of(const gfp_gpu *gpu)
{
    return (const gfp_cuda *)gpu;
}

/* Records a CUDA error and returns its status: MEMORY, UNAVAILABLE or DEVICE. An error that
 * persists marks the context as lost. call is the text of the call. */
gfp_status gfp_gpu_cuda_failed(gfp_gpu *gpu, cudaError_t error, const char *call);

/* Wraps every call of CUDA, in functions that return gfp_status. */
#define GFP_CUDA_TRY(gpu, call)                                                                    \
    do {                                                                                           \
        cudaError_t gfp_cuda_error_ = (cudaError_t)gfp_gpu_seam_next();                            \
        if (gfp_cuda_error_ == cudaSuccess) {                                                      \
            gfp_cuda_error_ = (call);                                                              \
        }                                                                                          \
        if (gfp_cuda_error_ != cudaSuccess) {                                                      \
            return gfp_gpu_cuda_failed((gpu), gfp_cuda_error_, #call);                             \
        }                                                                                          \
    } while (0)

/* Launches a kernel on the context's stream: GFP_LAUNCH(gpu, (kernel<8, true>), blocks, threads,
 * shared_bytes, arguments...). Template kernels need the parentheses. GFP_LAUNCH_ON: on any stream
 * of the context. */
#define GFP_LAUNCH(gpu, kernel, blocks, threads, shared_bytes, ...)                                \
    GFP_LAUNCH_ON(gpu, gfp_cuda_of(gpu)->stream, kernel, blocks, threads, shared_bytes, __VA_ARGS__)
#define GFP_LAUNCH_ON(gpu, on, kernel, blocks, threads, shared_bytes, ...)                         \
    do {                                                                                           \
        cudaError_t gfp_cuda_error_ = (cudaError_t)gfp_gpu_seam_next();                            \
        if (gfp_cuda_error_ == cudaSuccess) {                                                      \
            gfp_cuda_error_ =                                                                      \
                gfp_gpu_launch(kernel, (blocks), (threads), (shared_bytes), (on), __VA_ARGS__);    \
        }                                                                                          \
        if (gfp_cuda_error_ != cudaSuccess) {                                                      \
            return gfp_gpu_cuda_failed((gpu), gfp_cuda_error_, "launch of " #kernel);              \
        }                                                                                          \
    } while (0)

/* *stream := the stream of a queue; those of copies are created on first use (copy.cu). */
gfp_status gfp_cuda_stream(gfp_gpu *gpu, gfp_gpu_queue queue, cudaStream_t *stream);

/* event may be NULL (measure.cu). */
void gfp_cuda_event_destroy(cudaEvent_t event);

/* For member functions: leaves no symbols behind. */
#define GFP_GPU_INLINE __attribute__((always_inline)) inline

/* ---- the parts of the table, by file ---- */

extern const gfp_gpu_backend gfp_cuda_backend; /* backend.cu */
extern const gfp_gpu_device_calls gfp_cuda_device;
extern const gfp_gpu_memory_calls gfp_cuda_memory;
extern const gfp_gpu_queue_calls gfp_cuda_queues;
extern const gfp_gpu_exchange_calls gfp_cuda_exchange;
extern const gfp_gpu_vec_calls gfp_cuda_vec;
extern const struct gfp_gpu_measure_calls gfp_cuda_measure;
extern const struct gfp_gpu_images_calls gfp_cuda_images;
extern const struct gfp_gpu_word_calls gfp_cuda_words;
extern const gfp_gpu_fft_engine gfp_gpu_fft_sliced;
extern const gfp_gpu_fft_engine gfp_gpu_fft_wide;
extern const gfp_gpu_fft_engine gfp_gpu_fft_reference;
extern const struct gfp_gpu_product_engine gfp_gpu_product_classical;
extern const struct gfp_gpu_product_engine gfp_gpu_product_hybrid;
extern const struct gfp_gpu_product_engine gfp_gpu_product_bigfft;
extern const struct gfp_gpu_product_engine gfp_gpu_product_multimodular;

GFP_END_DECLS
#endif
