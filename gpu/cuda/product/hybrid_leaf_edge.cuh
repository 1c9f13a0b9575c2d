/* hybrid_leaf_edge.cuh: the passes between digits and rows (hybrid_leaf.h), which split and join
 * all of y^k + 1 and the first C levels of the leaves. A block takes 2^LOG_T columns of 2^A points,
 * A = log2 k + C. Position p of the block is (digit or channel; part of the coefficients or node;
 * column), from the upper bits down.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_EDGE_CUH
#define GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_EDGE_CUH

#include "gpu/cuda/product/hybrid_leaf.h"

namespace gfp_leaf
{

/* A column: coefficient x of leaf number `leaf` of this call, and the coefficients `part` apart. */
struct column {
    u64 leaf, x;
    bool inside;
};

template <int LOG_K, int C, int LOG_POINTS_ = 12> struct edge {
    static constexpr int A = LOG_K + C;
    static constexpr int LOG_POINTS = LOG_POINTS_, POINTS = 1 << LOG_POINTS;
    static constexpr int THREADS = POINTS / 16;
    static constexpr int LOG_T = LOG_POINTS - A;
    /* A round does W levels of DFTs in registers: W0, then W1. */
    static constexpr int W0 = A > 4 ? A - 4 : A, W1 = A - W0;
    static constexpr int G = 16 >> W0, B0 = LOG_POINTS - W0, B1 = LOG_T;
    static_assert(A <= 8, "two rounds");
    static FAST_HD constexpr int pad(int p)
    {
        return p + ((p >> 8) << 4);
    }
    static constexpr int words = POINTS + (POINTS >> 8 << 4);

    const gfp_gpu_leaf_pass &pass;
    u64 part;  /* coefficients of each of the 2^C parts */
    u64 width; /* columns of a leaf */
    u64 first; /* the first column of the block */
    modulus m;
    const factor *table;

    FAST_HD edge(const gfp_gpu_leaf_pass &pass_, u64 block)
        : pass(pass_), part(pass_.length >> C), width(pass_.width != 0 ? pass_.width : part),
          first(block << LOG_T), m(pass_, 0), table(nullptr)
    {
    }
    /* The position of register i of group g of a thread, in a round of W levels whose lowest bit is
     * B. A group is a DFT. */
    template <int W, int B> static FAST_HD constexpr int position(int thread, int g, int i)
    {
        const int rest = thread | g * THREADS;
        return (rest & ((1 << B) - 1)) | i << B | (rest >> B) << (B + W);
    }
    FAST_HD column column_of(int p) const
    {
        const u64 n = first + (u32)(p & ((1 << LOG_T) - 1));
        if ((n | width) >> 32 == 0) {
            const u32 leaf = (u32)n / (u32)width;
            return {leaf, (u32)n - leaf * (u32)width + pass.from, leaf < pass.leaves};
        }
        const u64 leaf = n / width;
        return {leaf, n - leaf * width + pass.from, leaf < pass.leaves};
    }
    /* The place of position p of the column in a plane. */
    FAST_HD u64 place(const column &c, int p) const
    {
        return (c.leaf * pass.length << LOG_K) + c.x + (u64)((u32)p >> LOG_T) * part;
    }
    /* Move the 2^W registers of the DFT that begins at position p of the column, with B as its
     * lowest bit, to and from a plane. load_digits reads the digits for the first round. */
    template <int W, int B>
    FAST_HD void store(u32 *plane, const u32 *x, const column &c, int p) const
    {
        u32 *to = plane + place(c, p);
        const u64 step = part << (B - LOG_T);
        if (c.inside) {
            LEAF_UNROLL
            for (int i = 0; i < 1 << W; i++) {
                to[i * step] = x[i];
            }
        }
    }
    template <int W, int B>
    FAST_HD void load(u32 *x, const u32 *plane, const column &c, int p) const
    {
        const u32 *from = plane + place(c, p);
        const u64 step = part << (B - LOG_T);
        if (c.inside) {
            LEAF_UNROLL
            for (int i = 0; i < 1 << W; i++) {
                x[i] = from[i * step];
            }
        } else {
            LEAF_UNROLL
            for (int i = 0; i < 1 << W; i++) {
                x[i] = 0;
            }
        }
    }
    FAST_HD void load_digits(s64 *d, const s64 *digits, const column &c, int p) const
    {
        /* The uppermost bits of the position of register i: its digit and its part. */
        const u32 upper = (u32)p >> LOG_T;
        const s64 *from =
            digits + ((c.leaf * pass.length + (upper & ((1 << C) - 1)) * part + c.x) << LOG_K) +
            (upper >> C);
        if (!c.inside) {
            LEAF_UNROLL
            for (int i = 0; i < 1 << W0; i++) {
                d[i] = 0;
            }
        } else if constexpr (W0 >= LOG_K) {
            /* All digits of 2^(W0 - LOG_K) coefficients. */
            LEAF_UNROLL
            for (int i = 0; i < 1 << (W0 - LOG_K); i++) {
                const s64 *x = from + ((i * part << (C - (W0 - LOG_K))) << LOG_K);
                LEAF_UNROLL
                for (int j = 0; j < 1 << LOG_K; j += 2) {
                    const longlong2 y = *(const longlong2 *)(x + j);
                    d[j << (W0 - LOG_K) | i] = y.x;
                    d[(j + 1) << (W0 - LOG_K) | i] = y.y;
                }
            }
        } else {
            LEAF_UNROLL
            for (int i = 0; i < 1 << W0; i++) {
                d[i] = from[i << (LOG_K - W0)];
            }
        }
    }
    /* Move registers to shared memory and back. The parts of a position occupy separate bits, so
     * that their padded places add up. */
    template <int W, int B> static FAST_HD void put(u32 *shared, const u32 *x, int thread)
    {
        u32 *to = shared + pad(position<W, B>(thread, 0, 0));
        gfp_fast::unroll<16>([&](auto ic) {
            constexpr int i = decltype(ic)::value,
                          at = pad(position<W, B>(0, i >> W, i & ((1 << W) - 1)));
            to[at] = x[i];
        });
    }
    template <int W, int B> static FAST_HD void get(u32 *x, const u32 *shared, int thread)
    {
        const u32 *from = shared + pad(position<W, B>(thread, 0, 0));
        gfp_fast::unroll<16>([&](auto ic) {
            constexpr int i = decltype(ic)::value,
                          at = pad(position<W, B>(0, i >> W, i & ((1 << W) - 1)));
            x[i] = from[at];
        });
    }
    /* The node above level `level`, from the `level` bits of the path to it. */
    template <int LEVEL> FAST_HD u32 node(u64 leaf, u32 bits) const
    {
        if constexpr (LEVEL < LOG_K) {
            return (1u << LEVEL) | bits;
        } else {
            constexpr int X = LEVEL - LOG_K;
            const u32 n = leaf_node(pass, LOG_K, leaf, bits >> X);
            return n << X | (bits & ((1 << X) - 1));
        }
    }
    /* Level D of W levels of the DFT in x; the DFT begins at level FROM. */
    template <int W, int FROM, int D, bool FORWARD>
    FAST_HD void level(u32 *x, u64 leaf, u32 bits) const
    {
        constexpr int half = 1 << (W - 1 - D);
        /* Two factors are neighbours in the table, unless a channel begins at this level. */
        constexpr int together = D > 0 && FROM + D != LOG_K ? 2 : 1;
        gfp_fast::unroll<(1 << D) / together>([&](auto ec) {
            constexpr int e = decltype(ec)::value * together;
            const factor *from = table + node<FROM + D>(leaf, bits << D | (u32)e);
            factor w[2];
            if constexpr (together == 2) {
                load_two(from, w[0], w[1]);
            } else {
                w[0] = gfp_leaf::load(from);
            }
            gfp_fast::unroll<together * half>([&](auto ic) {
                constexpr int i = decltype(ic)::value,
                              at = (2 * e + i / half * 2) * half + i % half;
                if constexpr (FORWARD) {
                    split(x[at], x[at + half], w[i / half], m);
                } else {
                    join(x[at], x[at + half], w[i / half], m);
                }
            });
        });
    }
    template <int W, int FROM> FAST_HD void split_all(u32 *x, u64 leaf, u32 bits) const
    {
        gfp_fast::unroll<W>([&](auto dc) {
            constexpr int d = decltype(dc)::value;
            level<W, FROM, d, true>(x, leaf, bits);
        });
    }
    template <int W, int FROM> FAST_HD void join_all(u32 *x, u64 leaf, u32 bits) const
    {
        gfp_fast::unroll<W>([&](auto dc) {
            constexpr int d = W - 1 - decltype(dc)::value;
            level<W, FROM, d, false>(x, leaf, bits);
        });
    }
};

template <int LOG_K, int C>
GFP_KERNEL((edge<LOG_K, C>::THREADS), 3)
split_digits(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, C> E;
    constexpr int W0 = E::W0, W1 = E::W1, G = E::G, B0 = E::B0, B1 = E::B1;
    GFP_FAST_SHARED(memory);
    u32 *shared = (u32 *)memory;
    const int thread = (int)threadIdx.x;
    E at(pass, blockIdx.x);
    s64 d[16];
    column c[G];
    LEAF_UNROLL
    for (int g = 0; g < G; g++) {
        c[g] = at.column_of(E::template position<W0, B0>(thread, g, 0));
        at.load_digits(d + (g << W0), pass.digits, c[g],
                       E::template position<W0, B0>(thread, g, 0));
    }
    LEAF_ROLLED
    for (u32 prime = 0; prime < pass.primes; prime++) {
        u32 x[16];
        u32 *plane = pass.a + prime * pass.plane;
        at.m = modulus(pass, prime);
        at.table = pass.forward + prime * pass.table;
        const u32 inverse = pass.inverse[prime];
        LEAF_UNROLL
        for (int i = 0; i < 16; i++) {
            x[i] = gfp_hybrid::project(d[i], at.m.q, inverse);
        }
        LEAF_UNROLL
        for (int g = 0; g < G; g++) {
            at.template split_all<W0, 0>(x + (g << W0), c[g].leaf, 0);
        }
        if constexpr (W1 == 0) {
            LEAF_UNROLL
            for (int g = 0; g < G; g++) {
                at.template store<W0, B0>(plane, x + (g << W0), c[g],
                                          E::template position<W0, B0>(thread, g, 0));
            }
        } else {
            /* Two areas take turns. A thread that writes to an area has passed the barrier of the
             * other area, and all threads read the first one before that barrier. */
            u32 *area = shared + (prime & 1) * E::words;
            E::template put<W0, B0>(area, x, thread);
            __syncthreads();
            E::template get<W1, B1>(x, area, thread);
            /* The column of round 0 is also the column of round 1. */
            at.template split_all<W1, W0>(x, c[0].leaf, (u32)thread >> B1);
            at.template store<W1, B1>(plane, x, c[0], E::template position<W1, B1>(thread, 0, 0));
        }
    }
}

/* Consecutive blocks of the grid take the primes of one block of columns. */
template <int LOG_K, int C>
GFP_KERNEL((edge<LOG_K, C>::THREADS), 4)
join_digits(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef edge<LOG_K, C> E;
    constexpr int W0 = E::W0, W1 = E::W1, G = E::G, B0 = E::B0, B1 = E::B1;
    GFP_FAST_SHARED(memory);
    u32 *shared = (u32 *)memory;
    const int thread = (int)threadIdx.x;
    const u32 prime = blockIdx.x % pass.primes;
    E at(pass, blockIdx.x / pass.primes);
    u32 *plane = pass.a + prime * pass.plane;
    at.m = modulus(pass, prime);
    at.table = pass.backward + prime * pass.table;
    column c[G];
    u32 x[16];
    LEAF_UNROLL
    for (int g = 0; g < G; g++) {
        c[g] = at.column_of(E::template position<W0, B0>(thread, g, 0));
    }
    if constexpr (W1 == 0) {
        LEAF_UNROLL
        for (int g = 0; g < G; g++) {
            at.template load<W0, B0>(x + (g << W0), plane, c[g],
                                     E::template position<W0, B0>(thread, g, 0));
        }
    } else {
        at.template load<W1, B1>(x, plane, c[0], E::template position<W1, B1>(thread, 0, 0));
        at.template join_all<W1, W0>(x, c[0].leaf, (u32)thread >> B1);
        E::template put<W1, B1>(shared, x, thread);
        __syncthreads();
        E::template get<W0, B0>(x, shared, thread);
    }
    const factor scale = pass.scale[prime];
    LEAF_UNROLL
    for (int g = 0; g < G; g++) {
        at.template join_all<W0, 0>(x + (g << W0), c[g].leaf, 0);
        LEAF_UNROLL
        for (int i = g << W0; i < (g + 1) << W0; i++) {
            x[i] = (u32)scaled<GFP_HYBRID_LEAF_PRIMES>(x[i], scale, at.m.q);
        }
        at.template store<W0, B0>(plane, x + (g << W0), c[g],
                                  E::template position<W0, B0>(thread, g, 0));
    }
}

/* The columns of a call. */
template <int C> static uint64_t columns_of(const gfp_gpu_leaf_pass *pass)
{
    return pass->leaves * (pass->width != 0 ? pass->width : pass->length >> C);
}

} // namespace gfp_leaf

#endif
