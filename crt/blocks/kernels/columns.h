/* columns.h: columns of forms at one level, and inverses: what kernels on points and matrices
 * share. Included after the arithmetic of a level (fft/words/LEVEL.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_KERNELS_COLUMNS_H
#define GFP_CRT_BLOCKS_KERNELS_COLUMNS_H

#include "fft/words/block.h"

GFP_INLINE words columns_at(const uint64_t *x, size_t i)
{
    return words_load(x + GFP_WORDS * i);
}

GFP_INLINE void columns_put(uint64_t *x, size_t i, words v)
{
    words_store(x + GFP_WORDS * i, v);
}

/* x_i := a_i f0 + b_i f1 + c_i f2, or adds that to x_i; columns of falling heights. */
static inline void add_columns(uint64_t *x, const uint64_t *const column[3], const size_t rows[3],
                               const words f[3], bool add, const words_moduli *m)
{
    const words_moduli local = *m;
    const words factor[3] = {f[0], f[1], f[2]};
    size_t i = 0;
    for (; i < rows[2]; i++) {
        const words v[3] = {columns_at(column[0], i), columns_at(column[1], i),
                            columns_at(column[2], i)};
        const words sum = words_dot3(v, factor, &local);
        columns_put(x, i, add ? words_add(sum, columns_at(x, i), &local) : sum);
    }
    for (; i < rows[1]; i++) {
        const words sum = words_dot2(columns_at(column[0], i), factor[0], columns_at(column[1], i),
                                     factor[1], &local);
        columns_put(x, i, add ? words_add(sum, columns_at(x, i), &local) : sum);
    }
    for (; i < rows[0]; i++) {
        const words sum = words_mul(columns_at(column[0], i), factor[0], &local);
        columns_put(x, i, add ? words_add(sum, columns_at(x, i), &local) : sum);
    }
}

/* 1 / x by Fermat's theorem; 0 for 0. Most bits of the exponents are the same in all lanes. */
static words columns_inverse(const gfp_words *block, words x, const words_moduli *m)
{
    words z = words_one(m);
    for (unsigned i = 0; i < GFP_WORDS_BITS; i++) {
        unsigned mask = 0;
        for (unsigned l = 0; l < GFP_WORDS; l++) {
            mask |= (unsigned)((block->q[l] - 2) >> i & 1) << l;
        }
        z = mask != 0 ? words_select(mask, words_mul(z, x, m), z) : z;
        x = words_mul(x, x, m);
    }
    return z;
}

#endif
