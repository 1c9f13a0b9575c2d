/* multimodular.cuh: the kernels at the ends of products modulo word-size primes: residues of
 * elements, and elements of residues (multimodular_arith.h), with their launches.
 *
 * Residues modulo one prime after another: for each prime rows of 2^log2_n, 4 bytes each for primes
 * below 2^31, else 8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_MULTIMODULAR_CUH
#define GFP_GPU_CUDA_PRODUCT_MULTIMODULAR_CUH

#include "gpu/cuda/impl.h"
#include "gpu/cuda/product/multimodular_arith.h"

namespace multi
{

constexpr unsigned threads = 128;

/* Elements per thread in project. */
constexpr unsigned elements = 2;

/* The residues of `items` elements, 2^log2_n for each product of a batch: len elements and then
 * zeros. Consecutive blocks take the groups of primes in turn. */
template <class word>
static __global__ void __launch_bounds__(threads)
    multimodular_project(word *residues, const uint64_t *x, const __grid_constant__ setting s,
                         unsigned log2_n, size_t len, size_t stride, size_t items, unsigned groups)
{
    constexpr unsigned PRIMES = GFP_MULTI_SPLIT_ROWS * sizeof(uint32_t) / sizeof(word);
    const unsigned group = blockIdx.x % groups;
    const size_t first = (size_t)(blockIdx.x / groups) * (threads * elements) + threadIdx.x;
    const size_t mask = ((size_t)1 << log2_n) - 1;
    const uint64_t *from[elements];
    bool has[elements];
    bool any = false;
    GFP_UNROLLED
    for (unsigned e = 0; e < elements; e++) {
        const size_t item = first + e * threads;
        has[e] = item < items && (item & mask) < len;
        from[e] = x + (has[e] ? (item >> log2_n) * stride + (item & mask) : 0) * s.k;
        any = any || has[e];
    }
    word z[elements][PRIMES] = {};
    if (any) {
        project<word, elements>(z, from, s, group);
    }
    GFP_UNROLLED
    for (unsigned e = 0; e < elements; e++) {
        const size_t item = first + e * threads;
        GFP_UNROLLED
        for (unsigned i = 0; i < PRIMES; i++) {
            if (group * PRIMES + i < s.count && item < items) {
                residues[(group * PRIMES + i) * items + item] = has[e] ? z[e][i] : 0;
            }
        }
    }
}

/* recombine: the warps of a block, which is also the most that share elements, and other constants.
 * A warp computes up to 8 digits of 32 elements at once. */
constexpr unsigned lanes = 32;
constexpr unsigned warps = threads / lanes;
constexpr unsigned padded = lanes + 1; /* neither elements nor digits collide in a bank */

/* Blocks that share the registers of a multiprocessor, for `digits` digits per thread. */
static constexpr unsigned multimodular_resident(unsigned digits)
{
    return digits == 8 ? 4 : digits == 4 ? 6 : 8;
}

/* n elements of each product, from coefficient `first` on; `blocks` blocks per product.
 * Neighbouring warps take the groups of digits of the same elements and read the same residues.
 * Quotients by r are carried after all groups are done. */
template <class word, unsigned DIGITS>
static __global__ void __launch_bounds__(threads, multimodular_resident(DIGITS))
    multimodular_recombine(uint64_t *c, const word *y, const __grid_constant__ setting s,
                           unsigned log2_n, size_t first, size_t n, size_t stride, size_t items,
                           unsigned blocks)
{
    __shared__ uint64_t digits[warps * DIGITS * padded], quotients[warps * DIGITS * padded];
    const unsigned groups = s.k / DIGITS;
    const unsigned together = groups < warps ? groups : warps;
    const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const unsigned member = warp % together;
    const size_t product = blockIdx.x / blocks;
    const size_t start =
        ((size_t)(blockIdx.x % blocks) * (warps / together) + warp / together) * lanes;
    /* Lanes beyond the end repeat the last element; their results are not stored. */
    const size_t i = start + lane < n ? start + lane : n - 1;
    const word *from = y + (product << log2_n) + ((first + i) & (((size_t)1 << log2_n) - 1));
    uint64_t *to = c + (product * stride + start) * s.k;
    const unsigned tile = warp / together * together * DIGITS * padded;
    const unsigned wide = together * DIGITS; /* digits at once, a power of two */
    const unsigned wide_log = 31 - __clz((int)wide);
    uint64_t carry = 0, lowest = 0;
    uint32_t t = 0;
    for (unsigned done = 0; done < groups; done += together) {
        sum96 sums[1][2 * DIGITS] = {};
        merge<word, DIGITS>(sums, from, items, s, done + member, done == 0, &t);
        GFP_UNROLLED
        for (unsigned j = 0; j < DIGITS; j++) {
            const unsigned place = tile + (member * DIGITS + j) * padded + lane;
            uint64_t digit;
            quotients[place] = divide_columns(s.field, sums[0] + 2 * j, 0, &digit);
            digits[place] = digit;
        }
        __syncthreads();
        if (member == 0) {
            for (unsigned j = 0; j < wide; j++) {
                const unsigned place = tile + j * padded + lane;
                digits[place] = add_carry(digits[place], s.field.r, &carry);
                carry += quotients[place];
            }
            lowest = done == 0 ? digits[tile + lane] : lowest;
        }
        __syncthreads();
        for (unsigned j = member * lanes + lane; j < lanes * wide; j += together * lanes) {
            const unsigned element = j >> wide_log, digit = j & (wide - 1);
            if (start + element < n) {
                to[(size_t)element * s.k + done * DIGITS + digit] =
                    digits[tile + digit * padded + element];
            }
        }
        __syncthreads();
    }
    if (member == 0 && start + lane < n) {
        finish(to + (size_t)lane * s.k, s.field.r, s.k, lowest, carry);
    }
}

/* ---- launches ---- */

static unsigned block_count(size_t items, size_t each)
{
    return (unsigned)((items + each - 1) / each);
}

/* Rows of elements, `stride` elements apart, and rows of 2^log2_n residues: elements 0 <= i < n
 * of a row are projected, the other residues are 0; or n elements of a row are made from residues
 * first, first + 1, ..., cyclically. */
struct row_span {
    size_t rows, n, stride, first;
    unsigned log2_n;
};

template <class word>
static gfp_status run_project(gfp_gpu *gpu, const setting &s, void *t, const uint64_t *x,
                              const row_span &r)
{
    const size_t items = r.rows << r.log2_n;
    const unsigned groups = block_count(s.rows, GFP_MULTI_SPLIT_ROWS);
    GFP_LAUNCH(gpu, multimodular_project<word>, groups * block_count(items, threads * elements),
               threads, 0, (word *)t, x, s, r.log2_n, r.n, r.stride, items, groups);
    return GFP_OK;
}

template <class word>
static gfp_status run_recombine(gfp_gpu *gpu, const setting &s, uint64_t *c, const void *t,
                                const row_span &r)
{
    const unsigned groups = s.k / gfp_multi_digits(s.k);
    const unsigned blocks = block_count(r.n, threads / (groups < warps ? groups : warps));
    const unsigned all = blocks * (unsigned)r.rows;
    const size_t items = r.rows << r.log2_n;
    const word *y = (const word *)t;
    switch (gfp_multi_digits(s.k)) {
    case 2:
        GFP_LAUNCH(gpu, (multimodular_recombine<word, 2>), all, threads, 0, c, y, s, r.log2_n,
                   r.first, r.n, r.stride, items, blocks);
        return GFP_OK;
    case 4:
        GFP_LAUNCH(gpu, (multimodular_recombine<word, 4>), all, threads, 0, c, y, s, r.log2_n,
                   r.first, r.n, r.stride, items, blocks);
        return GFP_OK;
    default:
        GFP_LAUNCH(gpu, (multimodular_recombine<word, 8>), all, threads, 0, c, y, s, r.log2_n,
                   r.first, r.n, r.stride, items, blocks);
        return GFP_OK;
    }
}

} // namespace multi

#endif
