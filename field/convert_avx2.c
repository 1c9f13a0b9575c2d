/* convert_avx2.c: radix conversion in four lanes of AVX2 and FMA. Products of 52-bit integers are
 * computed in double precision, rounding toward zero, as in kernels_avx2.c, which explains them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>
#include <string.h>

#include "convert.h"
#include "unroll.h"

#define LANES 4

typedef __m256i lanes;
typedef __m256i lanes_mask;
typedef __m256d lanes_factor;
typedef double factor_word;

#define LANES_INLINE GFP_INLINE
#define POWER_OF(level) ((level)->power_double)
#define INVERSE_OF(level) ((level)->inverse_double)

/* Sets the rounding mode, and that inexact results do not trap. No product moves across, since all
 * of them depend on memory. */
LANES_INLINE unsigned lanes_enter(void)
{
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | _MM_ROUND_TOWARD_ZERO | _MM_MASK_MASK);
    __asm__ volatile("" : : : "memory");
    return mode;
}

LANES_INLINE void lanes_leave(unsigned mode)
{
    __asm__ volatile("" : : : "memory");
    _mm_setcsr(mode);
}

/* Here the order of additions matters little. */
LANES_INLINE lanes lanes_keep(lanes x)
{
    return x;
}

LANES_INLINE lanes lanes_set(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

LANES_INLINE lanes lanes_add(lanes x, lanes y)
{
    return _mm256_add_epi64(x, y);
}

LANES_INLINE lanes lanes_sub(lanes x, lanes y)
{
    return _mm256_sub_epi64(x, y);
}

LANES_INLINE lanes lanes_and(lanes x, lanes y)
{
    return _mm256_and_si256(x, y);
}

LANES_INLINE lanes lanes_or(lanes x, lanes y)
{
    return _mm256_or_si256(x, y);
}

/* Any number of bits: 64 and more leave 0. */
LANES_INLINE lanes lanes_left(lanes x, uint64_t bits)
{
    return _mm256_sllv_epi64(x, lanes_set(bits));
}

LANES_INLINE lanes lanes_right(lanes x, uint64_t bits)
{
    return _mm256_srlv_epi64(x, lanes_set(bits));
}

LANES_INLINE lanes lanes_right_52(lanes x)
{
    return _mm256_srli_epi64(x, 52);
}

/* x + 2^63 is natural. */
LANES_INLINE lanes lanes_right_52_signed(lanes x)
{
    const lanes natural = _mm256_xor_si256(x, lanes_set((uint64_t)1 << 63));
    return lanes_sub(lanes_right_52(natural), lanes_set((uint64_t)1 << 11));
}

/* The low 52 bits: 2^52 + x is the number whose lower 52 bits are those of x. */
LANES_INLINE lanes_factor lanes_factor_of(lanes x)
{
    const lanes_factor unit = _mm256_set1_pd(0x1p52);
    const lanes low = lanes_and(x, lanes_set(((uint64_t)1 << 52) - 1));
    return _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(low), unit), unit);
}

LANES_INLINE lanes_factor lanes_factor_set(double x)
{
    return _mm256_set1_pd(x);
}

/* Of the product x y: its low 52 bits to *low, the others to *high. */
LANES_INLINE void lanes_product(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    const lanes_factor top = _mm256_set1_pd(0x1p104);
    const lanes_factor both = _mm256_set1_pd(0x1p104 + 0x1p52);
    const lanes_factor bottom = _mm256_set1_pd(0x1p52);
    const lanes_factor h = _mm256_fmadd_pd(x, y, top);
    const lanes_factor l = _mm256_fmadd_pd(x, y, _mm256_sub_pd(both, h));
    *low = lanes_add(*low, lanes_sub(_mm256_castpd_si256(l), _mm256_castpd_si256(bottom)));
    *high = lanes_add(*high, lanes_sub(_mm256_castpd_si256(h), _mm256_castpd_si256(top)));
}

LANES_INLINE void lanes_product_low(lanes *low, lanes_factor x, lanes_factor y)
{
    lanes unused = _mm256_setzero_si256();
    lanes_product(low, &unused, x, y);
}

LANES_INLINE void lanes_product_high(lanes *high, lanes_factor x, lanes_factor y)
{
    lanes unused = _mm256_setzero_si256();
    lanes_product(&unused, high, x, y);
}

/* Unsigned. */
LANES_INLINE lanes_mask lanes_at_least(lanes x, lanes y)
{
    const lanes sign = lanes_set((uint64_t)1 << 63);
    const lanes less = _mm256_cmpgt_epi64(_mm256_xor_si256(y, sign), _mm256_xor_si256(x, sign));
    return _mm256_xor_si256(less, lanes_set(~(uint64_t)0));
}

LANES_INLINE lanes_mask lanes_natural(lanes x)
{
    return _mm256_cmpgt_epi64(x, lanes_set(~(uint64_t)0));
}

LANES_INLINE unsigned lanes_mask_bits(lanes_mask m)
{
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m));
}

/* y where the mask is set, else x. */
LANES_INLINE lanes lanes_select(lanes_mask m, lanes x, lanes y)
{
    return _mm256_blendv_epi8(x, y, m);
}

LANES_INLINE lanes lanes_add_if(lanes_mask m, lanes x, lanes y)
{
    return lanes_add(x, lanes_and(m, y));
}

LANES_INLINE lanes lanes_sub_if(lanes_mask m, lanes x, lanes y)
{
    return lanes_sub(x, lanes_and(m, y));
}

LANES_INLINE void lanes_prefetch(const void *x)
{
    _mm_prefetch(x, _MM_HINT_T0);
}

LANES_INLINE lanes load_four(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

LANES_INLINE void store_four(uint64_t *x, lanes v)
{
    _mm256_storeu_si256((__m256i *)(void *)x, v);
}

LANES_INLINE __m128i load_two(const uint64_t *x)
{
    return _mm_loadu_si128((const __m128i *)(const void *)x);
}

/* 4 by 4 words. */
LANES_INLINE void transpose(lanes v[4])
{
    const lanes a = _mm256_unpacklo_epi64(v[0], v[1]), b = _mm256_unpackhi_epi64(v[0], v[1]);
    const lanes c = _mm256_unpacklo_epi64(v[2], v[3]), d = _mm256_unpackhi_epi64(v[2], v[3]);
    v[0] = _mm256_permute2x128_si256(a, c, 0x20);
    v[1] = _mm256_permute2x128_si256(b, d, 0x20);
    v[2] = _mm256_permute2x128_si256(a, c, 0x31);
    v[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

/* w[j] := word j of each row, j < n; n = 2, 4 or 8. */
LANES_INLINE void load_rows(lanes *w, const uint64_t *const x[LANES], unsigned n)
{
    if (n == 2) {
        const lanes even =
            _mm256_inserti128_si256(_mm256_castsi128_si256(load_two(x[0])), load_two(x[2]), 1);
        const lanes odd =
            _mm256_inserti128_si256(_mm256_castsi128_si256(load_two(x[1])), load_two(x[3]), 1);
        w[0] = _mm256_unpacklo_epi64(even, odd);
        w[1] = _mm256_unpackhi_epi64(even, odd);
        return;
    }
    GFP_UNROLL
    for (unsigned t = 0; t < n; t += 4) {
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            w[t + e] = load_four(x[e] + t);
        }
        transpose(w + t);
    }
}

LANES_INLINE void store_rows(uint64_t *const x[LANES], lanes *w, unsigned n)
{
    if (n == 2) {
        const lanes even = _mm256_unpacklo_epi64(w[0], w[1]);
        const lanes odd = _mm256_unpackhi_epi64(w[0], w[1]);
        const __m128i v[4] = {_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd),
                              _mm256_extracti128_si256(even, 1), _mm256_extracti128_si256(odd, 1)};
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            _mm_storeu_si128((__m128i *)(void *)x[e], v[e]);
        }
        return;
    }
    GFP_UNROLL
    for (unsigned t = 0; t < n; t += 4) {
        transpose(w + t);
        GFP_UNROLL
        for (unsigned e = 0; e < LANES; e++) {
            store_four(x[e] + t, w[t + e]);
        }
    }
}

/* w[j] := word from + j of each number, 0 beyond its end, j < 8. */
LANES_INLINE void load_some_words(lanes w[8], const gfp_limbs_view *x, size_t from)
{
    uint64_t near[LANES][8] = {{0}};
    const uint64_t *const rows[LANES] = {near[0], near[1], near[2], near[3]};
    for (unsigned e = 0; e < LANES; e++) {
        const size_t left = x[e].size > from ? x[e].size - from : 0;
        for (unsigned i = 0; i < 8 && i < left; i++) {
            near[e][i] = x[e].limbs[from + i];
        }
    }
    load_rows(w, rows, 8);
}

/* n = 2, 4 or 8 words of each number. */
LANES_INLINE void load_all_words(lanes w[8], const gfp_limbs_view *x, size_t from, unsigned n)
{
    const uint64_t *const rows[LANES] = {x[0].limbs + from, x[1].limbs + from, x[2].limbs + from,
                                         x[3].limbs + from};
    load_rows(w, rows, n);
}

/* The first n words of each number, at most tile, to z[e] + from. */
LANES_INLINE void store_words(uint64_t *const *z, size_t from, lanes w[8], size_t n, unsigned tile)
{
    if (n >= tile) {
        uint64_t *const rows[LANES] = {z[0] + from, z[1] + from, z[2] + from, z[3] + from};
        store_rows(rows, w, tile);
        return;
    }
    uint64_t near[LANES][8];
    uint64_t *const rows[LANES] = {near[0], near[1], near[2], near[3]};
    store_rows(rows, w, 8);
    for (unsigned e = 0; e < LANES; e++) {
        memcpy(z[e] + from, near[e], n * sizeof near[e][0]);
    }
}

/* n = 2, 4 or 8 digits of 4 elements, k words apart. */
LANES_INLINE void load_digits(lanes digits[8], const uint64_t *x, size_t k, unsigned n)
{
    const uint64_t *const rows[LANES] = {x, x + k, x + 2 * k, x + 3 * k};
    load_rows(digits, rows, n);
}

LANES_INLINE void store_digits(uint64_t *z, size_t k, lanes digits[8], unsigned n)
{
    uint64_t *const rows[LANES] = {z, z + k, z + 2 * k, z + 3 * k};
    store_rows(rows, digits, n);
}

#include "convert_lanes.inc"

gfp_convert_functions gfp_convert_avx2(unsigned k)
{
    return functions_for(k);
}
