/* glance.h: glances at a gcd over Z before a method is chosen: a gcd modulo one prime, which shows
 * the degree (glance.c); the gcd of two values, which may prove that operands are coprime
 * (glance_values.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_GCD_GLANCE_H
#define GFP_MODULAR_GCD_GLANCE_H

#include "modular/gcd/impl.h"

/* *len := the length of the gcd of a and b, neither 0, modulo a prime that does not divide the
 * leading coefficient of a: not too small. Returns false, *len unchanged, if it does, or if the
 * glance takes longer than worth_ns nanoseconds by its own count: a long divisor is seen early. */
bool gfp_zglance(gfp_level level, size_t *len, gfp_zpoly a, gfp_zpoly b, double worth_ns);
/* The predicted nanoseconds until a divisor of this length is seen; HUGE_VAL: the operands are too
 * long. */
double gfp_zglance_time(gfp_level level, gfp_zpoly a, gfp_zpoly b, size_t len_g);

/* Whether values at 2^step, step 4, 8, 16 or 32, of p's primitive operands may prove that they are
 * coprime: the roots of one of them are short, and the values. */
bool gfp_zglance_serves(const gfp_zoperands *p, unsigned step);
/* *common := the bits of the gcd of the values at 2^step; 0: the operands are coprime. Other bits
 * are nearly always those of the gcd's value. Returns false, *common unchanged, if a value is 0. */
bool gfp_zglance_values(size_t *common, const gfp_zoperands *p, unsigned step);

/* Nanoseconds of a glance by IFMA: for each step and each product of operands of equal lengths; for
 * each step of a long quotient, and each product of it. */
#define GFP_ZGLANCE_STEP_NS 36
#define GFP_ZGLANCE_PRODUCT_NS 0.19
#define GFP_ZGLANCE_LONG_NS 9
#define GFP_ZGLANCE_REST_NS 0.33

#if GFP_X86_LEVELS
/* The length; 0: the prime divides the leading coefficient of a, or the glance takes too long. z:
 * work space, two words more than the coefficients of both. */
size_t gfp_zglance_avx512(uint64_t *z, gfp_zpoly a, gfp_zpoly b, double worth_ns);
#endif

#endif
