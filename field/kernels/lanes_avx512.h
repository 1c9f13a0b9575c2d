/* lanes_avx512.h: 8 lanes of AVX-512 (F, DQ). lanes_portable.h describes the operations. Only files
 * compiled for this level include this header.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_LANES_AVX512_H
#define GFP_FIELD_KERNELS_LANES_AVX512_H

#include "field/kernels/vector_avx512.h"

GFP_INLINE lanes lanes_low(lanes a)
{
    return _mm512_and_si512(a, _mm512_set1_epi64(0xffffffff));
}

GFP_INLINE lanes lanes_high(lanes a)
{
    return _mm512_srli_epi64(a, 32);
}

GFP_INLINE lanes lanes_high_signed(lanes a)
{
    return _mm512_srai_epi64(a, 32);
}

GFP_INLINE lanes lanes_up(lanes a)
{
    return _mm512_slli_epi64(a, 32);
}

GFP_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n)
{
    return _mm512_srav_epi64(a, lanes_set(n));
}

typedef __m512i lanes_multiplier;

GFP_INLINE lanes_multiplier lanes_multiplier_set(uint64_t x)
{
    return lanes_set(x);
}

GFP_INLINE lanes lanes_mul(lanes a, lanes_multiplier x)
{
    return _mm512_mullo_epi64(a, x);
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

/* Returns x / 2^32 for x = lo + 2^32 hi; unless precise, without the part below 1. */
GFP_INLINE __m512d lanes_dividend(lanes lo, lanes hi, bool precise)
{
    __m512d top = _mm512_cvtepi64_pd(_mm512_add_epi64(hi, _mm512_srai_epi64(lo, 32)));
    if (!precise) {
        return top;
    }
    __m512d rest = _mm512_cvtepi64_pd(lanes_low(lo));
    return _mm512_fmadd_pd(rest, _mm512_set1_pd(0x1p-32), top);
}

GFP_INLINE lanes lanes_from_magic(__m512d x)
{
    return _mm512_sub_epi64(_mm512_castpd_si512(x),
                            _mm512_castpd_si512(_mm512_set1_pd(LANES_MAGIC)));
}

GFP_INLINE lanes lanes_quotient(lanes lo, lanes hi, const lanes_divisor *divisor, bool precise)
{
    return lanes_from_magic(_mm512_fmadd_pd(lanes_dividend(lo, hi, precise),
                                            _mm512_set1_pd(divisor->inverse),
                                            _mm512_set1_pd(LANES_MAGIC)));
}

GFP_INLINE lanes lanes_quotient_floor(lanes lo, lanes hi, const lanes_divisor *divisor,
                                      bool precise)
{
    return lanes_from_magic(_mm512_fmadd_round_pd(
        lanes_dividend(lo, hi, precise), _mm512_set1_pd(divisor->inverse),
        _mm512_set1_pd(LANES_MAGIC), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
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
        const lanes even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const lanes odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        lanes a = lanes_load(x), b = lanes_load(x + 8);
        digits[0] = _mm512_permutex2var_epi64(a, even, b);
        digits[1] = _mm512_permutex2var_epi64(a, odd, b);
    } else if (n == 4) {
        const lanes low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
        const lanes high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
        lanes a = lanes_load(x), b = lanes_load(x + 8);
        lanes c = lanes_load(x + 16), d = lanes_load(x + 24);
        for (unsigned i = 0; i < 2; i++) {
            lanes first = _mm512_permutex2var_epi64(a, i == 0 ? low : high, b);
            lanes second = _mm512_permutex2var_epi64(c, i == 0 ? low : high, d);
            digits[2 * i] = _mm512_shuffle_i64x2(first, second, 0x44);
            digits[2 * i + 1] = _mm512_shuffle_i64x2(first, second, 0xee);
        }
    } else {
        for (unsigned t = 0; t < n; t += 8) {
            lanes row[8];
            GFP_UNROLL
            for (unsigned i = 0; i < 8; i++) {
                row[i] = lanes_load(x + i * k + t);
            }
            lanes_transpose(row);
            GFP_UNROLL
            for (unsigned i = 0; i < 8; i++) {
                digits[t + i] = row[i];
            }
        }
    }
}

GFP_INLINE void lanes_store_rows(uint64_t *x, size_t k, const lanes *digits, unsigned n)
{
    if (n == 2) {
        lanes_store(x, _mm512_permutex2var_epi64(
                           digits[0], _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), digits[1]));
        lanes_store(x + 8, _mm512_permutex2var_epi64(digits[0],
                                                     _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15),
                                                     digits[1]));
    } else if (n == 4) {
        const lanes low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
        const lanes high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
        for (unsigned i = 0; i < 2; i++) {
            /* Elements 4 i .. 4 i + 3: two digits of each, then all four. */
            lanes first = i == 0 ? _mm512_shuffle_i64x2(digits[0], digits[1], 0x44)
                                 : _mm512_shuffle_i64x2(digits[0], digits[1], 0xee);
            lanes second = i == 0 ? _mm512_shuffle_i64x2(digits[2], digits[3], 0x44)
                                  : _mm512_shuffle_i64x2(digits[2], digits[3], 0xee);
            lanes_store(x + 16 * i, _mm512_permutex2var_epi64(first, low, second));
            lanes_store(x + 16 * i + 8, _mm512_permutex2var_epi64(first, high, second));
        }
    } else {
        for (unsigned t = 0; t < n; t += 8) {
            lanes row[8];
            GFP_UNROLL
            for (unsigned i = 0; i < 8; i++) {
                row[i] = digits[t + i];
            }
            lanes_transpose(row);
            GFP_UNROLL
            for (unsigned i = 0; i < 8; i++) {
                lanes_store(x + i * k + t, row[i]);
            }
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
    _mm512_stream_si512((void *)to, a);
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
