/* convert_avx512.c: radix conversion in eight lanes of AVX-512 IFMA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>
#include <string.h>

#include "convert.h"
#include "unroll.h"

#define LANES 8

typedef __m512i lanes;
typedef __mmask8 lanes_mask;
typedef __m512i lanes_factor;

#define LANES_INLINE GFP_INLINE
#define POWER_OF(level) ((level)->power)
#define INVERSE_OF(level) ((level)->inverse)
typedef uint64_t factor_word;

/* Integers need no rounding mode. */
LANES_INLINE unsigned lanes_enter(void)
{
    return 0;
}

LANES_INLINE void lanes_leave(unsigned mode)
{
    (void)mode;
}

/* Hides how x was computed: gcc would add a carry, which comes last, first. */
LANES_INLINE lanes lanes_keep(lanes x)
{
    __asm__("" : "+v"(x));
    return x;
}

LANES_INLINE lanes lanes_set(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

LANES_INLINE lanes lanes_add(lanes x, lanes y)
{
    return _mm512_add_epi64(x, y);
}

LANES_INLINE lanes lanes_sub(lanes x, lanes y)
{
    return _mm512_sub_epi64(x, y);
}

LANES_INLINE lanes lanes_and(lanes x, lanes y)
{
    return _mm512_and_si512(x, y);
}

LANES_INLINE lanes lanes_or(lanes x, lanes y)
{
    return _mm512_or_si512(x, y);
}

/* Any number of bits: 64 and more leave 0. */
LANES_INLINE lanes lanes_left(lanes x, uint64_t bits)
{
    return _mm512_sllv_epi64(x, lanes_set(bits));
}

LANES_INLINE lanes lanes_right(lanes x, uint64_t bits)
{
    return _mm512_srlv_epi64(x, lanes_set(bits));
}

LANES_INLINE lanes lanes_right_52(lanes x)
{
    return _mm512_srli_epi64(x, 52);
}

LANES_INLINE lanes lanes_right_52_signed(lanes x)
{
    return _mm512_srai_epi64(x, 52);
}

LANES_INLINE lanes_factor lanes_factor_of(lanes x)
{
    return x;
}

LANES_INLINE lanes_factor lanes_factor_set(uint64_t x)
{
    return lanes_set(x);
}

/* Of the product of the low 52 bits of x and y: its low 52 bits to *low, the others to *high. */
LANES_INLINE void lanes_product(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    *low = _mm512_madd52lo_epu64(*low, x, y);
    *high = _mm512_madd52hi_epu64(*high, x, y);
}

LANES_INLINE void lanes_product_low(lanes *low, lanes_factor x, lanes_factor y)
{
    *low = _mm512_madd52lo_epu64(*low, x, y);
}

LANES_INLINE void lanes_product_high(lanes *high, lanes_factor x, lanes_factor y)
{
    *high = _mm512_madd52hi_epu64(*high, x, y);
}

/* Unsigned. */
LANES_INLINE lanes_mask lanes_at_least(lanes x, lanes y)
{
    return _mm512_cmpge_epu64_mask(x, y);
}

LANES_INLINE lanes_mask lanes_natural(lanes x)
{
    return (lanes_mask)~_mm512_movepi64_mask(x);
}

LANES_INLINE unsigned lanes_mask_bits(lanes_mask m)
{
    return m;
}

/* y where the mask is set, else x. */
LANES_INLINE lanes lanes_select(lanes_mask m, lanes x, lanes y)
{
    return _mm512_mask_mov_epi64(x, m, y);
}

LANES_INLINE lanes lanes_add_if(lanes_mask m, lanes x, lanes y)
{
    return _mm512_mask_add_epi64(x, m, x, y);
}

LANES_INLINE lanes lanes_sub_if(lanes_mask m, lanes x, lanes y)
{
    return _mm512_mask_sub_epi64(x, m, x, y);
}

LANES_INLINE void lanes_prefetch(const void *x)
{
    _mm_prefetch(x, _MM_HINT_T0);
}

/* 8 by 8 words. */
LANES_INLINE void transpose(lanes v[8])
{
    lanes a[8], b[8];
    GFP_UNROLL
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
    GFP_UNROLL
    for (unsigned i = 0; i < 8; i += 4) {
        GFP_UNROLL
        for (unsigned j = i; j < i + 2; j++) {
            b[j] = _mm512_shuffle_i64x2(a[j], a[j + 2], 0x88);
            b[j + 2] = _mm512_shuffle_i64x2(a[j], a[j + 2], 0xdd);
        }
    }
    GFP_UNROLL
    for (unsigned j = 0; j < 4; j++) {
        v[j] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0x88);
        v[j + 4] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0xdd);
    }
}

LANES_INLINE __mmask8 first_words(size_t n)
{
    return n >= 8 ? (__mmask8)0xff : (__mmask8)((1U << n) - 1);
}

/* w[j] := word from + j of each number, 0 beyond its end, j < 8. */
LANES_INLINE void load_some_words(lanes w[8], const gfp_limbs_view *x, size_t from)
{
    static const uint64_t zero = 0;
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        const size_t left = x[e].size > from ? x[e].size - from : 0;
        const uint64_t *at = left == 0 ? &zero : x[e].limbs + from;
        w[e] = _mm512_maskz_loadu_epi64(first_words(left), at);
    }
    transpose(w);
}

LANES_INLINE __m128i load_two(const uint64_t *x)
{
    return _mm_loadu_si128((const __m128i *)(const void *)x);
}

LANES_INLINE __m256i load_four(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

/* n = 2, 4 or 8 words of each number. */
LANES_INLINE void load_all_words(lanes w[8], const gfp_limbs_view *x, size_t from, unsigned n)
{
    if (n == 2) {
        lanes v[2];
        GFP_UNROLL
        for (unsigned i = 0; i < 2; i++) {
            v[i] = _mm512_castsi128_si512(load_two(x[i].limbs));
            v[i] = _mm512_inserti64x2(v[i], load_two(x[i + 2].limbs), 1);
            v[i] = _mm512_inserti64x2(v[i], load_two(x[i + 4].limbs), 2);
            v[i] = _mm512_inserti64x2(v[i], load_two(x[i + 6].limbs), 3);
        }
        w[0] = _mm512_unpacklo_epi64(v[0], v[1]);
        w[1] = _mm512_unpackhi_epi64(v[0], v[1]);
    } else if (n == 4) {
        lanes v[4], u[4];
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(load_four(x[i].limbs)),
                                      load_four(x[i + 4].limbs), 1);
        }
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i += 2) {
            u[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
            u[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
        }
        /* u[i + j]: numbers i, i + 1 | the same | i + 4, i + 5 | the same, words j and j + 2. */
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
            w[e] = _mm512_loadu_si512(x[e].limbs + from);
        }
        transpose(w);
    }
}

/* The first n <= 8 words of each number to z[e] + from; n may be 2 or 4 where tile, a constant, is;
 * w has zeros in other words. */
LANES_INLINE void store_words(uint64_t *const *z, size_t from, lanes w[8], size_t n, unsigned tile)
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
    transpose(w);
    if (n >= 8) {
        GFP_UNROLL
        for (unsigned e = 0; e < 8; e++) {
            _mm512_storeu_si512(z[e] + from, w[e]);
        }
    } else {
        const __mmask8 mask = first_words(n);
        GFP_UNROLL
        for (unsigned e = 0; e < 8; e++) {
            _mm512_mask_storeu_epi64(z[e] + from, mask, w[e]);
        }
    }
}

/* n = 2, 4 or 8 digits of 8 elements, k words apart (n = k below 8). */
LANES_INLINE void load_digits(lanes digits[8], const uint64_t *x, size_t k, unsigned n)
{
    if (n == 2) {
        const lanes even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const lanes odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        const lanes a = _mm512_loadu_si512(x), b = _mm512_loadu_si512(x + 8);
        digits[0] = _mm512_permutex2var_epi64(a, even, b);
        digits[1] = _mm512_permutex2var_epi64(a, odd, b);
        return;
    }
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        digits[e] = n >= 8 ? _mm512_loadu_si512(x + e * k)
                           : _mm512_maskz_loadu_epi64(first_words(n), x + e * k);
    }
    transpose(digits);
}

LANES_INLINE void store_digits(uint64_t *z, size_t k, lanes digits[8], unsigned n)
{
    if (n == 2) {
        const lanes first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        const lanes last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        _mm512_storeu_si512(z, _mm512_permutex2var_epi64(digits[0], first, digits[1]));
        _mm512_storeu_si512(z + 8, _mm512_permutex2var_epi64(digits[0], last, digits[1]));
        return;
    }
    transpose(digits);
    GFP_UNROLL
    for (unsigned e = 0; e < 8; e++) {
        if (n >= 8) {
            _mm512_storeu_si512(z + e * k, digits[e]);
        } else {
            _mm512_mask_storeu_epi64(z + e * k, first_words(n), digits[e]);
        }
    }
}

#include "convert_lanes.inc"

gfp_convert_functions gfp_convert_avx512(unsigned k)
{
    return functions_for(k);
}
