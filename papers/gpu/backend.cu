/* backend.cu: the table of papers/ for contexts of the backend `cuda`.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/impl.h"
#include "papers/gpu/backend.h"

const gfp_papers_backend gfp_papers_cuda = {
    &gfp_cuda_backend,
    &gfp_papers_cuda_fft,
    &gfp_papers_cuda_ntt,
    &gfp_papers_cuda_rival,
};
