/* general.cuh: kernels over arrays of elements by the general arithmetic, for every field: a thread
 * per element (or word, or butterfly), and products by a thread per column.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_GENERAL_CUH
#define GFP_GPU_GENERAL_CUH

#include "arith.h"
#include "gpu_impl.h"

namespace general
{

constexpr unsigned THREADS = 256;

static inline field field_of(const gfp_field *f)
{
    return make_field(gfp_field_r(f), gfp_field_k(f));
}

/* Blocks of so many items each: below 2^31 whatever fits a device's memory. */
static inline unsigned blocks_for(size_t n, size_t items)
{
    return static_cast<unsigned>((n + items - 1) / items);
}

/* body(i) for i < n, a thread each. */
template <class Body>
static __global__ void __launch_bounds__(THREADS) for_each(size_t n, Body body)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        body(i);
    }
}

template <class Body> static gfp_status launch(gfp_gpu *gpu, size_t n, const Body &body)
{
    if (n != 0) {
        GFP_LAUNCH(gpu, (for_each<Body>), blocks_for(n, THREADS), THREADS, 0, n, body);
    }
    return GFP_OK;
}

/* Products z_i := x_i y_i r^shift. Map says of the product number i where x_i and z_i lie in their
 * arrays, at(i) in elements; shift(i) < 2k; whether y_i is one(i); its digit(i, d). z may be x; no
 * y_i may lie in z, unless it is element at(i) itself.
 *
 * A block takes as many elements as it has threads for their digits. A thread adds up one column,
 * then one thread per element carries. */
template <class Map>
static __global__ void __launch_bounds__(THREADS)
    multiply(field f, uint64_t *z, const uint64_t *x, size_t n, Map map)
{
    __shared__ uint64_t digits_x[THREADS], digits_y[THREADS];
    __shared__ uint64_t w0[THREADS], w1[THREADS], w2[THREADS];
    const unsigned k = f.k, count = THREADS / k;
    const unsigned e = threadIdx.x / k, digit = threadIdx.x & (k - 1);
    const size_t first = blockIdx.x * size_t{count};
    const bool mine = first + e < n;
    const size_t word = mine ? map.at(first + e) * k + digit : 0;
    const bool one = mine && map.one(first + e);
    if (mine) {
        digits_x[threadIdx.x] = x[word];
        digits_y[threadIdx.x] = one ? 0 : map.digit(first + e, digit);
    }
    __syncthreads();
    if (mine) {
        const const_view a(digits_x + e * k, 1), b(digits_y + e * k, 1);
        const unsigned from = (digit - map.shift(first + e)) & (2 * k - 1);
        wide sum;
        if (one) {
            const i128 moved = a[from & (k - 1)];
            sum = make_wide(from < k ? moved : -moved);
        } else {
            sum = column(f, a, b, from);
        }
        /* Column by column, so that the carrying threads do not collide. */
        w0[digit * count + e] = sum.w0;
        w1[digit * count + e] = sum.w1;
        w2[digit * count + e] = sum.w2;
    }
    __syncthreads();
    if (threadIdx.x < count && first + threadIdx.x < n) {
        const view result = {w0 + threadIdx.x, count};
        set_columns(f, result, [&](unsigned i) -> wide {
            const unsigned at = i * count + threadIdx.x;
            return {w0[at], w1[at], w2[at]};
        });
    }
    __syncthreads();
    if (mine) {
        z[word] = w0[digit * count + e];
    }
}

template <class Map>
static gfp_status launch_products(gfp_gpu *gpu, const field &f, uint64_t *z, const uint64_t *x,
                                  size_t n, const Map &map)
{
    if (n != 0) {
        GFP_LAUNCH(gpu, (multiply<Map>), blocks_for(n, THREADS / f.k), THREADS, 0, f, z, x, n, map);
    }
    return GFP_OK;
}

/* z := x / 2^j for n elements, any j: as many halvings at once as r has factors 2. z may be x. */
struct divide_by_2exp {
    field f;
    uint64_t *z;
    const uint64_t *x;
    size_t element_step, digit_step;
    unsigned j;
    __device__ void operator()(size_t i) const
    {
        const view to = {z + i * element_step, digit_step};
        const_view from(x + i * element_step, digit_step);
        for (unsigned left = j; left > 0;) {
            const unsigned step = left < f.v2_r ? left : f.v2_r;
            div_2exp(f, to, from, step);
            from = to;
            left -= step;
        }
    }
};

} // namespace general

#endif
