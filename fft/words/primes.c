/* primes.c: the supply of word-size primes for transforms, and roots of unity modulo them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/primes.h"

#include "field/primes/factor.h"
#include "field/base/word.h"

gfp_status gfp_word_prime_below(uint64_t *q, uint64_t below, unsigned log2_n)
{
    if (log2_n >= GFP_WORD_PRIME_BITS || below > (uint64_t)1 << GFP_WORD_PRIME_BITS) {
        return GFP_ERR_ARGUMENT;
    }
    const uint64_t step = (uint64_t)1 << (log2_n == 0 ? 1 : log2_n); /* odd primes */
    if (below < 4) {
        return GFP_DONE;
    }
    for (uint64_t c = (below - 2) / step * step; c != 0; c -= step) {
        if (gfp_word_is_prime(c + 1)) {
            *q = c + 1;
            return GFP_OK;
        }
    }
    return GFP_DONE;
}

uint64_t gfp_word_non_residue(uint64_t q)
{
    uint64_t g = 2;
    while (gfp_mod_pow(g, (q - 1) / 2, q) != q - 1) {
        g++;
    }
    return g;
}

uint64_t gfp_word_root_of_unity(uint64_t q, unsigned log2_n)
{
    return gfp_mod_pow(gfp_word_non_residue(q), (q - 1) >> log2_n, q);
}
