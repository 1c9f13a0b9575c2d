/* backend.cu: the backend `cuda`: its table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"
#include "gpu/product_engine.h"

/* In the order in which AUTO tries them. */
static const gfp_gpu_fft_engine *const fft_engines[] = {
    &gfp_gpu_fft_sliced,
    &gfp_gpu_fft_wide,
    &gfp_gpu_fft_reference,
    nullptr,
};
static const gfp_gpu_product_engine *const product_engines[] = {
    &gfp_gpu_product_classical,
    &gfp_gpu_product_hybrid,
    &gfp_gpu_product_bigfft,
    &gfp_gpu_product_multimodular,
    nullptr,
};

const gfp_gpu_backend gfp_cuda_backend = {
    "cuda",
    &gfp_cuda_device,
    &gfp_cuda_memory,
    &gfp_cuda_queues,
    &gfp_cuda_exchange,
    &gfp_cuda_vec,
    fft_engines,
    &gfp_gpu_planned_products,
    product_engines,
    &gfp_cuda_measure,
    &gfp_cuda_images,
    &gfp_cuda_words,
};
