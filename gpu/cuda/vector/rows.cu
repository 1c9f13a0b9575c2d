/* rows.cu: sums of rows of elements, and products by indices.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/general.cuh"
#include "gpu/cuda/wide_lanes.cuh"
#include "gpu/cuda/vector/rows.cuh"
#include "gpu/cuda/vector/elements.h"

using general::const_view;
using general::field;
using general::i128;
using general::view;
using general::wide;

namespace
{
/* Where the elements of row and column i lie. */
struct places {
    gfp_gpu_row_sum s;
    size_t row, column;
    __device__ places(const gfp_gpu_row_sum &sum, size_t i) : s(sum)
    {
        row = rows::divide(i, sum.n);
        column = i - row * sum.n;
    }
    __device__ uint64_t *z(unsigned k) const
    {
        return s.z + (row * s.z_stride + column) * k;
    }
    __device__ const uint64_t *x(unsigned t, unsigned k) const
    {
        return s.x[t] + (row * s.x_stride[t] + column) * k;
    }
};
} // namespace

/* A thread per element, for small k. */
template <unsigned K>
static __global__ void __launch_bounds__(general::ELEMENT_THREADS)
    sum_elements(field f, const __grid_constant__ gfp_gpu_row_sum s)
{
    constexpr unsigned STEP = general::ELEMENT_THREADS;
    __shared__ uint64_t tile[K * STEP];
    const size_t i = blockIdx.x * size_t{STEP} + threadIdx.x;
    if (i >= s.rows * s.n) {
        return;
    }
    const places at(s, i);
    i128 sums[K];
#pragma unroll
    for (unsigned d = 0; d < K; d++) {
        sums[d] = 0;
    }
#pragma unroll
    for (unsigned t = 0; t < GFP_GPU_ROWS_MAX; t++) {
        if (t < s.count) {
            uint64_t x[K];
            general::load(x, at.x(t, K));
            const bool minus = (s.negated >> t & 1) != 0;
#pragma unroll
            for (unsigned d = 0; d < K; d++) {
                sums[d] += minus ? -static_cast<i128>(x[d]) : static_cast<i128>(x[d]);
            }
        }
    }
    const view digits = {tile + threadIdx.x, STEP};
    general::set_sums<K>(f, digits, [&](unsigned d) { return sums[d]; });
    rows::store<K>(at.z(K), digits);
}

namespace
{
struct sum_any {
    field f;
    gfp_gpu_row_sum s;
    __device__ void operator()(size_t i) const
    {
        const places at(s, i);
        general::set_sums(f, view{at.z(f.k), 1}, [&](unsigned d) {
            i128 sum = 0;
            for (unsigned t = 0; t < s.count; t++) {
                const i128 x = at.x(t, f.k)[d];
                sum += (s.negated >> t & 1) != 0 ? -x : x;
            }
            return sum;
        });
    }
};
} // namespace

/* L lanes an element, over the fields of k = 32 ... 128 digits that wide_lanes.cuh serves: lanes
 * read and write neighbouring words. z may be one of the x, with its stride. */
template <int K>
static __global__ void __launch_bounds__(gfp_wide::PRODUCT_THREADS)
    sum_lanes(const __grid_constant__ gfp_gpu_row_sum s, const __grid_constant__ gfp_wide::radix R)
{
    constexpr int V = gfp_wide::shape<K>::V, L = gfp_wide::shape<K>::L;
    const int c = (int)threadIdx.x % L;
    const size_t i = blockIdx.x * (size_t)(gfp_wide::PRODUCT_THREADS / L) + threadIdx.x / L;
    const bool mine = i < s.rows * s.n;
    const places at(s, mine ? i : 0);
    int64_t d[V], sum[V];
    gfp_wide::unroll<V>([&](auto i_) { sum[GFP_AT(i_)] = 0; });
#pragma unroll
    for (unsigned t = 0; t < GFP_GPU_ROWS_MAX; t++) {
        if (t < s.count) {
            const bool minus = (s.negated >> t & 1) != 0;
            gfp_wide::load_digits<K>(d, at.x(t, K), c);
            gfp_wide::balance<V, L>(d, c, R);
            gfp_wide::unroll<V>([&](auto i_) {
                constexpr int digit = GFP_AT(i_);
                d[digit] = minus ? -d[digit] : d[digit];
            });
            gfp_wide::add_settled<int64_t, V, L>(sum, d, c, R);
        }
    }
    gfp_wide::canonical<V, L>(sum, c, R);
    if (mine) {
        gfp_wide::store_digits<K>(at.z(K), sum, c);
    }
}

static gfp_status launch_lanes(gfp_gpu *gpu, const field &f, const gfp_gpu_row_sum &s)
{
    return gfp_wide::with_radix((int)f.k, f.r, [&](auto k_, const gfp_wide::radix &R) {
        constexpr int K = GFP_AT(k_);
        GFP_LAUNCH(
            gpu, sum_lanes<K>,
            general::blocks_for(s.rows * s.n, gfp_wide::PRODUCT_THREADS / gfp_wide::shape<K>::L),
            gfp_wide::PRODUCT_THREADS, 0, s, R);
        return GFP_OK;
    });
}

template <unsigned K>
static gfp_status launch_sum(gfp_gpu *gpu, const field &f, const gfp_gpu_row_sum &s)
{
    GFP_LAUNCH(gpu, sum_elements<K>, general::blocks_for(s.rows * s.n, general::ELEMENT_THREADS),
               general::ELEMENT_THREADS, 0, f, s);
    return GFP_OK;
}

gfp_status gfp_cuda_sum_rows(gfp_gpu *gpu, const gfp_field *over, const gfp_gpu_row_sum *sum)
{
    const field f = general::field_of(over);
    switch (f.k) {
    case 2:
        return launch_sum<2>(gpu, f, *sum);
    case 4:
        return launch_sum<4>(gpu, f, *sum);
    case 8:
        return launch_sum<8>(gpu, f, *sum);
    case 16:
        return launch_sum<16>(gpu, f, *sum);
    default:
        return gfp_wide::elements_served((int)f.k, f.r)
                   ? launch_lanes(gpu, f, *sum)
                   : general::launch(gpu, sum->rows * sum->n, sum_any{f, *sum});
    }
}

/* ---- products by indices ---- */

namespace
{
/* The element first + i. */
struct indices {
    uint64_t first, p, r; /* p: 0 if it exceeds 64 bits */
    unsigned k;
    /* The digits from the lowest on, each given to put; the last one is what is left. */
    template <class Put> __device__ void digits(size_t i, const Put &put) const
    {
        uint64_t left = first + i;
        left = p != 0 ? left % p : left;
        for (unsigned d = 0; d + 1 < k; d++) {
            put(d, left % r);
            left /= r;
        }
        put(k - 1, left);
    }
};

struct index_elements : indices {
    template <unsigned K> __device__ void second(uint64_t (&b)[K], size_t i) const
    {
        uint64_t left = first + i;
        left = p != 0 ? left % p : left;
#pragma unroll
        for (unsigned d = 0; d + 1 < K; d++) {
            b[d] = left % r;
            left /= r;
        }
        b[K - 1] = left;
    }
    template <unsigned K>
    __device__ static void apply(const field &f, const view &z, const const_view &x,
                                 const const_view &y)
    {
        bool one_digit = true;
#pragma unroll
        for (unsigned d = 1; d < K; d++) {
            one_digit = one_digit && y[d] == 0;
        }
        if (one_digit) {
            general::set_columns<K>(f, z, [&](unsigned i) {
                wide product = {0, 0, 0};
                general::multiply_add(product, x[i], y[0]);
                return product;
            });
        } else {
            general::mul<K>(f, z, x, y);
        }
    }
};

struct index_columns : indices {
    __device__ size_t at(size_t i) const
    {
        return i;
    }
    __device__ uint64_t digit(size_t i, unsigned wanted) const
    {
        uint64_t found = 0;
        digits(i, [&](unsigned d, uint64_t x) { found = d == wanted ? x : found; });
        return found;
    }
    __device__ wide column(const field &f, const const_view &a, const const_view &b, size_t,
                           unsigned d) const
    {
        return general::column(f, a, b, d);
    }
};
} // namespace

template <unsigned K>
static gfp_status launch_index(gfp_gpu *gpu, const field &f, uint64_t *z, const uint64_t *x,
                               size_t n, const indices &places)
{
    const index_elements op = {places};
    GFP_LAUNCH(gpu, (general::by_elements<K, index_elements>),
               general::blocks_for(n, general::ELEMENT_THREADS), general::ELEMENT_THREADS, 0, f, z,
               x, n, op);
    return GFP_OK;
}

/* p = r^k + 1, or 0 if it exceeds 64 bits. */
static uint64_t small_modulus(const field &f)
{
    general::u128 power = 1;
    for (unsigned i = 0; i < f.k; i++) {
        power *= f.r;
        if (power >> 64 != 0) {
            return 0;
        }
    }
    return static_cast<uint64_t>(power) + 1;
}

gfp_status gfp_cuda_mul_index(gfp_gpu *gpu, const gfp_field *over, uint64_t *z, const uint64_t *x,
                              uint64_t first, size_t n)
{
    const field f = general::field_of(over);
    const indices places = {first, small_modulus(f), f.r, f.k};
    const gfp_gpu_wide_mul m = {z, x, nullptr, nullptr, nullptr, first, n};
    bool served = false;
    GFP_TRY(gfp_gpu_vec_mul_wide(gpu, over, &m, &served));
    if (served) {
        return GFP_OK;
    }
    switch (f.k) {
    case 2:
        return launch_index<2>(gpu, f, z, x, n, places);
    case 4:
        return launch_index<4>(gpu, f, z, x, n, places);
    case 8:
        return launch_index<8>(gpu, f, z, x, n, places);
    case 16:
        return launch_index<16>(gpu, f, z, x, n, places);
    default:
        return general::launch_columns(gpu, f, z, x, n, index_columns{places});
    }
}
