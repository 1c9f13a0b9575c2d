/* avx2.c: projection to blocks of word-size primes and reconstruction in double precision, by AVX2
 * or, compiled a second time, AVX-512 without IFMA.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/avx2.h"

enum { TILE_INTEGERS = 2, TILE_DIGITS = 2, TILE_COLUMNS = 2, FEW_INTEGERS = 4 };

typedef lanes_factor factor;

/* Words below 2^52 are the lower bits of the double 2^52 plus the word. */
GFP_INLINE factor factor_of(lanes x)
{
    const factor unit = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(x), unit), unit);
}

GFP_INLINE factor factor_sum(factor x, factor y)
{
    return _mm256_add_pd(x, y);
}

/* The bits of 2^52 and of 2^104. */
#define bias_low UINT64_C(0x4330000000000000)
#define bias_high UINT64_C(0x4670000000000000)

/* lanes_add_product of field/kernels/doubles.h, with biases. */
GFP_INLINE void add_product(lanes *low, lanes *high, factor x, factor y)
{
    const factor h = lanes_double_fma(x, y, lanes_double(0x1p104));
    const factor rest = lanes_double_sub(lanes_double(0x1p104 + 0x1p52), h);
    *low = lanes_add(*low, _mm256_castpd_si256(lanes_double_fma(x, y, rest)));
    *high = lanes_add(*high, _mm256_castpd_si256(h));
}

GFP_INLINE lanes words_vector(words x, unsigned v)
{
    return _mm256_castpd_si256(x.part[v]);
}

typedef struct constants {
    words_moduli m;
    words inverse; /* 1 / 2^52 mod q */
} constants;

/* f q + 1 is a multiple of 2^52 for f = -1 / q mod 2^52. */
static constants constants_of(const gfp_words *block)
{
    constants k = {.m = words_moduli_of(block)};
    uint64_t inverse[GFP_WORDS];
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const gfp_u128 multiple = gfp_mul_wide(block->negative_inverse[l], block->q[l]) + 1;
        inverse[l] = (uint64_t)(multiple >> GFP_WORDS_RADIX_BITS);
    }
    k.inverse = words_enter(words_load(inverse), &k.m);
    return k;
}

/* Here rounding is toward zero, or (with 8 lanes) to nearest, but the quotients of words_part_mul
 * and words_part_reduce are rounded to nearest. low / 2^52 mod q is a product of numbers below 2^52
 * and 2^50: h / q, h rounded down, has a relative error below 5 2^-53, and so an absolute one below
 * 5/2; the product is below 3 q + 2^47 and all terms are exact. high is h1 2^32 + h0, both doubles
 * exact; h1 2^32 less a multiple of q is below 0.6 q. The sum is below 3.6 q + 2^47 + 2^32 < 2^52,
 * and less a multiple of q it is at most (1/2 + 2^-48) q. */
GFP_INLINE void lanes_settle(uint64_t *z, const lanes *low, const lanes *high, const constants *k)
{
    const lanes mask = lanes_set(GFP_WORDS_RADIX_MASK), half = lanes_set(UINT32_MAX);
    words x;
    GFP_UNROLL
    for (unsigned v = 0; v < WORDS_PARTS; v++) {
        const __m256d q = k->m.q.part[v], reciprocal = k->m.reciprocal.part[v];
        const lanes sum = lanes_add(high[v], lanes_shift_right(low[v], GFP_WORDS_RADIX_BITS));
        const __m256d h0 = factor_of(lanes_and(sum, half));
        const __m256d h1 =
            _mm256_mul_pd(factor_of(lanes_shift_right(sum, 32)), _mm256_set1_pd(0x1p32));
        const __m256d product =
            words_part_mul(factor_of(lanes_and(low[v], mask)), k->inverse.part[v], q, reciprocal);
        const __m256d rest = _mm256_add_pd(h0, words_part_reduce(h1, q, reciprocal));
        x.part[v] = words_part_reduce(_mm256_add_pd(product, rest), q, reciprocal);
    }
    words_store(z, words_leave(x, &k->m));
}

#include "crt/blocks/lanes.inc"

const gfp_words_kernels WORDS_LEVEL(gfp_words) = {
    steps_tabulate, steps_invert,  gfp_words_split, gfp_words_rows, gfp_words_sum_rows,
    gfp_words_cut,  lanes_project, lanes_weigh,     lanes_combine,  lanes_pack};
