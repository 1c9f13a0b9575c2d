/* hybrid_leaf_rows.cuh: the rows' kernel of the leaves (hybrid_leaf.h): the last levels of both
 * factors, products of blocks X^m - g, and the same levels backwards. A row is m 2^LEVELS residues;
 * a block of threads takes 1024 blocks X^m - g, in one or several rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_ROWS_CUH
#define GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_ROWS_CUH

#include "gpu/cuda/product/hybrid_leaf.h"

namespace gfp_leaf
{

template <int LEVELS, int M> struct rows {
    /* Rounds: W0 and W1 levels as DFTs of registers through shared memory, then two levels on four
     * blocks within a thread. */
    static constexpr int W0 = LEVELS > 6 ? LEVELS - 6 : LEVELS - 2, W1 = LEVELS - 2 - W0;
    static constexpr int WORDS = GFP_HYBRID_LEAF_TILE * M;
    /* A round has ITEMS items of 16 registers. A thread takes RUNS of them in turn, so that there
     * are as many threads as groups of four blocks to multiply. */
    static constexpr int ITEMS = 64 * M, RUNS = M / 4, THREADS = ITEMS / RUNS;
    static_assert(LEVELS >= 2 && LEVELS <= 10, "two rounds");

    static_assert(M == 4 || M == 8, "places in shared memory");
    /* Padding against conflicts of banks, for accesses to 32 words in a row, to 8 quadruples 4M
     * apart, and, for M = 4, to two runs of 16 words, 256 apart. */
    static FAST_HD constexpr int pad(int p)
    {
        return p + ((p >> 5) << 2) + (M == 4 ? (p >> 8) << 4 : 0);
    }
    static constexpr int padded = WORDS + (WORDS >> 5 << 2) + (M == 4 ? WORDS >> 8 << 4 : 0);
    /* Blocks of threads that share the registers of a multiprocessor. */
    static constexpr int resident = 3;

    /* The position of register i of DFT g of an item, in the round of W levels above B further
     * levels. */
    template <int W, int B> static FAST_HD constexpr int position(int item, int g, int i)
    {
        const u32 rest = (u32)(item + g * ITEMS), low = rest % (M << B), high = rest / (M << B);
        return (int)(high * (M << (B + W)) + low) + i * (M << B);
    }

    const gfp_gpu_leaf_pass &pass;
    modulus m;
    u32 inverse;
    const factor *forward, *backward;
    u64 row; /* the first row of the block */

    FAST_HD rows(const gfp_gpu_leaf_pass &pass_, u32 prime, u64 block)
        : pass(pass_), m(pass_, prime), inverse(pass_.inverse[prime]),
          forward(pass_.forward + prime * pass_.table),
          backward(pass_.backward + prime * pass_.table),
          row(block * (u64)(GFP_HYBRID_LEAF_TILE >> LEVELS))
    {
    }
    /* The node of row i of the block. */
    FAST_HD u32 row_node(u32 i) const
    {
        const u64 n = row + i, channel = n >> pass.depth;
        return leaf_node(pass, pass.log2_k, channel >> pass.log2_k,
                         (u32)channel & ((1u << pass.log2_k) - 1))
                   << pass.depth |
               ((u32)n & ((1u << pass.depth) - 1));
    }
    /* The node above DFT g of an item. */
    template <int W, int B> FAST_HD u32 node(int item, int g) const
    {
        constexpr int above = LEVELS - B - W; /* levels done before */
        const u32 high = (u32)(item + g * ITEMS) / (M << B);
        return row_node(high >> above) << above | (high & ((1u << above) - 1));
    }
    /* The factors of the DFTs of a round. A thread asks for them before the barrier in front of the
     * round, so that the loads overlap with the waiting. */
    template <int W, int B> struct round {
        node_factors<W> dft[16 >> W];
    };
    template <int W, int B> FAST_HD round<W, B> factors(const factor *t, int item) const
    {
        if constexpr (W == 0) {
            return {};
        } else {
            round<W, B> f;
            LEAF_UNROLL
            for (int g = 0; g < 16 >> W; g++) {
                f.dft[g].load(t, node<W, B>(item, g));
            }
            return f;
        }
    }
    /* A round forwards of COUNT polynomials, 16 registers each, from one place to another. */
    template <int W, int B, bool PAD, int COUNT>
    FAST_HD void forward_round(u32 *const (&to)[2], const u32 *const (&from)[2], int item,
                               const round<W, B> &f) const
    {
        u32 x[16 * COUNT];
        gfp_fast::unroll<COUNT>([&](auto cc) {
            constexpr int c = decltype(cc)::value;
            get<W, B, PAD>(x + 16 * c, from[c], item);
        });
        if constexpr (W != 0) {
            gfp_fast::unroll<(16 >> W)>([&](auto gc) {
                constexpr int g = decltype(gc)::value;
                split_node<W, COUNT>(x + (g << W), f.dft[g], m);
            });
        }
        gfp_fast::unroll<COUNT>([&](auto cc) {
            constexpr int c = decltype(cc)::value;
            put<W, B, true>(to[c], x + 16 * c, item);
        });
    }
    template <int W, int B> FAST_HD void backward_round(u32 *x, const round<W, B> &f) const
    {
        gfp_fast::unroll<(16 >> W)>([&](auto gc) {
            constexpr int g = decltype(gc)::value;
            join_node<W>(x + (g << W), f.dft[g], m);
        });
    }
    /* A place is the sum of a part of the item and a constant: B <= 6, so that ITEMS is a multiple
     * of M 2^B, and both parts occupy separate bits. */
    template <int W, int B, bool PAD> static FAST_HD void get(u32 *x, const u32 *from, int item)
    {
        const int first = position<W, B>(item, 0, 0);
        from += PAD ? pad(first) : first;
        gfp_fast::unroll<16>([&](auto ic) {
            constexpr int i = decltype(ic)::value,
                          at = position<W, B>(0, i >> W, i & ((1 << W) - 1));
            x[i] = from[PAD ? pad(at) : at];
        });
    }
    template <int W, int B, bool PAD> static FAST_HD void put(u32 *to, const u32 *x, int item)
    {
        const int first = position<W, B>(item, 0, 0);
        to += PAD ? pad(first) : first;
        gfp_fast::unroll<16>([&](auto ic) {
            constexpr int i = decltype(ic)::value,
                          at = position<W, B>(0, i >> W, i & ((1 << W) - 1));
            to[PAD ? pad(at) : at] = x[i];
        });
    }
    /* Loads and stores the four blocks of a thread. */
    template <bool PAD> static FAST_HD void get_four(u32 *x, const u32 *from, int thread)
    {
        from += PAD ? pad(4 * M * thread) : 4 * M * thread;
        gfp_fast::unroll<M>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            const uint4 y = *(const uint4 *)(from + (PAD ? pad(4 * i) : 4 * i));
            x[4 * i] = y.x, x[4 * i + 1] = y.y, x[4 * i + 2] = y.z, x[4 * i + 3] = y.w;
        });
    }
    template <bool PAD> static FAST_HD void put_four(u32 *to, const u32 *x, int thread)
    {
        to += PAD ? pad(4 * M * thread) : 4 * M * thread;
        gfp_fast::unroll<M>([&](auto ic) {
            constexpr int i = decltype(ic)::value;
            *(uint4 *)(to + (PAD ? pad(4 * i) : 4 * i)) =
                make_uint4(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
        });
    }
    /* Does the last two levels, and reduces all words below q. */
    static FAST_HD void split_four(u32 *x, const factor (&w)[3], modulus m)
    {
        LEAF_UNROLL
        for (int i = 0; i < 2 * M; i++) {
            split(x[i], x[i + 2 * M], w[0], m);
        }
        LEAF_UNROLL
        for (int i = 0; i < M; i++) {
            split(x[i], x[i + M], w[1], m);
            split(x[i + 2 * M], x[i + 3 * M], w[2], m);
        }
        LEAF_UNROLL
        for (int i = 0; i < 4 * M; i++) {
            x[i] = least(x[i], x[i] + m.less);
            x[i] = least(x[i], x[i] - m.q);
        }
    }
    static FAST_HD void join_four(u32 *x, const factor (&w)[3], modulus m)
    {
        LEAF_UNROLL
        for (int i = 0; i < M; i++) {
            join(x[i], x[i + M], w[1], m);
            join(x[i + 2 * M], x[i + 3 * M], w[2], m);
        }
        LEAF_UNROLL
        for (int i = 0; i < 2 * M; i++) {
            join(x[i], x[i + 2 * M], w[0], m);
        }
    }
    /* a := a b / 2^32 in Z_q[X] / (X^M -+ g), in [0, 2q), for a, b < q. For M = 4, g a_i <= 2q and
     * sums are below 7 q^2, or (11/4) 2^32 q with f q. For M = 8, g a_i <= q, and the bounds are 8
     * q^2 and 3 2^32 q. Upper words are below 3q, since q is below 2^30. */
    static FAST_HD void multiply(u32 *a, const u32 *b, factor g, bool negative, modulus m,
                                 u32 inverse)
    {
        u32 turned[M]; /* g a_i */
        LEAF_UNROLL
        for (int i = 1; i < M; i++) {
            const u32 y = multiply_lazy(a[i], g, m.q);
            if (M == 4) {
                turned[i] = negative ? m.twice - y : y;
            } else {
                const u32 z = least(y, y - m.q);
                turned[i] = negative ? m.q - z : z;
            }
        }
        u32 c[M];
        LEAF_UNROLL
        for (int i = 0; i < M; i++) {
            u64 sum = (u64)a[0] * b[i];
            LEAF_UNROLL
            for (int j = 1; j < M; j++) {
                sum += (u64)(j <= i ? a[j] : turned[j]) * b[j <= i ? i - j : M + i - j];
            }
            const u32 f = 0u - (u32)sum * inverse;
            sum += (u64)f * m.q;
            const u32 y = (u32)(sum >> 32);
            c[i] = least(y, y + m.less);
        }
        LEAF_UNROLL
        for (int i = 0; i < M; i++) {
            a[i] = c[i];
        }
    }
    FAST_HD void twiddles(factor (&w)[3], const factor *t, int thread) const
    {
        const u32 n = node<2, 0>(thread * M, 0);
        w[0] = load_here(t + n);
        load_two_here(t + 2 * n, w[1], w[2]);
    }
};

/* The blocks of the grid for one prime. The last one may not be full: then the call is for all
 * leaves of the plane, which has room. */
template <class R> static FAST_HD u64 blocks_of_plane(const gfp_gpu_leaf_pass &pass)
{
    return ((pass.leaves << pass.log2_k) * pass.length + R::WORDS - 1) / R::WORDS;
}

/* The blocks of the grid go through the planes, prime by prime. */
template <int LEVELS, int M>
GFP_KERNEL((rows<LEVELS, M>::THREADS), (rows<LEVELS, M>::resident))
multiply_rows(const __grid_constant__ gfp_gpu_leaf_pass pass)
{
    typedef rows<LEVELS, M> R;
    constexpr int W0 = R::W0, W1 = R::W1, B0 = LEVELS - W0;
    GFP_FAST_SHARED(memory);
    u32 *a = (u32 *)memory, *b = a + R::padded;
    const int thread = (int)threadIdx.x;
    const u32 blocks = (u32)blocks_of_plane<R>(pass), prime = blockIdx.x / blocks,
              block = blockIdx.x - prime * blocks;
    const R at(pass, prime, block);
    const u64 offset = prime * pass.plane + (u64)block * R::WORDS;
    const bool two = pass.product && !pass.b_done && pass.b != pass.a;
    u32 *const areas[2] = {a, b};
    const u32 *const inputs[2] = {pass.a + offset, pass.b + offset};
    gfp_fast::unroll<R::RUNS>([&](auto rc) {
        const int item = thread + decltype(rc)::value * R::THREADS;
        const auto first = at.template factors<W0, B0>(at.forward, item);
        if (two) {
            at.template forward_round<W0, B0, false, 2>(areas, inputs, item, first);
        } else {
            at.template forward_round<W0, B0, false, 1>(areas, inputs, item, first);
        }
    });
    factor w[3];
    if constexpr (W1 != 0) {
        const u32 *const same[2] = {a, b};
        gfp_fast::unroll<R::RUNS>([&](auto rc) {
            constexpr int turn = decltype(rc)::value;
            const int item = thread + turn * R::THREADS;
            const auto second = at.template factors<W1, 2>(at.forward, item);
            if constexpr (turn == 0) {
                __syncthreads();
            }
            if (two) {
                at.template forward_round<W1, 2, true, 2>(areas, same, item, second);
            } else {
                at.template forward_round<W1, 2, true, 1>(areas, same, item, second);
            }
        });
    }
    at.twiddles(w, at.forward, thread);
    __syncthreads();
    u32 x[4 * M], y[4 * M];
    R::template get_four<true>(x, a, thread);
    R::split_four(x, w, at.m);
    if (!pass.product) {
        R::template put_four<false>(pass.a + offset, x, thread);
        return;
    }
    if (two) {
        R::template get_four<true>(y, b, thread);
        R::split_four(y, w, at.m);
    } else if (pass.b_done) {
        R::template get_four<false>(y, pass.b + offset, thread);
    } else {
        LEAF_UNROLL
        for (int i = 0; i < 4 * M; i++) {
            y[i] = x[i];
        }
    }
    gfp_fast::unroll<4>([&](auto ic) {
        constexpr int i = decltype(ic)::value;
        R::multiply(x + i * M, y + i * M, w[1 + i / 2], i % 2 != 0, at.m, at.inverse);
    });
    at.twiddles(w, at.backward, thread);
    R::join_four(x, w, at.m);
    R::template put_four<true>(a, x, thread);
    if constexpr (W1 != 0) {
        gfp_fast::unroll<R::RUNS>([&](auto rc) {
            constexpr int turn = decltype(rc)::value;
            const int item = thread + turn * R::THREADS;
            const auto second = at.template factors<W1, 2>(at.backward, item);
            if constexpr (turn == 0) {
                __syncthreads();
            }
            R::template get<W1, 2, true>(x, a, item);
            at.template backward_round<W1, 2>(x, second);
            R::template put<W1, 2, true>(a, x, item);
        });
    }
    gfp_fast::unroll<R::RUNS>([&](auto rc) {
        constexpr int turn = decltype(rc)::value;
        const int item = thread + turn * R::THREADS;
        const auto last = at.template factors<W0, B0>(at.backward, item);
        if constexpr (turn == 0) {
            __syncthreads();
        }
        R::template get<W0, B0, true>(x, a, item);
        if constexpr (W0 != 0) {
            at.template backward_round<W0, B0>(x, last);
        }
        R::template put<W0, B0, false>(pass.a + offset, x, item);
    });
}

} // namespace gfp_leaf

#endif
