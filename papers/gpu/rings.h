/* rings.h: rings of the modular products that only the papers' forms use, in addition to those
 * of gpu/cuda/word_arith.h; ring_ranges.py proves their ranges.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_GPU_RINGS_H
#define PAPERS_GPU_RINGS_H

#include "gpu/cuda/word_arith.h"

namespace
{

/* floor(w 2^bits / q) for w < q, bits = 32 or 64. With the remainder s = w 2^bits mod q, w 2^bits =
 * c q + s, so that c = -s / q modulo 2^bits. */
static GFP_HD uint64_t companion(uint64_t w, unsigned bits, const gfp_gpu_modulus &modulus)
{
    /* 2^bits mod q; square32 is 2^64 mod q. */
    const uint64_t shift = bits == 32 ? ((uint64_t)1 << 32) % modulus.q : modulus.square32;
    const uint64_t s = mod_mul(w, shift, modulus);
    const uint64_t c = s * modulus.negative_inverse;
    return bits == 32 ? (uint32_t)c : c;
}

/* ---- Shoup's product: a constant comes with its companion floor(w 2^32 / q) ---- */

struct shoup31 : ring31 {
    struct power {
        uint32_t w, companion;
    };
    explicit GFP_HD shoup31(const gfp_gpu_modulus &modulus) : ring31(modulus)
    {
    }
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &modulus)
    {
        return {(uint32_t)w, (uint32_t)::companion(w, 32, modulus)};
    }
    static GFP_HD uint64_t decode(power p, const gfp_gpu_modulus &)
    {
        return p.w;
    }
    GFP_HD word mul(word x, power p) const
    {
        const word t = x * p.w - high32(x, p.companion) * q;
        return least(t, t - q);
    }
    GFP_HD word sub_mul(word x, word y, power p) const
    {
        return mul(x - y + q, p);
    }
};

struct shoup62 : ring62 {
    struct power {
        uint64_t w, companion;
    };
    explicit GFP_HD shoup62(const gfp_gpu_modulus &modulus) : ring62(modulus)
    {
    }
    static GFP_HD power encode(uint64_t w, const gfp_gpu_modulus &modulus)
    {
        return {w, ::companion(w, 64, modulus)};
    }
    static GFP_HD uint64_t decode(power p, const gfp_gpu_modulus &)
    {
        return p.w;
    }
    GFP_HD word mul(word x, power p) const
    {
        return x * p.w - high64(x, p.companion) * q;
    }
    GFP_HD word sub_mul(word x, word y, power p) const
    {
        return mul(x - y + 2 * q, p);
    }
};

/* ---- the double quotient of the papers: q < 2^30, m = q ---- */

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
