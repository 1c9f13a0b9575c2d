/* cpu.h: kernel levels. A new level is a row in cpu.c, a list of sources compiled for it
 * (cmake/levels.cmake) and a row in the tables of GFP_LEVEL_ROWS.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_CPU_H
#define GFP_FIELD_BASE_CPU_H

#include "gfpoly/field.h"

/* The levels; cpu.c has their order, in which a CPU that has one level has all levels of its
 * architecture before it. */
typedef enum gfp_level {
    GFP_LEVEL_PORTABLE = 0,
    GFP_LEVEL_AVX2,       /* AVX2 and FMA */
    GFP_LEVEL_AVX512IFMA, /* AVX-512 F, DQ, BW, VL and IFMA */
    GFP_LEVEL_AVX512DQ,   /* AVX-512 F, DQ, BW, VL; sources of AVX2 over vector_wide.h */
    GFP_LEVEL_NEON,       /* AArch64; sources of AVX2 over field/kernels/vector_neon.h */
    GFP_LEVEL_COUNT
} gfp_level;

/* The level for which the build compiles the sources of AVX2, and its name. */
#if GFP_NEON_LEVEL
#define GFP_LEVEL_FOUR_LANES GFP_LEVEL_NEON
#define GFP_LEVEL_FOUR_LANES_NAME "neon"
#else
#define GFP_LEVEL_FOUR_LANES GFP_LEVEL_AVX2
#define GFP_LEVEL_FOUR_LANES_NAME "avx2"
#endif

/* The levels whose times were measured: tables of costs and thresholds have this number of rows,
 * and gfp_level_measured(level) is the row of a level. AVX512DQ and NEON take the row of AVX2,
 * whose sources they have. */
#define GFP_LEVEL_MEASURED GFP_LEVEL_AVX512DQ

_Static_assert(GFP_LEVEL_MEASURED == GFP_LEVEL_AVX512IFMA + 1, "measured levels come first");

static inline gfp_level gfp_level_measured(gfp_level level)
{
    return level < GFP_LEVEL_MEASURED ? level : GFP_LEVEL_AVX2;
}

/* A table with a row for each level: table[level] is the choice. A level that the build does not
 * have gets the portable row. docs/design/kernels.md has all tables on one page. Rows may be in
 * braces, so that they cannot be in parentheses here.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#if GFP_X86_LEVELS
#define GFP_LEVEL_ROWS(portable, avx2, avx512dq, avx512ifma, neon)                                 \
    {                                                                                              \
        [GFP_LEVEL_PORTABLE] = portable, [GFP_LEVEL_AVX2] = avx2,                                  \
        [GFP_LEVEL_AVX512IFMA] = avx512ifma, [GFP_LEVEL_AVX512DQ] = avx512dq,                      \
        [GFP_LEVEL_NEON] = portable                                                                \
    }
#elif GFP_NEON_LEVEL
#define GFP_LEVEL_ROWS(portable, avx2, avx512dq, avx512ifma, neon)                                 \
    {                                                                                              \
        [GFP_LEVEL_PORTABLE] = portable, [GFP_LEVEL_AVX2] = portable,                              \
        [GFP_LEVEL_AVX512IFMA] = portable, [GFP_LEVEL_AVX512DQ] = portable,                        \
        [GFP_LEVEL_NEON] = neon                                                                    \
    }
#else
#define GFP_LEVEL_ROWS(portable, avx2, avx512dq, avx512ifma, neon)                                 \
    {                                                                                              \
        [GFP_LEVEL_PORTABLE] = portable, [GFP_LEVEL_AVX2] = portable,                              \
        [GFP_LEVEL_AVX512IFMA] = portable, [GFP_LEVEL_AVX512DQ] = portable,                        \
        [GFP_LEVEL_NEON] = portable                                                                \
    }
#endif
/* NOLINTEND(bugprone-macro-parentheses) */

/* Returns the level in use; a field takes this level when it is created. */
gfp_level gfp_cpu_level_get(void);

/* The name of the level in use. */
const char *gfp_cpu_level(void);

/* text := the CPU's own name (gfpoly/field.h). */
void gfp_cpu_brand(char text[GFP_CPU_BRAND_SIZE]);

/* Whether this build, CPU and operating system have the level. */
bool gfp_cpu_has(gfp_level level);

/* Returns "portable", "avx2", "avx512dq", "avx512ifma" or "neon". */
const char *gfp_cpu_level_name(gfp_level level);

/* For tests and benchmarks: fields created after this call use the given level. Returns false, and
 * changes nothing, if the level is not present. */
bool gfp_cpu_level_force(gfp_level level);

#endif
