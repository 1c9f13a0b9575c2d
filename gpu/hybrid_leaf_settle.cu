/* hybrid_leaf_settle.cu: leaves of the hybrid product: the last pass back at once, from residues to
 * digits, where k <= 16: a thread then has all digits of a coefficient, modulo every prime. It
 * saves writing and reading residues of digits. For five primes, which is what 64-bit radices take;
 * gfp_gpu_leaf_join and gfp_gpu_leaf_digits do the rest. SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "hybrid_leaf_settle.cuh"

using namespace gfp_leaf;

template <class E>
static constexpr size_t settle_shared = (E::W1 != 0 ? SETTLED_PRIMES : 2) * settled_plane<E> *
                                        sizeof(u32);

template <int LOG_K, int C>
GFP_KERNEL((edge<LOG_K, C>::THREADS), 2)
join_settle(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, C> E;
    constexpr int W0 = E::W0, W1 = E::W1, G = E::G, B0 = E::B0, B1 = E::B1;
    static_assert(W0 >= LOG_K, "all digits are in one thread");
    GFP_FAST_SHARED(memory);
    u32 *shared = (u32 *)memory;
    const int thread = (int)threadIdx.x;
    E at(pass, blockIdx.x);
    if constexpr (W1 != 0) {
        const int p = E::template position<W1, B1>(thread, 0, 0);
        const column c = at.column_of(p);
        LEAF_ROLLED
        for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
            u32 x[16];
            at.m = modulus(pass.q[prime]);
            at.table = pass.backward + prime * pass.table;
            at.template load<W1, B1>(x, pass.a + prime * pass.plane, c, p);
            at.template join_all<W1, W0>(x, c.leaf, (u32)thread >> B1);
            settled_put<E, W1, B1>(shared + prime * settled_plane<E>, x, thread, 0);
        }
        __syncthreads();
    }
    LEAF_ROLLED
    for (int g = 0; g < G; g++) {
        const int p = E::template position<W0, B0>(thread, g, 0);
        const column c = at.column_of(p);
        u32 x[SETTLED_PRIMES][1 << W0];
        LEAF_UNROLL
        for (int prime = 0; prime < SETTLED_PRIMES; prime++) {
            at.m = modulus(pass.q[prime]);
            at.table = pass.backward + prime * pass.table;
            if constexpr (W1 != 0) {
                settled_get<E, W0, B0>(x[prime], shared + prime * settled_plane<E>, thread, g);
            } else {
                at.template load<W0, B0>(x[prime], pass.a + prime * pass.plane, c, p);
            }
            at.template join_all<W0, 0>(x[prime], c.leaf, 0);
            LEAF_UNROLL
            for (int i = 0; i < 1 << W0; i++) {
                const u32 y = multiply_lazy(x[prime][i], pass.scale[prime], at.m.q);
                x[prime][i] = least(y, y - at.m.q);
            }
        }
        /* The places of residues that this thread alone has read. */
        settle_group<E, LOG_K>(pass, x, shared, thread, g);
    }
    __syncthreads();
    store_digits<E, LOG_K>(at, shared, thread);
}

template <int LOG_K, int C>
static gfp_status launch_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    typedef edge<LOG_K, C> E;
    const uint64_t columns = pass->leaves * (pass->length >> C);
    const uint64_t blocks = ((columns - 1) >> E::LOG_T) + 1;
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)join_settle<LOG_K, C>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)settle_shared<E>));
    GFP_LAUNCH(gpu, (join_settle<LOG_K, C>), (unsigned)blocks, E::THREADS, settle_shared<E>, *pass);
    return GFP_OK;
}

template <int LOG_K>
static gfp_status dispatch(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                           unsigned levels)
{
    if constexpr (LOG_K < SETTLED_MAX_LOG_K) {
        if (log2_k != LOG_K) {
            return dispatch<LOG_K + 1>(gpu, pass, log2_k, levels);
        }
    }
    return levels == 0 ? launch_settle<LOG_K, 0>(gpu, pass) : launch_settle < LOG_K,
           LOG_K == 3 ? 4 : 8 - LOG_K > (gpu, pass);
}

gfp_status gfp_gpu_leaf_settle(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                               unsigned levels)
{
    if (log2_k <= SETTLED_MAX_LOG_K && pass->primes == SETTLED_PRIMES &&
        (size_t)gpu->shared_per_block >= settle_shared<edge<1, 7>>) {
        return dispatch<1>(gpu, pass, log2_k, levels);
    }
    GFP_TRY(gfp_gpu_leaf_join(gpu, pass, log2_k, levels));
    return gfp_gpu_leaf_digits(gpu, pass);
}
