/* ntt_blocked31.cu: transforms on half words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/ntt_blocked.cuh"

const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked31 = {31, blocked_create<ring31>,
                                                    blocked_run<ring31>};
