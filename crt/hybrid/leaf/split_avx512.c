/* split_avx512.c: from residues modulo three or four primes to balanced digits: the CRT, the
 * split c = low + middle r + high r^2 of every digit's coefficient, and the sum of these parts at
 * each T^t with one carry.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/leaf/avx512.h"

#include "fft/words/ntt_ifma.h"

#include <stdbool.h>

/* Constants of a split in all lanes. */
typedef struct split_vectors {
    __m512i cofactor[GFP_NTT48_PRIMES][3];
    __m512i offset[3][2];
    __m512i reciprocal[2];
    __m512i round, shift, unshift, top_shift, top_unshift, top_reciprocal;
    __m512i r, half_r, quarter_r, bias;
    __m128i scale;
} split_vectors;

GFP_INLINE split_vectors load_vectors(const gfp_ifma_split *split, uint64_t r)
{
    split_vectors s;
    for (unsigned i = 0; i < GFP_NTT48_PRIMES; i++) {
        for (unsigned l = 0; l < 3; l++) {
            s.cofactor[i][l] = lanes_set(split->cofactor[i][l]);
        }
    }
    for (unsigned l = 0; l < 3; l++) {
        s.offset[l][0] = _mm512_loadu_si512(split->offset[l]);
        s.offset[l][1] = _mm512_loadu_si512(split->offset[l] + 8);
    }
    s.reciprocal[0] = lanes_set(split->reciprocal[0]);
    s.reciprocal[1] = lanes_set(split->reciprocal[1]);
    s.round = lanes_set(split->round);
    s.shift = lanes_set(split->shift);
    s.unshift = lanes_set(52 - split->shift);
    s.top_shift = lanes_set(split->top_shift);
    s.top_unshift = lanes_set(52 - split->top_shift);
    s.top_reciprocal = lanes_set(split->top_reciprocal);
    s.r = lanes_set(r);
    s.half_r = lanes_set(r / 2);
    s.quarter_r = lanes_set(r / 4);
    s.bias = lanes_set(split->bias);
    s.scale = _mm_cvtsi32_si128((int)split->scale);
    return s;
}

/* c = low + middle r + high r^2. */
typedef struct parts {
    __m512i low;    /* |low| < 0.69 r, and < 2^63 */
    __m512i middle; /* |middle| < 0.52 r, and < 2^63 */
    __m512i high;
} parts;

/* The variant of the code for a field: the number of primes; wide: four primes or a scaled radix,
 * limbs as in gfp_ifma_split; top: r near 2^64. */
typedef struct variant {
    unsigned primes;
    bool wide;
    bool top;
} variant;

/* The CRT of one vector of digits, in place: replaces y_0, y_1, y_2 by v mod 2^64, and v[1] and
 * v[2] of v = (c + bias r^2 + r^2/2) 2^scale = v[0] + 2^52 v[1] + 2^104 v[2] mod 2^156. The limbs
 * v[i] are their low 52 bits; v[0], which is dropped, was below 5 2^52. */
GFP_INLINE void split_avx512_recombine(__m512i *residues, size_t step, variant which,
                                       const split_vectors *s)
{
    const __m512i zero = _mm512_setzero_si512();
    /* f = round(sum of y_i / q_i): the fraction of the sum is that of c / M, which is further from
     * 1/2 than the sum of the y_i / 2^48 is less than that of y_i / q_i. Its bits above the index
     * are arbitrary. */
    __m512i f = lanes_set(UINT64_C(1) << 47);
    __m512i v[3] = {zero, zero, zero}, middle = zero;
    GFP_UNROLL
    for (unsigned i = 0; i < which.primes; i++) {
        __m512i y = residues[i * step];
        f = _mm512_add_epi64(f, y);
        v[0] = _mm512_madd52lo_epu64(v[0], y, s->cofactor[i][0]);
        v[1] = _mm512_madd52hi_epu64(v[1], y, s->cofactor[i][0]);
        middle = _mm512_madd52lo_epu64(middle, y, s->cofactor[i][1]);
        v[2] = _mm512_madd52hi_epu64(v[2], y, s->cofactor[i][1]);
        if (which.wide) {
            v[2] = _mm512_madd52lo_epu64(v[2], y, s->cofactor[i][2]);
        }
    }
    f = _mm512_srli_epi64(f, 48);
    GFP_UNROLL
    for (unsigned l = 0; l < 3; l++) {
        __m512i offset = which.primes == 3
                             ? _mm512_permutexvar_epi64(f, s->offset[l][0])
                             : _mm512_permutex2var_epi64(s->offset[l][0], f, s->offset[l][1]);
        v[l] = _mm512_add_epi64(v[l], offset);
    }
    v[1] = _mm512_add_epi64(v[1], middle);
    residues[0] = _mm512_add_epi64(v[0], _mm512_slli_epi64(v[1], 52));
    residues[step] = v[1];
    residues[2 * step] = _mm512_add_epi64(v[2], _mm512_srli_epi64(v[1], 52));
}

/* For r near 2^64: low = v - quotient r may have left [-2^63, 2^63); the fraction of the quotient,
 * the lowest 11 bits of p, shows it. */
GFP_INLINE void unwrap_low(__m512i *low, __m512i *quotient, __m512i p, const split_vectors *s)
{
    const __m512i one = _mm512_set1_epi64(1);
    __m512i fraction = _mm512_slli_epi64(p, 53);
    __mmask8 negative = _mm512_movepi64_mask(*low);
    __mmask8 above = _mm512_mask_cmpge_epu64_mask(negative, fraction, lanes_set(UINT64_C(3) << 62));
    __mmask8 below =
        _mm512_mask_cmplt_epu64_mask((__mmask8)~negative, fraction, lanes_set(UINT64_C(1) << 62));
    *low = _mm512_mask_sub_epi64(*low, above, *low, s->r);
    *low = _mm512_mask_add_epi64(*low, below, *low, s->r);
    *quotient = _mm512_mask_add_epi64(*quotient, above, *quotient, one);
    *quotient = _mm512_mask_sub_epi64(*quotient, below, *quotient, one);
}

/* For r near 2^64: middle = quotient - high r may have reached r, and even 2^64; then the fraction
 * of high is near 1. */
GFP_INLINE void unwrap_middle(__m512i *middle, __m512i *high, __m512i fraction,
                              const split_vectors *s)
{
    __mmask8 wrapped = _mm512_cmplt_epu64_mask(*middle, lanes_set(UINT64_C(1) << 62));
    wrapped = _mm512_mask_test_epi64_mask(wrapped, fraction, lanes_set(UINT64_C(1) << 51));
    wrapped |= _mm512_cmpge_epu64_mask(*middle, s->r);
    *middle = _mm512_mask_sub_epi64(*middle, wrapped, *middle, s->r);
    *high = _mm512_mask_add_epi64(*high, wrapped, *high, _mm512_set1_epi64(1));
}

/* Returns the parts of the coefficient whose limbs recombine made.
 *
 * The first quotient: v / r' = h 2^52 reciprocal / 2^(104 + e) with h = v[1] + 2^52 v[2] and, in
 * units of 2^-shift = 2^(52 - e), errors below 5 (v[0] is left out), 1 (the reciprocal is rounded)
 * and 3 (products below 2^104). All errors make it less; `round` holds a half and 4 units, so low /
 * r is in [-1/2 - 4 units, 1/2 + 5 units), a unit being at most 1/32. */
GFP_INLINE parts split_one(const __m512i *limbs, size_t step, variant which, const split_vectors *s)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i word = limbs[0], v1 = limbs[step], v2 = limbs[2 * step];
    __m512i p0 = _mm512_madd52hi_epu64(s->round, v1, s->reciprocal[1]);
    __m512i p1 = _mm512_madd52hi_epu64(zero, v2, s->reciprocal[1]);
    p0 = _mm512_madd52hi_epu64(p0, v2, s->reciprocal[0]);
    p0 = _mm512_madd52lo_epu64(p0, v2, s->reciprocal[1]);
    __m512i quotient = _mm512_add_epi64(_mm512_srlv_epi64(p0, s->shift),
                                        _mm512_sllv_epi64(p1, s->unshift)); /* modulo 2^64 */
    parts c;
    if (which.wide) {
        __m512i r = _mm512_sll_epi64(s->r, s->scale);
        c.low = _mm512_sub_epi64(word, _mm512_mullo_epi64(quotient, r));
        c.low = _mm512_sra_epi64(c.low, s->scale);
    } else {
        c.low = _mm512_sub_epi64(word, _mm512_mullo_epi64(quotient, s->r));
    }
    if (which.top) {
        unwrap_low(&c.low, &quotient, p0, s);
    }
    /* The second: (quotient of v is c / r + bias r + r/2, to within 1) / r, less by at most 2^-6.
     */
    __m512i dividend = which.wide ? _mm512_add_epi64(_mm512_srlv_epi64(p0, s->top_shift),
                                                     _mm512_sllv_epi64(p1, s->top_unshift))
                                  : _mm512_add_epi64(_mm512_srli_epi64(p0, 52), p1);
    c.high = _mm512_madd52hi_epu64(zero, dividend, s->top_reciprocal);
    c.middle = _mm512_sub_epi64(quotient, _mm512_mullo_epi64(c.high, s->r));
    if (which.top) {
        unwrap_middle(&c.middle, &c.high, _mm512_madd52lo_epu64(zero, dividend, s->top_reciprocal),
                      s);
    }
    c.middle = _mm512_sub_epi64(c.middle, s->half_r);
    c.high = _mm512_sub_epi64(c.high, s->bias);
    return c;
}

/* Returns the digit low + middle + high - carry r, and its carry in {-1, 0, 1}: the sum is below
 * 1.5 r, its half is taken to within 2. Unless wide, high is negligible: below r / 2^27 and, for r
 * near 2^64, below 2^16. */
GFP_INLINE __m512i split_avx512_balance(__m512i low, __m512i middle, __m512i high, __mmask8 *up,
                                        __mmask8 *down, variant which, const split_vectors *s)
{
    __m512i half = _mm512_add_epi64(_mm512_srai_epi64(low, 1), _mm512_srai_epi64(middle, 1));
    if (which.wide) {
        half = _mm512_add_epi64(half, _mm512_srai_epi64(high, 1));
    }
    *up = _mm512_cmpgt_epi64_mask(half, s->quarter_r);
    *down = _mm512_cmplt_epi64_mask(half, _mm512_sub_epi64(_mm512_setzero_si512(), s->quarter_r));
    __m512i digit = _mm512_add_epi64(_mm512_add_epi64(low, middle), high);
    digit = _mm512_mask_sub_epi64(digit, *up, digit, s->r);
    return _mm512_mask_add_epi64(digit, *down, digit, s->r);
}

/* digit + the carry of the digit below. */
GFP_INLINE __m512i carry_in(__m512i digit, __mmask8 up, __mmask8 down)
{
    const __m512i one = _mm512_set1_epi64(1);
    digit = _mm512_mask_add_epi64(digit, up, digit, one);
    return _mm512_mask_sub_epi64(digit, down, digit, one);
}

GFP_INLINE __m512i split_avx512_negate(__m512i x)
{
    return _mm512_sub_epi64(_mm512_setzero_si512(), x);
}

/* The terms that digit t gets from lower digits: middle of t - 1, high of t - 2, and the carry; and
 * the high of t - 1. */
typedef struct carries {
    __m512i middle, high, next_high;
    __mmask8 up, down;
} carries;

GFP_INLINE __m512i next_digit(parts p, carries *c, variant which, const split_vectors *s)
{
    __mmask8 up, down;
    __m512i digit = split_avx512_balance(p.low, c->middle, c->high, &up, &down, which, s);
    digit = carry_in(digit, c->up, c->down);
    *c = (carries){p.middle, c->next_high, p.high, up, down};
    return digit;
}

GFP_INLINE void split_columns(const gfp_ifma_split *split, uint64_t r, __m512i *digits,
                              __m512i *residues, size_t step, unsigned k, size_t columns,
                              variant which)
{
    const split_vectors s = load_vectors(split, r);
    /* Two loops, because one loop would be one long chain of dependent instructions. */
    for (size_t i = 0; i < columns * k; i++) {
        split_avx512_recombine(residues + i, step, which, &s);
    }
    for (size_t column = 0; column < columns; column++, digits += k, residues += k) {
        /* The last two digits first, because digits 0 and 1 get the negatives of their upper
         * parts. */
        parts before = split_one(residues + k - 2, step, which, &s);
        parts last = split_one(residues + k - 1, step, which, &s);
        carries c = {split_avx512_negate(last.middle), split_avx512_negate(before.high),
                     split_avx512_negate(last.high), 0, 0};
        for (unsigned t = 0; t + 2 < k; t++) {
            digits[t] = next_digit(split_one(residues + t, step, which, &s), &c, which, &s);
        }
        digits[k - 2] = next_digit(before, &c, which, &s);
        digits[k - 1] = next_digit(last, &c, which, &s);
        digits[0] = carry_in(digits[0], c.down, c.up);
    }
}

#define INSTANTIATE(name, primes, wide, top)                                                       \
    static void name(const gfp_ifma_split *split, uint64_t r, __m512i *digits, __m512i *residues,  \
                     size_t step, unsigned k, size_t columns)                                      \
    {                                                                                              \
        split_columns(split, r, digits, residues, step, k, columns, (variant){primes, wide, top}); \
    }
INSTANTIATE(split_three, 3, false, false)
INSTANTIATE(split_three_top, 3, false, true)
INSTANTIATE(split_three_wide, 3, true, false)
INSTANTIATE(split_four, 4, true, false)
INSTANTIATE(split_four_top, 4, true, true)

gfp_ifma_split_kernel *gfp_ifma_split_kernel_get(unsigned primes, uint64_t r)
{
    bool top = r > GFP_IFMA_R_TOP;
    if (primes == 4) {
        return top ? split_four_top : split_four;
    }
    return r < GFP_IFMA_R_PLAIN ? split_three_wide : (top ? split_three_top : split_three);
}
