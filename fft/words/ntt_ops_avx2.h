/* ntt_ops_avx2.h: the operations of transforms in double precision by FMA; they are those of
 * ntt_ops_portable.h.
 *
 * A root is an integer w, |w| <= q / 2, and w / q, rounded. For |x| <= 4 q, k = x (w / q), rounded
 * twice, has an error of at most 2^-52 |x w / q| <= 2^-52 2 q < 1/2 before it becomes an integer:
 * |x w - k q| <= q. x w = h + l, h the rounded product, |l| <= 2^47; h - k q is an integer below
 * 2^51, and so exact.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_OPS_AVX2_H
#define GFP_FFT_WORDS_NTT_OPS_AVX2_H

#include "fft/words/avx2.h"

typedef struct ntt_moduli {
    words_moduli m;
} ntt_moduli;

typedef struct ntt_root {
    words w, companion;
} ntt_root;

typedef struct ntt_sum {
    words t;
} ntt_sum;

GFP_INLINE ntt_moduli ntt_moduli_of(const gfp_words *block)
{
    return (ntt_moduli){words_moduli_of(block)};
}

GFP_INLINE words ntt_enter(words x, const ntt_moduli *n)
{
    return words_enter(x, &n->m);
}

GFP_INLINE words ntt_small(words x, const ntt_moduli *n)
{
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        x.part[i] = words_part_reduce(x.part[i], n->m.q.part[i], n->m.reciprocal.part[i]);
    }
    return x;
}

GFP_INLINE words ntt_factor(words x, const ntt_moduli *n)
{
    return ntt_small(x, n);
}

/* A small value is at most (1/2 + 2^-50) q, and so above -q. */
GFP_INLINE words ntt_leave(words x, const ntt_moduli *n)
{
    return words_leave(ntt_small(x, n), &n->m);
}

GFP_INLINE words ntt_mul(words x, ntt_root r, const ntt_moduli *n)
{
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        const __m256d h = _mm256_mul_pd(x.part[i], r.w.part[i]);
        const __m256d l = _mm256_fmsub_pd(x.part[i], r.w.part[i], h);
        const __m256d k = words_nearest(_mm256_mul_pd(x.part[i], r.companion.part[i]));
        x.part[i] = _mm256_add_pd(_mm256_fnmadd_pd(k, n->m.q.part[i], h), l);
    }
    return x;
}

GFP_INLINE words ntt_mul_wild(words x, ntt_root r, const ntt_moduli *n)
{
    return ntt_mul(x, r, n);
}

GFP_INLINE words ntt_add(words x, words y)
{
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        x.part[i] = _mm256_add_pd(x.part[i], y.part[i]);
    }
    return x;
}

GFP_INLINE words ntt_sub(words x, words y, const ntt_moduli *n)
{
    (void)n;
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        x.part[i] = _mm256_sub_pd(x.part[i], y.part[i]);
    }
    return x;
}

GFP_INLINE words ntt_sub_small(words x, words y, const ntt_moduli *n)
{
    return ntt_sub(x, y, n);
}

GFP_INLINE words ntt_swap(words x)
{
#ifdef GFP_WIDE
    return (words){{wide_exchange(x.part[0])}};
#else
    return (words){{x.part[1], x.part[0]}};
#endif
}

GFP_INLINE ntt_root ntt_root_load(const uint64_t *roots, size_t index)
{
    return (ntt_root){words_load(roots + 2 * GFP_WORDS * index),
                      words_load(roots + 2 * GFP_WORDS * index + GFP_WORDS)};
}

GFP_INLINE ntt_root ntt_root_make(words w, const ntt_moduli *n)
{
    ntt_root r = {.w = ntt_small(w, n)};
    GFP_UNROLL
    for (unsigned i = 0; i < WORDS_PARTS; i++) {
        r.companion.part[i] = _mm256_div_pd(r.w.part[i], n->m.q.part[i]);
    }
    return r;
}

GFP_INLINE void ntt_root_store(uint64_t *roots, size_t index, ntt_root r)
{
    words_store(roots + 2 * GFP_WORDS * index, r.w);
    words_store(roots + 2 * GFP_WORDS * index + GFP_WORDS, r.companion);
}

GFP_INLINE ntt_sum ntt_sum_zero(void)
{
    return (ntt_sum){words_zero()};
}

GFP_INLINE void ntt_sum_add(ntt_sum *s, words x, words y, const ntt_moduli *n)
{
    s->t = ntt_add(s->t, words_mul(x, y, &n->m));
}

GFP_INLINE void ntt_sum_fold(ntt_sum *s, const ntt_moduli *n)
{
    s->t = ntt_small(s->t, n);
}

GFP_INLINE words ntt_sum_small(const ntt_sum *s, const ntt_moduli *n)
{
    return ntt_small(s->t, n);
}

GFP_INLINE words ntt_sum_leave(const ntt_sum *s, const ntt_moduli *n)
{
    return ntt_leave(s->t, n);
}

#endif
