/* ntt_ops_portable.h: the operations of transforms modulo the eight primes of a block in
 * plain C, and their description for all levels.
 *
 * Values of transforms are in [0, 4 q) here and for AVX-512, of products in [0, 2 q); for AVX2 they
 * are integers of absolute value at most 4 q and q. "Small" values are below 2 q; for AVX2, at most
 * q / 2 and a rounding error.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_OPS_PORTABLE_H
#define GFP_FFT_WORDS_NTT_OPS_PORTABLE_H

#include "fft/words/portable.h"

/* The constants of a block for transforms. */
typedef struct ntt_moduli {
    words_moduli m;
    const gfp_words *block;
} ntt_moduli;

/* A factor w that is used many times, in [0, q), and its companion floor(2^64 w / q). */
typedef struct ntt_root {
    words w, companion;
} ntt_root;

/* A sum of products. */
typedef struct ntt_sum {
    gfp_u128 t[GFP_WORDS];
} ntt_sum;

GFP_INLINE ntt_moduli ntt_moduli_of(const gfp_words *block)
{
    return (ntt_moduli){words_moduli_of(block), block};
}

/* Returns the value of words in [0, q). */
GFP_INLINE words ntt_enter(words x, const ntt_moduli *n)
{
    (void)n;
    return x;
}

GFP_INLINE words ntt_less(words x, unsigned factor, const ntt_moduli *n)
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        const uint64_t bound = factor * n->block->q[i];
        x.w[i] = x.w[i] >= bound ? x.w[i] - bound : x.w[i];
    }
    return x;
}

/* Returns a small value modulo q for a value of a transform. */
GFP_INLINE words ntt_small(words x, const ntt_moduli *n)
{
    return ntt_less(x, 2, n);
}

/* Returns a value in [0, q) (AVX2: a small one) for a value of a transform. */
GFP_INLINE words ntt_factor(words x, const ntt_moduli *n)
{
    return ntt_less(ntt_small(x, n), 1, n);
}

/* Returns the words in [0, q) of a value of a product. */
GFP_INLINE words ntt_leave(words x, const ntt_moduli *n)
{
    return ntt_less(x, 1, n);
}

/* Returns x w, a value of a product, for a value x of a transform. */
GFP_INLINE words ntt_mul(words x, ntt_root r, const ntt_moduli *n)
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        x.w[i] = gfp_shoup_mul(x.w[i], r.w.w[i], r.companion.w[i], n->block->q[i]);
    }
    return x;
}

/* The same as ntt_mul; the sums of the result may only be multiplied. */
GFP_INLINE words ntt_mul_wild(words x, ntt_root r, const ntt_moduli *n)
{
    return ntt_mul(x, r, n);
}

GFP_INLINE words ntt_add(words x, words y)
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        x.w[i] += y.w[i];
    }
    return x;
}

/* Returns x - y, raised by 2 q; y is a value of a product. */
GFP_INLINE words ntt_sub(words x, words y, const ntt_moduli *n)
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        x.w[i] += 2 * n->block->q[i] - y.w[i];
    }
    return x;
}

/* Returns x - y, raised by q; y in [0, q]. */
GFP_INLINE words ntt_sub_small(words x, words y, const ntt_moduli *n)
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        x.w[i] += n->block->q[i] - y.w[i];
    }
    return x;
}

/* Returns x with its lanes 0 ... 3 and 4 ... 7 exchanged. */
GFP_INLINE words ntt_swap(words x)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = x.w[(i + GFP_WORDS / 2) % GFP_WORDS];
    }
    return z;
}

/* Entry `index` of a table of roots. */
GFP_INLINE ntt_root ntt_root_load(const uint64_t *roots, size_t index)
{
    return (ntt_root){words_load(roots + 2 * GFP_WORDS * index),
                      words_load(roots + 2 * GFP_WORDS * index + GFP_WORDS)};
}

/* Returns the root w: words of ntt_enter, or products (words_mul) of them and of forms. */
GFP_INLINE ntt_root ntt_root_make(words w, const ntt_moduli *n)
{
    ntt_root r = {.w = w};
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        r.companion.w[i] = gfp_shoup_companion(w.w[i], n->block->q[i]);
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
    return (ntt_sum){{0}};
}

/* Adds x y: a small x, a factor y (ntt_factor). */
GFP_INLINE void ntt_sum_add(ntt_sum *s, words x, words y, const ntt_moduli *n)
{
    (void)n;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        s->t[i] += gfp_mul_wide(x.w[i], y.w[i]);
    }
}

/* After every four products of a longer sum. */
GFP_INLINE void ntt_sum_fold(ntt_sum *s, const ntt_moduli *n)
{
    (void)s;
    (void)n;
}

/* Returns a sum of at most four products, over 2^52 (AVX2: over 1), as a value of a product: the
 * sum is below 8 q^2, the quotient below 2 q + q. */
GFP_INLINE words ntt_sum_small(const ntt_sum *s, const ntt_moduli *n)
{
    words x;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        x.w[i] = words_reduce_one(s->t[i], &n->m, i);
    }
    return x;
}

/* Returns a sum of at most 32 products of words in [0, q), over the same number, as words in [0,
 * q). */
GFP_INLINE words ntt_sum_leave(const ntt_sum *s, const ntt_moduli *n)
{
    const words x = ntt_sum_small(s, n);
    return ntt_factor(ntt_less(x, 4, n), n);
}

#endif
