/* ntt_blocked62.cu: transforms on words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/transform/ntt_blocked.cuh"

const gfp_cuda_ntt_engine gfp_cuda_ntt_blocked62 = {62, blocked_create<ring62>,
                                                    blocked_run<ring62>};
