/* none_product.c: gpu_product.h without CUDA: there is no context to make a plan over.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gfpoly/gpu_product.h"
#include "support.h"

gfp_status gfp_gpu_product_plan_create(gfp_gpu_product_plan **plan, gfp_gpu *gpu,
                                       const gfp_field *field, size_t len_a, size_t len_b,
                                       const gfp_gpu_product_options *options, gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)field;
    (void)len_a;
    (void)len_b;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan)
{
    (void)plan;
}

gfp_gpu_method gfp_gpu_product_plan_method(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return GFP_GPU_METHOD_AUTO;
}

const gfp_field *gfp_gpu_product_plan_field(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return NULL;
}

size_t gfp_gpu_product_plan_batch(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_product_plan_bytes(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_product_plan_length(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_product_plan_pieces(const gfp_gpu_product_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_product_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a,
                               size_t len_a, const gfp_gpu_array *b, size_t len_b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)len_a;
    (void)b;
    (void)len_b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_product_range(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                 const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                 size_t len_b, size_t first, size_t n)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)len_a;
    (void)b;
    (void)len_b;
    (void)first;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_product_range_after(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                       size_t len_b, size_t first, size_t n, gfp_gpu_fence *b_there)
{
    (void)b_there;
    return gfp_gpu_product_range(plan, c, a, len_a, b, len_b, first, n);
}

bool gfp_gpu_product_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                            size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)gpu;
    (void)method;
    (void)field;
    (void)len_a;
    (void)len_b;
    (void)snprintf(why, size, "built without CUDA");
    return false;
}

gfp_status gfp_gpu_operand_create(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                                  const gfp_gpu_array *b, size_t len_b)
{
    (void)operand;
    (void)plan;
    (void)b;
    (void)len_b;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_operand_destroy(gfp_gpu_operand *operand)
{
    (void)operand;
}

size_t gfp_gpu_operand_bytes(const gfp_gpu_operand *operand)
{
    (void)operand;
    return 0;
}

gfp_status gfp_gpu_operand_mul(gfp_gpu_product_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a,
                               size_t len_a, const gfp_gpu_operand *operand, size_t first, size_t n)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)len_a;
    (void)operand;
    (void)first;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}
