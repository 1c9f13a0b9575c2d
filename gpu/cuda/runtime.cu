/* runtime.cu: devices, contexts, memory and graphs of CUDA, and the seam through which every call
 * of CUDA passes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/impl.h"

/* ---- the seam ---- */

static gfp_gpu_fault seam_fault = GFP_GPU_FAULT_NONE;
static uint64_t seam_nth = 0;
static uint64_t seam_count = 0;

void gfp_gpu_seam_arm(gfp_gpu_fault fault, uint64_t nth)
{
    __atomic_store_n(&seam_nth, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&seam_count, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&seam_fault, fault, __ATOMIC_SEQ_CST);
    __atomic_store_n(&seam_nth, nth, __ATOMIC_SEQ_CST);
}

uint64_t gfp_gpu_seam_calls(void)
{
    return __atomic_load_n(&seam_count, __ATOMIC_SEQ_CST);
}

int gfp_gpu_seam_next(void)
{
    uint64_t call = __atomic_add_fetch(&seam_count, 1, __ATOMIC_RELAXED);
    uint64_t nth = __atomic_load_n(&seam_nth, __ATOMIC_RELAXED);
    if (nth == 0 || call < nth) {
        return cudaSuccess;
    }
    switch (__atomic_load_n(&seam_fault, __ATOMIC_RELAXED)) {
    case GFP_GPU_FAULT_MEMORY:
        return call == nth ? cudaErrorMemoryAllocation : cudaSuccess;
    case GFP_GPU_FAULT_LAUNCH:
        return call == nth ? cudaErrorLaunchOutOfResources : cudaSuccess;
    case GFP_GPU_FAULT_LOST:
        return cudaErrorLaunchFailure;
    case GFP_GPU_FAULT_NONE:
        break;
    }
    return cudaSuccess;
}

/* Errors after which no call of this process works on the device any more. */
static bool runtime_stays(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorAssert:
#if CUDART_VERSION >= 13000
    case cudaErrorTensorMemoryLeak:
    case cudaErrorContained:
#endif
    case cudaErrorContextIsDestroyed:
    case cudaErrorDevicesUnavailable:
    case cudaErrorExternalDevice:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorUnknown:
        return true;
    default:
        return false;
    }
}

static gfp_status status_of(cudaError_t error)
{
    switch (error) {
    case cudaErrorMemoryAllocation:
        return GFP_ERR_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
        return GFP_ERR_UNAVAILABLE;
    default:
        return GFP_ERR_DEVICE;
    }
}

/* The name of the function in the text of a call. */
static int name_length(const char *call)
{
    const char *end = strncmp(call, "launch", 6) == 0 ? nullptr : strchr(call, '(');
    return (int)(end == nullptr ? strlen(call) : (size_t)(end - call));
}

gfp_status gfp_gpu_cuda_failed(gfp_gpu *gpu, cudaError_t error, const char *call)
{
    if (error != cudaErrorNotReady) {
        (void)cudaGetLastError(); /* removes the error, so that the next call does not report it
                                     again */
    }
    if (runtime_stays(error)) {
        gpu->lost = true;
    }
    return GFP_GPU_FAIL(gpu, status_of(error), "%.*s: %s", name_length(call), call,
                        cudaGetErrorString(error));
}

/* ---- devices and contexts ---- */

/* *count := the number of devices. gpu records errors and may not be open. */
static gfp_status count_devices(gfp_gpu *gpu, unsigned *count)
{
    int driver = 0, found = 0;
    GFP_CUDA_TRY(gpu, cudaDriverGetVersion(&driver));
    if (driver == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "no driver: no CUDA driver is installed");
    }
    cudaError_t error = (cudaError_t)gfp_gpu_seam_next();
    if (error == cudaSuccess) {
        error = cudaGetDeviceCount(&found);
    }
    if (error == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE,
                            "no driver: it supports CUDA %d.%d, this library was built with %d.%d",
                            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                            CUDART_VERSION % 1000 / 10);
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && found == 0)) {
        (void)cudaGetLastError();
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "no device");
    }
    *count = (unsigned)found;
    return error == cudaSuccess ? GFP_OK : gfp_gpu_cuda_failed(gpu, error, "cudaGetDeviceCount");
}

/* Loads the code now: otherwise work on a device that cannot load it would fail later, without a
 * reason. */
static __global__ void runtime_probe(unsigned *word)
{
    if (word != nullptr) {
        *word = 1;
    }
}

static gfp_status open_stream(gfp_cuda *gpu)
{
    const int device = (int)gpu->device;
    GFP_CUDA_TRY(
        gpu, cudaDeviceGetAttribute(&gpu->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&gpu->shared_per_block,
                                             cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    GFP_CUDA_TRY(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    GFP_LAUNCH(gpu, runtime_probe, 1, 1, 0, nullptr);
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->stream));
    return GFP_OK;
}

static gfp_status open_context(gfp_gpu *gpu)
{
    unsigned count = 0;
    int before = -1;
    GFP_TRY(count_devices(gpu, &count));
    if (gpu->device >= count) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no device %u: there %s %u", gpu->device,
                            count == 1 ? "is" : "are", count);
    }
    GFP_TRY(gfp_gpu_enter(gpu, true, &before));
    return gfp_gpu_leave(gpu, before, open_stream(gfp_cuda_of(gpu)));
}

static void close_context(gfp_gpu *base)
{
    gfp_cuda *gpu = gfp_cuda_of(base);
    if (gpu->stream == nullptr) {
        return;
    }
    const int before = gfp_gpu_enter_to_destroy(gpu);
    if (gpu->capturing) {
        cudaGraph_t recorded = nullptr;
        (void)cudaStreamEndCapture(gpu->stream, &recorded);
        if (recorded != nullptr) {
            (void)cudaGraphDestroy(recorded);
        }
    }
    for (cudaStream_t stream : {gpu->side[0], gpu->side[1], gpu->stream}) {
        if (stream != nullptr) {
            (void)cudaStreamSynchronize(stream);
            (void)cudaStreamDestroy(stream);
        }
    }
    (void)cudaGetLastError();
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
}

static gfp_status runtime_enter(gfp_gpu *gpu, int *before)
{
    const int device = (int)gpu->device;
    int current = -1;
    GFP_CUDA_TRY(gpu, cudaGetDevice(&current));
    if (current != device) {
        GFP_CUDA_TRY(gpu, cudaSetDevice(device));
        *before = current;
    }
    return GFP_OK;
}

/* This call bypasses the seam. */
static int enter_to_destroy(const gfp_gpu *gpu)
{
    const int device = (int)gpu->device;
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess || current == device ||
        cudaSetDevice(device) != cudaSuccess) {
        current = -1;
    }
    return current;
}

static void runtime_leave(int before)
{
    (void)cudaSetDevice(before);
}

static gfp_status read_attribute(gfp_gpu *gpu, unsigned *value, cudaDeviceAttr attribute)
{
    int read = 0;
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&read, attribute, (int)gpu->device));
    *value = (unsigned)read;
    return GFP_OK;
}

static gfp_status read_info(gfp_gpu *gpu, gfp_gpu_info *info, cudaDeviceProp *properties)
{
    unsigned l2 = 0;
    int version = 0;
    GFP_CUDA_TRY(gpu, cudaGetDeviceProperties(properties, (int)gpu->device));
    memcpy(info->name, properties->name, sizeof info->name);
    info->name[sizeof info->name - 1] = '\0';
    GFP_TRY(read_attribute(gpu, &info->capability_major, cudaDevAttrComputeCapabilityMajor));
    GFP_TRY(read_attribute(gpu, &info->capability_minor, cudaDevAttrComputeCapabilityMinor));
    GFP_TRY(read_attribute(gpu, &info->multiprocessors, cudaDevAttrMultiProcessorCount));
    GFP_TRY(read_attribute(gpu, &info->clock_khz, cudaDevAttrClockRate));
    GFP_TRY(read_attribute(gpu, &info->memory_clock_khz, cudaDevAttrMemoryClockRate));
    GFP_TRY(read_attribute(gpu, &l2, cudaDevAttrL2CacheSize));
    info->l2_bytes = l2;
    GFP_CUDA_TRY(gpu, cudaMemGetInfo(&info->memory_free, &info->memory_total));
    GFP_CUDA_TRY(gpu, cudaDriverGetVersion(&version));
    info->driver_version = (unsigned)version;
    GFP_CUDA_TRY(gpu, cudaRuntimeGetVersion(&version));
    info->runtime_version = (unsigned)version;
    return GFP_OK;
}

static gfp_status get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    gfp_gpu_info read = {};
    cudaDeviceProp *properties =
        (cudaDeviceProp *)gfp_allocate(&gpu->allocator, 1, sizeof *properties);
    if (properties == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for the device's properties");
    }
    gfp_status status = read_info(gpu, &read, properties);
    gfp_release(&gpu->allocator, properties, 1, sizeof *properties);
    if (status == GFP_OK) {
        *info = read;
    }
    return status;
}

/* Waits for all queues, also after one has failed; returns the first failure. */
static gfp_status wait_for_queues(gfp_cuda *gpu)
{
    cudaError_t first = cudaStreamSynchronize(gpu->stream);
    for (size_t i = 0; i < 2; i++) {
        if (gpu->side[i] != nullptr) {
            const cudaError_t error = cudaStreamSynchronize(gpu->side[i]);
            first = first == cudaSuccess ? error : first;
        }
    }
    GFP_CUDA_TRY(gpu, first);
    return GFP_OK;
}

static gfp_status wait_for_all(gfp_gpu *gpu)
{
    int before = -1;
    GFP_TRY(gfp_gpu_enter(gpu, true, &before));
    return gfp_gpu_leave(gpu, before, wait_for_queues(gfp_cuda_of(gpu)));
}

static gfp_status wait_for_device(gfp_gpu *gpu)
{
    GFP_CUDA_TRY(gpu, cudaDeviceSynchronize());
    return GFP_OK;
}

const gfp_gpu_device_calls gfp_cuda_device = {
    sizeof(gfp_cuda), count_devices,    open_context,  close_context, get_info,
    runtime_enter,    enter_to_destroy, runtime_leave, wait_for_all,  wait_for_device,
};

/* ---- memory ---- */

static gfp_status runtime_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    GFP_CUDA_TRY(gpu, cudaMalloc(block, bytes));
    return GFP_OK;
}

static void runtime_release(gfp_gpu *, void *block, size_t)
{
    (void)cudaFree(block);
    (void)cudaGetLastError();
}

static gfp_status runtime_available(gfp_gpu *gpu, size_t *bytes)
{
    size_t total = 0;
    GFP_CUDA_TRY(gpu, cudaMemGetInfo(bytes, &total));
    return GFP_OK;
}

static gfp_status host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    void *made = nullptr;
    GFP_CUDA_TRY(gpu, cudaHostAlloc(&made, bytes != 0 ? bytes : 1, cudaHostAllocDefault));
    *block = made;
    return GFP_OK;
}

static void host_release(gfp_gpu *, void *block)
{
    (void)cudaFreeHost(block);
    (void)cudaGetLastError();
}

static gfp_status ask_pinned(gfp_gpu *gpu, const void *address, bool *pinned)
{
    cudaPointerAttributes attributes;
    GFP_CUDA_TRY(gpu, cudaPointerGetAttributes(&attributes, address));
    *pinned = attributes.type == cudaMemoryTypeHost;
    return GFP_OK;
}

static gfp_status host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    bool first = false, last = false;
    GFP_TRY(ask_pinned(gpu, block, &first));
    if (first) {
        GFP_TRY(ask_pinned(gpu, (const char *)block + (bytes != 0 ? bytes - 1 : 0), &last));
    }
    *pinned = first && last;
    return GFP_OK;
}

static gfp_status runtime_copy(gfp_gpu *gpu, void *to, const void *from, size_t bytes,
                               cudaMemcpyKind kind)
{
    GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, from, bytes, kind, gfp_cuda_of(gpu)->stream));
    return GFP_OK;
}

static gfp_status runtime_upload(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    GFP_TRY(runtime_copy(gpu, to, from, bytes, cudaMemcpyHostToDevice));
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gfp_cuda_of(gpu)->stream));
    return GFP_OK;
}

static gfp_status runtime_download(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    GFP_TRY(runtime_copy(gpu, to, from, bytes, cudaMemcpyDeviceToHost));
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gfp_cuda_of(gpu)->stream));
    return GFP_OK;
}

static gfp_status copy_on_device(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    return runtime_copy(gpu, to, from, bytes, cudaMemcpyDeviceToDevice);
}

static gfp_status runtime_clear(gfp_gpu *gpu, void *to, size_t bytes)
{
    GFP_CUDA_TRY(gpu, cudaMemsetAsync(to, 0, bytes, gfp_cuda_of(gpu)->stream));
    return GFP_OK;
}

/* The greatest pitch that CUDA accepts, in bytes. */
#define MAX_PITCH ((size_t)1 << 30)

static gfp_status clear_rows(gfp_gpu *gpu, void *to, size_t pitch, size_t bytes, size_t rows)
{
    if (rows > 1 && pitch <= MAX_PITCH) {
        GFP_CUDA_TRY(gpu, cudaMemset2DAsync(to, pitch, 0, bytes, rows, gfp_cuda_of(gpu)->stream));
        return GFP_OK;
    }
    for (size_t i = 0; i < rows; i++) {
        GFP_TRY(runtime_clear(gpu, (char *)to + i * pitch, bytes));
    }
    return GFP_OK;
}

const gfp_gpu_memory_calls gfp_cuda_memory = {
    runtime_allocate, runtime_release, runtime_available, host_allocate,
    host_release,     host_is_pinned,  runtime_upload,    runtime_download,
    copy_on_device,   runtime_clear,   clear_rows,
};
