/* sliced.h: the fast transforms over Z/pZ: the interface between the host part (sliced.cu) and the
 * kernels of one k (sliced.cuh, included by one small file per k).
 *
 * DFT_N, N = 2^m, is a sequence of levels of radix R_0, R_1, ..., each at most 2k, in passes over
 * the data of one or more levels. With M_i = R_i R_(i+1) ..., level i splits blocks of M_i elements
 * into R_i blocks of M_i / R_i, by DFT_(R_i) of elements M_i / R_i apart. Between levels i and i +
 * 1, at junction i, element j of each block of M_i is multiplied by table_i[j] = w_(M_i)^(brev(q)
 * c), j = q M_i / R_i + c. The result is in bit-reversed order. The inverse runs the levels from
 * the last to the first, with the same tables and the same direction of roots, which gives x_(-n
 * mod N): the last pass stores each x_n at place n.
 *
 * A pass of 2^log_p points and stride S = 2^log_s takes the elements of column u, at ((u >> log_s)
 * << (log_s + log_p)) + (u mod S) + (p << log_s), 0 <= p < 2^log_p, through its levels. A block of
 * threads has 2^log_cb columns.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_TRANSFORM_SLICED_H
#define GFP_GPU_CUDA_TRANSFORM_SLICED_H

#include "gpu/cuda/fast_radix.h"
#include "gpu/cuda/impl.h"

/* The places of elements in the first and the last pass. */
enum { SLICED_PLAIN = 0, SLICED_REVERSED = 1, SLICED_MIRRORED = 2 };

#define SLICED_MAX_LEVELS 4 /* levels of a pass */
#define SLICED_MAX_SHIFT 28

typedef struct gfp_gpu_sliced_args {
    const uint64_t *in;
    uint64_t *out;
    /* The factors of the elements before the levels of the pass (table[0]) and at junction i within
     * the pass (table[i + 1]); NULL: no factors. */
    const uint64_t *table[SLICED_MAX_LEVELS + 1];
    uint8_t log_m[SLICED_MAX_LEVELS + 1]; /* M and */
    uint8_t log_r[SLICED_MAX_LEVELS + 1]; /* R of each table: the first M / R entries are 1 */
    uint8_t log_s;
    uint8_t log_n;
    uint8_t in_place_of;  /* SLICED_*: which place each element is read from, */
    uint8_t out_place_of; /* and which place each element is stored to */
    uint8_t shift; /* elements are divided by 2^shift at the start; shift <= SLICED_MAX_SHIFT,
                      2^shift divides r */
    bool canonical_in;
    bool canonical_out;
    uint64_t first_column, columns_end; /* columns of the pass */
    gfp_fast::radix_constants radix;
} gfp_gpu_sliced_args;

/* The kernels of a k and a radix, or of all radices without kernels of their own. */
typedef struct gfp_gpu_sliced_kernels {
    unsigned k;
    unsigned log_max_p; /* passes have 2 ... 2^log_max_p points */
    unsigned shared;    /* bytes of shared memory of a block */
    /* log_r := log2 of the radices of a pass's levels, in the order of the forward transform.
     * Returns the number of levels. */
    unsigned (*levels)(unsigned log_p, uint8_t *log_r);
    /* Sets the shared memory limit of the kernels; called once per plan. */
    gfp_status (*prepare)(gfp_gpu *gpu);
    gfp_status (*forward)(gfp_gpu *gpu, unsigned log_p, const gfp_gpu_sliced_args *args);
    gfp_status (*inverse)(gfp_gpu *gpu, unsigned log_p, const gfp_gpu_sliced_args *args);
    /* table := the M = 2^log_m entries described above. powers: w_M^(2^i), i < log_m, on the
     * device. */
    gfp_status (*make_table)(gfp_gpu *gpu, uint64_t *table, const uint64_t *powers, unsigned log_m,
                             unsigned log_r, const gfp_fast::radix_constants *constants);
} gfp_gpu_sliced_kernels;

GFP_BEGIN_DECLS
/* The kernels for r^k + 1; fast_fields.h: is_served(k, r). */
const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k2(uint64_t r);
const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k4(uint64_t r);
const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k8(uint64_t r);
const gfp_gpu_sliced_kernels *gfp_gpu_sliced_k16(uint64_t r);
GFP_END_DECLS
#endif
