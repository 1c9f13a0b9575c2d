/* convert_avx512.c: radix conversion in eight lanes of AVX-512, by IFMA or in double precision:
 * the build compiles this file for both levels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/convert.h"
#include "field/kernels/vector_avx512.h"

#define FEWEST 1

#ifdef __AVX512IFMA__
typedef __m512i lanes_factor;
typedef uint64_t factor_word;
#define POWER_OF(level) ((level)->power)
#define INVERSE_OF(level) ((level)->inverse)
#define CONVERT gfp_convert_avx512
#else
typedef double factor_word;
#define POWER_OF(level) ((level)->power_double)
#define INVERSE_OF(level) ((level)->inverse_double)
#define CONVERT gfp_convert_avx512dq
#endif

/* Hides from the compiler how x was computed: gcc would add a carry, which comes last, first. */
GFP_INLINE lanes lanes_keep(lanes x)
{
    __asm__("" : "+v"(x));
    return x;
}

GFP_INLINE lanes lanes_right_52(lanes x)
{
    return _mm512_srli_epi64(x, 52);
}

GFP_INLINE lanes lanes_right_52_signed(lanes x)
{
    return _mm512_srai_epi64(x, 52);
}

#ifdef __AVX512IFMA__

GFP_INLINE lanes_factor lanes_factor_of(lanes x)
{
    return x;
}

GFP_INLINE lanes_factor lanes_factor_set(uint64_t x)
{
    return lanes_set(x);
}

GFP_INLINE void lanes_product_low(lanes *low, lanes_factor x, lanes_factor y)
{
    *low = _mm512_madd52lo_epu64(*low, x, y);
}

GFP_INLINE void lanes_product_high(lanes *high, lanes_factor x, lanes_factor y)
{
    *high = _mm512_madd52hi_epu64(*high, x, y);
}

#endif

GFP_INLINE lanes_mask lanes_natural(lanes x)
{
    return (lanes_mask)~_mm512_movepi64_mask(x);
}

GFP_INLINE void lanes_prefetch(const void *x)
{
    _mm_prefetch(x, _MM_HINT_T0);
}

GFP_INLINE __mmask8 first_words(size_t n)
{
    const unsigned mask = n >= 8 ? 0xff : (1U << n) - 1;
    return (__mmask8)mask;
}

/* w[j] := word from + j of each number, 0 beyond its end, j < 8. */
GFP_INLINE void load_some_words(lanes w[8], const gfp_limbs_view *x, size_t from)
{
    static const uint64_t zero = 0;
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        const size_t left = x[e].size > from ? x[e].size - from : 0;
        const uint64_t *at = left == 0 ? &zero : x[e].limbs + from;
        w[e] = _mm512_maskz_loadu_epi64(first_words(left), at);
    }
    lanes_transpose(w);
}

/* w[j] := word from + j of each number, j < n; n = 2, 4 or 8. */
GFP_INLINE void load_all_words(lanes w[8], const gfp_limbs_view *x, size_t from, unsigned n)
{
    if (n == 2) {
        lanes v[2];
        GFP_UNROLL
        for (unsigned i = 0; i < 2; i++) {
            v[i] = _mm512_castsi128_si512(lanes_load_two(x[i].limbs));
            v[i] = _mm512_inserti64x2(v[i], lanes_load_two(x[i + 2].limbs), 1);
            v[i] = _mm512_inserti64x2(v[i], lanes_load_two(x[i + 4].limbs), 2);
            v[i] = _mm512_inserti64x2(v[i], lanes_load_two(x[i + 6].limbs), 3);
        }
        w[0] = _mm512_unpacklo_epi64(v[0], v[1]);
        w[1] = _mm512_unpackhi_epi64(v[0], v[1]);
    } else if (n == 4) {
        lanes v[4], u[4];
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(lanes_load_four(x[i].limbs)),
                                      lanes_load_four(x[i + 4].limbs), 1);
        }
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i += 2) {
            u[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
            u[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
        }
        /* u[i + j]: words j and j + 2 of numbers i, i + 1 in the low half, of i + 4, i + 5 in the
         * high. */
        const lanes low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        const lanes high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        GFP_UNROLL
        for (unsigned j = 0; j < 2; j++) {
            w[j] = _mm512_permutex2var_epi64(u[j], low, u[j + 2]);
            w[j + 2] = _mm512_permutex2var_epi64(u[j], high, u[j + 2]);
        }
    } else {
        GFP_UNROLL
        for (unsigned e = 0; e < 8; e++) {
            w[e] = lanes_load(x[e].limbs + from);
        }
        lanes_transpose(w);
    }
}

/* Writes the first n <= 8 words of each number to z[e] + from. n may be 2 or 4 if the constant tile
 * is; w has zeros in the other words. */
GFP_INLINE void store_words(uint64_t *const *z, size_t from, lanes w[8], size_t n, unsigned tile)
{
    if (tile == 2 && n == 2) {
        const lanes v[2] = {_mm512_unpacklo_epi64(w[0], w[1]), _mm512_unpackhi_epi64(w[0], w[1])};
        GFP_UNROLL
        for (unsigned i = 0; i < 2; i++) {
            _mm_storeu_si128((__m128i *)(void *)z[i], _mm512_castsi512_si128(v[i]));
            _mm_storeu_si128((__m128i *)(void *)z[i + 2], _mm512_extracti64x2_epi64(v[i], 1));
            _mm_storeu_si128((__m128i *)(void *)z[i + 4], _mm512_extracti64x2_epi64(v[i], 2));
            _mm_storeu_si128((__m128i *)(void *)z[i + 6], _mm512_extracti64x2_epi64(v[i], 3));
        }
        return;
    }
    lanes_transpose(w);
    if (n >= 8) {
        GFP_UNROLL
        for (unsigned e = 0; e < 8; e++) {
            lanes_store(z[e] + from, w[e]);
        }
    } else {
        const __mmask8 mask = first_words(n);
        GFP_UNROLL
        for (unsigned e = 0; e < 8; e++) {
            _mm512_mask_storeu_epi64(z[e] + from, mask, w[e]);
        }
    }
}

/* Loads n = 2, 4 or 8 digits of 8 elements, k words apart (n = k below 8). */
GFP_INLINE void load_digits(lanes digits[8], const uint64_t *x, size_t k, unsigned n)
{
    if (n == 2) {
        const lanes even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const lanes odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        const lanes a = lanes_load(x), b = lanes_load(x + 8);
        digits[0] = _mm512_permutex2var_epi64(a, even, b);
        digits[1] = _mm512_permutex2var_epi64(a, odd, b);
        return;
    }
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        digits[e] =
            n >= 8 ? lanes_load(x + e * k) : _mm512_maskz_loadu_epi64(first_words(n), x + e * k);
    }
    lanes_transpose(digits);
}

GFP_INLINE void store_digits(uint64_t *z, size_t k, lanes digits[8], unsigned n)
{
    if (n == 2) {
        const lanes first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        const lanes last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        lanes_store(z, _mm512_permutex2var_epi64(digits[0], first, digits[1]));
        lanes_store(z + 8, _mm512_permutex2var_epi64(digits[0], last, digits[1]));
        return;
    }
    lanes_transpose(digits);
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        if (n >= 8) {
            lanes_store(z + e * k, digits[e]);
        } else {
            _mm512_mask_storeu_epi64(z + e * k, first_words(n), digits[e]);
        }
    }
}

#include "field/kernels/convert_lanes.inc"

gfp_convert_functions CONVERT(unsigned k)
{
    return functions_for(k);
}
