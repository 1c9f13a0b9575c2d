/* sliced_p4.cu: the fast transforms' kernels for p4.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

typedef gfp_fast::modulus<4, 0xfffc000000000000> field;
GFP_SLICED_FIELD(gfp_gpu_sliced_p4, field, 9, 8, 128, 6, 6, 6, 6);
