/* sliced_k16.cu: the fast transforms' kernels for k = 16.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k16(uint64_t r)
{
    return gfp_fast::find_kernels<16, 8, 8, 128, 3, 9, 3, 5>(r);
}
