/* avx512.c: projection to blocks of word-size primes and reconstruction by AVX-512 IFMA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx512.h"

enum { TILE_INTEGERS = 8, TILE_DIGITS = 8, TILE_COLUMNS = 4, FEW_INTEGERS = 5 };

typedef lanes factor;

GFP_INLINE factor factor_of(lanes x)
{
    return x;
}

GFP_INLINE factor factor_sum(factor x, factor y)
{
    return lanes_add(x, y);
}

enum { bias_low = 0, bias_high = 0 };

GFP_INLINE void add_product(lanes *low, lanes *high, factor x, factor y)
{
    lanes_add_product(low, high, x, y);
}

GFP_INLINE lanes words_vector(words x, unsigned v)
{
    (void)v;
    return x;
}

typedef struct constants {
    words_moduli m;
    lanes quotient; /* 2^57 / q rounded down, or one less */
} constants;

/* The factor before 2^57 makes up for the rounding of 1 / q. */
GFP_INLINE constants constants_of(const gfp_words *block)
{
    const __m512d reciprocal = _mm512_loadu_pd(block->reciprocal);
    const __m512d quotient = _mm512_mul_pd(reciprocal, _mm512_set1_pd(0x1p57 * (1 - 0x1p-40)));
    return (constants){words_moduli_of(block), _mm512_cvttpd_epu64(quotient)};
}

/* With f = -low / q mod 2^52, r = (low + f q) / 2^52 + high is an integer below q + 2^56 < 2^57.
 * The estimate of r / q is floor(floor(r / 2^5) k->quotient / 2^52): each rounding down loses less
 * than 1, that of the quotient times r / 2^57, which is below 0.65, and that of r / 2^5 next to
 * nothing. What is left is below 2 q. */
GFP_INLINE void lanes_settle(uint64_t *z, const lanes *low, const lanes *high, const constants *k)
{
    const lanes mask = lanes_set(GFP_WORDS_RADIX_MASK);
    const lanes f = _mm512_madd52lo_epu64(lanes_zero(), *low, k->m.negative_inverse);
    const lanes carry = _mm512_srli_epi64(lanes_add(*low, mask), GFP_WORDS_RADIX_BITS);
    const lanes r = lanes_add(_mm512_madd52hi_epu64(*high, f, k->m.q), carry);
    const lanes estimate =
        _mm512_madd52hi_epu64(lanes_zero(), _mm512_srli_epi64(r, 5), k->quotient);
    const lanes multiple = _mm512_madd52lo_epu64(lanes_zero(), estimate, k->m.q);
    lanes_store(z, words_once(lanes_and(lanes_sub(r, multiple), mask), &k->m));
}

#include "crt/blocks/lanes.inc"

/* The lanes below n. */
GFP_INLINE lanes_mask blocks_avx512_first(size_t n)
{
    return (lanes_mask)(n >= LANES ? 0xff : (1U << n) - 1);
}

/* Digits t .. t + 7 of a number of n limbs, which the sign goes on. They begin in a limb, at a bit
 * below 64, and end in the seventh next limb at the latest: each is in the limb `from` and the next
 * one. Digits that are not among the len ones are 0. */
GFP_INLINE lanes digits_at(size_t t, size_t len, const uint64_t *x, size_t n, uint64_t sign)
{
    const lanes places = _mm512_setr_epi64(0, 51, 102, 153, 204, 255, 306, 357);
    const size_t limb = t * GFP_WORDS_DIGIT_BITS / 64;
    const lanes place = lanes_add(places, lanes_set(t * GFP_WORDS_DIGIT_BITS % 64));
    const lanes from = _mm512_srli_epi64(place, 6), shift = lanes_and(place, lanes_set(63));
    const size_t there = limb < n ? n - limb : 0;
    const lanes limbs = _mm512_mask_loadu_epi64(lanes_set(sign), blocks_avx512_first(there),
                                                there == 0 ? x : x + limb);
    const lanes low = _mm512_permutexvar_epi64(from, limbs);
    const lanes high = _mm512_permutexvar_epi64(lanes_add(from, lanes_set(1)), limbs);
    const lanes digit = lanes_or(_mm512_srlv_epi64(low, shift),
                                 _mm512_sllv_epi64(high, lanes_sub(lanes_set(64), shift)));
    return _mm512_maskz_and_epi64(blocks_avx512_first(len - t), digit,
                                  lanes_set(GFP_WORDS_DIGIT_MASK));
}

static void blocks_avx512_split(uint64_t *digits, size_t len, const uint64_t *x, size_t n)
{
    for (size_t t = 0; t < len; t += LANES) {
        _mm512_mask_storeu_epi64(digits + t, blocks_avx512_first(len - t),
                                 digits_at(t, len, x, n, 0));
    }
}

/* sums := gfp_words_neighbours; low words are in even lanes, high ones in odd lanes. */
GFP_INLINE void store_neighbours(uint64_t sums[2], lanes z)
{
    const __m128i bias =
        _mm_set_epi64x(-((long long)1 << (GFP_WORDS_NEIGHBOURS_BITS - GFP_WORDS_RADIX_BITS)),
                       (long long)1 << GFP_WORDS_NEIGHBOURS_BITS);
    const __m256i half =
        _mm256_add_epi64(_mm512_castsi512_si256(z), _mm512_extracti64x4_epi64(z, 1));
    const __m128i sum =
        _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    _mm_storeu_si128((__m128i *)(void *)sums, _mm_sub_epi64(bias, sum));
}

static void blocks_avx512_cut(const gfp_words_digits *x, const uint64_t *limbs, size_t width)
{
    const lanes_mask odd = 0xaa;
    for (size_t i = 0; i < x->n; i++, limbs += width) {
        uint64_t *digits = x->digits + i * x->stride, *sums = digits + x->len + 1;
        const uint64_t sign = 0 - (limbs[width - 1] >> 63);
        for (size_t from = 0; from < x->len; from += GFP_WORDS_STEP, sums += 2) {
            const size_t end = x->len - from < GFP_WORDS_STEP ? x->len : from + GFP_WORDS_STEP;
            lanes low = lanes_zero(), high = lanes_zero();
            for (size_t t = from; t < end; t += LANES) {
                const lanes digit = digits_at(t, x->len, limbs, width, sign);
                const lanes next = _mm512_permutex_epi64(digit, 0xb1);
                _mm512_mask_storeu_epi64(digits + t, blocks_avx512_first(x->len - t), digit);
                low = _mm512_madd52lo_epu64(low, digit, next);
                high = _mm512_madd52hi_epu64(high, digit, next);
            }
            store_neighbours(sums, _mm512_mask_mov_epi64(low, odd, high));
        }
        digits[x->len] = sign;
    }
}

const gfp_words_kernels gfp_words_avx512 = {steps_tabulate,    steps_invert,  blocks_avx512_split,
                                            blocks_avx512_cut, lanes_project, lanes_weigh,
                                            lanes_combine,     lanes_pack};
