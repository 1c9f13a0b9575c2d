/* vector_avx2.h: the operations on 4 lanes of AVX2 that every source of this level uses.
 * lanes_avx2.h, the kernels and the conversions add the operations that they alone use.
 * lanes_portable.h describes the operations that it shares with this header.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_VECTOR_AVX2_H
#define GFP_FIELD_KERNELS_VECTOR_AVX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "field/base/unroll.h"
#include "field/kernels/intrinsics.h"

#define LANES 4
typedef __m256i lanes;
/* All bits of a lane, or none. */
typedef __m256i lanes_mask;

GFP_INLINE lanes lanes_zero(void)
{
    return _mm256_setzero_si256();
}

GFP_INLINE lanes lanes_set(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

GFP_INLINE lanes lanes_add(lanes a, lanes b)
{
    return _mm256_add_epi64(a, b);
}

GFP_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm256_sub_epi64(a, b);
}

GFP_INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm256_and_si256(a, b);
}

GFP_INLINE lanes lanes_or(lanes a, lanes b)
{
    return _mm256_or_si256(a, b);
}

GFP_INLINE lanes lanes_xor(lanes a, lanes b)
{
    return _mm256_xor_si256(a, b);
}

/* Shifts by n < 128 bits: 64 and more leave 0. */
GFP_INLINE lanes lanes_shift_left(lanes a, uint64_t n)
{
    return _mm256_sllv_epi64(a, lanes_set(n));
}

GFP_INLINE lanes lanes_shift_right(lanes a, uint64_t n)
{
    return _mm256_srlv_epi64(a, lanes_set(n));
}

/* ---- masks ---- */

/* Compares unsigned words. */
GFP_INLINE lanes_mask lanes_less(lanes a, lanes b)
{
    const lanes sign = lanes_set((uint64_t)1 << 63);
    return _mm256_cmpgt_epi64(lanes_xor(b, sign), lanes_xor(a, sign));
}

GFP_INLINE lanes_mask lanes_mask_not(lanes_mask a)
{
    return lanes_xor(a, lanes_set(~(uint64_t)0));
}

GFP_INLINE lanes_mask lanes_at_least(lanes a, lanes b)
{
    return lanes_mask_not(lanes_less(a, b));
}

GFP_INLINE lanes_mask lanes_mask_and(lanes_mask a, lanes_mask b)
{
    return _mm256_and_si256(a, b);
}

GFP_INLINE lanes_mask lanes_mask_without(lanes_mask a, lanes_mask b)
{
    return _mm256_andnot_si256(b, a);
}

GFP_INLINE unsigned lanes_mask_bits(lanes_mask a)
{
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(a));
}

GFP_INLINE lanes lanes_add_if(lanes_mask mask, lanes a, lanes b)
{
    return lanes_add(a, lanes_and(mask, b));
}

GFP_INLINE lanes lanes_sub_if(lanes_mask mask, lanes a, lanes b)
{
    return lanes_sub(a, lanes_and(mask, b));
}

GFP_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

/* ---- memory ---- */

GFP_INLINE lanes lanes_load(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

GFP_INLINE void lanes_store(uint64_t *x, lanes a)
{
    _mm256_storeu_si256((__m256i *)(void *)x, a);
}

GFP_INLINE __m128i lanes_load_two(const uint64_t *x)
{
    return _mm_loadu_si128((const __m128i *)(const void *)x);
}

/* Transposes the 4 by 4 words. */
GFP_INLINE void lanes_transpose(lanes x[4])
{
    const lanes a = _mm256_unpacklo_epi64(x[0], x[1]), b = _mm256_unpackhi_epi64(x[0], x[1]);
    const lanes c = _mm256_unpacklo_epi64(x[2], x[3]), d = _mm256_unpackhi_epi64(x[2], x[3]);
    x[0] = _mm256_permute2x128_si256(a, c, 0x20);
    x[1] = _mm256_permute2x128_si256(b, d, 0x20);
    x[2] = _mm256_permute2x128_si256(a, c, 0x31);
    x[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

/* ---- products of 52-bit integers, in double precision ---- */

typedef __m256d lanes_factor;
typedef unsigned lanes_mode;

/* Rounds toward zero, and masks traps of inexact results. No product moves across this call, since
 * all products depend on memory. */
GFP_INLINE lanes_mode lanes_enter(void)
{
    const lanes_mode mode = _mm_getcsr();
    _mm_setcsr(mode | _MM_ROUND_TOWARD_ZERO | _MM_MASK_MASK);
    __asm__ volatile("" : : : "memory");
    return mode;
}

GFP_INLINE void lanes_leave(lanes_mode mode)
{
    __asm__ volatile("" : : : "memory");
    _mm_setcsr(mode);
}

GFP_INLINE lanes_factor lanes_double(double x)
{
    return _mm256_set1_pd(x);
}

GFP_INLINE lanes_factor lanes_double_add(lanes_factor a, lanes_factor b)
{
    return _mm256_add_pd(a, b);
}

GFP_INLINE lanes_factor lanes_double_sub(lanes_factor a, lanes_factor b)
{
    return _mm256_sub_pd(a, b);
}

GFP_INLINE lanes_factor lanes_double_fma(lanes_factor a, lanes_factor b, lanes_factor c)
{
    return _mm256_fmadd_pd(a, b, c);
}

GFP_INLINE lanes_factor lanes_double_fnma(lanes_factor a, lanes_factor b, lanes_factor c)
{
    return _mm256_fnmadd_pd(a, b, c);
}

GFP_INLINE lanes lanes_factor_words(lanes_factor x)
{
    return _mm256_castpd_si256(x);
}

GFP_INLINE lanes_factor lanes_words_factor(lanes x)
{
    return _mm256_castsi256_pd(x);
}

#include "field/kernels/doubles.h"

#endif
