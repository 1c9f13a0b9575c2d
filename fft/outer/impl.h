/* impl.h: shared by the engines of the outer DFT: the exponents of the tree's nodes, and the
 * nodes that the first leaves of a tree form.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_OUTER_IMPL_H
#define GFP_FFT_OUTER_IMPL_H

#include "fft/impl.h"
#include "fft/outer/dft.h"

extern const gfp_outer_engine gfp_outer_generic;
/* The engines in lanes, by k; those with 16 serve all k >= 16. */
extern const gfp_outer_engine gfp_outer_portable_2, gfp_outer_portable_4, gfp_outer_portable_8,
    gfp_outer_portable_16;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_outer_engine gfp_outer_avx2_2, gfp_outer_avx2_4, gfp_outer_avx2_8,
    gfp_outer_avx2_16;
extern const gfp_outer_engine gfp_outer_avx512_2, gfp_outer_avx512_4, gfp_outer_avx512_8,
    gfp_outer_avx512_16;
extern const gfp_base_engine gfp_base_avx2_2, gfp_base_avx2_4, gfp_base_avx2_8;
extern const gfp_base_engine gfp_base_avx512_2, gfp_base_avx512_4, gfp_base_avx512_8;
#endif

/* A node of the tree with leaves offset .. offset + size - 1: with y = x^m it is y^size - T^e. */
typedef struct gfp_outer_node {
    unsigned offset, size, e;
} gfp_outer_node;

/* log2 of the largest tree, 2 GFP_MAX_K leaves, plus 1. */
#define GFP_OUTER_MAX_NODES 10

/* Returns the exponent e (of T^e) of node number g of 2^log2_nodes nodes of a level, in units of
 * the angle of the whole tree, which is 2k. */
static inline unsigned gfp_outer_exponent(unsigned log2_nodes, unsigned g, unsigned angle)
{
    return (unsigned)gfp_bit_reverse(g, log2_nodes) * (angle >> log2_nodes);
}

/* Writes the first leaves of a tree as full nodes, the largest first: the binary digits of leaves.
 * A node of size s has the exponent s e(its first leaf), modulo the angle. Returns the number of
 * nodes. */
static inline unsigned gfp_outer_nodes(gfp_outer_node nodes[GFP_OUTER_MAX_NODES],
                                       unsigned log2_size, unsigned leaves, unsigned angle)
{
    unsigned count = 0, offset = 0;
    for (unsigned log2_s = log2_size + 1; log2_s-- > 0;) {
        unsigned s = 1U << log2_s;
        if ((leaves & s) != 0) {
            unsigned e = s * gfp_outer_exponent(log2_size, offset, angle);
            nodes[count++] = (gfp_outer_node){offset, s, e % angle};
            offset += s;
        }
    }
    return count;
}

/* Returns the number of blocks of m coefficients that reach column v of a polynomial of len
 * coefficients: block i does if i m + v lane_count < len. */
static inline unsigned gfp_outer_blocks(const gfp_outer *outer, size_t len, size_t v,
                                        unsigned lane_count)
{
    size_t first = v * lane_count;
    if (len <= first) {
        return 0;
    }
    if (outer->leaves * outer->m - outer->m + first < len) {
        return outer->leaves;
    }
    return (unsigned)((len - first + outer->m - 1) / outer->m);
}

#endif
