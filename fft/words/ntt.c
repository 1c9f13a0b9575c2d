/* ntt.c: sizes of transforms modulo blocks of primes, and the table of levels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt.h"

bool gfp_words_size_for(gfp_words_size *size, size_t len)
{
    for (unsigned log2_n = GFP_WORDS_LEAST_LOG2; log2_n <= GFP_WORDS_LOG2_ORDER; log2_n++) {
        const gfp_words_size three = {log2_n, true}, full = {log2_n, false};
        if (log2_n >= GFP_WORDS_LEAST_LOG2 + 2 && len <= gfp_words_points(three)) {
            *size = three;
            return true;
        }
        if (len <= gfp_words_points(full)) {
            *size = full;
            return true;
        }
    }
    return false;
}

const gfp_words_ntt *gfp_words_ntt_get(gfp_level level)
{
    static const gfp_words_ntt *const rows[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_words_ntt_portable, &gfp_words_ntt_avx2, &gfp_words_ntt_avx512dq,
                       &gfp_words_ntt_avx512, &gfp_words_ntt_avx2);
    return rows[level];
}
