/* native_ifma.h: sums of products of residues on eight lanes by IFMA, for the files of the AVX-512
 * level. Bounds: native_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_NATIVE_IFMA_H
#define GFP_CRT_SMALL_NATIVE_IFMA_H

#include "crt/small/native.h"
#include "fft/words/ntt_ifma.h"

/* Returns low + 2^52 high modulo q in [3 q, 6.1 q): low < 2^61, high < 2^57 plus the carry of low.
 * 2^48 is delta modulo q. */
GFP_INLINE __m512i gfp_native_fold(__m512i low, __m512i high, const gfp_native_prime *prime)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&prime->prime);
    const __m512i mask = lanes_set(GFP_NATIVE_PIECE_MASK);
    high = _mm512_add_epi64(high, _mm512_srli_epi64(low, GFP_NATIVE_PIECE_BITS));
    high = _mm512_madd52lo_epu64(_mm512_and_si512(high, mod.low48),
                                 _mm512_srli_epi64(high, GFP_NATIVE_BITS), mod.delta);
    low = gfp_ifma_reduce(_mm512_and_si512(low, mask), &mod);
    low = _mm512_add_epi64(low, lanes_set(3 * mod.word));
    return _mm512_and_si512(gfp_ifma_mul_from(low, high, lanes_set(prime->fold.w),
                                              lanes_set(prime->fold.companion), &mod),
                            mask);
}

#endif
