/* runtime.cu: devices, contexts, memory, graphs, timers, and the seam through which every call of
 * CUDA passes. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu_impl.h"

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

/* Errors after which nothing of this process works on the device any more. */
static bool stays(cudaError_t error)
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
        (void)cudaGetLastError(); /* what passes is not reported twice */
    }
    if (stays(error)) {
        gpu->lost = true;
    }
    return GFP_GPU_FAIL(gpu, status_of(error), "%.*s: %s", name_length(call), call,
                        cudaGetErrorString(error));
}

/* ---- devices and contexts ---- */

bool gfp_gpu_built_in(void)
{
    return true;
}

/* The number of devices through a context that may not be complete. */
static gfp_status count_devices(gfp_gpu *gpu, int *count)
{
    int driver = 0;
    GFP_CUDA_TRY(gpu, cudaDriverGetVersion(&driver));
    if (driver == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "no driver: no CUDA driver is installed");
    }
    cudaError_t error = (cudaError_t)gfp_gpu_seam_next();
    if (error == cudaSuccess) {
        error = cudaGetDeviceCount(count);
    }
    if (error == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE,
                            "no driver: it supports CUDA %d.%d, this library was built with %d.%d",
                            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                            CUDART_VERSION % 1000 / 10);
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && *count == 0)) {
        (void)cudaGetLastError();
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "no device");
    }
    return error == cudaSuccess ? GFP_OK : gfp_gpu_cuda_failed(gpu, error, "cudaGetDeviceCount");
}

static gfp_status create_stream(gfp_gpu *gpu)
{
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&gpu->multiprocessors, cudaDevAttrMultiProcessorCount,
                                             gpu->device));
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&gpu->shared_per_block,
                                             cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu->device));
    GFP_CUDA_TRY(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    return GFP_OK;
}

static gfp_status open_device(gfp_gpu *gpu, unsigned device)
{
    int count = 0;
    GFP_TRY(count_devices(gpu, &count));
    if (device >= (unsigned)count) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no device %u: there %s %d", device,
                            count == 1 ? "is" : "are", count);
    }
    gpu->device = (int)device;
    GFP_GPU_ENTER(gpu, false);
    return create_stream(gpu);
}

/* The work of a device whose code cannot be loaded would fail later, without a reason. */
static __global__ void probe(unsigned *word)
{
    if (word != nullptr) {
        *word = 1;
    }
}

static gfp_status probe_device(gfp_gpu *gpu)
{
    GFP_GPU_ENTER(gpu, true);
    GFP_LAUNCH(gpu, probe, 1, 1, 0, nullptr);
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->stream));
    return GFP_OK;
}

gfp_status gfp_gpu_report(const gfp_gpu *gpu, gfp_status status, gfp_error *error)
{
    if (status != GFP_OK && error != nullptr) {
        *error = gpu->error;
    }
    return status;
}

gfp_status gfp_gpu_count(unsigned *count, gfp_error *error)
{
    gfp_gpu gpu = {};
    int devices = 0;
    gfp_status status = count_devices(&gpu, &devices);
    if (status == GFP_OK) {
        *count = (unsigned)devices;
    }
    return gfp_gpu_report(&gpu, status, error);
}

gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options, gfp_error *error)
{
    gfp_allocator allocator = options != nullptr && options->allocator != nullptr
                                  ? *options->allocator
                                  : gfp_default_allocator;
    gfp_gpu *made = (gfp_gpu *)gfp_allocate(&allocator, 1, sizeof *made);
    if (made == nullptr) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a context");
    }
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    made->memory_cap = SIZE_MAX;
    if (options != nullptr && options->memory_cap != 0) {
        made->memory_cap = options->memory_cap;
    }
    gfp_status status = open_device(made, options != nullptr ? options->device : 0);
    if (status == GFP_OK) {
        status = probe_device(made);
    }
    if (status != GFP_OK) {
        status = gfp_gpu_report(made, status, error);
        gfp_gpu_destroy(made);
        return status;
    }
    *gpu = made;
    return GFP_OK;
}

void gfp_gpu_destroy(gfp_gpu *gpu)
{
    if (gpu == nullptr) {
        return;
    }
    if (gpu->stream != nullptr) {
        gfp_gpu_scope scope(gpu);
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
    }
    gfp_allocator allocator = gpu->allocator;
    gfp_release(&allocator, gpu, 1, sizeof *gpu);
}

gfp_status gfp_gpu_enter(gfp_gpu *gpu, bool waits, int *before)
{
    if (gpu->lost) {
        /* The message of the failure that lost it stays. */
        gpu->error.status = GFP_ERR_DEVICE;
        return GFP_ERR_DEVICE;
    }
    if (waits && gpu->capturing) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "not possible while a capture is open");
    }
    int current = -1;
    GFP_CUDA_TRY(gpu, cudaGetDevice(&current));
    if (current != gpu->device) {
        GFP_CUDA_TRY(gpu, cudaSetDevice(gpu->device));
        *before = current;
    }
    return GFP_OK;
}

int gfp_gpu_enter_always(const gfp_gpu *gpu)
{
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess || current == gpu->device ||
        cudaSetDevice(gpu->device) != cudaSuccess) {
        current = -1;
    }
    return current;
}

void gfp_gpu_leave(int before)
{
    if (before >= 0) {
        (void)cudaSetDevice(before);
    }
}

static gfp_status read_attribute(gfp_gpu *gpu, unsigned *value, cudaDeviceAttr attribute)
{
    int read = 0;
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&read, attribute, gpu->device));
    *value = (unsigned)read;
    return GFP_OK;
}

static gfp_status read_info(gfp_gpu *gpu, gfp_gpu_info *info, cudaDeviceProp *properties)
{
    unsigned l2 = 0;
    int version = 0;
    GFP_CUDA_TRY(gpu, cudaGetDeviceProperties(properties, gpu->device));
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

gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    gfp_gpu_info read = {};
    GFP_GPU_ENTER(gpu, true);
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

size_t gfp_gpu_memory_used(const gfp_gpu *gpu)
{
    return gpu->bytes;
}

size_t gfp_gpu_memory_peak(const gfp_gpu *gpu)
{
    return gpu->peak;
}

const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu)
{
    return &gpu->error;
}

static gfp_status wait_for_queues(gfp_gpu *gpu)
{
    GFP_GPU_ENTER(gpu, true);
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->stream));
    for (size_t i = 0; i < 2; i++) {
        if (gpu->side[i] != nullptr) {
            GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->side[i]));
        }
    }
    return GFP_OK;
}

gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error)
{
    return gfp_gpu_report(gpu, wait_for_queues(gpu), error);
}

/* ---- memory ---- */

gfp_status gfp_gpu_device_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    void *made = nullptr;
    if (bytes > gpu->memory_cap || gpu->bytes > gpu->memory_cap - bytes) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY,
                            "%zu bytes of device memory besides %zu in use exceed the cap of %zu",
                            bytes, gpu->bytes, gpu->memory_cap);
    }
    if (bytes != 0) {
        GFP_CUDA_TRY(gpu, cudaMalloc(&made, bytes));
    }
    gpu->bytes += bytes;
    gpu->peak = gpu->bytes > gpu->peak ? gpu->bytes : gpu->peak;
    *block = made;
    return GFP_OK;
}

void gfp_gpu_device_release(gfp_gpu *gpu, void *block, size_t bytes)
{
    if (block != nullptr) {
        (void)cudaFree(block);
        (void)cudaGetLastError();
        gpu->bytes -= bytes;
    }
}

gfp_status gfp_gpu_device_fill(gfp_gpu *gpu, void *to, const void *from, size_t bytes)
{
    GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu->stream));
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->stream));
    return GFP_OK;
}

gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    size_t bytes;
    void *data = nullptr;
    GFP_GPU_ENTER(gpu, true);
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "an array of %zu words is too large", words);
    }
    gfp_gpu_array *made = (gfp_gpu_array *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for an array");
    }
    gfp_status status = gfp_gpu_device_allocate(gpu, &data, bytes);
    if (status != GFP_OK) {
        gfp_release(&gpu->allocator, made, 1, sizeof *made);
        return status;
    }
    made->gpu = gpu;
    made->data = (uint64_t *)data;
    made->words = words;
    made->window = false;
    *array = made;
    return GFP_OK;
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
    gfp_gpu_array *made = (gfp_gpu_array *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for an array");
    }
    made->gpu = gpu;
    made->data = array->data + first;
    made->words = words;
    made->window = true;
    *part = made;
    return GFP_OK;
}

void gfp_gpu_array_destroy(gfp_gpu_array *array)
{
    if (array == nullptr) {
        return;
    }
    gfp_gpu *gpu = array->gpu;
    if (!array->window) {
        gfp_gpu_scope scope(gpu);
        gfp_gpu_device_release(gpu, array->data, array->words * sizeof(uint64_t));
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

gfp_status gfp_gpu_array_check(gfp_gpu *gpu, const gfp_gpu_array *array, size_t words)
{
    if (array->gpu != gpu) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "an array of another context");
    }
    if (array->words < words) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "an array of %zu words where %zu are needed",
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

gfp_status gfp_gpu_array_check_range(gfp_gpu *gpu, const gfp_gpu_array *array, size_t first,
                                     size_t words)
{
    if (first > array->words || words > array->words - first) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "%zu words from word %zu of an array of %zu: too many", words, first,
                            array->words);
    }
    return GFP_OK;
}

gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(gfp_gpu_array_check_range(gpu, array, first, words));
    return words == 0 ? GFP_OK
                      : gfp_gpu_device_fill(gpu, array->data + first, from, words * sizeof *from);
}

gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words)
{
    gfp_gpu *gpu = array->gpu;
    GFP_GPU_ENTER(gpu, true);
    GFP_TRY(gfp_gpu_array_check_range(gpu, array, first, words));
    if (words != 0) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, array->data + first, words * sizeof *to,
                                          cudaMemcpyDeviceToHost, gpu->stream));
        GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gpu->stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    if (words != 0 && z->data != x->data) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(z->data, x->data, words * sizeof *z->data,
                                          cudaMemcpyDeviceToDevice, gpu->stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(gfp_gpu_array_check(gpu, z, words));
    if (words != 0) {
        GFP_CUDA_TRY(gpu, cudaMemsetAsync(z->data, 0, words * sizeof *z->data, gpu->stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first, const gfp_gpu_array *x,
                              size_t x_first, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(gfp_gpu_array_check_range(gpu, z, z_first, words));
    GFP_TRY(gfp_gpu_array_check(gpu, x, 0));
    GFP_TRY(gfp_gpu_array_check_range(gpu, x, x_first, words));
    uint64_t *to = z->data + z_first;
    const uint64_t *from = x->data + x_first;
    if (words != 0 && to < from + words && from < to + words) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "the output overlaps an input");
    }
    if (words != 0) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(to, from, words * sizeof *to, cudaMemcpyDeviceToDevice,
                                          gpu->stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words)
{
    gfp_gpu *gpu = z->gpu;
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(gfp_gpu_array_check_range(gpu, z, first, words));
    if (words != 0) {
        GFP_CUDA_TRY(gpu,
                     cudaMemsetAsync(z->data + first, 0, words * sizeof *z->data, gpu->stream));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    void *made = nullptr;
    GFP_GPU_ENTER(gpu, true);
    GFP_CUDA_TRY(gpu, cudaHostAlloc(&made, bytes != 0 ? bytes : 1, cudaHostAllocDefault));
    *block = made;
    return GFP_OK;
}

void gfp_gpu_host_release(gfp_gpu *gpu, void *block)
{
    if (block != nullptr) {
        gfp_gpu_scope scope(gpu);
        (void)cudaFreeHost(block);
        (void)cudaGetLastError();
    }
}

/* ---- graphs ---- */

struct gfp_gpu_graph {
    gfp_gpu *gpu;
    cudaGraphExec_t exec;
};

gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu)
{
    GFP_GPU_ENTER(gpu, true);
    /* Relaxed: kernels loaded by their first launch need calls that the other modes forbid. */
    GFP_CUDA_TRY(gpu, cudaStreamBeginCapture(gpu->stream, cudaStreamCaptureModeRelaxed));
    gpu->capturing = true;
    return GFP_OK;
}

/* Ends the capture in any case. */
static gfp_status end_capture(gfp_gpu *gpu, cudaGraph_t *recorded)
{
    cudaError_t ended = cudaStreamEndCapture(gpu->stream, recorded);
    gpu->capturing = false;
    if (gpu->lost) {
        return GFP_ERR_DEVICE;
    }
    GFP_CUDA_TRY(gpu, ended);
    return GFP_OK;
}

static gfp_status instantiate(gfp_gpu *gpu, cudaGraphExec_t *exec, cudaGraph_t recorded)
{
    GFP_CUDA_TRY(gpu, cudaGraphInstantiateWithFlags(exec, recorded, 0));
    return GFP_OK;
}

gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    cudaGraph_t recorded = nullptr;
    cudaGraphExec_t exec = nullptr;
    if (!gpu->capturing) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no capture is open");
    }
    gfp_gpu_scope scope((const gfp_gpu *)gpu);
    gfp_status status = end_capture(gpu, &recorded);
    if (status == GFP_OK) {
        status = instantiate(gpu, &exec, recorded);
    }
    if (recorded != nullptr) {
        (void)cudaGraphDestroy(recorded);
    }
    GFP_TRY(status);
    gfp_gpu_graph *made = (gfp_gpu_graph *)gfp_allocate(&gpu->allocator, 1, sizeof *made);
    if (made == nullptr) {
        (void)cudaGraphExecDestroy(exec);
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a graph");
    }
    made->gpu = gpu;
    made->exec = exec;
    *graph = made;
    return GFP_OK;
}

gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph)
{
    gfp_gpu *gpu = graph->gpu;
    GFP_GPU_ENTER(gpu, true);
    GFP_CUDA_TRY(gpu, cudaGraphLaunch(graph->exec, gpu->stream));
    return GFP_OK;
}

void gfp_gpu_graph_destroy(gfp_gpu_graph *graph)
{
    if (graph == nullptr) {
        return;
    }
    gfp_gpu *gpu = graph->gpu;
    gfp_gpu_scope scope(gpu);
    (void)cudaGraphExecDestroy(graph->exec);
    (void)cudaGetLastError();
    gfp_release(&gpu->allocator, graph, 1, sizeof *graph);
}
