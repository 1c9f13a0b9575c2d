/* none_ntt.c: the part of none.c for transforms over word-size primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu.h"
#include "support.h"

gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                   size_t count, size_t n, const gfp_gpu_ntt_options *options,
                                   gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)primes;
    (void)count;
    (void)n;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_ntt_plan_length(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_batch(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_prime_count(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

uint64_t gfp_gpu_ntt_plan_prime(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

uint64_t gfp_gpu_ntt_plan_root(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

gfp_ntt_form gfp_gpu_ntt_plan_form(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return GFP_NTT_FORM_AUTO;
}

gfp_gpu_ntt_product gfp_gpu_ntt_plan_product(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return GFP_GPU_NTT_PRODUCT_AUTO;
}

size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_bytes(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    (void)plan;
    (void)y;
    (void)x;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    (void)plan;
    (void)x;
    (void)y;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_mul_pointwise(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z,
                                     const gfp_gpu_array *x, const gfp_gpu_array *y)
{
    (void)plan;
    (void)z;
    (void)x;
    (void)y;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_convolve_negacyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                           const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times)
{
    (void)plan;
    (void)times;
    return GFP_ERR_UNAVAILABLE;
}
