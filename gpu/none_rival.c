/* none_rival.c: the part of none.c for the papers' rival.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu.h"
#include "support.h"

gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t n,
                                     const gfp_gpu_rival_options *options, gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)field;
    (void)n;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_rival_plan_length(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

const gfp_field *gfp_gpu_rival_plan_field(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return NULL;
}

gfp_crt_rival_primes gfp_gpu_rival_plan_kind(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return GFP_CRT_RIVAL_AUTO;
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

uint64_t gfp_gpu_rival_plan_prime(const gfp_gpu_rival_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_rival_plan_bytes(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_rival_project(gfp_gpu_rival_plan *plan, gfp_gpu_array *residues,
                                 const gfp_gpu_array *x)
{
    (void)plan;
    (void)residues;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y,
                                   const gfp_gpu_array *x)
{
    (void)plan;
    (void)y;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_recombine(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                   const gfp_gpu_array *residues)
{
    (void)plan;
    (void)z;
    (void)residues;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    (void)plan;
    (void)z;
    (void)y;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan, gfp_gpu_times *times)
{
    (void)plan;
    (void)times;
    return GFP_ERR_UNAVAILABLE;
}
