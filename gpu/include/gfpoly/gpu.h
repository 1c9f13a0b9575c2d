/* gfpoly/gpu.h: the same arithmetic and transforms on a CUDA device.
 *
 * Data lives in device arrays of 64-bit words in the library's one interchange form: canonical
 * digits, element after element (gfpoly/elem.h). Roots are those of the CPU, so that results agree
 * with the CPU's digit for digit.
 *
 * Calls that compute are enqueued on the stream of their context and return before the work is
 * done; they run in the order of the calls. Creating, uploading and downloading wait for it, and so
 * does gfp_gpu_wait. Copies that were begun (gfp_gpu_upload_begin) run beside it. What is wrong
 * with arguments is found by the call itself; what goes wrong on the device may be reported by any
 * later call. After GFP_ERR_DEVICE with a device lost, every call of the context fails with the
 * same status; what was made over it can only be destroyed.
 *
 * A context and all that was made over it belong to one thread at a time; any number of contexts
 * may be used at once, on one device or several. A call leaves the caller's current CUDA device as
 * it is.
 *
 * Where the library was built without CUDA, or there is no driver or device, gfp_gpu_create says so
 * with UNAVAILABLE and the reason; nothing else can be called then.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_H
#define GFPOLY_GPU_H

#include "gfpoly/fft.h"

GFP_BEGIN_DECLS

/* ---- devices and contexts ---- */

/* A device, a stream of it, and an account of the device memory that what is made over it holds. */
typedef struct gfp_gpu gfp_gpu;

/* Whether the library was built with CUDA. */
GFP_API bool gfp_gpu_built_in(void);

/* *count := the number of devices, at least 1. Errors: UNAVAILABLE (built without CUDA, no driver,
 * no device: the error argument says which); *count is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_count(unsigned *count, gfp_error *error);

typedef struct gfp_gpu_options {
    unsigned device;                /* index, below gfp_gpu_count */
    size_t memory_cap;              /* most bytes of device memory in use at once; 0: no limit */
    const gfp_allocator *allocator; /* for host memory; NULL: malloc */
} gfp_gpu_options;

/* A context. options may be NULL (all zero). Errors, the error argument saying why: UNAVAILABLE (as
 * gfp_gpu_count, or a device this build has no code for), ARGUMENT (no such device), DEVICE,
 * MEMORY; *gpu is unchanged. Cost: the first in a process starts the driver, some 0.1 s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options,
                                                 gfp_error *error);
/* Waits for what is enqueued. All that was made over the context must be destroyed before. NULL is
 * allowed. */
GFP_API void gfp_gpu_destroy(gfp_gpu *gpu);

typedef struct gfp_gpu_info {
    char name[256];            /* "NVIDIA H200" */
    unsigned capability_major; /* compute capability, such as 9.0 */
    unsigned capability_minor;
    unsigned multiprocessors;
    unsigned clock_khz; /* highest clocks of multiprocessors and memory; 0: not known */
    unsigned memory_clock_khz;
    size_t l2_bytes;
    size_t memory_total; /* bytes of device memory, and of it free when asked */
    size_t memory_free;
    unsigned driver_version;  /* of CUDA, 1000 major + 10 minor: what the driver supports, */
    unsigned runtime_version; /* and what the library was built with */
} gfp_gpu_info;

/* What the device is. Errors: DEVICE; *info is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info);

/* Bytes of device memory that arrays and plans of this context hold, and the most they ever did. */
GFP_API size_t gfp_gpu_memory_used(const gfp_gpu *gpu);
GFP_API size_t gfp_gpu_memory_peak(const gfp_gpu *gpu);

/* Waits until all that was enqueued, in every queue, is done. Errors: DEVICE, the error argument
 * (may be NULL) saying what happened. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error);

/* Details of the last call of this context that failed; status GFP_OK and an empty message where
 * none has. Lives as long as the context; the next failure overwrites it. */
GFP_API const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu);

/* ---- memory ---- */

/* `words` 64-bit words of device memory. */
typedef struct gfp_gpu_array gfp_gpu_array;

/* An array of words whose contents are undefined; aligned to 256 bytes. Errors: MEMORY (device or
 * host; or the context's cap would be exceeded), SIZE, DEVICE; *array is unchanged. Waits for what
 * is enqueued. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu,
                                                       size_t words);
/* A window: words first, first + 1, ..., first + words - 1 of an array, which must outlive it.
 * first must be even. Errors: ARGUMENT (first odd, or beyond the end), MEMORY; *part is unchanged.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array,
                                                     size_t first, size_t words);
/* Waits for what is enqueued. NULL is allowed. */
GFP_API void gfp_gpu_array_destroy(gfp_gpu_array *array);
GFP_API size_t gfp_gpu_array_words(const gfp_gpu_array *array);
GFP_API gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array);

/* Words first, ..., first + words - 1 of the array := from, and to := those words, after all that
 * was enqueued before; both wait until the copy is done. Errors: ARGUMENT (beyond the
 * end), DEVICE (contents undefined then). Cost: 55 GB/s from memory of
 * gfp_gpu_host_allocate over PCIe 5, less from other memory. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first,
                                                 const uint64_t *from, size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array,
                                                   size_t first, size_t words);
/* z := x, words of it, and z := 0; enqueued. z may equal x, else must not overlap it. Errors:
 * ARGUMENT, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x,
                                               size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words);
/* The same of words from z_first, x_first on; what is read and written must not overlap. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first,
                                                     const gfp_gpu_array *x, size_t x_first,
                                                     size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words);

/* Host memory that the device reads and writes at full speed (page-locked). Counts for nothing in
 * the context's account. Errors: MEMORY, DEVICE; *block is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes);
/* block may be NULL. */
GFP_API void gfp_gpu_host_release(gfp_gpu *gpu, void *block);

/* Whether these bytes of host memory are such memory, of this library's or anybody's making: copies
 * of it run by themselves. Errors: DEVICE; *pinned is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block,
                                                         size_t bytes, bool *pinned);

/* ---- copies beside the work ---- */

/* A context has three queues, which run side by side: that of all the calls that compute, and one
 * for copies in each direction. Fences put them in order. */
typedef enum gfp_gpu_queue {
    GFP_GPU_QUEUE_MAIN = 0,
    GFP_GPU_QUEUE_UPLOAD,
    GFP_GPU_QUEUE_DOWNLOAD
} gfp_gpu_queue;

/* Words first, ..., first + words - 1 of the array := from, and to := those words, begun: enqueued
 * in the queue of uploads, and of downloads. Both ends must be left alone until the copy is done,
 * as a fence or gfp_gpu_wait says. Memory that is not pinned works, at less speed, and may keep the
 * call waiting. Errors: ARGUMENT (beyond the end), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first,
                                                       const uint64_t *from, size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array,
                                                         size_t first, size_t words);

/* A place in a queue. */
typedef struct gfp_gpu_fence gfp_gpu_fence;

/* Errors: MEMORY, DEVICE; *fence is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu);
/* NULL is allowed. */
GFP_API void gfp_gpu_fence_destroy(gfp_gpu_fence *fence);
/* The fence stands behind what the queue has now, wherever it stood before. Errors: ARGUMENT (no
 * such queue), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* What comes into the queue from now on begins only when all before the fence, as it stands now, is
 * done; one that was never set holds nothing. Errors: as above. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* The caller waits for all before the fence. Errors: DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence);

/* ---- arrays of elements ---- */

/* n elements each (n k words from the start of the array), canonical, as gfp_vec_* of elem.h. z may
 * be an input; it must not overlap one otherwise. c is one element on the host, read before the
 * call returns. Errors: ARGUMENT (an array of fewer words, of another context; canonical form is
 * not checked), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, const gfp_gpu_array *y,
                                                  size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, const gfp_gpu_array *y,
                                                  size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, size_t n);
/* Pointwise products and squares. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, const gfp_gpu_array *y,
                                                  size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z,
                                                  const gfp_gpu_array *x, size_t n);
/* Every element times r^s, any s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul_r(const gfp_field *field, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, unsigned s, size_t n);
/* Every element times the element c. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, const uint64_t *c,
                                                    size_t n);

/* z := x from its last element to its first. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z,
                                                      const gfp_gpu_array *x, size_t n);

/* Searches: word 0 of result, an array apart from the others, := the length without leading zeros
 * (1 + the greatest i with x_i != 0; 0 where there is none); the first i where x_i and y_i differ,
 * and where x_i is not canonical (n where there is none). Errors: as above. Cost: a pass over the
 * arrays, up to what is found (length: from the end). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result,
                                                     const gfp_gpu_array *x, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_difference(const gfp_field *field,
                                                         gfp_gpu_array *result,
                                                         const gfp_gpu_array *x,
                                                         const gfp_gpu_array *y, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_canonical(const gfp_field *field,
                                                        gfp_gpu_array *result,
                                                        const gfp_gpu_array *x, size_t n);

/* For c < count, 1 to 4: y_c := x_c modulo X^j - d, x_c the polynomial of n[c] coefficients; that
 * is, the sum of d^i times its i-th block of j coefficients. y: count j elements, y_c from element
 * c j on, and behind them a word that is not 0 where some x_c has a digit that is r or more (else
 * all are canonical), in an array of gfp_gpu_fold_words words, apart from the inputs, whose other
 * words are work space. j >= 1; 0 <= d < gfp_gpu_fold_limit (min(r / 4, 2^57), or from r = 2^36
 * down min(r / 2 + 1, 2^25)). Errors: ARGUMENT (as above, count, j, d), MEMORY (host), DEVICE.
 * Cost: k products of digits for a coefficient, half as fast as they could be read. */
#define GFP_GPU_FOLD_MAX 4
GFP_API uint64_t gfp_gpu_fold_limit(const gfp_field *field);
GFP_API size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n,
                                  size_t count, size_t j);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y,
                                                   const gfp_gpu_array *const *x, const size_t *n,
                                                   size_t count, size_t j, uint64_t d);
/* Element 0 of y := the polynomial of n coefficients x at any point, one element on the host. y is
 * an array apart from x, its other words work space: of as many elements as the greatest power of
 * two below n, at least 1. Errors: as above. Cost: n general products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y,
                                                       const gfp_gpu_array *x, size_t n,
                                                       const uint64_t *point);

/* ---- integers ---- */

/* Between elements and integers of `size` 64-bit words each, least significant first, one after
 * another: the tables for one field and size. */
typedef struct gfp_gpu_limbs_plan gfp_gpu_limbs_plan;

/* size 0 stands for gfp_field_limbs; at most 4096. The field must outlive the plan, as the context
 * must. Calls with it allocate nothing. Errors: ARGUMENT (size), MEMORY,
 * DEVICE; *plan is unchanged. Cost: some milliseconds for k = 256, where tables have 2 MiB. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                                            const gfp_field *field, size_t size,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan);
/* Never 0. */
GFP_API size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_limbs_plan_bytes(const gfp_gpu_limbs_plan *plan);
/* z := n integers modulo p, as gfp_vec_set_limbs_mod; any integers below 2^(64 size). limbs :=
 * n elements as integers in [0, p), as gfp_vec_get_limbs; words above gfp_field_limbs are 0. z, x
 * and limbs must not overlap. Errors: ARGUMENT (an array of fewer words, overlapping, or of another
 * context; gfp_gpu_get_limbs: size is below gfp_field_limbs), DEVICE. Cost: 4 k size products of
 * half words for each integer, half of that for elements: less than its way over the bus. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                                        const gfp_gpu_array *limbs, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs,
                                                    const gfp_gpu_array *x, size_t n);

/* ---- transforms over Z/pZ ---- */

typedef struct gfp_gpu_fft_plan gfp_gpu_fft_plan;

typedef enum gfp_gpu_fft_form {
    GFP_GPU_FFT_AUTO = 0, /* the first of the others, in this order, that serves this field and N */
    GFP_GPU_FFT_FAST,     /* several levels per pass over the data, digits in the lanes of a warp */
    GFP_GPU_FFT_REFERENCE /* plain kernels for every field and N: the slow twin */
} gfp_gpu_fft_form;

typedef struct gfp_gpu_fft_options {
    size_t batch; /* transforms at once; 0 stands for 1 */
    gfp_gpu_fft_form form;
    bool cyclic;     /* the plan also serves convolutions: work space for them is made */
    bool negacyclic; /* and those modulo X^N + 1: a table of N elements more */
} gfp_gpu_fft_options;

/* A plan for `batch` transforms of length n (a power of two, 1 included) over the field, which must
 * outlive it, as the context must. options may be NULL (all zero). It holds tables and work space:
 * the calls below allocate nothing; one call at a time.
 * Errors, the error argument saying which: ARGUMENT (n not a power of two, no such form), NO_ROOT
 * (n, or with negacyclic 2n, does not divide p - 1), UNAVAILABLE (this form does not serve this
 * field and n), SIZE, MEMORY, DEVICE; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu,
                                                          const gfp_field *field, size_t n,
                                                          const gfp_gpu_fft_options *options,
                                                          gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan);
GFP_API size_t gfp_gpu_fft_plan_length(const gfp_gpu_fft_plan *plan);
GFP_API size_t gfp_gpu_fft_plan_batch(const gfp_gpu_fft_plan *plan);
GFP_API const gfp_field *gfp_gpu_fft_plan_field(const gfp_gpu_fft_plan *plan);
/* Never AUTO: what was chosen. */
GFP_API gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_fft_plan_bytes(const gfp_gpu_fft_plan *plan);
/* "auto", "fast", "reference"; never NULL. */
GFP_API const char *gfp_gpu_fft_form_name(gfp_gpu_fft_form form);

/* y := DFT_N(x) for each of the batch, one after another; y in the given order, x natural (see
 * gfpoly/fft.h). Both of batch N elements, canonical. y may be x, else must not overlap it.
 * Errors: ARGUMENT (an array too short, overlapping, or of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_forward(gfp_gpu_fft_plan *plan, gfp_gpu_array *y,
                                                      const gfp_gpu_array *x, gfp_order order);
/* x := the inverse of DFT_N, 1/N included; y in the given order, x natural. x may be y. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_inverse(gfp_gpu_fft_plan *plan, gfp_gpu_array *x,
                                                      const gfp_gpu_array *y, gfp_order order);
/* c := a b mod (X^N - 1), and mod (X^N + 1), for each of the batch. c may be a or b; squares (a and
 * b the same) transform once. Errors: as above; ARGUMENT where the plan was not made for it. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_convolve_cyclic(gfp_gpu_fft_plan *plan,
                                                              gfp_gpu_array *c,
                                                              const gfp_gpu_array *a,
                                                              const gfp_gpu_array *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_convolve_negacyclic(gfp_gpu_fft_plan *plan,
                                                                  gfp_gpu_array *c,
                                                                  const gfp_gpu_array *a,
                                                                  const gfp_gpu_array *b);
GFP_END_DECLS
#endif
