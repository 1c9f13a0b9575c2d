/* settings.h: what an environment variable (GFPOLY_FLINT, GFPOLY_NTL) asks for, and the counters.
 * The host is the library whose functions this one stands in for.
 *
 * The variable is a list of words with commas in between: "on" (the default), "off" (the host
 * computes everything), "verify" (the host computes everything that was taken again; where the
 * results differ, the host's are used, and this is counted), "mod" and "z" (only computations
 * modulo p, only products over Z), "count=FILE" (a line with the counters is appended to the file
 * when the process ends). "mod" and "z" together are both. Of other words the first one is reported
 * on standard error, where a host is seen; they have no effect.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SETTINGS_H
#define GFP_SETTINGS_H

#include <stdbool.h>

/* What differs between the libraries for LD_PRELOAD; each defines its own. */
typedef struct gfp_preload {
    const char *variable; /* "GFPOLY_FLINT" */
    const char *hosts;    /* the counter of hosts: "flints" */
    bool over_z;          /* has counters of products over Z */
    bool divides;         /* has counters of divisions and gcds */
} gfp_preload;
extern const gfp_preload gfp_preload_self;

typedef struct gfp_settings {
    bool off, verify, no_mod, no_z;
} gfp_settings;

/* Read once, when the library is loaded. */
const gfp_settings *gfp_settings_get(void);
/* Reports an unknown word, if the variable has one. */
void gfp_settings_complain(void);

typedef enum gfp_count {
    GFP_COUNT_MOD,        /* products modulo p = r^k + 1 that were taken */
    GFP_COUNT_MOD_PASSED, /* products modulo such p that the host computed */
    GFP_COUNT_Z,          /* products over Z that were taken */
    GFP_COUNT_Z_PASSED,   /* products over Z, long enough to be looked at, that the host computed */
    GFP_COUNT_DIVISION,   /* divisions and gcds modulo such p, taken and computed by the host */
    GFP_COUNT_DIVISION_PASSED,
    GFP_COUNT_GCD,
    GFP_COUNT_GCD_PASSED,
    GFP_COUNT_VERIFIED, /* computations that were compared with the host's */
    GFP_COUNT_WRONG,    /* of these, the ones that differed */
    GFP_COUNT_MODULI,   /* moduli r^k + 1 that are known */
    GFP_COUNTERS
} gfp_count;

void gfp_count_add(gfp_count counter);

/* The counter of this name: "mod", "mod_passed", "z", "z_passed", "division", "division_passed",
 * "gcd", "gcd_passed", "verified", "wrong", "moduli", or that of the hosts seen; -1 if
 * there is none. */
long gfp_count_of(const char *name);

#endif
