/* backends.c: the backend in use: the backend that the library was built with, or that a plug-in
 * has, unless a test replaces it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"

#if GFP_HAVE_CUDA
extern const gfp_gpu_backend gfp_cuda_backend;
static const gfp_gpu_backend *in_use = &gfp_cuda_backend;
#else
static const gfp_gpu_backend *in_use = NULL;
#endif

#if GFP_CUDA_PLUGIN
#include "gpu/plugin.h"
static gfp_gpu_source *source = gfp_gpu_plugin_backend;
#else
static gfp_gpu_source *source = NULL;
#endif

bool gfp_gpu_backend_possible(void)
{
    return in_use != NULL || source != NULL;
}

const gfp_gpu_backend *gfp_gpu_backend_in_use(gfp_error *error)
{
    if (in_use != NULL) {
        return in_use;
    }
    if (source != NULL) {
        return source(error);
    }
    gfp_error_fill(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
    return NULL;
}

void gfp_gpu_use_backend(const gfp_gpu_backend *backend)
{
    in_use = backend;
}

void gfp_gpu_use_source(gfp_gpu_source *replacement)
{
    source = replacement;
}
