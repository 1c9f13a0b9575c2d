/* ntt_fma_avx2.c: the transforms of ntt_fma.h: passes of three levels, each over blocks of nodes.
 * Recursion for transforms beyond the cache is the caller's: its products need it depth first.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ntt_fma_vec.h"

/* One pass: blocks nodes of 2^bits step vectors each. */
static void forward_pass(const gfp_fma_modulus *m, double *x, size_t step, size_t blocks,
                         unsigned bits, size_t node)
{
    for (size_t b = 0; b < blocks; b++) {
        for (size_t i = 0; i < step; i++) {
            double *v = x + GFP_FMA_LANES * ((b * step << bits) + i);
            gfp_fma_forward_pass(m, v, step, v, step, node + b, bits);
        }
    }
}

static void backward_pass(const gfp_fma_modulus *m, double *x, size_t step, size_t blocks,
                          unsigned bits, size_t node)
{
    for (size_t b = 0; b < blocks; b++) {
        for (size_t i = 0; i < step; i++) {
            double *v = x + GFP_FMA_LANES * ((b * step << bits) + i);
            gfp_fma_backward_pass(m, v, step, v, step, node + b, bits);
        }
    }
}

void gfp_fma_forward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                     size_t node)
{
    size_t blocks = 1;
    while (levels != 0) {
        unsigned bits = gfp_fma_top_bits(levels);
        levels -= bits;
        forward_pass(modulus, x, width << levels, blocks, bits, node);
        blocks <<= bits;
        node <<= bits;
    }
}

void gfp_fma_backward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                      size_t node)
{
    size_t step = width;
    while (levels != 0) {
        unsigned bits = gfp_fma_bottom_bits(levels);
        levels -= bits;
        backward_pass(modulus, x, step, (size_t)1 << levels, bits, node << levels);
        step <<= bits;
    }
}
