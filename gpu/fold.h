/* fold.h: the points of folds and of Horner's rule by words: gpu/cuda/vector/horner_ranges.py reads
 * these figures, and proves that gpu/cuda/vector/horner.h's digits keep to their ranges for all
 * points below the limit.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_FOLD_H
#define GFP_GPU_FOLD_H

#include <stdint.h>

/* Digits of r < 2^GFP_FOLD_SMALL_LOG are 64-bit integers. */
#define GFP_FOLD_SMALL_LOG 36
/* Points are below 2^GFP_FOLD_SMALL_CAP_LOG then, and below 2^GFP_FOLD_CAP_LOG for larger r. */
#define GFP_FOLD_SMALL_CAP_LOG 25
#define GFP_FOLD_CAP_LOG 57

/* Returns the limit of the points d: 0 <= d < limit. */
static inline uint64_t gfp_fold_limit(uint64_t r)
{
    const uint64_t most = r >> GFP_FOLD_SMALL_LOG == 0 ? r / 2 + 1 : r / 4;
    const uint64_t cap =
        (uint64_t)1 << (r >> GFP_FOLD_SMALL_LOG == 0 ? GFP_FOLD_SMALL_CAP_LOG : GFP_FOLD_CAP_LOG);
    return most < cap ? most : cap;
}

#endif
