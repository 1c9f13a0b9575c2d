/* hybrid_leaf_rows.cu: leaves of the hybrid product: the rows' kernels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_leaf_rows.cuh"

using namespace gfp_leaf;

#define MIN_LEVELS_8 7

template <int LEVELS, int M>
static gfp_status launch_rows(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned levels)
{
    if constexpr (LEVELS < 10) {
        if (levels != LEVELS) {
            return launch_rows<LEVELS + 1, M>(gpu, pass, levels);
        }
    }
    typedef rows<LEVELS, M> R;
    constexpr size_t shared = 2 * R::padded * sizeof(uint32_t);
    const uint64_t blocks = blocks_of_plane<R>(*pass) * pass->primes;
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    if (shared > 48 * 1024) {
        GFP_CUDA_TRY(gpu, cudaFuncSetAttribute((const void *)multiply_rows<LEVELS, M>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)shared));
    }
    GFP_LAUNCH(gpu, (multiply_rows<LEVELS, M>), (unsigned)blocks, R::THREADS, shared, *pass);
    return GFP_OK;
}

gfp_status gfp_gpu_leaf_rows(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass, unsigned levels,
                             unsigned m)
{
    return m == 4 ? launch_rows<2, 4>(gpu, pass, levels)
                  : launch_rows<MIN_LEVELS_8, 8>(gpu, pass, levels);
}
