/* vector_wide.h: vectors of 512 bits for sources of the AVX2 level, which the build compiles a
 * second time for AVX-512 without IFMA (F, DQ, BW, VL), with GFP_WIDE. AVX2's intrinsics stand for
 * those of 512 bits that do the same in each half of 256 bits; only the operations that these
 * sources need are here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_VECTOR_WIDE_H
#define GFP_FIELD_KERNELS_VECTOR_WIDE_H

#include <immintrin.h>

#include "field/base/unroll.h"

/* ---- halves ---- */

/* Both halves := the 4 doubles at x. */
GFP_INLINE __m512d wide_twice(const double *x)
{
    return _mm512_broadcast_f64x4(_mm256_loadu_pd(x));
}

/* Writes the halves of a to low and high, 4 doubles each. */
GFP_INLINE void wide_store_halves(double *low, double *high, __m512d a)
{
    _mm256_store_pd(low, _mm512_castpd512_pd256(a));
    _mm256_store_pd(high, _mm512_extractf64x4_pd(a, 1));
}

/* Returns the halves exchanged. */
GFP_INLINE __m512d wide_exchange(__m512d a)
{
    return _mm512_shuffle_f64x2(a, a, 0x4e);
}

/* Returns low in the lower half and high in the upper one. */
GFP_INLINE __m512d wide_halves(__m512d low, __m512d high)
{
    return _mm512_mask_mov_pd(low, 0xf0, high);
}

/* Returns a with the sign of its upper half changed. */
GFP_INLINE __m512d wide_negate_high(__m512d a)
{
    return _mm512_mask_xor_pd(a, 0xf0, a, _mm512_set1_pd(-0.0));
}

/* ---- AVX2's names ---- */

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#undef _mm256_blend_epi32
#undef _mm256_cmp_pd
#undef _mm256_permute2f128_pd
#undef _mm256_round_pd
#undef _mm256_shuffle_pd

#define __m256d __m512d
#define _mm256_add_pd _mm512_add_pd
#define _mm256_and_pd _mm512_and_pd
#define _mm256_broadcast_sd(x) _mm512_set1_pd(*(x))
#define _mm256_div_pd _mm512_div_pd
#define _mm256_fmadd_pd _mm512_fmadd_pd
#define _mm256_fmsub_pd _mm512_fmsub_pd
#define _mm256_fnmadd_pd _mm512_fnmadd_pd
#define _mm256_load_pd _mm512_load_pd
#define _mm256_loadu_pd _mm512_loadu_pd
#define _mm256_mul_pd _mm512_mul_pd
#define _mm256_or_pd _mm512_or_pd
#define _mm256_round_pd _mm512_roundscale_pd /* to integers: the scale is 2^0 */
#define _mm256_set1_pd _mm512_set1_pd
#define _mm256_setzero_pd _mm512_setzero_pd
#define _mm256_store_pd _mm512_store_pd
#define _mm256_sub_pd _mm512_sub_pd
#define _mm256_xor_pd _mm512_xor_pd
/* The selection is part of a function's name, so that one that is not here does not compile. */
#define _mm256_permute2f128_pd(a, b, selection) wide_permute_##selection((a), (b))
#define _mm256_shuffle_pd(a, b, selection) _mm512_shuffle_pd((a), (b), 0x11 * (selection))
#define _mm256_cmp_pd(a, b, comparison)                                                            \
    _mm512_castsi512_pd(_mm512_movm_epi64(_mm512_cmp_pd_mask((a), (b), (comparison))))

/* Masks are vectors, as with AVX2. */
#define wide_mask(a) _mm512_movepi64_mask(_mm512_castpd_si512(a))
#define _mm256_movemask_pd wide_mask
#define _mm256_blendv_pd(no, yes, mask) _mm512_mask_mov_pd((no), wide_mask(mask), (yes))

#define __m256i __m512i
#define _mm256_add_epi32 _mm512_add_epi32
#define _mm256_add_epi64 _mm512_add_epi64
#define _mm256_and_si256 _mm512_and_si512
#define _mm256_blend_epi32(a, b, lanes) _mm512_mask_blend_epi32(0x101 * (lanes), (a), (b))
#define _mm256_castpd_si256 _mm512_castpd_si512
#define _mm256_castsi256_pd _mm512_castsi512_pd
#define _mm256_cmpeq_epi64(a, b) _mm512_movm_epi64(_mm512_cmpeq_epi64_mask((a), (b)))
#define _mm256_cmpgt_epi64(a, b) _mm512_movm_epi64(_mm512_cmpgt_epi64_mask((a), (b)))
#define _mm256_load_si256 _mm512_load_si512
#define _mm256_mul_epu32 _mm512_mul_epu32
#define _mm256_mullo_epi32 _mm512_mullo_epi32
#define _mm256_or_si256 _mm512_or_si512
#define _mm256_set1_epi64x _mm512_set1_epi64
#define _mm256_setzero_si256 _mm512_setzero_si512
#define _mm256_slli_epi64 _mm512_slli_epi64
#define _mm256_srli_epi64 _mm512_srli_epi64
#define _mm256_store_si256 _mm512_store_si512
#define _mm256_sub_epi64 _mm512_sub_epi64
#define _mm256_xor_si256 _mm512_xor_si512

/* The upper 128 bits of a, then the lower ones of b. */
GFP_INLINE __m512d wide_permute_0x21(__m512d a, __m512d b)
{
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13), b);
}

/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
