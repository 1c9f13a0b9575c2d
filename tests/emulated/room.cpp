/* room.cpp: what engines of gpu/ take from the other files of their room, where they are compiled
 * for the host: memory that is the host's. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include <cmocka.h>
}

#include "gpu_impl.h"

int gfp_gpu_seam_next(void)
{
    return cudaSuccess;
}

gfp_status gfp_gpu_cuda_failed(gfp_gpu *, cudaError_t, const char *)
{
    return GFP_ERR_DEVICE;
}

gfp_status gfp_gpu_device_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    *block = aligned_alloc(256, (bytes + 255) & ~(size_t)255);
    assert_non_null(*block);
    memset(*block, 0xa5, bytes); /* nobody may count on zeros */
    gpu->bytes += bytes;
    return GFP_OK;
}

void gfp_gpu_device_release(gfp_gpu *gpu, void *block, size_t bytes)
{
    if (block != nullptr) {
        gpu->bytes -= bytes;
        free(block);
    }
}

gfp_status gfp_gpu_device_fill(gfp_gpu *, void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return GFP_OK;
}
