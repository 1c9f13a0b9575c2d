/* hybrid_digits.h: digits in the hybrid product on the device: from balanced digits to residues of
 * primes below 2^30, and from residues of sums of products back to balanced digits. The code runs
 * on the device and on the host. Bounds: hybrid_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_DIGITS_H
#define GFP_GPU_CUDA_PRODUCT_HYBRID_DIGITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gpu/cuda/fast_arith.h"

namespace gfp_hybrid
{

using gfp_fast::index_of;
using gfp_fast::s32;
using gfp_fast::s64;
using gfp_fast::u128;
using gfp_fast::u32;
using gfp_fast::u64;
using gfp_fast::unroll;

/* The radices served: errors of quotients are small compared with r, and digits with these errors
 * fit 64 bits. */
constexpr u64 RADIX_MIN = (u64)1 << 32, RADIX_MAX = ~(u64)0 - (((u64)1 << 27) - 1);

/* The bound of leaves' digits, before and after products: |d| <= digit_bound(r) < 2^63. */
static inline u64 digit_bound(u64 r)
{
    return r / 2 + ((u64)1 << 24);
}

/* ---- residues ---- */

/* Primes are odd, and PRIME_MIN <= q < 2^30. */
constexpr u32 PRIME_MIN = 0x2aaaaaab, PRIME_MAX = 0x3fffffff; /* 2^31 / 3, rounded up */

/* d / 2^32 modulo q, in [0, 4q). inverse = 1/q mod 2^32 (inverse_of). */
static FAST_HD u32 project(s64 d, u32 q, u32 inverse)
{
#ifdef __CUDA_ARCH__
    const u32 multiple = __umulhi((u32)d * inverse, q);
#else
    const u32 multiple = (u32)((u64)((u32)d * inverse) * q >> 32);
#endif
    const u32 high = (u32)((u64)d >> 32);
    /* high - multiple + q, plus 2q if high is negative. If x is still negative, it wraps to a large
     * word, and the minimum selects y = x + q. */
    const u32 x = high + ((u32)((s32)high >> 31) & 2 * q) - multiple + q;
    const u32 y = x + q;
    return x < y ? x : y;
}

static inline u32 inverse_of(u32 q)
{
    u32 x = q; /* 3 bits */
    for (int i = 0; i < 4; i++) {
        x *= 2 - q * x;
    }
    return x;
}

/* ---- integers from residues ---- */

/* The constants of r. */
struct radix {
    u64 r;
    s32 negative_low; /* 2^64 - r = negative_low + 2^32 negative_high modulo 2^64 */
    u32 negative_high;
    double unit, quarter; /* 2^32 / r, 4 / r */
    bool tight;           /* tight: remainders fit 64 bits only if quotients are exact */
};

static inline radix make_radix(u64 r)
{
    const s32 low = (s32)(0u - (u32)r);
    return {r,
            low,
            (u32)((0 - r - (u64)(s64)low) >> 32),
            4294967296.0 / (double)r,
            4.0 / (double)r,
            r > ~(u64)0 - ((u64)1 << 48)};
}

/* The constants of the CRT of N primes, 2 <= N <= 6, with product Q. */
template <int N> struct crt {
    u32 scale[N]; /* q_i / Q modulo q_i: residues arrive multiplied by it */
    float inverse[N];
    /* Q / q_i, and Q at the end, are a[0] + 2^32 a[1] + (a[2] + 2^32 a[3]) r + d r^2, d = a[4]
     * modulo 2^32. */
    s32 a[N + 1][5];
};

/* An integer c0 + c1 r + c2 r^2; |c0|, |c1| < 2^63. */
struct triple {
    s64 c0, c1;
    s32 c2;
};

/* The nearest integer to x, |x| < 2^31: adding 1.5 2^52 rounds the fraction away. */
static FAST_HD s32 nearest(double x, double &rounded)
{
    const double shifted = x + 6755399441055744.0;
    rounded = shifted - 6755399441055744.0;
#ifdef __CUDA_ARCH__
    return __double2loint(shifted);
#else
    u64 image;
    memcpy(&image, &shifted, sizeof image);
    return (s32)(u32)image;
#endif
}

/* The nearest integer in single precision, |x| < 2^22. */
static FAST_HD s32 nearest(float x)
{
    const float shifted = x + 12582912.0f; /* 1.5 2^23 */
#ifdef __CUDA_ARCH__
    const s32 image = __float_as_int(shifted);
#else
    s32 image;
    memcpy(&image, &shifted, sizeof image);
#endif
    return image - 0x4b400000;
}

/* a b + c, in halves: from mad.wide in sums ptxas makes products and additions of three terms,
 * twice as many instructions. */
static FAST_HD s64 multiply_add(s32 a, s32 b, s64 c)
{
#ifdef __CUDA_ARCH__
    u32 low = (u32)c, high = (u32)((u64)c >> 32);
    asm("mad.lo.cc.s32 %0, %2, %3, %0;\n\tmadc.hi.s32 %1, %2, %3, %1;"
        : "+r"(low), "+r"(high)
        : "r"(a), "r"(b));
    return (s64)((u64)high << 32 | low);
#else
    return (s64)((u64)((s64)a * b) + (u64)c);
#endif
}

/* x - q r modulo 2^64 */
static FAST_HD u64 less_multiple(const radix &R, u64 x, s32 q)
{
    const u64 y = (u64)multiply_add(q, R.negative_low, (s64)x);
    return y + ((u64)((u32)q * R.negative_high) << 32);
}

/* e + 2^32 f = q r + d, |d| < 2^63; returns q, |q| < 2^31. TIGHT: for tight radices too. */
template <bool TIGHT> static FAST_HD s32 divide(const radix &R, s64 e, s64 f, s64 &d)
{
    const double x = (double)(f + (e >> 32)) * R.unit;
    double rounded;
    s32 q = nearest(x, rounded);
    u64 rest = less_multiple(R, (u64)e + ((u64)f << 32), q);
    if (TIGHT && R.tight) {
        /* A remainder beyond 2^63 has wrapped: its sign differs from that of the fraction. */
        const double fraction = x - rounded;
        if (fraction > 0.25 && (s64)rest < 0) {
            rest -= R.r;
            q++;
        } else if (fraction < -0.25 && (s64)rest > 0) {
            rest += R.r;
            q--;
        }
    }
    d = (s64)rest;
    return q;
}

/* The bound of residues near zero of n primes: sums of their products with words of 32 bits fit 64
 * bits. */
static constexpr u32 residue_bound(int n, u32 q)
{
    return n > 5 ? q / 2 + q / 8 + 2 : q / 2 + q / 4 + 2;
}

/* The integer with residues y_i / scale_i, |y_i| <= residue_bound(N, q_i), if crt_fits holds. c2
 * fits 32 bits for a sum of fewer than 2^31 products of leaves' digits. */
template <int N, bool TIGHT = true>
static FAST_HD triple recombine(const crt<N> &C, const radix &R, const s32 (&y)[N])
{
    s64 sum[4] = {0, 0, 0, 0};
    u32 top = 0; /* c2 fits 32 bits */
    const auto add = [&](s32 x, const s32(&a)[5]) {
        unroll<4>([&](auto jc) {
            constexpr int j = decltype(jc)::value;
            sum[j] = multiply_add(x, a[j], sum[j]);
        });
        top += (u32)x * (u32)a[4];
    };
    /* Sum y_i Q / q_i, minus the nearest multiple of Q. */
    float multiple = 0.0f;
    unroll<N>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        multiple = fmaf((float)y[i], C.inverse[i], multiple);
        add(y[i], C.a[i]);
    });
    add(-nearest(multiple), C.a[N]);
    triple c;
    sum[2] += divide<TIGHT>(R, sum[0], sum[1], c.c0);
    c.c2 = (s32)(top + (u32)divide<TIGHT>(R, sum[2], sum[3], c.c1));
    return c;
}

/* A digit of the result from the parts that meet at its place: c0 of the integer at the place
 * itself, c1 of the integer one below and c2 of the integer two below, negated (T^k = -1) if they
 * come from above the top. Returns the digit, |d| <= r/2 + r / 2^49 + 13. The caller adds *carry of
 * the digit below, |carry| <= 4 (for digit 0 it subtracts that of the top digit); the sum is within
 * digit_bound. |c2| < 2^31. */
static FAST_HD s64 settle(const radix &R, s64 c0, s64 c1, s32 c2, s32 *carry)
{
    double rounded;
    *carry = nearest((double)((c0 >> 2) + (c1 >> 2) + (c2 >> 2)) * R.quarter, rounded);
    return (s64)less_multiple(R, (u64)c0 + (u64)c1 + (u64)(s64)c2, *carry);
}

/* ---- constants, on the host ---- */

static inline u64 power_mod(u64 x, u64 e, u64 q)
{
    u64 y = 1;
    for (x %= q; e != 0; e >>= 1, x = x * x % q) {
        y = (e & 1) ? y * x % q : y;
    }
    return y;
}

/* Whether these primes determine sums of `terms` products of two elements' digits (each digit takes
 * k products per pair of elements): |sum| < Q / 2 (1 - 2^-16 + 1 / q) for each, so that fractions
 * in single precision determine the multiple of Q. */
static inline bool crt_fits(const u32 *primes, int count, unsigned k, u64 r, u64 terms)
{
    /* 2 terms k bound^2 < Q - Q floor(q / 2^16) / q, words of 32 bits. */
    enum { WORDS = 8 };
    u32 left[WORDS] = {2}, right[WORDS] = {1};
    const auto times = [](u32 *x, u64 y) {
        /* Adds x y_0, then 2^32 x y_1. */
        u32 z[WORDS] = {};
        for (int h = 0; h < 2; h++) {
            u64 carry = 0;
            for (int i = h; i < WORDS; i++) {
                carry += (u64)x[i - h] * (u32)(y >> 32 * h) + z[i];
                z[i] = (u32)carry;
                carry >>= 32;
            }
        }
        memcpy(x, z, sizeof z);
    };
    if (terms > (((u64)1 << 31) - 1) / k) {
        return false;
    }
    times(left, terms * k);
    times(left, digit_bound(r));
    times(left, digit_bound(r));
    for (int i = 0; i < count; i++) {
        times(right, primes[i] - (i == count - 1 ? primes[i] >> 16 : 0));
    }
    for (int i = WORDS; i-- > 0;) {
        if (left[i] != right[i]) {
            return left[i] < right[i];
        }
    }
    return false;
}

/* a := the product of the factors in the form of crt::a, with balanced digits d[0] and d[1]. */
static inline void split_digits(s32 (&a)[5], u64 r, const u32 *factors, int count)
{
    __extension__ typedef __int128 s128;
    s64 d[3] = {1, 0, 0};
    for (int i = 0; i < count; i++) {
        s128 carry = 0;
        for (int j = 0; j < 2; j++) {
            const s128 x = (s128)d[j] * factors[i] + carry, t = x + (s128)(r / 2);
            carry = t / (s128)r - (t % (s128)r < 0);
            d[j] = (s64)(x - carry * (s128)r);
        }
        d[2] = (u32)((u64)d[2] * factors[i] + (u64)carry);
    }
    for (int j = 0; j < 2; j++) {
        /* The upper word must not be 2^31. */
        if (d[j] >= INT64_MAX - ((s64)1 << 31)) {
            d[j] = (s64)((u64)d[j] - r);
            d[j + 1]++;
        }
        a[2 * j] = (s32)d[j];
        a[2 * j + 1] = (s32)((d[j] - a[2 * j]) >> 32);
    }
    a[4] = (s32)d[2];
}

/* r >= RADIX_MIN. */
template <int N> static inline void make_crt(crt<N> *C, u64 r, const u32 *primes)
{
    static_assert(N >= 2 && N <= 6, "primes");
    for (int i = 0; i <= N; i++) {
        u32 others[N];
        int count = 0;
        u64 product = 1;
        for (int j = 0; j < N; j++) {
            if (j != i) {
                others[count++] = primes[j];
                product = i < N ? product * primes[j] % primes[i] : 0;
            }
        }
        split_digits(C->a[i], r, others, count);
        if (i < N) {
            C->scale[i] = (u32)power_mod(product, primes[i] - 2, primes[i]);
            C->inverse[i] = (float)(1.0 / primes[i]);
        }
    }
}

} // namespace gfp_hybrid

#endif
