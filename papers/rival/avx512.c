/* avx512.c: the papers' rival in eight lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#include "papers/rival/impl.h"

#define LANES 8
#define VECTORS 4
#define KERNELS gfp_rival_avx512ifma
#define NAME "avx512ifma"

typedef __m512i vec;

static inline vec vec_zero(void)
{
    return _mm512_setzero_si512();
}

static inline vec vec_load(const uint64_t *p)
{
    return _mm512_load_si512((const __m512i *)(const void *)p);
}

static inline vec vec_load_any(const uint64_t *p)
{
    return _mm512_loadu_si512((const __m512i *)(const void *)p);
}

static inline void vec_store(uint64_t *p, vec x)
{
    _mm512_store_si512((__m512i *)(void *)p, x);
}

static inline void vec_store_any(uint64_t *p, vec x)
{
    _mm512_storeu_si512((__m512i *)(void *)p, x);
}

static inline vec vec_set(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

static inline vec vec_set32(uint32_t x)
{
    return _mm512_set1_epi32((int32_t)x);
}

static inline vec vec_add(vec x, vec y)
{
    return _mm512_add_epi64(x, y);
}

static inline vec vec_sub(vec x, vec y)
{
    return _mm512_sub_epi64(x, y);
}

static inline vec vec_and(vec x, vec y)
{
    return _mm512_and_si512(x, y);
}

static inline vec vec_or(vec x, vec y)
{
    return _mm512_or_si512(x, y);
}

static inline vec vec_shl(vec x, unsigned count)
{
    return _mm512_sll_epi64(x, _mm_cvtsi32_si128((int32_t)count));
}

static inline vec vec_shr(vec x, unsigned count)
{
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128((int32_t)count));
}

static inline vec vec_mul32(vec x, vec y)
{
    return _mm512_mul_epu32(x, y);
}

static inline vec vec_min32(vec x, vec y)
{
    return _mm512_min_epu32(x, y);
}

#include "papers/rival/vector.inc"
