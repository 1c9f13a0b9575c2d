/* sliced_p16.cu: the fast transforms' kernels for p16.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

typedef gfp_fast::modulus<16, 0x4000001000000000> field;
GFP_SLICED_FIELD(gfp_gpu_sliced_p16, field, 8, 8, 128, 3, 9, 3, 5);
