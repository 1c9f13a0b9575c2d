/* images.cu: images of bivariate polynomials: kernels around images_arith.h. A block of threads
 * has one prime; its threads have groups of points, or points. Polynomials lie in shared memory,
 * coefficient by coefficient of all threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"

#include "gpu/cuda/vector/images_arith.h"

#ifndef GFP_FAST_SHARED
#define GFP_FAST_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

enum { THREADS = 128, FEW = 32, MANY = 64 };

static __global__ void powers_kernel(const __grid_constant__ gfp_gpu_images_work w, unsigned blocks)
{
    const size_t group = (size_t)(blockIdx.x % blocks) * THREADS + threadIdx.x;
    if (group < w.groups) {
        images_powers(&w, blockIdx.x / blocks, group);
    }
}

static __global__ void __launch_bounds__(THREADS)
    values_kernel(const __grid_constant__ gfp_gpu_images_work w, unsigned blocks)
{
    const size_t rows = w.len_y[0] + w.len_y[1], item = blockIdx.x / blocks;
    const size_t group = (size_t)(blockIdx.x % blocks) * THREADS + threadIdx.x;
    if (group < w.groups) {
        images_values(&w, item / rows, item % rows, group);
    }
}

template <unsigned N>
static __global__ void __launch_bounds__(N)
    images_kernel(const __grid_constant__ gfp_gpu_images_work w, unsigned blocks)
{
    GFP_FAST_SHARED(memory);
    double *column = (double *)memory + threadIdx.x;
    const size_t prime = blockIdx.x / blocks;
    const size_t point = (size_t)(blockIdx.x % blocks) * N + threadIdx.x;
    if (point < w.points) {
        *images_place(&w, prime, point) = images_resultant(&w, prime, point, column, N);
    }
}

static size_t shared_bytes(size_t len_a, size_t len_b, unsigned threads)
{
    return images_column(len_a, len_b) * threads * sizeof(double);
}

static size_t images_most(const gfp_gpu *gpu)
{
    return (size_t)gfp_cuda_device_of(gpu)->shared_per_block / (FEW * sizeof(double)) - 1;
}

/* Blocks of THREADS threads for n threads for each of `items`; they must be below 2^31. */
static gfp_status count_blocks(gfp_gpu *gpu, unsigned *each, size_t n, unsigned threads,
                               size_t items)
{
    *each = (unsigned)((n + threads - 1) / threads);
    return items <= INT32_MAX / *each ? GFP_OK
                                      : GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many images at once");
}

template <unsigned N> static gfp_status start_images(gfp_gpu *gpu, const gfp_gpu_images_work *w)
{
    const size_t shared = shared_bytes(w->len_y[0], w->len_y[1], N);
    unsigned blocks;
    GFP_TRY(count_blocks(gpu, &blocks, w->points, N, w->count));
    GFP_CUDA_TRY(gpu,
                 cudaFuncSetAttribute((const void *)images_kernel<N>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    GFP_LAUNCH(gpu, (images_kernel<N>), dim3((unsigned)(blocks * w->count)), dim3(N), shared, *w,
               blocks);
    return GFP_OK;
}

static gfp_status images_run(gfp_gpu *gpu, const gfp_gpu_images_work *w)
{
    const size_t items = w->count * (w->len_y[0] + w->len_y[1]);
    unsigned blocks;
    GFP_TRY(count_blocks(gpu, &blocks, w->groups, THREADS, items));
    GFP_LAUNCH(gpu, powers_kernel, dim3((unsigned)(blocks * w->count)), dim3(THREADS), 0, *w,
               blocks);
    GFP_LAUNCH(gpu, values_kernel, dim3((unsigned)(blocks * items)), dim3(THREADS), 0, *w, blocks);
    const size_t room = (size_t)gfp_cuda_of(gpu)->shared_per_block;
    return shared_bytes(w->len_y[0], w->len_y[1], MANY) <= room / 3 ? start_images<MANY>(gpu, w)
                                                                    : start_images<FEW>(gpu, w);
}

const gfp_gpu_images_calls gfp_cuda_images = {images_most, images_run};
