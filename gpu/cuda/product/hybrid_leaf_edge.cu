/* hybrid_leaf_edge.cu: leaves of the hybrid product: the kernels that convert between digits and
 * rows, the kernels for four levels of a column, and the tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_leaf_edge.cuh"

using namespace gfp_leaf;

#define MAX_LOG_K 8

static gfp_status too_large(gfp_gpu *gpu)
{
    return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
}

template <int LOG_K, int C>
static gfp_status launch_edge(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, bool forward)
{
    typedef edge<LOG_K, C> E;
    const uint64_t columns = columns_of<C>(pass);
    const uint64_t blocks = ((columns - 1) >> E::LOG_T) + 1;
    const size_t shared = E::W1 != 0 ? E::words * sizeof(uint32_t) : 0;
    if (blocks > INT32_MAX / GFP_HYBRID_LEAF_PRIMES) {
        return too_large(gpu);
    }
    if (forward) {
        GFP_LAUNCH(gpu, (split_digits<LOG_K, C>), (unsigned)blocks, E::THREADS, 2 * shared, *pass);
    } else {
        GFP_LAUNCH(gpu, (join_digits<LOG_K, C>), (unsigned)(blocks * pass->primes), E::THREADS,
                   shared, *pass);
    }
    return GFP_OK;
}

template <int LOG_K>
static gfp_status edge_dispatch(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                                unsigned levels, bool forward)
{
    if constexpr (LOG_K < MAX_LOG_K) {
        if (log2_k != LOG_K) {
            return edge_dispatch<LOG_K + 1>(gpu, pass, log2_k, levels, forward);
        }
    }
    return levels == 0 ? launch_edge<LOG_K, 0>(gpu, pass, forward) : launch_edge < LOG_K,
           LOG_K == 3 ? 4 : 8 - LOG_K > (gpu, pass, forward);
}

gfp_status gfp_gpu_leaf_split(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                              unsigned levels)
{
    return edge_dispatch<1>(gpu, pass, log2_k, levels, true);
}

gfp_status gfp_gpu_leaf_join(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned log2_k,
                             unsigned levels)
{
    return edge_dispatch<1>(gpu, pass, log2_k, levels, false);
}

/* ---- columns ---- */

/* A thread takes 16 points of one column. Threads are numbered by prime, leaf, channel, node and
 * column. */
template <bool FORWARD>
GFP_KERNEL(256, 4)
four_levels(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    const u64 per_plane = (pass.leaves << pass.log2_k) * pass.length >> 4;
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    const u64 stride = pass.length >> pass.depth >> 4;
    const u32 prime = (u32)(i / per_plane);
    if (prime >= pass.primes) {
        return;
    }
    const u64 column = i - prime * per_plane, row = column / stride, x0 = column - row * stride;
    const u64 channel = row >> pass.depth;
    const u32 node = leaf_node(pass, pass.log2_k, channel >> pass.log2_k,
                               (u32)channel & ((1u << pass.log2_k) - 1))
                         << pass.depth |
                     ((u32)row & ((1u << pass.depth) - 1));
    u32 *to = pass.a + prime * pass.plane + row * (stride << 4) + x0;
    node_factors<4> f;
    f.load((FORWARD ? pass.forward : pass.backward) + prime * pass.table, node);
    u32 x[16];
    LEAF_UNROLL
    for (int j = 0; j < 16; j++) {
        x[j] = to[j * stride];
    }
    if (FORWARD) {
        split_node<4>(x, f, modulus(pass, prime));
    } else {
        join_node<4>(x, f, modulus(pass, prime));
    }
    LEAF_UNROLL
    for (int j = 0; j < 16; j++) {
        to[j * stride] = x[j];
    }
}

gfp_status gfp_gpu_leaf_columns(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, bool forward)
{
    const uint64_t count = pass->primes * ((pass->leaves << pass->log2_k) * pass->length >> 4);
    const uint64_t blocks = (count + 255) / 256;
    if (blocks > INT32_MAX) {
        return too_large(gpu);
    }
    if (forward) {
        GFP_LAUNCH(gpu, (four_levels<true>), (unsigned)blocks, 256, 0, *pass);
    } else {
        GFP_LAUNCH(gpu, (four_levels<false>), (unsigned)blocks, 256, 0, *pass);
    }
    return GFP_OK;
}

/* ---- tables ---- */

GFP_KERNEL(256, 1)
fill_tables(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    const u32 prime = (u32)(i / pass.table);
    if (prime >= pass.primes) {
        return;
    }
    const u64 n = i - prime * pass.table;
    const u32 q = pass.q[prime], *roots = pass.b + 64 * prime;
    u64 w = 1, v = 1;
    LEAF_ROLLED
    for (int t = 0; n >> t != 0; t++) {
        if (n >> t & 1) {
            w = w * roots[t] % q;
            v = v * roots[t + 32] % q;
        }
    }
    pass.forward[i] = {(u32)w, (u32)((w << 32) / q)};
    pass.backward[i] = {(u32)v, (u32)((v << 32) / q)};
}

gfp_status gfp_gpu_leaf_tables(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, uint32_t *roots)
{
    const uint64_t blocks = (pass->primes * pass->table + 255) / 256;
    gfp_gpu_leaf_pass filled = *pass;
    filled.b = roots;
    if (blocks > INT32_MAX) {
        return too_large(gpu);
    }
    GFP_LAUNCH(gpu, fill_tables, (unsigned)blocks, 256, 0, filled);
    return GFP_OK;
}
