/* ntt48.h: the primes just below 2^48 of the transforms by IFMA, and tables of their roots of unity
 * in the order in which the tree of x^N - 1 uses them. The tables do not depend on a field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT48_H
#define GFP_FFT_WORDS_NTT48_H

#include <stddef.h>
#include <stdint.h>

#define GFP_NTT48_PRIMES 4
/* Roots of unity of order 2^GFP_NTT48_LOG2_ORDER exist, and of order 3 and 5. */
#define GFP_NTT48_LOG2_ORDER 22

/* q = 2^48 - delta, delta < 2^31, q = 1 mod 15 2^22. */
typedef struct gfp_ntt48_prime {
    uint64_t q;
    uint64_t generator; /* of the multiplicative group */
} gfp_ntt48_prime;

extern const gfp_ntt48_prime gfp_ntt48_primes[GFP_NTT48_PRIMES];

/* w < q and its companion floor(2^52 w / q), for products by the constant w. */
typedef struct gfp_ntt48_root {
    uint64_t w;
    uint64_t companion;
} gfp_ntt48_root;

gfp_ntt48_root gfp_ntt48_root_of(uint64_t w, uint64_t q);

/* The tree: its root is node 0 at depth 0, x^N - 1. Node b at depth d, x^M - g, has the children
 * x^(M/2) - s (node 2b) and x^(M/2) + s (node 2b + 1) with s = W[b], s^2 = g. W[0] = 1 and W[2^t +
 * b] = W[2^t] W[b], b < 2^t, W[2^t] of order 2^(t+2), give these roots at every depth: one table
 * serves all depths, and a shorter table is its prefix. So g = W[b / 2] for even b, and -W[b / 2]
 * for odd b.
 *
 * Sets forward[b] = W[b] and inverse[b] = 1 / W[b] for b < 2^log2_count, log2_count < 22. */
void gfp_ntt48_roots_fill(gfp_ntt48_root *forward, gfp_ntt48_root *inverse,
                          const gfp_ntt48_prime *prime, unsigned log2_count);

/* x^(8 odd) - g splits over a root zeta of order odd: its factors are x^8 - c zeta^i with c^odd =
 * g, c in the 2-group as g is. For every node b < 2^log2_count, log2_count <= 22, the table has, in
 * this order: c^s for 0 < s < odd; c zeta^i for 0 <= i < odd; c^-s for 0 < s < odd. */
#define GFP_NTT48_ODD_ROOTS(odd) (3 * (odd)-2)
void gfp_ntt48_odd_roots_fill(gfp_ntt48_root *roots, const gfp_ntt48_prime *prime, unsigned odd,
                              unsigned log2_count);

/* roots := the factors of a DFT of odd points: zeta for 3; for 5, with C_j + S_j = zeta^j, C_j -
 * S_j = zeta^-j: -1/4, (C_1 - C_2) / 2, S_1, S_2 - S_1, S_2 + S_1. */
#define GFP_NTT48_DFT_ROOTS 5
void gfp_ntt48_dft_roots_fill(gfp_ntt48_root roots[GFP_NTT48_DFT_ROOTS],
                              const gfp_ntt48_prime *prime, unsigned odd);

/* ---- matrices, whose kernels serve other primes, too ---- */

/* A product of matrices of residues: A has `rows` rows, step_a words apart, B `terms` rows, width
 * words apart, the product as many rows as A with this width, a multiple of 16. */
typedef struct gfp_panel {
    const uint64_t *a, *b;
    size_t step_a, rows, terms, width;
} gfp_panel;

/* The most terms of a panel. */
#define GFP_PANEL_TERMS 128

#endif
