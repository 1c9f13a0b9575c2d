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
    static const gfp_outer_engine *const engines[GFP_LEVEL_COUNT][4] = GFP_LEVEL_ROWS(
        ENGINES(portable), ENGINES(avx2), ENGINES(avx512), ENGINES(avx512), ENGINES(avx2));
    if (r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX) {
        return engines[level][index_of(k)];
    }
    return level == GFP_LEVEL_PORTABLE ? &gfp_outer_generic : NULL;
}

const gfp_base_engine *gfp_base_engine_get(const gfp_field *field)
{
    static const gfp_base_engine *const engines[GFP_LEVEL_COUNT][3] =
        GFP_LEVEL_ROWS({NULL}, BASES(avx2), BASES(avx512), BASES(avx512), BASES(avx2));
    if (field->k > 8 || field->r < GFP_FAST_R_MIN || field->r > GFP_OUTER_R_MAX) {
        return NULL;
    }
    return engines[gfp_field_level(field)][index_of(field->k)];
}
