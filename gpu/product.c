/* product.c: products on a device, and operands: factors that are transformed once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gpu/backend.h"
#include "gpu/call.h"

/* ---- plans ---- */

bool gfp_gpu_product_serves(const gfp_gpu *gpu, gfp_gpu_method method, const gfp_field *field,
                            size_t len_a, size_t len_b, char *why, size_t size)
{
    const gfp_gpu_product_calls *products = gpu->backend->products;
    if (products == NULL) {
        (void)snprintf(why, size, "the backend has no products");
        return false;
    }
    if (len_a == 0 || len_b == 0) {
        (void)snprintf(why, size, "factors of %zu and %zu coefficients", len_a, len_b);
        return false;
    }
    return products->serves(gpu, method, field, len_a, len_b, why, size);
}

static gfp_status make_plan(gfp_gpu_product_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                            size_t len_a, size_t len_b, const gfp_gpu_product_options *options)
{
    const gfp_gpu_product_options usual = {.method = GFP_GPU_METHOD_AUTO};
    const gfp_gpu_product_calls *products = gpu->backend->products;
    int before = -1;
    if (products == NULL) {
        return gfp_gpu_lacks(gpu, "products");
    }
    options = options != NULL ? options : &usual;
    gfp_gpu_product_plan *made = gfp_gpu_make(gpu, products->plan_size, "a plan");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->gpu = gpu;
    made->field = field;
    made->k = gfp_field_k(field);
    made->len_a = len_a;
    made->len_b = len_b;
    made->batch = options->batch != 0 ? options->batch : 1;
    gfp_status status = gfp_gpu_enter(gpu, true, &before);
    status = status != GFP_OK ? status : gfp_gpu_leave(gpu, before, products->open(made, options));
    if (status != GFP_OK) {
        gfp_gpu_product_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

gfp_status gfp_gpu_product_plan_create(gfp_gpu_product_plan **plan, gfp_gpu *gpu,
                                       const gfp_field *field, size_t len_a, size_t len_b,
                                       const gfp_gpu_product_options *of_plan,
                                       const gfp_options *options)
{
    GFP_GPU_CALL("plan of products", gpu, options,
                 make_plan(plan, gpu, field, len_a, len_b, of_plan));
}

void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    const gfp_gpu_product_calls *products = gpu->backend->products;
    const int before = gfp_gpu_enter_to_destroy(gpu);
    products->close(plan);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
    gfp_release(&gpu->allocator, plan, 1, products->plan_size);
}

gfp_gpu_method gfp_gpu_product_plan_method(const gfp_gpu_product_plan *plan)
{
    return plan->method;
}

size_t gfp_gpu_product_plan_bytes(const gfp_gpu_product_plan *plan)
{
    return plan->bytes;
}

size_t gfp_gpu_product_plan_length(const gfp_gpu_product_plan *plan)
{
    return plan->length;
}

size_t gfp_gpu_product_plan_pieces(const gfp_gpu_product_plan *plan)
{
    return plan->pieces;
}

/* ---- products ---- */

static gfp_status run_here(gfp_gpu_product_plan *plan, const gfp_gpu_product *product)
{
    if (product->operand != NULL && product->operand->plan != plan) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "the operand belongs to another plan");
    }
    if (product->b_fence != NULL && product->b_fence->gpu != plan->gpu) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "a fence of another context");
    }
    return plan->gpu->backend->products->run(plan, product);
}

static gfp_status product_run(gfp_gpu_product_plan *plan, const gfp_gpu_product *product)
{
    GFP_GPU_RETURN(plan->gpu, false, run_here(plan, product));
}

gfp_status gfp_gpu_product_range_after(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b,
                                       const gfp_gpu_extent *part, gfp_gpu_fence *b_fence)
{
    const gfp_gpu_product product = {.c = c,
                                     .a = a,
                                     .b = b,
                                     .len_a = part->len_a,
                                     .len_b = part->len_b,
                                     .first = part->first,
                                     .n = part->n,
                                     .stride_a = part->len_a,
                                     .stride_b = part->len_b,
                                     .stride_c = part->n,
                                     .b_fence = b_fence};
    return product_run(plan, &product);
}

gfp_status gfp_gpu_product_range(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                 const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                 size_t len_b, size_t first, size_t n)
{
    const gfp_gpu_extent part = {len_a, len_b, first, n};
    return gfp_gpu_product_range_after(plan, c, a, b, &part, NULL);
}

static gfp_status multiply_arrays(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                  const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                  size_t len_b)
{
    return gfp_gpu_product_range(plan, c, a, len_a, b, len_b, 0, len_a + len_b - 1);
}

gfp_status gfp_gpu_product_mul(gfp_gpu_array *c, const gfp_gpu_array *a, size_t len_a,
                               const gfp_gpu_array *b, size_t len_b, gfp_gpu_product_plan *plan,
                               const gfp_options *options)
{
    GFP_GPU_CALL("product", plan->gpu, options, multiply_arrays(plan, c, a, len_a, b, len_b));
}

/* Rows c := the part of a b, or of a times the operand if b is NULL. */
static gfp_status run_rows(gfp_gpu_product_plan *plan, const gfp_gpu_rows *c, const gfp_gpu_rows *a,
                           const gfp_gpu_rows *b, const gfp_gpu_operand *operand,
                           gfp_gpu_extent part)
{
    gfp_gpu *gpu = plan->gpu;
    gfp_gpu_array at_c, at_a, at_b = {0};
    const size_t stride_b = b != NULL ? b->stride : part.len_b;
    if (plan->batch > 1 &&
        (a->stride < part.len_a || stride_b < part.len_b || c->stride < part.n)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "rows of a batch overlap one another");
    }
    GFP_TRY(gfp_gpu_rows_at(gpu, plan->field, c, &at_c));
    GFP_TRY(gfp_gpu_rows_at(gpu, plan->field, a, &at_a));
    if (b != NULL) {
        GFP_TRY(gfp_gpu_rows_at(gpu, plan->field, b, &at_b));
    }
    const gfp_gpu_product product = {.c = &at_c,
                                     .a = &at_a,
                                     .b = &at_b,
                                     .operand = operand,
                                     .len_a = part.len_a,
                                     .len_b = part.len_b,
                                     .first = part.first,
                                     .n = part.n,
                                     .stride_a = a->stride,
                                     .stride_b = stride_b,
                                     .stride_c = c->stride};
    return run_here(plan, &product);
}

gfp_status gfp_gpu_product_rows(gfp_gpu_product_plan *plan, const gfp_gpu_rows *c,
                                const gfp_gpu_rows *a, size_t len_a, const gfp_gpu_rows *b,
                                size_t len_b, size_t first, size_t n)
{
    const gfp_gpu_extent part = {len_a, len_b, first, n};
    GFP_GPU_RETURN(plan->gpu, false, run_rows(plan, c, a, b, NULL, part));
}

/* ---- operands ---- */

static gfp_status create_operand(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                                 const gfp_gpu_array *b, size_t len_b, size_t stride)
{
    gfp_gpu *gpu = plan->gpu;
    const gfp_gpu_product_calls *products = gpu->backend->products;
    int before = -1;
    gfp_gpu_operand *made = gfp_gpu_make(gpu, sizeof *made, "an operand");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->plan = plan;
    made->len = len_b;
    gfp_status status = gfp_gpu_enter(gpu, true, &before);
    status = status != GFP_OK ? status
                              : gfp_gpu_leave(gpu, before, products->transform(made, b, stride));
    if (status != GFP_OK) {
        gfp_gpu_operand_destroy(made);
        return status;
    }
    *operand = made;
    return GFP_OK;
}

static gfp_status make_operand(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                               const gfp_gpu_array *b, size_t len_b)
{
    return create_operand(operand, plan, b, len_b, len_b);
}

gfp_status gfp_gpu_operand_create(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                                  const gfp_gpu_array *b, size_t len_b, const gfp_options *options)
{
    GFP_GPU_CALL("operand", plan->gpu, options, make_operand(operand, plan, b, len_b));
}

gfp_status gfp_gpu_operand_create_rows(gfp_gpu_operand **operand, gfp_gpu_product_plan *plan,
                                       const gfp_gpu_rows *b, size_t len_b)
{
    gfp_gpu_array at;
    GFP_TRY(gfp_gpu_rows_at(plan->gpu, plan->field, b, &at));
    if (plan->batch > 1 && b->stride < len_b) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "rows of a batch overlap one another");
    }
    return create_operand(operand, plan, &at, len_b, b->stride);
}

static gfp_status set_operand(gfp_gpu_operand *operand, const gfp_gpu_rows *b, size_t len_b)
{
    gfp_gpu_product_plan *plan = operand->plan;
    gfp_gpu_array at;
    GFP_TRY(gfp_gpu_rows_at(plan->gpu, plan->field, b, &at));
    if (plan->batch > 1 && b->stride < len_b) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "rows of a batch overlap one another");
    }
    const size_t len = operand->len;
    operand->len = len_b;
    const gfp_status status = plan->gpu->backend->products->transform(operand, &at, b->stride);
    if (status != GFP_OK) { /* the old rows stay, unless the device failed */
        operand->len = len;
    }
    return status;
}

gfp_status gfp_gpu_operand_set_rows(gfp_gpu_operand *operand, const gfp_gpu_rows *b, size_t len_b)
{
    GFP_GPU_RETURN(operand->plan->gpu, false, set_operand(operand, b, len_b));
}

void gfp_gpu_operand_destroy(gfp_gpu_operand *operand)
{
    if (operand == NULL) {
        return;
    }
    gfp_gpu *gpu = operand->plan->gpu;
    const int before = gfp_gpu_enter_to_destroy(gpu);
    gfp_gpu_device_release(gpu, operand->data, operand->bytes);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
    gfp_release(&gpu->allocator, operand, 1, sizeof *operand);
}

size_t gfp_gpu_operand_bytes(const gfp_gpu_operand *operand)
{
    return operand->bytes;
}

static gfp_status multiply_operand(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                   const gfp_gpu_array *a, size_t len_a,
                                   const gfp_gpu_operand *operand, size_t first, size_t n)
{
    const gfp_gpu_product product = {.c = c,
                                     .a = a,
                                     .operand = operand,
                                     .len_a = len_a,
                                     .len_b = operand->len,
                                     .first = first,
                                     .n = n,
                                     .stride_a = len_a,
                                     .stride_b = operand->len,
                                     .stride_c = n};
    return product_run(plan, &product);
}

gfp_status gfp_gpu_operand_mul(gfp_gpu_array *c, const gfp_gpu_array *a, size_t len_a,
                               const gfp_gpu_operand *operand, size_t first, size_t n,
                               gfp_gpu_product_plan *plan, const gfp_options *options)
{
    GFP_GPU_CALL("product by an operand", plan->gpu, options,
                 multiply_operand(plan, c, a, len_a, operand, first, n));
}

gfp_status gfp_gpu_operand_mul_rows(gfp_gpu_product_plan *plan, const gfp_gpu_rows *c,
                                    const gfp_gpu_rows *a, size_t len_a,
                                    const gfp_gpu_operand *operand, size_t first, size_t n)
{
    const gfp_gpu_extent part = {len_a, operand->len, first, n};
    GFP_GPU_RETURN(plan->gpu, false, run_rows(plan, c, a, NULL, operand, part));
}
