/* hybrid_leaf_settle.cu: leaves of the hybrid product: the last pass of the way back in one kernel,
 * from residues to digits, without writing and reading residues of digits. The kernel serves leaves
 * with five primes, as 64-bit radices need; of the tight radices, which are close to 2^64, only
 * those with k = 128 (p128). gfp_gpu_leaf_join and gfp_gpu_leaf_digits serve the rest.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_leaf_settle.cuh"

using namespace gfp_leaf;

#define MAX_LOG_K 8
#define TIGHT_LOG_K 7 /* p128 */

template <class E>
static constexpr size_t settle_shared = (E::W1 != 0 ? SETTLED_PRIMES : 2) * settled_plane<E> *
                                        sizeof(u32);

/* All levels of the second round backwards, written to the planes. */
template <class E>
static FAST_HD void join_second(E &at, const gfp_gpu_leaf_pass &pass, u32 *shared, int thread)
{
    constexpr int W0 = E::W0, W1 = E::W1, B1 = E::B1;
    const int p = E::template position<W1, B1>(thread, 0, 0);
    const column c = at.column_of(p);
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 x[16];
        at.m = modulus(pass, prime);
        at.table = pass.backward + prime * pass.table;
        at.template load<W1, B1>(x, pass.a + prime * pass.plane, c, p);
        at.template join_all<W1, W0>(x, c.leaf, (u32)thread >> B1);
        settled_put<E, W1, B1>(shared + prime * settled_plane<E>, x, thread, 0);
    }
}

/* The size of the block of points, and the number of resident blocks: measured. */
template <int LOG_K, int C> struct settled {
    static constexpr bool halves = LOG_K == 3 && C != 0;
    typedef edge<LOG_K, C, halves ? 11 : 12> E;
    static constexpr int resident = halves ? 5 : 2;
};

/* k <= 16. */
template <int LOG_K, int C>
GFP_KERNEL((settled<LOG_K, C>::E::THREADS), (settled<LOG_K, C>::resident))
join_settle(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef typename settled<LOG_K, C>::E E;
    constexpr int W0 = E::W0, W1 = E::W1, G = E::G, B0 = E::B0;
    static_assert(W0 >= LOG_K, "all digits are in one thread");
    GFP_FAST_SHARED(memory);
    u32 *shared = (u32 *)memory;
    const int thread = (int)threadIdx.x;
    E at(pass, blockIdx.x);
    if constexpr (W1 != 0) {
        join_second(at, pass, shared, thread);
        __syncthreads();
    }
    LEAF_ROLLED
    for (int g = 0; g < G; g++) {
        const int p = E::template position<W0, B0>(thread, g, 0);
        const column c = at.column_of(p);
        u32 x[SETTLED_PRIMES][1 << W0];
        LEAF_UNROLL
        for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
            at.m = modulus(pass, prime);
            at.table = pass.backward + prime * pass.table;
            if constexpr (W1 != 0) {
                settled_get<E, W0, B0>(x[prime], shared + prime * settled_plane<E>, thread, g);
            } else {
                at.template load<W0, B0>(x[prime], pass.a + prime * pass.plane, c, p);
            }
            at.template join_all<W0, 0>(x[prime], c.leaf, 0);
            LEAF_UNROLL
            for (int i = 0; i < 1 << W0; i++) {
                x[prime][i] = (u32)scaled<SETTLED_PRIMES>(x[prime][i], pass.scale[prime], at.m.q);
            }
        }
        /* The places of residues that only this thread has read. */
        settle_group<E, LOG_K>(pass, x, shared, thread, g);
    }
    __syncthreads();
    store_digits<E, LOG_K>(at, thread, [&](int n) { return settled_digit<E, LOG_K>(shared, n); });
}

/* ---- k >= 32: a thread has 16 consecutive digits ---- */

/* Takes the value of the lane before, among the lanes of a coefficient. A value that passes the top
 * is negated. */
template <int LANES> static __device__ __forceinline__ u32 from_below(u32 value, int lane)
{
    return __shfl_sync(0xffffffffu, value, (lane + LANES - 1) & (LANES - 1), LANES);
}

template <int LOG_K, int C, bool TIGHT>
GFP_KERNEL((edge<LOG_K, C>::THREADS), 2)
join_settle_many(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, C> E;
    constexpr int W0 = E::W0, G = E::G, B0 = E::B0, LANES = 1 << (LOG_K - 4);
    static_assert(W0 < LOG_K && LANES <= 32, "nodes of the first round are those of all leaves");
    GFP_FAST_SHARED(memory);
    u32 *shared = (u32 *)memory;
    const int thread = (int)threadIdx.x;
    E at(pass, blockIdx.x);
    join_second(at, pass, shared, thread);
    __syncthreads();
    LEAF_ROLLED
    for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
        u32 *plane = shared + prime * settled_plane<E>;
        u32 x[16];
        at.m = modulus(pass, prime);
        at.table = pass.backward + prime * pass.table;
        LEAF_UNROLL
        for (int g = 0; g < G; g++) {
            settled_get<E, W0, B0>(x + (g << W0), plane, thread, g);
            at.template join_all<W0, 0>(x + (g << W0), 0, 0);
        }
        LEAF_UNROLL
        for (int i = 0; i < 16; i++) {
            x[i] = (u32)scaled<SETTLED_PRIMES>(x[i], pass.scale[prime], at.m.q);
        }
        LEAF_UNROLL
        for (int g = 0; g < G; g++) {
            settled_put<E, W0, B0>(plane, x + (g << W0), thread, g);
        }
    }
    __syncthreads();
    const gfp_hybrid::radix &R = pass.radix;
    const int lane = thread & (LANES - 1);
    const u32 *from = shared + settled_pad((lane << (12 - LOG_K + 4)) | (u32)thread >> (LOG_K - 4));
    s64 d[16], c1[16];
    s32 c2[16], carry[16];
    gfp_fast::unroll<16>([&](auto jc) {
        constexpr int j = decltype(jc)::value, place = settled_pad(j << (12 - LOG_K));
        s32 y[SETTLED_PRIMES];
        LEAF_UNROLL
        for (int i = 0; i < SETTLED_PRIMES; i++) {
            y[i] = (s32)from[i * settled_plane<E> + place];
        }
        const gfp_hybrid::triple c =
            gfp_hybrid::recombine<SETTLED_PRIMES, TIGHT>(pass.crt.of5, R, y);
        d[j] = c.c0, c1[j] = c.c1, c2[j] = c.c2;
    });
    s64 below1 = (s64)((u64)from_below<LANES>((u32)((u64)c1[15] >> 32), lane) << 32 |
                       from_below<LANES>((u32)c1[15], lane));
    s32 below2 = (s32)from_below<LANES>((u32)c2[15], lane),
        below3 = (s32)from_below<LANES>((u32)c2[14], lane);
    if (lane == 0) {
        below1 = -below1, below2 = -below2, below3 = -below3;
    }
    LEAF_UNROLL
    for (int j = 0; j < 16; j++) {
        d[j] = gfp_hybrid::settle(R, d[j], j < 1 ? below1 : c1[j - 1],
                                  j < 1   ? below3
                                  : j < 2 ? below2
                                          : c2[j - 2],
                                  &carry[j]);
    }
    const s32 first = (s32)from_below<LANES>((u32)carry[15], lane);
    /* Digits overwrite residues that all threads have read. The order of digits is that of memory,
     * with one word of padding after every 16. */
    __syncthreads();
    s64 *digits = (s64 *)memory;
    LEAF_UNROLL
    for (int j = 0; j < 16; j++) {
        digits[17 * thread + j] = d[j] + (j > 0 ? carry[j - 1] : lane == 0 ? -first : first);
    }
    __syncthreads();
    store_digits<E, LOG_K>(at, thread, [&](int n) { return digits[n + (n >> 4)]; });
}

template <int LOG_K, int C, bool TIGHT>
static gfp_status launch_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    typedef typename settled<LOG_K, C>::E E;
    constexpr auto kernel = [] {
        if constexpr (LOG_K <= SETTLED_MAX_LOG_K) {
            return join_settle<LOG_K, C>;
        } else {
            return join_settle_many<LOG_K, C, TIGHT>;
        }
    }();
    const uint64_t columns = columns_of<C>(pass);
    const uint64_t blocks = ((columns - 1) >> E::LOG_T) + 1;
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)kernel,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)settle_shared<E>));
    GFP_LAUNCH(gpu, kernel, (unsigned)blocks, E::THREADS, settle_shared<E>, *pass);
    return GFP_OK;
}

template <int LOG_K>
static gfp_status settle_dispatch(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                                  unsigned levels)
{
    constexpr int C = LOG_K == 3 ? 4 : 8 - LOG_K;
    if constexpr (LOG_K < MAX_LOG_K) {
        if (log2_k != LOG_K) {
            return settle_dispatch<LOG_K + 1>(gpu, pass, log2_k, levels);
        }
    }
    if constexpr (LOG_K == TIGHT_LOG_K) {
        if (pass->radix.tight) {
            return levels == 0 ? launch_settle<LOG_K, 0, true>(gpu, pass)
                               : launch_settle<LOG_K, C, true>(gpu, pass);
        }
    }
    return levels == 0 ? launch_settle<LOG_K, 0, false>(gpu, pass)
                       : launch_settle<LOG_K, C, false>(gpu, pass);
}

static bool kernel_serves(const gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k)
{
    return log2_k <= MAX_LOG_K && pass->primes == SETTLED_PRIMES &&
           (!pass->radix.tight || log2_k == TIGHT_LOG_K) &&
           (size_t)gfp_cuda_device_of(gpu)->shared_per_block >= settle_shared<edge<1, 7>>;
}

gfp_status gfp_gpu_leaf_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                               unsigned levels)
{
    if (kernel_serves(gpu, pass, log2_k)) {
        return settle_dispatch<1>(gpu, pass, log2_k, levels);
    }
    GFP_TRY(gfp_gpu_leaf_join(gpu, pass, log2_k, levels));
    return gfp_gpu_leaf_digits(gpu, pass);
}
