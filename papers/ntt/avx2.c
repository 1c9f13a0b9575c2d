/* avx2.c: transforms over word-size primes with AVX2, four residues at a time: Shoup products
 * in double with fused multiply-add for q < 2^50, Montgomery products of 32 bits and the quotient
 * in double for q < 2^30.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#include "fft/impl.h"
#include "papers/ntt/impl.h"
#include "field/base/unroll.h"
#include "field/base/word.h"

#define NTT_LEVEL GFP_LEVEL_AVX2
#define NTT_LANES 4
#define NTT_VECTORS 8
#define NTT_PASS 2
#define NTT_LEAST 0
#define NTT_INLINE GFP_INLINE

#define REAL_BITS 50
#define MONTGOMERY_BITS 30
#define MONTGOMERY_WORD 32

typedef __m256i vec;
typedef struct twiddle {
    vec w, companion;
} twiddle;

NTT_INLINE vec vec_load(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

NTT_INLINE void vec_store(uint64_t *x, vec v)
{
    _mm256_storeu_si256((__m256i *)(void *)x, v);
}

NTT_INLINE vec vec_all(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

NTT_INLINE twiddle twiddle_one(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){vec_all(table->w[i]), vec_all(table->companion[i])};
}

NTT_INLINE twiddle twiddle_load(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){vec_load(table->w + i), vec_load(table->companion + i)};
}

NTT_INLINE vec load_jump(const uint64_t *x, size_t stride)
{
    return _mm256_set_epi64x((long long)x[3 * stride], (long long)x[2 * stride],
                             (long long)x[stride], (long long)x[0]);
}

NTT_INLINE twiddle twiddle_jump(const gfp_ntt_powers *table, size_t i, size_t stride)
{
    return (twiddle){load_jump(table->w + i, stride), load_jump(table->companion + i, stride)};
}

/* Lane l: entry i + l / s. */
NTT_INLINE twiddle twiddle_expand(const gfp_ntt_powers *table, size_t i, size_t s)
{
    const twiddle t = twiddle_load(table, i);
    if (s == 1) {
        return t;
    }
    return (twiddle){_mm256_permute4x64_epi64(t.w, 0x50),
                     _mm256_permute4x64_epi64(t.companion, 0x50)};
}

/* Exchanges lanes of x that have the bit s with lanes of y that do not. */
NTT_INLINE void exchange(vec *x, vec *y, size_t s)
{
    const vec a = *x;
    const vec b = *y;
    if (s == 2) {
        *x = _mm256_permute2x128_si256(a, b, 0x20);
        *y = _mm256_permute2x128_si256(a, b, 0x31);
    } else {
        *x = _mm256_unpacklo_epi64(a, b);
        *y = _mm256_unpackhi_epi64(a, b);
    }
}

/* Splits the elements of x and then y: x := those whose index does not have the bit s, y := those
 * whose index has it, in order. */
NTT_INLINE void deinterleave(vec *x, vec *y, size_t s)
{
    exchange(x, y, s);
    if (s == 1) {
        *x = _mm256_permute4x64_epi64(*x, 0xd8);
        *y = _mm256_permute4x64_epi64(*y, 0xd8);
    }
}

/* The inverse of deinterleave(1). */
NTT_INLINE void interleave(vec *x, vec *y)
{
    exchange(x, y, 1);
    exchange(x, y, 2);
}

/* Layouts of 8 elements in x and y for the last two levels. Element b2 b1 b0 in the layout natural
 * (b1 b0 | b2) is in lane b1 b0 of x (b2 = 0) or y; the other layouts are half_2 (b2 b0 | b1) and
 * half_1 (b2 b1 | b0): x and y differ in the level's bit. */
NTT_INLINE void natural_to_half_2(vec *x, vec *y)
{
    exchange(x, y, 2);
}

NTT_INLINE void half_2_to_natural(vec *x, vec *y)
{
    exchange(x, y, 2);
}

NTT_INLINE void half_2_to_half_1(vec *x, vec *y)
{
    exchange(x, y, 1);
}

NTT_INLINE void half_1_to_half_2(vec *x, vec *y)
{
    exchange(x, y, 1);
}

NTT_INLINE void half_1_to_natural(vec *x, vec *y)
{
    interleave(x, y);
}

NTT_INLINE void natural_to_half_1(vec *x, vec *y)
{
    deinterleave(x, y, 1);
}

/* Entries 0 0 1 1. */
NTT_INLINE twiddle twiddle_half_2(const gfp_ntt_powers *table, size_t i)
{
    return twiddle_expand(table, i, 2);
}

/* ---- Shoup, in double ---- */

#define NTT(verb) shoup_##verb

/* Lazy residues are integers in double, of either sign. */
typedef struct shoup_ring {
    __m256d q, inverse;
} shoup_ring;

NTT_INLINE vec from_real(__m256d x)
{
    return _mm256_castpd_si256(x);
}

NTT_INLINE __m256d to_real(vec x)
{
    return _mm256_castsi256_pd(x);
}

static uint64_t bits_of(double x)
{
    const union {
        double value;
        uint64_t bits;
    } converted = {.value = x};
    return converted.bits;
}

/* c in (-q/2, q/2), and c/q. */
static void shoup_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                         uint64_t *companion)
{
    const double q = (double)modulus->q;
    const double balanced = c > modulus->q / 2 ? (double)c - q : (double)c;
    *w = bits_of(balanced);
    *companion = bits_of(balanced / q);
}

NTT_INLINE shoup_ring shoup_init(const gfp_ntt_modulus *modulus)
{
    return (shoup_ring){_mm256_set1_pd((double)modulus->q), _mm256_set1_pd(modulus->inverse)};
}

/* The low bits of the double 2^52 + x are x. */
NTT_INLINE __m256d real_of_integer(vec x)
{
    const __m256d magic = _mm256_set1_pd(4503599627370496.0);
    return _mm256_sub_pd(to_real(_mm256_or_si256(x, from_real(magic))), magic);
}

NTT_INLINE vec integer_of_real(__m256d x)
{
    const __m256d magic = _mm256_set1_pd(4503599627370496.0);
    return _mm256_xor_si256(from_real(_mm256_add_pd(x, magic)), from_real(magic));
}

NTT_INLINE __m256d nearest(__m256d x)
{
    return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

NTT_INLINE vec shoup_enter(const shoup_ring *r, vec x)
{
    (void)r;
    return from_real(real_of_integer(x));
}

/* |x| <= 5q < 2^53: |result| <= q/2 + 1. The fused product rounds once, and is exact. */
NTT_INLINE __m256d real_reduce(const shoup_ring *r, __m256d x)
{
    const __m256d quotient = nearest(_mm256_mul_pd(x, r->inverse));
    return _mm256_fnmadd_pd(quotient, r->q, x);
}

/* x y - quotient q, for |x y - quotient q| < q and |x y| < 2^102. The rounded product minus
 * quotient q is the result minus the rounding error: an integer below 2^51, which is exact. Both
 * sums are exact, too. */
NTT_INLINE __m256d real_remainder(const shoup_ring *r, __m256d x, __m256d y, __m256d quotient)
{
    const __m256d high = _mm256_mul_pd(x, y);
    const __m256d low = _mm256_fmsub_pd(x, y, high);
    return _mm256_add_pd(_mm256_fnmadd_pd(quotient, r->q, high), low);
}

/* |x| <= 4 q: x companion errs by at most |x| / 2^53 <= 1/2, so that |result| <= q/2 +
 * |x|/8 <= q. */
NTT_INLINE __m256d shoup_times(const shoup_ring *r, __m256d x, twiddle w)
{
    const __m256d quotient = nearest(_mm256_mul_pd(x, to_real(w.companion)));
    return real_remainder(r, x, to_real(w.w), quotient);
}

/* From (-q, q) to the integer in [0, q). */
NTT_INLINE vec real_integer(const shoup_ring *r, __m256d x)
{
    const __m256d negative = _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_LT_OQ);
    return integer_of_real(_mm256_add_pd(x, _mm256_and_pd(negative, r->q)));
}

NTT_INLINE vec shoup_canonical(const shoup_ring *r, vec x)
{
    return real_integer(r, real_reduce(r, to_real(x)));
}

NTT_INLINE vec shoup_scaled(const shoup_ring *r, vec x, twiddle w)
{
    return real_integer(r, shoup_times(r, to_real(x), w));
}

/* x y / q errs by at most 3/2^53 2^50 = 3/8: |remainder| < 7/8 q. */
NTT_INLINE vec shoup_product(const shoup_ring *r, vec x, vec y)
{
    const __m256d a = real_of_integer(x);
    const __m256d b = real_of_integer(y);
    const __m256d quotient = nearest(_mm256_mul_pd(_mm256_mul_pd(a, b), r->inverse));
    return real_integer(r, real_remainder(r, a, b, quotient));
}

NTT_INLINE void real_sum(__m256d a, __m256d b, vec *x, vec *y)
{
    *x = from_real(_mm256_add_pd(a, b));
    *y = from_real(_mm256_sub_pd(a, b));
}

/* |x|, |y| <= 2.1 q in; 1.3 q out. */
NTT_INLINE void shoup_butterfly(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    const __m256d t = shoup_times(r, to_real(*y), w);
    real_sum(real_reduce(r, to_real(*x)), t, x, y);
}

/* |x|, |y| <= 1.3 q in; 2.1 q out: for use after a butterfly that reduces. */
NTT_INLINE void shoup_butterfly_lazy(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    const __m256d t = shoup_times(r, to_real(*y), w);
    real_sum(to_real(*x), t, x, y);
}

/* |x|, |y| <= 2 q in; q out. */
NTT_INLINE void shoup_butterfly_inverse(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    real_sum(to_real(*x), to_real(*y), x, y);
    *x = from_real(real_reduce(r, to_real(*x)));
    *y = from_real(shoup_times(r, to_real(*y), w));
}

/* |x|, |y| <= q in; sums up to 2 q and differences below q out, as inputs of the reducing
 * butterfly. */
NTT_INLINE void shoup_butterfly_inverse_first(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    real_sum(to_real(*x), to_real(*y), x, y);
    *y = from_real(shoup_times(r, to_real(*y), w));
}

NTT_INLINE void shoup_butterfly_inverse_sums(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    shoup_butterfly_inverse(r, x, y, w);
}

NTT_INLINE void shoup_butterfly_inverse_differences(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    shoup_butterfly_inverse(r, x, y, w);
}

#define NTT_LAZY 1
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- Montgomery, R = 2^32: lanes of 64 bits with upper halves of 0 ---- */

#undef NTT
#define NTT(verb) montgomery_##verb

/* q < 2^30, so that 4 q fits 32 bits. */
typedef struct montgomery_ring {
    vec q, q2, top; /* top: q 2^32 */
    vec inverse;    /* 1/q mod 2^32 */
    vec square;     /* 2^64 mod q */
} montgomery_ring;

/* c R mod q, and this over q mod R. */
static void montgomery_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                              uint64_t *companion)
{
    *w = (c << MONTGOMERY_WORD) % modulus->q;
    *companion = (uint32_t)(*w * (~modulus->negative_inverse + 1));
}

NTT_INLINE montgomery_ring montgomery_init(const gfp_ntt_modulus *modulus)
{
    return (montgomery_ring){
        vec_all(modulus->q), vec_all(2 * modulus->q), vec_all(modulus->q << MONTGOMERY_WORD),
        vec_all((uint32_t)(~modulus->negative_inverse + 1)), vec_all(modulus->montgomery_square)};
}

NTT_INLINE vec montgomery_enter(const montgomery_ring *r, vec x)
{
    (void)r;
    return x;
}

/* From [0, 2 bound) to [0, bound), and from [-bound, bound): in each half, the wrapped value is the
 * greater one. */
NTT_INLINE vec vec_less(vec x, vec bound)
{
    return _mm256_min_epu32(x, _mm256_sub_epi64(x, bound));
}

NTT_INLINE vec vec_positive(vec x, vec bound)
{
    return _mm256_min_epu32(x, _mm256_add_epi64(x, bound));
}

/* x / 2^32 mod q in (0, 2q), given x < 2^32 q and m = x / q mod 2^32 in the low half: x and m q
 * have the same low half. */
NTT_INLINE vec montgomery_reduce(const montgomery_ring *r, vec x, vec m)
{
    const vec difference = _mm256_sub_epi64(_mm256_add_epi64(x, r->top), _mm256_mul_epu32(m, r->q));
    return _mm256_srli_epi64(difference, MONTGOMERY_WORD);
}

NTT_INLINE vec montgomery_times(const montgomery_ring *r, vec x, twiddle w)
{
    return montgomery_reduce(r, _mm256_mul_epu32(x, w.w), _mm256_mul_epu32(x, w.companion));
}

NTT_INLINE vec montgomery_canonical(const montgomery_ring *r, vec x)
{
    return vec_less(vec_less(x, r->q2), r->q);
}

NTT_INLINE vec montgomery_scaled(const montgomery_ring *r, vec x, twiddle w)
{
    return vec_less(montgomery_times(r, x, w), r->q);
}

NTT_INLINE vec montgomery_general(const montgomery_ring *r, vec x, vec y)
{
    const vec xy = _mm256_mul_epu32(x, y);
    return montgomery_reduce(r, xy, _mm256_mul_epu32(xy, r->inverse));
}

NTT_INLINE vec montgomery_product(const montgomery_ring *r, vec x, vec y)
{
    return vec_less(montgomery_general(r, montgomery_general(r, x, y), r->square), r->q);
}

/* x, y < 4 q in and out. */
NTT_INLINE void montgomery_butterfly(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    const vec t = montgomery_times(r, *y, w);
    const vec a = vec_less(*x, r->q2);
    *x = _mm256_add_epi64(a, t);
    *y = _mm256_sub_epi64(_mm256_add_epi64(a, r->q2), t);
}

/* x, y < 2q in and out. */
NTT_INLINE void montgomery_butterfly_inverse(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    const vec difference = _mm256_add_epi64(_mm256_sub_epi64(*x, *y), r->q2);
    *x = vec_less(_mm256_add_epi64(*x, *y), r->q2);
    *y = montgomery_times(r, difference, w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- quotient in double: all residues are below q ---- */

#undef NTT
#define NTT(verb) quotient_##verb

typedef struct quotient_ring {
    vec q;
    __m256d inverse;
} quotient_ring;

/* c and its double. */
static void quotient_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                            uint64_t *companion)
{
    (void)modulus;
    *w = c;
    *companion = bits_of((double)c);
}

NTT_INLINE quotient_ring quotient_init(const gfp_ntt_modulus *modulus)
{
    return (quotient_ring){vec_all(modulus->q), _mm256_set1_pd(modulus->inverse)};
}

NTT_INLINE vec quotient_enter(const quotient_ring *r, vec x)
{
    (void)r;
    return x;
}

NTT_INLINE vec quotient_canonical(const quotient_ring *r, vec x)
{
    (void)r;
    return x;
}

/* Like the double quotient in scalar.c: res is in [-q, 2q). Only the low half of the quotient
 * is multiplied. */
NTT_INLINE vec quotient_times(const quotient_ring *r, vec x, twiddle w)
{
    const __m256d real = _mm256_mul_pd(real_of_integer(x), to_real(w.companion));
    const __m256d quotient =
        _mm256_round_pd(_mm256_mul_pd(real, r->inverse), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const vec multiple = _mm256_mul_epu32(integer_of_real(quotient), r->q);
    const vec res = _mm256_sub_epi64(_mm256_mul_epu32(x, w.w), multiple);
    return vec_less(vec_positive(res, r->q), r->q);
}

NTT_INLINE vec quotient_scaled(const quotient_ring *r, vec x, twiddle w)
{
    return quotient_times(r, x, w);
}

NTT_INLINE vec quotient_product(const quotient_ring *r, vec x, vec y)
{
    return quotient_times(r, x, (twiddle){y, from_real(real_of_integer(y))});
}

NTT_INLINE void quotient_sum(const quotient_ring *r, vec *x, vec *y)
{
    const vec difference = _mm256_sub_epi64(*x, *y);
    *x = vec_less(_mm256_add_epi64(*x, *y), r->q);
    *y = vec_positive(difference, r->q);
}

NTT_INLINE void quotient_butterfly(const quotient_ring *r, vec *x, vec *y, twiddle w)
{
    *y = quotient_times(r, *y, w);
    quotient_sum(r, x, y);
}

NTT_INLINE void quotient_butterfly_inverse(const quotient_ring *r, vec *x, vec *y, twiddle w)
{
    quotient_sum(r, x, y);
    *y = quotient_times(r, *y, w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- bit reversal ---- */

#define REORDER_BITS 3

/* Row i has two vectors. */
typedef struct tile {
    vec row[1 << REORDER_BITS][2];
} tile;

static const unsigned char reversed[1 << REORDER_BITS] = {0, 4, 2, 6, 1, 5, 3, 7};

/* Transposes the quarter of four rows from i on, and half j of each, and stores it at its place. */
NTT_INLINE void load_quarter(tile *t, const uint64_t *x, unsigned shift, size_t i, size_t j)
{
    vec v[4];
    for (size_t k = 0; k < 4; k++) {
        v[k] = vec_load(x + ((size_t)reversed[i + k] << shift) + 4 * j);
    }
    exchange(&v[0], &v[2], 2);
    exchange(&v[1], &v[3], 2);
    exchange(&v[0], &v[1], 1);
    exchange(&v[2], &v[3], 1);
    for (size_t k = 0; k < 4; k++) {
        t->row[4 * j + k][i / 4] = v[k];
    }
}

NTT_INLINE void load_tile(tile *t, const uint64_t *x, unsigned shift)
{
    load_quarter(t, x, shift, 0, 0);
    load_quarter(t, x, shift, 0, 1);
    load_quarter(t, x, shift, 4, 0);
    load_quarter(t, x, shift, 4, 1);
}

NTT_INLINE void store_tile(uint64_t *x, const tile *t, unsigned shift)
{
    for (size_t i = 0; i < 8; i++) {
        uint64_t *row = x + ((size_t)reversed[i] << shift);
        vec_store(row, t->row[i][0]);
        vec_store(row + 4, t->row[i][1]);
    }
}

#include "papers/ntt/reorder.inc"

const gfp_ntt_kernels gfp_ntt_kernels_avx2[GFP_NTT_ROWS_AVX2] = {
    GFP_NTT_ROW(shoup, GFP_NTT_SHOUP, REAL_BITS, 0),
    GFP_NTT_ROW(montgomery, GFP_NTT_MONTGOMERY, MONTGOMERY_BITS, MONTGOMERY_WORD),
    GFP_NTT_ROW(quotient, GFP_NTT_DOUBLE_QUOTIENT, GFP_NTT_DOUBLE_QUOTIENT_BITS, 0)};
