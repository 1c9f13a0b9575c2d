/* fast_arith.h: arithmetic of the sliced transforms, over the types of radices of fast_radix.h.
 *
 * Digits between kernels are signed 64-bit words, loosely balanced: |x_i| <= r/2 + slack < 2^63
 * (loose). Inside a DFT_R a digit is three signed words spaced 22 bits apart, so that butterflies
 * are plain additions. General products take unsigned digits 0 <= x_i <= r and give loosely
 * balanced digits; where r is roomy or short, digits of up to 9/2 r (fast_ranges.py). Every
 * function runs on the host as well: PTX code has a twin in C.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_FAST_ARITH_H
#define GFP_GPU_CUDA_FAST_ARITH_H

#include "gpu/cuda/fast_radix.h"

namespace gfp_fast
{

FAST_HD constexpr int bit_reversed(int x, int bits)
{
    int y = 0;
    for (int i = 0; i < bits; i++) {
        y |= ((x >> i) & 1) << (bits - 1 - i);
    }
    return y;
}

/* Compile-time loops: f(integral constant) for 0 <= i < n. Loops over arrays in registers must not
 * depend on the compiler's unrolling. */
template <int I> struct index_of {
    static constexpr int value = I;
    constexpr operator int() const
    {
        return I;
    }
};
template <int I, int N, class Fn> FAST_HD void unroll_from(const Fn &fn)
{
    if constexpr (I < N) {
        fn(index_of<I>{});
        unroll_from<I + 1, N>(fn);
    }
}
template <int N, class Fn> FAST_HD void unroll(const Fn &fn)
{
    unroll_from<0, N>(fn);
}

/* ---- words ---- */

FAST_HD u32 funnel(u32 lo, u32 hi, int s) /* (hi:lo) >> s, 0 <= s < 32 */
{
#ifdef __CUDA_ARCH__
    return __funnelshift_r(lo, hi, s);
#else
    return (u32)((((u64)hi << 32) | lo) >> s);
#endif
}
FAST_HD u32 sar(u32 x, int s)
{
    return (u32)((s32)x >> s);
}
FAST_HD u64 join(u32 lo, u32 hi)
{
    return ((u64)hi << 32) | lo;
}
FAST_HD u64 mad_wide(u32 a, u32 b, u64 c)
{
#ifdef __CUDA_ARCH__
    u64 d;
    asm("mad.wide.u32 %0,%1,%2,%3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
    return d;
#else
    return (u64)a * b + c;
#endif
}
FAST_HD s64 mad_wide_signed(s32 a, s32 b, s64 c)
{
#ifdef __CUDA_ARCH__
    s64 d;
    asm("mad.wide.s32 %0,%1,%2,%3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
    return d;
#else
    return (s64)((u64)((s64)a * b) + (u64)c);
#endif
}
#ifndef __CUDA_ARCH__
/* The carry of the C twins: returns a + b + carry and sets carry. */
FAST_HD u32 add_carry(u32 a, u32 b, u32 &carry)
{
    u64 t = (u64)a + b + carry;
    carry = (u32)(t >> 32);
    return (u32)t;
}
#endif
/* a(4) += b(4), a(4) -= b(4), a(3) += b(3), modulo 2^128 or 2^96 */
FAST_HD void add4(u32 &a0, u32 &a1, u32 &a2, u32 &a3, u32 b0, u32 b1, u32 b2, u32 b3)
{
#ifdef __CUDA_ARCH__
    asm("add.cc.u32 %0,%0,%4; addc.cc.u32 %1,%1,%5; addc.cc.u32 %2,%2,%6; addc.u32 %3,%3,%7;"
        : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3)
        : "r"(b0), "r"(b1), "r"(b2), "r"(b3));
#else
    u32 c = 0;
    a0 = add_carry(a0, b0, c);
    a1 = add_carry(a1, b1, c);
    a2 = add_carry(a2, b2, c);
    a3 = add_carry(a3, b3, c);
#endif
}
FAST_HD void sub4(u32 &a0, u32 &a1, u32 &a2, u32 &a3, u32 b0, u32 b1, u32 b2, u32 b3)
{
#ifdef __CUDA_ARCH__
    asm("sub.cc.u32 %0,%0,%4; subc.cc.u32 %1,%1,%5; subc.cc.u32 %2,%2,%6; subc.u32 %3,%3,%7;"
        : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3)
        : "r"(b0), "r"(b1), "r"(b2), "r"(b3));
#else
    u32 c = 1;
    a0 = add_carry(a0, ~b0, c);
    a1 = add_carry(a1, ~b1, c);
    a2 = add_carry(a2, ~b2, c);
    a3 = add_carry(a3, ~b3, c);
#endif
}
FAST_HD void add3(u32 &a0, u32 &a1, u32 &a2, u32 b0, u32 b1, u32 b2)
{
#ifdef __CUDA_ARCH__
    asm("add.cc.u32 %0,%0,%3; addc.cc.u32 %1,%1,%4; addc.u32 %2,%2,%5;"
        : "+r"(a0), "+r"(a1), "+r"(a2)
        : "r"(b0), "r"(b1), "r"(b2));
#else
    u32 c = 0;
    a0 = add_carry(a0, b0, c);
    a1 = add_carry(a1, b1, c);
    a2 = add_carry(a2, b2, c);
#endif
}
/* s := x + y mod 2^64. Volatile, so that the compiler adds again at each use and keeps no sum in
 * registers. */
FAST_HD void add2(u32 &s0, u32 &s1, u32 x0, u32 x1, u32 y0, u32 y1)
{
#ifdef __CUDA_ARCH__
    asm volatile("add.cc.u32 %0,%2,%4; addc.u32 %1,%3,%5;"
                 : "=r"(s0), "=r"(s1)
                 : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
#else
    u64 s = (((u64)x1 << 32) | x0) + (((u64)y1 << 32) | y0);
    s0 = (u32)s, s1 = (u32)(s >> 32);
#endif
}
FAST_HD void sub3(u32 &a0, u32 &a1, u32 &a2, u32 b0, u32 b1, u32 b2)
{
#ifdef __CUDA_ARCH__
    asm("sub.cc.u32 %0,%0,%3; subc.cc.u32 %1,%1,%4; subc.u32 %2,%2,%5;"
        : "+r"(a0), "+r"(a1), "+r"(a2)
        : "r"(b0), "r"(b1), "r"(b2));
#else
    u32 c = 1;
    a0 = add_carry(a0, ~b0, c);
    a1 = add_carry(a1, ~b1, c);
    a2 = add_carry(a2, ~b2, c);
#endif
}
/* e := q - e, e of five words, q of three signed ones */
FAST_HD void rsub5(u32 (&e)[5], u32 q0, u32 q1, u32 q2)
{
    u32 s = sar(q2, 31);
#ifdef __CUDA_ARCH__
    asm("sub.cc.u32 %0,%5,%0; subc.cc.u32 %1,%6,%1; subc.cc.u32 %2,%7,%2; subc.cc.u32 %3,%8,%3; "
        "subc.u32 %4,%8,%4;"
        : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3]), "+r"(e[4])
        : "r"(q0), "r"(q1), "r"(q2), "r"(s));
#else
    u32 c = 1;
    e[0] = add_carry(q0, ~e[0], c);
    e[1] = add_carry(q1, ~e[1], c);
    e[2] = add_carry(q2, ~e[2], c);
    e[3] = add_carry(s, ~e[3], c);
    e[4] = add_carry(s, ~e[4], c);
#endif
}

/* Adds the product of two digits to column sums: e += x0 y0 + 2^64 x1 y1 (five words, or four if
 * TOP is false because the sum fits), o += x0 y1 + x1 y0 (three words). */
template <bool TOP> FAST_HD void mac(u32 (&e)[5], u32 (&o)[3], u32 x0, u32 x1, u32 y0, u32 y1)
{
#ifdef __CUDA_ARCH__
    if constexpr (TOP) {
        asm("mad.lo.cc.u32 %0,%5,%7,%0; madc.hi.cc.u32 %1,%5,%7,%1; madc.lo.cc.u32 %2,%6,%8,%2; "
            "madc.hi.cc.u32 %3,%6,%8,%3; addc.u32 %4,%4,0;"
            : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3]), "+r"(e[4])
            : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
    } else {
        asm("mad.lo.cc.u32 %0,%4,%6,%0; madc.hi.cc.u32 %1,%4,%6,%1; madc.lo.cc.u32 %2,%5,%7,%2; "
            "madc.hi.u32 %3,%5,%7,%3;"
            : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
            : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
    }
    asm("mad.lo.cc.u32 %0,%3,%6,%0; madc.hi.cc.u32 %1,%3,%6,%1; addc.u32 %2,%2,0; mad.lo.cc.u32 "
        "%0,%4,%5,%0; madc.hi.cc.u32 %1,%4,%5,%1; addc.u32 %2,%2,0;"
        : "+r"(o[0]), "+r"(o[1]), "+r"(o[2])
        : "r"(x0), "r"(x1), "r"(y0), "r"(y1));
#else
    u128 s = ((u128)join(e[2], e[3]) << 64) | join(e[0], e[1]),
         t = ((u128)((u64)x1 * y1) << 64) | ((u64)x0 * y0);
    s += t;
    e[4] += s < t;
    e[0] = (u32)s, e[1] = (u32)(s >> 32), e[2] = (u32)(s >> 64), e[3] = (u32)(s >> 96);
    u128 v = ((u128)o[2] << 64) | join(o[0], o[1]);
    v += (u128)((u64)x0 * y1) + (u64)x1 * y0;
    o[0] = (u32)v, o[1] = (u32)(v >> 32), o[2] = (u32)(v >> 64);
    (void)TOP;
#endif
}

/* v(4) += sign (v >> S), arithmetic shift; the function reads v before it changes v, and may lose
 * bits of v below 2^-BELOW of the result's unit. */
template <int S, int SIGN> FAST_HD void add_shifted(u32 &v0, u32 &v1, u32 &v2, u32 &v3)
{
    constexpr int w = S / 32, b = S % 32;
    static_assert(w <= 2, "shift");
    u32 s = sar(v3, 31), t0, t1, t2, t3;
    if constexpr (w == 0) {
        t0 = funnel(v0, v1, b), t1 = funnel(v1, v2, b), t2 = funnel(v2, v3, b), t3 = sar(v3, b);
    } else if constexpr (w == 1) {
        t0 = funnel(v1, v2, b), t1 = funnel(v2, v3, b), t2 = sar(v3, b), t3 = s;
    } else {
        t0 = funnel(v2, v3, b), t1 = sar(v3, b), t2 = s, t3 = s;
    }
    if constexpr (SIGN > 0) {
        add4(v0, v1, v2, v3, t0, t1, t2, t3);
    } else {
        sub4(v0, v1, v2, v3, t0, t1, t2, t3);
    }
}

/* ---- quotients of columns ----
 *
 * The quotient q by r of W = (w0 .. w4), signed, |W| < 2^(64 + log2 k + 1) r; on entry w1 to w4
 * already include F's rounding: r/2, and a multiple of 2^64 r for quotients by the inverse. q has
 * three words, signed. */

/* The words that rounding adds to w1 ... w4. */
template <class F> struct rounding {
    u32 w1, w2 = 0, w3 = 0, w4 = 0;
    FAST_HD explicit rounding(const F &f) : w1(f.r1 >> 1)
    {
        if constexpr (!F::two_terms) {
            w2 = f.c.bias2, w3 = f.c.bias3, w4 = f.c.bias4;
        }
    }
};

/* 1 / (1 - y) = (1 + y + y^2)(1 + y^3)..., y = 2^-delta, the first factor by products, on W / 2^32
 * with 32 bits after the point of W / r; r = 2^64 (1 - y). */
template <class F>
FAST_HD void quotient_by_product(u32 w1, u32 w2, u32 w3, u32 w4, u32 &q0, u32 &q1, u32 &q2)
{
    constexpr u32 y = (1u << (32 - F::delta)) + (1u << (32 - 2 * F::delta));
    u64 t = mad_wide(w1, y, 0);
    t = mad_wide(w2, y, t >> 32);
    u32 a0 = (u32)t;
    t = mad_wide(w3, y, t >> 32);
    s64 top = mad_wide_signed((s32)w4, (s32)y, (s64)(t >> 32));
    u32 v0 = w1, v1 = w2, v2 = w3, v3 = w4;
    add4(v0, v1, v2, v3, a0, (u32)t, (u32)top, (u32)((u64)top >> 32));
    add_shifted<3 * F::delta, 1>(v0, v1, v2, v3);
    q0 = v1, q1 = v2, q2 = v3;
}

/* q = V - (V >> delta) + (V >> 2 delta), V = W >> width, where digits of products may be 3/2 r. */
template <class F>
FAST_HD void quotient_by_shifts(u32 w1, u32 w2, u32 w3, u32 w4, u32 &q0, u32 &q1, u32 &q2)
{
    q0 = funnel(w1, w2, F::width - 32), q1 = funnel(w2, w3, F::width - 32),
    q2 = funnel(w3, w4, F::width - 32);
    const u32 t0 = funnel(q0, q1, F::delta), t1 = funnel(q1, q2, F::delta), t2 = sar(q2, F::delta),
              u = funnel(q1, q2, 2 * F::delta - 32), s = sar(u, 31);
    sub3(q0, q1, q2, t0, t1, t2);
    add3(q0, q1, q2, u, s, s);
}

/* 1 / (1 - y) = (1 + y)(1 + y^2)(1 + y^4)..., y = -+2^-delta, on W / 2^32 with 32 bits or more
 * after the point of W / r. */
template <class F>
FAST_HD void quotient_by_series(u32 w1, u32 w2, u32 w3, u32 w4, u32 &q0, u32 &q1, u32 &q2)
{
    u32 v0 = w1, v1 = w2, v2 = w3, v3 = w4;
    add_shifted<F::delta, F::minus ? 1 : -1>(v0, v1, v2, v3);
    if constexpr (2 * F::delta < 80) {
        add_shifted<2 * F::delta, 1>(v0, v1, v2, v3);
    }
    if constexpr (4 * F::delta < 80) {
        add_shifted<4 * F::delta, 1>(v0, v1, v2, v3);
    }
    if constexpr (8 * F::delta < 80) {
        add_shifted<8 * F::delta, 1>(v0, v1, v2, v3);
    }
    if constexpr (F::width == 64) {
        q0 = v1, q1 = v2, q2 = v3;
    } else {
        q0 = funnel(v0, v1, F::width - 32), q1 = funnel(v1, v2, F::width - 32),
        q2 = funnel(v2, v3, F::width - 32);
    }
}

/* By three words of 2^b / r, 2^b <= r < 2^(b+1), for any r: a = W / 2^(b - fraction) in three
 * words, without sign; the product of both keeps `fraction` bits after the point of W / r. */
template <class F>
FAST_HD void quotient_by_inverse(const F &f, u32 w1, u32 w2, u32 w3, u32 w4, u32 &q0, u32 &q1,
                                 u32 &q2)
{
    const u32 a0 = funnel(w1, w2, f.c.align), a1 = funnel(w2, w3, f.c.align),
              a2 = funnel(w3, w4, f.c.align);
    /* The upper words of three products; then sums of a product and two words, which fit 64 bits.
     */
    const u64 x = mad_wide(a0, f.c.inverse0, 0) >> 32, y = mad_wide(a1, f.c.inverse1, 0) >> 32,
              z = mad_wide(a2, f.c.inverse2, 0) >> 32;
    const u64 v = mad_wide(a1, f.c.inverse0, x + y);
    const u64 w = mad_wide(a2, f.c.inverse1, (u32)v + z);
    const u64 top = mad_wide(a2, f.c.inverse0, (v >> 32) + (w >> 32));
    q0 = funnel((u32)w, (u32)top, f.c.fraction);
    q1 = funnel((u32)top, (u32)(top >> 32), f.c.fraction);
    q2 = ((u32)(top >> 32) >> f.c.fraction) - f.c.bias;
}

/* (hi : lo) := (w1 : w0) - q r, modulo 2^64, for q = (q1 : q0). */
template <class F>
FAST_HD void subtract_multiple(const F &f, u32 w0, u32 w1, u32 q0, u32 q1, u32 &lo, u32 &hi)
{
    if constexpr (F::low_zero) {
        lo = w0;
        hi = w1 - q0 * f.r1;
    } else {
        const u64 negated = 0 - f.r, x = mad_wide(q0, (u32)negated, join(w0, w1));
        lo = (u32)x;
        hi = (u32)(x >> 32) + q0 * (u32)(negated >> 32) + q1 * (u32)negated;
    }
}

/* q := W / r; (hi : lo) := the balanced remainder. */
template <class F>
FAST_HD void reduce(const F &f, const u32 (&w)[5], u32 &lo, u32 &hi, u32 &q0, u32 &q1, u32 &q2)
{
    if constexpr (F::wide_series) {
        quotient_by_product<F>(w[1], w[2], w[3], w[4], q0, q1, q2);
    } else if constexpr (F::roomy) {
        quotient_by_shifts<F>(w[1], w[2], w[3], w[4], q0, q1, q2);
    } else if constexpr (F::two_terms) {
        quotient_by_series<F>(w[1], w[2], w[3], w[4], q0, q1, q2);
    } else {
        quotient_by_inverse(f, w[1], w[2], w[3], w[4], q0, q1, q2);
    }
    subtract_multiple(f, w[0], w[1] - (f.r1 >> 1), q0, q1, lo, hi);
}

/* Like reduce for a remainder plus a carry, t = (t0, t1, t2) with |t| < 2^6 r, without rounding:
 * returns the small quotient; (hi : lo) := the remainder. */
template <class F> FAST_HD s32 reduce_small(const F &f, u32 t0, u32 t1, u32 t2, u32 &lo, u32 &hi)
{
    s64 w = (s64)join(t1, t2) + (s64)(f.r1 >> 1), v = w;
    s32 q;
    if constexpr (F::two_terms) {
        if constexpr (F::minus) {
            v += w >> F::delta;
        } else {
            v -= w >> F::delta;
        }
        if constexpr (2 * F::delta < 48) {
            v += v >> (2 * F::delta);
        }
        if constexpr (4 * F::delta < 48) {
            v += v >> (4 * F::delta);
        }
        q = (s32)(v >> (F::width - 32));
    } else {
        const s32 top = (s32)funnel((u32)w, (u32)((u64)w >> 32), f.c.small_align);
        q = (s32)((u64)mad_wide_signed(top, f.c.small_inverse, 0) >> 32) >> f.c.small_shift;
    }
    subtract_multiple(f, t0, t1, (u32)q, sar((u32)q, 31), lo, hi);
    return q;
}

/* (hi : lo) + r if is_negative is 1; + 0 if it is 0. */
template <class F> FAST_HD u64 plus_radix(const F &f, u32 lo, u32 hi, u32 is_negative)
{
    if constexpr (F::low_zero) {
        return join(lo, hi + is_negative * f.r1);
    } else {
        return join(lo, hi) + (f.r & (0 - (u64)is_negative));
    }
}

/* Loosely balanced digits to 0 <= x_i <= r: a chain of borrows; -r^k = 1 at its end. */
template <class F> FAST_HD void make_unsigned(const F &f, u32 (&x)[2 * F::k])
{
    u32 borrow = 0;
    unroll<F::k>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        u64 t = join(x[2 * i], x[2 * i + 1]) - borrow;
        borrow = (u32)(t >> 63);
        t = plus_radix(f, (u32)t, (u32)(t >> 32), borrow);
        x[2 * i] = (u32)t;
        x[2 * i + 1] = (u32)(t >> 32);
    });
    u64 t = join(x[0], x[1]) + borrow;
    x[0] = (u32)t;
    x[1] = (u32)(t >> 32);
}

/* Turns sums of columns into digits, column by column: each column takes the carry of the column
 * before, and gives a digit and a carry. Digits 0 and 1 wait for the last carry. */
template <class F> struct columns {
    const F &f;
    u32 q[3] = {0, 0, 0}; /* the carry */
    u32 first[4], last[2];

    FAST_HD explicit columns(const F &field) : f(field)
    {
    }
    /* Takes column m in e; words 1 to 4 of e already include rounding. */
    template <int m, class Put> FAST_HD void take(const u32 (&e)[5], const Put &put)
    {
        u32 lo, hi;
        reduce(f, e, lo, hi, q[0], q[1], q[2]);
        if constexpr (m < 2) {
            first[2 * m] = lo, first[2 * m + 1] = hi;
        } else if constexpr (m & 1) {
            put(m / 2, last[0], last[1], lo, hi);
        }
        last[0] = lo, last[1] = hi;
    }
    /* The last carry wraps around: r^k = -1 */
    template <class Put> FAST_HD void end(const Put &put)
    {
        u32 s = sar(first[1], 31), t0 = first[0], t1 = first[1], t2 = s, t3 = s, lo, hi;
        sub4(t0, t1, t2, t3, q[0], q[1], q[2], sar(q[2], 31));
        s32 small = reduce_small(f, t0, t1, t2, lo, hi);
        u64 t = join(first[2], first[3]) + (u64)(s64)small;
        put(0, lo, hi, (u32)t, (u32)(t >> 32));
    }
};

/* z := x y, digits of x and y in [0, r], digits of z loosely balanced. put(pair, four words)
 * receives z in pairs of digits, the pair of digits 0 and 1 last: the caller may overwrite x only
 * then. Every pair of digits (i, j) is multiplied. */
template <class F, class Put>
FAST_HD void multiply_all(const F &f, const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k],
                          const Put &put)
{
    constexpr int k = F::k;
    const rounding<F> add(f);
    columns<F> z(f);
    unroll<k>([&](auto mc) {
        constexpr int m = decltype(mc)::value;
        u32 e[5] = {0, 0, 0, 0, 0}, o[3] = {0, 0, 0};
        if constexpr (m < k - 1) {
            unroll<k - 1 - m>([&](auto ic) {
                constexpr int n = decltype(ic)::value, i = m + 1 + n, j = m + k - i;
                mac<(n >= F::free_tops)>(e, o, x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1]);
            });
            add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], 0);
            rsub5(e, z.q[0], z.q[1], z.q[2]);
        } else {
            e[0] = z.q[0], e[1] = z.q[1], e[2] = z.q[2], e[3] = sar(z.q[2], 31), e[4] = e[3];
        }
        o[0] = add.w1, o[1] = add.w2, o[2] = add.w3;
        unroll<m + 1>([&](auto ic) {
            constexpr int i = decltype(ic)::value, j = m - i;
            mac<true>(e, o, x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1]);
        });
        add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], add.w4);
        z.template take<m>(e, put);
    });
    z.end(put);
}

/* z := x y for 2 r < 2^64, by (x_i + x_j)(y_i + y_j) = x_i y_j + x_j y_i + d_i + d_j, d_i = x_i
 * y_i. With the k (k - 1) / 2 products s_ij = (x_i + x_j)(y_i + y_j), column m is
 *     sum s_ij, i + j = m, i < j, - sum s_ij, i + j = m + k, i < j, + 2 d_(m/2) - 2 d_((m+k)/2)
 *       + d_0 + ... + d_(k-1) - 2 (d_0 + ... + d_m),
 * the third and the fourth term for even m. The d_i are computed again at each use (3 k products),
 * since there are no registers to keep them. */
template <class F, class Put>
FAST_HD void multiply_pairs(const F &f, const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k],
                            const Put &put)
{
    static_assert(F::pairs, "radix");
    constexpr int k = F::k;
    const rounding<F> add(f);
    const auto add_pair = [&](u32(&e)[5], u32(&o)[3], auto ic, auto jc) {
        constexpr int i = decltype(ic)::value, j = decltype(jc)::value;
        u32 s0, s1, t0, t1;
        add2(s0, s1, x[2 * i], x[2 * i + 1], x[2 * j], x[2 * j + 1]);
        add2(t0, t1, y[2 * i], y[2 * i + 1], y[2 * j], y[2 * j + 1]);
        mac<true>(e, o, s0, s1, t0, t1);
    };
    const auto add_twice = [&](u32(&e)[5], u32(&o)[3], auto ic) {
        constexpr int i = decltype(ic)::value;
        u32 s0, s1;
        add2(s0, s1, x[2 * i], x[2 * i + 1], x[2 * i], x[2 * i + 1]);
        mac<true>(e, o, s0, s1, y[2 * i], y[2 * i + 1]);
    };
    columns<F> z(f);
    /* 2 (d_0 + ... + d_m) - d_0 - ... - d_(k-1) */
    u32 a[5] = {0, 0, 0, 0, 0}, b[3] = {0, 0, 0};
    unroll<k>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        mac<true>(a, b, x[2 * i], x[2 * i + 1], y[2 * i], y[2 * i + 1]);
    });
    add4(a[1], a[2], a[3], a[4], b[0], b[1], b[2], 0);
    rsub5(a, 0, 0, 0);
    b[0] = 0, b[1] = 0, b[2] = 0;
    unroll<k>([&](auto mc) {
        constexpr int m = decltype(mc)::value;
        add_twice(a, b, index_of<m>{});
        u32 e[5] = {a[0], a[1], a[2], a[3], a[4]}, o[3] = {b[0], b[1], b[2]};
        unroll<(k - m - 1) / 2>([&](auto ic) {
            constexpr int i = m + 1 + decltype(ic)::value;
            add_pair(e, o, index_of<i>{}, index_of<m + k - i>{});
        });
        if constexpr (m % 2 == 0) {
            add_twice(e, o, index_of<(m + k) / 2>{});
        }
        add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], 0);
        rsub5(e, z.q[0], z.q[1], z.q[2]);
        o[0] = add.w1, o[1] = add.w2, o[2] = add.w3;
        unroll<(m + 1) / 2>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            add_pair(e, o, index_of<i>{}, index_of<m - i>{});
        });
        if constexpr (m % 2 == 0) {
            add_twice(e, o, index_of<m / 2>{});
        }
        add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], add.w4);
        z.template take<m>(e, put);
    });
    z.end(put);
}

template <class F, class Put>
FAST_HD_LONG void multiply(const F &f, const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k],
                           const Put &put)
{
    if constexpr (F::pairs) {
        multiply_pairs(f, x, y, put);
    } else {
        multiply_all(f, x, y, put);
    }
}

/* ---- three words, 22 bits apart ---- */

/* A signed digit as three words; for an unsigned digit top_mask is 0xfffff instead of all ones. */
FAST_HD void split22(u32 lo, u32 hi, u32 top_mask, s32 &a, s32 &b, s32 &c)
{
    a = (s32)(lo & 0x3fffff);
    b = (s32)(funnel(lo, hi, 22) & 0x3fffff);
    c = (s32)(sar(hi, 12) & top_mask);
}
/* The nearest integer to (a + b 2^22 + c 2^44) / r, up to a small error; |words| < 2^29. */
template <class F> FAST_HD s32 quotient22(const F &f, s32 b, s32 c)
{
    if constexpr (F::tight && F::two_terms) {
        static_assert(F::delta < 20, "radix");
        s32 x = c + (b >> 22) + (1 << 19) - (1 << (18 - F::delta) << 1);
        return (x + (x >> F::delta)) >> 20;
    } else if constexpr (F::two_terms) {
        return (c + (1 << (F::width - 45))) >> (F::width - 44);
    } else {
        const s32 x = c * f.c.level_left + (b >> f.c.level_right);
        return (s32)((u64)mad_wide_signed(x, f.c.level_inverse, f.c.level_half) >> 32) >>
               f.c.level_shift;
    }
}
/* The digit a + b 2^22 + c 2^44 - q r */
template <class F> FAST_HD void join22(const F &f, s32 a, s32 b, s32 c, s32 q, u32 &lo, u32 &hi)
{
    s64 x = mad_wide_signed(b, 1 << 22, (s64)a);
    subtract_multiple(f, (u32)x, (u32)((u64)x >> 32) + ((u32)c << 12), (u32)q, sar((u32)q, 31), lo,
                      hi);
}

} // namespace gfp_fast
#endif
