/* avx512.c: the kernels in AVX-512 IFMA: eight elements side by side in 64-bit lanes.
 * Without IFMA products are computed in double precision (doubles.h). lanes.inc describes the
 * computation. The build compiles this file once for each level and k, K_DIGITS.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/context.h"
#include "field/base/lanes.h"
#include "field/base/support.h"
#include "field/kernels/levels.h"
#include "field/kernels/vector_avx512.h"

#ifdef __AVX512IFMA__
#define LANES_KERNELS gfp_kernels_avx512
#define LANES_NAME "avx512ifma"
#else
#define LANES_KERNELS gfp_kernels_avx512dq
#define LANES_NAME "avx512dq"
#define LANES_THIRDS
#endif

typedef __m128i lanes_count;

/* Makes the compiler hold x in a register. */
#define LANES_KEEP(x) __asm__("" : "+v"(x))
/* A loop that is not unrolled: its constants stay in registers. */
#define LANES_LOOP _Pragma("GCC unroll 1")

/* Shifts by a constant: macros, since the instructions need a constant operand. */
#define lanes_left(x, bits) _mm512_slli_epi64((x), (bits))
#define lanes_right(x, bits) _mm512_srli_epi64((x), (bits))
#define lanes_right_signed(x, bits) _mm512_srai_epi64((x), (bits))

GFP_INLINE lanes_count lanes_count_of(unsigned bits)
{
    return _mm_cvtsi32_si128((int)bits);
}

GFP_INLINE lanes lanes_left_by(lanes x, lanes_count bits)
{
    return _mm512_sll_epi64(x, bits);
}

GFP_INLINE lanes lanes_right_by(lanes x, lanes_count bits)
{
    return _mm512_srl_epi64(x, bits);
}

#ifdef __AVX512IFMA__

/* Return sum + the low, or the high, 52 bits of the product of the low 52 bits of x and y. */
GFP_INLINE lanes lanes_low(lanes sum, lanes x, lanes y)
{
    return _mm512_madd52lo_epu64(sum, x, y);
}

GFP_INLINE lanes lanes_high(lanes sum, lanes x, lanes y)
{
    return _mm512_madd52hi_epu64(sum, x, y);
}

/* A factor of lanes_add_product, below 2^52; factors also as words of memory. */
typedef lanes lanes_factor;

GFP_INLINE lanes_factor lanes_factor_of(lanes x)
{
    LANES_KEEP(x);
    return x;
}

GFP_INLINE lanes lanes_factor_words(lanes_factor x)
{
    return x;
}

GFP_INLINE lanes_factor lanes_words_factor(lanes x)
{
    return x;
}

/* The same as lanes_add_product: no constants are left to subtract. */
GFP_INLINE void lanes_add_raw(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    lanes_add_product(low, high, x, y);
}

GFP_INLINE lanes lanes_raw_low(uint64_t n)
{
    (void)n;
    return lanes_zero();
}

GFP_INLINE lanes lanes_raw_high(uint64_t n)
{
    (void)n;
    return lanes_zero();
}

/* Returns sum + x y < 2^64, x and y below 2^32 with a product below 2^52. */
GFP_INLINE lanes lanes_add_small(lanes sum, lanes x, lanes y)
{
    return lanes_low(sum, x, y);
}

#else

#include "field/kernels/doubles.inc"

/* Returns sum + x y < 2^64, x and y below 2^32. */
GFP_INLINE lanes lanes_add_small(lanes sum, lanes x, lanes y)
{
    return lanes_add(sum, _mm512_mul_epu32(x, y));
}

#endif

/* Returns x y modulo 2^64. */
GFP_INLINE lanes lanes_mul(lanes x, lanes y)
{
    return _mm512_mullo_epi64(x, y);
}

/* The constants of fold. */
typedef struct lanes_folding {
    lanes r, half, d;          /* half: r / 2 */
    __m512d point, one, start; /* d / r, 1 / r, less the bias */
} lanes_folding;

GFP_INLINE void lanes_folding_set(lanes_folding *f, uint64_t r, uint64_t d)
{
    f->r = lanes_set(r);
    f->half = lanes_set(r / 2);
    f->d = lanes_set(d);
    f->point = _mm512_set1_pd((double)d / (double)r);
    f->one = _mm512_set1_pd(1 / (double)r);
    f->start = _mm512_set1_pd(r > GFP_FOLD_R_NARROW ? -GFP_FOLD_BIAS / 64.0 : 0);
}

/* Returns q near (z d + x) / r, as kernels.h says; wide: *high := the lanes with a high fraction.
 */
GFP_INLINE lanes lanes_folding_quotient(const lanes_folding *f, lanes z, lanes x, const bool wide,
                                        lanes_mask *high)
{
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    const __m512d digit = _mm512_cvt_roundepi64_pd(z, NEAREST);
    const __m512d more = _mm512_cvt_roundepu64_pd(x, NEAREST);
    const __m512d v = _mm512_fmadd_round_pd(
        digit, f->point, _mm512_fmadd_round_pd(more, f->one, f->start, NEAREST), NEAREST);
    if (wide) {
        const __m512d q = _mm512_roundscale_round_pd(v, 0, _MM_FROUND_NO_EXC);
        const __m512d fraction = _mm512_sub_round_pd(v, q, NEAREST);
        *high = _mm512_cmp_round_pd_mask(fraction, _mm512_set1_pd(GFP_FOLD_HIGH / 64.0), _CMP_GT_OQ,
                                         _MM_FROUND_NO_EXC);
        return _mm512_cvt_roundpd_epi64(q, NEAREST);
    }
    return _mm512_cvt_roundpd_epi64(v, NEAREST);
}

GFP_INLINE lanes_mask lanes_negative(lanes x)
{
    return _mm512_movepi64_mask(x);
}

/* The lanes in which x and bits have no bit in common. */
GFP_INLINE lanes_mask lanes_disjoint(lanes x, lanes bits)
{
    return _mm512_testn_epi64_mask(x, bits);
}

GFP_INLINE lanes_mask lanes_mask_or(lanes_mask m, lanes_mask n)
{
    return (lanes_mask)(m | n);
}

GFP_INLINE lanes_mask lanes_mask_not(lanes_mask m)
{
    return (lanes_mask)~m;
}

GFP_INLINE lanes_mask lanes_mask_same(lanes_mask m, lanes_mask n)
{
    return (lanes_mask) ~(m ^ n);
}

GFP_INLINE lanes_mask lanes_none(void)
{
    return 0;
}

GFP_INLINE bool lanes_any(lanes_mask m)
{
    return m != 0;
}

/* The first n lanes; all lanes for n >= 8. */
GFP_INLINE lanes_mask lanes_first(size_t n)
{
    return (lanes_mask)(n >= LANES ? 0xff : (1U << n) - 1);
}

/* The LANES words from number `from` on of the row low, high. */
#define lanes_window(high, low, from) _mm512_alignr_epi64((high), (low), (from))

#define LANES_ALIGNED _Alignas(64)

/* Loads 8 digits, from the places x[e] + from, of 8 elements of 8 digits or more. */
GFP_INLINE void load_digits_8(lanes *digits, const uint64_t *const x[LANES], size_t from)
{
    for (unsigned e = 0; e < 8; e++) {
        digits[e] = lanes_load(x[e] + from);
    }
    lanes_transpose(digits);
}

GFP_INLINE void load_digits_4(lanes *digits, const uint64_t *const x[LANES])
{
    lanes a[4];
    for (unsigned e = 0; e < 4; e++) {
        __m256i low = lanes_load_four(x[e]);
        a[e] = _mm512_inserti64x4(_mm512_castsi256_si512(low), lanes_load_four(x[e + 4]), 1);
    }
    lanes b[4] = {_mm512_unpacklo_epi64(a[0], a[1]), _mm512_unpackhi_epi64(a[0], a[1]),
                  _mm512_unpacklo_epi64(a[2], a[3]), _mm512_unpackhi_epi64(a[2], a[3])};
    /* b[0] = digits 0 and 2 of elements 0 1 | 0 1 | 4 5 | 4 5; b[2]: of elements 2 3 and 6 7. */
    const lanes low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const lanes high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    for (unsigned i = 0; i < 2; i++) {
        digits[i] = _mm512_permutex2var_epi64(b[i], low, b[i + 2]);
        digits[i + 2] = _mm512_permutex2var_epi64(b[i], high, b[i + 2]);
    }
}

GFP_INLINE void load_digits_2(lanes *digits, const uint64_t *const x[LANES])
{
    lanes a[2];
    for (unsigned i = 0; i < 2; i++) {
        __m128i v[4];
        for (unsigned e = 0; e < 4; e++) {
            v[e] = lanes_load_two(x[2 * e + i]);
        }
        __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(v[0]), v[1], 1);
        __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(v[2]), v[3], 1);
        a[i] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    digits[0] = _mm512_unpacklo_epi64(a[0], a[1]);
    digits[1] = _mm512_unpackhi_epi64(a[0], a[1]);
}

/* The inverse of load_digits_8. Only `count` elements are written, one after the other. */
GFP_INLINE void store_digits_8(uint64_t *z, size_t k, const lanes *digits, size_t count)
{
    lanes v[8];
    for (unsigned i = 0; i < 8; i++) {
        v[i] = digits[i];
    }
    lanes_transpose(v);
    for (unsigned e = 0; e < 8 && e < count; e++) {
        lanes_store(z + e * k, v[e]);
    }
}

/* Writes words [8 i, 8 i + 8) of an array of `count` elements of k digits. */
GFP_INLINE void store_words(uint64_t *z, unsigned i, lanes v, size_t k, size_t count)
{
    size_t words = k * count;
    if (words >= 8 * (i + 1)) {
        lanes_store(z + 8 * i, v);
    } else if (words > 8 * i) {
        _mm512_mask_storeu_epi64(z + 8 * i, (__mmask8)((1U << (words - 8 * i)) - 1), v);
    }
}

GFP_INLINE void store_digits_4(uint64_t *z, const lanes *digits, size_t count)
{
    lanes a[4] = {
        _mm512_unpacklo_epi64(digits[0], digits[1]), _mm512_unpackhi_epi64(digits[0], digits[1]),
        _mm512_unpacklo_epi64(digits[2], digits[3]), _mm512_unpackhi_epi64(digits[2], digits[3])};
    /* a[0] = digits 0 1 of elements 0, 2, 4, 6; a[1] of 1, 3, 5, 7; a[2], a[3]: digits 2 3. */
    const lanes first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const lanes last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    lanes even[2] = {_mm512_permutex2var_epi64(a[0], first, a[2]),
                     _mm512_permutex2var_epi64(a[0], last, a[2])};
    lanes odd[2] = {_mm512_permutex2var_epi64(a[1], first, a[3]),
                    _mm512_permutex2var_epi64(a[1], last, a[3])};
    /* even[0] = elements 0 and 2, odd[0] = elements 1 and 3. */
    for (unsigned i = 0; i < 2; i++) {
        store_words(z, 2 * i, _mm512_shuffle_i64x2(even[i], odd[i], 0x44), 4, count);
        store_words(z, 2 * i + 1, _mm512_shuffle_i64x2(even[i], odd[i], 0xee), 4, count);
    }
}

GFP_INLINE void store_digits_2(uint64_t *z, const lanes *digits, size_t count)
{
    const lanes first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const lanes last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    store_words(z, 0, _mm512_permutex2var_epi64(digits[0], first, digits[1]), 2, count);
    store_words(z, 1, _mm512_permutex2var_epi64(digits[0], last, digits[1]), 2, count);
}

/* The least lengths of rows for which evaluation in lanes, and in lanes by pairs, takes less time:
 * general products join the rows. */
#define EVAL_MIN_LENGTH 16
#define PAIRS_MIN_LENGTH 6

#include "field/kernels/lanes_common.inc"

/* The constants of a radix for the linear kernels. */
typedef struct row_radix {
    lanes r;
    uint64_t radix;
} row_radix;

GFP_INLINE void row_radix_set(row_radix *c, const gfp_field *field)
{
    c->r = lanes_set(field->r);
    c->radix = field->r;
}

/* Returns the mask as a number, in a register of its own: gcc 12 spills a mask that was widened to
 * a number as the one byte that it was, and reads back four. */
GFP_INLINE unsigned mask_bits(lanes_mask m)
{
    unsigned bits = m;
    __asm__("" : "+r"(bits));
    return bits;
}

#define LINEAR(name) NAMED(name)
#include "field/kernels/rows_avx512.inc"
#include "field/kernels/lanes.inc"
