/* sliced_k4.cu: the fast transforms' kernels for k = 4.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k4(uint64_t r)
{
    return gfp_fast::find_kernels<4, 9, 8, 128, 6, 6, 6, 6>(r);
}
