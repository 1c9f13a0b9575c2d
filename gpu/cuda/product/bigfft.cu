/* bigfft.cu: the engine "bigfft_gpu": products modulo X^N - 1 by transforms over Z/pZ (gpu/fft.c)
 * in permuted order. N is a power of two that divides p - 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "gpu/cuda/general.cuh"
#include "gpu/cuda/impl.h"
#include "gpu/product_engine.h"

#define MAX_GRID_Y 65535

/* Copies rows, in pairs of words. Row i of the output starts at out + i out_step, row i of the
 * input at in + i in_step. Word pair j of an output row is pair (first + j) mod `period` of the
 * input row if that index is below len, else 0. */
typedef struct product_rows {
    ulonglong2 *out;
    const ulonglong2 *in;
    size_t count, width, out_step, in_step, first, period, len;
} product_rows;

static __global__ void __launch_bounds__(general::THREADS) copy_rows(product_rows r)
{
    const size_t j = blockIdx.x * size_t{general::THREADS} + threadIdx.x;
    if (j >= r.width) {
        return;
    }
    const size_t at = r.first + j < r.period ? r.first + j : r.first + j - r.period;
    for (size_t row = blockIdx.y; row < r.count; row += gridDim.y) {
        const ulonglong2 zero = {0, 0};
        r.out[row * r.out_step + j] = at < r.len ? r.in[row * r.in_step + at] : zero;
    }
}

static gfp_status launch_rows(gfp_gpu *gpu, const product_rows &r)
{
    const dim3 blocks(general::blocks_for(r.width, general::THREADS),
                      (unsigned)gfp_size_min(r.count, MAX_GRID_Y));
    GFP_LAUNCH(gpu, copy_rows, blocks, general::THREADS, 0, r);
    return GFP_OK;
}

static size_t bigfft_length(const gfp_gpu *, const gfp_field *field, size_t n, size_t, char *why,
                            size_t size)
{
    const unsigned order = gfp_field_v2_order(field);
    for (unsigned log2_n = 0; log2_n <= order && log2_n < 63; log2_n++) {
        if ((size_t)1 << log2_n >= n) {
            return (size_t)1 << log2_n;
        }
    }
    (void)snprintf(why, size, "no transform of length %zu over %s: the largest is 2^%u", n,
                   gfp_field_name(field), order);
    return 0;
}

/* The tables of the transforms have at most 2 N elements and a few single ones, and their work
 * space is as long as the data. */
static size_t bigfft_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    const size_t element = plan->k * sizeof(uint64_t);
    const size_t one = gfp_size_mul_sat(plan->n, plan->k);
    const size_t tables = gfp_size_mul_sat(2 * sizeof(uint64_t), one);
    *words = gfp_size_mul_sat(one, plan->batch);
    return gfp_size_add_sat(gfp_size_mul_sat(*words, sizeof(uint64_t)),
                            gfp_size_add_sat(tables, 256 * element));
}

static gfp_status bigfft_create(gfp_gpu_cyclic *plan)
{
    gfp_gpu_fft_options options = {};
    gfp_gpu_fft_plan *fft = nullptr;
    options.batch = plan->batch;
    GFP_TRY(gfp_gpu_fft_plan_create(&fft, plan->gpu, plan->field, plan->n, &options, nullptr));
    plan->state = fft;
    plan->words = fft->words;
    return GFP_OK;
}

static void bigfft_destroy(gfp_gpu_cyclic *plan)
{
    gfp_gpu_fft_plan_destroy((gfp_gpu_fft_plan *)plan->state);
}

static gfp_status bigfft_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                                   size_t stride, bool)
{
    gfp_gpu_fft_plan *fft = (gfp_gpu_fft_plan *)plan->state;
    const bool as_it_is = len == plan->n && (plan->batch == 1 || stride == len);
    if (!as_it_is) {
        const size_t pairs = plan->k / 2;
        const product_rows r = {
            (ulonglong2 *)t, (const ulonglong2 *)x, plan->batch, plan->n * pairs,
            plan->n * pairs, stride * pairs,        0,           plan->n * pairs,
            len * pairs};
        GFP_TRY(launch_rows(plan->gpu, r));
        x = t;
    }
    return fft->engine->forward(fft, t, x, GFP_ORDER_PERMUTED);
}

static gfp_status bigfft_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n,
                                  size_t stride, uint64_t *ta, uint64_t *tb, bool)
{
    gfp_gpu_fft_plan *fft = (gfp_gpu_fft_plan *)plan->state;
    gfp_gpu_array a = {plan->gpu, ta, plan->words, true};
    gfp_gpu_array b = {plan->gpu, tb, plan->words, true};
    GFP_TRY(gfp_gpu_vec_mul(plan->field, &a, &a, &b, plan->batch * plan->n));
    if (first == 0 && n == plan->n && (plan->batch == 1 || stride == n)) {
        return fft->engine->inverse(fft, c, ta, GFP_ORDER_PERMUTED);
    }
    GFP_TRY(fft->engine->inverse(fft, ta, ta, GFP_ORDER_PERMUTED));
    const size_t pairs = plan->k / 2, period = plan->n * pairs;
    const product_rows r = {
        (ulonglong2 *)c, (const ulonglong2 *)ta, plan->batch, n * pairs, stride * pairs,
        period,          first * pairs,          period,      period};
    return launch_rows(plan->gpu, r);
}

const gfp_gpu_product_engine gfp_gpu_product_bigfft = {
    GFP_GPU_METHOD_BIGFFT, bigfft_length,   bigfft_bytes, bigfft_create, bigfft_destroy, nullptr,
    bigfft_transform,      bigfft_multiply, nullptr,      nullptr,       nullptr,
};
