/* sliced_p8.cu: the fast transforms' kernels for p8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

typedef gfp_fast::modulus<8, 0x8000000400000000> field;
GFP_SLICED_FIELD(gfp_gpu_sliced_p8, field, 8, 8, 128, 5, 7, 6, 6);
