/* hybrid_outer.h: the outer DFT of the hybrid product on the device: the first levels of the tree
 * of X^N - 1 over Z/pZ, N = M L. Nodes X^n - r^t split into X^(n/2) - r^(t/2) and X^(n/2) +
 * r^(t/2), by shifts and sums of digits only. Leaf s < M is X^L - r^(t_s), where t_s = 2k / M times
 * s with its bits reversed (fft/outer/dft.h has the CPU's outer DFT).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_OUTER_H
#define GFP_GPU_CUDA_PRODUCT_HYBRID_OUTER_H

#include "gpu/cuda/impl.h"
#include "gpu/product_engine.h"

GFP_BEGIN_DECLS

/* Digits of the leaves: d[(((i M + s) L) + x) k + j] is digit j of coefficient x of leaf s of
 * polynomial i; |d| <= digit_bound(r) (hybrid_digits.h) both before and after products. */
typedef struct gfp_gpu_outer {
    unsigned k;
    uint64_t r;
    unsigned log2_m; /* M = 2^log2_m <= 2k */
    size_t leaf;     /* L, any */
    size_t batch;    /* polynomials, of the same lengths */
} gfp_gpu_outer;

/* Whether the outer DFT serves this field: RADIX_MIN <= r <= RADIX_MAX. */
bool gfp_gpu_outer_serves(unsigned k, uint64_t r);
/* d := the leaves of x: polynomial i is len <= M L canonical elements from x + i stride k on, zeros
 * beyond. Both calls enqueue; arrays are aligned to 16 bytes. */
gfp_status gfp_gpu_outer_forward(gfp_gpu *gpu, const gfp_gpu_outer *shape, int64_t *d,
                                 const uint64_t *x, size_t len, size_t stride);
/* c := coefficients (first + i) mod N, i < n <= N, of the polynomials with the leaves d, canonical;
 * polynomial b starts at c + b stride k. The call may overwrite d. */
gfp_status gfp_gpu_outer_inverse(gfp_gpu *gpu, const gfp_gpu_outer *shape, uint64_t *c,
                                 size_t first, size_t n, size_t stride, int64_t *d);

/* Some leaves of one polynomial (batch 1) in blocks, for several devices; M <=
 * 2^GFP_GPU_SHARE_LOG2_M. Columns are those of leaves of `parts` parts. */
#define GFP_GPU_SHARE_LOG2_M 5
typedef struct gfp_gpu_outer_share {
    gfp_gpu_outer shape;
    unsigned parts; /* divides L */
    gfp_gpu_columns columns;
} gfp_gpu_outer_share;

/* d := columns of leaves first <= s < first + count of x, one leaf after the other; len <= M L. */
gfp_status gfp_gpu_outer_forward_share(gfp_gpu *gpu, const gfp_gpu_outer_share *share, int64_t *d,
                                       const gfp_gpu_blocks *x, size_t len, unsigned first,
                                       unsigned count);

GFP_END_DECLS
#endif
