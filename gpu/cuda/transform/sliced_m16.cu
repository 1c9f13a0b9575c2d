/* sliced_m16.cu: the fast transforms' kernels for m16.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/sliced.cuh"

typedef gfp_fast::modulus<16, 0x0480200000000000> field;
GFP_SLICED_FIELD(gfp_gpu_sliced_m16, field, 8, 8, 128, 3, 9, 3, 5);
