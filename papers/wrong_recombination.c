/* papers/wrong_recombination.c: replaces gfp_words_recombine in a gfpoly_papers that is built to
 * test whether the program notices a wrong integer. The replacement gives the right integers; if
 * the environment names a bit, it flips this bit of the last integer's last word. The rest of that
 * program is compiled with gfp_words_recombine defined as the name of the function below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#undef gfp_words_recombine
#include <stdlib.h>

#include "crt/blocks/remainders.h"

void wrong_recombine(const gfp_words_basis *basis, gfp_level level, uint64_t *c, size_t width,
                     const uint64_t *z, size_t step, size_t n, uint64_t *work);

void wrong_recombine(const gfp_words_basis *basis, gfp_level level, uint64_t *c, size_t width,
                     const uint64_t *z, size_t step, size_t n, uint64_t *work)
{
    const char *bit = getenv("WRONG_RECOMBINATION");

    gfp_words_recombine(basis, level, c, width, z, step, n, work);
    if (bit != NULL) {
        c[n * width - 1] ^= (uint64_t)1 << atoi(bit);
    }
}
