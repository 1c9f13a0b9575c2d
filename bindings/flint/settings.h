/* settings.h: what the environment variable GFPOLY_FLINT asks for, and the counters.
 *
 * GFPOLY_FLINT is a list of words with commas in between: "off" (FLINT computes everything),
 * "verify" (FLINT computes every product that was taken again; where the results differ, FLINT's is
 * used and counted), "mod" and "z" (only products modulo p, only products over Z), "count=FILE" (a
 * line with the counters is appended to the file when the process ends). Other words are ignored.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SETTINGS_H
#define GFP_SETTINGS_H

#include <stdbool.h>

typedef struct gfp_settings {
    bool off, verify, no_mod, no_z;
} gfp_settings;

/* Read once, when the library is loaded. */
const gfp_settings *gfp_settings_get(void);

typedef enum gfp_count {
    GFP_COUNT_MOD,        /* products modulo p = r^k + 1 that were taken */
    GFP_COUNT_MOD_PASSED, /* products modulo such p that FLINT computed */
    GFP_COUNT_Z,          /* products over Z that were taken */
    GFP_COUNT_Z_PASSED,   /* products over Z, long enough to be looked at, that FLINT computed */
    GFP_COUNT_VERIFIED,   /* products that were compared with FLINT's */
    GFP_COUNT_WRONG,      /* of these, the products that differed */
    GFP_COUNT_STOPPED,    /* products that began again after a signal */
    GFP_COUNT_MODULI,     /* moduli r^k + 1 that are known */
    GFP_COUNTERS
} gfp_count;

void gfp_count_add(gfp_count counter);

/* The counter of this name: "mod", "mod_passed", "z", "z_passed", "verified", "wrong", "stopped",
 * "moduli", "flints" (FLINTs seen); -1 if there is none. Exported, for dlsym and ctypes. */
__attribute__((visibility("default"))) long gfpoly_flint_count(const char *name);

#endif
