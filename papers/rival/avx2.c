/* avx2.c: the papers' rival in four lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#include "papers/rival/impl.h"

#define LANES 4
#define VECTORS 2
#define KERNELS gfp_rival_avx2
#define NAME "avx2"

typedef __m256i vec;

static inline vec vec_zero(void)
{
    return _mm256_setzero_si256();
}

static inline vec vec_load(const uint64_t *p)
{
    return _mm256_load_si256((const __m256i *)(const void *)p);
}

static inline vec vec_load_any(const uint64_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void vec_store(uint64_t *p, vec x)
{
    _mm256_store_si256((__m256i *)(void *)p, x);
}

static inline void vec_store_any(uint64_t *p, vec x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}

static inline vec vec_set(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

static inline vec vec_set32(uint32_t x)
{
    return _mm256_set1_epi32((int32_t)x);
}

static inline vec vec_add(vec x, vec y)
{
    return _mm256_add_epi64(x, y);
}

static inline vec vec_sub(vec x, vec y)
{
    return _mm256_sub_epi64(x, y);
}

static inline vec vec_and(vec x, vec y)
{
    return _mm256_and_si256(x, y);
}

static inline vec vec_or(vec x, vec y)
{
    return _mm256_or_si256(x, y);
}

static inline vec vec_shl(vec x, unsigned count)
{
    return _mm256_sll_epi64(x, _mm_cvtsi32_si128((int32_t)count));
}

static inline vec vec_shr(vec x, unsigned count)
{
    return _mm256_srl_epi64(x, _mm_cvtsi32_si128((int32_t)count));
}

static inline vec vec_mul32(vec x, vec y)
{
    return _mm256_mul_epu32(x, y);
}

static inline vec vec_min32(vec x, vec y)
{
    return _mm256_min_epu32(x, y);
}

#include "papers/rival/vector.inc"
