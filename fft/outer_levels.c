/* outer_levels.c: the choice of the outer DFT's engine for a field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/outer_impl.h"

const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r)
{
    (void)k;
    bool fast = r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
    switch (level) {
    case GFP_LEVEL_PORTABLE:
        return fast ? &gfp_outer_portable : &gfp_outer_generic;
#if GFP_X86_LEVELS
    case GFP_LEVEL_AVX2:
        return fast ? &gfp_outer_avx2 : NULL;
    case GFP_LEVEL_AVX512IFMA:
        return fast ? &gfp_outer_avx512ifma : NULL;
#endif
    default:
        return NULL;
    }
}

const gfp_base_engine *gfp_base_engine_get(const gfp_field *field)
{
    bool serves = field->k <= 8 && field->r >= GFP_FAST_R_MIN && field->r <= GFP_OUTER_R_MAX;
    switch (gfp_field_level(field)) {
#if GFP_X86_LEVELS
    case GFP_LEVEL_AVX2:
        return serves ? &gfp_base_avx2 : NULL;
    case GFP_LEVEL_AVX512IFMA:
        return serves ? &gfp_base_avx512ifma : NULL;
#endif
    default:
        (void)serves;
        return NULL;
    }
}
