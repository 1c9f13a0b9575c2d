/* degree.h: degree tests of a gcd over Z, before a method is chosen: a gcd modulo one prime, which
 * bounds the degree (degree.c); the gcd of two values, which may prove that operands are coprime
 * (degree_values.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_GCD_DEGREE_H
#define GFP_MODULAR_GCD_DEGREE_H

#include "modular/gcd/impl.h"

/* *len := the length of the gcd of a and b, neither 0, modulo one prime: an upper bound of the
 * length of their gcd. Returns false, *len unchanged, if the prime divides the leading coefficient
 * of a, or if the predicted time of the steps exceeds limit_ns nanoseconds: the gcd of operands
 * with a long divisor takes few steps. */
bool gfp_zdegree_prime(gfp_level level, size_t *len, gfp_zpoly a, gfp_zpoly b, double limit_ns);
/* The predicted nanoseconds of that for a divisor of this length; HUGE_VAL: the operands are too
 * long. */
double gfp_zdegree_prime_time(gfp_level level, gfp_zpoly a, gfp_zpoly b, size_t len_g);

/* Whether values at 2^step, step 4, 8, 16 or 32, of p's primitive operands may prove that they are
 * coprime: the roots of one of them are short, and the values. */
bool gfp_zdegree_values_serve(const gfp_zoperands *p, unsigned step);
/* *common := the bits of the gcd of the values at 2^step; 0: the operands are coprime. Other bits
 * are nearly always those of the gcd's value. Returns false, *common unchanged, if a value is 0. */
bool gfp_zdegree_values(size_t *common, const gfp_zoperands *p, unsigned step);

/* Nanoseconds of a gcd modulo one prime by IFMA: for each step and each product of operands of
 * equal lengths; for each step of a long quotient, and each product of it. */
#define GFP_ZDEGREE_STEP_NS 36
#define GFP_ZDEGREE_PRODUCT_NS 0.19
#define GFP_ZDEGREE_LONG_NS 9
#define GFP_ZDEGREE_REST_NS 0.33

#if GFP_X86_LEVELS
/* The length; 0: the prime divides the leading coefficient of a, or the gcd takes too long. z:
 * work space, two words more than the coefficients of both. */
size_t gfp_zdegree_avx512(uint64_t *z, gfp_zpoly a, gfp_zpoly b, double limit_ns);
#endif

#endif
