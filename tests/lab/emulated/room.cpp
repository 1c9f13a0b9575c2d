/* room.cpp: see room.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include <cmocka.h>
}

#include "lab/emulated/room.h"

/* The library's backend `cuda` stays out of the program: its files define the same functions. */
const gfp_gpu_backend *gfp_gpu_backend_in_use(gfp_error *)
{
    return nullptr;
}

bool gfp_gpu_backend_possible(void)
{
    return false;
}

void gfp_gpu_use_backend(const gfp_gpu_backend *)
{
}

void gfp_gpu_use_source(gfp_gpu_source *)
{
}

int gfp_gpu_seam_next(void)
{
    return cudaSuccess;
}

gfp_status gfp_gpu_cuda_failed(gfp_gpu *, cudaError_t, const char *)
{
    return GFP_ERR_DEVICE;
}

static gfp_status room_allocate(gfp_gpu *, void **block, size_t bytes)
{
    *block = aligned_alloc(256, (bytes + 255) & ~(size_t)255);
    assert_non_null(*block);
    memset(*block, 0xa5, bytes); /* nobody may count on zeros */
    return GFP_OK;
}

static void room_release(gfp_gpu *, void *block, size_t)
{
    free(block);
}

static gfp_status room_upload(gfp_gpu *, void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return GFP_OK;
}

gfp_status gfp_cuda_stream(gfp_gpu *, gfp_gpu_queue, cudaStream_t *stream)
{
    *stream = nullptr;
    return GFP_OK;
}

gfp_cuda emulated_gpu(void)
{
    static const gfp_gpu_memory_calls memory = {room_allocate, room_release, nullptr,     nullptr,
                                                nullptr,       nullptr,      room_upload, nullptr,
                                                nullptr,       nullptr,      nullptr};
    static const gfp_gpu_device_calls device = {};
    static const gfp_gpu_backend backend = {"emulated", &device, &memory, nullptr,
                                            nullptr,    nullptr, nullptr, nullptr,
                                            nullptr,    nullptr, nullptr, nullptr};
    gfp_cuda gpu = {};
    gpu.backend = &backend;
    gpu.allocator = gfp_default_allocator;
    gpu.memory_cap = SIZE_MAX;
    gpu.multiprocessors = 1;
    return gpu;
}
