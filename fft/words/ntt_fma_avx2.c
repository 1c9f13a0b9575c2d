/* ntt_fma_avx2.c: the transforms of ntt_fma.h: passes of a few levels, each over blocks of nodes.
 * Transforms beyond the cache recurse in the caller, whose products go depth first.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/contract.h"
#include "fft/words/ntt_fma_vec.h"

/* Checks the contract of ntt_fma.h: whole numbers, at most bound q. */
static void ntt_fma_avx2_check(const gfp_fma_modulus *modulus, const double *x, size_t vectors,
                               double bound)
{
#if GFP_VERIFY
    for (size_t i = 0; i < GFP_FMA_LANES * vectors; i++) {
        GFP_CONTRACT(x[i] >= -bound * modulus->q && x[i] <= bound * modulus->q);
        GFP_CONTRACT(x[i] == (double)(int64_t)x[i]);
    }
#else
    (void)modulus, (void)x, (void)vectors, (void)bound;
#endif
}

/* One pass over `blocks` nodes of 2^bits step vectors each. */
#define PASS(name, body, bits)                                                                     \
    static void name(const gfp_fma_modulus *modulus, double *x, size_t step, size_t blocks,        \
                     size_t node)                                                                  \
    {                                                                                              \
        const gfp_fma_modulus m = *modulus; /* a copy: stores do not change it */                  \
        for (size_t b = 0; b < blocks; b++) {                                                      \
            double *v = x + GFP_FMA_LANES * (b * step << (bits));                                  \
            for (size_t i = 0; i < step; i++, v += GFP_FMA_LANES) {                                \
                body(&m, v, step, v, step, node + b);                                              \
            }                                                                                      \
        }                                                                                          \
    }

PASS(ntt_fma_avx2_forward2, gfp_fma_forward2, 1)
PASS(ntt_fma_avx2_forward4, gfp_fma_forward4, 2)
PASS(ntt_fma_avx2_forward8, gfp_fma_forward8, 3)
PASS(ntt_fma_avx2_backward2, gfp_fma_backward2, 1)
PASS(ntt_fma_avx2_backward4, gfp_fma_backward4, 2)
PASS(ntt_fma_avx2_backward8, gfp_fma_backward8, 3)

typedef void (*pass)(const gfp_fma_modulus *m, double *x, size_t step, size_t blocks, size_t node);
static const pass forward_pass[4] = {NULL, ntt_fma_avx2_forward2, ntt_fma_avx2_forward4,
                                     ntt_fma_avx2_forward8};
static const pass backward_pass[4] = {NULL, ntt_fma_avx2_backward2, ntt_fma_avx2_backward4,
                                      ntt_fma_avx2_backward8};

void gfp_fma_forward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                     size_t node)
{
    const size_t vectors = width << levels;
    size_t blocks = 1;
    ntt_fma_avx2_check(modulus, x, vectors, 2.5);
    while (levels != 0) {
        unsigned bits = gfp_fma_top_bits(levels);
        levels -= bits;
        forward_pass[bits](modulus, x, width << levels, blocks, node);
        blocks <<= bits;
        node <<= bits;
    }
    ntt_fma_avx2_check(modulus, x, vectors, 2.5);
}

void gfp_fma_backward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                      size_t node)
{
    const size_t vectors = width << levels;
    size_t step = width;
    ntt_fma_avx2_check(modulus, x, vectors, 1.25);
    while (levels != 0) {
        unsigned bits = gfp_fma_bottom_bits(levels);
        levels -= bits;
        backward_pass[bits](modulus, x, step, (size_t)1 << levels, node << levels);
        step <<= bits;
    }
    ntt_fma_avx2_check(modulus, x, vectors, 1.25);
}
