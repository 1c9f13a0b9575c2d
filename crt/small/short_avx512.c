/* short_avx512.c: the kernels of short.h by AVX-512 IFMA, eight numbers side by side.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/short.h"

#include "field/kernels/lanes_avx512.h"
#include "fft/words/ntt_ifma.h"

#define UNROLL GFP_UNROLL

/* The word is l + 2^48 h, -2^15 <= h < 2^15: l + h delta + 4 q, in [4 q - 2^46, 5 q + 2^47), lies
 * in [3 q, 6.1 q]. H = h + 2^15 is not negative, and H delta < 2^47. */
static void project_words(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, size_t len)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&prime->prime);
    const uint64_t delta = ((uint64_t)1 << GFP_NATIVE_BITS) - mod.word;
    const __m512i bias = lanes_set(4 * mod.word - (delta << 15));
    const __m512i sign = lanes_set((uint64_t)1 << 63);
    for (size_t i = 0; i < len; i += LANES) {
        const __mmask8 there = (__mmask8)(len - i < LANES ? (1U << (len - i)) - 1 : 0xff);
        const __m512i word = _mm512_maskz_loadu_epi64(there, x + i);
        const __m512i high = _mm512_srli_epi64(_mm512_xor_si512(word, sign), GFP_NATIVE_BITS);
        const __m512i low = _mm512_add_epi64(_mm512_and_si512(word, mod.low48), bias);
        _mm512_storeu_si512(z + i, _mm512_madd52lo_epu64(low, high, mod.delta));
    }
}

/* Limb `index` of eight coefficients of `width` limbs, 2 or 3, which v holds. */
GFP_INLINE __m512i gather_limb(const __m512i v[GFP_SHORT_WIDTH], unsigned width, unsigned index)
{
    const long long at = (long long)index, w = (long long)width;
    /* Places in v[0] and v[1]; those of v[2] are the same modulo 8. */
    const __m512i places = _mm512_setr_epi64(at, w + at, 2 * w + at, 3 * w + at, 4 * w + at,
                                             5 * w + at, 6 * w + at, 7 * w + at);
    const __mmask8 third = (__mmask8)(index == 0 ? 0xc0 : 0xe0); /* places from 16 on */
    const __m512i x = _mm512_permutex2var_epi64(v[0], places, v[1]);
    return width == 2 ? x : _mm512_mask_permutexvar_epi64(x, third, places, v[2]);
}

/* The sum of the pieces is below 2^48 + q (1 + 2^-4) + q + q (1 + 2^-5) < 4.2 q; out [4 q, 5 q +
 * e).
 */
GFP_INLINE __m512i short_avx512_residue(const gfp_short_primes *primes, unsigned j,
                                        const gfp_ifma_modulus *mod,
                                        const __m512i v[GFP_SHORT_WIDTH], unsigned width)
{
    const gfp_ntt48_root third = primes->third[j];
    const __m512i x0 = gather_limb(v, width, 0), x1 = gather_limb(v, width, 1);
    const __m512i x2 = width == 2 ? _mm512_srai_epi64(x1, 63) : gather_limb(v, width, 2);
    const __m512i middle =
        _mm512_or_si512(_mm512_srli_epi64(x0, GFP_NATIVE_BITS), _mm512_slli_epi64(x1, 16));
    const __m512i top = _mm512_or_si512(_mm512_srli_epi64(x1, 32), _mm512_slli_epi64(x2, 32));
    __m512i sum =
        gfp_ifma_mul_from(lanes_set(primes->bias[j]),
                          _mm512_add_epi64(top, lanes_set((uint64_t)1 << (GFP_NATIVE_BITS - 2))),
                          lanes_set(third.w), lanes_set(third.companion), mod);
    sum = _mm512_add_epi64(
        sum, gfp_ifma_mul(_mm512_and_si512(middle, mod->low48), primes->second[j], mod));
    sum = _mm512_add_epi64(sum, _mm512_and_si512(x0, mod->low48));
    return _mm512_add_epi64(gfp_ifma_reduce(sum, mod), lanes_set(4 * mod->word));
}

GFP_INLINE void project_pieces(const gfp_short_primes *primes, unsigned j, uint64_t *z,
                               const uint64_t *x, unsigned width, size_t len)
{
    const gfp_ifma_modulus mod = gfp_ifma_modulus_of(&primes->prime[j].prime);
    for (size_t i = 0; i < len; i += LANES, x += width * LANES) {
        __m512i v[GFP_SHORT_WIDTH];
        UNROLL
        for (unsigned u = 0; u < width; u++) {
            const size_t left = width * (len - i), at = u * LANES;
            const __mmask8 there = (__mmask8)(left >= at + LANES ? 0xff
                                              : left > at        ? (1U << (left - at)) - 1
                                                                 : 0);
            v[u] = _mm512_maskz_loadu_epi64(there, x + at);
        }
        _mm512_storeu_si512(z + i, short_avx512_residue(primes, j, &mod, v, width));
    }
}

static void short_avx512_project(const gfp_short_primes *primes, unsigned j, uint64_t *z,
                                 const uint64_t *x, size_t width, size_t len, size_t points)
{
    const gfp_native_prime *prime = &primes->prime[j];
    const __m512i zero = lanes_set(4 * prime->prime.q);
    if (width == 1) {
        project_words(prime, z, x, len);
    } else if (width == 2) {
        project_pieces(primes, j, z, x, 2, len);
    } else {
        project_pieces(primes, j, z, x, 3, len);
    }
    for (size_t i = (len + LANES - 1) / LANES * LANES; i < points; i += LANES) {
        _mm512_storeu_si512(z + i, zero);
    }
}

/* x in [0, 12 q): a sum of up to six products below 2 q. */
GFP_INLINE __m512i short_avx512_canonical(__m512i x, const gfp_ifma_modulus *mod)
{
    const __m512i y = gfp_ifma_reduce(x, mod); /* below q + e < 2 q */
    return _mm512_min_epu64(y, _mm512_sub_epi64(y, mod->q));
}

/* The digits v of eight numbers. */
GFP_INLINE void short_avx512_digits(const gfp_short_crt *crt, unsigned count,
                                    const gfp_ifma_modulus *mod, __m512i v[GFP_SHORT_PRIMES],
                                    const uint64_t *x, size_t step)
{
    const __m512i mask = lanes_set(GFP_NATIVE_PIECE_MASK);
    UNROLL
    for (unsigned j = 0; j < count; j++) {
        __m512i sum = _mm512_and_si512(gfp_ifma_mul(_mm512_loadu_si512(x + j * step),
                                                    crt->primes->own[j][crt->halvings], &mod[j]),
                                       mask);
        UNROLL
        for (unsigned i = 0; i < j; i++) {
            sum = _mm512_add_epi64(
                sum,
                _mm512_and_si512(gfp_ifma_mul(v[i], crt->primes->factor[j][i], &mod[j]), mask));
        }
        v[j] = short_avx512_canonical(sum, &mod[j]);
    }
}

/* Digits of 52 bits, as many as primes, the top one with a sign. */
typedef struct integer {
    __m512i digit[GFP_SHORT_PRIMES];
} integer;

/* z := z q + v, z of `count` digits in [0, 2^52), q and v below 2^48; one digit more. */
GFP_INLINE void multiply_add(integer *z, unsigned count, __m512i q, __m512i v)
{
    const __m512i mask = lanes_set(GFP_NATIVE_PIECE_MASK);
    __m512i carry = v;
    UNROLL
    for (unsigned i = 0; i < count; i++) {
        const __m512i low = _mm512_madd52lo_epu64(carry, z->digit[i], q);
        carry =
            _mm512_madd52hi_epu64(_mm512_srli_epi64(low, GFP_NATIVE_PIECE_BITS), z->digit[i], q);
        z->digit[i] = _mm512_and_si512(low, mask);
    }
    z->digit[count] = carry;
}

/* z := z - M in the lanes of the mask; digits below the top one in [0, 2^52), the top one with a
 * sign. */
GFP_INLINE void short_avx512_subtract(integer *z, unsigned count, __mmask8 negative,
                                      const uint64_t *m)
{
    const __m512i mask = lanes_set(GFP_NATIVE_PIECE_MASK);
    __m512i borrow = _mm512_setzero_si512();
    UNROLL
    for (unsigned i = 0; i < count; i++) {
        __m512i d = _mm512_add_epi64(z->digit[i], borrow);
        d = _mm512_mask_sub_epi64(d, negative, d, lanes_set(m[i]));
        borrow = _mm512_srai_epi64(d, GFP_NATIVE_PIECE_BITS);
        z->digit[i] = i + 1 < count ? _mm512_and_si512(d, mask) : d;
    }
}

/* The integers of `count` primes as digits. */
GFP_INLINE integer short_avx512_assemble(const gfp_short_crt *crt, unsigned count,
                                         const __m512i v[GFP_SHORT_PRIMES])
{
    const gfp_native_prime *p = crt->primes->prime;
    integer z;
    z.digit[0] = v[count - 1];
    const __mmask8 negative =
        _mm512_cmpgt_epu64_mask(v[count - 1], lanes_set(p[count - 1].prime.q / 2));
    UNROLL
    for (unsigned j = 1; j < count; j++) {
        multiply_add(&z, j, lanes_set(p[count - 1 - j].prime.q), v[count - 1 - j]);
    }
    short_avx512_subtract(&z, count, negative, crt->primes->product[count - 1]);
    return z;
}

/* Limb `index` of an integer of `count` digits: bits from 64 index on, extended by the sign. */
GFP_INLINE __m512i limb_of(const integer *z, unsigned count, unsigned index)
{
    const unsigned at = 64 * index, first = at / GFP_NATIVE_PIECE_BITS;
    const unsigned shift = at % GFP_NATIVE_PIECE_BITS, below = GFP_NATIVE_PIECE_BITS - shift;
    const __m512i top = z->digit[count - 1];
    const __m512i sign = _mm512_srai_epi64(top, 63);
    const __m512i low = first < count ? z->digit[first] : sign;
    const __m512i next = first + 1 < count ? z->digit[first + 1] : sign;
    __m512i x = first + 1 < count ? _mm512_srli_epi64(low, shift) : _mm512_srai_epi64(low, shift);
    if (first + 1 < count) {
        x = _mm512_or_si512(x, _mm512_slli_epi64(next, below));
    }
    return x;
}

/* c := eight integers of two limbs. */
GFP_INLINE void store_two(uint64_t *c, __m512i low, __m512i high)
{
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    _mm512_storeu_si512(c, _mm512_permutex2var_epi64(low, first, high));
    _mm512_storeu_si512(c + LANES, _mm512_permutex2var_epi64(low, second, high));
}

/* c := n integers of `width` limbs, from vectors of limbs. */
GFP_INLINE void store_rows(uint64_t *c, size_t width, uint64_t limb[GFP_SHORT_LIMBS][LANES],
                           size_t n)
{
    for (size_t l = 0; l < n; l++) {
        for (size_t i = 0; i < width; i++) {
            c[l * width + i] =
                i < GFP_SHORT_LIMBS ? limb[i][l] : 0 - (limb[GFP_SHORT_LIMBS - 1][l] >> 63);
        }
    }
}

GFP_INLINE void store_limbs(uint64_t *c, size_t width, const integer *z, unsigned count, size_t n)
{
    uint64_t limb[GFP_SHORT_LIMBS][LANES];
    if (width == 2 && n == LANES) {
        store_two(c, limb_of(z, count, 0), limb_of(z, count, 1));
        return;
    }
    UNROLL
    for (unsigned i = 0; i < GFP_SHORT_LIMBS; i++) {
        _mm512_storeu_si512(limb[i], limb_of(z, count, i));
    }
    if (width == 3 && n == LANES) {
        store_rows(c, 3, limb, LANES);
    } else if (width == 4 && n == LANES) {
        store_rows(c, 4, limb, LANES);
    } else if (width == 5 && n == LANES) {
        store_rows(c, 5, limb, LANES);
    } else {
        store_rows(c, width, limb, n);
    }
}

GFP_INLINE void recombine_count(const gfp_short_crt *crt, unsigned count, uint64_t *c, size_t width,
                                const uint64_t *x, size_t step, size_t from, size_t end)
{
    gfp_ifma_modulus mod[GFP_SHORT_PRIMES];
    for (unsigned j = 0; j < count; j++) {
        mod[j] = gfp_ifma_modulus_of(&crt->primes->prime[j].prime);
    }
    for (size_t i = from; i < end; i += LANES) {
        const size_t n = end - i < LANES ? end - i : LANES;
        __m512i v[GFP_SHORT_PRIMES];
        short_avx512_digits(crt, count, mod, v, x + i, step);
        const integer z = short_avx512_assemble(crt, count, v);
        store_limbs(c, width, &z, count, n);
        c += n * width;
    }
}

static void short_avx512_recombine(const gfp_short_crt *crt, uint64_t *c, size_t width,
                                   const uint64_t *x, size_t step, size_t from, size_t end)
{
    switch (crt->count) {
    case 2:
        recombine_count(crt, 2, c, width, x, step, from, end);
        break;
    case 3:
        recombine_count(crt, 3, c, width, x, step, from, end);
        break;
    case 4:
        recombine_count(crt, 4, c, width, x, step, from, end);
        break;
    case 5:
        recombine_count(crt, 5, c, width, x, step, from, end);
        break;
    default:
        recombine_count(crt, 6, c, width, x, step, from, end);
    }
}

const gfp_short_kernels gfp_short_avx512 = {&gfp_native_avx512, short_avx512_project,
                                            short_avx512_recombine};
