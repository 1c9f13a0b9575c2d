/* zfactors.h: factors of groups of compiled-in costs over Z (zcost.c, zpredict.c), from a tuning;
 * predictions of calls with a tuning are multiplied by them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZFACTORS_H
#define GFP_ZFACTORS_H

#include "gfpoly/tuning.h"

/* In the order of their names. */
typedef enum gfp_zgroup {
    GFP_ZGROUP_BIG,         /* products and images modulo big primes */
    GFP_ZGROUP_CONVERSIONS, /* projection and reconstruction, word-size primes */
    GFP_ZGROUP_FLINT,
    GFP_ZGROUP_IMAGES,     /* images and proofs modulo blocks of word-size primes */
    GFP_ZGROUP_INTEGERS,   /* products and gcds of integers, by GMP */
    GFP_ZGROUP_TRANSFORMS, /* products modulo blocks of word-size primes */
    GFP_ZGROUPS
} gfp_zgroup;

/* factor := those of the tuning, 1 where it has none; tuning may be NULL. */
void gfp_zfactors_read(double factor[GFP_ZGROUPS], const gfp_tuning *tuning);

#endif
