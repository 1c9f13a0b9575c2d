/* hybrid_fma.h: what the sources of the hybrid method's AVX2 engine share: its tables, which it
 * keeps with the field, and its three steps. Primes, residues and bounds: fft/ntt_fma.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HYBRID_FMA_H
#define GFP_HYBRID_FMA_H

#include <stdatomic.h>

#include "field_impl.h"
#include "hybrid.h"
#include "ntt_fma.h"

/* The longest leaf times the outer size: what roots of order 2^GFP_FMA_LOG2_ORDER admit for odd
 * = 1. */
#define GFP_HYBRID_FMA_LOG2_LENGTH (GFP_FMA_LOG2_ORDER + 2)
/* Every factor of 2 that a product's inverse transforms leave: log2(m) - 2 + log2(k). */
#define GFP_HYBRID_FMA_SCALES (GFP_FMA_LOG2_ORDER + 9)

/* Multiplication of 64-bit lanes by it, modulo 2^64: itself, and its halves exchanged. */
typedef struct gfp_fma_factor {
    uint64_t value;
    uint64_t swapped;
} gfp_fma_factor;

/* How a digit u = c_1 + q_1 c_2 + q_1 q_2 c_3 (+ q_1 q_2 q_3 c_4) becomes l + h r + c r^2. */
typedef struct gfp_fma_radix {
    /* (q_1 ... q_i) / r = high + low: 53 bits each. */
    double weight_high[GFP_FMA_PRIMES];
    double weight_low[GFP_FMA_PRIMES];
    double inverse;       /* 1 / r */
    double r_high, r_low; /* r = r_high + r_low, from 2^53 on the latter of 11 bits */
    double coarse;        /* rounds to multiples of G, see hybrid_fma_ranges.py */
    gfp_fma_factor word[GFP_FMA_PRIMES]; /* q_1 ... q_i mod 2^64 */
    gfp_fma_factor minus_r, minus_r2;
    uint64_t offset[GFP_FMA_PRIMES + 1]; /* for so many primes: cancels what rounding adds */
    uint64_t r, quarter, half_less_quarter;
} gfp_fma_radix;

/* What belongs to one prime. */
typedef struct gfp_fma_prime {
    double q, inverse;
    /* Garner's multipliers: 1 / (q_(i+1) ... q_(j-1)) mod this q_j for digit c_i. */
    gfp_fma_root garner[GFP_FMA_PRIMES];
    /* 2^-e / odd / (q_1 ... q_(j-1)) for odd = 1, 3, 5. */
    gfp_fma_root scale[3][GFP_HYBRID_FMA_SCALES];
    /* Roots of unity z of order 3 and 5: zeta[o][i] = z^i; and the constants of the DFT_5. */
    gfp_fma_root zeta[3][5];
    gfp_fma_root fifth[4];
    /* Roots of the tree, as many as 2^log2 entries forward, then so many backward, by log2; the
     * same of their third and fifth roots. They are published once they are complete. */
    _Atomic(gfp_fma_root *) roots[3][GFP_FMA_LOG2_ORDER];
} gfp_fma_prime;

typedef struct gfp_hybrid_fma {
    gfp_attachment head;
    gfp_fma_radix radix;
    gfp_fma_prime prime[GFP_FMA_PRIMES];
    uint16_t reversed[2 * GFP_MAX_K]; /* log2(2 k) bits */
    unsigned bits;                    /* log2(2 k) */
} gfp_hybrid_fma;

/* The tables of the field, complete for the shape; MEMORY. */
gfp_status gfp_hybrid_fma_prepare(const gfp_hybrid_shape *shape);

/* The same, made before. */
static inline const gfp_hybrid_fma *gfp_hybrid_fma_get(const gfp_field *field)
{
    return (const gfp_hybrid_fma *)(const void *)gfp_field_attached(field, GFP_ATTACHMENT_HYBRID);
}

/* Levels of the transform in x: m = 4 odd 2^levels. */
unsigned gfp_hybrid_fma_levels(const gfp_hybrid_shape *shape);
/* log2 of the table of roots that the shape needs. */
unsigned gfp_hybrid_fma_log2_roots(const gfp_hybrid_shape *shape);

/* Everything modulo one prime for one shape. */
typedef struct gfp_fma_context {
    gfp_fma_modulus modulus;
    const gfp_fma_prime *prime;
    const gfp_fma_root *odd_forward; /* third or fifth roots of the nodes' g */
    const gfp_fma_root *odd_backward;
    const gfp_fma_root *scale;
    unsigned odd;
} gfp_fma_context;

/* Step 1: channels[c stride + v] := the vector v of leaf digits, evaluated at the root c. */
void gfp_hybrid_fma_evaluate(const gfp_fma_modulus *modulus, unsigned log2_k, const int64_t *digits,
                             size_t vectors, double *channels, size_t stride, double *buffer);

/* Step 2: a := scaled a b in one channel, odd 2^levels vectors, modulo the polynomial of the node.
 * b is overwritten; b = a squares. */
void gfp_hybrid_fma_multiply(const gfp_fma_context *context, double *a, double *b, unsigned levels,
                             size_t node);
/* The same for count leaves of 2^levels vectors side by side, each with its node; odd = 1 and
 * levels from 1 to GFP_HYBRID_FMA_SHORT. */
#define GFP_HYBRID_FMA_SHORT 3
void gfp_hybrid_fma_multiply_short(const gfp_fma_context *context, double *a, double *b,
                                   unsigned levels, const uint32_t *nodes, size_t count);
/* The base: count nodes, below levels of the tree from node node. */
void gfp_hybrid_fma_base(const gfp_fma_context *context, double *a, const double *b, size_t count,
                         size_t node);

/* Step 3: digits := what the channels of all primes are the evaluations of, balanced; the channels
 * of prime i start at vector i k stride. scratch: gfp_hybrid_fma_scratch(k) vectors. */
void gfp_hybrid_fma_recombine(const gfp_hybrid_fma *tables, const gfp_fma_modulus *moduli,
                              unsigned primes, unsigned log2_k, const double *channels,
                              size_t stride, size_t vectors, int64_t *digits, double *scratch);

size_t gfp_hybrid_fma_scratch(unsigned k);

#endif
