/* ifma.h: the constants of the leaf engine's IFMA level that depend on the field, and its
 * tables of roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAF_IFMA_H
#define GFP_CRT_HYBRID_LEAF_IFMA_H

#include "crt/hybrid/leaf/engine.h"
#include "fft/words/ntt48.h"

/* Leaf length times outer size is at most 2^GFP_IFMA_LOG2_LENGTH; then a coefficient of a leaf is
 * below 2^31 r^2. */
#define GFP_IFMA_LOG2_LENGTH 24
/* With three primes, coefficients of a leaf are at most 2^143 (1 - 2^-14) on either side of 0: half
 * the primes' product less the rounding of the CRT. With four primes they are at most 2^148 (1 +
 * 2^-7), the bound of the split by r: if lengths and r are powers of two, the excess of digits over
 * r/2 must not cost a prime. */
#define GFP_IFMA_BITS_3 143
#define GFP_IFMA_BITS_4 148
/* The least r for which the split needs no scaling; with a smaller r single words may overflow. */
#define GFP_IFMA_R_PLAIN ((uint64_t)1 << 57)
#define GFP_IFMA_R_TOP (UINT64_MAX - ((uint64_t)1 << 57))

/* The split of a coefficient into c = low + middle r + high r^2 from residues. With a number of
 * primes of product M, c = sum of y_i M / q_i - f M, y_i = c (M / q_i)^-1 mod q_i; v = (c + bias
 * r^2 + r^2/2) 2^scale is >= 0 and below 2^156. All values are in limbs of 52 bits, with products
 * by r' = r 2^scale >= 2^57. */
typedef struct gfp_ifma_split {
    unsigned primes;
    unsigned scale;                         /* 0 for r >= GFP_IFMA_R_PLAIN */
    uint64_t cofactor[GFP_NTT48_PRIMES][3]; /* M / q_i 2^scale */
    uint64_t offset[3][16]; /* limb l of (bias r^2 + r^2/2 - f M) 2^scale mod 2^156 at [l][f] */
    uint64_t bias;
    uint64_t reciprocal[2];  /* floor(2^(104 + e) / r'), 2^e <= r' < 2^(e+1) */
    uint64_t round;          /* half a quotient and half the greatest error, see split_one */
    unsigned shift;          /* e - 52: bits of a quotient's fraction */
    unsigned top_shift;      /* bits that a quotient loses before its division by r */
    uint64_t top_reciprocal; /* floor(2^(52 + top_shift - shift) / r) */
} gfp_ifma_split;

#define GFP_IFMA_LENGTHS (GFP_IFMA_LOG2_LENGTH - 2)

typedef struct gfp_ifma_tables {
    gfp_leaf_tables head;
    uint64_t inverse_q[GFP_NTT48_PRIMES];
    gfp_ntt48_root dft[GFP_NTT48_PRIMES][2][GFP_NTT48_DFT_ROOTS];
    gfp_ifma_split split[2]; /* for 3 and 4 primes */
    /* The factors that complete the residues of a product of leaves of 8 odd 2^j coefficients: at
     * [primes - 3][odd / 2][j][prime], followed by the same factors times 1 / W[1]. */
    gfp_ntt48_root scale[2][3][GFP_IFMA_LENGTHS][GFP_NTT48_PRIMES][2];
} gfp_ifma_tables;

void gfp_ifma_constants(gfp_leaf_tables *tables, const gfp_field *field);
/* Fills plain roots, forward, then inverse; or (odd > 1) those of 2^(log2_roots + 1) nodes. */
void gfp_ifma_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots);

#endif
