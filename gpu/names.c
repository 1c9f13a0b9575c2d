/* names.c: the names of forms and methods, with and without CUDA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu_product.h"
#include "gpu/measure.h"

const char *gfp_gpu_fft_form_name(gfp_gpu_fft_form form)
{
    switch (form) {
    case GFP_GPU_FFT_AUTO:
        return "auto";
    case GFP_GPU_FFT_FAST:
        return "fast";
    case GFP_GPU_FFT_REFERENCE:
        return "reference";
    }
    return "unknown";
}

const char *gfp_gpu_method_name(gfp_gpu_method method)
{
    switch (method) {
    case GFP_GPU_METHOD_AUTO:
        return "auto";
    case GFP_GPU_METHOD_HYBRID:
        return "hybrid_gpu";
    case GFP_GPU_METHOD_BIGFFT:
        return "bigfft_gpu";
    case GFP_GPU_METHOD_MULTIMODULAR:
        return "multimodular_gpu";
    case GFP_GPU_METHOD_CLASSICAL:
        return "classical_gpu";
    }
    return "unknown";
}
