/* gfpoly/gpu.h: device arrays and transforms over Z/pZ on a CUDA device.
 *
 * Data lies in device arrays of 64-bit words in the library's one interchange form: canonical
 * digits, element after element (gfpoly/elem.h). Roots are those of the CPU, so that results agree
 * with the CPU's digit for digit.
 *
 * Calls that compute are enqueued on the stream of their context and return before the work is
 * done; they run in the order of the calls. Creating, uploading and downloading wait for enqueued
 * work, and so does gfp_gpu_wait. A call itself reports errors of its arguments; any later call may
 * report an error on the device. After GFP_ERR_DEVICE with a lost device, every call of the context
 * fails with the same status; its objects can only be destroyed.
 *
 * A context and all objects made with it belong to one thread at a time. Any number of contexts may
 * be used at once, on one device or several. A call leaves the caller's current CUDA device
 * unchanged.
 *
 * Calls that can fail end with options, of which they read size and error (NULL: defaults).
 *
 * If the library was built without CUDA, or finds no driver or device, gfp_gpu_create returns
 * UNAVAILABLE and the reason; no other call is possible then.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_H
#define GFPOLY_GPU_H

#include "gfpoly/fft.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* ---- devices and contexts ---- */

/* A device, a stream of it, and an account of the device memory that objects of the
 * context hold. */
typedef struct gfp_gpu gfp_gpu;

/* Creates a context on options->gpu_device, of which objects take at most options->gpu_memory_cap
 * bytes of device memory in use at once. allocator is for host memory; NULL: malloc. Errors:
 * UNAVAILABLE (built without CUDA, no plug-in, no driver, no device, or this build has no code for
 * it), ARGUMENT (no such device), DEVICE, MEMORY; *gpu is unchanged. Cost: the first context of a
 * process starts the driver, about 0.1 s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_allocator *allocator,
                                                 const gfp_options *options);
/* Waits for enqueued work. All objects of the context must be destroyed before. NULL is allowed. */
GFP_API void gfp_gpu_destroy(gfp_gpu *gpu);

typedef struct gfp_gpu_info {
    char name[256];            /* "NVIDIA H200" */
    unsigned capability_major; /* compute capability, such as 9.0 */
    unsigned capability_minor;
    unsigned multiprocessors;
    unsigned clock_khz; /* highest clocks of multiprocessors and memory; 0: unknown */
    unsigned memory_clock_khz;
    size_t l2_bytes;
    size_t memory_total; /* bytes of device memory, and the free bytes at the time of the call */
    size_t memory_free;
    unsigned driver_version; /* versions of CUDA, 1000 major + 10 minor: supported by the driver, */
    unsigned runtime_version; /* and used to build the library */
} gfp_gpu_info;

/* Describes the device. Errors: DEVICE; *info is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_get_info(gfp_gpu_info *info, gfp_gpu *gpu,
                                                   const gfp_options *options);

/* Bytes of device memory that arrays and plans of this context hold. */
GFP_API size_t gfp_gpu_memory_used(const gfp_gpu *gpu);

/* Waits until all enqueued work is done. Errors: DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_wait(gfp_gpu *gpu, const gfp_options *options);

/* Waits until all work of this process on the device is done, also that of other contexts and of
 * other code, which may have filled an adopted array. Errors: ARGUMENT (during a capture), DEVICE.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_wait_device(gfp_gpu *gpu, const gfp_options *options);

/* The details of the last call of this context that failed; status GFP_OK and an empty message if
 * no call has failed. The error lives as long as the context; the next failure overwrites it. */
GFP_API const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu);

/* ---- memory ---- */

/* `words` 64-bit words of device memory. */
typedef struct gfp_gpu_array gfp_gpu_array;

/* Creates an array of `words` words with undefined contents, aligned to 256 bytes. Errors: MEMORY
 * (of device or host, or the context's cap would be exceeded), SIZE, DEVICE; *array is unchanged.
 * Waits for enqueued work. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu,
                                                       size_t words, const gfp_options *options);
/* Creates an array over `words` words of device memory that other code owns, from address on, such
 * as an array of another library. The memory must be on the context's device, aligned to 16 bytes,
 * and outlive the array, which the account of the context does not count. Work of other code on the
 * memory must be done: gfp_gpu_wait_device. Errors: ARGUMENT (NULL with words > 0, not aligned),
 * SIZE, MEMORY; *array is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_adopt(gfp_gpu_array **array, gfp_gpu *gpu,
                                                      void *address, size_t words,
                                                      const gfp_options *options);
/* The address of word 0 on the device, for other code: NULL for an array without words. Enqueued
 * work may still write there: gfp_gpu_wait. */
GFP_API void *gfp_gpu_array_address(gfp_gpu_array *array);
/* Waits for enqueued work. NULL is allowed. */
GFP_API void gfp_gpu_array_destroy(gfp_gpu_array *array);

/* Upload: words first, ..., first + words - 1 of the array := from. Download: to := these words.
 * Both run after all enqueued work and wait until the copy is done. Errors: ARGUMENT (beyond the
 * end), DEVICE (contents are undefined then). Cost: 55 GB/s from memory of gfp_gpu_host_allocate
 * over PCIe 5, less from other memory. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first,
                                                 const uint64_t *from, size_t words,
                                                 const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array,
                                                   size_t first, size_t words,
                                                   const gfp_options *options);
/* z := the first `words` words of x; and z := 0. Both are enqueued. z may equal x, else must not
 * overlap it. Errors: ARGUMENT, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_set(gfp_gpu_array *z, const gfp_gpu_array *x,
                                              size_t words, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words,
                                                const gfp_options *options);

/* Allocates host memory that the device reads and writes at full speed (page-locked). The context's
 * account does not include it. Errors: MEMORY, DEVICE; *block is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_host_allocate(void **block, gfp_gpu *gpu, size_t bytes,
                                                        const gfp_options *options);
/* block may be NULL. */
GFP_API void gfp_gpu_host_release(void *block, gfp_gpu *gpu);

/* ---- arrays of elements ---- */

/* Rows of elements in an array: row i begins at element from + i stride. */
typedef struct gfp_gpu_rows {
    gfp_gpu_array *array;
    size_t from, stride;
} gfp_gpu_rows;

/* Pairs of rows: polynomials of at most len_a and len_b coefficients, the constant term first. The
 * array of operands of length 0 may be NULL. */
typedef struct gfp_gpu_pairs {
    gfp_gpu_rows a, b;
    size_t len_a, len_b, rows;
} gfp_gpu_pairs;

/* Word 0 of result, an array apart from x, := the first i for which element i of x is not
 * canonical, or n. Errors: ARGUMENT (an array is too short, overlaps or is of another context),
 * DEVICE. Cost: a pass over x up to the place that is found. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_canonical(const gfp_field *field,
                                                        gfp_gpu_array *result,
                                                        const gfp_gpu_array *x, size_t n,
                                                        const gfp_options *options);

/* ---- transforms over Z/pZ ---- */

typedef struct gfp_gpu_fft_plan gfp_gpu_fft_plan;

typedef enum gfp_gpu_fft_form {
    GFP_GPU_FFT_AUTO =
        0, /* the first of the other forms, in this order, that serves this field and N */
    GFP_GPU_FFT_FAST,     /* several levels per pass over the data, digits in the lanes of a warp */
    GFP_GPU_FFT_REFERENCE /* plain kernels for every field and N: the slow twin of FAST */
} gfp_gpu_fft_form;

typedef struct gfp_gpu_fft_options {
    size_t batch; /* transforms at once; 0 means 1 */
    gfp_gpu_fft_form form;
} gfp_gpu_fft_options;

/* Creates a plan for `batch` transforms of length n (a power of two, 1 included) over the field.
 * The field and the context must outlive the plan. of_plan may be NULL (all zero). The plan holds
 * tables and work space: the calls below allocate nothing; a plan serves one call at a time.
 * Errors: ARGUMENT (n is not a power of two, or the form is
 * unknown), NO_ROOT (n does not divide p - 1), UNAVAILABLE (this form does
 * not serve this field and n), SIZE, MEMORY, DEVICE; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu,
                                                          const gfp_field *field, size_t n,
                                                          const gfp_gpu_fft_options *of_plan,
                                                          const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan);
/* y := DFT_N(x), or its inverse, for each vector of the batch, one after another, in the orders of
 * gfp_fft_run. Both have batch N canonical elements. y may be x, else must not overlap it. Errors:
 * ARGUMENT (an array is too short, overlaps, or is of another context; no such direction or order),
 * DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_run(gfp_gpu_array *y, const gfp_gpu_array *x,
                                                  gfp_direction direction, gfp_order order,
                                                  gfp_gpu_fft_plan *plan,
                                                  const gfp_options *options);

/* ---- several devices ---- */

/* A polynomial or vector of `len` elements that is dealt over the members of a plan, contexts of
 * one or several devices: member i has the elements from i each on, `each` of them or those that
 * are left, in an array of its context. */
#define GFP_GPU_MOST_MEMBERS 16
static inline size_t gfp_gpu_dealt_each(size_t len, size_t members)
{
    return len / members + (len % members != 0 ? 1 : 0);
}

/* A plan for transforms of length n over a field, dealt over `members` contexts: each has columns
 * of the first pass and rows of the others, and n / members elements and as many more go to other
 * devices. Devices must reach each other's memory. The field and the contexts must outlive the
 * plan, which holds room for 2 n elements on each member besides a plan of one device. */
typedef struct gfp_gpu_dealt_fft_plan gfp_gpu_dealt_fft_plan;

/* gpus[0 .. members): different contexts, 1 <= members <= GFP_GPU_MOST_MEMBERS, a power of two.
 * Errors: ARGUMENT (NULL; no or too many members; n is not a power of two), NO_ROOT (n does not
 * divide p - 1), UNAVAILABLE (the devices do not reach each other; k > 16, a transform of one pass,
 * or members that do not divide its columns and rows), SIZE, MEMORY, DEVICE; *plan is unchanged.
 * Waits for enqueued work. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_dealt_fft_plan_create(gfp_gpu_dealt_fft_plan **plan,
                                                                gfp_gpu *const *gpus,
                                                                size_t members,
                                                                const gfp_field *field, size_t n,
                                                                const gfp_options *options);
/* Waits for enqueued work of all members. NULL is allowed. */
GFP_API void gfp_gpu_dealt_fft_plan_destroy(gfp_gpu_dealt_fft_plan *plan);
/* y := DFT_n(x), or its inverse; the values are in permuted order, the coefficients in natural
 * order. x[i] and y[i] are member i's blocks of n / members canonical elements, which are the same
 * or lie apart. The transform is enqueued on all members: the work of each one after the call sees
 * all of it. Errors: ARGUMENT (an array is NULL, too short, overlaps, or is of another context; no
 * such direction), DEVICE (y is undefined). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_dealt_fft_run(gfp_gpu_array *const *y,
                                                        gfp_gpu_array *const *x,
                                                        gfp_direction direction,
                                                        gfp_gpu_dealt_fft_plan *plan,
                                                        const gfp_options *options);

GFP_END_DECLS
#endif
