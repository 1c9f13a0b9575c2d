/* sliced_k8.cu: the fast transforms' kernels for k = 8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k8(uint64_t r)
{
    return gfp_fast::find_kernels<8, 8, 8, 128, 5, 7, 6, 6>(r);
}
