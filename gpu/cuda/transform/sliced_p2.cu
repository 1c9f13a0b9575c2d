/* sliced_p2.cu: the fast transforms' kernels for p2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

typedef gfp_fast::modulus<2, 0x8020000000000000> field;
GFP_SLICED_FIELD(gfp_gpu_sliced_p2, field, 8, 9, 128, 8, 9, 8, 7);
