/* ntt_fma_vec.h: the passes of ntt_fma.h, for the sources of the AVX2 level only. Bounds are in
 * units of q; tests/crt/hybrid/leaf/fma_checked.c proves them in this code.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_WORDS_NTT_FMA_VEC_H
#define GFP_FFT_WORDS_NTT_FMA_VEC_H

#include <stdbool.h>

#include "fft/words/ntt_fma_arithmetic.h"
#include "field/base/contract.h"

/* (a, b) := (a + b root, a - b root). */
static inline void gfp_fma_butterfly(const gfp_fma_constants *c, __m256d *a, __m256d *b,
                                     const gfp_fma_root *root)
{
    __m256d t = gfp_fma_mul_root(c, *b, root);
    *b = _mm256_sub_pd(*a, t);
    *a = _mm256_add_pd(*a, t);
}

/* (a, b) := (a + b, (a - b) root): twice the inverse of gfp_fma_butterfly, with the inverse
 * root. */
static inline void gfp_fma_butterfly_back(const gfp_fma_constants *c, __m256d *a, __m256d *b,
                                          const gfp_fma_root *root)
{
    __m256d t = _mm256_sub_pd(*a, *b);
    *a = _mm256_add_pd(*a, *b);
    *b = gfp_fma_mul_root(c, t, root);
}

/* ---- passes: one, two or three levels on 2, 4 or 8 vectors, steps counted in vectors. Backward:
 * at most 1.25 in and out, with the reductions in the code. Forward: a level takes |x| <= b to 1.05
 * b + 0.5. With `reduce` the vector that is never multiplied is reduced first: at most 4.15 in for
 * two levels, 3.47 for three, and 2.83 out. ---- */

static inline void gfp_fma_forward2(const gfp_fma_modulus *m, double *z, size_t z_step,
                                    const double *x, size_t x_step, size_t node)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    __m256d v0 = _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    gfp_fma_butterfly(&c, &v0, &v1, m->forward + node);
    _mm256_store_pd(z, v0);
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, v1);
}

static inline void gfp_fma_forward4(const gfp_fma_modulus *m, double *z, size_t z_step,
                                    const double *x, size_t x_step, size_t node, bool reduce)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    const gfp_fma_root *w1 = m->forward + node;
    const gfp_fma_root *w2 = m->forward + 2 * node;
    __m256d v0 = reduce ? gfp_fma_reduce(&c, _mm256_load_pd(x)) : _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    __m256d v2 = _mm256_load_pd(x + 2 * GFP_FMA_LANES * x_step);
    __m256d v3 = _mm256_load_pd(x + 3 * GFP_FMA_LANES * x_step);
    gfp_fma_butterfly(&c, &v0, &v2, w1);
    gfp_fma_butterfly(&c, &v1, &v3, w1);
    gfp_fma_butterfly(&c, &v0, &v1, w2);
    gfp_fma_butterfly(&c, &v2, &v3, w2 + 1);
    _mm256_store_pd(z, v0);
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, v1);
    _mm256_store_pd(z + 2 * GFP_FMA_LANES * z_step, v2);
    _mm256_store_pd(z + 3 * GFP_FMA_LANES * z_step, v3);
}

static inline void gfp_fma_forward8(const gfp_fma_modulus *m, double *z, size_t z_step,
                                    const double *x, size_t x_step, size_t node, bool reduce)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    const gfp_fma_root *w1 = m->forward + node;
    const gfp_fma_root *w2 = m->forward + 2 * node;
    const gfp_fma_root *w4 = m->forward + 4 * node;
    __m256d v0 = reduce ? gfp_fma_reduce(&c, _mm256_load_pd(x)) : _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    __m256d v2 = _mm256_load_pd(x + 2 * GFP_FMA_LANES * x_step);
    __m256d v3 = _mm256_load_pd(x + 3 * GFP_FMA_LANES * x_step);
    __m256d v4 = _mm256_load_pd(x + 4 * GFP_FMA_LANES * x_step);
    __m256d v5 = _mm256_load_pd(x + 5 * GFP_FMA_LANES * x_step);
    __m256d v6 = _mm256_load_pd(x + 6 * GFP_FMA_LANES * x_step);
    __m256d v7 = _mm256_load_pd(x + 7 * GFP_FMA_LANES * x_step);
    gfp_fma_butterfly(&c, &v0, &v4, w1);
    gfp_fma_butterfly(&c, &v1, &v5, w1);
    gfp_fma_butterfly(&c, &v2, &v6, w1);
    gfp_fma_butterfly(&c, &v3, &v7, w1);
    gfp_fma_butterfly(&c, &v0, &v2, w2);
    gfp_fma_butterfly(&c, &v1, &v3, w2);
    gfp_fma_butterfly(&c, &v0, &v1, w4);
    _mm256_store_pd(z, v0);
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, v1);
    gfp_fma_butterfly(&c, &v2, &v3, w4 + 1);
    _mm256_store_pd(z + 2 * GFP_FMA_LANES * z_step, v2);
    _mm256_store_pd(z + 3 * GFP_FMA_LANES * z_step, v3);
    gfp_fma_butterfly(&c, &v4, &v6, w2 + 1);
    gfp_fma_butterfly(&c, &v5, &v7, w2 + 1);
    gfp_fma_butterfly(&c, &v4, &v5, w4 + 2);
    _mm256_store_pd(z + 4 * GFP_FMA_LANES * z_step, v4);
    _mm256_store_pd(z + 5 * GFP_FMA_LANES * z_step, v5);
    gfp_fma_butterfly(&c, &v6, &v7, w4 + 3);
    _mm256_store_pd(z + 6 * GFP_FMA_LANES * z_step, v6);
    _mm256_store_pd(z + 7 * GFP_FMA_LANES * z_step, v7);
}

static inline void gfp_fma_backward2(const gfp_fma_modulus *m, double *z, size_t z_step,
                                     const double *x, size_t x_step, size_t node)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    __m256d v0 = _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    gfp_fma_butterfly_back(&c, &v0, &v1, m->backward + node);
    _mm256_store_pd(z, gfp_fma_reduce(&c, v0));
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, v1);
}

static inline void gfp_fma_backward4(const gfp_fma_modulus *m, double *z, size_t z_step,
                                     const double *x, size_t x_step, size_t node)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    const gfp_fma_root *w1 = m->backward + node;
    const gfp_fma_root *w2 = m->backward + 2 * node;
    __m256d v0 = _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    __m256d v2 = _mm256_load_pd(x + 2 * GFP_FMA_LANES * x_step);
    __m256d v3 = _mm256_load_pd(x + 3 * GFP_FMA_LANES * x_step);
    gfp_fma_butterfly_back(&c, &v0, &v1, w2);
    gfp_fma_butterfly_back(&c, &v2, &v3, w2 + 1);
    gfp_fma_butterfly_back(&c, &v0, &v2, w1);
    gfp_fma_butterfly_back(&c, &v1, &v3, w1);
    _mm256_store_pd(z, gfp_fma_reduce(&c, v0));
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, v1);
    _mm256_store_pd(z + 2 * GFP_FMA_LANES * z_step, v2);
    _mm256_store_pd(z + 3 * GFP_FMA_LANES * z_step, v3);
}

static inline void gfp_fma_backward8(const gfp_fma_modulus *m, double *z, size_t z_step,
                                     const double *x, size_t x_step, size_t node)
{
    gfp_fma_constants c = gfp_fma_constants_get(m);
    const gfp_fma_root *w1 = m->backward + node;
    const gfp_fma_root *w2 = m->backward + 2 * node;
    const gfp_fma_root *w4 = m->backward + 4 * node;
    __m256d v0 = _mm256_load_pd(x);
    __m256d v1 = _mm256_load_pd(x + GFP_FMA_LANES * x_step);
    __m256d v2 = _mm256_load_pd(x + 2 * GFP_FMA_LANES * x_step);
    __m256d v3 = _mm256_load_pd(x + 3 * GFP_FMA_LANES * x_step);
    __m256d v4 = _mm256_load_pd(x + 4 * GFP_FMA_LANES * x_step);
    __m256d v5 = _mm256_load_pd(x + 5 * GFP_FMA_LANES * x_step);
    __m256d v6 = _mm256_load_pd(x + 6 * GFP_FMA_LANES * x_step);
    __m256d v7 = _mm256_load_pd(x + 7 * GFP_FMA_LANES * x_step);
    gfp_fma_butterfly_back(&c, &v0, &v1, w4);
    gfp_fma_butterfly_back(&c, &v2, &v3, w4 + 1);
    gfp_fma_butterfly_back(&c, &v4, &v5, w4 + 2);
    gfp_fma_butterfly_back(&c, &v6, &v7, w4 + 3);
    gfp_fma_butterfly_back(&c, &v0, &v2, w2);
    gfp_fma_butterfly_back(&c, &v1, &v3, w2);
    gfp_fma_butterfly_back(&c, &v4, &v6, w2 + 1);
    gfp_fma_butterfly_back(&c, &v5, &v7, w2 + 1);
    v0 = gfp_fma_reduce(&c, v0); /* sums of four, up to 5 */
    v4 = gfp_fma_reduce(&c, v4);
    gfp_fma_butterfly_back(&c, &v0, &v4, w1);
    gfp_fma_butterfly_back(&c, &v1, &v5, w1);
    gfp_fma_butterfly_back(&c, &v2, &v6, w1);
    gfp_fma_butterfly_back(&c, &v3, &v7, w1);
    _mm256_store_pd(z, v0);
    _mm256_store_pd(z + GFP_FMA_LANES * z_step, gfp_fma_reduce(&c, v1));
    _mm256_store_pd(z + 2 * GFP_FMA_LANES * z_step, gfp_fma_reduce(&c, v2));
    _mm256_store_pd(z + 3 * GFP_FMA_LANES * z_step, v3);
    _mm256_store_pd(z + 4 * GFP_FMA_LANES * z_step, v4);
    _mm256_store_pd(z + 5 * GFP_FMA_LANES * z_step, v5);
    _mm256_store_pd(z + 6 * GFP_FMA_LANES * z_step, v6);
    _mm256_store_pd(z + 7 * GFP_FMA_LANES * z_step, v7);
}

/* Returns how many of the remaining levels the next pass takes. Forward, passes of two are faster
 * than passes of three, since fewer values are live; backward, three are faster, since sums do not
 * wait for products. */
static inline unsigned gfp_fma_top_bits(unsigned levels)
{
    return levels == 1 ? 1 : levels % 2 == 0 ? 2 : 3;
}

static inline unsigned gfp_fma_bottom_bits(unsigned levels)
{
    return levels == 1 ? 1 : levels % 3 == 0 ? 3 : 2;
}

static inline void gfp_fma_forward_pass(const gfp_fma_modulus *m, double *z, size_t z_step,
                                        const double *x, size_t x_step, size_t node, unsigned bits,
                                        bool reduce)
{
    if (bits == 3) {
        gfp_fma_forward8(m, z, z_step, x, x_step, node, reduce);
    } else if (bits == 2) {
        gfp_fma_forward4(m, z, z_step, x, x_step, node, reduce);
    } else {
        GFP_CONTRACT(!reduce);
        gfp_fma_forward2(m, z, z_step, x, x_step, node);
    }
}

static inline void gfp_fma_backward_pass(const gfp_fma_modulus *m, double *z, size_t z_step,
                                         const double *x, size_t x_step, size_t node, unsigned bits)
{
    if (bits == 3) {
        gfp_fma_backward8(m, z, z_step, x, x_step, node);
    } else if (bits == 2) {
        gfp_fma_backward4(m, z, z_step, x, x_step, node);
    } else {
        gfp_fma_backward2(m, z, z_step, x, x_step, node);
    }
}

#endif
