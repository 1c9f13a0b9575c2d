/* vector_neon.h: AVX2's vectors of 256 bits as two registers of NEON (AArch64). The operations have
 * the names and the meaning of Intel's intrinsics, so that the sources of the AVX2 level are those
 * of the NEON level, too; only the operations that these sources need are here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_VECTOR_NEON_H
#define GFP_FIELD_KERNELS_VECTOR_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#include "field/base/unroll.h"

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

typedef struct __attribute__((may_alias)) neon_integers {
    uint64x2_t low, high;
} __m256i;

typedef struct __attribute__((may_alias)) neon_doubles {
    float64x2_t low, high;
} __m256d;

typedef uint64x2_t __m128i;

/* An operation on vectors whose halves are those of an operation on registers. */
#define NEON_BINARY(name, vector, operation)                                                       \
    GFP_INLINE vector name(vector a, vector b)                                                     \
    {                                                                                              \
        return (vector){operation(a.low, b.low), operation(a.high, b.high)};                       \
    }

/* ---- doubles ---- */

NEON_BINARY(_mm256_add_pd, __m256d, vaddq_f64)
NEON_BINARY(_mm256_sub_pd, __m256d, vsubq_f64)
NEON_BINARY(_mm256_mul_pd, __m256d, vmulq_f64)
NEON_BINARY(_mm256_div_pd, __m256d, vdivq_f64)

/* a b + c, c - a b and a b - c, rounded once. */
GFP_INLINE __m256d _mm256_fmadd_pd(__m256d a, __m256d b, __m256d c)
{
    return (__m256d){vfmaq_f64(c.low, a.low, b.low), vfmaq_f64(c.high, a.high, b.high)};
}

GFP_INLINE __m256d _mm256_fnmadd_pd(__m256d a, __m256d b, __m256d c)
{
    return (__m256d){vfmsq_f64(c.low, a.low, b.low), vfmsq_f64(c.high, a.high, b.high)};
}

GFP_INLINE __m256d _mm256_fmsub_pd(__m256d a, __m256d b, __m256d c)
{
    return (__m256d){vfmaq_f64(vnegq_f64(c.low), a.low, b.low),
                     vfmaq_f64(vnegq_f64(c.high), a.high, b.high)};
}

GFP_INLINE __m256d _mm256_set1_pd(double x)
{
    const float64x2_t both = vdupq_n_f64(x);
    return (__m256d){both, both};
}

GFP_INLINE __m256d _mm256_broadcast_sd(const double *x)
{
    const float64x2_t both = vld1q_dup_f64(x);
    return (__m256d){both, both};
}

GFP_INLINE __m256d _mm256_setzero_pd(void)
{
    return _mm256_set1_pd(0);
}

GFP_INLINE __m256d _mm256_loadu_pd(const double *x)
{
    return (__m256d){vld1q_f64(x), vld1q_f64(x + 2)};
}

GFP_INLINE void _mm256_store_pd(double *x, __m256d a)
{
    vst1q_f64(x, a.low);
    vst1q_f64(x + 2, a.high);
}
#define _mm256_load_pd _mm256_loadu_pd

/* Rounds to the nearest integer, the one mode in use. */
#define _MM_FROUND_TO_NEAREST_INT 0
#define _MM_FROUND_NO_EXC 8
GFP_INLINE __m256d _mm256_round_pd(__m256d x, int mode)
{
    (void)mode;
    return (__m256d){vrndnq_f64(x.low), vrndnq_f64(x.high)};
}

/* The lanes, all bits or none, in which a comparison holds: the name of the comparison is part of
 * a function's name, so that one that is not here does not compile. */
#define _CMP_LT_OQ less
#define _CMP_GT_OQ more
#define _CMP_EQ_OQ equal
#define _mm256_cmp_pd(a, b, comparison) NEON_COMPARE((a), (b), comparison)
#define NEON_COMPARE(a, b, comparison) neon_##comparison((a), (b))
#define NEON_COMPARISON(name, operation)                                                           \
    GFP_INLINE __m256d name(__m256d a, __m256d b)                                                  \
    {                                                                                              \
        return (__m256d){vreinterpretq_f64_u64(operation(a.low, b.low)),                           \
                         vreinterpretq_f64_u64(operation(a.high, b.high))};                        \
    }
NEON_COMPARISON(neon_less, vcltq_f64)
NEON_COMPARISON(neon_more, vcgtq_f64)
NEON_COMPARISON(neon_equal, vceqq_f64)

/* ---- bits ---- */

GFP_INLINE __m256i _mm256_castpd_si256(__m256d a)
{
    return (__m256i){vreinterpretq_u64_f64(a.low), vreinterpretq_u64_f64(a.high)};
}

GFP_INLINE __m256d _mm256_castsi256_pd(__m256i a)
{
    return (__m256d){vreinterpretq_f64_u64(a.low), vreinterpretq_f64_u64(a.high)};
}

NEON_BINARY(_mm256_and_si256, __m256i, vandq_u64)
NEON_BINARY(_mm256_or_si256, __m256i, vorrq_u64)
NEON_BINARY(_mm256_xor_si256, __m256i, veorq_u64)

/* The bits of b that a lacks. */
GFP_INLINE __m256i _mm256_andnot_si256(__m256i a, __m256i b)
{
    return (__m256i){vbicq_u64(b.low, a.low), vbicq_u64(b.high, a.high)};
}

#define NEON_BITS(name, operation)                                                                 \
    GFP_INLINE __m256d name(__m256d a, __m256d b)                                                  \
    {                                                                                              \
        return _mm256_castsi256_pd(operation(_mm256_castpd_si256(a), _mm256_castpd_si256(b)));     \
    }
NEON_BITS(_mm256_and_pd, _mm256_and_si256)
NEON_BITS(_mm256_or_pd, _mm256_or_si256)
NEON_BITS(_mm256_xor_pd, _mm256_xor_si256)

/* Lanes of yes where mask, all bits or none of each lane, is set. */
GFP_INLINE __m256i neon_select(__m256i no, __m256i yes, __m256i mask)
{
    return (__m256i){vbslq_u64(mask.low, yes.low, no.low), vbslq_u64(mask.high, yes.high, no.high)};
}
#define _mm256_blendv_epi8 neon_select

GFP_INLINE __m256d _mm256_blendv_pd(__m256d no, __m256d yes, __m256d mask)
{
    return _mm256_castsi256_pd(
        neon_select(_mm256_castpd_si256(no), _mm256_castpd_si256(yes), _mm256_castpd_si256(mask)));
}

/* Bit i is the highest bit of lane i. */
GFP_INLINE int _mm256_movemask_pd(__m256d a)
{
    const __m256i x = _mm256_castpd_si256(a);
    const uint64x2_t low = vshrq_n_u64(x.low, 63), high = vshrq_n_u64(x.high, 63);
    const uint64x2_t both = vorrq_u64(low, vshlq_n_u64(high, 2));
    return (int)(vgetq_lane_u64(both, 0) | vgetq_lane_u64(both, 1) << 1);
}

/* ---- integers ---- */

NEON_BINARY(_mm256_add_epi64, __m256i, vaddq_u64)
NEON_BINARY(_mm256_sub_epi64, __m256i, vsubq_u64)

GFP_INLINE __m256i _mm256_set1_epi64x(long long x)
{
    const uint64x2_t both = vdupq_n_u64((uint64_t)x);
    return (__m256i){both, both};
}

GFP_INLINE __m256i _mm256_set_epi64x(long long x3, long long x2, long long x1, long long x0)
{
    const uint64_t x[4] = {(uint64_t)x0, (uint64_t)x1, (uint64_t)x2, (uint64_t)x3};
    return (__m256i){vld1q_u64(x), vld1q_u64(x + 2)};
}

GFP_INLINE __m256i _mm256_setzero_si256(void)
{
    return _mm256_set1_epi64x(0);
}

GFP_INLINE __m256i _mm256_loadu_si256(const __m256i *x)
{
    const uint64_t *words = (const uint64_t *)(const void *)x;
    return (__m256i){vld1q_u64(words), vld1q_u64(words + 2)};
}

GFP_INLINE void _mm256_storeu_si256(__m256i *x, __m256i a)
{
    uint64_t *words = (uint64_t *)(void *)x;
    vst1q_u64(words, a.low);
    vst1q_u64(words + 2, a.high);
}
#define _mm256_load_si256 _mm256_loadu_si256
#define _mm256_store_si256 _mm256_storeu_si256

/* NEON has no intrinsics for stores past the caches. */
#define _mm256_stream_si256 _mm256_storeu_si256
#define _mm_sfence() ((void)0)
#define _MM_HINT_T0 3
#define _mm_prefetch(x, hint) __builtin_prefetch((x), 0, (hint))

/* Halves of 32 bits. */
#define NEON_HALVES(name, operation)                                                               \
    GFP_INLINE __m256i name(__m256i a, __m256i b)                                                  \
    {                                                                                              \
        return (__m256i){vreinterpretq_u64_u32(operation(vreinterpretq_u32_u64(a.low),             \
                                                         vreinterpretq_u32_u64(b.low))),           \
                         vreinterpretq_u64_u32(operation(vreinterpretq_u32_u64(a.high),            \
                                                         vreinterpretq_u32_u64(b.high)))};         \
    }
NEON_HALVES(_mm256_add_epi32, vaddq_u32)
NEON_HALVES(_mm256_mullo_epi32, vmulq_u32)

/* Only the halves by an arithmetic shift. */
GFP_INLINE __m256i _mm256_srai_epi32(__m256i a, int n)
{
    const int32x4_t low = vreinterpretq_s32_u64(a.low), high = vreinterpretq_s32_u64(a.high);
    return (__m256i){vreinterpretq_u64_s32(low >> n), vreinterpretq_u64_s32(high >> n)};
}

/* Products of the low halves of lanes, unsigned and signed. */
GFP_INLINE uint64x2_t neon_product(uint64x2_t a, uint64x2_t b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

GFP_INLINE uint64x2_t neon_product_signed(uint64x2_t a, uint64x2_t b)
{
    return vreinterpretq_u64_s64(
        vmull_s32(vreinterpret_s32_u32(vmovn_u64(a)), vreinterpret_s32_u32(vmovn_u64(b))));
}
NEON_BINARY(_mm256_mul_epu32, __m256i, neon_product)
NEON_BINARY(_mm256_mul_epi32, __m256i, neon_product_signed)

NEON_BINARY(_mm256_cmpeq_epi64, __m256i, vceqq_u64)

/* Compares signed integers. */
GFP_INLINE uint64x2_t neon_more_signed(uint64x2_t a, uint64x2_t b)
{
    return vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b));
}
NEON_BINARY(_mm256_cmpgt_epi64, __m256i, neon_more_signed)

/* ---- shifts: by counts n < 128 in a vector (64 and more leave 0; the instruction reads n as a
 * signed byte), and of all lanes by n < 64, which the compiler makes a constant of the instruction
 * if it is one ---- */

GFP_INLINE uint64x2_t neon_left(uint64x2_t a, uint64x2_t n)
{
    return vshlq_u64(a, vreinterpretq_s64_u64(n));
}

GFP_INLINE uint64x2_t neon_right(uint64x2_t a, uint64x2_t n)
{
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(n)));
}
NEON_BINARY(_mm256_sllv_epi64, __m256i, neon_left)
NEON_BINARY(_mm256_srlv_epi64, __m256i, neon_right)

GFP_INLINE __m256i _mm256_slli_epi64(__m256i a, int n)
{
    return (__m256i){a.low << (uint64_t)n, a.high << (uint64_t)n};
}

GFP_INLINE __m256i _mm256_srli_epi64(__m256i a, int n)
{
    return (__m256i){a.low >> (uint64_t)n, a.high >> (uint64_t)n};
}

/* ---- permutations: the code of an order is part of a function's name, so that an order that is
 * not here does not compile ---- */

GFP_INLINE __m256i _mm256_unpacklo_epi64(__m256i a, __m256i b)
{
    return (__m256i){vzip1q_u64(a.low, b.low), vzip1q_u64(a.high, b.high)};
}

GFP_INLINE __m256i _mm256_unpackhi_epi64(__m256i a, __m256i b)
{
    return (__m256i){vzip2q_u64(a.low, b.low), vzip2q_u64(a.high, b.high)};
}

#define _mm256_permute2x128_si256(a, b, code) neon_permute_##code((a), (b))
GFP_INLINE __m256i neon_permute_0x20(__m256i a, __m256i b)
{
    return (__m256i){a.low, b.low};
}

GFP_INLINE __m256i neon_permute_0x21(__m256i a, __m256i b)
{
    return (__m256i){a.high, b.low};
}

GFP_INLINE __m256i neon_permute_0x31(__m256i a, __m256i b)
{
    return (__m256i){a.high, b.high};
}

#define _mm256_permute2f128_pd(a, b, code)                                                         \
    _mm256_castsi256_pd(                                                                           \
        _mm256_permute2x128_si256(_mm256_castpd_si256(a), _mm256_castpd_si256(b), code))

/* The second word of each half of a, then the first of b. */
#define _mm256_shuffle_pd(a, b, code) neon_shuffle_##code((a), (b))
GFP_INLINE __m256d neon_shuffle_5(__m256d a, __m256d b)
{
    return (__m256d){vextq_f64(a.low, b.low, 1), vextq_f64(a.high, b.high, 1)};
}

/* Lanes 0, 2, 1, 3. */
#define _mm256_permute4x64_epi64(a, code) neon_order_##code((a))
GFP_INLINE __m256i neon_order_0xd8(__m256i a)
{
    return (__m256i){vzip1q_u64(a.low, a.high), vzip2q_u64(a.low, a.high)};
}

/* The low half of each lane of a, and the high half of b. */
#define _mm256_blend_epi32(a, b, code) neon_blend_##code((a), (b))
GFP_INLINE __m256i neon_blend_0xaa(__m256i a, __m256i b)
{
    return neon_select(a, b, _mm256_set1_epi64x((long long)0xffffffff00000000));
}

GFP_INLINE __m256i _mm256_castsi128_si256(__m128i a)
{
    return (__m256i){a, a};
}

GFP_INLINE __m128i _mm256_castsi256_si128(__m256i a)
{
    return a.low;
}

#define _mm256_inserti128_si256(a, b, half) neon_insert_##half((a), (b))
GFP_INLINE __m256i neon_insert_1(__m256i a, __m128i b)
{
    return (__m256i){a.low, b};
}

#define _mm256_extracti128_si256(a, half) neon_extract_##half((a))
GFP_INLINE __m128i neon_extract_1(__m256i a)
{
    return a.high;
}

GFP_INLINE __m128i _mm_loadu_si128(const __m128i *x)
{
    return vld1q_u64((const uint64_t *)(const void *)x);
}

GFP_INLINE void _mm_storeu_si128(__m128i *x, __m128i a)
{
    vst1q_u64((uint64_t *)(void *)x, a);
}

/* ---- FPCR, under the names of MXCSR: the rounding mode is in bits 22 and 23; there is nothing to
 * mask, since exceptions trap only on request ---- */

#define _MM_ROUND_TOWARD_ZERO (3U << 22)
#define _MM_MASK_MASK 0U

GFP_INLINE unsigned _mm_getcsr(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return (unsigned)mode;
}

GFP_INLINE void _mm_setcsr(unsigned mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode));
}

/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
