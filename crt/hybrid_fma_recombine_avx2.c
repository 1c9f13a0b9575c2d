/* hybrid_fma_recombine_avx2.c: the last step of the AVX2 engine: back from the channels to digits
 * modulo each prime, Garner's mixed radix in FMA arithmetic, and u = l + h r + c r^2. Quotients
 * come from doubles, digits from integers modulo 2^64; what the doubles leave uncertain is settled
 * by the integers. Bounds: hybrid_fma_ranges.py. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hybrid_fma.h"
#include "ntt_fma_vec.h"

/* Rounds to multiples of 2^32 while |x| <= 2^83. */
#define HALF_ROUND 0x1.8p84

/* One column's state: arrays of k vectors, with room for two digits before digit 0. */
typedef struct column {
    double *residues; /* prime i at vector i k */
    double *l, *fraction, *h, *h_ratio, *c, *c_ratio;
} column;

static column column_make(double *scratch, size_t k)
{
    column col;
    col.residues = scratch;
    double *next = scratch + GFP_FMA_LANES * GFP_FMA_PRIMES * k;
    size_t size = GFP_FMA_LANES * (k + 2);
    col.l = next;
    col.fraction = next + size;
    col.h = next + 2 * size + 2 * GFP_FMA_LANES;
    col.h_ratio = next + 3 * size + 2 * GFP_FMA_LANES;
    col.c = next + 4 * size + 2 * GFP_FMA_LANES;
    col.c_ratio = next + 5 * size + 2 * GFP_FMA_LANES;
    return col;
}

/* ---- from channels to residues ---- */

/* The inverse of the evaluation: from k channels, stride vectors apart, to k vectors. */
static inline void interpolate(const gfp_fma_modulus *m, double *z, const double *channels,
                               size_t stride, unsigned log2_k)
{
    unsigned bits = gfp_fma_bottom_bits(log2_k);
    size_t size = (size_t)1 << bits;
    unsigned levels = log2_k - bits;
    for (size_t b = 0; b < (size_t)1 << levels; b++) {
        gfp_fma_backward_pass(m, z + GFP_FMA_LANES * size * b, 1,
                              channels + GFP_FMA_LANES * size * b * stride, stride,
                              ((size_t)1 << levels) + b, bits);
    }
    if (levels != 0) {
        gfp_fma_backward(m, z, size, levels, 1);
    }
}

/* ---- from residues to l, h, c ---- */

static inline __m256i as_bits(__m256d x)
{
    return _mm256_castpd_si256(x);
}

/* low += x f and cross += the two middle products, each modulo its width. */
static inline void multiply_add(__m256i *low, __m256i *cross, __m256i x, const gfp_fma_factor *f)
{
    __m256i value = _mm256_set1_epi64x((int64_t)f->value);
    __m256i swapped = _mm256_set1_epi64x((int64_t)f->swapped);
    *low = _mm256_add_epi64(*low, _mm256_mul_epu32(x, value));
    *cross = _mm256_add_epi32(*cross, _mm256_mullo_epi32(x, swapped));
}

/* Mixed-radix digit j of what has this residue times 1 / (q_1 ... q_(j-1)), given those before it:
 * at most 1/2 + 2^-50, so that the value is the one next to 0. */
static inline __m256d garner(const gfp_hybrid_fma *tables, const gfp_fma_modulus *moduli,
                             unsigned j, const __m256d digit[GFP_FMA_PRIMES], const double *residue)
{
    gfp_fma_constants c = gfp_fma_constants_get(&moduli[j]);
    __m256d y = _mm256_load_pd(residue);
    for (unsigned i = 0; i < j; i++) {
        y = _mm256_sub_pd(y, gfp_fma_mul_root(&c, digit[i], &tables->prime[j].garner[i]));
    }
    return gfp_fma_reduce(&c, y);
}

/* Digit t of the column: the mixed-radix digits' weights over r, in doubles, give u / r = T + rest,
 * T a multiple of G; then c = T / r, then h in two steps; what is left is l / r. */
static inline void split_digit(const gfp_hybrid_fma *tables, const gfp_fma_modulus *moduli,
                               unsigned primes, const column *col, size_t k, size_t t)
{
    const gfp_fma_radix *radix = &tables->radix;
    const __m256d round = _mm256_set1_pd(GFP_FMA_ROUND);
    const __m256d half_round = _mm256_set1_pd(HALF_ROUND);
    const __m256d coarse = _mm256_set1_pd(radix->coarse);
    const __m256d r_inverse = _mm256_set1_pd(radix->inverse);
    __m256d digit[GFP_FMA_PRIMES];
    const double *residue = col->residues + GFP_FMA_LANES * t;
    digit[0] = garner(tables, moduli, 0, digit, residue);
    for (unsigned j = 1; j < primes; j++) {
        digit[j] = garner(tables, moduli, j, digit, residue + GFP_FMA_LANES * k * j);
    }
    __m256d rest = _mm256_mul_pd(digit[0], r_inverse);
    __m256d s = coarse;
    for (unsigned i = primes; i-- > 1;) {
        __m256d high = _mm256_set1_pd(radix->weight_high[i]);
        __m256d next = _mm256_fmadd_pd(digit[i], high, s);
        __m256d l = _mm256_fmsub_pd(digit[i], high, _mm256_sub_pd(next, s));
        l = _mm256_fmadd_pd(digit[i], _mm256_set1_pd(radix->weight_low[i]), l);
        rest = _mm256_add_pd(rest, l);
        s = next;
    }
    __m256d total = _mm256_sub_pd(s, coarse);
    __m256d c_rounded = _mm256_fmadd_pd(total, r_inverse, round);
    __m256d c = _mm256_sub_pd(c_rounded, round);
    __m256d h_high = _mm256_fnmadd_pd(c, _mm256_set1_pd(radix->r_high), total); /* exact */
    rest = _mm256_fnmadd_pd(c, _mm256_set1_pd(radix->r_low), rest);
    __m256d high_rounded = _mm256_add_pd(h_high, half_round);
    rest = _mm256_add_pd(rest, _mm256_sub_pd(h_high, _mm256_sub_pd(high_rounded, half_round)));
    __m256d low_rounded = _mm256_add_pd(rest, round);
    _mm256_store_pd(col->fraction + GFP_FMA_LANES * t,
                    _mm256_sub_pd(rest, _mm256_sub_pd(low_rounded, round)));
    _mm256_store_pd(col->h_ratio + GFP_FMA_LANES * t, _mm256_mul_pd(h_high, r_inverse));
    _mm256_store_pd(col->c_ratio + GFP_FMA_LANES * t, _mm256_mul_pd(c, r_inverse));

    /* The same numbers modulo 2^64, out of the mantissas of the rounded sums. */
    __m256i c_bits = _mm256_sub_epi64(as_bits(c_rounded), as_bits(round));
    __m256i h_bits =
        _mm256_slli_epi64(_mm256_sub_epi64(as_bits(high_rounded), as_bits(half_round)), 32);
    h_bits = _mm256_add_epi64(h_bits, _mm256_sub_epi64(as_bits(low_rounded), as_bits(round)));
    __m256i low = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)radix->offset[primes]),
                                   as_bits(_mm256_add_pd(digit[0], round)));
    __m256i cross = _mm256_setzero_si256();
    for (unsigned i = 1; i < primes; i++) {
        multiply_add(&low, &cross, as_bits(_mm256_add_pd(digit[i], round)), &radix->word[i]);
    }
    multiply_add(&low, &cross, h_bits, &radix->minus_r);
    multiply_add(&low, &cross, c_bits, &radix->minus_r2);
    __m256i upper = _mm256_blend_epi32(_mm256_setzero_si256(), cross, 0xaa);
    low = _mm256_add_epi64(low, _mm256_add_epi64(upper, _mm256_slli_epi64(cross, 32)));
    _mm256_store_si256((__m256i *)(void *)(col->l + GFP_FMA_LANES * t), low);
    _mm256_store_si256((__m256i *)(void *)(col->h + GFP_FMA_LANES * t), h_bits);
    _mm256_store_si256((__m256i *)(void *)(col->c + GFP_FMA_LANES * t), c_bits);
}

/* ---- digits ---- */

static inline void store_negative_integers(double *z, const double *x)
{
    __m256i v = _mm256_load_si256((const __m256i *)(const void *)x);
    _mm256_store_si256((__m256i *)(void *)z, _mm256_sub_epi64(_mm256_setzero_si256(), v));
}

static inline void store_negative(double *z, const double *x)
{
    _mm256_store_pd(z, _mm256_sub_pd(_mm256_setzero_pd(), _mm256_load_pd(x)));
}

static inline __m256i load_integers(const double *x)
{
    return _mm256_load_si256((const __m256i *)(const void *)x);
}

/* The balanced digit of l_t + h_(t-1) + c_(t-2) and its carry. The doubles say which carry in {-1,
 * 0, 1}, within 0.1; the integer on the sign's side then says whether it was one too small. */
static inline __m256i balance(const gfp_fma_radix *radix, const column *col, size_t t,
                              __m256i *carry)
{
    const double *l = col->l + GFP_FMA_LANES * t;
    const double *h = col->h + GFP_FMA_LANES * t - GFP_FMA_LANES;
    const double *c = col->c + GFP_FMA_LANES * t - 2 * GFP_FMA_LANES;
    __m256i sum =
        _mm256_add_epi64(_mm256_add_epi64(load_integers(l), load_integers(h)), load_integers(c));
    __m256d ratio = _mm256_add_pd(
        _mm256_load_pd(col->fraction + GFP_FMA_LANES * t),
        _mm256_add_pd(_mm256_load_pd(col->h_ratio + GFP_FMA_LANES * t - GFP_FMA_LANES),
                      _mm256_load_pd(col->c_ratio + GFP_FMA_LANES * t - 2 * GFP_FMA_LANES)));
    const __m256i r = _mm256_set1_epi64x((int64_t)radix->r);
    __m256i above = as_bits(_mm256_cmp_pd(ratio, _mm256_set1_pd(0.5), _CMP_GT_OQ));
    __m256i below = as_bits(_mm256_cmp_pd(ratio, _mm256_set1_pd(-0.5), _CMP_LT_OQ));
    __m256i part = _mm256_sub_epi64(_mm256_and_si256(below, r), _mm256_and_si256(above, r));
    __m256i d = _mm256_add_epi64(sum, part);
    __m256i q = _mm256_sub_epi64(below, above);
    /* The sign of d, where |d| is near r / 2: that of the ratio, the other one after a carry. */
    __m256i sign = as_bits(_mm256_cmp_pd(ratio, _mm256_setzero_pd(), _CMP_LT_OQ));
    sign = _mm256_xor_si256(sign, _mm256_or_si256(above, below));
    d = _mm256_sub_epi64(_mm256_xor_si256(d, sign), sign);
    /* |d| <= 0.6 r: compared about r / 4, it does not overflow. */
    __m256i over =
        _mm256_cmpgt_epi64(_mm256_sub_epi64(d, _mm256_set1_epi64x((int64_t)radix->quarter)),
                           _mm256_set1_epi64x((int64_t)radix->half_less_quarter));
    d = _mm256_sub_epi64(d, _mm256_and_si256(over, r));
    d = _mm256_sub_epi64(_mm256_xor_si256(d, sign), sign);
    *carry = _mm256_sub_epi64(q, _mm256_sub_epi64(_mm256_xor_si256(over, sign), sign));
    return d;
}

/* T^k = -1: what leaves at the top comes in below, negated. */
static inline void write_digits(const gfp_fma_radix *radix, const column *col, size_t k,
                                int64_t *digits)
{
    const size_t top = GFP_FMA_LANES * (k - 1), last = GFP_FMA_LANES * (k - 2);
    store_negative_integers(col->h - GFP_FMA_LANES, col->h + top);
    store_negative(col->h_ratio - GFP_FMA_LANES, col->h_ratio + top);
    store_negative_integers(col->c - GFP_FMA_LANES, col->c + top);
    store_negative(col->c_ratio - GFP_FMA_LANES, col->c_ratio + top);
    store_negative_integers(col->c - 2 * GFP_FMA_LANES, col->c + last);
    store_negative(col->c_ratio - 2 * GFP_FMA_LANES, col->c_ratio + last);
    __m256i carry;
    __m256i first = balance(radix, col, 0, &carry);
    for (size_t t = 1; t < k; t++) {
        __m256i next;
        __m256i d = balance(radix, col, t, &next);
        _mm256_store_si256((__m256i *)(void *)(digits + GFP_FMA_LANES * t),
                           _mm256_add_epi64(d, carry));
        carry = next;
    }
    _mm256_store_si256((__m256i *)(void *)digits, _mm256_sub_epi64(first, carry));
}

static inline void recombine(const gfp_hybrid_fma *tables, const gfp_fma_modulus *moduli,
                             unsigned primes, unsigned log2_k, const double *channels,
                             size_t stride, size_t vectors, int64_t *digits, double *scratch)
{
    size_t k = (size_t)1 << log2_k;
    column col = column_make(scratch, k);
    for (size_t v = 0; v < vectors; v++) {
        for (unsigned p = 0; p < primes; p++) {
            interpolate(&moduli[p], col.residues + GFP_FMA_LANES * k * p,
                        channels + GFP_FMA_LANES * (k * stride * p + v), stride, log2_k);
        }
        for (size_t t = 0; t < k; t++) {
            split_digit(tables, moduli, primes, &col, k, t);
        }
        write_digits(&tables->radix, &col, k, digits + GFP_FMA_LANES * k * v);
    }
}

void gfp_hybrid_fma_recombine(const gfp_hybrid_fma *tables, const gfp_fma_modulus *moduli,
                              unsigned primes, unsigned log2_k, const double *channels,
                              size_t stride, size_t vectors, int64_t *digits, double *scratch)
{
    if (primes != 3) {
        recombine(tables, moduli, primes, log2_k, channels, stride, vectors, digits, scratch);
    } else if (log2_k == 1) {
        recombine(tables, moduli, 3, 1, channels, stride, vectors, digits, scratch);
    } else if (log2_k == 2) {
        recombine(tables, moduli, 3, 2, channels, stride, vectors, digits, scratch);
    } else if (log2_k == 3) {
        recombine(tables, moduli, 3, 3, channels, stride, vectors, digits, scratch);
    } else {
        recombine(tables, moduli, 3, log2_k, channels, stride, vectors, digits, scratch);
    }
}
