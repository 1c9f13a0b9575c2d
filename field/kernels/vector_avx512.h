/* vector_avx512.h: the operations on 8 lanes of AVX-512 (F, DQ) that every source of its two levels
 * uses, with products by IFMA or in double precision. lanes_avx512.h, the kernels, the conversions
 * and the transforms by IFMA add the operations that they alone use. lanes_portable.h describes the
 * operations that it shares with this header.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_VECTOR_AVX512_H
#define GFP_FIELD_KERNELS_VECTOR_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "field/base/unroll.h"

#define LANES 8
typedef __m512i lanes;
typedef __mmask8 lanes_mask;

GFP_INLINE lanes lanes_zero(void)
{
    return _mm512_setzero_si512();
}

GFP_INLINE lanes lanes_set(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

GFP_INLINE lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_epi64(a, b);
}

GFP_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_epi64(a, b);
}

GFP_INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm512_and_si512(a, b);
}

GFP_INLINE lanes lanes_or(lanes a, lanes b)
{
    return _mm512_or_si512(a, b);
}

GFP_INLINE lanes lanes_xor(lanes a, lanes b)
{
    return _mm512_xor_si512(a, b);
}

/* Shifts by any number of bits: 64 and more leave 0. */
GFP_INLINE lanes lanes_shift_left(lanes a, uint64_t n)
{
    return _mm512_sllv_epi64(a, lanes_set(n));
}

GFP_INLINE lanes lanes_shift_right(lanes a, uint64_t n)
{
    return _mm512_srlv_epi64(a, lanes_set(n));
}

/* ---- masks ---- */

/* Compares unsigned words. */
GFP_INLINE lanes_mask lanes_less(lanes a, lanes b)
{
    return _mm512_cmplt_epu64_mask(a, b);
}

GFP_INLINE lanes_mask lanes_at_least(lanes a, lanes b)
{
    return _mm512_cmpge_epu64_mask(a, b);
}

GFP_INLINE lanes_mask lanes_mask_and(lanes_mask a, lanes_mask b)
{
    return (lanes_mask)(a & b);
}

GFP_INLINE lanes_mask lanes_mask_without(lanes_mask a, lanes_mask b)
{
    return (lanes_mask)(a & ~b);
}

GFP_INLINE unsigned lanes_mask_bits(lanes_mask a)
{
    return a;
}

GFP_INLINE lanes lanes_add_if(lanes_mask mask, lanes a, lanes b)
{
    return _mm512_mask_add_epi64(a, mask, a, b);
}

GFP_INLINE lanes lanes_sub_if(lanes_mask mask, lanes a, lanes b)
{
    return _mm512_mask_sub_epi64(a, mask, a, b);
}

GFP_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return _mm512_mask_mov_epi64(no, mask, yes);
}

/* ---- memory ---- */

GFP_INLINE lanes lanes_load(const uint64_t *x)
{
    return _mm512_loadu_si512(x);
}

GFP_INLINE void lanes_store(uint64_t *x, lanes a)
{
    _mm512_storeu_si512(x, a);
}

GFP_INLINE __m128i lanes_load_two(const uint64_t *x)
{
    return _mm_loadu_si128((const __m128i *)(const void *)x);
}

GFP_INLINE __m256i lanes_load_four(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

/* Transposes the 8 by 8 words. */
GFP_INLINE void lanes_transpose(lanes x[8])
{
    lanes a[8], b[8];
    GFP_UNROLL
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    /* a[i + j]: rows i, i + 1; columns j, j + 2, j + 4, j + 6. */
    GFP_UNROLL
    for (unsigned i = 0; i < 8; i += 4) {
        GFP_UNROLL
        for (unsigned j = 0; j < 2; j++) {
            b[i + j] = _mm512_shuffle_i64x2(a[i + j], a[i + j + 2], 0x88);
            b[i + j + 2] = _mm512_shuffle_i64x2(a[i + j], a[i + j + 2], 0xdd);
        }
    }
    /* b[i + j]: rows i .. i + 3; columns j and j + 4. */
    GFP_UNROLL
    for (unsigned j = 0; j < 4; j++) {
        x[j] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0x88);
        x[j + 4] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0xdd);
    }
}

/* ---- products of 52-bit integers ---- */

/* Neither integers nor roundings that an instruction names need a mode. */
typedef int lanes_mode;

GFP_INLINE lanes_mode lanes_enter(void)
{
    return 0;
}

GFP_INLINE void lanes_leave(lanes_mode mode)
{
    (void)mode;
}

#ifdef __AVX512IFMA__

/* Adds the low 52 bits of the product of the low 52 bits of x and y to *low, and the higher bits to
 * *high. */
GFP_INLINE void lanes_add_product(lanes *low, lanes *high, lanes x, lanes y)
{
    *low = _mm512_madd52lo_epu64(*low, x, y);
    *high = _mm512_madd52hi_epu64(*high, x, y);
}

#else

typedef __m512d lanes_factor;

GFP_INLINE lanes_factor lanes_double(double x)
{
    return _mm512_set1_pd(x);
}

GFP_INLINE lanes_factor lanes_double_add(lanes_factor a, lanes_factor b)
{
    return _mm512_add_pd(a, b);
}

GFP_INLINE lanes_factor lanes_double_sub(lanes_factor a, lanes_factor b)
{
    return _mm512_sub_pd(a, b);
}

GFP_INLINE lanes_factor lanes_double_fma(lanes_factor a, lanes_factor b, lanes_factor c)
{
    return _mm512_fmadd_round_pd(a, b, c, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

GFP_INLINE lanes_factor lanes_double_fnma(lanes_factor a, lanes_factor b, lanes_factor c)
{
    return _mm512_fnmadd_round_pd(a, b, c, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

GFP_INLINE lanes lanes_factor_words(lanes_factor x)
{
    return _mm512_castpd_si512(x);
}

GFP_INLINE lanes_factor lanes_words_factor(lanes x)
{
    return _mm512_castsi512_pd(x);
}

#include "field/kernels/doubles.h"

#endif

#endif
