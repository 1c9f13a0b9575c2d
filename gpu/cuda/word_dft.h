/* word_dft.h: transforms of up to 32 points over a word-size prime, held in registers: templates
 * over the rings of word_arith.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_WORD_DFT_H
#define GFP_GPU_CUDA_WORD_DFT_H

#include "gpu/cuda/word_arith.h"

namespace
{

static GFP_HD unsigned bit_reverse(unsigned x, unsigned bits)
{
#ifdef __CUDA_ARCH__
    return bits == 0 ? 0 : __brev(x) >> (32 - bits);
#else
    unsigned y = 0;
    for (unsigned i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
#endif
}

/* bit_reverse at compile time. */
static GFP_HD constexpr int reversed(int x, int bits)
{
    int y = 0;
    for (int i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
}

/* In a ring whose sums grow (ring50): the slots to reduce before each level of a DFT of 2^b points,
 * forward and backward; bit s stands for slot s. word_ranges.py reads these masks, and proves that
 * all integers stay below 2^53 and all quotients below 2^51. */
static GFP_HD constexpr unsigned forward_reduced(int b, int level)
{
    return b == 2 && level == 1   ? 0x7
           : b == 3 && level == 2 ? 0x57
           : b == 4 && level == 2 ? 0x111f
           : b == 4 && level == 3 ? 0x720
                                  : 0;
}

static GFP_HD constexpr unsigned backward_reduced(int b, int level)
{
    return b == 2 && level == 0   ? 0x1
           : b == 3 && level == 0 ? 0x1f
           : b == 4 && level == 1 ? 0x1f1f
                                  : 0;
}

/* The compiler unrolls the levels, so that the place of every word is known at compile time. w[i] =
 * w_(2^B)^i, i < 2^(B-1). */
template <int B, int LEVEL = 0> struct dft {
    static constexpr int H = 1 << (B - 1 - LEVEL);

    /* Reduces the slots of a mask. */
    template <unsigned MASK, class ring>
    static GFP_HD void settle(const ring &r, typename ring::word *x)
    {
        if constexpr (ring::grows && MASK != 0) {
            GFP_UNROLLED
            for (int s = 0; s < (1 << B); s++) {
                if (MASK >> s & 1) {
                    x[s] = r.reduce(x[s]);
                }
            }
        }
    }

    /* Natural order to bit-reversed order. Words in and out are inner words, or within the bounds
     * of word_ranges.py. */
    template <class ring>
    static GFP_HD void forward(const ring &r, typename ring::word *x, const typename ring::power *w)
    {
        settle<forward_reduced(B, LEVEL)>(r, x);
        GFP_UNROLLED
        for (int j = 0; j < (1 << (B - 1)); j++) {
            const int i = j % H;
            const int at = j / H * 2 * H + i;
            const typename ring::word a = x[at];
            const typename ring::word b = x[at + H];
            x[at] = r.add(a, b);
            x[at + H] = i == 0 ? r.sub(a, b) : r.sub_mul(a, b, w[i << LEVEL]);
        }
        if constexpr (LEVEL + 1 < B) {
            dft<B, LEVEL + 1>::forward(r, x, w);
        }
    }

    /* Bit-reversed order to natural order: 2^B times the inverse of forward; w holds the inverse
     * powers. */
    template <class ring>
    static GFP_HD void backward(const ring &r, typename ring::word *x,
                                const typename ring::power *w)
    {
        if constexpr (LEVEL + 1 < B) {
            dft<B, LEVEL + 1>::backward(r, x, w);
        }
        settle<backward_reduced(B, LEVEL)>(r, x);
        GFP_UNROLLED
        for (int j = 0; j < (1 << (B - 1)); j++) {
            const int i = j % H;
            const int at = j / H * 2 * H + i;
            const typename ring::word a = x[at];
            const typename ring::word b = i == 0 ? x[at + H] : r.mul(x[at + H], w[i << LEVEL]);
            x[at] = r.add(a, b);
            x[at + H] = r.sub(a, b);
        }
    }
};

} // namespace

#endif
