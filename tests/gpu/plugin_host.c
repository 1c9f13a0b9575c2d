/* plugin_host.c: for plug-ins made of the backend `host' (tests/lab/fake_device/backend.c). Such a
 * plug-in holds a copy of the library for the backend's arithmetic; the copy itself has no backend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"

const gfp_gpu_backend *gfp_gpu_backend_in_use(gfp_error *error)
{
    gfp_error_fill(error, GFP_ERR_UNAVAILABLE, "inside a plug-in");
    return NULL;
}

bool gfp_gpu_backend_possible(void)
{
    return false;
}

void gfp_gpu_use_backend(const gfp_gpu_backend *backend)
{
    (void)backend;
}

void gfp_gpu_use_source(gfp_gpu_source *replacement)
{
    (void)replacement;
}
