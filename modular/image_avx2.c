/* image_avx2.c: images, compiled for this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_ntt_ops_avx2.h"

#include <string.h>

#include "image_kernels.h"

typedef words_mode kernel_mode;

GFP_INLINE kernel_mode kernel_begin(void)
{
    return words_begin();
}

GFP_INLINE void kernel_end(kernel_mode mode)
{
    words_end(mode);
}

/* A product in a chain of products; tighten makes its form. */
GFP_INLINE words loose_mul(words a, words b, const words_moduli *m)
{
    return words_mul(a, b, m);
}

GFP_INLINE words tighten(words x, const words_moduli *m)
{
    (void)m;
    return x;
}

typedef words factor;

/* The factor c of many products. */
GFP_INLINE factor factor_of(words c, const words_moduli *m)
{
    (void)m;
    return c;
}

/* c[0] x + c[1] y + c[2] z. */
GFP_INLINE words factors_dot(const factor c[3], words x, words y, words z, const words_moduli *m)
{
    const words v[3] = {x, y, z};
    return words_dot3(c, v, m);
}

#define NTT gfp_words_ntt_avx2
#define KERNELS gfp_words_image_avx2
#include "image_kernels.inc"
