/* ntt_blocked31.cu: the fast form on half words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ntt_blocked.cuh"

const gfp_gpu_ntt_engine gfp_gpu_ntt_blocked31 = {
    GFP_GPU_NTT_MONTGOMERY, 31, blocked_create<ring31>, blocked_run<ring31>, NULL};
