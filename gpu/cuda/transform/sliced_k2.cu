/* sliced_k2.cu: the fast transforms' kernels for k = 2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k2(uint64_t r)
{
    return gfp_fast::find_kernels<2, 8, 9, 128, 8, 9, 8, 7>(r);
}
