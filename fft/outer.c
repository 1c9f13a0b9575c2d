/* outer.c: which engine of the outer DFT serves a field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "outer_impl.h"

const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r)
{
    (void)k;
    bool fast = r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
    switch (level) {
    case GFP_LEVEL_PORTABLE:
        return &gfp_outer_generic;
    default:
        (void)fast;
        return NULL;
    }
}
