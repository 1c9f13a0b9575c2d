/* evaluate_avx512.c: the evaluation of digit vectors in T and its inverse, for every k.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/avx512.h"

#include "fft/words/ntt_ifma.h"

#include <stdbool.h>

/* From this number of vectors of digits on, 128 KiB, a product fills the second-level cache, and 16
 * or more channels are more streams than the hardware foresees. */
#define FAR_VECTORS 2048
/* The vectors of digits, and of each channel, by which such products prefetch. */
#define DIGITS_AHEAD 128
#define COLUMNS_AHEAD 2
/* The prefetch distance on the way back, on which the primes take turns, a few columns each. */
#define BACK_AHEAD 4

/* Past the end of an array the instruction does nothing. */
GFP_INLINE void evaluate_avx512_prefetch(const __m512i *p)
{
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Returns a digit modulo q in [7.8 q, 9.2 q): d = high 2^48 + low with -2^15 <= high < 2^15, and
 * the low 52 bits of high give high delta modulo 2^52. */
GFP_INLINE __m512i read_digit(__m512i digit, const gfp_ifma_modulus *mod)
{
    __m512i low = _mm512_and_si512(digit, mod->low48);
    low = _mm512_add_epi64(low, lanes_set(8 * mod->word));
    return _mm512_madd52lo_epu64(low, _mm512_srai_epi64(digit, 48), mod->delta);
}

/* Does the last inverse level of n elements at node 1, times the scale. */
GFP_INLINE void scaled_top_level(__m512i *x, unsigned n, const gfp_ntt48_root *scale,
                                 const gfp_ifma_modulus *mod)
{
    const unsigned h = n / 2;
    GFP_UNROLL
    for (unsigned i = 0; i < h; i++) {
        __m512i difference = gfp_ifma_difference(x[i], x[h + i], gfp_ifma_inverse_bias(h, i), mod);
        x[i] = gfp_ifma_mul(_mm512_add_epi64(x[i], x[h + i]), scale[0], mod);
        x[h + i] = gfp_ifma_mul(difference, scale[1], mod);
    }
}

#define DIGITS 2
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 4
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 8
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 16
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 32
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 64
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 128
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS
#define DIGITS 256
#include "crt/hybrid/leaf/evaluate_avx512.inc"
#undef DIGITS

const gfp_ifma_leaf_kernels gfp_ifma_leaf_table[8] = {
    {evaluate_2, interpolate_2},     {evaluate_4, interpolate_4},     {evaluate_8, interpolate_8},
    {evaluate_16, interpolate_16},   {evaluate_32, interpolate_32},   {evaluate_64, interpolate_64},
    {evaluate_128, interpolate_128}, {evaluate_256, interpolate_256},
};
