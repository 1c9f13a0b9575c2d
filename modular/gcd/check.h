/* check.h: the check of a gcd over Z.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_GCD_CHECK_H
#define GFP_MODULAR_GCD_CHECK_H

#include "modular/gcd/impl.h"

/* Checks d for the operands a and b, neither 0, at random points modulo eight random primes; adds
 * to the report. Errors: VERIFY, MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zgcd_check(gfp_zcall *call, gfp_zpoly a, gfp_zpoly b, const gfp_zdivisor *d);

#endif
