/* words_avx512.c: projection to blocks of word-size primes and reconstruction by AVX-512 IFMA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_avx512.h"

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
GFP_INLINE void settle(uint64_t *z, const lanes *low, const lanes *high, const constants *k)
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

#include "words_lanes.inc"

/* Eight digits begin in a limb, at a bit below 64, and end in the seventh next limb at the latest.
 * Each is in the limb `from` and the next one. */
GFP_INLINE void split_digits(uint64_t *digits, size_t len, const uint64_t *x, size_t n,
                             uint64_t sign)
{
    const lanes places = _mm512_setr_epi64(0, 51, 102, 153, 204, 255, 306, 357);
    const lanes one = lanes_set(1), bits = lanes_set(64), mask = lanes_set(GFP_WORDS_DIGIT_MASK);
    for (size_t t = 0; t < len; t += LANES) {
        const size_t limb = t * GFP_WORDS_DIGIT_BITS / 64;
        const lanes place = lanes_add(places, lanes_set(t * GFP_WORDS_DIGIT_BITS % 64));
        const lanes from = _mm512_srli_epi64(place, 6), shift = lanes_and(place, lanes_set(63));
        const size_t there = limb < n ? n - limb : 0;
        const __mmask8 in = (__mmask8)(there >= LANES ? 0xff : (1U << there) - 1);
        const __mmask8 out = (__mmask8)(len - t >= LANES ? 0xff : (1U << (len - t)) - 1);
        const lanes limbs = _mm512_mask_loadu_epi64(lanes_set(sign), in, there == 0 ? x : x + limb);
        const lanes low = _mm512_permutexvar_epi64(from, limbs);
        const lanes high = _mm512_permutexvar_epi64(lanes_add(from, one), limbs);
        const lanes digit = lanes_or(_mm512_srlv_epi64(low, shift),
                                     _mm512_sllv_epi64(high, lanes_sub(bits, shift)));
        _mm512_mask_storeu_epi64(digits + t, out, lanes_and(digit, mask));
    }
}

static void split(uint64_t *digits, size_t len, const uint64_t *x, size_t n)
{
    split_digits(digits, len, x, n, 0);
}

static void cut(const gfp_words_digits *x, const uint64_t *limbs, size_t width)
{
    for (size_t i = 0; i < x->n; i++, limbs += width) {
        uint64_t *digits = x->digits + i * x->stride;
        const uint64_t sign = 0 - (limbs[width - 1] >> 63);
        split_digits(digits, x->len, limbs, width, sign);
        digits[x->len] = sign & 1;
    }
}

const gfp_words_kernels gfp_words_avx512 = {tabulate, invert, split,   cut,
                                            project,  weigh,  combine, pack};
