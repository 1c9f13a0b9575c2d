/* general.cuh: kernels over arrays of elements by the general arithmetic, for every field. A thread
 * computes an element, a word, a butterfly or a column of a result.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_GENERAL_CUH
#define GFP_GPU_CUDA_GENERAL_CUH

#include "gpu/cuda/arith.h"
#include "gpu/cuda/impl.h"

namespace general
{

constexpr unsigned THREADS = 256;

static inline field field_of(const gfp_field *f)
{
    return make_field(gfp_field_r(f), gfp_field_k(f));
}

/* The number of blocks of `size` items each: below 2^31 for every array that fits a device's
 * memory. */
static inline unsigned blocks_for(size_t n, size_t items)
{
    return static_cast<unsigned>((n + items - 1) / items);
}

/* body(i) for i < n, one thread for each i, in blocks of at most MOST threads. */
template <class Body, unsigned MOST = THREADS>
static __global__ void __launch_bounds__(MOST) for_each(size_t n, Body body)
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

/* a := the digits of x. The compiler knows all indices of a, so that a stays in registers. */
template <unsigned K>
static __device__ __forceinline__ void load(uint64_t (&a)[K], const const_view &x)
{
#pragma unroll
    for (unsigned d = 0; d < K; d++) {
        a[d] = x[d];
    }
}

/* Loads an element whose digits are contiguous and aligned to 16 bytes. */
template <unsigned K>
static __device__ __forceinline__ void load(uint64_t (&a)[K], const uint64_t *x)
{
#pragma unroll
    for (unsigned d = 0; d < K; d += 2) {
        const ulonglong2 two = *reinterpret_cast<const ulonglong2 *>(x + d);
        a[d] = two.x;
        a[d + 1] = two.y;
    }
}

/* A thread per element for small k: z_i := op.apply<K>(x_i, y_i), with operands in registers and
 * y_i = op.second<K>(i). A block writes its results in neighbouring words. z may be x; z may be y
 * if y_i is element i of y. */
constexpr unsigned ELEMENT_THREADS = 128;

template <unsigned K, class Op>
static __global__ void __launch_bounds__(ELEMENT_THREADS)
    by_elements(field f, uint64_t *z, const uint64_t *x, size_t n, Op op)
{
    /* Digit after digit, with one word of padding, so that neither threads nor words collide in a
     * bank. */
    constexpr unsigned STEP = ELEMENT_THREADS + 1;
    __shared__ uint64_t tile[K * STEP];
    const size_t first = blockIdx.x * size_t{ELEMENT_THREADS}, i = first + threadIdx.x;
    if (i < n) {
        uint64_t a[K], b[K];
        load(a, x + i * K);
        op.second(b, i);
        op.template apply<K>(f, view{tile + threadIdx.x, STEP}, const_view(a, 1), const_view(b, 1));
    }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < K; j++) {
        const unsigned word = j * ELEMENT_THREADS + threadIdx.x;
        if (first * K + word < n * K) {
            z[first * K + word] = tile[word % K * STEP + word / K];
        }
    }
}

/* z_i := an operation on x_i whose result is columns. Map gives, for number i: at(i), the place of
 * x_i and z_i in their arrays, in elements; digit(i, d), the digits of a second operand; and
 * column(f, x, y, i, d), a column of the result. z may be x. A second operand must not lie in z,
 * unless it is element at(i) itself.
 *
 * A block takes as many elements as it has threads for their digits. A thread computes and splits
 * one column, then one thread per element carries. */
template <class Map>
static __global__ void __launch_bounds__(THREADS)
    by_columns(field f, uint64_t *z, const uint64_t *x, size_t n, Map map)
{
    __shared__ uint64_t digits_x[THREADS], digits_y[THREADS], low[THREADS], high[THREADS];
    __shared__ int64_t top[THREADS];
    const unsigned k = f.k, count = THREADS / k;
    const unsigned e = threadIdx.x / k, digit = threadIdx.x & (k - 1);
    const size_t first = blockIdx.x * size_t{count};
    const bool mine = first + e < n;
    const size_t word = mine ? map.at(first + e) * k + digit : 0;
    if (mine) {
        digits_x[threadIdx.x] = x[word];
        digits_y[threadIdx.x] = map.digit(first + e, digit);
    }
    __syncthreads();
    /* Digit after digit, so that the carrying threads do not collide in a bank. */
    const unsigned place = digit * count + e;
    if (mine) {
        const const_view a(digits_x + e * k, 1), b(digits_y + e * k, 1);
        const parts p = split(f, map.column(f, a, b, first + e, digit));
        low[place] = p.l;
        high[place] = p.h;
        top[place] = p.c;
    }
    __syncthreads();
    if (threadIdx.x < count && first + threadIdx.x < n) {
        const unsigned t = threadIdx.x;
        set_parts(
            f, view{low + t, count}, [&](unsigned i) { return low[i * count + t]; },
            [&](unsigned i) { return high[i * count + t]; },
            [&](unsigned i) { return top[i * count + t]; });
    }
    __syncthreads();
    if (mine) {
        z[word] = low[place];
    }
}

template <class Map>
static gfp_status launch_columns(gfp_gpu *gpu, const field &f, uint64_t *z, const uint64_t *x,
                                 size_t n, const Map &map)
{
    if (n != 0) {
        GFP_LAUNCH(gpu, (by_columns<Map>), blocks_for(n, THREADS / f.k), THREADS, 0, f, z, x, n,
                   map);
    }
    return GFP_OK;
}

/* z := x / 2^j for n elements and any j, in steps of as many halvings as r has factors 2. z may be
 * x. */
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
