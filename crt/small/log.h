/* log.h: logarithms and powers for predictions, in a few nanoseconds: a choice evaluates dozens of
 * them, and the shortest calls take some hundred nanoseconds. Errors: below 0.01 and 1 %; exact at
 * powers of two.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_LOG_H
#define GFP_CRT_SMALL_LOG_H

#include <stdint.h>
#include <string.h>

/* log2(x), x >= 1 and below 2^1023. */
static inline double gfp_zlog2(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const double exponent = (double)(int64_t)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof x);
    const double t = x - 1;
    return exponent + t * (1.3465 - 0.3465 * t);
}

/* 2^x for |x| <= 1000; beyond, that of the limit. */
static inline double gfp_zexp2(double x)
{
    const double limited = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
    const int64_t whole = (int64_t)(limited + 1001) - 1001;
    const double t = limited - (double)whole;
    const uint64_t bits = (uint64_t)(whole + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power * (1 + t * (0.6565 + 0.3435 * t));
}

#endif
