/* avx512.h: the parts of the hybrid product's leaves by IFMA, shared by the files of that
 * level only.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAF_AVX512_H
#define GFP_CRT_HYBRID_LEAF_AVX512_H

#include <immintrin.h>

#include "crt/hybrid/leaf/ifma.h"

/* Kernels from digits to channels and back modulo one prime; see evaluate_avx512.inc. */
typedef struct gfp_ifma_leaf_kernels {
    void (*evaluate)(const gfp_ntt48_prime *prime, const gfp_ntt48_root *roots, __m512i *channels,
                     size_t step, const __m512i *digits, size_t columns);
    void (*interpolate)(const gfp_ntt48_prime *prime, const gfp_ntt48_root *roots,
                        const gfp_ntt48_root *scale, __m512i *digits, const __m512i *channels,
                        size_t step, size_t columns);
} gfp_ifma_leaf_kernels;

/* Indexed by log2 k - 1. */
extern const gfp_ifma_leaf_kernels gfp_ifma_leaf_table[8];

/* Computes digits z[0 .. k) of each of `columns` vectors of coefficients from residues scaled for
 * the CRT, y[t] of prime i at residues[i step + t], which are overwritten. The digits are balanced,
 * as in fft/outer/dft.h. split_avx512.c */
typedef void gfp_ifma_split_kernel(const gfp_ifma_split *split, uint64_t r, __m512i *digits,
                                   __m512i *residues, size_t step, unsigned k, size_t columns);
gfp_ifma_split_kernel *gfp_ifma_split_kernel_get(unsigned primes, uint64_t r);

#endif
