/* arith.h: Z/pZ, p = r^k + 1, for any k and even r < 2^64, on the device and on the host: the slow
 * twin of the fast kernels. Digits in and out are canonical. Views read and write them, so that the
 * digits of an element may be contiguous or far apart. Plain C++ without CUDA: tests compare this
 * code with the oracle on machines without a GPU.
 *
 * The steps are those of ISSAC 2017, section 3: digits are computed from the lowest up with a
 * carry, and the carry out of the top, worth -1 each, is subtracted at the bottom. Bounds:
 * arith_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_ARITH_H
#define GFP_GPU_CUDA_ARITH_H

#include <stddef.h>
#include <stdint.h>

#ifndef GFP_HD_PLAIN
#ifdef __CUDACC__
#define GFP_HD_PLAIN __host__ __device__
#else
#define GFP_HD_PLAIN
#endif
#endif

/* Unrolls the next loop K times on the device; K = 0: not at all. */
#ifdef __CUDA_ARCH__
#define GFP_UNROLL(K) _Pragma("unroll (K == 0 ? 1 : K)")
#else
#define GFP_UNROLL(K)
#endif

namespace general
{

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* The constants of a field; passed to kernels by value. */
struct field {
    uint64_t r;
    uint64_t d;       /* r 2^shift, its top bit set */
    uint64_t inverse; /* floor((2^128 - 1) / d) - 2^64 */
    uint64_t bias[3]; /* BIAS r^2 */
    unsigned shift;
    unsigned k;
    unsigned v2_r; /* 2^v2_r divides r */
};

/* Columns and carries lie within (-BIAS r^2, BIAS r^2). */
constexpr unsigned BIAS_LOG = 10;

static inline field make_field(uint64_t r, unsigned k)
{
    field f = {};
    f.r = r;
    f.k = k;
    while (r << f.shift >> 63 == 0) {
        f.shift++;
    }
    while ((r >> f.v2_r & 1) == 0) {
        f.v2_r++;
    }
    f.d = r << f.shift;
    f.inverse = static_cast<uint64_t>(~u128{0} / f.d - (u128{1} << 64));
    const u128 square = u128{r} * r;
    f.bias[0] = static_cast<uint64_t>(square << BIAS_LOG);
    f.bias[1] = static_cast<uint64_t>(square << BIAS_LOG >> 64);
    f.bias[2] = static_cast<uint64_t>(square >> (128 - BIAS_LOG));
    return f;
}

/* Digit i of an element is at[i step]. */
struct view {
    uint64_t *at;
    size_t step;
    GFP_HD_PLAIN uint64_t &operator[](unsigned i) const
    {
        return at[i * step];
    }
};

struct const_view {
    const uint64_t *at;
    size_t step;
    GFP_HD_PLAIN const_view(const uint64_t *digits, size_t distance) : at(digits), step(distance)
    {
    }
    GFP_HD_PLAIN const_view(const view &v) : at(v.at), step(v.step)
    {
    }
    GFP_HD_PLAIN uint64_t operator[](unsigned i) const
    {
        return at[i * step];
    }
};

/* ---- integers of 192 bits, two's complement, least significant word first ---- */

struct wide {
    uint64_t w0, w1, w2;
};

/* acc += x y. */
static GFP_HD_PLAIN inline void multiply_add(wide &acc, uint64_t x, uint64_t y)
{
#ifdef __CUDA_ARCH__
    asm("mad.lo.cc.u64 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u64 %1, %3, %4, %1;\n\t"
        "addc.u64 %2, %2, 0;"
        : "+l"(acc.w0), "+l"(acc.w1), "+l"(acc.w2)
        : "l"(x), "l"(y));
#else
    const u128 product = u128{x} * y;
    const u128 low = u128{acc.w0} + static_cast<uint64_t>(product);
    const u128 high = u128{acc.w1} + static_cast<uint64_t>(product >> 64) + (low >> 64);
    acc.w0 = static_cast<uint64_t>(low);
    acc.w1 = static_cast<uint64_t>(high);
    acc.w2 += static_cast<uint64_t>(high >> 64);
#endif
}

static GFP_HD_PLAIN inline wide add_wide(const wide &x, const wide &y)
{
    wide z;
#ifdef __CUDA_ARCH__
    asm("add.cc.u64 %0, %3, %6;\n\t"
        "addc.cc.u64 %1, %4, %7;\n\t"
        "addc.u64 %2, %5, %8;"
        : "=&l"(z.w0), "=&l"(z.w1), "=l"(z.w2)
        : "l"(x.w0), "l"(x.w1), "l"(x.w2), "l"(y.w0), "l"(y.w1), "l"(y.w2));
#else
    const u128 low = u128{x.w0} + y.w0;
    const u128 high = u128{x.w1} + y.w1 + (low >> 64);
    z.w0 = static_cast<uint64_t>(low);
    z.w1 = static_cast<uint64_t>(high);
    z.w2 = x.w2 + y.w2 + static_cast<uint64_t>(high >> 64);
#endif
    return z;
}

static GFP_HD_PLAIN inline wide subtract_wide(const wide &x, const wide &y)
{
    wide z;
#ifdef __CUDA_ARCH__
    asm("sub.cc.u64 %0, %3, %6;\n\t"
        "subc.cc.u64 %1, %4, %7;\n\t"
        "subc.u64 %2, %5, %8;"
        : "=&l"(z.w0), "=&l"(z.w1), "=l"(z.w2)
        : "l"(x.w0), "l"(x.w1), "l"(x.w2), "l"(y.w0), "l"(y.w1), "l"(y.w2));
#else
    const u128 low = u128{x.w0} - y.w0;
    const u128 high = u128{x.w1} - y.w1 - (low >> 127);
    z.w0 = static_cast<uint64_t>(low);
    z.w1 = static_cast<uint64_t>(high);
    z.w2 = x.w2 - y.w2 - static_cast<uint64_t>(high >> 127);
#endif
    return z;
}

static GFP_HD_PLAIN inline wide make_wide(i128 x)
{
    const u128 u = static_cast<u128>(x);
    return {static_cast<uint64_t>(u), static_cast<uint64_t>(u >> 64), x < 0 ? ~uint64_t{0} : 0};
}

static GFP_HD_PLAIN inline uint64_t high_product(uint64_t x, uint64_t y)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(x, y);
#else
    return static_cast<uint64_t>(u128{x} * y >> 64);
#endif
}

/* The quotient of u1 2^64 + u0 by d, for u1 < d; *remainder < d (Moeller, Granlund: Improved
 * division by invariant integers, 2011, algorithm 4). */
static GFP_HD_PLAIN inline uint64_t divide_words(const field &f, uint64_t u1, uint64_t u0,
                                                 uint64_t *remainder)
{
    const u128 q =
        (u128{high_product(f.inverse, u1)} << 64 | f.inverse * u1) + (u128{u1} << 64 | u0);
    uint64_t quotient = static_cast<uint64_t>(q >> 64) + 1;
    uint64_t rem = u0 - quotient * f.d;
    if (rem > static_cast<uint64_t>(q)) {
        quotient--;
        rem += f.d;
    }
    if (rem >= f.d) {
        quotient++;
        rem -= f.d;
    }
    *remainder = rem;
    return quotient;
}

/* v = q r + digit, 0 <= digit < r, for |v| < 2^BIAS_LOG r^2; returns q. */
static GFP_HD_PLAIN inline i128 divide(const field &f, const wide &v, uint64_t &digit)
{
    /* Adding a multiple of r makes the dividend positive: 0 <= u < 2^(BIAS_LOG + 1) r^2. Shifted
     * like r, u still fits three words, and the highest word is below d. */
    const wide u = add_wide(v, {f.bias[0], f.bias[1], f.bias[2]});
    const unsigned s = f.shift;
    const uint64_t u2 = s == 0 ? u.w2 : u.w2 << s | u.w1 >> (64 - s);
    const uint64_t u1 = s == 0 ? u.w1 : u.w1 << s | u.w0 >> (64 - s);
    uint64_t rem;
    const uint64_t q1 = divide_words(f, u2, u1, &rem);
    const uint64_t q0 = divide_words(f, rem, u.w0 << s, &rem);
    digit = rem >> s;
    return static_cast<i128>(u128{q1} << 64 | q0) - (static_cast<i128>(f.r) << BIAS_LOG);
}

/* Like divide, for sums of a few digits; the loop takes |v| / r steps. */
static GFP_HD_PLAIN inline int divide_sum(const field &f, i128 v, uint64_t &digit)
{
    int q = 0;
    while (v < 0) {
        v += f.r;
        q--;
    }
    while (v >= static_cast<i128>(f.r)) {
        v -= f.r;
        q++;
    }
    digit = static_cast<uint64_t>(v);
    return q;
}

/* ---- elements ---- */

/* z := z + carry r^k = z - carry, for digits below r and |carry| < 2^BIAS_LOG r. */
static GFP_HD_PLAIN inline void fold(const field &f, const view &z, i128 carry)
{
    while (carry != 0) {
        const bool unit = carry == 1 || carry == -1;
        carry = -carry;
        for (unsigned i = 0; i < f.k && carry != 0; i++) {
            carry = divide(f, make_wide(carry + static_cast<i128>(z[i])), z[i]);
        }
        if (unit && carry != 0) {
            /* 0 - 1 or (r^k - 1) + 1: both are the special element, and leave no carry. */
            for (unsigned i = 0; i + 1 < f.k; i++) {
                z[i] = 0;
            }
            z[f.k - 1] = f.r;
            carry = 0;
        }
    }
}

/* In the functions below K > 0 states that f.k is K: the compiler knows the bounds of loops, and
 * keeps operands in registers on the device. K = 0 serves any k. */
template <unsigned K> static GFP_HD_PLAIN inline unsigned digits_of(const field &f)
{
    return K == 0 ? f.k : K;
}

/* z := the sum of sum(i) r^i; each sum(i) is a sum of a few digits. sum(i) may read
 * digit i of z. */
template <unsigned K = 0, class Sum>
static GFP_HD_PLAIN inline void set_sums(const field &f, const view &z, Sum sum)
{
    int carry = 0;
    GFP_UNROLL(K)
    for (unsigned i = 0; i < digits_of<K>(f); i++) {
        carry = divide_sum(f, sum(i) + carry, z[i]);
    }
    fold(f, z, carry);
}

/* z := the sum of column(i) r^i, |column(i)| <= k r^2. */
template <unsigned K = 0, class Column>
static GFP_HD_PLAIN inline void set_columns(const field &f, const view &z, Column column)
{
    i128 carry = 0;
    GFP_UNROLL(K)
    for (unsigned i = 0; i < digits_of<K>(f); i++) {
        carry = divide(f, add_wide(column(i), make_wide(carry)), z[i]);
    }
    fold(f, z, carry);
}

/* A column as l + h r + c r^2, 0 <= l, h < r, |c| <= k. */
struct parts {
    uint64_t l, h;
    int64_t c;
};

static GFP_HD_PLAIN inline parts split(const field &f, const wide &column)
{
    parts p;
    const i128 q = divide(f, column, p.l);
    p.c = static_cast<int64_t>(divide(f, make_wide(q), p.h));
    return p;
}

/* z := the sum of (l(i) + h(i) r + c(i) r^2) r^i, for columns that were split in parallel: only a
 * short sequential loop remains. l(i) may read digit i of z. */
template <class L, class H, class C>
static GFP_HD_PLAIN inline void set_parts(const field &f, const view &z, L l, H h, C c)
{
    const unsigned k = f.k;
    i128 below = -static_cast<i128>(h(k - 1)) - c(k - 2), two_below = -static_cast<i128>(c(k - 1));
    set_sums(f, z, [&](unsigned i) {
        const i128 sum = below + l(i);
        below = two_below + h(i);
        two_below = c(i);
        return sum;
    });
}

/* z may equal x or y. */
template <unsigned K = 0>
static GFP_HD_PLAIN inline void add(const field &f, const view &z, const const_view &x,
                                    const const_view &y)
{
    set_sums<K>(f, z, [&](unsigned i) { return static_cast<i128>(x[i]) + y[i]; });
}

template <unsigned K = 0>
static GFP_HD_PLAIN inline void sub(const field &f, const view &z, const const_view &x,
                                    const const_view &y)
{
    set_sums<K>(f, z, [&](unsigned i) { return static_cast<i128>(x[i]) - y[i]; });
}

template <unsigned K = 0>
static GFP_HD_PLAIN inline void neg(const field &f, const view &z, const const_view &x)
{
    set_sums<K>(f, z, [&](unsigned i) { return -static_cast<i128>(x[i]); });
}

/* (x, y) := (x + y, x - y). */
static GFP_HD_PLAIN inline void butterfly(const field &f, const view &x, const view &y)
{
    int up = 0, down = 0;
    for (unsigned i = 0; i < f.k; i++) {
        const i128 a = x[i], b = y[i];
        up = divide_sum(f, a + b + up, x[i]);
        down = divide_sum(f, a - b + down, y[i]);
    }
    fold(f, x, up);
    fold(f, y, down);
}

/* z := x r^s, 0 <= s < 2k. z must not overlap x. */
static GFP_HD_PLAIN inline void mul_r(const field &f, const view &z, const const_view &x,
                                      unsigned s)
{
    set_sums(f, z, [&](unsigned i) {
        const unsigned from = (i - s) & (2 * f.k - 1); /* r^k = -1 */
        return from < f.k ? static_cast<i128>(x[from]) : -static_cast<i128>(x[from - f.k]);
    });
}

/* x := x r^s, 0 <= s < 2k. First the digits rotate in place, in as many cycles as the greatest
 * power of two in s; then digits that passed the top become negative. */
static GFP_HD_PLAIN inline void mul_r_in_place(const field &f, const view &x, unsigned s)
{
    const unsigned by = s & (f.k - 1), cycles = by & (0 - by);
    for (unsigned start = 0; start < cycles; start++) {
        uint64_t moving = x[start];
        unsigned i = start;
        do {
            i = (i + by) & (f.k - 1);
            const uint64_t next = x[i];
            x[i] = moving;
            moving = next;
        } while (i != start);
    }
    set_sums(f, x, [&](unsigned i) {
        const bool negative = ((i - s) & f.k) != 0;
        return negative ? -static_cast<i128>(x[i]) : static_cast<i128>(x[i]);
    });
}

/* Column i < k of x y mod T^k + 1: the sum of x_a y_b for a + b = i minus the sum for a + b = i +
 * k. Column k + i is minus column i. */
template <unsigned K = 0>
static GFP_HD_PLAIN inline wide column(const field &f, const const_view &x, const const_view &y,
                                       unsigned i)
{
    const unsigned k = digits_of<K>(f), at = i & (k - 1);
    wide same = {0, 0, 0}, wrapped = {0, 0, 0};
    GFP_UNROLL(K)
    for (unsigned a = 0; a <= at; a++) {
        multiply_add(same, x[a], y[at - a]);
    }
    GFP_UNROLL(K)
    for (unsigned a = at + 1; a < k; a++) {
        multiply_add(wrapped, x[a], y[k + at - a]);
    }
    return i < k ? subtract_wide(same, wrapped) : subtract_wide(wrapped, same);
}

/* z := x y. z must not overlap x or y. */
template <unsigned K = 0>
static GFP_HD_PLAIN inline void mul(const field &f, const view &z, const const_view &x,
                                    const const_view &y)
{
    set_columns<K>(f, z, [&](unsigned i) { return column<K>(f, x, y, i); });
}

/* z := x / 2^j, 0 <= j <= v2_r, j < 64. Since r is a multiple of 2^j and r^(-1) = -r^(k-1), the
 * quotient is the sum of floor(x_i / 2^j) r^i and (x_i mod 2^j) (r / 2^j) r^(i-1). z may equal
 * x. */
static GFP_HD_PLAIN inline void div_2exp(const field &f, const view &z, const const_view &x,
                                         unsigned j)
{
    const uint64_t mask = (uint64_t{1} << j) - 1, part = f.r >> j;
    const i128 wrapped = -static_cast<i128>((x[0] & mask) * part);
    set_sums(f, z, [&](unsigned i) {
        const i128 lower = i + 1 < f.k ? static_cast<i128>((x[i + 1] & mask) * part) : wrapped;
        return static_cast<i128>(x[i] >> j) + lower;
    });
}

} // namespace general

#endif
