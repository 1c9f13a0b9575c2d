/* portable.h: arithmetic modulo the eight primes of a block (block.h) in plain C, and the
 * description of all levels.
 *
 * A `words` holds one residue for each prime in a form of the level. words_enter makes the form
 * from words in [0, q), words_leave ends it; arrays in between hold the form, eight words of 64
 * bits each (words_load, words_store). Operations take and give forms; their ranges are the level's
 * own.
 *
 * Here, and for AVX-512, the form of x is x 2^52 mod q in [0, q), by Montgomery's reduction: a sum
 * T of up to three products is below 3 q^2; with m = -T/q mod 2^52, (T + m q) / 2^52 is an integer
 * below q (3 q / 2^52 + 1) < 2 q, since q < 2^50.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_PORTABLE_H
#define GFP_FFT_WORDS_PORTABLE_H

#include <string.h>

#include "field/base/unroll.h"
#include "fft/words/block.h"

typedef struct words {
    uint64_t w[GFP_WORDS];
} words;

/* The constants of a block. */
typedef struct words_moduli {
    const gfp_words *block;
} words_moduli;

GFP_INLINE words_moduli words_moduli_of(const gfp_words *block)
{
    return (words_moduli){block};
}

/* Kernels begin with words_begin and end with words_end, which restores what words_begin
 * changed. */
typedef int words_mode;

GFP_INLINE words_mode words_begin(void)
{
    return 0;
}

GFP_INLINE void words_end(words_mode mode)
{
    (void)mode;
}

GFP_INLINE words words_load(const uint64_t x[GFP_WORDS])
{
    words z;
    memcpy(&z, x, sizeof z);
    return z;
}

GFP_INLINE void words_store(uint64_t z[GFP_WORDS], words x)
{
    memcpy(z, &x, sizeof x);
}

GFP_INLINE words words_zero(void)
{
    return (words){{0}};
}

/* The form of 1. */
GFP_INLINE words words_one(const words_moduli *m)
{
    return words_load(m->block->one);
}

/* Returns T / 2^52 mod q, T < 3 q^2. */
GFP_INLINE uint64_t words_reduce_one(gfp_u128 t, const words_moduli *m, unsigned i)
{
    const uint64_t f = ((uint64_t)t * m->block->negative_inverse[i]) & GFP_WORDS_RADIX_MASK;
    const uint64_t q = m->block->q[i];
    const uint64_t z = (uint64_t)((t + gfp_mul_wide(f, q)) >> GFP_WORDS_RADIX_BITS);
    return z >= q ? z - q : z;
}

GFP_INLINE words words_mul(words a, words b, const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = words_reduce_one(gfp_mul_wide(a.w[i], b.w[i]), m, i);
    }
    return z;
}

/* a b + c d, a b + c d + e f. */
GFP_INLINE words words_dot2(words a, words b, words c, words d, const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] =
            words_reduce_one(gfp_mul_wide(a.w[i], b.w[i]) + gfp_mul_wide(c.w[i], d.w[i]), m, i);
    }
    return z;
}

GFP_INLINE words words_dot3(const words x[3], const words y[3], const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = words_reduce_one(gfp_mul_wide(x[0].w[i], y[0].w[i]) +
                                      gfp_mul_wide(x[1].w[i], y[1].w[i]) +
                                      gfp_mul_wide(x[2].w[i], y[2].w[i]),
                                  m, i);
    }
    return z;
}

GFP_INLINE words words_add(words a, words b, const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        const uint64_t q = m->block->q[i], sum = a.w[i] + b.w[i];
        z.w[i] = sum >= q ? sum - q : sum;
    }
    return z;
}

GFP_INLINE words words_sub(words a, words b, const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = gfp_mod_sub(a.w[i], b.w[i], m->block->q[i]);
    }
    return z;
}

GFP_INLINE words words_neg(words a, const words_moduli *m)
{
    return words_sub(words_zero(), a, m);
}

/* The form of words in [0, q). */
GFP_INLINE words words_enter(words x, const words_moduli *m)
{
    return words_mul(x, words_load(m->block->square), m);
}

/* The words in [0, q) of a form. */
GFP_INLINE words words_leave(words x, const words_moduli *m)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = words_reduce_one(x.w[i], m, i);
    }
    return z;
}

/* The product, as words in [0, q), of words x in [0, q), which no words_enter needs to convert, and
 * the form y. */
GFP_INLINE words words_scale(words x, words y, const words_moduli *m)
{
    return words_mul(x, y, m);
}

/* Bit i is set where the residue modulo prime i is 0. */
GFP_INLINE unsigned words_zeros(words x)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        mask |= (unsigned)(x.w[i] == 0) << i;
    }
    return mask;
}

/* Takes yes where the bit of the mask is set, else no. */
GFP_INLINE words words_select(unsigned mask, words yes, words no)
{
    words z;
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        z.w[i] = (mask >> i & 1) != 0 ? yes.w[i] : no.w[i];
    }
    return z;
}

#endif
