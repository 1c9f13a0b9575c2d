/* fma_recombine_avx2.c: the last step of the AVX2 engine: back from the channels to digits
 * modulo each prime, Garner's mixed radix in FMA arithmetic, and u = l + h r + c r^2. Quotients
 * come from doubles, digits from integers modulo 2^64; the integers settle the cases that the
 * doubles leave open. Bounds: fma_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "crt/hybrid/leaf/fma.h"
#include "crt/hybrid/leaf/real.h"
#include "fft/words/ntt_fma_vec.h"
#include "field/base/support.h"

/* HALF_ROUND rounds to multiples of 2^32 while |x| <= 2^83. */
#define HALF_ROUND 0x1.8p84

/* The state of a few columns: arrays of `size` vectors. A loop for each step goes over all of them,
 * since one step is a long chain of dependent operations. */
typedef struct batch {
    size_t size;      /* vectors: columns k */
    double *residues; /* prime i at vector i size; then the mixed-radix digits */
    double *l, *h, *c, *ratio, *h_near, *c_near;
} batch;

/* The least number of digits of a batch, if the product has as many. */
#define RECOMBINE_DIGITS ((size_t)32)

static size_t batch_columns(size_t k)
{
    return k < RECOMBINE_DIGITS ? RECOMBINE_DIGITS / k : 1;
}

static batch batch_make(double *scratch, size_t size)
{
    batch s;
    size_t step = GFP_FMA_LANES * size;
    s.size = size;
    s.residues = scratch;
    s.l = scratch + GFP_FMA_PRIMES * step;
    s.h = s.l + step;
    s.c = s.h + step;
    s.ratio = s.c + step;
    s.h_near = s.ratio + step;
    s.c_near = s.h_near + step;
    return s;
}

size_t gfp_hybrid_fma_scratch(unsigned k, unsigned primes)
{
    (void)primes;
    return GFP_FMA_LANES * (GFP_FMA_PRIMES + 6) * batch_columns(k) * k;
}

/* ---- from channels to residues ---- */

/* A pass that joins nodes of 2^done residues. */
static inline void interpolate_pass(const gfp_fma_modulus *m, double *x, unsigned log2_k,
                                    unsigned done, unsigned bits)
{
    const size_t nodes = (size_t)1 << (log2_k - done - bits), width = (size_t)1 << done;
    for (size_t b = 0; b < nodes; b++, x += GFP_FMA_LANES * (width << bits)) {
        for (size_t t = 0; t < width; t++) {
            double *v = x + GFP_FMA_LANES * t;
            gfp_fma_backward_pass(m, v, width, v, width, nodes + b, bits);
        }
    }
}

/* The inverse of the evaluation: z := `columns` columns of k residues, from k channels `stride`
 * vectors apart. Each pass goes over all columns before the next one. */
static inline void fma_recombine_avx2_interpolate(const gfp_fma_modulus *m, double *z,
                                                  const double *channels, size_t stride,
                                                  size_t columns, unsigned log2_k)
{
    const size_t k = (size_t)1 << log2_k;
    const unsigned first = log2_k <= 3 ? log2_k : 2;
    for (size_t b = 0; b < k >> first; b++) {
        double *v = z + GFP_FMA_LANES * (b << first);
        const double *x = channels + GFP_FMA_LANES * ((b << first) * stride);
        for (size_t i = 0; i < columns; i++, v += GFP_FMA_LANES * k, x += GFP_FMA_LANES) {
            gfp_fma_backward_pass(m, v, 1, x, stride, (k >> first) + b, first);
        }
    }
    for (unsigned done = first, bits; done < log2_k; done += bits) {
        bits = log2_k - done == 1 ? 1 : 2;
        for (size_t i = 0; i < columns; i++) {
            interpolate_pass(m, z + GFP_FMA_LANES * k * i, log2_k, done, bits);
        }
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

/* Constants of the inlined functions. real: the reals stand for the last of three primes. */
typedef struct variant {
    unsigned primes, log2_k;
    bool real;
} variant;

/* Computes the mixed-radix digits, in place, from residues times 1 / (q_1 ... q_(j-1)). The digits
 * are at most 1/2 + 2^-49, so that the value is the one next to 0. Reals: the first two digits;
 * third_digits has the third. */
static inline void fma_recombine_avx2_garner(const gfp_hybrid_fma *tables,
                                             const gfp_fma_modulus *moduli, variant which,
                                             const batch *s)
{
    const unsigned primes = which.primes;
    for (unsigned j = 1; j < primes - which.real; j++) {
        const gfp_fma_constants c = gfp_fma_constants_get(&moduli[j]);
        const gfp_fma_root *inverse = tables->prime[j].garner;
        double *digit = s->residues;
        double *residue = s->residues + GFP_FMA_LANES * s->size * j;
        for (size_t t = 0; t < GFP_FMA_LANES * s->size; t += GFP_FMA_LANES) {
            __m256d y = _mm256_load_pd(residue + t);
            for (unsigned i = 0; i < j; i++) {
                __m256d x = _mm256_load_pd(digit + GFP_FMA_LANES * s->size * i + t);
                y = _mm256_sub_pd(y, gfp_fma_mul_root(&c, x, &inverse[i]));
            }
            _mm256_store_pd(residue + t, j >= 2 || j == primes - 1 ? gfp_fma_reduce(&c, y) : y);
        }
    }
}

/* The third mixed-radix digit from the values as reals, times 2^levels: value / (q_1 q_2) - c_2 /
 * q_2, rounded. */
static inline void third_digits(const batch *b, const gfp_hybrid_fma *tables, unsigned levels)
{
    const size_t step = GFP_FMA_LANES * b->size;
    const double weight = tables->prime[0].inverse * tables->prime[1].inverse;
    const __m256d w = _mm256_set1_pd(ldexp(weight, -(int)levels));
    const __m256d inverse = _mm256_set1_pd(tables->prime[1].inverse);
    const __m256d round = _mm256_set1_pd(GFP_FMA_ROUND);
    for (size_t t = 0; t < step; t += GFP_FMA_LANES) {
        const __m256d x = _mm256_load_pd(b->residues + 2 * step + t);
        const __m256d y = _mm256_mul_pd(_mm256_load_pd(b->residues + step + t), inverse);
        const __m256d c = _mm256_add_pd(_mm256_fmsub_pd(x, w, y), round);
        _mm256_store_pd(b->residues + 2 * step + t, _mm256_sub_pd(c, round));
    }
}

static inline void store_integers(double *z, __m256i x)
{
    _mm256_store_si256((__m256i *)(void *)z, x);
}

static inline __m256i load_integers(const double *x)
{
    return _mm256_load_si256((const __m256i *)(const void *)x);
}

/* The mixed-radix digits' weights over r, in doubles, give u / r = total + rest, total a multiple
 * of G. Then c = total / r, then h in two steps, and the remainder is l / r. The integers c and h
 * modulo 2^64 come from the mantissas of the rounded sums. */
static inline void split_quotients(const gfp_fma_radix *radix, unsigned primes, const batch *b)
{
    const __m256d round = _mm256_set1_pd(GFP_FMA_ROUND);
    const __m256d half_round = _mm256_set1_pd(HALF_ROUND);
    const __m256d coarse = _mm256_set1_pd(radix->coarse);
    const __m256d r_inverse = _mm256_set1_pd(radix->inverse);
    const __m256d r_high = _mm256_set1_pd(radix->r_high);
    const __m256d r_low = _mm256_set1_pd(radix->r_low);
    const __m256i h_offset =
        _mm256_add_epi64(_mm256_slli_epi64(as_bits(half_round), 32), as_bits(round));
    const size_t step = GFP_FMA_LANES * b->size;
    for (size_t t = 0; t < step; t += GFP_FMA_LANES) {
        __m256d rest = _mm256_mul_pd(_mm256_load_pd(b->residues + t), r_inverse);
        __m256d s = coarse;
        for (unsigned i = primes; i-- > 1;) {
            __m256d digit = _mm256_load_pd(b->residues + step * i + t);
            __m256d high = _mm256_set1_pd(radix->weight_high[i]);
            __m256d next = _mm256_fmadd_pd(digit, high, s);
            __m256d l = _mm256_fmsub_pd(digit, high, _mm256_sub_pd(next, s));
            l = _mm256_fmadd_pd(digit, _mm256_set1_pd(radix->weight_low[i]), l);
            rest = _mm256_add_pd(rest, l);
            s = next;
        }
        __m256d total = _mm256_sub_pd(s, coarse);
        __m256d c_rounded = _mm256_fmadd_pd(total, r_inverse, round);
        __m256d c = _mm256_sub_pd(c_rounded, round);
        __m256d h_high = _mm256_fnmadd_pd(c, r_high, total); /* exact */
        rest = _mm256_fnmadd_pd(c, r_low, rest);
        __m256d high_rounded = _mm256_add_pd(h_high, half_round);
        rest = _mm256_add_pd(rest, _mm256_sub_pd(h_high, _mm256_sub_pd(high_rounded, half_round)));
        __m256d low_rounded = _mm256_add_pd(rest, round);
        _mm256_store_pd(b->ratio + t, _mm256_sub_pd(rest, _mm256_sub_pd(low_rounded, round)));
        _mm256_store_pd(b->h_near + t, h_high);
        _mm256_store_pd(b->c_near + t, c);
        __m256i h =
            _mm256_add_epi64(_mm256_slli_epi64(as_bits(high_rounded), 32), as_bits(low_rounded));
        store_integers(b->h + t, _mm256_sub_epi64(h, h_offset));
        store_integers(b->c + t, _mm256_sub_epi64(as_bits(c_rounded), as_bits(round)));
    }
}

/* l = u - h r - c r^2 modulo 2^64. */
static inline void split_remainders(const gfp_fma_radix *radix, unsigned primes, const batch *b)
{
    const __m256d round = _mm256_set1_pd(GFP_FMA_ROUND);
    const __m256i offset = _mm256_set1_epi64x((int64_t)radix->offset[primes]);
    const size_t step = GFP_FMA_LANES * b->size;
    for (size_t t = 0; t < step; t += GFP_FMA_LANES) {
        __m256d digit = _mm256_load_pd(b->residues + t);
        __m256i low = _mm256_add_epi64(offset, as_bits(_mm256_add_pd(digit, round)));
        __m256i cross = _mm256_setzero_si256();
        for (unsigned i = 1; i < primes; i++) {
            digit = _mm256_load_pd(b->residues + step * i + t);
            multiply_add(&low, &cross, as_bits(_mm256_add_pd(digit, round)), &radix->word[i]);
        }
        multiply_add(&low, &cross, load_integers(b->h + t), &radix->minus_r);
        multiply_add(&low, &cross, load_integers(b->c + t), &radix->minus_r2);
        __m256i upper = _mm256_blend_epi32(_mm256_setzero_si256(), cross, 0xaa);
        low = _mm256_add_epi64(low, _mm256_add_epi64(upper, _mm256_slli_epi64(cross, 32)));
        store_integers(b->l + t, low);
    }
}

/* ---- digits ---- */

/* Returns the balanced digit of sum, which is near ratio r, and its carry. The doubles give the
 * carry in {-1, 0, 1}, within 1/8; the integer on the sign's side then decides whether the carry
 * was one too small. */
static inline __m256i fma_recombine_avx2_balance(const gfp_fma_radix *radix, __m256i sum,
                                                 __m256d ratio, __m256i *carry)
{
    const __m256i r = _mm256_set1_epi64x((int64_t)radix->r);
    __m256i above = as_bits(_mm256_cmp_pd(ratio, _mm256_set1_pd(0.5), _CMP_GT_OQ));
    __m256i below = as_bits(_mm256_cmp_pd(ratio, _mm256_set1_pd(-0.5), _CMP_LT_OQ));
    __m256i part = _mm256_sub_epi64(_mm256_and_si256(below, r), _mm256_and_si256(above, r));
    __m256i d = _mm256_add_epi64(sum, part);
    __m256i q = _mm256_sub_epi64(below, above);
    /* The sign of d for |d| near r / 2: that of the ratio, or the opposite after a carry. */
    __m256i sign = as_bits(_mm256_cmp_pd(ratio, _mm256_setzero_pd(), _CMP_LT_OQ));
    sign = _mm256_xor_si256(sign, _mm256_or_si256(above, below));
    d = _mm256_sub_epi64(_mm256_xor_si256(d, sign), sign);
    /* |d| <= 5/8 r: the comparison about r / 4 does not overflow. */
    __m256i over =
        _mm256_cmpgt_epi64(_mm256_sub_epi64(d, _mm256_set1_epi64x((int64_t)radix->quarter)),
                           _mm256_set1_epi64x((int64_t)radix->half_less_quarter));
    d = _mm256_sub_epi64(d, _mm256_and_si256(over, r));
    d = _mm256_sub_epi64(_mm256_xor_si256(d, sign), sign);
    *carry = _mm256_sub_epi64(q, _mm256_sub_epi64(_mm256_xor_si256(over, sign), sign));
    return d;
}

/* Returns the sum of a digit, l_t + h_(t-1) + c_(t-2), at vectors at, h and c; *ratio := the sum
 * over r. */
static inline __m256i digit_sum(const batch *b, size_t at, size_t h, size_t c, __m256d r_inverse,
                                __m256d *ratio)
{
    const size_t lanes = GFP_FMA_LANES;
    __m256d near =
        _mm256_add_pd(_mm256_load_pd(b->h_near + lanes * h), _mm256_load_pd(b->c_near + lanes * c));
    *ratio = _mm256_fmadd_pd(near, r_inverse, _mm256_load_pd(b->ratio + lanes * at));
    __m256i sum =
        _mm256_add_epi64(load_integers(b->h + lanes * h), load_integers(b->c + lanes * c));
    return _mm256_add_epi64(sum, load_integers(b->l + lanes * at));
}

/* Digits 0 and 1: T^k = -1, so the terms beyond the top enter below, negated. */
static inline __m256i digit_sum_0(const batch *b, size_t from, size_t k, __m256d r_inverse,
                                  __m256d *ratio)
{
    const size_t lanes = GFP_FMA_LANES;
    const size_t h = lanes * (from + k - 1), c = lanes * (from + k - 2);
    __m256d near = _mm256_add_pd(_mm256_load_pd(b->h_near + h), _mm256_load_pd(b->c_near + c));
    *ratio = _mm256_fnmadd_pd(near, r_inverse, _mm256_load_pd(b->ratio + lanes * from));
    __m256i sum = _mm256_add_epi64(load_integers(b->h + h), load_integers(b->c + c));
    return _mm256_sub_epi64(load_integers(b->l + lanes * from), sum);
}

static inline __m256i digit_sum_1(const batch *b, size_t from, size_t k, __m256d r_inverse,
                                  __m256d *ratio)
{
    const size_t lanes = GFP_FMA_LANES;
    const size_t at = lanes * (from + 1), h = lanes * from, c = lanes * (from + k - 1);
    __m256d near = _mm256_sub_pd(_mm256_load_pd(b->h_near + h), _mm256_load_pd(b->c_near + c));
    *ratio = _mm256_fmadd_pd(near, r_inverse, _mm256_load_pd(b->ratio + at));
    __m256i sum = _mm256_sub_epi64(load_integers(b->h + h), load_integers(b->c + c));
    return _mm256_add_epi64(sum, load_integers(b->l + at));
}

static inline void digit_store(int64_t *digits, size_t t, __m256i d)
{
    _mm256_store_si256((__m256i *)(void *)(digits + GFP_FMA_LANES * t), d);
}

static inline void write_column(const gfp_fma_radix *radix, const batch *b, size_t from, size_t k,
                                int64_t *digits)
{
    const __m256d r_inverse = _mm256_set1_pd(radix->inverse);
    __m256i carry, next;
    __m256d ratio;
    __m256i sum = digit_sum_0(b, from, k, r_inverse, &ratio);
    __m256i first = fma_recombine_avx2_balance(radix, sum, ratio, &carry);
    sum = digit_sum_1(b, from, k, r_inverse, &ratio);
    digit_store(digits, 1,
                _mm256_add_epi64(fma_recombine_avx2_balance(radix, sum, ratio, &next), carry));
    carry = next;
    for (size_t t = 2; t < k; t++) {
        sum = digit_sum(b, from + t, from + t - 1, from + t - 2, r_inverse, &ratio);
        digit_store(digits, t,
                    _mm256_add_epi64(fma_recombine_avx2_balance(radix, sum, ratio, &next), carry));
        carry = next;
    }
    digit_store(digits, 0, _mm256_sub_epi64(first, carry));
}

/* Above this k, the channels of a batch leave the first cache before they are read. */
#define PREFETCH_K 16

/* Fetches the data of the next batch: more streams than hardware follows by itself. */
static inline void fma_recombine_avx2_prefetch(const double *channels, size_t stride, size_t count,
                                               size_t columns)
{
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < columns; i += 8 / GFP_FMA_LANES) { /* lines */
            _mm_prefetch((const char *)(channels + GFP_FMA_LANES * (c * stride + i)), _MM_HINT_T0);
        }
    }
}

/* digits := those of columns ends[0] <= v < ends[1], a batch at a time. */
static inline void recombine_fma(const gfp_leaf_batch *l, const gfp_fma_modulus *moduli,
                                 variant which, int64_t *digits, const double *channels,
                                 const size_t ends[2])
{
    const gfp_hybrid_fma *tables = gfp_hybrid_fma_of(l);
    const unsigned log2_k = which.log2_k, primes = which.primes;
    const size_t k = (size_t)1 << log2_k, stride = l->step;
    double *scratch = (double *)(void *)l->scratch;
    for (size_t v = ends[0]; v < ends[1];) {
        const size_t columns = gfp_size_min(batch_columns(k), ends[1] - v);
        const batch b = batch_make(scratch, columns * k);
        for (unsigned p = 0; p < primes - which.real; p++) {
            fma_recombine_avx2_interpolate(&moduli[p], b.residues + GFP_FMA_LANES * b.size * p,
                                           channels + GFP_FMA_LANES * (k * stride * p + v), stride,
                                           columns, log2_k);
        }
        if (which.real) {
            gfp_hybrid_real_interpolate(
                gfp_leaf_roots(l, GFP_LEAF_REAL, 1), b.residues + GFP_FMA_LANES * b.size * 2,
                channels + GFP_FMA_LANES * (k * stride * 2 + 2 * v), stride, columns, log2_k);
        }
        if (k <= PREFETCH_K && v + columns < ends[1]) {
            const size_t next = v + columns;
            fma_recombine_avx2_prefetch(channels + GFP_FMA_LANES * next, stride,
                                        (primes - which.real) * k, columns);
            if (which.real) { /* complex channels */
                fma_recombine_avx2_prefetch(channels + GFP_FMA_LANES * 2 * (k * stride + next),
                                            2 * stride, k / 2, 2 * columns);
            }
        }
        fma_recombine_avx2_garner(tables, moduli, which, &b);
        if (which.real) {
            third_digits(&b, tables, l->levels + log2_k - 1);
        }
        split_quotients(&tables->radix, primes, &b);
        split_remainders(&tables->radix, primes, &b);
        for (size_t i = 0; i < columns; i++) {
            write_column(&tables->radix, &b, k * i, k, digits + GFP_FMA_LANES * k * (v + i));
        }
        v += columns;
    }
}

/* recombine_fma, inlined for the usual k. */
static inline void recombine_variant(const gfp_leaf_batch *l, const gfp_fma_modulus *moduli,
                                     unsigned primes, bool real, int64_t *digits,
                                     const double *channels, const size_t ends[2])
{
    if (l->log2_k == 1) {
        recombine_fma(l, moduli, (variant){primes, 1, real}, digits, channels, ends);
    } else if (l->log2_k == 2) {
        recombine_fma(l, moduli, (variant){primes, 2, real}, digits, channels, ends);
    } else if (l->log2_k == 3) {
        recombine_fma(l, moduli, (variant){primes, 3, real}, digits, channels, ends);
    } else {
        recombine_fma(l, moduli, (variant){primes, l->log2_k, real}, digits, channels, ends);
    }
}

void gfp_hybrid_fma_recombine(const gfp_leaf_batch *l, int64_t *digits, const uint64_t *channels,
                              const size_t columns[2], size_t terms)
{
    const gfp_hybrid_fma *tables = gfp_hybrid_fma_of(l);
    const unsigned primes = l->shape->primes;
    const bool real = GFP_HYBRID_REALS && l->shape->real;
    const double *x = (const double *)(const void *)channels;
    gfp_fma_modulus moduli[GFP_FMA_PRIMES];
    (void)terms; /* the constants serve all terms that the primes admit */
    for (unsigned p = 0; p < primes - real; p++) {
        moduli[p].q = tables->prime[p].q;
        moduli[p].inverse = tables->prime[p].inverse;
        moduli[p].forward = gfp_leaf_roots(l, p, 1);
        moduli[p].backward = moduli[p].forward + ((size_t)1 << l->log2_roots);
    }
    if (primes != 3) {
        recombine_fma(l, moduli, (variant){primes, l->log2_k, false}, digits, x, columns);
    } else if (real) {
        recombine_variant(l, moduli, 3, true, digits, x, columns);
    } else {
        recombine_variant(l, moduli, 3, false, digits, x, columns);
    }
}
