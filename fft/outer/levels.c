/* levels.c: the choice of the outer DFT's engine, and of the base case, for a field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/support.h"
#include "fft/outer/impl.h"

/* The engines of a level for k = 2, 4, 8, and for k >= 16. */
#define ENGINES(level)                                                                             \
    {                                                                                              \
        &gfp_outer_##level##_2, &gfp_outer_##level##_4, &gfp_outer_##level##_8,                    \
            &gfp_outer_##level##_16                                                                \
    }
#define BASES(level)                                                                               \
    {                                                                                              \
        &gfp_base_##level##_2, &gfp_base_##level##_4, &gfp_base_##level##_8                        \
    }

static unsigned index_of(unsigned k)
{
    return (k < 16 ? gfp_ctz64(k) : 4) - 1;
}

const gfp_outer_engine *gfp_outer_engine_get(gfp_level level, unsigned k, uint64_t r)
{
    static const gfp_outer_engine *const portable[] = ENGINES(portable);
#if GFP_X86_LEVELS
    static const gfp_outer_engine *const avx2[] = ENGINES(avx2);
    static const gfp_outer_engine *const avx512[] = ENGINES(avx512);
#endif
    bool fast = r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
    switch (level) {
    case GFP_LEVEL_PORTABLE:
        return fast ? portable[index_of(k)] : &gfp_outer_generic;
#if GFP_X86_LEVELS
    case GFP_LEVEL_AVX2:
        return fast ? avx2[index_of(k)] : NULL;
    case GFP_LEVEL_AVX512IFMA:
        return fast ? avx512[index_of(k)] : NULL;
#endif
    default:
        return NULL;
    }
}

const gfp_base_engine *gfp_base_engine_get(const gfp_field *field)
{
#if GFP_X86_LEVELS
    static const gfp_base_engine *const avx2[] = BASES(avx2);
    static const gfp_base_engine *const avx512[] = BASES(avx512);
#endif
    bool serves = field->k <= 8 && field->r >= GFP_FAST_R_MIN && field->r <= GFP_OUTER_R_MAX;
    switch (gfp_field_level(field)) {
#if GFP_X86_LEVELS
    case GFP_LEVEL_AVX2:
        return serves ? avx2[index_of(field->k)] : NULL;
    case GFP_LEVEL_AVX512IFMA:
        return serves ? avx512[index_of(field->k)] : NULL;
#endif
    default:
        (void)serves;
        return NULL;
    }
}
