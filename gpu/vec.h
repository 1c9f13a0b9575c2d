/* vec.h: what vec.cu takes from files with faster kernels for some fields.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_VEC_H
#define GFP_GPU_VEC_H

#include "gpu_impl.h"

GFP_BEGIN_DECLS
/* z_i := x_i y_i, i < n, where *served := whether there are kernels for this field (fast_mul.cu).
 * Arrays are checked; z may be x or y. */
gfp_status gfp_gpu_vec_mul_fast(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                                const gfp_gpu_array *y, size_t n, bool *served);
GFP_END_DECLS

#endif
