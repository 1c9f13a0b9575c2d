/* ntt_blocked50.cu: transforms on doubles.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/ntt_blocked.cuh"

const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked50 = {50, blocked_create<ring50>,
                                                    blocked_run<ring50>};
