/* hybrid_leaf_digits.cu: leaves of the hybrid product: the kernel from residues of the digits' sums
 * to digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/hybrid_leaf.h"

using namespace gfp_leaf;

/* A block takes 2048 digits: position p is digit p / T of column p % T, T = 2048 / k. */
#define LOG_POINTS 11
#define POINTS (1 << LOG_POINTS)
#define PER_THREAD 8
#define THREADS (POINTS / PER_THREAD)

static FAST_HD const gfp_hybrid::crt<3> &crt_of(const gfp_gpu_leaf_crt &crt, gfp_hybrid::crt<3> *)
{
    return crt.of3;
}
static FAST_HD const gfp_hybrid::crt<4> &crt_of(const gfp_gpu_leaf_crt &crt, gfp_hybrid::crt<4> *)
{
    return crt.of4;
}
static FAST_HD const gfp_hybrid::crt<5> &crt_of(const gfp_gpu_leaf_crt &crt, gfp_hybrid::crt<5> *)
{
    return crt.of5;
}
static FAST_HD const gfp_hybrid::crt<6> &crt_of(const gfp_gpu_leaf_crt &crt, gfp_hybrid::crt<6> *)
{
    return crt.of6;
}

/* The place of word p of the rows of k digits in shared memory, padded against
 * conflicts of banks. */
static FAST_HD u32 digits_skewed(u32 p)
{
    return p + (p >> 4);
}

template <int N>
GFP_KERNEL(THREADS, 3)
settle_digits(const __grid_constant__ gfp_gpu_leaf_pass leaf)
{
    GFP_FAST_SHARED(memory);
    s64 *const second = (s64 *)memory; /* c1, then digits */
    s32 *const third = (s32 *)(second + POINTS + POINTS / 16), *const carries = third + POINTS;
    const gfp_hybrid::crt<N> &crt = crt_of(leaf.crt, (gfp_hybrid::crt<N> *)nullptr);
    const u32 log2_k = leaf.log2_k, log2_t = LOG_POINTS - log2_k;
    const u64 columns = leaf.leaves * leaf.length, first = (u64)blockIdx.x << log2_t;
    s64 low[PER_THREAD];
    const u32 *column =
        nullptr; /* digit 0 of the column of position p; if T <= 256, all i have the same column */
    bool inside = false;
    LEAF_UNROLL
    for (int i = 0; i < PER_THREAD; i++) {
        const u32 p = threadIdx.x + THREADS * i;
        if (i == 0 || log2_t > 8) {
            const u64 n = first + (p & ((1u << log2_t) - 1));
            const u64 row = n >> 32 == 0 && leaf.length >> 32 == 0 ? (u32)n / (u32)leaf.length
                                                                   : n / leaf.length;
            inside = n < columns;
            column = leaf.a + (row << log2_k) * leaf.length + (n - row * leaf.length);
        }
        gfp_hybrid::triple c = {0, 0, 0};
        if (inside) {
            const u32 *from = column + (p >> log2_t) * leaf.length;
            s32 x[N];
            LEAF_UNROLL
            for (int j = 0; j < N; j++) {
                x[j] = (s32)from[j * leaf.plane];
            }
            c = gfp_hybrid::recombine(crt, leaf.radix, x);
        }
        low[i] = c.c0;
        second[p] = c.c1;
        third[p] = c.c2;
    }
    __syncthreads();
    LEAF_UNROLL
    for (int i = 0; i < PER_THREAD; i++) {
        const u32 p = threadIdx.x + THREADS * i, one = p - (1u << log2_t), two = p - (2u << log2_t);
        s64 c1 = second[one & (POINTS - 1)];
        s32 c2 = third[two & (POINTS - 1)];
        c1 = p >> log2_t < 1 ? -c1 : c1;
        c2 = p >> log2_t < 2 ? -c2 : c2;
        low[i] = gfp_hybrid::settle(leaf.radix, low[i], c1, c2, &carries[p]);
    }
    __syncthreads();
    LEAF_UNROLL
    for (int i = 0; i < PER_THREAD; i++) {
        const u32 p = threadIdx.x + THREADS * i, one = p - (1u << log2_t), digit = p >> log2_t;
        const s32 carry = carries[one & (POINTS - 1)];
        second[digits_skewed((p & ((1u << log2_t) - 1)) << log2_k | digit)] =
            low[i] + (digit == 0 ? -carry : carry);
    }
    __syncthreads();
    LEAF_UNROLL
    for (int i = 0; i < PER_THREAD; i++) {
        const u32 p = threadIdx.x + THREADS * i;
        if (first + (p >> log2_k) < columns) {
            leaf.digits[(first << log2_k) + p] = second[digits_skewed(p)];
        }
    }
}

template <int N> static gfp_status launch_digits(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    const uint64_t columns = pass->leaves * pass->length;
    const unsigned log2_t = LOG_POINTS - pass->log2_k;
    const uint64_t blocks = ((columns - 1) >> log2_t) + 1;
    if (blocks > INT32_MAX) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "too many blocks for one launch");
    }
    GFP_LAUNCH(gpu, (settle_digits<N>), (unsigned)blocks, THREADS,
               (POINTS + POINTS / 16) * sizeof(int64_t) + 2 * POINTS * sizeof(int32_t), *pass);
    return GFP_OK;
}

gfp_status gfp_gpu_leaf_digits(gfp_gpu *gpu, const gfp_gpu_leaf_pass *pass)
{
    switch (pass->primes) {
    case 3:
        return launch_digits<3>(gpu, pass);
    case 4:
        return launch_digits<4>(gpu, pass);
    case 5:
        return launch_digits<5>(gpu, pass);
    default:
        return launch_digits<6>(gpu, pass);
    }
}
