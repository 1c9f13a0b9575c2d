/* rows.cuh: what the kernels over rows of elements share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_VECTOR_ROWS_CUH
#define GFP_GPU_CUDA_VECTOR_ROWS_CUH

#include "gpu/cuda/arith.h"
#include "gpu/backend.h"

namespace rows
{

/* i / n, by 32 bits where both fit. */
static __device__ __forceinline__ size_t divide(size_t i, size_t n)
{
    return ((i | n) >> 32) == 0 ? static_cast<uint32_t>(i) / static_cast<uint32_t>(n) : i / n;
}

/* Stores K digits next to one another; z is aligned to 16 bytes. */
template <unsigned K>
static __device__ __forceinline__ void store(uint64_t *z, const general::view &digits)
{
#pragma unroll
    for (unsigned d = 0; d < K; d += 2) {
        *reinterpret_cast<ulonglong2 *>(z + d) = make_ulonglong2(digits[d], digits[d + 1]);
    }
}

} // namespace rows
#endif
