/* gpu/cuda/fast_arith.h: arithmetic of the sliced transforms, for radices known at compile time.
 *
 * Digits between kernels are signed 64-bit words, loosely balanced: |x_i| <= r/2 + slack < 2^63
 * (loose). Inside a DFT_R a digit is three signed words spaced 22 bits apart, so that butterflies
 * are plain additions. General products take unsigned digits 0 <= x_i <= r and give loosely
 * balanced digits. Every function runs on the host as well: PTX code has a twin in C.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_FAST_ARITH_H
#define GFP_GPU_CUDA_FAST_ARITH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define FAST_HD __host__ __device__ __forceinline__
#else
#define FAST_HD inline __attribute__((always_inline))
#endif

namespace gfp_fast
{

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned __int128 u128;

FAST_HD constexpr int log2_of(u64 x)
{
    return x <= 1 ? 0 : 1 + log2_of(x >> 1);
}
FAST_HD constexpr int trailing_zeros(u64 x)
{
    return (x & 1) ? 0 : 1 + trailing_zeros(x >> 1);
}
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

/* A modulus r^k + 1 and its constants. */
template <int K_, u64 R_> struct modulus {
    static constexpr int k = K_;
    static constexpr u64 r = R_;
    static constexpr u32 r0 = (u32)R_, r1 = (u32)(R_ >> 32);
    static constexpr bool low_zero = r0 == 0;
    static constexpr int log_k = log2_of(K_);
    static constexpr int v2 = trailing_zeros(R_);
    /* r = 2^width (1 + sign 2^-delta) if r has two terms. */
    static constexpr bool below = (R_ >> 63) != 0 && (R_ + (R_ & (0 - R_))) == 0;
    static constexpr bool minus =
        below ||
        (R_ + (R_ & (0 - R_)) != 0 && ((R_ + (R_ & (0 - R_))) & (R_ + (R_ & (0 - R_)) - 1)) == 0 &&
         (R_ & (R_ - 1)) != 0);
    static constexpr int width = below ? 64 : minus ? log2_of(R_) + 1 : log2_of(R_);
    static constexpr u64 tail =
        minus ? 0 - R_ + (width == 64 ? 0 : (u64)1 << (width & 63)) : R_ - ((u64)1 << (width & 63));
    static constexpr bool two_terms = tail != 0 && (tail & (tail - 1)) == 0;
    static constexpr int delta = two_terms ? width - log2_of(tail) : 0;
    static constexpr bool wide_series =
        width == 64 && two_terms && minus && delta >= 14 && delta < 16;
    /* Words have room for product digits of 3/2 r; the series (1 - y + y^2) is enough. */
    static constexpr bool roomy = two_terms && !minus && width == 62 && delta > 22 && delta < 32;
    /* Digits divided by 2^s, s <= 28, plus the remainder handed down by the next digit, fit a word:
     * as unsigned numbers, or as signed ones if the remainder is negative. */
    static constexpr bool shifts_in_words = r - (r >> 28) < (u64)1 << 63;
    /* 2^63 - r/2 is smaller than the error of three-word quotients: quotients must be closer. */
    static constexpr bool tight = width == 64;
};

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

/* The quotient q by r of W = (w0 .. w4), signed, |W| < 2^(2 width + log2 k + 1); on entry w1 to w4
 * already include + r/2. q has three words, signed. The balanced remainder has upper word hi and
 * lower word w0. For r a multiple of 2^32 with two terms: 1 / (1 - y) = (1 + y)(1 + y^2)(1 +
 * y^4)..., y = -+2^-delta, on W / 2^32 with 32 bits or more after the point of W / r; or (1 + y +
 * y^2)(1 + y^3), the first factor by products; or, if digits of products may be 3/2 r, q = V - (V
 * >> delta) + (V >> 2 delta) on V = W >> width. */
template <class F>
FAST_HD void reduce(u32 w1, u32 w2, u32 w3, u32 w4, u32 &hi, u32 &q0, u32 &q1, u32 &q2)
{
    static_assert(F::low_zero, "radix");
    if constexpr (F::wide_series) {
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
    } else if constexpr (F::roomy) {
        q0 = funnel(w1, w2, F::width - 32), q1 = funnel(w2, w3, F::width - 32),
        q2 = funnel(w3, w4, F::width - 32);
        const u32 t0 = funnel(q0, q1, F::delta), t1 = funnel(q1, q2, F::delta),
                  t2 = sar(q2, F::delta), u = funnel(q1, q2, 2 * F::delta - 32), s = sar(u, 31);
        sub3(q0, q1, q2, t0, t1, t2);
        add3(q0, q1, q2, u, s, s);
    } else if constexpr (F::two_terms) {
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
    } else {
        /* r = 2^32 r1, r1 of 27 or 28 bits: long division of four words by r1 with signed
         * remainders; quotient words come from the reciprocal. */
        constexpr int b = log2_of(F::r1);                               /* 2^b <= r1 < 2^(b+1) */
        constexpr u32 inv = (u32)((((u128)1 << (32 + b)) - 1) / F::r1); /* 2^(32+b) / r1 < 2^32 */
        /* a = floor(W / 2^(32 + b)): at most 72 bits in three words; q = a inv / 2^32, with the
         * parts below 1 of each word kept */
        u32 a0 = funnel(w1, w2, b), a1 = funnel(w2, w3, b), a2 = funnel(w3, w4, b);
        constexpr u128 inv2 = ((((u128)1 << (64 + b))) / F::r1) -
                              ((u128)inv << 32); /* next 32 bits of the reciprocal */
        constexpr u32 inv_low = (u32)inv2;
        constexpr u32 inv_lower = (u32)(((((u128)1 << (64 + b)) % F::r1) << 32) / F::r1);
        /* q = (a2 2^64 + a1 2^32 + a0) (inv 2^-32 + inv_low 2^-64 + inv_lower 2^-96) */
        u64 t = mad_wide(a1, inv_low, 0);
        u64 low = (u64)mad_wide_signed((s32)a2, 1, 0);      /* sign-extended a2 */
        s64 top = (s64)(low * (u64)inv);                    /* weight 2^32: |a2| < 2^10 */
        s64 mid = (s64)(low * (u64)inv_low);                /* weight 1 */
        s64 bot = (s64)(low * (u64)inv_lower);              /* weight 2^-32 */
        u64 u = mad_wide(a0, inv, 0);                       /* weight 2^-32 */
        u64 v = mad_wide(a1, inv, 0);                       /* weight 1 */
        s64 z = (s64)((u >> 32) + (t >> 32)) + (bot >> 32); /* weight 1 */
        z += mid;
        s64 x = (s64)(v & 0xffffffffu) + z;
        q0 = (u32)x;
        s64 y = (s64)(v >> 32) + (x >> 32) + (s64)(top & 0xffffffff);
        q1 = (u32)y;
        q2 = (u32)((y >> 32) + (top >> 32));
    }
    hi = w1 - (F::r1 >> 1) - q0 * F::r1;
}

/* Like reduce for a remainder plus a carry, t = (t0, t1, t2) with |t| < 2^70, where t0 is
 * unchanged: returns the small quotient, hi := the upper word. */
template <class F> FAST_HD s32 reduce_small(u32 t1, u32 t2, u32 &hi)
{
    s64 w = (s64)join(t1, t2) + (s64)(F::r1 >> 1), v = w;
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
        constexpr int b = log2_of(F::r1);
        constexpr u32 inv = (u32)(((u64)1 << (20 + b)) / F::r1);
        q = (s32)(((w >> b) * (s64)inv) >> 20);
    }
    hi = t1 - (u32)q * F::r1;
    return q;
}

/* Loosely balanced digits to 0 <= x_i <= r: a chain of borrows; -r^k = 1 at its end. */
template <class F> FAST_HD void make_unsigned(u32 (&x)[2 * F::k])
{
    static_assert(F::low_zero, "radix");
    u32 borrow = 0;
    unroll<F::k>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        u64 t = join(x[2 * i], x[2 * i + 1]) - borrow;
        u32 h = (u32)(t >> 32);
        borrow = h >> 31;
        x[2 * i] = (u32)t;
        x[2 * i + 1] = h + borrow * F::r1;
    });
    u64 t = join(x[0], x[1]) + borrow;
    x[0] = (u32)t;
    x[1] = (u32)(t >> 32);
}

/* Turns sums of columns into digits, column by column: each column takes the carry of the column
 * before, and gives a digit and a carry. Digits 0 and 1 wait for the last carry. */
template <class F> struct columns {
    u32 q[3] = {0, 0, 0}; /* the carry */
    u32 first[4], last[2];

    /* Takes column m in e; words 1 to 4 of e already include + r/2. */
    template <int m, class Put> FAST_HD void take(const u32 (&e)[5], const Put &put)
    {
        u32 hi;
        reduce<F>(e[1], e[2], e[3], e[4], hi, q[0], q[1], q[2]);
        if constexpr (m < 2) {
            first[2 * m] = e[0], first[2 * m + 1] = hi;
        } else if constexpr (m & 1) {
            put(m / 2, last[0], last[1], e[0], hi);
        }
        last[0] = e[0], last[1] = hi;
    }
    /* The last carry wraps around: r^k = -1 */
    template <class Put> FAST_HD void end(const Put &put)
    {
        u32 s = sar(first[1], 31), t0 = first[0], t1 = first[1], t2 = s, t3 = s, hi;
        sub4(t0, t1, t2, t3, q[0], q[1], q[2], sar(q[2], 31));
        s32 small = reduce_small<F>(t1, t2, hi);
        u64 t = join(first[2], first[3]) + (u64)(s64)small;
        put(0, t0, hi, (u32)t, (u32)(t >> 32));
    }
};

/* z := x y, digits of x and y in [0, r], digits of z loosely balanced. put(pair, four words)
 * receives z in pairs of digits, the pair of digits 0 and 1 last: the caller may overwrite x only
 * then. Every pair of digits (i, j) is multiplied. */
template <class F, class Put>
FAST_HD void multiply_all(const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k], const Put &put)
{
    constexpr int k = F::k;
    /* sums of up to free_tops products of upper words, and a carry, fit 64 bits */
    constexpr u64 top_product = (u64)F::r1 * F::r1;
    constexpr int free_tops =
        (int)(~(u64)0 / top_product > 64 ? 64 : (~(u64)0 - 1) / (top_product + 1));
    columns<F> z;
    unroll<k>([&](auto mc) {
        constexpr int m = decltype(mc)::value;
        u32 e[5] = {0, 0, 0, 0, 0}, o[3] = {0, 0, 0};
        if constexpr (m < k - 1) {
            unroll<k - 1 - m>([&](auto ic) {
                constexpr int n = decltype(ic)::value, i = m + 1 + n, j = m + k - i;
                mac<(n >= free_tops)>(e, o, x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1]);
            });
            add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], 0);
            rsub5(e, z.q[0], z.q[1], z.q[2]);
        } else {
            e[0] = z.q[0], e[1] = z.q[1], e[2] = z.q[2], e[3] = sar(z.q[2], 31), e[4] = e[3];
        }
        o[0] = F::r1 >> 1, o[1] = 0, o[2] = 0;
        unroll<m + 1>([&](auto ic) {
            constexpr int i = decltype(ic)::value, j = m - i;
            mac<true>(e, o, x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1]);
        });
        add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], 0);
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
FAST_HD void multiply_pairs(const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k], const Put &put)
{
    static_assert(F::r < (u64)1 << 63, "radix");
    constexpr int k = F::k;
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
    columns<F> z;
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
        o[0] = F::r1 >> 1, o[1] = 0, o[2] = 0;
        unroll<(m + 1) / 2>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            add_pair(e, o, index_of<i>{}, index_of<m - i>{});
        });
        if constexpr (m % 2 == 0) {
            add_twice(e, o, index_of<m / 2>{});
        }
        add4(e[1], e[2], e[3], e[4], o[0], o[1], o[2], 0);
        z.template take<m>(e, put);
    });
    z.end(put);
}

template <class F, class Put>
FAST_HD void multiply(const u32 (&x)[2 * F::k], const u32 (&y)[2 * F::k], const Put &put)
{
    if constexpr (F::k >= 16 && F::r < (u64)1 << 63) {
        multiply_pairs<F>(x, y, put);
    } else {
        multiply_all<F>(x, y, put);
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
template <class F> FAST_HD s32 quotient22(s32 b, s32 c)
{
    if constexpr (F::tight) {
        static_assert(F::delta < 20, "radix");
        s32 x = c + (b >> 22) + (1 << 19) - (1 << (18 - F::delta) << 1);
        return (x + (x >> F::delta)) >> 20;
    } else if constexpr (F::two_terms && F::delta > 9) {
        return (c + (1 << (F::width - 45))) >> (F::width - 44);
    } else {
        constexpr s32 inv = (s32)(((u128)1 << 76) / F::r);
        return (s32)((u64)mad_wide_signed(c, inv, (s64)1 << 31) >> 32);
    }
}
/* The digit a + b 2^22 + c 2^44 - q r */
template <class F> FAST_HD void join22(s32 a, s32 b, s32 c, s32 q, u32 &lo, u32 &hi)
{
    static_assert(F::low_zero, "radix");
    s64 x = mad_wide_signed(b, 1 << 22, (s64)a);
    lo = (u32)x;
    hi = (u32)((u64)x >> 32) + ((u32)c << 12) - (u32)q * F::r1;
}

} // namespace gfp_fast
#endif
