/* ntt_ops_avx512.h: the operations of transforms on lanes of AVX-512 IFMA. Ranges are those
 * of ntt_ops_portable.h: values of arrays are in [0, 4 q), and 4 q < 2^52, since IFMA reads
 * 52 bits of its factors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_OPS_AVX512_H
#define GFP_FFT_WORDS_NTT_OPS_AVX512_H

#include "fft/words/avx512.h"

typedef struct ntt_moduli {
    words_moduli m;
    words twice, complement, mask; /* 2 q, 2^52 - q */
    words excess;                  /* floor(2^102 / q) - 2^52 */
} ntt_moduli;

typedef struct ntt_root {
    words w, companion; /* floor(2^52 w / q) */
} ntt_root;

typedef struct ntt_sum {
    words low, high;
} ntt_sum;

GFP_INLINE ntt_moduli ntt_moduli_of(const gfp_words *block)
{
    ntt_moduli n = {.m = words_moduli_of(block)};
    uint64_t excess[GFP_WORDS];
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        /* 2^102 / q, less than the exact value by at most 9/4. */
        excess[i] = (uint64_t)((0x1p50 - block->value[i]) * 0x1p52 * block->reciprocal[i]) - 1;
    }
    n.twice = lanes_add(n.m.q, n.m.q);
    n.mask = lanes_set(GFP_WORDS_RADIX_MASK);
    n.complement = lanes_sub(lanes_set(GFP_WORDS_RADIX_MASK + 1), n.m.q);
    n.excess = words_load(excess);
    return n;
}

GFP_INLINE words ntt_enter(words x, const ntt_moduli *n)
{
    (void)n;
    return x;
}

GFP_INLINE words ntt_small(words x, const ntt_moduli *n)
{
    return _mm512_min_epu64(x, lanes_sub(x, n->twice));
}

GFP_INLINE words ntt_factor(words x, const ntt_moduli *n)
{
    return words_once(ntt_small(x, n), &n->m);
}

GFP_INLINE words ntt_leave(words x, const ntt_moduli *n)
{
    return words_once(x, &n->m);
}

/* The product modulo 2^52; the bits above are arbitrary. */
GFP_INLINE words ntt_mul_wild(words x, ntt_root r, const ntt_moduli *n)
{
    const words quotient = _mm512_madd52hi_epu64(lanes_zero(), x, r.companion);
    const words low = _mm512_madd52lo_epu64(lanes_zero(), x, r.w);
    return _mm512_madd52lo_epu64(low, quotient, n->complement);
}

GFP_INLINE words ntt_mul(words x, ntt_root r, const ntt_moduli *n)
{
    return lanes_and(ntt_mul_wild(x, r, n), n->mask);
}

GFP_INLINE words ntt_add(words x, words y)
{
    return lanes_add(x, y);
}

GFP_INLINE words ntt_sub(words x, words y, const ntt_moduli *n)
{
    return lanes_add(x, lanes_sub(n->twice, y));
}

GFP_INLINE words ntt_sub_small(words x, words y, const ntt_moduli *n)
{
    return lanes_add(x, lanes_sub(n->m.q, y));
}

GFP_INLINE words ntt_swap(words x)
{
    return _mm512_shuffle_i64x2(x, x, 0x4e);
}

GFP_INLINE ntt_root ntt_root_load(const uint64_t *roots, size_t index)
{
    return (ntt_root){words_load(roots + 2 * GFP_WORDS * index),
                      words_load(roots + 2 * GFP_WORDS * index + GFP_WORDS)};
}

/* 4 w (2^52 + excess) / 2^52 is less than 2^52 w / q by less than 4: the remainder, below 4 q, is
 * known modulo 2^52. */
GFP_INLINE ntt_root ntt_root_make(words w, const ntt_moduli *n)
{
    const words x = lanes_shift_left(w, 2);
    words c = _mm512_madd52hi_epu64(x, x, n->excess);
    words rest = _mm512_madd52lo_epu64(lanes_zero(), c, n->complement);
    const lanes_mask two = lanes_at_least(rest, n->twice);
    rest = lanes_sub_if(two, rest, n->twice);
    c = lanes_add_if(two, c, lanes_set(2));
    c = lanes_add_if(lanes_at_least(rest, n->m.q), c, lanes_set(1));
    return (ntt_root){w, c};
}

GFP_INLINE void ntt_root_store(uint64_t *roots, size_t index, ntt_root r)
{
    words_store(roots + 2 * GFP_WORDS * index, r.w);
    words_store(roots + 2 * GFP_WORDS * index + GFP_WORDS, r.companion);
}

GFP_INLINE ntt_sum ntt_sum_zero(void)
{
    return (ntt_sum){lanes_zero(), lanes_zero()};
}

GFP_INLINE void ntt_sum_add(ntt_sum *s, words x, words y, const ntt_moduli *n)
{
    (void)n;
    lanes_add_product(&s->low, &s->high, x, y);
}

GFP_INLINE void ntt_sum_fold(ntt_sum *s, const ntt_moduli *n)
{
    (void)s;
    (void)n;
}

/* T / 2^52 + q at most. */
GFP_INLINE words ntt_sum_reduce(const ntt_sum *s, const ntt_moduli *n)
{
    const words f = _mm512_madd52lo_epu64(lanes_zero(), s->low, n->m.negative_inverse);
    const words carry = lanes_shift_right(lanes_add(s->low, n->mask), GFP_WORDS_RADIX_BITS);
    return lanes_add(_mm512_madd52hi_epu64(s->high, f, n->m.q), carry);
}

GFP_INLINE words ntt_sum_small(const ntt_sum *s, const ntt_moduli *n)
{
    return ntt_small(ntt_sum_reduce(s, n), n);
}

/* The sum is below 9 q. */
GFP_INLINE words ntt_sum_leave(const ntt_sum *s, const ntt_moduli *n)
{
    const words four = lanes_add(n->twice, n->twice), eight = lanes_add(four, four);
    words x = ntt_sum_reduce(s, n);
    x = _mm512_min_epu64(x, lanes_sub(x, eight));
    x = _mm512_min_epu64(x, lanes_sub(x, four));
    return ntt_factor(x, n);
}

#endif
