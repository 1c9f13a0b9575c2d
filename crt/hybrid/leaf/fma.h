/* fma.h: shared by the sources of the leaf engine's AVX2 level: constants and steps. Primes,
 * residues and bounds: fft/words/ntt_fma.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_LEAF_FMA_H
#define GFP_CRT_HYBRID_LEAF_FMA_H

#include "field/base/context.h"
#include "crt/hybrid/leaf/engine.h"
#include "fft/words/ntt_fma.h"

/* log2 of the longest leaf times the outer size, which roots of order 2^GFP_FMA_LOG2_ORDER admit
 * for odd = 1. */
#define GFP_HYBRID_FMA_LOG2_LENGTH (GFP_FMA_LOG2_ORDER + 2)
/* The digits that are evaluated at once, but at least two columns; they fit the scratch area. */
#define GFP_HYBRID_FMA_DIGITS ((size_t)64)
/* The number of factors of 2 that a product's inverse transforms leave: log2(m) - 2 + log2(k). */
#define GFP_HYBRID_FMA_SCALES (GFP_FMA_LOG2_ORDER + 9)

/* A factor of 64-bit lanes modulo 2^64: the factor, and the factor with its halves exchanged. */
typedef struct gfp_fma_factor {
    uint64_t value;
    uint64_t swapped;
} gfp_fma_factor;

/* The constants that split a digit u = c_1 + q_1 c_2 + q_1 q_2 c_3 (+ q_1 q_2 q_3 c_4) into l + h r
 * + c r^2. */
typedef struct gfp_fma_radix {
    /* (q_1 ... q_i) / r = high + low: 53 bits each. */
    double weight_high[GFP_FMA_PRIMES];
    double weight_low[GFP_FMA_PRIMES];
    double inverse;       /* 1 / r */
    double r_high, r_low; /* r = r_high + r_low; for r >= 2^53 the latter has 11 bits */
    double coarse;        /* rounds to multiples of G, see fma_ranges.py */
    gfp_fma_factor word[GFP_FMA_PRIMES]; /* q_1 ... q_i mod 2^64 */
    gfp_fma_factor minus_r, minus_r2;
    uint64_t offset[GFP_FMA_PRIMES + 1]; /* by number of primes: cancels the error of rounding */
    uint64_t r, quarter, half_less_quarter;
} gfp_fma_radix;

/* The constants of one prime. */
typedef struct gfp_fma_prime {
    double q, inverse;
    /* Garner's multipliers: 1 / (q_(i+1) ... q_(j-1)) mod this q_j for digit c_i. */
    gfp_fma_root garner[GFP_FMA_PRIMES];
    /* 2^-e / odd / (q_1 ... q_(j-1)) for odd = 1, 3, 5. */
    gfp_fma_root scale[3][GFP_HYBRID_FMA_SCALES];
    gfp_fma_root fold[4];  /* 2^82, 2^50, 2^32, 2^110 + 2^60: see fma_matrix_avx2.c */
    gfp_fma_root third;    /* a root of unity of order 3 */
    gfp_fma_root fifth[4]; /* the constants of the DFT_5 */
} gfp_fma_prime;

typedef struct gfp_hybrid_fma {
    gfp_leaf_tables head;
    gfp_fma_radix radix;
    gfp_fma_prime prime[GFP_FMA_PRIMES];
} gfp_hybrid_fma;

/* fma_tables_avx2.c: the constants of a field, and tables of roots, one after the other: y,
 * forward, and 1 / y, backward; for odd = 3, 5 of the nodes' odd-th roots y: y, 1 / y, y^2, 1 / y^2
 * ... to the power odd - 1; then y z, y z^2 ..., z a root of unity of order odd. */
#define GFP_FMA_ODD_ROOTS(odd) (3 * (odd)-3)
void gfp_hybrid_fma_constants(gfp_leaf_tables *tables, const gfp_field *field);
void gfp_hybrid_fma_roots(uint64_t *roots, unsigned prime, unsigned odd, unsigned log2_roots);

/* The library has the functions of vectors for both widths. */
#ifdef GFP_WIDE
#define gfp_hybrid_fma_base gfp_hybrid_fma_base_8
#define gfp_hybrid_fma_multiply_short gfp_hybrid_fma_multiply_short_8
#define gfp_hybrid_fma_combine gfp_hybrid_fma_combine_8
#define gfp_hybrid_fma_recombine gfp_hybrid_fma_recombine_8
#define gfp_hybrid_fma_scratch gfp_hybrid_fma_scratch_8
#endif

static inline const gfp_hybrid_fma *gfp_hybrid_fma_of(const gfp_leaf_batch *l)
{
    return (const gfp_hybrid_fma *)(const void *)l->tables;
}

/* The levels of a leaf's transform between the halves of vectors, which gfp_hybrid_fma_base does:
 * its nodes are polynomials of four coefficients in vectors of any width. */
#define GFP_FMA_INNER (GFP_FMA_LANES / 8)

/* Leaves side by side: leaf i has node number[i] at its depth, and 2^levels nodes below it. */
typedef struct gfp_fma_nodes {
    const uint32_t *number;
    size_t count;
    unsigned levels;
} gfp_fma_nodes;

/* The context of one prime and one shape. */
typedef struct gfp_fma_context {
    gfp_fma_modulus modulus;
    const gfp_fma_prime *prime;
    const gfp_fma_root *odd_roots; /* the tables of third or fifth roots, `nodes` entries each */
    size_t nodes;
    gfp_fma_root scale;
    unsigned odd;
} gfp_fma_context;

/* fma_base_avx2.c: z := scaled x y, or with `add` z + scaled x y, for `count` leaves of 4 odd
 * 2^levels coefficients side by side, levels >= 1: transforms modulo the polynomials of the
 * 2^(levels - GFP_FMA_INNER) nodes below each leaf's node. x and y are at most 4.15; z is at most
 * 1.25 in, 0.8 out. z may be x or y. */
void gfp_hybrid_fma_base(const gfp_fma_context *context, double *z, const double *x,
                         const double *y, const gfp_fma_nodes *nodes, bool add);
/* A step of the engine's: with GFP_LEAF_FORWARD, the second factor is transformed, too. */
#define GFP_FMA_FORWARD_BOTH 8
/* a := scaled a b in one channel for leaves of 4 2^levels coefficients side by side, modulo the
 * polynomial of each leaf's node; odd = 1 and levels from 1 to GFP_HYBRID_FMA_SHORT. b = a squares;
 * otherwise b is a transform, or (both) becomes one. */
#define GFP_HYBRID_FMA_SHORT (3 + GFP_FMA_INNER)
void gfp_hybrid_fma_multiply_short(const gfp_fma_context *context, double *a, double *b,
                                   const gfp_fma_nodes *nodes, bool both);

/* fma_matrix_avx2.c: the engine's combine. a is at most 0.65, b at most 2.83; c is at most 0.8 in,
 * reduced out. */
void gfp_hybrid_fma_combine(const gfp_leaf_tables *tables, unsigned prime, uint64_t *c,
                            const gfp_panel *panel, bool first);

/* fma_recombine_avx2.c: the engine's recombine, in gfp_hybrid_fma_scratch words. */
void gfp_hybrid_fma_recombine(const gfp_leaf_batch *l, int64_t *digits, const uint64_t *channels,
                              const size_t columns[2], size_t terms);
size_t gfp_hybrid_fma_scratch(unsigned k, unsigned primes);

#endif
