/* hybrid_leaf_settle.cuh: from residues of digits' sums to digits, in the layout of
 * hybrid_leaf_edge.cuh. A thread has all digits of a coefficient, or 16 digits of a longer one,
 * modulo every prime. For five primes, as 64-bit radices need.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_SETTLE_CUH
#define GFP_GPU_CUDA_PRODUCT_HYBRID_LEAF_SETTLE_CUH

#include "gpu/cuda/product/hybrid_leaf_edge.cuh"

namespace gfp_leaf
{

constexpr int SETTLED_PRIMES = 5, SETTLED_MAX_LOG_K = 4;

/* Shared memory holds planes of a block's points, padded so that neighbours in rounds and digits of
 * a coefficient lie in different banks, or nearly. */
static FAST_HD constexpr int settled_pad(int p)
{
    return p + (p >> 8) * 18;
}
template <class E> constexpr int settled_plane = settled_pad(E::POINTS);

/* Moves the registers of group g to a plane and back. The parts of a position occupy separate bits,
 * so that their padded places add up. */
template <class E, int W, int B>
static FAST_HD void settled_put(u32 *plane, const u32 *x, int thread, int g)
{
    u32 *to = plane + settled_pad(E::template position<W, B>(thread, g, 0));
    gfp_fast::unroll<(1 << W)>([&](auto ic) {
        constexpr int i = decltype(ic)::value, at = settled_pad(i << B);
        to[at] = x[i];
    });
}
template <class E, int W, int B>
static FAST_HD void settled_get(u32 *x, const u32 *plane, int thread, int g)
{
    const u32 *from = plane + settled_pad(E::template position<W, B>(thread, g, 0));
    gfp_fast::unroll<(1 << W)>([&](auto ic) {
        constexpr int i = decltype(ic)::value, at = settled_pad(i << B);
        x[i] = from[at];
    });
}

/* The digits of one coefficient from its residues: digit j is register first + j STEP of each
 * prime. */
template <int K, int STEP, int SIZE>
static FAST_HD void settle_coefficient(const gfp_gpu_leaf_pass &pass,
                                       const u32 (&x)[SETTLED_PRIMES][SIZE], int first, s64 (&d)[K])
{
    const gfp_hybrid::radix &R = pass.radix;
    s64 c1[K];
    s32 c2[K], carry[K];
    LEAF_UNROLL
    for (int j = 0; j < K; j++) {
        s32 y[SETTLED_PRIMES];
        LEAF_UNROLL
        for (int i = 0; i < SETTLED_PRIMES; i++) {
            y[i] = (s32)x[i][first + j * STEP];
        }
        const gfp_hybrid::triple c =
            gfp_hybrid::recombine<SETTLED_PRIMES, false>(pass.crt.of5, R, y);
        d[j] = c.c0, c1[j] = c.c1, c2[j] = c.c2;
    }
    /* Values that pass the top come back negated. */
    LEAF_UNROLL
    for (int j = 0; j < K; j++) {
        d[j] = gfp_hybrid::settle(R, d[j], j < 1 ? -c1[K - 1] : c1[j - 1],
                                  j < 2 ? -c2[K + j - 2] : c2[j - 2], &carry[j]);
    }
    LEAF_UNROLL
    for (int j = 0; j < K; j++) {
        d[j] += j < 1 ? -carry[K - 1] : carry[j - 1];
    }
}

/* Writes the digits of the coefficients in group g of the thread to the first two planes (lower and
 * upper words), at the places of their residues x. */
template <class E, int LOG_K, int SIZE>
static FAST_HD void settle_group(const gfp_gpu_leaf_pass &pass,
                                 const u32 (&x)[SETTLED_PRIMES][SIZE], u32 *planes, int thread,
                                 int g)
{
    constexpr int K = 1 << LOG_K, STEP = SIZE / K;
    LEAF_UNROLL
    for (int e = 0; e < STEP; e++) {
        s64 d[K];
        settle_coefficient<K, STEP>(pass, x, e, d);
        LEAF_UNROLL
        for (int j = 0; j < K; j++) {
            u32 *to = planes + settled_pad(E::template position<E::W0, E::B0>(thread, g, 0)) +
                      settled_pad((j * STEP + e) << E::B0);
            to[0] = (u32)d[j];
            to[settled_plane<E>] = (u32)((u64)d[j] >> 32);
        }
    }
}

/* Digit n of the block in the order of its coefficients, read from the place where settle_group has
 * put it. */
template <class E, int LOG_K> static FAST_HD s64 settled_digit(const u32 *planes, int n)
{
    const u32 *from =
        planes + settled_pad((n & ((1 << LOG_K) - 1)) << (E::LOG_POINTS - LOG_K) | n >> LOG_K);
    return (s64)((u64)from[settled_plane<E>] << 32 | from[0]);
}

/* Stores the block's digits in the order of memory: digit(n) is number n = (part;
 * column; digit). */
template <class E, int LOG_K, class Digit>
static FAST_HD void store_digits(const E &at, int thread, const Digit &digit)
{
    constexpr int LOG_T = E::LOG_T, K = 1 << LOG_K, parts = 1 << (E::A - LOG_K);
    const gfp_gpu_leaf_pass &pass = at.pass;
    if constexpr (parts == 1) {
        /* Columns are coefficients, leaf after leaf. */
        const u64 columns = pass.leaves * pass.length - at.first;
        s64 *to = pass.digits + (at.first << LOG_K);
        LEAF_UNROLL
        for (int i = 0; i < 16; i++) {
            const int n = i * E::THREADS + thread;
            if ((u64)(n >> LOG_K) < columns) {
                to[n] = digit(n);
            }
        }
    } else if constexpr (E::THREADS >= K << LOG_T) {
        /* A thread takes one column. */
        const int inner = thread & ((K << LOG_T) - 1);
        const column c = at.column_of(inner >> LOG_K);
        constexpr int step = E::THREADS / (K << LOG_T);
        const int first = thread / (K << LOG_T);
        s64 *to = pass.digits + ((c.leaf * pass.length + first * at.part + c.x) << LOG_K) +
                  (inner & (K - 1));
        if (c.inside) {
            LEAF_UNROLL
            for (int i = 0; i < 16; i++) {
                to[i * (step * at.part << LOG_K)] = digit(i * E::THREADS + thread);
            }
        }
    } else {
        /* A warp takes 32 digits of a column; a coefficient has K >= 32. */
        static_assert(K >= 32, "digits of one coefficient");
        LEAF_ROLLED
        for (int x = thread / 32; x < 1 << LOG_T; x += E::THREADS / 32) {
            const column c = at.column_of(x);
            s64 *to = pass.digits + ((c.leaf * pass.length + c.x) << LOG_K) + (thread & 31);
            if (c.inside) {
                LEAF_UNROLL
                for (int i = 0; i < parts * K / 32; i++) {
                    const int part = i / (K / 32), first = i % (K / 32) * 32;
                    to[(part * at.part << LOG_K) + first] =
                        digit((part << LOG_T | x) << LOG_K | first | (thread & 31));
                }
            }
        }
    }
}

} // namespace gfp_leaf

#endif
