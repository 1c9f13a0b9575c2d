/* none_vec.c: the part of none.c for arrays of elements.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu.h"
#include "support.h"

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_mul_r(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             unsigned s, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)s;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)c;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}
