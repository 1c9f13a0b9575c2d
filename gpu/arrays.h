/* arrays.h: what the rooms above need of device arrays in addition to gfpoly/gpu.h: windows and
 * parts of arrays, copies at the same time as other work, arithmetic on arrays of elements,
 * searches, folds, integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_ARRAYS_H
#define GFP_GPU_ARRAYS_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

/* Whether the library was built with CUDA, or loads the plug-in for CUDA at the first need. */
bool gfp_gpu_built_in(void);

/* *count := the number of devices, at least 1. Errors: UNAVAILABLE, DEVICE, MEMORY (as for
 * gfp_gpu_create); *count is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_count(unsigned *count, gfp_error *error);

/* The most bytes of device memory that arrays and plans of this context ever held. */
size_t gfp_gpu_memory_peak(const gfp_gpu *gpu);

/* ---- memory ---- */

/* Sets the most bytes of device memory that the context may have in use, SIZE_MAX: no cap, which
 * may be less than it has. Returns the cap before. */
size_t gfp_gpu_set_memory_cap(gfp_gpu *gpu, size_t cap);

gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array);
size_t gfp_gpu_array_words(const gfp_gpu_array *array);

/* Creates a window: words first, first + 1, ..., first + words - 1 of an array, which must outlive
 * the window. first must be even. Errors: ARGUMENT (first is odd, or the window ends beyond the
 * array), MEMORY; *part is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array,
                                             size_t first, size_t words);

/* Copies words from x_first on to z from z_first on. The two ranges must not overlap. Errors:
 * ARGUMENT, DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first,
                                             const gfp_gpu_array *x, size_t x_first, size_t words);
/* z := 0 in `words` words from `first` on. Enqueued. Errors: as above. */
GFP_MUST_CHECK gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words);

/* *pinned := whether these bytes of host memory are page-locked, by this library or any other code:
 * copies of such memory run without the host. Errors: DEVICE; *pinned is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes,
                                                 bool *pinned);

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
GFP_MUST_CHECK gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first,
                                               const uint64_t *from, size_t words);
GFP_MUST_CHECK gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array,
                                                 size_t first, size_t words);

/* A place in a queue. */
typedef struct gfp_gpu_fence gfp_gpu_fence;

/* Errors: MEMORY, DEVICE; *fence is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu);
/* NULL is allowed. */
void gfp_gpu_fence_destroy(gfp_gpu_fence *fence);
/* Puts the fence behind all work that the queue has now, wherever it stood before. Errors: ARGUMENT
 * (no such queue), DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* Work that enters the queue from now on begins only after all work before the fence, as it stands
 * now, is done. A fence that was never set holds nothing. Errors: as above. */
GFP_MUST_CHECK gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue);
/* Waits on the host for all work before the fence. Errors: DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence);

/* ---- arrays of elements ---- */

/* Like gfp_vec_* of gfpoly/elem.h, for arrays of n canonical elements (n k words from the start of
 * the array). z may be an input, else must not overlap one. c is one element on the host, read
 * before the call returns. Errors: ARGUMENT (an array is too short or of another context; canonical
 * form is not checked), DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z,
                                          const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n);
GFP_MUST_CHECK gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z,
                                          const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n);
GFP_MUST_CHECK gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z,
                                          const gfp_gpu_array *x, size_t n);
/* Pointwise products and squares. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z,
                                          const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n);
GFP_MUST_CHECK gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z,
                                          const gfp_gpu_array *x, size_t n);
/* z_i := x_i c. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z,
                                            const gfp_gpu_array *x, const uint64_t *c, size_t n);

/* z := the elements of x in reverse order. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z,
                                              const gfp_gpu_array *x, size_t n);

/* For each row i < rows and each place j < n: z_ij := the sum of x_0,ij, ..., x_(count-1),ij, where
 * x_t counts negatively if bit t of `negated` is set; count is 0 (z := 0) to GFP_GPU_ROWS_MAX.
 * Stride 0 repeats a row of an input. An input may be z itself (the same place and stride), else
 * its elements must not be elements of z; z and an input of the same stride may alternate in one
 * array. Errors: ARGUMENT (count; an array is too short, overlaps or is of another context),
 * DEVICE. Cost: a pass over the elements. */
#define GFP_GPU_ROWS_MAX 4
GFP_MUST_CHECK gfp_status gfp_gpu_vec_sum_rows(const gfp_field *field, const gfp_gpu_rows *z,
                                               const gfp_gpu_rows *x, size_t count,
                                               unsigned negated, size_t rows, size_t n);

/* c := a b for matrices of elements: rows of `inner` elements of a, `inner` rows of b and rows of c
 * of `columns` elements. c is apart from a and b. Computed modulo some 4 k primes below 2^31.
 * Waits; no capture may be open. Memory of the device for the time of the call: residues of a, and
 * of b and c for as many columns at once as take 256 MiB, or for 64, or for as many as there is
 * memory for. Errors: ARGUMENT (an array is too short, overlaps or is of another context), SIZE
 * (2^31 rows, or terms of a sum, or more), UNAVAILABLE (too few primes), MEMORY, DEVICE. Cost: rows
 * inner columns products modulo each prime. */
typedef struct gfp_gpu_matrix_shape {
    size_t rows, inner, columns;
} gfp_gpu_matrix_shape;
GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul_matrix(const gfp_field *field, const gfp_gpu_rows *c,
                                                 const gfp_gpu_rows *a, const gfp_gpu_rows *b,
                                                 const gfp_gpu_matrix_shape *shape);
/* z_i := (first + i) x_i, i < n: the integers first, first + 1, ... modulo 2^64 count as elements.
 * z may be x, else must not overlap it. Errors: as above. Cost: a general product for each
 * element. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_mul_index(const gfp_field *field, gfp_gpu_array *z,
                                                const gfp_gpu_array *x, uint64_t first, size_t n);

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
size_t gfp_gpu_euclid_elements(const gfp_gpu_pairs *pairs); /* saturates */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_euclid(const gfp_field *field, gfp_gpu_array *work,
                                             gfp_gpu_array *words, const gfp_gpu_pairs *pairs,
                                             const gfp_gpu_claim *claim);

/* Searches. Word 0 of result, an array apart from the inputs, := the length without leading zeros
 * (1 + the greatest i with x_i != 0, or 0); the first i with x_i != y_i (or n). Errors: as above.
 * Cost: a pass over the arrays up to the place that is found (for the length: from the end). */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result,
                                             const gfp_gpu_array *x, size_t n);
GFP_MUST_CHECK gfp_status gfp_gpu_vec_difference(const gfp_field *field, gfp_gpu_array *result,
                                                 const gfp_gpu_array *x, const gfp_gpu_array *y,
                                                 size_t n);

/* For c < count, 1 to 4: y_c := x_c modulo X^j - d, where x_c is the polynomial of n[c]
 * coefficients; that is, the sum of d^i times its i-th block of j coefficients. y is an array of
 * gfp_gpu_fold_words words, apart from the inputs. y receives count j elements, y_c from element c
 * j on, and behind them a word that is not 0 if some x_c has a digit of r or more (else all x_c are
 * canonical); its other words are work space. j >= 1; 0 <= d < gfp_gpu_fold_limit (min(r / 4,
 * 2^57), or min(r / 2 + 1, 2^25) for r < 2^36). Errors: ARGUMENT (as above; count, j or d), MEMORY
 * (host), DEVICE. Cost: k products of digits per coefficient, at half the speed of reading the
 * input. */
#define GFP_GPU_FOLD_MAX 4
uint64_t gfp_gpu_fold_limit(const gfp_field *field);
size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                          size_t j);
GFP_MUST_CHECK gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y,
                                           const gfp_gpu_array *const *x, const size_t *n,
                                           size_t count, size_t j, uint64_t d);
/* Element 0 of y := the value of the polynomial x of n coefficients at any point, one element on
 * the host. y is an array apart from x, of as many elements as the greatest power of two below n,
 * at least 1; its other words are work space. Errors: as above. Cost: n general products. */
GFP_MUST_CHECK gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y,
                                               const gfp_gpu_array *x, size_t n,
                                               const uint64_t *point);

GFP_END_DECLS
#endif
