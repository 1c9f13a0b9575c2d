/* backends.c: the backend in use: the backend that the library was built with, unless a test
 * replaces it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "backend.h"

#if GFP_HAVE_CUDA
extern const gfp_gpu_backend gfp_cuda_backend;
static const gfp_gpu_backend *in_use = &gfp_cuda_backend;
#else
static const gfp_gpu_backend *in_use = NULL;
#endif

const gfp_gpu_backend *gfp_gpu_backend_in_use(void)
{
    return in_use;
}

void gfp_gpu_use_backend(const gfp_gpu_backend *backend)
{
    in_use = backend;
}
