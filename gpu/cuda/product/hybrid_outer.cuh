/* hybrid_outer.cuh: the kernels of hybrid_outer.h, for every k and radix. A lane holds one digit of
 * each of the R elements of a column (the coefficients that lie n apart). Products by powers of T
 * are exchanges of lanes and signs. Inside a round a digit is three signed words spaced 22 bits
 * apart, so that levels are plain additions; the end of a round resolves the carries. Trees of more
 * than 2^5 leaves take two rounds. The second round rotates elements by the angle of their node as
 * it reads them. Bounds: hybrid_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_OUTER_CUH
#define GFP_GPU_CUDA_PRODUCT_HYBRID_OUTER_CUH

#include <math.h>
#include <string.h>

#include "gpu/cuda/fast_arith.h"
#include "gpu/cuda/product/hybrid_outer.h"

#ifndef GFP_FAST_EMULATED
#define GFP_FAST_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

/* The arguments of a round. */
typedef struct gfp_gpu_outer_args {
    const uint64_t *in;
    uint64_t *out;
    uint64_t r;
    double unit;      /* 2^22 / r */
    uint64_t columns; /* columns of all nodes of the batch */
    uint64_t n;       /* columns of a node: odd 2^log2_n */
    uint64_t odd;
    uint64_t stride; /* words between the canonical elements of consecutive polynomials */
    /* The range of the input coefficients (forward) or of the output coefficients (inverse): `rows`
     * rows of n coefficients, and rest < n coefficients of one more row. */
    uint64_t rows, rest;
    uint64_t first_row, first_column; /* the place of the first output coefficient */
    unsigned log2_n;
    unsigned log2_k;
    unsigned log2_nodes; /* nodes of a polynomial before a forward round, or after an inverse one */
    unsigned shift;      /* the last inverse round divides by 2^shift ... */
    unsigned most;       /* ... in steps of at most 2^most <= 2^8, which divides r */
    /* Of shares: the canonical elements; the columns; the node whose leaves are computed, and those
     * of them that are stored. */
    gfp_gpu_blocks blocks;
    uint64_t from, width, part; /* column i is u + v part, u = from + i mod width, v = i / width */
    unsigned node, first_leaf, leaves;
} gfp_gpu_outer_args;

namespace gfp_outer
{

using gfp_fast::bit_reversed;
using gfp_fast::mad_wide_signed;
using gfp_fast::s32;
using gfp_fast::s64;
using gfp_fast::u32;
using gfp_fast::u64;
using gfp_fast::unroll;

constexpr int THREADS = 256, MAX_LOG = 5;
constexpr u32 ALL = 0xffffffffu, WORD = (1u << 22) - 1;

/* Blocks per multiprocessor that share its registers. */
FAST_HD constexpr int min_blocks(int log)
{
    return log == 5 ? 2 : log == 4 ? 3 : 4;
}

/* The digit and the column of a thread. The lanes of a warp hold whole elements; for k > 32 they
 * hold those digits that meet in a round, multiples of 2k / R apart. */
template <int LOG> struct lane_digit {
    u32 k, lane, digit, column; /* column: its number in the block */
    u32 turn,
        mask; /* lanes from digit j to digit j + 2k / R, and the mask by which lanes wrap around */

    __device__ __forceinline__ explicit lane_digit(const gfp_gpu_outer_args &a)
    {
        const u32 t = threadIdx.x;
        k = 1u << a.log2_k;
        lane = t & 31;
        column = t >> a.log2_k;
        if (a.log2_k <= 5) {
            digit = t & (k - 1);
            turn = 2 * k >> LOG;
            mask = k - 1;
        } else {
            constexpr int log_apart = LOG < 1 ? 5 : 6 - LOG;
            const u32 apart = 1u << log_apart;
            digit = ((t >> 5) & ((k >> 5) - 1)) * apart + (lane & (apart - 1)) +
                    (2 * k >> LOG) * (lane >> log_apart);
            turn = apart;
            mask = 31;
        }
    }
    __device__ __forceinline__ u32 other(u32 place) const
    {
        return (lane & ~mask) | (place & mask);
    }
};

/* Returns the value of digit j - 1 (BELOW) or j + 1 of the column, for all digits j. words: THREADS
 * words of shared memory. */
template <int LOG, bool BELOW>
static __device__ __forceinline__ u32 neighbour(const gfp_gpu_outer_args &a,
                                                const lane_digit<LOG> &s, u32 *words, u32 value)
{
    const u32 at = BELOW ? s.digit - 1 : s.digit + 1;
    if (a.log2_k <= 5) {
        return __shfl_sync(ALL, value, (int)s.other(BELOW ? s.lane - 1 : s.lane + 1), 32);
    }
    __syncthreads();
    words[(s.column << a.log2_k) + s.digit] = value;
    __syncthreads();
    return words[(s.column << a.log2_k) + (at & (s.k - 1))];
}

/* ---- levels ---- */

struct digit {
    s32 w0, w1, w2; /* w0 + 2^22 w1 + 2^44 w2 */
};

static __device__ __forceinline__ digit split_signed(s64 x)
{
    const u32 low = (u32)x, high = (u32)((u64)x >> 32);
    return {(s32)(low & WORD), (s32)(gfp_fast::funnel(low, high, 22) & WORD), (s32)high >> 12};
}
static __device__ __forceinline__ digit split_unsigned(u64 x)
{
    const u32 low = (u32)x, high = (u32)(x >> 32);
    return {(s32)(low & WORD), (s32)(gfp_fast::funnel(low, high, 22) & WORD), (s32)(high >> 12)};
}
static __device__ __forceinline__ digit turned(const digit &d, u32 from)
{
    return {(s32)__shfl_sync(ALL, (u32)d.w0, (int)from, 32),
            (s32)__shfl_sync(ALL, (u32)d.w1, (int)from, 32),
            (s32)__shfl_sync(ALL, (u32)d.w2, (int)from, 32)};
}
/* x + sign y */
static __device__ __forceinline__ digit plus(const digit &x, const digit &y, s32 sign)
{
    return {x.w0 + sign * y.w0, x.w1 + sign * y.w1, x.w2 + sign * y.w2};
}

/* Node b of the 2^v nodes of level v splits by T^(2k / R units(b)). */
template <int LOG> FAST_HD constexpr int units(int v, int b)
{
    return bit_reversed(b, v) << (LOG - 1 - v);
}

template <int LOG>
static __device__ __forceinline__ void levels_forward(const lane_digit<LOG> &s,
                                                      digit (&x)[1 << LOG])
{
    unroll<LOG>([&](auto vc) {
        constexpr int v = decltype(vc)::value, half = 1 << (LOG - 1 - v);
        unroll<(1 << v)>([&](auto bc) {
            constexpr int b = decltype(bc)::value, m = units<LOG>(v, b);
            const u32 from = s.other(s.lane - m * s.turn);
            const s32 sign = (s.lane & s.mask) < m * s.turn ? -1 : 1;
            unroll<half>([&](auto ic) {
                constexpr int i = 2 * b * half + decltype(ic)::value;
                const digit y = m == 0 ? x[i + half] : turned(x[i + half], from);
                x[i + half] = plus(x[i], y, -sign);
                x[i] = plus(x[i], y, sign);
            });
        });
    });
}

/* R times the inverse of levels_forward. */
template <int LOG>
static __device__ __forceinline__ void levels_inverse(const lane_digit<LOG> &s,
                                                      digit (&x)[1 << LOG])
{
    unroll<LOG>([&](auto vc) {
        constexpr int v = LOG - 1 - decltype(vc)::value, half = 1 << (LOG - 1 - v);
        unroll<(1 << v)>([&](auto bc) {
            constexpr int b = decltype(bc)::value, m = units<LOG>(v, b);
            const u32 from = s.other(s.lane + m * s.turn);
            const s32 sign = (s.lane & s.mask) + m * s.turn > s.mask ? -1 : 1;
            unroll<half>([&](auto ic) {
                constexpr int i = 2 * b * half + decltype(ic)::value;
                digit y = plus(x[i], x[i + half], -1);
                x[i] = plus(x[i], x[i + half], 1);
                if (m != 0) {
                    y = turned(y, from);
                    y = {sign * y.w0, sign * y.w1, sign * y.w2};
                }
                x[i + half] = y;
            });
        });
    });
}

/* x = q r + d, d balanced; returns q. */
static __device__ __forceinline__ s32 balance(const gfp_gpu_outer_args &a, const digit &x, s64 &d)
{
    /* The lowest 22 bits are left out of the number in double precision; the image adds
     * 1.5 2^52. */
    const s64 upper = mad_wide_signed(x.w2, 1 << 22, (s64)(x.w1 + (x.w0 >> 22)));
    const u64 image = (u64)upper + 0x4338000000000000;
#ifdef __CUDA_ARCH__
    const double value = __longlong_as_double((long long)image) - 6755399441055744.0;
    const s32 q = __double2loint(fma(value, a.unit, 6755399441055744.0));
#else
    double value;
    memcpy(&value, &image, sizeof value);
    const double shifted = fma(value - 6755399441055744.0, a.unit, 6755399441055744.0);
    u64 bits;
    memcpy(&bits, &shifted, sizeof bits);
    const s32 q = (s32)(u32)bits;
#endif
    const u64 low = (u64)mad_wide_signed(x.w1, 1 << 22, (s64)x.w0) + ((u64)(u32)x.w2 << 44);
    d = (s64)(low - (u64)(s64)q * a.r);
    return q;
}

/* A byte for each element, four to a word. */
template <int LOG> struct bytes {
    u32 word[LOG < 2 ? 1 : 1 << (LOG - 2)];

    __device__ __forceinline__ s32 at(int i) const
    {
        return (int8_t)(word[i / 4] >> 8 * (i % 4));
    }
};

/* Returns byte(i) of digit j - 1 (BELOW) or j + 1. */
template <int LOG, bool BELOW, class Byte>
static __device__ __forceinline__ bytes<LOG>
exchange(const gfp_gpu_outer_args &a, const lane_digit<LOG> &s, u32 *words, const Byte &byte)
{
    constexpr int count = LOG < 2 ? 1 << LOG : 4;
    bytes<LOG> received;
    unroll<(1 << LOG) / count>([&](auto gc) {
        constexpr int g = decltype(gc)::value;
        u32 packed = 0;
        unroll<count>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            packed |= ((u32)byte(gfp_fast::index_of<4 * g + i>{}) & 255) << 8 * i;
        });
        received.word[g] = neighbour<LOG, BELOW>(a, s, words, packed);
    });
    return received;
}

/* Computes the balanced digits of the elements. Quotients fit bytes. */
template <int LOG>
static __device__ __forceinline__ void balance_all(const gfp_gpu_outer_args &a,
                                                   const lane_digit<LOG> &s, u32 *words,
                                                   const digit (&x)[1 << LOG], s64 (&d)[1 << LOG])
{
    const s32 sign = s.digit == s.k - 1 ? -1 : 1;
    const bytes<LOG> carry = exchange<LOG, true>(
        a, s, words, [&](auto i) { return sign * balance(a, x[i.value], d[i.value]); });
    unroll<(1 << LOG)>([&](auto i) { d[i.value] += carry.at(i.value); });
}

/* ---- places of columns ---- */

struct place {
    u64 node, x; /* node: number among all nodes of the batch; x: column of the node */
    bool real;   /* false: the thread repeats the last column and stores nothing */

    template <int LOG>
    __device__ __forceinline__ place(const gfp_gpu_outer_args &a, const lane_digit<LOG> &s,
                                     u32 block)
    {
        u64 column = (u64)block * (THREADS >> a.log2_k) + s.column;
        real = column < a.columns;
        column = real ? column : a.columns - 1;
        node = column >> a.log2_n;
        if (a.odd != 1) {
            node /= a.odd;
        }
        x = column - node * a.n;
    }
    /* The index of element i of the column, in digits of nodes. */
    template <int LOG>
    __device__ __forceinline__ u64 element(const gfp_gpu_outer_args &a, int i) const
    {
        return (((node << LOG) + (u64)i) * a.n + x) << a.log2_k;
    }
    /* The number of digits by which element 1 of this node is rotated. */
    template <int LOG> __device__ __forceinline__ u32 angle(const gfp_gpu_outer_args &a) const
    {
        return angle_of<LOG>(a, (u32)node & ((1u << a.log2_nodes) - 1));
    }
    template <int LOG>
    static __device__ __forceinline__ u32 angle_of(const gfp_gpu_outer_args &a, u32 number)
    {
        return (__brev(number) >> (32 - a.log2_nodes)) << (a.log2_k + 1 - a.log2_nodes - LOG);
    }
};

/* Returns element i of a polynomial in blocks. */
static __device__ __forceinline__ uint64_t *element_of(const gfp_gpu_outer_args &a, u64 i)
{
    u32 owner = 0;
    while (i >= a.blocks.each) {
        i -= a.blocks.each;
        owner++;
    }
    return a.blocks.block[owner] + (i << a.log2_k);
}

/* ---- rounds ---- */

/* FIRST: reads canonical elements; otherwise works in place on nodes. */
template <int LOG, bool FIRST>
static __global__ void __launch_bounds__(THREADS, min_blocks(LOG))
    forward_round(const __grid_constant__ gfp_gpu_outer_args a)
{
    constexpr int R = 1 << LOG;
    GFP_FAST_SHARED(shared);
    const lane_digit<LOG> s(a);
    const place p(a, s, blockIdx.x);
    digit x[R];
    s64 d[R];
    if constexpr (FIRST) {
        const uint64_t *in = a.in + p.node * a.stride + s.digit;
        const int rows = (int)a.rows + (p.x < a.rest);
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            d[i] = i < rows ? (s64)in[(p.x + (u64)i * a.n) << a.log2_k] : 0;
        });
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            x[i] = split_unsigned((u64)d[i]);
        });
    } else {
        const u32 angle = p.angle<LOG>(a);
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            const u32 from = s.digit - (u32)i * angle;
            const u64 value = a.out[p.element<LOG>(a, i) + (from & (s.k - 1))];
            d[i] = (s64)((from & s.k) != 0 ? 0 - value : value);
        });
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            x[i] = split_signed(d[i]);
        });
        __syncthreads(); /* all threads have read before any thread writes */
    }
    levels_forward<LOG>(s, x);
    balance_all<LOG>(a, s, (u32 *)shared, x, d);
    if (p.real) {
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            a.out[p.element<LOG>(a, i) + s.digit] = (u64)d[i];
        });
    }
}

/* Moves a thread of a share to its column of the node. */
static __device__ __forceinline__ void move_column(const gfp_gpu_outer_args &a, place &p)
{
    const u64 v = p.x >> 32 == 0 ? (u32)p.x / (u32)a.width : p.x / a.width;
    p.x += a.from + v * (a.part - a.width);
}

/* The leaves of one node of a polynomial in blocks. The node is X^(R n) - r^t, so that row j of the
 * coefficients counts as row j mod R times r^(t floor(j / R)), which for element j mod R of the
 * node's column is a rotation by j angles. */
template <int LOG>
static __global__ void __launch_bounds__(THREADS, LOG < 4 ? 3 : 2)
    forward_share(const __grid_constant__ gfp_gpu_outer_args a)
{
    constexpr int R = 1 << LOG;
    GFP_FAST_SHARED(shared);
    const lane_digit<LOG> s(a);
    const u32 angle = a.log2_nodes == 0 ? 0 : place::angle_of<LOG>(a, a.node);
    place p(a, s, blockIdx.x);
    move_column(a, p);
    const u32 most = (u32)a.rows + (a.rest != 0), rows = (u32)a.rows + (p.x < a.rest);
    digit x[R];
    s64 d[R];
    for (u32 first = 0; first == 0 || first < most; first += R) {
        unroll<R>([&](auto ic) {
            const u32 j = first + decltype(ic)::value, from = s.digit - j * angle;
            d[ic.value] = 0;
            if (j < rows) {
                d[ic.value] = (s64)element_of(a, p.x + (u64)j * a.n)[from & (s.k - 1)];
            }
        });
        unroll<R>([&](auto ic) {
            const u32 from = s.digit - (first + decltype(ic)::value) * angle;
            const digit none = {0, 0, 0}, y = split_unsigned((u64)d[ic.value]);
            x[ic.value] = plus(first == 0 ? none : x[ic.value], y, (from & s.k) != 0 ? -1 : 1);
        });
    }
    levels_forward<LOG>(s, x);
    balance_all<LOG>(a, s, (u32 *)shared, x, d);
    if (p.real) {
        unroll<R>([&](auto ic) {
            const u32 leaf = (a.node << LOG) + decltype(ic)::value - a.first_leaf;
            if (leaf < a.leaves) {
                a.out[((leaf * a.n + p.x) << a.log2_k) + s.digit] = (u64)d[ic.value];
            }
        });
    }
}

/* A digit of an element divided by 2^shift, which divides r: the sum of t, the floor of the digit's
 * quotient, and rest part, where `rest` is the remainder of the digit above and part = r / 2^shift.
 * d := the sum modulo r, 0 <= d < r; returns the quotient by r, which belongs to the digit above.
 * |t| <= digit_bound(r). */
static __device__ __forceinline__ s32 divided(u64 r, u64 part, bool highest, s64 t, u32 rest,
                                              u64 &d)
{
    /* For the highest digit `rest` comes from digit 0 with a minus sign: adding r makes
     * u positive. */
    u64 u = rest * part;
    u = highest ? r - u : u;
    const bool below = t < 0 && u < 0 - (u64)t, over = t >= 0 && u >= r - (u64)t;
    d = (u64)t + u + (below ? r : 0) - (over ? r : 0);
    return (s32)over - (s32)below - (s32)highest;
}

/* Divides the digits of all elements: t holds the floors, remainder(i) the remainder of element i.
 * t := the digits; returns the carries from the digits below. */
template <int LOG, class Remainder>
static __device__ __forceinline__ bytes<LOG>
divide_all(const gfp_gpu_outer_args &a, const lane_digit<LOG> &s, u32 *words, unsigned shift,
           s64 (&t)[1 << LOG], const Remainder &remainder)
{
    const bool highest = s.digit == s.k - 1;
    const bytes<LOG> rest = exchange<LOG, false>(a, s, words, remainder);
    return exchange<LOG, true>(a, s, words, [&](auto i) {
        u64 d;
        const s32 q =
            divided(a.r, a.r >> shift, highest, t[i.value], (u32)rest.at(i.value) & 255, d);
        t[i.value] = (s64)d;
        return highest ? -q : q;
    });
}

/* One thread makes the digits of an element canonical. On entry 0 <= x_i < 2r, or x_i = -1. */
static __device__ __forceinline__ void mend(uint64_t *x, u32 k, u64 r)
{
    s32 carry = 0;
    for (u32 i = 0; i < k; i++) {
        u64 v = x[i] + (u64)(s64)carry;
        carry = 0;
        if (v > ~(u64)0 - 2) {
            v += r;
            carry = -1;
        } else if (v >= r) {
            v -= r;
            carry = 1;
        }
        x[i] = v;
    }
    /* r^k = -1 */
    for (u32 i = 0; carry != 0; i++) {
        if (i == k) {
            x[k - 1] = r;
            for (u32 j = 0; j + 1 < k; j++) {
                x[j] = 0;
            }
            break;
        }
        const bool on = x[i] == (carry < 0 ? r - 1 : 0);
        x[i] = on ? (carry < 0 ? 0 : r - 1) : x[i] - (u64)(s64)carry;
        carry = on ? carry : 0;
    }
}

/* The end of the last round: divides the sums x by 2^shift and stores canonical elements; at(i) is
 * the place of output element i. */
template <int LOG, class At>
static __device__ __forceinline__ void
store_divided(const gfp_gpu_outer_args &a, const lane_digit<LOG> &s, const place &p, u32 *words,
              const digit (&x)[1 << LOG], s64 (&d)[1 << LOG], const At &at)
{
    constexpr int R = 1 << LOG;
    bytes<LOG> carry;
    if (a.shift <= a.most) {
        /* d := floor(sum / 2^shift), directly from the three words. */
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            d[i] = (s64)((u64)mad_wide_signed(x[i].w1, 1 << (22 - a.shift),
                                              (s64)(x[i].w0 >> a.shift)) +
                         ((u64)(s64)x[i].w2 << (44 - a.shift)));
        });
        carry = divide_all<LOG>(a, s, words, a.shift, d,
                                [&](auto i) { return (u32)x[i.value].w0 & ((1u << a.shift) - 1); });
    } else {
        balance_all<LOG>(a, s, words, x, d);
#pragma unroll 1
        for (unsigned left = a.shift;;) {
            const unsigned shift = left < a.most ? left : a.most;
            left -= shift;
            u32 rest[R];
            unroll<R>([&](auto ic) {
                constexpr int i = decltype(ic)::value;
                rest[i] = (u32)d[i] & ((1u << shift) - 1);
                d[i] >>= shift;
            });
            carry = divide_all<LOG>(a, s, words, shift, d, [&](auto i) { return rest[i.value]; });
            if (left == 0) {
                break;
            }
            /* Balances the digits for the next step: digits above r / 2 lose one r. */
            const bytes<LOG> more = exchange<LOG, true>(a, s, words, [&](auto i) {
                const bool over = (u64)d[i.value] > a.r / 2;
                d[i.value] = (s64)((u64)d[i.value] - (over ? a.r : 0));
                return over ? (s.digit == s.k - 1 ? -1 : 1) : 0;
            });
            unroll<R>([&](auto i) { d[i.value] += carry.at(i.value) + more.at(i.value); });
        }
    }
    /* Adds carries as if none ran on. If one does, `mend` corrects the element. */
    u32 *flags = words + THREADS; /* flags of R elements of up to 4 columns, for k > 32 */
    if (a.log2_k > 5) {
        if (threadIdx.x < 4 * R) {
            flags[threadIdx.x] = 0;
        }
        __syncthreads();
    }
    /* Element i goes to row (i - first) modulo R, if that row is in the output. */
    const u64 y = p.x - a.first_column + (p.x < a.first_column ? a.n : 0);
    const u32 first = (u32)a.first_row + (p.x < a.first_column);
    const u32 rows = p.real ? (u32)a.rows + (y < a.rest) : 0;
    u32 wrong = 0;
    unroll<R>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        const u32 row = (i - first) & (R - 1);
        const u64 z = (u64)d[i] + (u64)(s64)carry.at(i);
        if (row < rows) {
            wrong |= (u32)(z >= a.r) << i;
            at(row * a.n + y)[s.digit] = z;
        }
    });
    if (a.log2_k <= 5) {
        if (__ballot_sync(ALL, wrong != 0) == 0) {
            return;
        }
        for (unsigned step = 1; step < s.k; step *= 2) {
            wrong |= __shfl_sync(ALL, wrong, (int)(s.lane ^ step), 32);
        }
        __syncwarp();
    } else {
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            if ((wrong >> i & 1) != 0) {
                flags[4 * i + s.column] = 1;
            }
        });
        __syncthreads();
        wrong = 0;
        unroll<R>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            wrong |= flags[4 * i + s.column] << i;
        });
    }
    /* The threads of a column share the elements. */
    for (u32 i = s.digit; i < (u32)R; i += s.k) {
        const u32 row = (i - first) & (R - 1);
        if ((wrong >> i & 1) != 0) {
            mend(at(row * a.n + y), s.k, a.r);
        }
    }
}

/* LAST: divides and stores canonical elements; otherwise works in place. */
template <int LOG, bool LAST>
static __global__ void __launch_bounds__(THREADS, min_blocks(LOG))
    inverse_round(const __grid_constant__ gfp_gpu_outer_args a)
{
    constexpr int R = 1 << LOG;
    GFP_FAST_SHARED(shared);
    u32 *words = (u32 *)shared;
    const lane_digit<LOG> s(a);
    const place p(a, s, blockIdx.x);
    digit x[R];
    s64 d[R];
    unroll<R>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        d[i] = (s64)a.in[p.element<LOG>(a, i) + s.digit];
    });
    unroll<R>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        x[i] = split_signed(d[i]);
    });
    levels_inverse<LOG>(s, x);
    if constexpr (!LAST) {
        balance_all<LOG>(a, s, words, x, d);
        __syncthreads();
        const u32 angle = p.angle<LOG>(a);
        if (p.real) {
            unroll<R>([&](auto ic) {
                constexpr int i = decltype(ic)::value;
                const u32 to = s.digit - (u32)i * angle;
                a.out[p.element<LOG>(a, i) + (to & (s.k - 1))] =
                    (u64)((to & s.k) != 0 ? -d[i] : d[i]);
            });
        }
    } else {
        uint64_t *out = a.out + p.node * a.stride;
        store_divided<LOG>(a, s, p, words, x, d, [&](u64 i) { return out + (i << a.log2_k); });
    }
}

/* Bytes of shared memory that a round uses. */
constexpr unsigned SHARED = 4 * (THREADS + (4 << MAX_LOG));

} // namespace gfp_outer

#endif
