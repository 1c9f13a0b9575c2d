/* rings.h: the ring of the 2010 paper's modular product, in addition to those of
 * gpu/cuda/word_arith.h; ring_ranges.py proves its ranges.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_GPU_RINGS_H
#define PAPERS_GPU_RINGS_H

#include "gpu/cuda/word_arith.h"

namespace
{

/* The double quotient: q < 2^30, m = q. */
struct quotient30 : ring31 {
    static constexpr int bits = 30;
    double inverse;

    explicit GFP_HD quotient30(const gfp_gpu_modulus &modulus)
        : ring31(modulus), inverse(modulus.inverse)
    {
    }
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &)
    {
        return (uint32_t)w;
    }
    static GFP_HD uint64_t decode(power w, const gfp_gpu_modulus &)
    {
        return w;
    }
    /* x w - t q for x < 2q: t is the quotient or one off, and the result is in (-q, 2q). */
    GFP_HD word mul(word x, power w) const
    {
        const uint32_t t = (uint32_t)((double)x * (double)w * inverse);
        const word y = x * w - t * q;
        const word z = least(y, y + q);
        return least(z, z - q);
    }
    GFP_HD word sub_mul(word x, word y, power w) const
    {
        return mul(x - y + q, w);
    }
};

} // namespace

#endif
