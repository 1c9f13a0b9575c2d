/* lanes_avx2.h: 4 lanes of AVX2 with FMA. lanes_portable.h describes the operations. Only files
 * compiled for this level or a higher one include this header.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_LANES_AVX2_H
#define GFP_FIELD_KERNELS_LANES_AVX2_H

#include "field/kernels/vector_avx2.h"

GFP_INLINE lanes lanes_low(lanes a)
{
    return _mm256_and_si256(a, _mm256_set1_epi64x(0xffffffff));
}

GFP_INLINE lanes lanes_high(lanes a)
{
    return _mm256_srli_epi64(a, 32);
}

GFP_INLINE lanes lanes_high_signed(lanes a)
{
    return _mm256_blend_epi32(_mm256_srli_epi64(a, 32), _mm256_srai_epi32(a, 31), 0xaa);
}

GFP_INLINE lanes lanes_up(lanes a)
{
    return _mm256_slli_epi64(a, 32);
}

/* AVX2 has no arithmetic shift of 64-bit lanes: an offset makes a positive. */
GFP_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n)
{
    const uint64_t offset = (uint64_t)1 << 62;
    return lanes_sub(lanes_shift_right(lanes_add(a, lanes_set(offset)), n), lanes_set(offset >> n));
}

/* x = high 2^32 + low modulo 2^64, low signed. */
typedef struct lanes_multiplier {
    lanes low, high;
} lanes_multiplier;

GFP_INLINE lanes_multiplier lanes_multiplier_set(uint64_t x)
{
    uint64_t carry = x >> 31 & 1;
    return (lanes_multiplier){lanes_set(x), lanes_set((x >> 32) + carry)};
}

/* Both products read the low halves of the lanes: a signed in the first, modulo 2^32 in the other.
 */
GFP_INLINE lanes lanes_mul(lanes a, lanes_multiplier x)
{
    return lanes_add(_mm256_mul_epi32(a, x.low), lanes_up(_mm256_mul_epu32(a, x.high)));
}

/* ---- quotients: see fft/outer/ranges.py for the errors ---- */

typedef struct lanes_divisor {
    double inverse; /* 2^32 / r */
} lanes_divisor;

/* An integer of less than 51 bits added to LANES_MAGIC stays exact, and is the low bits of the
 * sum. */
#define LANES_MAGIC 0x1.8p52

GFP_INLINE lanes_divisor lanes_divisor_set(uint64_t r)
{
    return (lanes_divisor){0x1p32 / (double)r};
}

GFP_INLINE bool lanes_divisor_precise(uint64_t r)
{
    return r < (uint64_t)1 << 54 || r > ~(uint64_t)0 - ((uint64_t)1 << 34);
}

/* Converts x, |x| < 2^51. */
GFP_INLINE __m256d lanes_to_double(lanes x)
{
    const __m256d magic = _mm256_set1_pd(LANES_MAGIC);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(x, _mm256_castpd_si256(magic))),
                         magic);
}

/* Returns x / 2^32 for x = lo + 2^32 hi; unless precise, without the part below 1. */
GFP_INLINE __m256d lanes_dividend(lanes lo, lanes hi, bool precise)
{
    /* lo| < 2^46: an offset replaces the arithmetic shift. */
    const uint64_t offset = (uint64_t)1 << 46;
    lanes carry = lanes_sub(lanes_high(lanes_add(lo, lanes_set(offset))), lanes_set(offset >> 32));
    __m256d top = lanes_to_double(lanes_add(hi, carry));
    if (!precise) {
        return top;
    }
    return _mm256_fmadd_pd(lanes_to_double(lanes_low(lo)), _mm256_set1_pd(0x1p-32), top);
}

GFP_INLINE lanes lanes_from_magic(__m256d x)
{
    return _mm256_sub_epi64(_mm256_castpd_si256(x),
                            _mm256_castpd_si256(_mm256_set1_pd(LANES_MAGIC)));
}

GFP_INLINE lanes lanes_quotient(lanes lo, lanes hi, const lanes_divisor *divisor, bool precise)
{
    return lanes_from_magic(_mm256_fmadd_pd(lanes_dividend(lo, hi, precise),
                                            _mm256_set1_pd(divisor->inverse),
                                            _mm256_set1_pd(LANES_MAGIC)));
}

/* Rounds the quotient less 1/2 to nearest; 2^-40 more keeps exact multiples of r. */
GFP_INLINE lanes lanes_quotient_floor(lanes lo, lanes hi, const lanes_divisor *divisor,
                                      bool precise)
{
    __m256d less = _mm256_fmadd_pd(lanes_dividend(lo, hi, precise),
                                   _mm256_set1_pd(divisor->inverse), _mm256_set1_pd(0x1p-40 - 0.5));
    return lanes_from_magic(_mm256_add_pd(less, _mm256_set1_pd(LANES_MAGIC)));
}

/* ---- transposing ---- */

/* Copies n < 8 words of each of LANES elements, from steps of from_step to steps of to_step. */
GFP_INLINE void lanes_copy(uint64_t *to, size_t to_step, const uint64_t *from, size_t from_step,
                           unsigned n)
{
    for (unsigned i = 0; i < LANES; i++) {
        memcpy(to + i * to_step, from + i * from_step, n * sizeof *to);
    }
}

/* Loads n digits of LANES elements; n < LANES only for k = n. */
GFP_INLINE void lanes_load_rows(lanes *digits, const uint64_t *x, size_t k, unsigned n)
{
    if (n == 2) {
        lanes a = lanes_load(x), b = lanes_load(x + 4);
        digits[0] = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
        digits[1] = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xd8);
        return;
    }
    for (unsigned t = 0; t < n; t += 4) {
        lanes row[4];
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            row[i] = lanes_load(x + i * k + t);
        }
        lanes_transpose(row);
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            digits[t + i] = row[i];
        }
    }
}

GFP_INLINE void lanes_store_rows(uint64_t *x, size_t k, const lanes *digits, unsigned n)
{
    if (n == 2) {
        lanes a = _mm256_unpacklo_epi64(digits[0], digits[1]); /* elements 0 and 2 */
        lanes b = _mm256_unpackhi_epi64(digits[0], digits[1]);
        lanes_store(x, _mm256_permute2x128_si256(a, b, 0x20));
        lanes_store(x + 4, _mm256_permute2x128_si256(a, b, 0x31));
        return;
    }
    for (unsigned t = 0; t < n; t += 4) {
        lanes row[4];
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            row[i] = digits[t + i];
        }
        lanes_transpose(row);
        GFP_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            lanes_store(x + i * k + t, row[i]);
        }
    }
}

GFP_INLINE void lanes_load_digits(lanes *digits, const uint64_t *x, size_t k, unsigned n)
{
    if (n >= LANES || n == k) {
        lanes_load_rows(digits, x, k, n);
        return;
    }
    uint64_t near[LANES * 4];
    lanes_copy(near, n, x, k, n);
    lanes_load_rows(digits, near, n, n);
}

GFP_INLINE void lanes_store_digits(uint64_t *x, size_t k, const lanes *digits, unsigned n)
{
    if (n >= LANES || n == k) {
        lanes_store_rows(x, k, digits, n);
        return;
    }
    uint64_t near[LANES * 4];
    lanes_store_rows(near, n, digits, n);
    lanes_copy(x, k, near, n, n);
}

GFP_INLINE void lanes_stream(lanes *to, lanes a)
{
    _mm256_stream_si256(to, a);
}

GFP_INLINE void lanes_stream_end(void)
{
    _mm_sfence();
}

GFP_INLINE void lanes_prefetch(const void *x, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        _mm_prefetch((const char *)x + 8 * i, _MM_HINT_T0);
    }
}

#endif
