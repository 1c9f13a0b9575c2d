/* real.h: the real transform of the AVX2 level, in place of the third prime of a product: the
 * coefficients of a leaf's product as reals, in double precision. Two primes give them modulo q_1
 * q_2, and the error of the reals is below q_1 q_2 / 2, so that they give the third mixed-radix
 * digit. A leaf is a ring R[T, x]/(T^k + 1, x^m - T^e): T^(k/2) = i makes two digits one complex
 * number, and the trees in T and x are those of the primes, with roots of unity in C. Bounds of the
 * error: real_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAF_REAL_H
#define GFP_CRT_HYBRID_LEAF_REAL_H

#include "crt/hybrid/leaf/engine.h"
#include "field/kernels/intrinsics.h"

/* Products serve up to k m D^2 < 2^142.25, |d| <= D: their error is below 0.45 q_1 q_2. */
#define GFP_HYBRID_REAL_LOG2 (GFP_HYBRID_BITS / 4 * 569)
/* Whether the engine has a real transform. The engine of vectors of 512 bits has none. */
#ifdef GFP_WIDE
#define GFP_HYBRID_REALS false
#else
#define GFP_HYBRID_REALS true
#endif

/* A root of unity. */
typedef struct gfp_real_root {
    double re, im;
} gfp_real_root;

/* The rows of the engine for GFP_LEAF_REAL. A channel is an array of complex vectors, four real
 * parts and then four imaginary parts; there are k / 2 channels. */
void gfp_hybrid_real_steps(const gfp_leaf_batch *l, double *x, double *y, const int64_t *a,
                           const int64_t *b, unsigned steps);
void gfp_hybrid_real_roots(uint64_t *roots, unsigned log2_roots);

/* z := k vectors of digits, times 2^(levels + log2(k) - 1), for each of `columns` columns, from
 * k / 2 channels `stride` complex vectors apart. */
void gfp_hybrid_real_interpolate(const gfp_real_root *roots, double *z, const double *channels,
                                 size_t stride, size_t columns, unsigned log2_k);

#endif
