/* gfpoly/gpu.h: the library's arithmetic and transforms on a CUDA device.
 *
 * Data lies in device arrays of 64-bit words in the library's one interchange form: canonical
 * digits, element after element (gfpoly/elem.h). Roots are those of the CPU, so that results agree
 * with the CPU's digit for digit.
 *
 * Calls that compute are enqueued on the stream of their context and return before the work is
 * done; they run in the order of the calls. Creating, uploading and downloading wait for enqueued
 * work, and so does gfp_gpu_wait. Copies by gfp_gpu_upload_begin and gfp_gpu_download_begin run at
 * the same time as other work. A call itself reports errors of its arguments; any later call may
 * report an error on the device. After GFP_ERR_DEVICE with a lost device, every call of the context
 * fails with the same status; its objects can only be destroyed.
 *
 * A context and all objects made with it belong to one thread at a time. Any number of contexts may
 * be used at once, on one device or several. A call leaves the caller's current CUDA device
 * unchanged.
 *
 * If the library was built without CUDA, or finds no driver or device, gfp_gpu_create returns
 * UNAVAILABLE and the reason; no other call is possible then.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_H
#define GFPOLY_GPU_H

#include "gfpoly/fft.h"

GFP_BEGIN_DECLS

/* ---- devices and contexts ---- */

/* A device, a stream of it, and an account of the device memory that objects of the
 * context hold. */
typedef struct gfp_gpu gfp_gpu;

/* Whether the library was built with CUDA, or loads the plug-in for CUDA at the first need. */
GFP_API bool gfp_gpu_built_in(void);

/* *count := the number of devices, at least 1. Errors: UNAVAILABLE (built without CUDA, no
 * plug-in, no driver, or no device; the error argument gives the reason); *count is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_count(unsigned *count, gfp_error *error);

typedef struct gfp_gpu_options {
    unsigned device;                /* below gfp_gpu_count */
    size_t memory_cap;              /* most bytes of device memory in use at once; 0: no limit */
    const gfp_allocator *allocator; /* for host memory; NULL: malloc */
} gfp_gpu_options;

/* Creates a context. options may be NULL (all zero). Errors, with the reason in the error argument:
 * UNAVAILABLE (as in gfp_gpu_count, or this build has no code for the device), ARGUMENT (no such
 * device), DEVICE, MEMORY; *gpu is unchanged. Cost: the first context of a process starts the
 * driver, about 0.1 s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options,
                                                 gfp_error *error);
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
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info);

/* Bytes of device memory that arrays and plans of this context hold, and the most that they ever
 * held. */
GFP_API size_t gfp_gpu_memory_used(const gfp_gpu *gpu);
GFP_API size_t gfp_gpu_memory_peak(const gfp_gpu *gpu);

/* Waits until all enqueued work, in every queue, is done. Errors: DEVICE; the error argument (may
 * be NULL) gives the reason. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error);

/* Waits until all work of this process on the device is done, also that of other contexts and of
 * other code, which may have filled an adopted array. Errors: ARGUMENT (during a capture), DEVICE.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_wait_device(gfp_gpu *gpu);

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
                                                       size_t words);
/* Creates a window: words first, first + 1, ..., first + words - 1 of an array, which must outlive
 * the window. first must be even. Errors: ARGUMENT (first is odd, or the window ends beyond the
 * array), MEMORY; *part is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array,
                                                     size_t first, size_t words);
/* Creates an array over `words` words of device memory that other code owns, from address on, such
 * as an array of another library. The memory must be on the context's device, aligned to 16 bytes,
 * and outlive the array, which the account of the context does not count. Work of other code on the
 * memory must be done: gfp_gpu_wait_device. Errors: ARGUMENT (NULL with words > 0, not aligned),
 * SIZE, MEMORY; *array is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_array_adopt(gfp_gpu_array **array, gfp_gpu *gpu,
                                                      void *address, size_t words);
/* The address of word 0 on the device, for other code: NULL for an array without words. Enqueued
 * work may still write there: gfp_gpu_wait. */
GFP_API void *gfp_gpu_array_address(gfp_gpu_array *array);
/* Waits for enqueued work. NULL is allowed. */
GFP_API void gfp_gpu_array_destroy(gfp_gpu_array *array);
GFP_API size_t gfp_gpu_array_words(const gfp_gpu_array *array);
GFP_API gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array);

/* Upload: words first, ..., first + words - 1 of the array := from. Download: to := these words.
 * Both run after all enqueued work and wait until the copy is done. Errors: ARGUMENT (beyond the
 * end), DEVICE (contents are undefined then). Cost: 55 GB/s from memory of gfp_gpu_host_allocate
 * over PCIe 5, less from other memory. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first,
                                                 const uint64_t *from, size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array,
                                                   size_t first, size_t words);
/* z := the first `words` words of x; and z := 0. Both are enqueued. z may equal x, else must not
 * overlap it. Errors: ARGUMENT, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x,
                                               size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words);
/* Copies words from x_first on to z from z_first on. The two ranges must not overlap. Errors: as
 * above. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first,
                                                     const gfp_gpu_array *x, size_t x_first,
                                                     size_t words);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words);

/* Allocates host memory that the device reads and writes at full speed (page-locked). The context's
 * account does not include it. Errors: MEMORY, DEVICE; *block is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes);
/* block may be NULL. */
GFP_API void gfp_gpu_host_release(gfp_gpu *gpu, void *block);

/* *pinned := whether these bytes of host memory are page-locked, by this library or any other code:
 * copies of such memory run without the host. Errors: DEVICE; *pinned is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block,
                                                         size_t bytes, bool *pinned);

/* ---- copies at the same time as other work ---- */

/* A context has three queues, which run at the same time: one for all calls that compute, and one
 * for copies in each direction. Fences order the work of different queues. */
typedef enum gfp_gpu_queue {
    GFP_GPU_QUEUE_MAIN = 0,
    GFP_GPU_QUEUE_UPLOAD,
    GFP_GPU_QUEUE_DOWNLOAD
} gfp_gpu_queue;

/* Begin an upload or a download of words first, ..., first + words - 1 of the array: the copy is
 * enqueued in the queue of uploads or of downloads. Leave both ends alone until a fence or
 * gfp_gpu_wait shows that the copy is done. Memory that is not pinned is slower, and may keep the
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
/* Puts the fence behind all work that the queue has now, wherever it stood before. Errors: ARGUMENT
 * (no such queue), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* Work that enters the queue from now on begins only after all work before the fence, as it stands
 * now, is done. A fence that was never set holds nothing. Errors: as above. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* Waits on the host for all work before the fence. Errors: DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence);

/* ---- arrays of elements ---- */

/* Like gfp_vec_* of elem.h, for arrays of n canonical elements (n k words from the start of the
 * array). z may be an input, else must not overlap one. c is one element on the host, read before
 * the call returns. Errors: ARGUMENT (an array is too short or of another context; canonical form
 * is not checked), DEVICE. */
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
/* z_i := x_i r^s, for any s. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul_r(const gfp_field *field, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, unsigned s, size_t n);
/* z_i := x_i c. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, const uint64_t *c,
                                                    size_t n);

/* z := the elements of x in reverse order. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z,
                                                      const gfp_gpu_array *x, size_t n);

/* Rows of elements in an array: row i begins at element from + i stride. */
typedef struct gfp_gpu_rows {
    gfp_gpu_array *array;
    size_t from, stride;
} gfp_gpu_rows;

/* For each row i < rows and each place j < n: z_ij := the sum of x_0,ij, ..., x_(count-1),ij, where
 * x_t counts negatively if bit t of `negated` is set; count is 0 (z := 0) to GFP_GPU_ROWS_MAX.
 * Stride 0 repeats a row of an input. An input may be z itself (the same place and stride), else
 * its elements must not be elements of z; z and an input of the same stride may alternate in one
 * array. Errors: ARGUMENT (count; an array is too short, overlaps or is of another context),
 * DEVICE. Cost: a pass over the elements. */
#define GFP_GPU_ROWS_MAX 4
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_sum_rows(const gfp_field *field,
                                                       const gfp_gpu_rows *z, const gfp_gpu_rows *x,
                                                       size_t count, unsigned negated, size_t rows,
                                                       size_t n);
/* z_i := (first + i) x_i, i < n: the integers first, first + 1, ... modulo 2^64 count as elements.
 * z may be x, else must not overlap it. Errors: as above. Cost: a general product for each
 * element. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul_index(const gfp_field *field, gfp_gpu_array *z,
                                                        const gfp_gpu_array *x, uint64_t first,
                                                        size_t n);

/* Pairs of rows: polynomials of at most len_a and len_b coefficients, the constant term first. The
 * array of operands of length 0 may be NULL. */
typedef struct gfp_gpu_pairs {
    gfp_gpu_rows a, b;
    size_t len_a, len_b, rows;
} gfp_gpu_pairs;

/* Results that are checked at a random element `point` on the host: gcds, a row of max(len_a,
 * len_b) elements each, or resultants, one element each. */
typedef struct gfp_gpu_claim {
    gfp_gpu_rows rows;
    bool resultants;
    const uint64_t *point;
} gfp_gpu_claim;

/* Euclid's algorithm for many pairs, without inverses; gfp_gpu_vec_gcd and gfp_gpu_vec_resultant
 * use it. With n = max(len_a, len_b), the array work gets 2 n elements for each row: n coefficients
 * of a multiple of the gcd, then n undefined elements. Behind the last row work gets three vectors
 * of an element for each row: the leading coefficients of these multiples (1 for a gcd that is 0),
 * the numerators of the resultants, and their denominators, which are not 0. words := the gcds'
 * lengths. With a claim (else NULL) the values at the point are taken through all steps, and words
 * := 1 for rows whose steps or whose claim is wrong, else 0. work has gfp_gpu_euclid_elements
 * elements, words a word for each row; both arrays are apart from all others. Errors: as above.
 * Cost: 1.5 n^2 products of elements for each row. */
GFP_API size_t gfp_gpu_euclid_elements(const gfp_gpu_pairs *pairs); /* saturates */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_euclid(const gfp_field *field, gfp_gpu_array *work,
                                                     gfp_gpu_array *words,
                                                     const gfp_gpu_pairs *pairs,
                                                     const gfp_gpu_claim *claim);

/* Searches. Word 0 of result, an array apart from the inputs, := the length without leading zeros
 * (1 + the greatest i with x_i != 0, or 0); the first i with x_i != y_i (or n); the first i for
 * which x_i is not canonical (or n). Errors: as above. Cost: a pass over the arrays up to the place
 * that is found (for the length: from the end). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result,
                                                     const gfp_gpu_array *x, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_difference(const gfp_field *field,
                                                         gfp_gpu_array *result,
                                                         const gfp_gpu_array *x,
                                                         const gfp_gpu_array *y, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_canonical(const gfp_field *field,
                                                        gfp_gpu_array *result,
                                                        const gfp_gpu_array *x, size_t n);

/* For c < count, 1 to 4: y_c := x_c modulo X^j - d, where x_c is the polynomial of n[c]
 * coefficients; that is, the sum of d^i times its i-th block of j coefficients. y is an array of
 * gfp_gpu_fold_words words, apart from the inputs. y receives count j elements, y_c from element c
 * j on, and behind them a word that is not 0 if some x_c has a digit of r or more (else all x_c are
 * canonical); its other words are work space. j >= 1; 0 <= d < gfp_gpu_fold_limit (min(r / 4,
 * 2^57), or min(r / 2 + 1, 2^25) for r < 2^36). Errors: ARGUMENT (as above; count, j or d), MEMORY
 * (host), DEVICE. Cost: k products of digits per coefficient, at half the speed of reading the
 * input. */
#define GFP_GPU_FOLD_MAX 4
GFP_API uint64_t gfp_gpu_fold_limit(const gfp_field *field);
GFP_API size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n,
                                  size_t count, size_t j);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y,
                                                   const gfp_gpu_array *const *x, const size_t *n,
                                                   size_t count, size_t j, uint64_t d);
/* Element 0 of y := the value of the polynomial x of n coefficients at any point, one element on
 * the host. y is an array apart from x, of as many elements as the greatest power of two below n,
 * at least 1; its other words are work space. Errors: as above. Cost: n general products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y,
                                                       const gfp_gpu_array *x, size_t n,
                                                       const uint64_t *point);

/* ---- integers ---- */

/* Tables for conversions between elements and integers of `size` 64-bit words each (least
 * significant first, one after another), for one field and size. */
typedef struct gfp_gpu_limbs_plan gfp_gpu_limbs_plan;

/* Creates a plan. size 0 means gfp_field_limbs; size is at most 4096. The field and the context
 * must outlive the plan. Calls with the plan allocate nothing. Errors: ARGUMENT (size), MEMORY,
 * DEVICE; *plan is unchanged. Cost: some milliseconds for k = 256, with tables of 2 MiB. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                                            const gfp_field *field, size_t size,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan);
/* Never 0. */
GFP_API size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_limbs_plan_bytes(const gfp_gpu_limbs_plan *plan);
/* gfp_gpu_set_limbs: z := n integers modulo p, like gfp_vec_set_limbs_mod, for any integers below
 * 2^(64 size). gfp_gpu_get_limbs: limbs := n elements as integers in [0, p), like
 * gfp_vec_get_limbs; words above gfp_field_limbs are 0. z, x and limbs must not overlap. Errors:
 * ARGUMENT (an array is too short, overlaps, or is of another context; gfp_gpu_get_limbs: size is
 * below gfp_field_limbs), DEVICE. Cost: 4 k size products of half words per integer, and half of
 * that per element: less than the transfer over the bus. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                                        const gfp_gpu_array *limbs, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs,
                                                    const gfp_gpu_array *x, size_t n);

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
    bool cyclic; /* the plan also serves convolutions modulo X^N - 1, with work space for them */
    bool negacyclic; /* and convolutions modulo X^N + 1, with a table of N elements more */
} gfp_gpu_fft_options;

/* Creates a plan for `batch` transforms of length n (a power of two, 1 included) over the field.
 * The field and the context must outlive the plan. options may be NULL (all zero). The plan holds
 * tables and work space: the calls below allocate nothing; a plan serves one call at a time.
 * Errors, with the reason in the error argument: ARGUMENT (n is not a power of two, or the form is
 * unknown), NO_ROOT (n, or 2n if negacyclic, does not divide p - 1), UNAVAILABLE (this form does
 * not serve this field and n), SIZE, MEMORY, DEVICE; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu,
                                                          const gfp_field *field, size_t n,
                                                          const gfp_gpu_fft_options *options,
                                                          gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan);
GFP_API size_t gfp_gpu_fft_plan_length(const gfp_gpu_fft_plan *plan);
GFP_API size_t gfp_gpu_fft_plan_batch(const gfp_gpu_fft_plan *plan);
GFP_API const gfp_field *gfp_gpu_fft_plan_field(const gfp_gpu_fft_plan *plan);
/* The form that was chosen; never AUTO. */
GFP_API gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_fft_plan_bytes(const gfp_gpu_fft_plan *plan);
/* "auto", "fast", "reference"; never NULL. */
GFP_API const char *gfp_gpu_fft_form_name(gfp_gpu_fft_form form);

/* y := DFT_N(x) for each vector of the batch, one after another; y in the given order, x in natural
 * order (see gfpoly/fft.h). Both have batch N canonical elements. y may be x, else must not overlap
 * it. Errors: ARGUMENT (an array is too short, overlaps, or is of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_forward(gfp_gpu_fft_plan *plan, gfp_gpu_array *y,
                                                      const gfp_gpu_array *x, gfp_order order);
/* x := the inverse of DFT_N of y, 1/N included; y in the given order, x in natural order. x may be
 * y. Errors: as above. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_fft_inverse(gfp_gpu_fft_plan *plan, gfp_gpu_array *x,
                                                      const gfp_gpu_array *y, gfp_order order);
/* c := a b mod (X^N - 1), and mod (X^N + 1), for each vector of the batch. c may be a or b; a
 * square (a and b are the same) takes one transform. Errors: as above; ARGUMENT also if the plan
 * was not made for this convolution. */
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
