/* wide_mul.cu: products of elements over the fields of k = 32 ... 128 digits that the general
 * product by small primes serves (gpu/cuda/wide_product.h): L lanes an element.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/general.cuh"
#include "gpu/cuda/wide_lanes.cuh"
#include "gpu/cuda/vector/elements.h"

namespace
{
/* The second factors: lane c's digits of y_i, canonical. */
struct wide_array {
    const uint64_t *y;
    template <int K>
    __device__ void load(int64_t (&d)[gfp_wide::shape<K>::V], size_t i, int c, uint64_t) const
    {
        gfp_wide::load_digits<K>(d, y + i * K, c);
    }
};

/* The element first + i, r^2 > 2^64. */
struct wide_indices {
    uint64_t first;
    template <int K>
    __device__ void load(int64_t (&d)[gfp_wide::shape<K>::V], size_t i, int c, uint64_t r) const
    {
        const uint64_t index = first + i, high = index / r;
        gfp_wide::unroll<gfp_wide::shape<K>::V>([&](auto i_) { d[GFP_AT(i_)] = 0; });
        d[0] = (int64_t)(c == 0 ? index - high * r : c == 1 ? high : 0);
    }
};

/* One element, prepared for all products but for multiples by roots: parameters of kernels are at
 * most 4096 bytes before CUDA 12.1. */
template <int K> struct wide_constant {
    int32_t y[gfp_wide::PRIMES * K];
};
} // namespace

/* z_i := x_i y_i. z may be x or the array of the y_i. */
template <int K, class Second>
static __global__ void __launch_bounds__(gfp_wide::PRODUCT_THREADS, gfp_wide::product_blocks(K))
    wide_products(uint64_t *z, const uint64_t *x, size_t n, const __grid_constant__ Second second,
                  const __grid_constant__ gfp_wide::radix R)
{
    constexpr int V = gfp_wide::shape<K>::V, L = gfp_wide::shape<K>::L;
    __shared__ gfp_wide::digits_room<K, gfp_wide::PRODUCT_THREADS> room;
    gfp_wide::load_roots(room);
    const int c = (int)threadIdx.x % L, slot = (int)threadIdx.x / L;
    const size_t e = blockIdx.x * (size_t)(gfp_wide::PRODUCT_THREADS / L) + slot,
                 place = e < n ? e : 0;
    int64_t d[V], product[V];
    second.template load<K>(d, place, c, R.r);
    gfp_wide::balance<V, L>(d, c, R);
    const gfp_wide::kept_digits<K, gfp_wide::PRODUCT_THREADS> factor(room, slot, d);
    gfp_wide::load_digits<K>(d, x + place * K, c);
    gfp_wide::balance<V, L>(d, c, R);
    gfp_wide::multiply(d, factor, room, slot, c, R, product);
    gfp_wide::canonical<V, L>(product, c, R);
    if (e < n) {
        gfp_wide::store_digits<K>(z + e * K, product, c);
    }
}

/* The entry of y, by all threads of a block. */
template <int K>
static __device__ __forceinline__ void fill_entry(int32_t *entry, const wide_constant<K> &y)
{
    constexpr int V = gfp_wide::shape<K>::V, L = gfp_wide::shape<K>::L;
    for (int i = (int)threadIdx.x; i < K; i += gfp_wide::PRODUCT_THREADS) {
        gfp_wide::unroll<gfp_wide::PRIMES>([&](auto p_) {
            constexpr int P = GFP_AT(p_);
            const int32_t v = y.y[P * K + i], z = gfp_wide::constant_roots<K>.z[P * V + i / L];
            entry[2 * P * K + i] = v;
            entry[2 * P * K + K + i] = gfp_wide::reduce<P>(gfp_wide::mul(v, z));
        });
    }
}

/* z_i := x_i y + low_i; low = NULL: nothing is added. z may be x or low. */
template <int K>
static __global__ void __launch_bounds__(gfp_wide::PRODUCT_THREADS, gfp_wide::product_blocks(K))
    wide_scale(uint64_t *z, const uint64_t *x, const uint64_t *low, size_t n,
               const __grid_constant__ wide_constant<K> y,
               const __grid_constant__ gfp_wide::radix R)
{
    constexpr int V = gfp_wide::shape<K>::V, L = gfp_wide::shape<K>::L;
    __shared__ gfp_wide::product_room<K, gfp_wide::PRODUCT_THREADS> room;
    alignas(16) __shared__ int32_t entry[gfp_wide::ENTRY<K>];
    fill_entry<K>(entry, y);
    __syncthreads();
    const int c = (int)threadIdx.x % L, slot = (int)threadIdx.x / L;
    const size_t e = blockIdx.x * (size_t)(gfp_wide::PRODUCT_THREADS / L) + slot,
                 place = e < n ? e : 0;
    int64_t d[V], product[V];
    gfp_wide::load_digits<K>(d, x + place * K, c);
    gfp_wide::balance<V, L>(d, c, R);
    gfp_wide::multiply(d, gfp_wide::shared_entry<K>{entry}, room, slot, c, R, product);
    if (low != nullptr) {
        gfp_wide::load_digits<K>(d, low + place * K, c);
        gfp_wide::balance<V, L>(d, c, R);
        gfp_wide::add_settled<int64_t, V, L>(product, d, c, R);
    }
    gfp_wide::canonical<V, L>(product, c, R);
    if (e < n) {
        gfp_wide::store_digits<K>(z + e * K, product, c);
    }
}

template <int K>
static gfp_status launch_scale(gfp_gpu *gpu, const gfp_gpu_wide_mul *m, const gfp_wide::radix &R)
{
    uint64_t digits[K];
    wide_constant<K> y;
    memcpy(digits, m->c, sizeof digits);
    gfp_wide::balance_element(digits, K, R.r);
    gfp_wide::prepare_all<K>(digits, R, y.y);
    GFP_LAUNCH(gpu, wide_scale<K>,
               general::blocks_for(m->n, gfp_wide::PRODUCT_THREADS / gfp_wide::shape<K>::L),
               gfp_wide::PRODUCT_THREADS, 0, m->z, m->x, m->low, m->n, y, R);
    return GFP_OK;
}

template <int K, class Second>
static gfp_status launch_products(gfp_gpu *gpu, const gfp_gpu_wide_mul *m, const Second &second,
                                  const gfp_wide::radix &R)
{
    GFP_LAUNCH(gpu, (wide_products<K, Second>),
               general::blocks_for(m->n, gfp_wide::PRODUCT_THREADS / gfp_wide::shape<K>::L),
               gfp_wide::PRODUCT_THREADS, 0, m->z, m->x, m->n, second, R);
    return GFP_OK;
}

template <int K>
static gfp_status multiply_by(gfp_gpu *gpu, const gfp_gpu_wide_mul *m, const gfp_wide::radix &R)
{
    if (m->c != nullptr) {
        return launch_scale<K>(gpu, m, R);
    }
    return m->y != nullptr ? launch_products<K>(gpu, m, wide_array{m->y}, R)
                           : launch_products<K>(gpu, m, wide_indices{m->first}, R);
}

gfp_status gfp_gpu_vec_mul_wide(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_wide_mul *m,
                                bool *served)
{
    const int k = (int)gfp_field_k(field);
    const uint64_t r = gfp_field_r(field);
    *served = gfp_wide::elements_served(k, r);
    if (!*served || m->n == 0) {
        return GFP_OK;
    }
    return gfp_wide::with_radix(k, r, [&](auto k_, const gfp_wide::radix &R) {
        return multiply_by<GFP_AT(k_)>(gpu, m, R);
    });
}
