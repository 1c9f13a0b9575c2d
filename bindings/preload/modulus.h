/* modulus.h: moduli r^k + 1 that were recognised, with their fields. A field is created once
 * the host has spent about as much time on computations modulo p as the creation takes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULUS_OF_HOST_H
#define GFP_MODULUS_OF_HOST_H

#include "gfpoly/field.h"

typedef struct gfp_known gfp_known;

/* The record of the modulus p = sum value[i] 2^(64 i) of this many bits, limbs = (bits + 63) / 64
 * at most GFP_MAX_LIMBS; NULL: p is not r^k + 1 with more than 64 bits, or no further modulus can
 * be remembered. */
gfp_known *gfp_known_modulus(const uint64_t *value, size_t bits);
size_t gfp_known_bits(const gfp_known *known);
/* The field; NULL: it is not created yet, or p is no prime. ns: the host's predicted time for
 * the computation that asks. */
const gfp_field *gfp_known_field(gfp_known *known, double ns);

#endif
