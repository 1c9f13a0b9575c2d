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
#define PASS(name, bits, ...)                                                                      \
    static void name(const gfp_fma_modulus *modulus, double *x, size_t step, size_t blocks,        \
                     size_t node)                                                                  \
    {                                                                                              \
        const gfp_fma_modulus m = *modulus; /* a copy: stores do not change it */                  \
        for (size_t b = 0; b < blocks; b++) {                                                      \
            double *v = x + GFP_FMA_LANES * (b * step << (bits));                                  \
            for (size_t i = 0; i < step; i++, v += GFP_FMA_LANES) {                                \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        }                                                                                          \
    }
#define FORWARD(name, bits, reduce)                                                                \
    PASS(name, bits, gfp_fma_forward_pass(&m, v, step, v, step, node + b, bits, reduce))
#define BACKWARD(name, bits)                                                                       \
    PASS(name, bits, gfp_fma_backward_pass(&m, v, step, v, step, node + b, bits))

FORWARD(ntt_fma_avx2_forward2, 1, false)
FORWARD(ntt_fma_avx2_forward4, 2, false)
FORWARD(ntt_fma_avx2_reduced4, 2, true)
FORWARD(ntt_fma_avx2_reduced8, 3, true)
BACKWARD(ntt_fma_avx2_backward2, 1)
BACKWARD(ntt_fma_avx2_backward4, 2)
BACKWARD(ntt_fma_avx2_backward8, 3)

typedef void (*pass)(const gfp_fma_modulus *m, double *x, size_t step, size_t blocks, size_t node);
/* By reduce and bits. A pass of one level is the only one; one of three is the first one. */
static const pass forward_pass[2][4] = {
    {NULL, ntt_fma_avx2_forward2, ntt_fma_avx2_forward4, NULL},
    {NULL, NULL, ntt_fma_avx2_reduced4, ntt_fma_avx2_reduced8},
};
static const pass backward_pass[4] = {NULL, ntt_fma_avx2_backward2, ntt_fma_avx2_backward4,
                                      ntt_fma_avx2_backward8};

/* Levels since a reduction, before the transform and at most, counted so that |x| is at most 0.55,
 * 1.08, 1.64, 2.22, 2.83, 3.47, 4.15 after 0 to 6. */
#define FIRST_DEPTH 4
#define MOST_DEPTH 6

void gfp_fma_forward(const gfp_fma_modulus *modulus, double *x, size_t width, unsigned levels,
                     size_t node)
{
    const size_t vectors = width << levels;
    size_t blocks = 1;
    unsigned depth = FIRST_DEPTH;
    ntt_fma_avx2_check(modulus, x, vectors, 2.83);
    while (levels != 0) {
        unsigned bits = gfp_fma_top_bits(levels);
        levels -= bits;
        const bool reduce = depth + bits > MOST_DEPTH;
        depth = reduce ? bits + 1 : depth + bits;
        forward_pass[reduce][bits](modulus, x, width << levels, blocks, node);
        blocks <<= bits;
        node <<= bits;
    }
    ntt_fma_avx2_check(modulus, x, vectors, 4.15);
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
