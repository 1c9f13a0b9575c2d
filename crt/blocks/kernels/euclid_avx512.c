/* euclid_avx512.c: images by IFMA. A coefficient of a remainder is a sum of three products with
 * factors that are the same for all coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx512.h"

#include <string.h>

#include "crt/blocks/kernels/euclid_levels.h"

/* subtract_once takes integers for doubles: numbers below 2^52 are denormal and must not count as
 * 0, as a process may have it. */
typedef unsigned kernel_mode;

GFP_INLINE kernel_mode kernel_begin(void)
{
    const unsigned mode = _mm_getcsr();
    if ((mode & _MM_DENORMALS_ZERO_MASK) != 0) {
        _mm_setcsr(mode & ~(unsigned)_MM_DENORMALS_ZERO_MASK);
    }
    return mode;
}

GFP_INLINE void kernel_end(kernel_mode mode)
{
    if ((mode & _MM_DENORMALS_ZERO_MASK) != 0) {
        _mm_setcsr(mode);
    }
}

/* A product in a chain of products, factors and product in [0, 2 q): T < 4 q^2, and (T + f q) /
 * 2^52 is below (4 q / 2^52 + 1) q < 2 q. tighten makes its form. */
GFP_INLINE words loose_mul(words a, words b, const words_moduli *m)
{
    const words low = _mm512_madd52lo_epu64(lanes_zero(), a, b);
    const words f = _mm512_madd52lo_epu64(lanes_zero(), low, m->negative_inverse);
    const words carry =
        _mm512_srli_epi64(lanes_add(low, lanes_set(GFP_WORDS_RADIX_MASK)), GFP_WORDS_RADIX_BITS);
    const words high = _mm512_madd52hi_epu64(lanes_zero(), a, b);
    return _mm512_madd52hi_epu64(lanes_add(high, carry), f, m->q);
}

GFP_INLINE words loose_tighten(words x, const words_moduli *m)
{
    return words_once(x, m);
}

/* c in [0, q), and floor(2^52 c / q). */
typedef struct factor {
    words c, quotient;
} factor;

/* The factor of a form C = 2^52 c mod q: 2^52 c = quotient q + C, so quotient = -C / q mod 2^52,
 * and c = (C + quotient q) / 2^52; the low 52 bits of C and of quotient q add up to 2^52 if C is
 * not 0. */
GFP_INLINE factor factor_of(words form, const words_moduli *m)
{
    const words quotient = _mm512_madd52lo_epu64(lanes_zero(), form, m->negative_inverse);
    const words carry =
        _mm512_srli_epi64(lanes_add(form, lanes_set(GFP_WORDS_RADIX_MASK)), GFP_WORDS_RADIX_BITS);
    return (factor){_mm512_madd52hi_epu64(carry, quotient, m->q), quotient};
}

/* x - y, or x if the difference is negative; x, y < 2^52. Doubles with the bits of integers from 0
 * to 2^52 - 1 are in the same order; a negative difference is not a number, and then the minimum is
 * the second operand. (The minimum of integers keeps busy the unit that multiplies.) */
GFP_INLINE words subtract_once(words x, words y)
{
    const __m512d difference = _mm512_castsi512_pd(lanes_sub(x, y));
    return _mm512_castpd_si512(
        _mm512_min_round_pd(difference, _mm512_castsi512_pd(x), _MM_FROUND_NO_EXC));
}

/* c[0] x + c[1] y + c[2] z for any forms x, y, z in [0, q). For one product, h = floor(quotient x /
 * 2^52) is in (c x / q - 1 - x / 2^52, c x / q], as quotient > 2^52 c / q - 1: c x - h q is in [0,
 * (1 + x / 2^52) q), and x < 2^50. The sum is in [0, 3.75 q), and so below 2^52: its low 52 bits
 * are enough. */
GFP_INLINE words factors_dot(const factor c[3], words x, words y, words z, const words_moduli *m)
{
    const words minus_q = lanes_sub(lanes_zero(), m->q); /* IFMA takes this modulo 2^52 */
    words h = _mm512_madd52hi_epu64(lanes_zero(), c[0].quotient, x);
    words low = _mm512_madd52lo_epu64(lanes_zero(), c[0].c, x);
    h = _mm512_madd52hi_epu64(h, c[1].quotient, y);
    low = _mm512_madd52lo_epu64(low, c[1].c, y);
    h = _mm512_madd52hi_epu64(h, c[2].quotient, z);
    low = _mm512_madd52lo_epu64(low, c[2].c, z);
    low = _mm512_madd52lo_epu64(low, h, minus_q);
    low = lanes_and(low, lanes_set(GFP_WORDS_RADIX_MASK));
    return subtract_once(subtract_once(low, lanes_add(m->q, m->q)), m->q);
}

#define NTT gfp_words_ntt_avx512
#define KERNELS gfp_words_image_avx512
#include "crt/blocks/kernels/euclid.inc"
