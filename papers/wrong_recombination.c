/* papers/wrong_recombination.c: replaces gfp_crt_rival_recombine in a gfpoly_papers that is built
 * to test whether the program notices a wrong integer. The replacement gives the right integers; if
 * the environment names a bit, it flips this bit of the last integer's last word. The rest of that
 * program is compiled with gfp_crt_rival_recombine defined as the name of the function below.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#undef gfp_crt_rival_recombine
#include <stdlib.h>

#include "gfpoly/rival.h"

gfp_status wrong_recombine(const gfp_crt_rival_plan *plan, uint64_t *z, const uint64_t *residues,
                           void *work, const gfp_options *options);

gfp_status wrong_recombine(const gfp_crt_rival_plan *plan, uint64_t *z, const uint64_t *residues,
                           void *work, const gfp_options *options)
{
    const char *bit = getenv("WRONG_RECOMBINATION");
    const gfp_status status = gfp_crt_rival_recombine(plan, z, residues, work, options);

    if (bit != NULL && status == GFP_OK) {
        const size_t words = gfp_crt_rival_plan_length(plan) * gfp_crt_rival_plan_words(plan);
        z[words - 1] ^= (uint64_t)1 << atoi(bit);
    }
    return status;
}
