/* cpu.c: which kernel level this process uses: decided once from the CPU, overridable by the
 * environment variable GFPOLY_CPU. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/field.h"

/* Levels from the plainest to the best, each with its test whether this CPU and system have it. */
typedef struct level_row {
    const char *name;
    bool (*present)(void);
} level_row;

static bool always(void)
{
    return true;
}

static const level_row levels[] = {
    [GFP_LEVEL_PORTABLE] = {"portable", always},
};

static int decide(void)
{
    const char *wanted = getenv("GFPOLY_CPU");
    int best = GFP_LEVEL_PORTABLE;
    for (int i = 0; i < GFP_LEVEL_COUNT; i++) {
        if (levels[i].present()) {
            if (wanted != NULL && strcmp(wanted, levels[i].name) == 0) {
                return i;
            }
            best = i;
        }
    }
    return best;
}

gfp_level gfp_cpu_level_get(void)
{
    /* Threads that race here compute the same value. */
    static atomic_int cached = -1;
    int level = atomic_load_explicit(&cached, memory_order_relaxed);
    if (level < 0) {
        level = decide();
        atomic_store_explicit(&cached, level, memory_order_relaxed);
    }
    return (gfp_level)level;
}

const char *gfp_cpu_level(void)
{
    return levels[gfp_cpu_level_get()].name;
}
