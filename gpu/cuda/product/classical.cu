/* classical.cu: the engine "classical_gpu": products of polynomials by definition, for many short
 * ones. Every coefficient is a sum of products. Each product is reduced over the fields of the fast
 * transforms, and for k >= 32 by lanes (wide_lanes.cuh); else the sum is reduced once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>

#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/fast_mul.h"
#include "gpu/cuda/general.cuh"
#include "gpu/cuda/impl.h"
#include "gpu/cuda/wide_lanes.cuh"
#include "gpu/product_engine.h"
#include "gpu/cuda/vector/rows.cuh"

using general::const_view;
using general::field;
using general::view;
using general::wide;

/* The most terms of the shorter factor, and the most terms times digits for sums that are reduced
 * at the end: below 2^BIAS_LOG. */
constexpr size_t MOST_TERMS = 32;
constexpr size_t MOST_SUM = (1 << general::BIAS_LOG) - 1;
/* AUTO takes the engine for so many terms; by measurement. */
constexpr size_t FAST_TERMS = 8;
constexpr size_t OTHER_TERMS = 4; /* up to k = 16 */
constexpr size_t LONG_TERMS = 2;

namespace
{
/* The terms of coefficient i: b_j a_(i - j), low <= j < low + count. b is not longer than a. */
struct terms {
    size_t i, low, count;
    __device__ terms(const gfp_gpu_direct &p, size_t at) : i(at)
    {
        const size_t high = i < p.len_b ? i + 1 : p.len_b;
        low = i >= p.len_a ? i - (p.len_a - 1) : 0;
        count = high > low ? high - low : 0;
    }
};
} // namespace

/* A thread computes coefficients i and i + len_b of a row, in one loop, so that the threads of a
 * warp stay together: of two factors of one length every thread computes as many terms. `each`
 * threads for each row. */
template <class F>
static __global__ void __launch_bounds__(general::ELEMENT_THREADS, F::k <= 8 ? 7 : 4)
    fast_products(field f, const __grid_constant__ gfp_fast::radix_constants constants,
                  const __grid_constant__ gfp_gpu_direct p, size_t each, size_t all)
{
    const F over(constants);
    constexpr unsigned K = F::k, STEP = general::ELEMENT_THREADS;
    __shared__ uint64_t products[K * STEP], sums[K * STEP];
    const size_t thread = blockIdx.x * size_t{STEP} + threadIdx.x;
    if (thread >= all) {
        return;
    }
    const size_t row = rows::divide(thread, each), place = thread - row * each;
    /* pair 2 len_b + place mod len_b */
    const size_t at = rows::divide(place, p.len_b) * p.len_b + place;
    if (at >= p.n) {
        return;
    }
    const view product = {products + threadIdx.x, STEP}, sum = {sums + threadIdx.x, STEP};
    const uint64_t *a = p.a + row * p.stride_a * K, *b = p.b + row * p.stride_b * K;
    uint64_t *c = p.c + (row * p.stride_c + at) * K;
    const bool two = p.n - at > p.len_b;
    const terms lower(p, p.first + at), upper(p, p.first + at + p.len_b);
    const size_t count = lower.count + (two ? upper.count : 0);
#pragma unroll
    for (unsigned d = 0; d < K; d++) {
        sum[d] = 0;
    }
    size_t i = lower.i, j = lower.low;
    for (size_t t = 0; t < count; t++, j++) {
        if (t == lower.count) {
            rows::store<K>(c, sum);
#pragma unroll
            for (unsigned d = 0; d < K; d++) {
                sum[d] = 0;
            }
            i = upper.i;
            j = upper.low;
        }
        uint64_t x[K], y[K];
        general::load(x, a + (i - j) * K);
        general::load(y, b + j * K);
        gfp_fast::multiply_add_canonical(over, f, sum, product, const_view(x, 1), const_view(y, 1));
    }
    const bool switched = count > lower.count;
    rows::store<K>(switched ? c + p.len_b * K : c, sum);
    if (two && !switched) { /* no terms above */
#pragma unroll
        for (unsigned d = 0; d < K; d++) {
            sum[d] = 0;
        }
        rows::store<K>(c + p.len_b * K, sum);
    }
}

/* A block takes as many coefficients as it has threads for their digits. A thread sums one column,
 * then one thread for each coefficient carries. */
static __global__ void __launch_bounds__(general::THREADS)
    any_products(field f, const __grid_constant__ gfp_gpu_direct p, size_t all)
{
    __shared__ uint64_t digits_x[general::THREADS], digits_y[general::THREADS];
    __shared__ uint64_t low[general::THREADS], high[general::THREADS];
    __shared__ int64_t top[general::THREADS];
    const unsigned k = f.k, count = general::THREADS / k;
    const unsigned e = threadIdx.x / k, digit = threadIdx.x & (k - 1);
    const size_t first = blockIdx.x * size_t{count}, number = first + e;
    const bool mine = number < all;
    const size_t row = rows::divide(mine ? number : 0, p.n), at = mine ? number - row * p.n : 0;
    const size_t i = p.first + at;
    const terms t(p, i);
    const uint64_t *a = p.a + row * p.stride_a * k, *b = p.b + row * p.stride_b * k;
    wide sum = {0, 0, 0};
    for (size_t j = 0; j < p.len_b; j++) {
        const bool term = mine && t.low <= j && j < t.low + t.count;
        if (term) {
            digits_x[threadIdx.x] = a[(i - j) * k + digit];
            digits_y[threadIdx.x] = b[j * k + digit];
        }
        __syncthreads();
        if (term) {
            sum = general::add_wide(sum, general::column(f, const_view(digits_x + e * k, 1),
                                                         const_view(digits_y + e * k, 1), digit));
        }
        __syncthreads();
    }
    /* Digit after digit, so that the carrying threads do not collide in a bank. */
    const unsigned place = digit * count + e;
    const general::parts split = general::split(f, sum);
    low[place] = split.l;
    high[place] = split.h;
    top[place] = split.c;
    __syncthreads();
    if (threadIdx.x < count && first + threadIdx.x < all) {
        const unsigned c = threadIdx.x;
        general::set_parts(
            f, view{low + c, count}, [&](unsigned d) { return low[d * count + c]; },
            [&](unsigned d) { return high[d * count + c]; },
            [&](unsigned d) { return top[d * count + c]; });
    }
    __syncthreads();
    if (mine) {
        p.c[(row * p.stride_c + at) * k + digit] = low[place];
    }
}

/* For k >= 32: the L lanes of an element compute a coefficient. */
template <int K>
static __global__ void __launch_bounds__(gfp_wide::PRODUCT_THREADS, gfp_wide::product_blocks(K))
    lane_products(const __grid_constant__ gfp_gpu_direct p, size_t all,
                  const __grid_constant__ gfp_wide::radix R)
{
    constexpr int L = gfp_wide::shape<K>::L, THREADS = gfp_wide::PRODUCT_THREADS;
    __shared__ gfp_wide::digits_room<K, THREADS> room;
    gfp_wide::load_roots(room);
    gfp_wide::product_sum<K, THREADS> sum = {
        room, (int)threadIdx.x / L, (int)threadIdx.x % L, R, {}};
    const size_t number = blockIdx.x * size_t{THREADS / L} + sum.slot;
    const bool mine = number < all;
    const size_t row = rows::divide(mine ? number : 0, p.n), at = mine ? number - row * p.n : 0;
    const size_t i = p.first + at;
    const terms t(p, i);
    const uint64_t *a = p.a + row * p.stride_a * K, *b = p.b + row * p.stride_b * K;
    sum.clear();
#pragma unroll 1
    for (size_t j = 0; j < p.len_b; j++) {
        const bool term = mine && t.low <= j && j < t.low + t.count;
        sum.add(term ? a + (i - j) * K : nullptr, b + j * K, false);
    }
    sum.store(mine ? p.c + (row * p.stride_c + at) * K : nullptr);
}

/* ---- the engine ---- */

template <class F>
static gfp_status fast_direct(gfp_gpu *gpu, const field &f, const gfp_gpu_direct &p)
{
    const size_t each = (p.n + 2 * p.len_b - 1) / (2 * p.len_b) * p.len_b, all = p.rows * each;
    GFP_LAUNCH(gpu, fast_products<F>, general::blocks_for(all, general::ELEMENT_THREADS),
               general::ELEMENT_THREADS, 0, f, gfp_fast::make_constants((int)f.k, f.r), p, each,
               all);
    return GFP_OK;
}

template <int K>
static gfp_status wide_direct(gfp_gpu *gpu, const gfp_wide::radix &R, const gfp_gpu_direct &p)
{
    constexpr unsigned each = gfp_wide::PRODUCT_THREADS / gfp_wide::shape<K>::L;
    const size_t all = p.rows * p.n;
    GFP_LAUNCH(gpu, lane_products<K>, general::blocks_for(all, each), gfp_wide::PRODUCT_THREADS, 0,
               p, all, R);
    return GFP_OK;
}

/* Whether the lanes of a warp serve the field (wide_lanes.cuh). */
static bool is_wide(const gfp_field *over)
{
    return gfp_wide::elements_served((int)gfp_field_k(over), gfp_field_r(over));
}
/* Whether the arithmetic of the fast transforms serves it. */
static bool is_fast(const gfp_field *over)
{
    return gfp_fast::is_served(gfp_field_k(over), gfp_field_r(over));
}

static gfp_status classical_direct(const gfp_gpu_cyclic *plan, const gfp_gpu_direct *product)
{
    gfp_gpu *gpu = plan->gpu;
    const field f = general::field_of(plan->field);
    gfp_gpu_direct p = *product;
    if (p.len_a < p.len_b) {
        p.a = product->b, p.len_a = product->len_b, p.stride_a = product->stride_b;
        p.b = product->a, p.len_b = product->len_a, p.stride_b = product->stride_a;
    }
    if (is_fast(plan->field)) {
        return gfp_fast::with_field(f.k, f.r, [&](auto type) {
            return fast_direct<typename decltype(type)::F>(gpu, f, p);
        });
    }
    if (is_wide(plan->field)) {
        return gfp_wide::with_radix((int)f.k, f.r, [&](auto k, const gfp_wide::radix &R) {
            return wide_direct<GFP_AT(k)>(gpu, R, p);
        });
    }
    const size_t all = p.rows * p.n;
    GFP_LAUNCH(gpu, any_products, general::blocks_for(all, general::THREADS / f.k),
               general::THREADS, 0, f, p, all);
    return GFP_OK;
}

static size_t most_terms(const gfp_field *field)
{
    return is_fast(field) || is_wide(field)
               ? MOST_TERMS
               : gfp_size_min(MOST_TERMS, MOST_SUM / gfp_field_k(field));
}

static size_t classical_length(const gfp_gpu *, const gfp_field *field, size_t n, size_t terms,
                               char *why, size_t size)
{
    const size_t most = most_terms(field);
    (void)snprintf(why, size, "the shorter factor has more than %zu coefficients", most);
    return terms <= most ? n : 0;
}

static bool classical_gains(const gfp_gpu *, const gfp_field *field, size_t terms)
{
    const bool is_short = gfp_field_k(field) <= 16;
    return terms <= (is_fast(field) ? FAST_TERMS : is_short ? OTHER_TERMS : LONG_TERMS);
}

static size_t classical_bytes(const gfp_gpu_cyclic *, size_t *words)
{
    *words = 0;
    return 0;
}

static gfp_status classical_create(gfp_gpu_cyclic *plan)
{
    plan->words = 0;
    return GFP_OK;
}

static void classical_destroy(gfp_gpu_cyclic *)
{
}

const gfp_gpu_product_engine gfp_gpu_product_classical = {
    GFP_GPU_METHOD_CLASSICAL, classical_length, classical_bytes, classical_create,
    classical_destroy,        nullptr,          nullptr,         nullptr,
    classical_direct,         classical_gains,  nullptr,
};
