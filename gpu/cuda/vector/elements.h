/* elements.h: functions that the files of arithmetic on arrays of elements share (the table is in
 * elements.cu). Arguments are those of gfp_gpu_vec_calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_VECTOR_ELEMENTS_H
#define GFP_GPU_CUDA_VECTOR_ELEMENTS_H

#include "gpu/cuda/impl.h"

GFP_BEGIN_DECLS
/* *served := whether fast kernels exist for this field (fast_mul.cu); if so, z_i := x_i y_i, i < n.
 * z may be x or y. */
gfp_status gfp_gpu_vec_mul_fast(gfp_gpu *gpu, const gfp_field *field, uint64_t *z,
                                const uint64_t *x, const uint64_t *y, size_t n, bool *served);
/* The same for z_i := x_i c, c on the host. */
gfp_status gfp_gpu_vec_scale_fast(gfp_gpu *gpu, const gfp_field *field, uint64_t *z,
                                  const uint64_t *x, const uint64_t *c, size_t n, bool *served);

/* Products z_i := x_i y_i, i < n, or with c, which is on the host, z_i := x_i c + low_i; with
 * neither c nor y y_i := first + i. z may be x, y or low; low = NULL stands for zeros. */
typedef struct gfp_gpu_wide_mul {
    uint64_t *z;
    const uint64_t *x, *y, *c, *low;
    uint64_t first;
    size_t n;
} gfp_gpu_wide_mul;
/* *served := whether the general product by small primes serves elements of the field
 * (wide_mul.cu); if so, multiplies. */
gfp_status gfp_gpu_vec_mul_wide(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_wide_mul *m,
                                bool *served);

/* compare.cu */
gfp_status gfp_cuda_search(gfp_gpu *gpu, gfp_gpu_vec_search search, const gfp_field *field,
                           uint64_t *result, const uint64_t *x, const uint64_t *y, size_t n);
gfp_status gfp_cuda_reverse(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                            size_t n);

/* fold.cu */
size_t gfp_cuda_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n,
                           size_t count, size_t j);
gfp_status gfp_cuda_fold(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_fold *fold);
gfp_status gfp_cuda_evaluate(gfp_gpu *gpu, const gfp_field *field, uint64_t *y, const uint64_t *x,
                             size_t n, const uint64_t *point);

/* rows.cu */
gfp_status gfp_cuda_sum_rows(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_row_sum *sum);
gfp_status gfp_cuda_mul_index(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                              uint64_t first, size_t n);

/* euclid.cu */
gfp_status gfp_cuda_euclid(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_euclid *pairs);
/* product/matrix.cu */
gfp_status gfp_cuda_mul_matrix(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_matrix *m);
GFP_END_DECLS

#endif
