/* avx512.c: transforms over word-size primes with AVX-512 IFMA, eight residues at a time:
 * products of 52 bits by Shoup and Montgomery for q < 2^50, by the quotient in double for q < 2^30.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <immintrin.h>

#include "fft/impl.h"
#include "papers/ntt/impl.h"
#include "field/base/unroll.h"
#include "field/base/word.h"

#define NTT_LEVEL GFP_LEVEL_AVX512IFMA
#define NTT_LANES 8
#define NTT_VECTORS 16
#define NTT_PASS 4
#define NTT_LEAST 1
#define NTT_INLINE GFP_INLINE

/* 4 q <= 2^52: lazy residues below 4 q are multiplicands of IFMA. */
#define IFMA_BITS 50
#define IFMA_WORD 52

typedef __m512i vec;
typedef struct twiddle {
    vec w, companion;
} twiddle;

NTT_INLINE vec vec_load(const uint64_t *x)
{
    return _mm512_loadu_si512(x);
}

NTT_INLINE void vec_store(uint64_t *x, vec v)
{
    _mm512_storeu_si512(x, v);
}

NTT_INLINE vec vec_all(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

NTT_INLINE twiddle twiddle_one(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){vec_all(table->w[i]), vec_all(table->companion[i])};
}

NTT_INLINE twiddle twiddle_load(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){vec_load(table->w + i), vec_load(table->companion + i)};
}

NTT_INLINE twiddle twiddle_jump(const gfp_ntt_powers *table, size_t i, size_t stride)
{
    const vec at = _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), vec_all(stride));
    return (twiddle){_mm512_i64gather_epi64(at, table->w + i, 8),
                     _mm512_i64gather_epi64(at, table->companion + i, 8)};
}

/* The lowest 8 / s lanes; short loads cross no cache line. */
NTT_INLINE vec load_part(const uint64_t *x, size_t s)
{
    if (s == 2) {
        return _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)x));
    }
    return _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)x));
}

/* Lane l: entry i + l / s. */
NTT_INLINE twiddle twiddle_expand(const gfp_ntt_powers *table, size_t i, size_t s)
{
    if (s == 1) {
        return twiddle_load(table, i);
    }
    const vec at = s == 2 ? _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0)
                          : _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
    return (twiddle){_mm512_permutexvar_epi64(at, load_part(table->w + i, s)),
                     _mm512_permutexvar_epi64(at, load_part(table->companion + i, s))};
}

/* Exchanges lanes of x that have the bit s with lanes of y that do not. */
NTT_INLINE void exchange(vec *x, vec *y, size_t s)
{
    const vec a = *x;
    const vec b = *y;
    if (s == 4) {
        *x = _mm512_shuffle_i64x2(a, b, 0x44);
        *y = _mm512_shuffle_i64x2(a, b, 0xee);
    } else if (s == 2) {
        *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), b);
        *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2), b);
    } else {
        *x = _mm512_unpacklo_epi64(a, b);
        *y = _mm512_unpackhi_epi64(a, b);
    }
}

/* Splits the elements of x and then y: x := those whose index does not have the bit s, y := those
 * whose index has it, in order. */
NTT_INLINE void deinterleave(vec *x, vec *y, size_t s)
{
    const vec a = *x;
    const vec b = *y;
    if (s == 4) {
        exchange(x, y, 4);
    } else if (s == 2) {
        *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(13, 12, 9, 8, 5, 4, 1, 0), b);
        *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 14, 11, 10, 7, 6, 3, 2), b);
    } else {
        *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b);
        *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b);
    }
}

/* The inverse of deinterleave(1). */
NTT_INLINE void interleave(vec *x, vec *y)
{
    const vec a = *x;
    const vec b = *y;
    *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), b);
    *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), b);
}

/* Layouts of 16 elements in x and y for the last three levels. Element b3 b2 b1 b0 in the layout
 * (b2 b1 b0 | b3) is in lane b2 b1 b0 of x (b3 = 0) or y. The layouts are natural (b2 b1 b0 | b3),
 * half_4 (b0 b3 b1 | b2), half_2 (b0 b3 b2 | b1), half_1 (b3 b2 b1 | b0): x and y differ in the
 * level's bit, and twiddles come from memory unchanged. */
NTT_INLINE void natural_to_half_4(vec *x, vec *y)
{
    const vec a = *x;
    const vec b = *y;
    *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(11, 9, 3, 1, 10, 8, 2, 0), b);
    *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 13, 7, 5, 14, 12, 6, 4), b);
}

NTT_INLINE void half_4_to_natural(vec *x, vec *y)
{
    const vec a = *x;
    const vec b = *y;
    *x = _mm512_permutex2var_epi64(a, _mm512_set_epi64(13, 9, 12, 8, 5, 1, 4, 0), b);
    *y = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 11, 14, 10, 7, 3, 6, 2), b);
}

NTT_INLINE void half_4_to_half_2(vec *x, vec *y)
{
    exchange(x, y, 1);
}

NTT_INLINE void half_2_to_half_4(vec *x, vec *y)
{
    exchange(x, y, 1);
}

NTT_INLINE void half_2_to_half_1(vec *x, vec *y)
{
    interleave(x, y);
}

NTT_INLINE void half_1_to_half_2(vec *x, vec *y)
{
    deinterleave(x, y, 1);
}

NTT_INLINE void half_1_to_natural(vec *x, vec *y)
{
    interleave(x, y);
}

NTT_INLINE void natural_to_half_1(vec *x, vec *y)
{
    deinterleave(x, y, 1);
}

/* Entries 0 0 1 1 0 0 1 1. */
NTT_INLINE vec pairs_of(const uint64_t *x)
{
    return _mm512_mask_set1_epi64(vec_all(x[0]), 0xcc, (long long)x[1]);
}

NTT_INLINE twiddle twiddle_half_4(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){pairs_of(table->w + i), pairs_of(table->companion + i)};
}

/* Entries 0 1 2 3 0 1 2 3. */
NTT_INLINE vec twice(const uint64_t *x)
{
    return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)x));
}

NTT_INLINE twiddle twiddle_half_2(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){twice(table->w + i), twice(table->companion + i)};
}

/* ---- common parts of the IFMA products ---- */

typedef struct ifma_ring {
    vec q, q2;
    vec minus_q; /* 2^52 - q */
    vec mask;    /* 2^52 - 1 */
    vec inverse; /* 1/q mod 2^52 */
    vec square;  /* 2^104 mod q */
} ifma_ring;

NTT_INLINE ifma_ring ifma_init(const gfp_ntt_modulus *modulus)
{
    const uint64_t mask = ((uint64_t)1 << IFMA_WORD) - 1;
    return (ifma_ring){vec_all(modulus->q),
                       vec_all(2 * modulus->q),
                       vec_all(mask + 1 - modulus->q),
                       vec_all(mask),
                       vec_all((~modulus->negative_inverse + 1) & mask),
                       vec_all(modulus->montgomery_square)};
}

/* From [0, 2 bound) to [0, bound): if x < bound, the difference wraps and is the greater one. */
NTT_INLINE vec vec_less(vec x, vec bound)
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, bound));
}

/* x, y < 4 q in and out; t = y w in [0, 2q). */
NTT_INLINE void ifma_sum(const ifma_ring *r, vec *x, vec *y, vec t)
{
    const vec a = vec_less(*x, r->q2);
    *x = _mm512_add_epi64(a, t);
    *y = _mm512_sub_epi64(_mm512_add_epi64(a, r->q2), t);
}

/* x, y < 2q: (x + y mod 2q, x - y + 2q < 4 q). */
NTT_INLINE void ifma_difference(const ifma_ring *r, vec *x, vec *y)
{
    const vec difference = _mm512_add_epi64(_mm512_sub_epi64(*x, *y), r->q2);
    *x = vec_less(_mm512_add_epi64(*x, *y), r->q2);
    *y = difference;
}

NTT_INLINE vec ifma_canonical(const ifma_ring *r, vec x)
{
    return vec_less(vec_less(x, r->q2), r->q);
}

/* (hi 2^52 + lo) / 2^52 mod q in (0, 2q) for hi < q: the low words of the number and of m q are
 * equal, and their high words differ by less than q. */
NTT_INLINE vec ifma_reduce(const ifma_ring *r, vec hi, vec lo)
{
    const vec zero = _mm512_setzero_si512();
    const vec m = _mm512_madd52lo_epu64(zero, lo, r->inverse);
    return _mm512_add_epi64(_mm512_sub_epi64(hi, _mm512_madd52hi_epu64(zero, m, r->q)), r->q);
}

NTT_INLINE vec ifma_montgomery(const ifma_ring *r, vec x, vec y)
{
    const vec zero = _mm512_setzero_si512();
    return ifma_reduce(r, _mm512_madd52hi_epu64(zero, x, y), _mm512_madd52lo_epu64(zero, x, y));
}

/* For x, y < q: x y / 2^52 in (0, 2q), then this times 2^104 / 2^52. Both high words
 * are below q. */
NTT_INLINE vec ifma_product(const ifma_ring *r, vec x, vec y)
{
    return vec_less(ifma_montgomery(r, ifma_montgomery(r, x, y), r->square), r->q);
}

/* ---- Shoup ---- */

#define NTT(verb) shoup_##verb

typedef ifma_ring shoup_ring;

static void shoup_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                         uint64_t *companion)
{
    *w = c;
    *companion = (uint64_t)(((gfp_u128)c << IFMA_WORD) / modulus->q);
}

NTT_INLINE shoup_ring shoup_init(const gfp_ntt_modulus *modulus)
{
    return ifma_init(modulus);
}

NTT_INLINE vec shoup_enter(const shoup_ring *r, vec x)
{
    (void)r;
    return x;
}

/* x w - floor(x companion / 2^52) q for x < 2^52: in [0, 2q), so that its value modulo 2^52
 * determines it. */
NTT_INLINE vec shoup_times(const shoup_ring *r, vec x, twiddle w)
{
    const vec zero = _mm512_setzero_si512();
    const vec quotient = _mm512_madd52hi_epu64(zero, x, w.companion);
    const vec low = _mm512_madd52lo_epu64(zero, x, w.w);
    return _mm512_and_si512(_mm512_madd52lo_epu64(low, quotient, r->minus_q), r->mask);
}

NTT_INLINE vec shoup_canonical(const shoup_ring *r, vec x)
{
    return ifma_canonical(r, x);
}

NTT_INLINE vec shoup_scaled(const shoup_ring *r, vec x, twiddle w)
{
    return vec_less(shoup_times(r, x, w), r->q);
}

NTT_INLINE vec shoup_product(const shoup_ring *r, vec x, vec y)
{
    return ifma_product(r, x, y);
}

NTT_INLINE void shoup_butterfly(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    ifma_sum(r, x, y, shoup_times(r, *y, w));
}

NTT_INLINE void shoup_butterfly_inverse(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    ifma_difference(r, x, y);
    *y = shoup_times(r, *y, w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- Shoup, q < 2^48: words modulo 2^52, values below 16 q <= 2^52 are reduced later ---- */

#undef NTT
#define NTT(verb) spare_##verb

#define SPARE_BITS 48

typedef struct spare_ring {
    ifma_ring ifma;
    vec q4, q8;
    vec below; /* -q */
    vec one;   /* floor(2^52 / q): the companion of 1 */
} spare_ring;

static void spare_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                         uint64_t *companion)
{
    shoup_encode(modulus, c, w, companion);
}

NTT_INLINE spare_ring spare_init(const gfp_ntt_modulus *modulus)
{
    return (spare_ring){ifma_init(modulus), vec_all(4 * modulus->q), vec_all(8 * modulus->q),
                        vec_all(~modulus->q + 1), vec_all(((uint64_t)1 << IFMA_WORD) / modulus->q)};
}

NTT_INLINE vec spare_enter(const spare_ring *r, vec x)
{
    (void)r;
    return x;
}

/* start + (x w in [0, 2q)), modulo 2^52. */
NTT_INLINE vec spare_times(const spare_ring *r, vec start, vec x, twiddle w)
{
    const vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, w.companion);
    const vec low = _mm512_madd52lo_epu64(start, x, w.w);
    return _mm512_madd52lo_epu64(low, quotient, r->ifma.minus_q);
}

/* From [0, 16 q), given modulo 2^52, to [0, 8 q). */
NTT_INLINE vec spare_less(const spare_ring *r, vec x)
{
    return vec_less(_mm512_and_si512(x, r->ifma.mask), r->q8);
}

/* Reduces by a product with 1. */
NTT_INLINE vec spare_canonical(const spare_ring *r, vec x)
{
    const vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, r->one);
    const vec t = _mm512_madd52lo_epu64(x, quotient, r->ifma.minus_q);
    return vec_less(_mm512_and_si512(t, r->ifma.mask), r->ifma.q);
}

NTT_INLINE vec spare_scaled(const spare_ring *r, vec x, twiddle w)
{
    const vec t = spare_times(r, _mm512_setzero_si512(), x, w);
    return vec_less(_mm512_and_si512(t, r->ifma.mask), r->ifma.q);
}

NTT_INLINE vec spare_product(const spare_ring *r, vec x, vec y)
{
    return ifma_product(&r->ifma, x, y);
}

/* t = y w - q in [-q, q) widens the range of x by q at both ends: from [4q, 12q) to [0, 16 q) in
 * four levels. */
NTT_INLINE void spare_butterfly_lazy(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    const vec t = spare_times(r, r->below, *y, w);
    *y = _mm512_sub_epi64(*x, t);
    *x = _mm512_add_epi64(*x, t);
}

/* x, y < 16 q in; in [3q, 13q) out. */
NTT_INLINE void spare_butterfly(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    *x = _mm512_add_epi64(spare_less(r, *x), r->q4);
    spare_butterfly_lazy(r, x, y, w);
}

/* (x + y, (x - y + bound) w), x, y < bound. */
NTT_INLINE void spare_difference(const spare_ring *r, vec *x, vec *y, vec bound, twiddle w)
{
    const vec difference = _mm512_add_epi64(_mm512_sub_epi64(*x, *y), bound);
    *x = _mm512_add_epi64(*x, *y);
    *y = spare_times(r, _mm512_setzero_si512(), difference, w);
}

/* x, y < 4 q in and out. */
NTT_INLINE void spare_butterfly_inverse(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    spare_difference(r, x, y, r->q4, w);
    *x = vec_less(_mm512_and_si512(*x, r->ifma.mask), r->q4);
}

/* x, y < 4 q in; x < 8 q, y < 2 q out. */
NTT_INLINE void spare_butterfly_inverse_first(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    spare_difference(r, x, y, r->q4, w);
}

/* x, y < 8 q in; 4 q out. */
NTT_INLINE void spare_butterfly_inverse_sums(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    spare_difference(r, x, y, r->q8, w);
    *x = vec_less(spare_less(r, *x), r->q4);
}

/* x, y < 2 q in; 4 q out. */
NTT_INLINE void spare_butterfly_inverse_differences(const spare_ring *r, vec *x, vec *y, twiddle w)
{
    spare_difference(r, x, y, r->ifma.q2, w);
}

#define NTT_LAZY 3
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- Montgomery, R = 2^52 ---- */

#undef NTT
#define NTT(verb) montgomery_##verb

typedef ifma_ring montgomery_ring;

/* c R mod q, and this over q mod R. */
static void montgomery_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                              uint64_t *companion)
{
    const uint64_t mask = ((uint64_t)1 << IFMA_WORD) - 1;
    *w = (uint64_t)(((gfp_u128)c << IFMA_WORD) % modulus->q);
    *companion = (*w * (~modulus->negative_inverse + 1)) & mask;
}

NTT_INLINE montgomery_ring montgomery_init(const gfp_ntt_modulus *modulus)
{
    return ifma_init(modulus);
}

NTT_INLINE vec montgomery_enter(const montgomery_ring *r, vec x)
{
    (void)r;
    return x;
}

/* ifma_reduce with m from the companion, for x < 2^52 and w < q: in (0, 2q). */
NTT_INLINE vec montgomery_times(const montgomery_ring *r, vec x, twiddle w)
{
    const vec zero = _mm512_setzero_si512();
    const vec m = _mm512_madd52lo_epu64(zero, x, w.companion);
    const vec hi = _mm512_madd52hi_epu64(r->q, x, w.w);
    return _mm512_sub_epi64(hi, _mm512_madd52hi_epu64(zero, m, r->q));
}

NTT_INLINE vec montgomery_canonical(const montgomery_ring *r, vec x)
{
    return ifma_canonical(r, x);
}

NTT_INLINE vec montgomery_scaled(const montgomery_ring *r, vec x, twiddle w)
{
    return vec_less(montgomery_times(r, x, w), r->q);
}

NTT_INLINE vec montgomery_product(const montgomery_ring *r, vec x, vec y)
{
    return ifma_product(r, x, y);
}

NTT_INLINE void montgomery_butterfly(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    ifma_sum(r, x, y, montgomery_times(r, *y, w));
}

NTT_INLINE void montgomery_butterfly_inverse(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    ifma_difference(r, x, y);
    *y = montgomery_times(r, *y, w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- quotient in double: all residues are below q ---- */

#undef NTT
#define NTT(verb) quotient_##verb

typedef struct quotient_ring {
    vec q;
    __m512d inverse;
} quotient_ring;

/* c and its double. */
static void quotient_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                            uint64_t *companion)
{
    const union {
        double value;
        uint64_t bits;
    } converted = {.value = (double)c};
    (void)modulus;
    *w = c;
    *companion = converted.bits;
}

NTT_INLINE quotient_ring quotient_init(const gfp_ntt_modulus *modulus)
{
    return (quotient_ring){vec_all(modulus->q), _mm512_set1_pd(modulus->inverse)};
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

/* Like double quotient in scalar.c: res is in [-q, 2q); a negative res wraps, and is greater
 * than res + q. */
NTT_INLINE vec quotient_times(const quotient_ring *r, vec x, twiddle w)
{
    const __m512d exact = _mm512_cvtepi64_pd(x);
    const __m512d real = _mm512_mul_pd(exact, _mm512_castsi512_pd(w.companion));
    const vec quotient = _mm512_cvttpd_epi64(_mm512_mul_pd(real, r->inverse));
    const vec res = _mm512_sub_epi64(_mm512_mul_epu32(x, w.w), _mm512_mul_epu32(quotient, r->q));
    return vec_less(_mm512_min_epu64(res, _mm512_add_epi64(res, r->q)), r->q);
}

NTT_INLINE vec quotient_scaled(const quotient_ring *r, vec x, twiddle w)
{
    return quotient_times(r, x, w);
}

NTT_INLINE vec quotient_product(const quotient_ring *r, vec x, vec y)
{
    return quotient_times(r, x, (twiddle){y, _mm512_castpd_si512(_mm512_cvtepi64_pd(y))});
}

NTT_INLINE void quotient_sum(const quotient_ring *r, vec *x, vec *y)
{
    const vec difference = _mm512_sub_epi64(*x, *y);
    *x = vec_less(_mm512_add_epi64(*x, *y), r->q);
    *y = _mm512_min_epu64(difference, _mm512_add_epi64(difference, r->q));
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

typedef struct tile {
    vec row[1 << REORDER_BITS];
} tile;

static const unsigned char reversed[1 << REORDER_BITS] = {0, 4, 2, 6, 1, 5, 3, 7};

/* Transposes: exchanges the bits of lane and row one by one. */
NTT_INLINE void load_tile(tile *t, const uint64_t *x, unsigned shift)
{
    vec *v = t->row;
    for (size_t i = 0; i < 8; i++) {
        v[i] = vec_load(x + ((size_t)reversed[i] << shift));
    }
    for (size_t i = 0; i < 4; i++) {
        exchange(&v[i], &v[i + 4], 4);
    }
    for (size_t i = 0; i < 8; i += 4) {
        exchange(&v[i], &v[i + 2], 2);
        exchange(&v[i + 1], &v[i + 3], 2);
    }
    for (size_t i = 0; i < 8; i += 2) {
        exchange(&v[i], &v[i + 1], 1);
    }
}

NTT_INLINE void store_tile(uint64_t *x, const tile *t, unsigned shift)
{
    for (size_t i = 0; i < 8; i++) {
        vec_store(x + ((size_t)reversed[i] << shift), t->row[i]);
    }
}

#include "papers/ntt/reorder.inc"

const gfp_ntt_kernels gfp_ntt_kernels_avx512[GFP_NTT_ROWS_AVX512] = {
    GFP_NTT_ROW(spare, GFP_NTT_SHOUP, SPARE_BITS, IFMA_WORD),
    GFP_NTT_ROW(shoup, GFP_NTT_SHOUP, IFMA_BITS, IFMA_WORD),
    GFP_NTT_ROW(montgomery, GFP_NTT_MONTGOMERY, IFMA_BITS, IFMA_WORD),
    GFP_NTT_ROW(quotient, GFP_NTT_DOUBLE_QUOTIENT, GFP_NTT_DOUBLE_QUOTIENT_BITS, 0)};
