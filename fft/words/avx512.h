/* avx512.h: arithmetic modulo the eight primes of a block by IFMA, a lane for each prime; the
 * operations and their ranges are those of portable.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_AVX512_H
#define GFP_FFT_WORDS_AVX512_H

#include "field/kernels/vector_avx512.h"
#include "fft/words/block.h"

typedef __m512i words;

typedef struct words_moduli {
    words q, negative_inverse, one, square;
} words_moduli;

typedef int words_mode;

GFP_INLINE words_mode words_begin(void)
{
    return 0;
}

GFP_INLINE void words_end(words_mode mode)
{
    (void)mode;
}

GFP_INLINE words words_load(const uint64_t x[GFP_WORDS])
{
    return lanes_load(x);
}

GFP_INLINE void words_store(uint64_t z[GFP_WORDS], words x)
{
    lanes_store(z, x);
}

GFP_INLINE words_moduli words_moduli_of(const gfp_words *block)
{
    return (words_moduli){words_load(block->q), words_load(block->negative_inverse),
                          words_load(block->one), words_load(block->square)};
}

GFP_INLINE words words_zero(void)
{
    return lanes_zero();
}

GFP_INLINE words words_one(const words_moduli *m)
{
    return m->one;
}

/* Takes [0, 2 q) to [0, q): the difference wraps around where x < q. */
GFP_INLINE words words_once(words x, const words_moduli *m)
{
    return _mm512_min_epu64(x, lanes_sub(x, m->q));
}

/* Returns T / 2^52 mod q for T = low + 2^52 high, T < 3 q^2, low < 2^54. The low 52 bits of T + m q
 * are 0: they add to the rest the carry that rounding low up gives. */
GFP_INLINE words words_reduce(words low, words high, const words_moduli *m)
{
    const words f = _mm512_madd52lo_epu64(lanes_zero(), low, m->negative_inverse);
    const words carry =
        _mm512_srli_epi64(lanes_add(low, lanes_set(GFP_WORDS_RADIX_MASK)), GFP_WORDS_RADIX_BITS);
    return words_once(lanes_add(_mm512_madd52hi_epu64(high, f, m->q), carry), m);
}

GFP_INLINE words words_mul(words a, words b, const words_moduli *m)
{
    words low = lanes_zero(), high = lanes_zero();
    lanes_add_product(&low, &high, a, b);
    return words_reduce(low, high, m);
}

GFP_INLINE words words_dot2(words a, words b, words c, words d, const words_moduli *m)
{
    words low = lanes_zero(), high = lanes_zero();
    lanes_add_product(&low, &high, a, b);
    lanes_add_product(&low, &high, c, d);
    return words_reduce(low, high, m);
}

GFP_INLINE words words_dot3(const words x[3], const words y[3], const words_moduli *m)
{
    words low = lanes_zero(), high = lanes_zero();
    GFP_UNROLL
    for (unsigned i = 0; i < 3; i++) {
        lanes_add_product(&low, &high, x[i], y[i]);
    }
    return words_reduce(low, high, m);
}

GFP_INLINE words words_add(words a, words b, const words_moduli *m)
{
    return words_once(lanes_add(a, b), m);
}

GFP_INLINE words words_sub(words a, words b, const words_moduli *m)
{
    const words difference = lanes_sub(a, b);
    return _mm512_min_epu64(difference, lanes_add(difference, m->q));
}

GFP_INLINE words words_neg(words a, const words_moduli *m)
{
    return words_sub(words_zero(), a, m);
}

GFP_INLINE words words_enter(words x, const words_moduli *m)
{
    return words_mul(x, m->square, m);
}

GFP_INLINE words words_leave(words x, const words_moduli *m)
{
    return words_reduce(x, words_zero(), m);
}

GFP_INLINE words words_scale(words x, words y, const words_moduli *m)
{
    return words_mul(x, y, m);
}

GFP_INLINE unsigned words_zeros(words x)
{
    return _mm512_testn_epi64_mask(x, x);
}

GFP_INLINE words words_select(unsigned mask, words yes, words no)
{
    return lanes_select((lanes_mask)mask, yes, no);
}

#endif
