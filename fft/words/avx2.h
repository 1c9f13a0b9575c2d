/* avx2.h: arithmetic modulo the eight primes of a block in double precision by FMA, in two
 * vectors of four lanes or one of eight; the operations are those of portable.h.
 *
 * A form is a double v, an integer with |v| < q, rounding is to nearest. A product a b is h + l, h
 * the rounded product, l the rest. h / q is computed with a relative error of at most 3 2^-53,
 * which is less than 3/8 as |a b / q| < 2^50; k is h / q rounded. h - k q is an integer below 2^53
 * in absolute value, and so exact; with l it is below (1/2 + 3/8) q. Sums of up to three such
 * products are below 2.7 q < 2^52; k for them leaves at most (1/2 + 2^-50) q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_AVX2_H
#define GFP_FFT_WORDS_AVX2_H

#include "field/base/support.h"
#include "fft/words/block.h"
#ifdef GFP_WIDE
#include "field/kernels/vector_avx512.h"
#include "field/kernels/vector_wide.h"
/* The names and the number of this level. */
#define WORDS_LEVEL(name) name##_avx512dq
#define WORDS_LEVEL_NUMBER GFP_LEVEL_AVX512DQ
#else
#include "field/kernels/vector_avx2.h"
#define WORDS_LEVEL(name) name##_avx2
#define WORDS_LEVEL_NUMBER GFP_LEVEL_FOUR_LANES
#endif

#define WORDS_PARTS (GFP_WORDS / LANES)
typedef struct words {
    __m256d part[WORDS_PARTS];
} words;

typedef struct words_moduli {
    words q, reciprocal;
} words_moduli;

typedef int words_mode;

GFP_INLINE words_mode words_begin(void)
{
    return gfp_rounding_begin();
}

GFP_INLINE void words_end(words_mode mode)
{
    gfp_rounding_end(mode);
}

GFP_INLINE words words_doubles(const double x[GFP_WORDS])
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = _mm256_loadu_pd(x + (size_t)LANES * i);
    }
    return z;
}

GFP_INLINE words words_load(const uint64_t x[GFP_WORDS])
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = _mm256_castsi256_pd(lanes_load(x + (size_t)LANES * i));
    }
    return z;
}

GFP_INLINE void words_store(uint64_t z[GFP_WORDS], words x)
{
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        lanes_store(z + (size_t)LANES * i, _mm256_castpd_si256(x.part[i]));
    }
}

GFP_INLINE words_moduli words_moduli_of(const gfp_words *block)
{
    return (words_moduli){words_doubles(block->value), words_doubles(block->reciprocal)};
}

GFP_INLINE words words_copies(double x)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = _mm256_set1_pd(x);
    }
    return z;
}

GFP_INLINE words words_zero(void)
{
    return words_copies(0);
}

GFP_INLINE words words_one(const words_moduli *m)
{
    (void)m;
    return words_copies(1);
}

GFP_INLINE __m256d words_nearest(__m256d x)
{
    return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

GFP_INLINE __m256d words_part_mul(__m256d a, __m256d b, __m256d q, __m256d reciprocal)
{
    const __m256d h = _mm256_mul_pd(a, b), l = _mm256_fmsub_pd(a, b, h);
    const __m256d k = words_nearest(_mm256_mul_pd(h, reciprocal));
    return _mm256_add_pd(_mm256_fnmadd_pd(k, q, h), l);
}

GFP_INLINE __m256d words_part_reduce(__m256d x, __m256d q, __m256d reciprocal)
{
    return _mm256_fnmadd_pd(words_nearest(_mm256_mul_pd(x, reciprocal)), q, x);
}

GFP_INLINE words words_mul(words a, words b, const words_moduli *m)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = words_part_mul(a.part[i], b.part[i], m->q.part[i], m->reciprocal.part[i]);
    }
    return z;
}

GFP_INLINE words words_dot2(words a, words b, words c, words d, const words_moduli *m)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const __m256d q = m->q.part[i], reciprocal = m->reciprocal.part[i];
        const __m256d x = words_part_mul(a.part[i], b.part[i], q, reciprocal);
        const __m256d y = words_part_mul(c.part[i], d.part[i], q, reciprocal);
        z.part[i] = words_part_reduce(_mm256_add_pd(x, y), q, reciprocal);
    }
    return z;
}

GFP_INLINE words words_dot3(const words x[3], const words y[3], const words_moduli *m)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const __m256d q = m->q.part[i], reciprocal = m->reciprocal.part[i];
        __m256d sum = words_part_mul(x[0].part[i], y[0].part[i], q, reciprocal);
        sum = _mm256_add_pd(sum, words_part_mul(x[1].part[i], y[1].part[i], q, reciprocal));
        sum = _mm256_add_pd(sum, words_part_mul(x[2].part[i], y[2].part[i], q, reciprocal));
        z.part[i] = words_part_reduce(sum, q, reciprocal);
    }
    return z;
}

GFP_INLINE words words_add(words a, words b, const words_moduli *m)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = words_part_reduce(_mm256_add_pd(a.part[i], b.part[i]), m->q.part[i],
                                      m->reciprocal.part[i]);
    }
    return z;
}

GFP_INLINE words words_sub(words a, words b, const words_moduli *m)
{
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = words_part_reduce(_mm256_sub_pd(a.part[i], b.part[i]), m->q.part[i],
                                      m->reciprocal.part[i]);
    }
    return z;
}

GFP_INLINE words words_neg(words a, const words_moduli *m)
{
    (void)m;
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = _mm256_sub_pd(_mm256_setzero_pd(), a.part[i]);
    }
    return z;
}

/* Words below 2^52 are the lower bits of the double 2^52 plus the word. */
GFP_INLINE words words_enter(words x, const words_moduli *m)
{
    const __m256d unit = _mm256_set1_pd(0x1p52);
    (void)m;
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        z.part[i] = _mm256_sub_pd(_mm256_or_pd(x.part[i], unit), unit);
    }
    return z;
}

GFP_INLINE words words_leave(words x, const words_moduli *m)
{
    const __m256d zero = _mm256_setzero_pd(), unit = _mm256_set1_pd(0x1p52);
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const __m256d negative = _mm256_cmp_pd(x.part[i], zero, _CMP_LT_OQ);
        const __m256d v = _mm256_add_pd(x.part[i], _mm256_and_pd(negative, m->q.part[i]));
        z.part[i] = _mm256_xor_pd(_mm256_add_pd(v, unit), unit);
    }
    return z;
}

GFP_INLINE words words_scale(words x, words y, const words_moduli *m)
{
    return words_leave(words_mul(words_enter(x, m), y, m), m);
}

GFP_INLINE unsigned words_zeros(words x)
{
    const __m256d zero = _mm256_setzero_pd();
    unsigned mask = 0;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const __m256d equal = _mm256_cmp_pd(x.part[i], zero, _CMP_EQ_OQ);
        mask |= (unsigned)_mm256_movemask_pd(equal) << (LANES * i);
    }
    return mask;
}

GFP_INLINE words words_select(unsigned mask, words yes, words no)
{
    static const uint64_t bits[GFP_WORDS] = {1, 2, 4, 8, 16, 32, 64, 128};
    words z;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const lanes bit = lanes_load(bits + (size_t)LANES * i);
        const lanes set = _mm256_cmpeq_epi64(lanes_and(lanes_set(mask), bit), bit);
        z.part[i] = _mm256_blendv_pd(no.part[i], yes.part[i], _mm256_castsi256_pd(set));
    }
    return z;
}

#endif
