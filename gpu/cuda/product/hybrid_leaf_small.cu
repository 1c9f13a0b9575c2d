/* hybrid_leaf_small.cu: products of small leaves, of 2^8 digits and k <= 16, from digits to digits
 * in one kernel. A warp takes two leaves of both factors, and waits for no other warp. The layout
 * of the points is that of hybrid_leaf_edge.cuh. The last two of its levels are left out: blocks
 * X^4 - g are multiplied instead.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_leaf_rows.cuh"
#include "gpu/cuda/product/hybrid_leaf_settle.cuh"

using namespace gfp_leaf;

/* Warps per block. */
#define WARPS 4

/* The points of a leaf modulo a prime, 16 rows of 16, 17 words apart. Half a warp has one leaf, and
 * the two leaves of a warp lie 16 banks apart. Thread h of the half has column h in the round of
 * the first levels, and row h in the round of the other levels. */
constexpr int ROW = 17, LEAF = 16 * ROW, PLANE = 2 * LEAF;
/* Shared memory holds the transforms of the first factor, then the products, modulo every prime;
 * and an area for the exchange of the second factor. */
constexpr size_t small_shared = (size_t)WARPS * (SETTLED_PRIMES + 1) * PLANE * sizeof(u32);

template <bool ROWS> static FAST_HD void leaf_put(u32 *to, const u32 *x, int h)
{
    to += ROWS ? ROW * h : h;
    gfp_fast::unroll<16>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        to[ROWS ? i : ROW * i] = x[i];
    });
}
template <bool ROWS> static FAST_HD void leaf_get(u32 *x, const u32 *from, int h)
{
    from += ROWS ? ROW * h : h;
    gfp_fast::unroll<16>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        x[i] = from[ROWS ? i : ROW * i];
    });
}

/* The levels of a factor modulo a prime except for the last two; residues are below q. The exchange
 * goes through `area`; afterwards the thread may use row h of it. */
template <class E>
static __device__ __forceinline__ void split_leaf(E &at, u32 *x, const s64 *d, u32 *area, u64 leaf,
                                                  int prime, int h)
{
    const gfp_gpu_leaf_pass &pass = at.pass;
    at.table = pass.forward + prime * pass.table;
    LEAF_UNROLL
    for (int i = 0; i < 16; i++) {
        x[i] = gfp_hybrid::project(d[i], at.m.q, pass.inverse[prime]);
    }
    at.template split_all<4, 0>(x, leaf, 0);
    leaf_put<false>(area, x, h);
    __syncwarp();
    leaf_get<true>(x, area, h);
    at.template level<4, 4, 0, true>(x, leaf, (u32)h);
    at.template level<4, 4, 1, true>(x, leaf, (u32)h);
    LEAF_UNROLL
    for (int i = 0; i < 16; i++) {
        x[i] = least(x[i], x[i] + at.m.less);
        x[i] = least(x[i], x[i] - at.m.q);
    }
}

/* Writes the digits of the coefficients of a column to the first two planes (lower and upper
 * words), at the places of their residues. */
template <int LOG_K>
static __device__ __forceinline__ void settle_column(const gfp_gpu_leaf_pass &pass, u32 *column)
{
    constexpr int K = 1 << LOG_K, STEP = 16 / K;
    LEAF_ROLLED
    for (int e = 0; e < STEP; e++) {
        u32 x[SETTLED_PRIMES][K], *own = column + ROW * e;
        s64 digits[K];
        LEAF_UNROLL
        for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
            LEAF_UNROLL
            for (int j = 0; j < K; j++) {
                x[prime][j] = own[prime * PLANE + ROW * STEP * j];
            }
        }
        settle_coefficient<K, 1>(pass, x, 0, digits);
        LEAF_UNROLL
        for (int j = 0; j < K; j++) {
            own[ROW * STEP * j] = (u32)digits[j];
            own[PLANE + ROW * STEP * j] = (u32)((u64)digits[j] >> 32);
        }
    }
}

/* pass.digits := pass.digits times the digits at pass.b, which may be the same. */
template <int LOG_K>
GFP_KERNEL((32 * WARPS), 4)
multiply_leaves(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, 8 - LOG_K> E;
    constexpr int K = 1 << LOG_K, STEP = 16 / K;
    GFP_FAST_SHARED(memory);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5, h = lane & 15;
    u32 *const planes = (u32 *)memory + warp * (SETTLED_PRIMES + 1) * PLANE,
               *const own = planes + (lane >> 4) * LEAF, *const area = own + SETTLED_PRIMES * PLANE;
    E at(pass, 0);
    const u64 first = ((u64)blockIdx.x * WARPS + warp) * 2, leaf = first + (lane >> 4);
    const column c = {leaf, 0, leaf < pass.leaves};
    s64 d[16];
    u32 x[16], y[16];
    at.load_digits(d, pass.digits, c, h << E::LOG_T);
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 *plane = own + prime * PLANE;
        at.m = modulus(pass, prime);
        split_leaf(at, x, d, plane, leaf, prime, h);
        leaf_put<true>(plane, x, h);
    }
    at.load_digits(d, (const s64 *)pass.b, c, h << E::LOG_T);
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 *plane = own + prime * PLANE;
        at.m = modulus(pass, prime);
        split_leaf(at, y, d, area, leaf, prime, h);
        leaf_get<true>(x, plane, h);
        factor w[2];
        load_two(at.table + at.template node<5>(leaf, (u32)h << 1), w[0], w[1]);
        LEAF_UNROLL
        for (int i = 0; i < 4; i++) {
            rows<2, 4>::multiply(x + 4 * i, y + 4 * i, w[i / 2], i % 2 != 0, at.m,
                                 pass.inverse[prime]);
        }
        at.table = pass.backward + prime * pass.table;
        at.template level<4, 4, 1, false>(x, leaf, (u32)h);
        at.template level<4, 4, 0, false>(x, leaf, (u32)h);
        leaf_put<true>(plane, x, h);
        __syncwarp(); /* no thread reads `area` any more, either */
        leaf_get<false>(x, plane, h);
        at.template join_all<4, 0>(x, leaf, 0);
        LEAF_UNROLL
        for (int i = 0; i < 16; i++) {
            x[i] = (u32)scaled<SETTLED_PRIMES>(x[i], pass.scale[prime], at.m.q);
        }
        leaf_put<false>(plane, x, h);
    }
    settle_column<LOG_K>(pass, own + h);
    __syncwarp();
    s64 *to = pass.digits + (first << 8) + lane;
    LEAF_UNROLL
    for (int i = 0; i < 16; i++) {
        const int n = (i & 7) * 32 + lane, j = n & (K - 1), coefficient = n >> LOG_K;
        const u32 *from =
            planes + (i >> 3) * LEAF + ROW * (j * STEP + (coefficient >> 4)) + (coefficient & 15);
        if (first + (i >> 3) < pass.leaves) {
            to[i * 32] = (s64)((u64)from[PLANE] << 32 | from[0]);
        }
    }
}

template <int LOG_K> static gfp_status launch_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    const uint64_t blocks = (pass->leaves + 2 * WARPS - 1) / (2 * WARPS);
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)multiply_leaves<LOG_K>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)small_shared));
    GFP_LAUNCH(gpu, multiply_leaves<LOG_K>, (unsigned)blocks, 32 * WARPS, small_shared, *pass);
    return GFP_OK;
}

bool gfp_gpu_leaf_is_small(const gfp_gpu *gpu, unsigned log2_k, uint64_t r, uint64_t length,
                           unsigned primes)
{
    return log2_k <= SETTLED_MAX_LOG_K &&
           length << log2_k == (uint64_t)1 << GFP_HYBRID_LEAF_LOG2_SMALL &&
           primes == SETTLED_PRIMES && !gfp_hybrid::make_radix(r).tight &&
           (size_t)gfp_cuda_device_of(gpu)->shared_per_block >= small_shared;
}

gfp_status gfp_gpu_leaf_small(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    switch (pass->log2_k) {
    case 1:
        return launch_small<1>(gpu, pass);
    case 2:
        return launch_small<2>(gpu, pass);
    case 3:
        return launch_small<3>(gpu, pass);
    default:
        return launch_small<4>(gpu, pass);
    }
}
