/* wide.h: the fast transforms over Z/pZ for k = 4 ... 128 and any radix of 34 bits or more: the
 * interface between the host part (wide.cu) and the kernels of one k (wide.cuh, included by one
 * small file per k).
 *
 * DFT_N is a sequence of levels of radix at most 2k. A level takes one or two passes over the data,
 * each of at most 64 points. A pass takes blocks of M elements, in columns of R elements M/R apart.
 * Between passes of one level digits are rotated as elements are stored. Between levels every
 * element is multiplied by a power of w_N. Since w_N^(N/2k) = r, a table of N/2k powers and a
 * rotation of digits as elements are loaded serve all products. The result is in bit-reversed
 * order. The inverse undoes the passes from the last to the first. Between passes digits are
 * signed, |x_i| <= r/2 (1 + 2^-17) if r >= 2^56, |x_i| <= 3/4 r otherwise (wide_ranges.py).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_WIDE_H
#define GFP_GPU_CUDA_TRANSFORM_WIDE_H

#include "gpu/cuda/impl.h"
#include "gpu/cuda/wide_product.h"

typedef struct gfp_gpu_wide_pass {
    const uint64_t *in;
    uint64_t *out;
    uint64_t columns;  /* batch N / R */
    uint8_t log_s;     /* elements of a column are 2^log_s apart */
    uint8_t log_inner; /* 2^log_inner neighbouring columns share a number t; */
    uint8_t log_turn;  /* elements turn by f t 2^log_turn digits, f the frequency */
    uint8_t log_n;
    bool turns;
    bool canonical_in, canonical_out;
    bool reversed; /* on the natural side element e lies at bitrev(e): the output of the forward and
                      the input of the inverse transform */
} gfp_gpu_wide_pass;

typedef struct gfp_gpu_wide_products {
    uint64_t *data;       /* in place */
    const int32_t *table; /* 2^log_table entries of ENTRY words */
    uint64_t count;       /* batch N */
    uint8_t log_s;        /* with P = e / 2^log_s mod 2^log_q and j = e mod 2^log_s, element e is
                             multiplied by w_N^(brev(P) j 2^log_step) */
    uint8_t log_q;
    uint8_t log_step;
    uint8_t log_table;
    uint8_t log_n;
    bool inverse; /* multiplies by the inverse power */
} gfp_gpu_wide_products;

typedef struct gfp_gpu_wide_kernels {
    unsigned k;
    /* Sets the shared memory limit of the kernels; called once per plan. */
    gfp_status (*prepare)(gfp_gpu *gpu);
    /* R = 2^log_r <= 64. */
    gfp_status (*pass)(gfp_gpu *gpu, unsigned log_r, bool inverse, const gfp_gpu_wide_pass *args,
                       const gfp_wide::radix *radix);
    gfp_status (*products)(gfp_gpu *gpu, const gfp_gpu_wide_products *args,
                           const gfp_wide::radix *radix);
    /* out_i := in_i table_0, i < count; and table := the entries of the elements in_i,
     * i < count. */
    gfp_status (*scale)(gfp_gpu *gpu, uint64_t *out, const uint64_t *in, const int32_t *table,
                        uint64_t count, const gfp_wide::radix *radix);
    gfp_status (*entries)(gfp_gpu *gpu, int32_t *table, const uint64_t *in, uint64_t count,
                          const gfp_wide::radix *radix);
} gfp_gpu_wide_kernels;

GFP_BEGIN_DECLS
extern const gfp_gpu_wide_kernels gfp_gpu_wide_k4, gfp_gpu_wide_k8, gfp_gpu_wide_k16,
    gfp_gpu_wide_k32, gfp_gpu_wide_k64, gfp_gpu_wide_k128;
GFP_END_DECLS
#endif
