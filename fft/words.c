/* words.c: the constants of a block of primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words.h"

#include "word_primes.h"

void gfp_words_fill(gfp_words *w, const uint64_t q[GFP_WORDS])
{
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        w->q[i] = q[i];
        w->negative_inverse[i] = gfp_mont_negative_inverse(q[i]) & GFP_WORDS_RADIX_MASK;
        w->one[i] = ((uint64_t)1 << GFP_WORDS_RADIX_BITS) % q[i];
        w->square[i] = gfp_mod_mul(w->one[i], w->one[i], q[i]);
        w->value[i] = (double)q[i];
        w->reciprocal[i] = 1 / w->value[i];
        w->root[i] = gfp_word_root_of_unity(q[i], GFP_WORDS_LOG2_ORDER);
        w->turn[GFP_WORDS_LOG2_ORDER - 2][i] = w->root[i];
        for (unsigned t = GFP_WORDS_LOG2_ORDER - 2; t-- > 0;) {
            w->turn[t][i] = gfp_mod_mul(w->turn[t + 1][i], w->turn[t + 1][i], q[i]);
        }
    }
}
