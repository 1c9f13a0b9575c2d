/* names.c: the names of forms, products and methods, with and without CUDA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu_product.h"

const char *gfp_gpu_fft_form_name(gfp_gpu_fft_form form)
{
    switch (form) {
    case GFP_GPU_FFT_AUTO:
        return "auto";
    case GFP_GPU_FFT_FAST:
        return "fast";
    case GFP_GPU_FFT_REFERENCE:
        return "reference";
    case GFP_GPU_FFT_PAPERS:
        return "papers";
    case GFP_GPU_FFT_PAPERS_SPLIT:
        return "papers-split";
    }
    return "unknown";
}

const char *gfp_gpu_ntt_product_name(gfp_gpu_ntt_product product)
{
    switch (product) {
    case GFP_GPU_NTT_PRODUCT_AUTO:
        return "auto";
    case GFP_GPU_NTT_SHOUP:
        return "shoup";
    case GFP_GPU_NTT_MONTGOMERY:
        return "montgomery";
    case GFP_GPU_NTT_DOUBLE_QUOTIENT:
        return "double-quotient";
    case GFP_GPU_NTT_FP64:
        return "fp64";
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
    }
    return "unknown";
}

const char *gfp_ntt_form_name(gfp_ntt_form form)
{
    switch (form) {
    case GFP_NTT_FORM_AUTO:
        return "auto";
    case GFP_NTT_COOLEY_TUKEY:
        return "cooley-tukey";
    case GFP_NTT_COOLEY_TUKEY_TABULATED:
        return "cooley-tukey-tabulated";
    case GFP_NTT_STOCKHAM:
        return "stockham";
    case GFP_NTT_BLOCKED:
        return "blocked";
    }
    return "unknown";
}
