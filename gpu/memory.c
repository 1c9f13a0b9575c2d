/* memory.c: arrays, copies and fences; and helpers of all public functions: entering a device, the
 * account of its memory, checks of arrays.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/backend.h"
#include "gpu/call.h"

/* ---- helpers of public functions ---- */

gfp_status gfp_gpu_lacks(gfp_gpu *gpu, const char *what)
{
    return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "the backend \"%s\" does not implement %s",
                        gpu->backend->name, what);
}

gfp_status gfp_gpu_report(const gfp_gpu *gpu, gfp_status status, gfp_error *error)
{
    if (status != GFP_OK && error != NULL) {
        *error = gpu->error;
    }
    return status;
}

/* The message stays: that of a lost device is quoted by all further calls. */
void gfp_gpu_error_begin(gfp_gpu *gpu, gfp_error *before)
{
    if (before != NULL) {
        *before = gpu->error;
    }
    gpu->error.status = GFP_OK;
}

void gfp_gpu_error_resume(gfp_gpu *gpu, const gfp_error *before, gfp_status status)
{
    if ((status == GFP_OK && !gpu->lost) || gpu->error.status == GFP_OK) {
        gpu->error = *before;
    }
}

gfp_status gfp_gpu_end(gfp_call *call, gfp_gpu *gpu, const gfp_error *before, gfp_status status)
{
    if (status != GFP_OK && gpu->error.status == status) {
        gfp_error_fill(&call->error, status, "%s: %s", call->name, gpu->error.message);
    }
    gfp_gpu_error_resume(gpu, before, status);
    gfp_call_unreported(call);
    return gfp_call_end(call, status);
}

gfp_status gfp_gpu_enter(gfp_gpu *gpu, bool waits, int *before)
{
    const gfp_gpu_device_calls *device = gpu->backend->device;
    if (gpu->lost) {
        /* The message stays that of the failure that lost the device. */
        gpu->error.status = GFP_ERR_DEVICE;
        return GFP_ERR_DEVICE;
    }
    if (waits && gpu->capturing) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "the call is not possible while a capture is open");
    }
    return device->enter != NULL ? device->enter(gpu, before) : GFP_OK;
}

int gfp_gpu_enter_to_destroy(const gfp_gpu *gpu)
{
    const gfp_gpu_device_calls *device = gpu->backend->device;
    return device->enter_to_destroy != NULL ? device->enter_to_destroy(gpu) : -1;
}

gfp_status gfp_gpu_leave(const gfp_gpu *gpu, int before, gfp_status status)
{
    if (before >= 0) {
        gpu->backend->device->leave(before);
    }
    return status;
}

void *gfp_gpu_make(gfp_gpu *gpu, size_t size, const char *what)
{
    void *made = gfp_allocate(&gpu->allocator, 1, size);
    if (made == NULL) {
        GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for %s", what);
        return NULL;
    }
    memset(made, 0, size);
    return made;
}

gfp_status gfp_gpu_device_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    void *made = NULL;
    if (bytes > gpu->memory_cap || gpu->bytes > gpu->memory_cap - bytes) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY,
                            "%zu bytes of device memory besides %zu in use exceed the cap of %zu",
                            bytes, gpu->bytes, gpu->memory_cap);
    }
    if (bytes != 0) {
        GFP_TRY(gpu->backend->memory->allocate(gpu, &made, bytes));
    }
    gpu->bytes += bytes;
    gpu->peak = gpu->bytes > gpu->peak ? gpu->bytes : gpu->peak;
    *block = made;
    return GFP_OK;
}

void gfp_gpu_device_release(gfp_gpu *gpu, void *block, size_t bytes)
{
    if (block != NULL) {
        gpu->backend->memory->release(gpu, block, bytes);
        gpu->bytes -= bytes;
    }
}

gfp_status gfp_gpu_device_fill(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    return gpu->backend->memory->upload(gpu, to, from, bytes);
}

gfp_status gfp_gpu_array_check(gfp_gpu *gpu, const gfp_gpu_array *array, size_t words)
{
    if (array->gpu != gpu) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the array belongs to another context");
    }
    if (array->words < words) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the array has %zu words, %zu are needed",
                            array->words, words);
    }
    return GFP_OK;
}

gfp_status gfp_gpu_array_check_apart(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                     const gfp_gpu_array *in, size_t in_words)
{
    GFP_TRY(gfp_gpu_array_check(gpu, out, out_words));
    GFP_TRY(gfp_gpu_array_check(gpu, in, in_words));
    if (out_words != 0 && in_words != 0 && out->data < in->data + in_words &&
        in->data < out->data + out_words) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the output overlaps an input");
    }
    return GFP_OK;
}

gfp_status gfp_gpu_array_check_pair(gfp_gpu *gpu, const gfp_gpu_array *out, size_t out_words,
                                    const gfp_gpu_array *in, size_t in_words)
{
    if (out->data == in->data) {
        GFP_TRY(gfp_gpu_array_check(gpu, out, out_words));
        return gfp_gpu_array_check(gpu, in, in_words);
    }
    return gfp_gpu_array_check_apart(gpu, out, out_words, in, in_words);
}

/* Checks that the array has the words first, ..., first + words - 1. */
static gfp_status check_range(gfp_gpu *gpu, const gfp_gpu_array *array, size_t first, size_t words)
{
    if (first > array->words || words > array->words - first) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "%zu words from word %zu of an array of %zu: too many", words, first,
                            array->words);
    }
    return GFP_OK;
}

/* ---- arrays ---- */

static gfp_status open_array(gfp_gpu *gpu, gfp_gpu_array *array, size_t words)
{
    size_t bytes;
    void *data = NULL;
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "an array of %zu words is too large", words);
    }
    GFP_TRY(gfp_gpu_device_allocate(gpu, &data, bytes));
    *array = (gfp_gpu_array){.gpu = gpu, .data = data, .words = words};
    return GFP_OK;
}

static gfp_status create_array(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    gfp_gpu_array *made = gfp_gpu_make(gpu, sizeof *made, "an array");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = open_array(gpu, made, words);
    if (status != GFP_OK) {
        gfp_release(&gpu->allocator, made, 1, sizeof *made);
        return status;
    }
    *array = made;
    return GFP_OK;
}

static gfp_status make_array(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    GFP_GPU_RETURN(gpu, true, create_array(array, gpu, words));
}

gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu, size_t words,
                                const gfp_options *options)
{
    GFP_GPU_CALL("array", gpu, options, make_array(array, gpu, words));
}

gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array, size_t first,
                              size_t words)
{
    gfp_gpu *gpu = array->gpu;
    if (first % 2 != 0 || first > array->words || words > array->words - first) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "%zu words from word %zu of an array of %zu: %s",
                            words, first, array->words,
                            first % 2 != 0 ? "the first must be even" : "too many");
    }
    gfp_gpu_array *made = gfp_gpu_make(gpu, sizeof *made, "an array");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_gpu_array){gpu, array->data + first, words, true};
    *part = made;
    return GFP_OK;
}

static gfp_status adopt_memory(gfp_gpu_array **array, gfp_gpu *gpu, void *address, size_t words)
{
    size_t bytes;
    if ((address == NULL && words != 0) || (uintptr_t)address % 16 != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the address %p: %s", address,
                            address == NULL ? "no memory" : "not aligned to 16 bytes");
    }
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "an array of %zu words is too large", words);
    }
    gfp_gpu_array *made = gfp_gpu_make(gpu, sizeof *made, "an array");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_gpu_array){gpu, address, words, true};
    *array = made;
    return GFP_OK;
}

gfp_status gfp_gpu_array_adopt(gfp_gpu_array **array, gfp_gpu *gpu, void *address, size_t words,
                               const gfp_options *options)
{
    GFP_GPU_CALL("array", gpu, options, adopt_memory(array, gpu, address, words));
}

void *gfp_gpu_array_address(gfp_gpu_array *array)
{
    return array->data;
}

void gfp_gpu_array_destroy(gfp_gpu_array *array)
{
    if (array == NULL) {
        return;
    }
    gfp_gpu *gpu = array->gpu;
    if (!array->window) {
        const int before = gfp_gpu_enter_to_destroy(gpu);
        gfp_gpu_device_release(gpu, array->data, array->words * sizeof(uint64_t));
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
    gfp_release(&gpu->allocator, array, 1, sizeof *array);
}

size_t gfp_gpu_array_words(const gfp_gpu_array *array)
{
    return array->words;
}

gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array)
{
    return array->gpu;
}

/* ---- copies ---- */

/* A member of a backend's table that copies to the device or from the device. */
typedef gfp_status (*copy_call)(gfp_gpu *gpu, void *to, const void *from, size_t bytes);

static gfp_status copy_in(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words,
                          copy_call copy)
{
    GFP_TRY(check_range(array->gpu, array, first, words));
    return words == 0 ? GFP_OK : copy(array->gpu, array->data + first, from, words * sizeof *from);
}

static gfp_status copy_out(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words,
                           copy_call copy)
{
    GFP_TRY(check_range(array->gpu, array, first, words));
    return words == 0 ? GFP_OK : copy(array->gpu, to, array->data + first, words * sizeof *to);
}

static gfp_status upload_words(gfp_gpu_array *array, size_t first, const uint64_t *from,
                               size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_RETURN(gpu, true, copy_in(array, first, from, words, gpu->backend->memory->upload));
}

gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words,
                          const gfp_options *options)
{
    GFP_GPU_CALL("upload", array->gpu, options, upload_words(array, first, from, words));
}

static gfp_status download_words(uint64_t *to, const gfp_gpu_array *array, size_t first,
                                 size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_RETURN(gpu, true, copy_out(to, array, first, words, gpu->backend->memory->download));
}

gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words,
                            const gfp_options *options)
{
    GFP_GPU_CALL("download", array->gpu, options, download_words(to, array, first, words));
}

gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first, const uint64_t *from,
                                size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_NEED(gpu, queues, upload);
    GFP_GPU_RETURN(gpu, true, copy_in(array, first, from, words, gpu->backend->queues->upload));
}

gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array, size_t first,
                                  size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_NEED(gpu, queues, download);
    GFP_GPU_RETURN(gpu, true, copy_out(to, array, first, words, gpu->backend->queues->download));
}

static gfp_status copy_words(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    return words == 0 || z->data == x->data
               ? GFP_OK
               : gpu->backend->memory->copy(gpu, z->data, x->data, words * sizeof *z->data);
}

static gfp_status copy_array(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    GFP_GPU_RETURN(z->gpu, false, copy_words(z, x, words));
}

gfp_status gfp_gpu_set(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words,
                       const gfp_options *options)
{
    GFP_GPU_CALL("copy", z->gpu, options, copy_array(z, x, words));
}

static gfp_status copy_range(gfp_gpu_array *z, size_t z_first, const gfp_gpu_array *x,
                             size_t x_first, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_TRY(check_range(gpu, z, z_first, words));
    GFP_TRY(gfp_gpu_array_check(gpu, x, 0));
    GFP_TRY(check_range(gpu, x, x_first, words));
    uint64_t *to = z->data + z_first;
    const uint64_t *from = x->data + x_first;
    if (words != 0 && to < from + words && from < to + words) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the output overlaps an input");
    }
    return words == 0 ? GFP_OK : gpu->backend->memory->copy(gpu, to, from, words * sizeof *to);
}

gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first, const gfp_gpu_array *x,
                              size_t x_first, size_t words)
{
    GFP_GPU_RETURN(z->gpu, false, copy_range(z, z_first, x, x_first, words));
}

static gfp_status clear_range(gfp_gpu_array *z, size_t first, size_t words)
{
    GFP_TRY(check_range(z->gpu, z, first, words));
    return words == 0
               ? GFP_OK
               : z->gpu->backend->memory->clear(z->gpu, z->data + first, words * sizeof *z->data);
}

gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words)
{
    GFP_GPU_RETURN(z->gpu, false, clear_range(z, first, words));
}

gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words, const gfp_options *options)
{
    GFP_GPU_CALL("clearing", z->gpu, options, gfp_gpu_clear_range(z, 0, words));
}

static gfp_status allocate_pinned(gfp_gpu *gpu, void **block, size_t bytes)
{
    GFP_GPU_RETURN(gpu, true, gpu->backend->memory->host_allocate(gpu, block, bytes));
}

gfp_status gfp_gpu_host_allocate(void **block, gfp_gpu *gpu, size_t bytes,
                                 const gfp_options *options)
{
    GFP_GPU_CALL("host memory", gpu, options, allocate_pinned(gpu, block, bytes));
}

void gfp_gpu_host_release(void *block, gfp_gpu *gpu)
{
    if (block != NULL) {
        const int before = gfp_gpu_enter_to_destroy(gpu);
        gpu->backend->memory->host_release(gpu, block);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
}

gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    GFP_GPU_RETURN(gpu, false, gpu->backend->memory->host_is_pinned(gpu, block, bytes, pinned));
}

/* ---- fences ---- */

gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu)
{
    const gfp_gpu_queue_calls *queues = gpu->backend->queues;
    int before = -1;
    GFP_GPU_NEED(gpu, queues, fence_open);
    gfp_gpu_fence *made = gfp_gpu_make(gpu, queues->fence_size, "a fence");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->gpu = gpu;
    gfp_status status = gfp_gpu_enter(gpu, true, &before);
    status = status != GFP_OK ? status : gfp_gpu_leave(gpu, before, queues->fence_open(made));
    if (status != GFP_OK) {
        gfp_release(&gpu->allocator, made, 1, queues->fence_size);
        return status;
    }
    *fence = made;
    return GFP_OK;
}

void gfp_gpu_fence_destroy(gfp_gpu_fence *fence)
{
    if (fence == NULL) {
        return;
    }
    gfp_gpu *gpu = fence->gpu;
    const gfp_gpu_queue_calls *queues = gpu->backend->queues;
    const int before = gfp_gpu_enter_to_destroy(gpu);
    queues->fence_close(fence);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
    gfp_release(&gpu->allocator, fence, 1, queues->fence_size);
}

static gfp_status check_queue(gfp_gpu *gpu, gfp_gpu_queue queue)
{
    return (unsigned)queue <= GFP_GPU_QUEUE_DOWNLOAD
               ? GFP_OK
               : GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "unknown queue %d", (int)queue);
}

static gfp_status set_fence(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    GFP_TRY(check_queue(fence->gpu, queue));
    return fence->gpu->backend->queues->fence_set(fence, queue);
}

static gfp_status hold_fence(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    GFP_TRY(check_queue(fence->gpu, queue));
    return fence->gpu->backend->queues->fence_hold(fence, queue);
}

gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    gfp_gpu *gpu = fence->gpu;
    GFP_GPU_RETURN(gpu, true, set_fence(fence, queue));
}

gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    gfp_gpu *gpu = fence->gpu;
    GFP_GPU_RETURN(gpu, true, hold_fence(fence, queue));
}

gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence)
{
    gfp_gpu *gpu = fence->gpu;
    GFP_GPU_RETURN(gpu, true, gpu->backend->queues->fence_wait(fence));
}
