/* portable.c: the papers' transforms modulo word-size primes in plain C, and the choice of a level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/portable.h"

#define FORMS gfp_forms_portable
#define LEVEL GFP_LEVEL_PORTABLE
#include "papers/words/forms.inc"

#include "fft/words/primes.h"
#include "field/base/support.h"

const gfp_forms *gfp_forms_get(gfp_level level)
{
    static const gfp_forms *const rows[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_forms_portable, &gfp_forms_avx2, &gfp_forms_avx512dq, &gfp_forms_avx512,
                       &gfp_forms_avx2);
    return rows[level];
}

gfp_half gfp_half_of(uint32_t q)
{
    const int mode = gfp_rounding_begin();
    const gfp_half half = {q, (uint32_t)gfp_mont_negative_inverse(q), 1.0 / q};
    gfp_rounding_end(mode);
    return half;
}

void gfp_half_powers(uint32_t *powers, uint32_t q, unsigned log2_n)
{
    const size_t half = (size_t)1 << (log2_n - 1);
    const uint64_t root = gfp_word_root_of_unity(q, log2_n);
    uint64_t power = 1;
    for (size_t i = 0; i < half; i++) {
        powers[half + i] = (uint32_t)power;
        power = power * root % q;
    }
    for (size_t i = half; i-- > 1;) {
        powers[i] = powers[2 * i];
    }
}
