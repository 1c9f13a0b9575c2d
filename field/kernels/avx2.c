/* avx2.c: the products of lanes.inc in AVX2 and FMA: four elements side by side.
 * Products of 52-bit integers are computed in double precision (doubles.h). The linear kernels are
 * the portable ones.
 * The build compiles this file once for each k, K_DIGITS.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/context.h"
#include "field/base/lanes.h"
#include "field/base/support.h"
#include "field/kernels/levels.h"
#include "field/kernels/vector_avx2.h"

#define LANES_KERNELS gfp_kernels_avx2
#define LANES_NAME "avx2"
#define LANES_THIRDS

typedef __m128i lanes_count;

/* Makes the compiler hold x in a register. */
#define LANES_KEEP(x) __asm__("" : "+x"(x))
/* A loop that is not unrolled: its constants stay in registers. */
#define LANES_LOOP _Pragma("GCC unroll 1")
#define LANES_ALIGNED _Alignas(32)

/* Shifts by a constant: macros, since the instructions need a constant operand. */
#define lanes_left(x, bits) _mm256_slli_epi64((x), (int)(bits))
#define lanes_right(x, bits) _mm256_srli_epi64((x), (int)(bits))
/* x + 2^63 is natural, so that an unsigned shift serves. */
#define lanes_right_signed(x, bits)                                                                \
    lanes_sub(lanes_right(lanes_add((x), lanes_set((uint64_t)1 << 63)), bits),                     \
              lanes_set((uint64_t)1 << (63 - (bits))))

GFP_INLINE lanes_count lanes_count_of(unsigned bits)
{
    return _mm_cvtsi32_si128((int)bits);
}

GFP_INLINE lanes lanes_left_by(lanes x, lanes_count bits)
{
    return _mm256_sll_epi64(x, bits);
}

GFP_INLINE lanes lanes_right_by(lanes x, lanes_count bits)
{
    return _mm256_srl_epi64(x, bits);
}

#include "field/kernels/doubles.inc"

/* Returns sum + x y < 2^64, x and y below 2^32. */
GFP_INLINE lanes lanes_add_small(lanes sum, lanes x, lanes y)
{
    return lanes_add(sum, _mm256_mul_epu32(x, y));
}

/* Returns x y modulo 2^64: the cross products of 32-bit halves enter at bit 32. */
GFP_INLINE lanes lanes_mul(lanes x, lanes y)
{
    lanes cross = _mm256_mullo_epi32(x, _mm256_shuffle_epi32(y, 0xb1));
    cross = lanes_add(cross, _mm256_srli_epi64(cross, 32));
    return lanes_add(_mm256_mul_epu32(x, y), _mm256_slli_epi64(cross, 32));
}

/* The constants of fold: z + offset < 2^(right + 52) loses its `right` low bits, x < 2^(more + 52)
 * its `more` low bits. */
typedef struct lanes_folding {
    lanes r, half, d, offset; /* half: r / 2 */
    lanes_count right, more;
    /* 2^right d / r, 2^more / r, and 1/2 less the bias, and what the bits lack. */
    lanes_factor point, one, start;
} lanes_folding;

GFP_INLINE void lanes_folding_set(lanes_folding *f, uint64_t r, uint64_t d)
{
    const unsigned length = 64 - gfp_clz64(r), high = length < 63 ? length : 63;
    const double point = (double)((uint64_t)1 << (high - 51)) * (double)d / (double)r;
    const double one = (double)((uint64_t)1 << (length - 52)) / (double)r;
    const double bias = r > GFP_FOLD_R_NARROW ? GFP_FOLD_BIAS / 64.0 : 0;
    f->r = lanes_set(r);
    f->half = lanes_set(r / 2);
    f->d = lanes_set(d);
    f->offset = lanes_set((uint64_t)1 << high);
    f->right = lanes_count_of(high - 51);
    f->more = lanes_count_of(length - 52);
    f->point = _mm256_set1_pd(point);
    f->one = _mm256_set1_pd(one);
    f->start = _mm256_set1_pd(0.5 - bias + point / 2 - 0x1p52 * one);
}

/* Returns q near (z d + x) / r, as kernels.h says; wide: *high := the lanes with a high fraction.
 * The rounding is toward zero (lanes_enter): 3 2^51 + v becomes the floor of v, which is the
 * quotient and a half. */
GFP_INLINE lanes lanes_folding_quotient(const lanes_folding *f, lanes z, lanes x, const bool wide,
                                        lanes_mask *high)
{
    const lanes_factor unit = _mm256_set1_pd(0x1p52), middle = _mm256_set1_pd(0x1.8p52);
    const lanes digit = lanes_right_by(lanes_add(z, f->offset), f->right);
    const lanes more = lanes_right_by(x, f->more);
    lanes_factor v =
        _mm256_fmadd_pd(_mm256_or_pd(_mm256_castsi256_pd(more), unit), f->one, f->start);
    v = _mm256_fmadd_pd(_mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(digit), unit), middle),
                        f->point, v);
    const lanes_factor floor = _mm256_add_pd(v, middle);
    if (wide) {
        const lanes_factor fraction = _mm256_sub_pd(v, _mm256_sub_pd(floor, middle));
        const lanes_factor least = _mm256_set1_pd(0.5 + GFP_FOLD_HIGH / 64.0);
        *high = _mm256_castpd_si256(_mm256_cmp_pd(fraction, least, _CMP_GT_OQ));
    }
    return lanes_sub(_mm256_castpd_si256(floor), _mm256_castpd_si256(middle));
}

GFP_INLINE lanes_mask lanes_negative(lanes x)
{
    return _mm256_cmpgt_epi64(lanes_zero(), x);
}

/* The lanes in which x and bits have no bit in common. */
GFP_INLINE lanes_mask lanes_disjoint(lanes x, lanes bits)
{
    return _mm256_cmpeq_epi64(lanes_and(x, bits), lanes_zero());
}

GFP_INLINE lanes_mask lanes_mask_or(lanes_mask m, lanes_mask n)
{
    return _mm256_or_si256(m, n);
}

GFP_INLINE lanes_mask lanes_mask_same(lanes_mask m, lanes_mask n)
{
    return _mm256_cmpeq_epi64(m, n);
}

GFP_INLINE lanes_mask lanes_none(void)
{
    return lanes_zero();
}

GFP_INLINE bool lanes_any(lanes_mask m)
{
    return _mm256_testz_si256(m, m) == 0;
}

/* The first n lanes; all lanes for n >= 4. */
GFP_INLINE lanes_mask lanes_first(size_t n)
{
    const lanes number = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_cmpgt_epi64(lanes_set(n < LANES ? n : LANES), number);
}

/* Returns the LANES words from number `from` on, 1 to 3, of the row low, high. */
GFP_INLINE lanes lanes_window(lanes high, lanes low, const unsigned from)
{
    lanes middle = _mm256_permute2x128_si256(low, high, 0x21);
    return from == 1   ? _mm256_alignr_epi8(middle, low, 8)
           : from == 2 ? middle
                       : _mm256_alignr_epi8(high, middle, 8);
}

GFP_INLINE void load_digits_8(lanes *digits, const uint64_t *const x[LANES], size_t from)
{
    for (unsigned half = 0; half < 8; half += 4) {
        for (unsigned e = 0; e < 4; e++) {
            digits[half + e] = lanes_load(x[e] + from + half);
        }
        lanes_transpose(digits + half);
    }
}

GFP_INLINE void load_digits_4(lanes *digits, const uint64_t *const x[LANES])
{
    for (unsigned e = 0; e < 4; e++) {
        digits[e] = lanes_load(x[e]);
    }
    lanes_transpose(digits);
}

GFP_INLINE void load_digits_2(lanes *digits, const uint64_t *const x[LANES])
{
    __m128i v[4];
    for (unsigned e = 0; e < 4; e++) {
        v[e] = lanes_load_two(x[e]);
    }
    lanes even = _mm256_inserti128_si256(_mm256_castsi128_si256(v[0]), v[2], 1);
    lanes odd = _mm256_inserti128_si256(_mm256_castsi128_si256(v[1]), v[3], 1);
    digits[0] = _mm256_unpacklo_epi64(even, odd);
    digits[1] = _mm256_unpackhi_epi64(even, odd);
}

/* The inverse of load_digits_8. Only `count` elements are written. */
GFP_INLINE void store_digits_8(uint64_t *z, size_t k, const lanes *digits, size_t count)
{
    for (unsigned half = 0; half < 8; half += 4) {
        lanes v[4] = {digits[half], digits[half + 1], digits[half + 2], digits[half + 3]};
        lanes_transpose(v);
        for (unsigned e = 0; e < 4 && e < count; e++) {
            lanes_store(z + e * k + half, v[e]);
        }
    }
}

GFP_INLINE void store_digits_4(uint64_t *z, const lanes *digits, size_t count)
{
    lanes v[4] = {digits[0], digits[1], digits[2], digits[3]};
    lanes_transpose(v);
    for (unsigned e = 0; e < 4 && e < count; e++) {
        lanes_store(z + (size_t)4 * e, v[e]);
    }
}

GFP_INLINE void store_digits_2(uint64_t *z, const lanes *digits, size_t count)
{
    lanes even = _mm256_unpacklo_epi64(digits[0], digits[1]);
    lanes odd = _mm256_unpackhi_epi64(digits[0], digits[1]);
    const __m128i v[4] = {_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd),
                          _mm256_extracti128_si256(even, 1), _mm256_extracti128_si256(odd, 1)};
    for (unsigned e = 0; e < 4 && e < count; e++) {
        _mm_storeu_si128((__m128i *)(z + (size_t)2 * e), v[e]);
    }
}

/* The least lengths of rows for which evaluation in lanes, and in lanes by pairs, takes less time:
 * general products join the rows. */
#define EVAL_MIN_LENGTH (DIGITS <= 16 ? 48 : 4 * DIGITS)
#define PAIRS_MIN_LENGTH (DIGITS <= 16 ? 24 : 12)

#include "field/kernels/lanes_common.inc"

#include "field/kernels/linear_portable.inc"
#include "field/kernels/lanes.inc"
