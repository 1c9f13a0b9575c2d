/* context.c: devices and contexts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/backend.h"
#include "gpu/call.h"

bool gfp_gpu_built_in(void)
{
    return gfp_gpu_backend_possible();
}

gfp_status gfp_gpu_count(unsigned *count, gfp_error *error)
{
    const gfp_gpu_backend *backend = gfp_gpu_backend_in_use(error);
    gfp_gpu gpu = {.backend = backend};
    unsigned found = 0;
    if (backend == NULL) {
        return GFP_ERR_UNAVAILABLE;
    }
    const gfp_status status = backend->device->count(&gpu, &found);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "%s", gpu.error.message);
    }
    *count = found;
    return GFP_OK;
}

static gfp_status create_context(gfp_call *call, gfp_gpu **gpu, const gfp_allocator *allocator)
{
    const gfp_options *options = call->options;
    const gfp_gpu_backend *backend = gfp_gpu_backend_in_use(&call->error);
    if (backend == NULL) {
        return GFP_ERR_UNAVAILABLE;
    }
    allocator = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_gpu *made = gfp_allocate(allocator, 1, backend->device->context_size);
    if (made == NULL) {
        return gfp_error_set(&call->error, GFP_ERR_MEMORY, "out of memory for a context");
    }
    memset(made, 0, backend->device->context_size);
    made->backend = backend;
    made->allocator = *allocator;
    made->device = options->gpu_device;
    made->memory_cap = options->gpu_memory_cap != 0 ? options->gpu_memory_cap : SIZE_MAX;
    const gfp_status status = backend->device->open(made);
    if (status != GFP_OK) {
        call->error = made->error;
        gfp_gpu_destroy(made);
        return status;
    }
    *gpu = made;
    return GFP_OK;
}

gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_allocator *allocator, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, "context of a device", options));
    gfp_call_unreported(&call);
    return gfp_call_end(&call, create_context(&call, gpu, allocator));
}

void gfp_gpu_destroy(gfp_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    const gfp_gpu_device_calls *device = gpu->backend->device;
    device->close(gpu);
    const gfp_allocator allocator = gpu->allocator;
    gfp_release(&allocator, gpu, 1, device->context_size);
}

static gfp_status find_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    GFP_GPU_RETURN(gpu, true, gpu->backend->device->info(gpu, info));
}

gfp_status gfp_gpu_get_info(gfp_gpu_info *info, gfp_gpu *gpu, const gfp_options *options)
{
    GFP_GPU_CALL("description of a device", gpu, options, find_info(gpu, info));
}

gfp_status gfp_gpu_wait(gfp_gpu *gpu, const gfp_options *options)
{
    GFP_GPU_CALL("wait for a context", gpu, options, gpu->backend->device->wait(gpu));
}

static gfp_status wait_device(gfp_gpu *gpu)
{
    GFP_GPU_RETURN(gpu, true, gpu->backend->device->wait_device(gpu));
}

gfp_status gfp_gpu_wait_device(gfp_gpu *gpu, const gfp_options *options)
{
    GFP_GPU_CALL("wait for a device", gpu, options, wait_device(gpu));
}

size_t gfp_gpu_memory_used(const gfp_gpu *gpu)
{
    return gpu->bytes;
}

size_t gfp_gpu_set_memory_cap(gfp_gpu *gpu, size_t cap)
{
    const size_t before = gpu->memory_cap;
    gpu->memory_cap = cap;
    return before;
}

size_t gfp_gpu_memory_peak(const gfp_gpu *gpu)
{
    return gpu->peak;
}

const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu)
{
    return &gpu->error;
}
