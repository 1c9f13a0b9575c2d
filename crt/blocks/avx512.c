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

/* Blocks whose divisions are computed at once: a digit of a quotient waits for the one before. */
enum { DIVISIONS = 4 };

/* Eight digits of the quotients by the primes of `n` blocks, as gfp_words_rows computes them:
 * below 2^51 each, and carries below 2^50 + 2. r[b][l]: the digits of prime l of block b. */
GFP_INLINE void divide_digits(lanes r[DIVISIONS][LANES], lanes carry[DIVISIONS],
                              const gfp_words *const *blocks, const uint64_t *digits,
                              const unsigned n)
{
    const lanes mask = lanes_set(GFP_WORDS_DIGIT_MASK);
    lanes q[DIVISIONS], negative_inverse[DIVISIONS];
    GFP_UNROLL
    for (unsigned b = 0; b < n; b++) {
        q[b] = lanes_load(blocks[b]->q);
        negative_inverse[b] = lanes_load(blocks[b]->negative_inverse);
    }
    GFP_UNROLL
    for (unsigned i = 0; i < LANES; i++) {
        GFP_UNROLL
        for (unsigned b = 0; b < n; b++) {
            const lanes rest = lanes_sub(carry[b], lanes_set(digits[i]));
            r[b][i] =
                lanes_and(_mm512_madd52lo_epu64(lanes_zero(), rest, negative_inverse[b]), mask);
            const lanes low = _mm512_madd52lo_epu64(carry[b], r[b][i], q[b]);
            const lanes high = _mm512_madd52hi_epu64(lanes_zero(), r[b][i], q[b]);
            carry[b] =
                lanes_add(lanes_shift_right(low, GFP_WORDS_DIGIT_BITS), lanes_add(high, high));
        }
    }
    GFP_UNROLL
    for (unsigned b = 0; b < n; b++) {
        lanes_transpose(r[b]);
    }
}

/* The rows of blocks j to j + n - 1, the first one at `row`. Returns the row after them. */
GFP_INLINE size_t divide_blocks(const gfp_words_leaf *leaf, size_t j, size_t row,
                                const uint64_t *digits, uint64_t *sums, const unsigned n)
{
    const size_t columns = gfp_words_columns(leaf->digits);
    lanes carry[DIVISIONS];
    size_t end = row;
    for (unsigned b = 0; b < n; b++) {
        carry[b] = lanes_zero();
    }
    for (size_t t = 0; t < columns; t += LANES) {
        uint64_t *to = leaf->table + gfp_words_entry(leaf, row, t), *from = to;
        lanes r[DIVISIONS][LANES], sum = lanes_load(sums + t);
        divide_digits(r, carry, leaf->blocks + j, digits + t, n);
        GFP_UNROLL
        for (unsigned b = 0; b < n; b++) {
            GFP_UNROLL
            for (unsigned l = 0; l < GFP_WORDS; l++) {
                if ((leaf->use[j + b] >> l & 1) != 0) {
                    lanes_store(to, r[b][l]);
                    sum = lanes_add(sum, r[b][l]);
                    to += GFP_WORDS_GROUP;
                }
            }
        }
        lanes_store(sums + t, sum);
        end = row + (size_t)(to - from) / GFP_WORDS_GROUP;
    }
    return end;
}

static void blocks_avx512_divide(const gfp_words_leaf *leaf, const uint64_t *digits, uint64_t *sums)
{
    size_t j = 0, row = 0;
    for (; j + DIVISIONS <= leaf->count; j += DIVISIONS) {
        row = divide_blocks(leaf, j, row, digits, sums, DIVISIONS);
    }
    for (; j < leaf->count; j++) {
        row = divide_blocks(leaf, j, row, digits, sums, 1);
    }
}

static void blocks_avx512_neighbours(const gfp_words_leaf *leaf)
{
    const size_t columns = gfp_words_columns(leaf->digits);
    const lanes bias = lanes_set((uint64_t)1 << GFP_WORDS_NEIGHBOURS_BITS);
    for (size_t t = 0; t < columns; t += LANES) {
        const uint64_t *digit = leaf->table + gfp_words_entry(leaf, 0, t);
        lanes low = lanes_zero(), high = lanes_zero();
        for (size_t r = 0; r < leaf->rows; r += 2, digit += (size_t)2 * GFP_WORDS_GROUP) {
            lanes_add_product(&low, &high, lanes_load(digit), lanes_load(digit + GFP_WORDS_GROUP));
        }
        lanes_store(leaf->neighbours + t, lanes_sub(bias, low));
        lanes_store(leaf->neighbours + columns + t,
                    lanes_sub(lanes_zero(),
                              lanes_add(high, lanes_shift_right(bias, GFP_WORDS_RADIX_BITS))));
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

/* cut for integers of at most eight digits: their places are the same. */
static void cut_short(const gfp_words_digits *x, const uint64_t *limbs, size_t width)
{
    const lanes place = _mm512_setr_epi64(0, 51, 102, 153, 204, 255, 306, 357);
    const lanes from = _mm512_srli_epi64(place, 6), shift = lanes_and(place, lanes_set(63));
    const lanes after = lanes_add(from, lanes_set(1)), left = lanes_sub(lanes_set(64), shift);
    const lanes mask =
        _mm512_maskz_mov_epi64(blocks_avx512_first(x->len), lanes_set(GFP_WORDS_DIGIT_MASK));
    const lanes_mask odd = 0xaa, there = blocks_avx512_first(width),
                     stored = blocks_avx512_first(x->len);
    uint64_t *digits = x->digits;
    for (size_t i = 0; i < x->n; i++, limbs += width, digits += x->stride) {
        const uint64_t sign = 0 - (limbs[width - 1] >> 63);
        const lanes x0 = _mm512_mask_loadu_epi64(lanes_set(sign), there, limbs);
        const lanes low = _mm512_srlv_epi64(_mm512_permutexvar_epi64(from, x0), shift);
        const lanes high = _mm512_sllv_epi64(_mm512_permutexvar_epi64(after, x0), left);
        const lanes digit = lanes_and(lanes_or(low, high), mask);
        const lanes next = _mm512_permutex_epi64(digit, 0xb1);
        _mm512_mask_storeu_epi64(digits, stored, digit);
        digits[x->len] = sign;
        store_neighbours(digits + x->len + 1,
                         _mm512_mask_mov_epi64(_mm512_madd52lo_epu64(lanes_zero(), digit, next),
                                               odd,
                                               _mm512_madd52hi_epu64(lanes_zero(), digit, next)));
    }
}

static void blocks_avx512_cut(const gfp_words_digits *x, const uint64_t *limbs, size_t width)
{
    const lanes_mask odd = 0xaa;
    if (x->len <= LANES) {
        cut_short(x, limbs, width);
        return;
    }
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

const gfp_words_kernels gfp_words_avx512 = {steps_tabulate,
                                            steps_invert,
                                            blocks_avx512_split,
                                            blocks_avx512_divide,
                                            blocks_avx512_neighbours,
                                            blocks_avx512_cut,
                                            lanes_project,
                                            lanes_weigh,
                                            lanes_combine,
                                            lanes_pack};
