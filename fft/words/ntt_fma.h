/* ntt_fma.h: number-theoretic transforms in double-precision FMA arithmetic: residues modulo primes
 * q of almost 50 bits are integers held in doubles, balanced and lazily reduced. This header has
 * the transforms and their tables of roots; ntt_fma_vec.h has the vector arithmetic.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_FMA_H
#define GFP_FFT_WORDS_NTT_FMA_H

#include <stddef.h>
#include <stdint.h>

/* The four least primes above 2^(149/3) that are 1 mod 15 2^22: roots of unity of order 2^22, 3 and
 * 5 exist, and the product of the first three just exceeds 2^149. */
#define GFP_FMA_PRIMES 4
#define GFP_FMA_LOG2_ORDER 22
extern const uint64_t gfp_fma_primes[GFP_FMA_PRIMES];

/* A multiplier: |value| <= q / 2 and value / q rounded. */
typedef struct gfp_fma_root {
    double value;
    double quotient;
} gfp_fma_root;

/* The tree of x^N - 1: node nu of depth d is x^(N / 2^d) - exp(2 pi i rev(nu) / 2^d), rev being the
 * reversal of d bits; its children are 2 nu and 2 nu + 1. The square root exp(2 pi i rev(nu) / 2^(d
 * + 1)) that splits node nu does not depend on d: it is entry nu of forward, and its inverse is
 * entry nu of backward. */
typedef struct gfp_fma_modulus {
    double q;
    double inverse; /* 1 / q, rounded */
    const gfp_fma_root *forward;
    const gfp_fma_root *backward;
} gfp_fma_modulus;

/* The lanes of a vector; transforms act on vectors, and on each lane separately. The library has
 * them for both widths. */
#ifdef GFP_WIDE
#define GFP_FMA_LANES 8
#define gfp_fma_forward gfp_fma_forward_8
#define gfp_fma_backward gfp_fma_backward_8
#else
#define GFP_FMA_LANES 4
#endif

/* Fills 2^log2_size entries for the prime of this index: entry nu is first, reduced, times entry nu
 * of forward to the power of power / odd in the group of the roots of order 2^GFP_FMA_LOG2_ORDER;
 * log2_size < GFP_FMA_LOG2_ORDER. */
void gfp_fma_roots_fill(gfp_fma_root *table, unsigned log2_size, unsigned prime, int power,
                        unsigned odd, uint64_t first);

/* Returns a root of unity of this order (3 or 5) modulo the prime of this index. */
uint64_t gfp_fma_odd_root(unsigned prime, unsigned order);

/* Returns value, reduced modulo q, as a multiplier. */
gfp_fma_root gfp_fma_root_make(uint64_t value, uint64_t q);

/* The transforms of x, width 2^levels vectors: the polynomial of this node, with coefficient i in
 * vector i / width of its kind. Forward: to the 2^levels nodes below, of width vectors each; |x| <=
 * 2.83 q in, 4.15 q out, and 2.83 q out if levels is 3. Backward: 2^levels times the inverse; |x|
 * <= 1.25 q in and out. */
void gfp_fma_forward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                     size_t node);
void gfp_fma_backward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                      size_t node);

#endif
