/* ntt_fma_arithmetic.h: the vector arithmetic of ntt_fma.h, for the sources of the AVX2 level only.
 * Residues are integers held in doubles; every step is exact, and the bounds are in units of q,
 * 0.793 2^50 < q < 0.794 2^50. ntt_fma_ranges.py and crt/hybrid/leaf/fma_ranges.py prove them;
 * tests/lab/fma_checked.h has these functions with the worst results that the bounds permit.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_FMA_ARITHMETIC_H
#define GFP_FFT_WORDS_NTT_FMA_ARITHMETIC_H

#include "fft/words/ntt_fma.h"
#include "field/kernels/intrinsics.h"

/* Adding and subtracting GFP_FMA_ROUND rounds |x| <= 2^51 to an integer. */
#define GFP_FMA_ROUND 0x1.8p52

typedef struct gfp_fma_constants {
    __m256d q;
    __m256d inverse;
    __m256d round;
} gfp_fma_constants;

static inline gfp_fma_constants gfp_fma_constants_get(const gfp_fma_modulus *modulus)
{
    gfp_fma_constants c = {_mm256_set1_pd(modulus->q), _mm256_set1_pd(modulus->inverse),
                           _mm256_set1_pd(GFP_FMA_ROUND)};
    return c;
}

/* Reduces |x| <= 2^53 to at most 1/2 + 2^-49. */
static inline __m256d gfp_fma_reduce(const gfp_fma_constants *c, __m256d x)
{
    __m256d f = _mm256_sub_pd(_mm256_fmadd_pd(x, c->inverse, c->round), c->round);
    return _mm256_fnmadd_pd(f, c->q, x);
}

/* Returns x times a root, for |x| <= 5: at most 1/2 + 0.05 |x|. The product is h + l, h a multiple
 * of its last place, and f is off the quotient by at most 1/2 + |x root / q| 2^-53; h - f q is an
 * integer below 2^53, hence exact. */
static inline __m256d gfp_fma_mul(const gfp_fma_constants *c, __m256d x, __m256d value,
                                  __m256d quotient)
{
    __m256d h = _mm256_mul_pd(x, value);
    __m256d f = _mm256_sub_pd(_mm256_fmadd_pd(x, quotient, c->round), c->round);
    __m256d l = _mm256_fmsub_pd(x, value, h);
    return _mm256_add_pd(_mm256_fnmadd_pd(f, c->q, h), l);
}

static inline __m256d gfp_fma_mul_root(const gfp_fma_constants *c, __m256d x,
                                       const gfp_fma_root *root)
{
    return gfp_fma_mul(c, x, _mm256_broadcast_sd(&root->value),
                       _mm256_broadcast_sd(&root->quotient));
}

/* Returns -x root, with the bound of gfp_fma_mul. */
static inline __m256d gfp_fma_mul_root_negative(const gfp_fma_constants *c, __m256d x,
                                                const gfp_fma_root *root)
{
    __m256d value = _mm256_broadcast_sd(&root->value);
    __m256d h = _mm256_mul_pd(x, value);
    __m256d f = _mm256_fmadd_pd(x, _mm256_broadcast_sd(&root->quotient), c->round);
    __m256d l = _mm256_fmsub_pd(x, value, h);
    return _mm256_sub_pd(_mm256_fmsub_pd(_mm256_sub_pd(f, c->round), c->q, h), l);
}

/* Adding GFP_FMA_WIDE_ROUND rounds to multiples of 2^49 while |sum| <= 2^100. */
#define GFP_FMA_WIDE_ROUND 0x1.8p101

/* Returns the vector a with coefficient i in all lanes, of each polynomial of four. */
#ifdef GFP_WIDE
#define gfp_fma_spread(a, i) _mm512_permutex_pd(_mm512_load_pd(a), 0x55 * (i))
#else
#define gfp_fma_spread(a, i) _mm256_broadcast_sd((a) + (i))
#endif

/* high + low := a b modulo x^4 - g, in each half of a vector of 8 lanes: the coefficients of a at
 * a, at most 1/2 + 2^-49; b and g b, at most 0.75. high or low may be the place of b or g b. Every
 * product is split into a multiple of 2^49 and a rest of at most 2^48, which add up exactly; two
 * chains are shorter than one. */
static inline void gfp_fma_mul_4(double *high, double *low, const double *a, __m256d b, __m256d gb)
{
    const __m256d wide = _mm256_set1_pd(GFP_FMA_WIDE_ROUND);
    /* x b, x^2 b and x^3 b modulo x^4 - g: (gb3 b0 b1 b2), (gb2 gb3 b0 b1), (gb1 gb2 gb3 b0). */
    __m256d b2 = _mm256_permute2f128_pd(gb, b, 0x21);
    __m256d b1 = _mm256_shuffle_pd(b2, b, 5);
    __m256d b3 = _mm256_shuffle_pd(gb, b2, 5);
    __m256d a0 = gfp_fma_spread(a, 0);
    __m256d a1 = gfp_fma_spread(a, 1);
    __m256d a2 = gfp_fma_spread(a, 2);
    __m256d a3 = gfp_fma_spread(a, 3);
    __m256d s0 = _mm256_fmadd_pd(a0, b, wide);
    __m256d s2 = _mm256_fmadd_pd(a2, b2, wide);
    __m256d s1 = _mm256_fmadd_pd(a1, b1, s0);
    __m256d s3 = _mm256_fmadd_pd(a3, b3, s2);
    __m256d l0 = _mm256_fmsub_pd(a0, b, _mm256_sub_pd(s0, wide));
    __m256d l2 = _mm256_fmsub_pd(a2, b2, _mm256_sub_pd(s2, wide));
    __m256d l1 = _mm256_fmsub_pd(a1, b1, _mm256_sub_pd(s1, s0));
    __m256d l3 = _mm256_fmsub_pd(a3, b3, _mm256_sub_pd(s3, s2));
    _mm256_store_pd(high, _mm256_add_pd(_mm256_sub_pd(s1, wide), _mm256_sub_pd(s3, wide)));
    _mm256_store_pd(low, _mm256_add_pd(_mm256_add_pd(l0, l1), _mm256_add_pd(l2, l3)));
}

/* Returns the product high + low of gfp_fma_mul_4 plus z, at most 1.25: at most 0.8. */
static inline __m256d gfp_fma_mul_4_reduce(const gfp_fma_constants *c, const double *high,
                                           const double *low, __m256d z)
{
    __m256d h = _mm256_load_pd(high), l = _mm256_add_pd(_mm256_load_pd(low), z);
    __m256d f = _mm256_fmadd_pd(_mm256_add_pd(h, l), c->inverse, c->round);
    f = _mm256_sub_pd(f, c->round);
    return _mm256_add_pd(_mm256_fnmadd_pd(f, c->q, h), l);
}

/* *high + *low := signed integers of 64 bits, high 2^32 + low: *high is high 2^32 - 2^52, and
 * *low is 2^52 + low, both exact. */
static inline void gfp_fma_integers(__m256d *high, __m256d *low, const int64_t *integers)
{
    const __m256i d = _mm256_load_si256((const __m256i *)(const void *)integers);
    const __m256i x =
        _mm256_xor_si256(_mm256_srli_epi64(d, 32), _mm256_set1_epi64x(0x4530000080000000));
    *high = _mm256_sub_pd(_mm256_castsi256_pd(x), _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));
    *low = _mm256_castsi256_pd(_mm256_blend_epi32(d, _mm256_set1_epi64x(0x4330000000000000), 0xaa));
}

#endif
