/* fast_radix.h: the radices of the fast arithmetic (fast_arith.h) as types. modulus<k, r> knows
 * all constants at compile time and has short series for r = 2^w +- 2^u; radix<k, LOW_ZERO> takes
 * its constants from the arguments of a kernel.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_FAST_RADIX_H
#define GFP_GPU_CUDA_FAST_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* FAST_HD_LONG: long functions, of which a host's program has one copy. */
#ifdef __CUDACC__
#define FAST_HD __host__ __device__ __forceinline__
#define FAST_HD_LONG FAST_HD
#else
#define FAST_HD inline __attribute__((always_inline))
#define FAST_HD_LONG inline __attribute__((noinline))
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
    int log = 0;
    for (; x > 1; x >>= 1) {
        log++;
    }
    return log;
}

/* The constants of a radix r, 2^b <= r < 2^(b+1), 33 <= b. */
struct radix_constants {
    u64 r;
    /* Quotients of columns: 2^b / r = inverse0 2^-32 + inverse1 2^-64 + inverse2 2^-96; a column is
     * taken down to 2^(32 + align), and its quotient has `fraction` bits after the point. */
    u32 inverse0, inverse1, inverse2;
    s32 align, fraction;
    /* 2^64 bias r > |W| for every column W of products, as words 2 to 4; it makes columns positive.
     */
    u32 bias, bias2, bias3, bias4;
    /* Quotients of a digit and a carry, down to 2^(32 + small_align). */
    s32 small_inverse, small_align, small_shift;
    /* Quotients of the words of a level (quotient22). */
    s32 level_inverse, level_left, level_right, level_shift;
    s64 level_half;
};

FAST_HD constexpr radix_constants make_constants(int k, u64 r)
{
    radix_constants c = {};
    const int b = log2_of(r);
    c.r = r;
    u128 rest = (u128)1 << b;
    u32 words[3] = {};
    for (int i = 0; i < 3; i++) {
        rest <<= 32;
        words[i] = (u32)(rest / r);
        rest %= r;
    }
    c.inverse0 = words[0], c.inverse1 = words[1], c.inverse2 = words[2];
    c.fraction = b - 32 < 24 ? b - 32 : 24;
    c.align = b - 32 - c.fraction;
    /* |W| < 2^(64 + log2 k + 1) r. Word 3 has room for the carries of a column. */
    c.bias = 2 * (u32)k;
    if ((u32)((u128)c.bias * r >> 32) > ~(u32)0 - 64) {
        c.bias++;
    }
    const u128 multiple = (u128)c.bias * r;
    c.bias2 = (u32)multiple, c.bias3 = (u32)(multiple >> 32), c.bias4 = (u32)(multiple >> 64);
    const int small_fraction = b - 32 < 21 ? b - 32 : 21;
    c.small_inverse = (s32)(words[0] >> 1);
    c.small_align = b - 32 - small_fraction;
    c.small_shift = small_fraction - 1;
    /* Words are taken in units of 2^(44 - left); 2^(44 - left) / r = level_inverse 2^-(32 +
     * level_shift). */
    const int left = 63 - b < 22 ? 63 - b : 22;
    c.level_left = (s32)((u32)1 << left);
    c.level_right = 22 - left;
    c.level_shift = b + left - 45;
    c.level_inverse = (s32)(words[0] >> 1);
    c.level_half = (s64)((u64)1 << (31 + c.level_shift));
    return c;
}

/* A modulus r^k + 1 and its constants. */
template <int K_, u64 R_> struct modulus {
    static constexpr int k = K_;
    static constexpr u64 r = R_;
    static constexpr u32 r0 = (u32)R_, r1 = (u32)(R_ >> 32);
    static constexpr bool low_zero = r0 == 0;
    static constexpr int log_k = log2_of(K_);
    /* r = 2^width (1 + sign 2^-delta) if r has two terms. */
    static constexpr bool below = (R_ >> 63) != 0 && (R_ + (R_ & (0 - R_))) == 0;
    static constexpr bool minus =
        below ||
        (R_ + (R_ & (0 - R_)) != 0 && ((R_ + (R_ & (0 - R_))) & (R_ + (R_ & (0 - R_)) - 1)) == 0 &&
         (R_ & (R_ - 1)) != 0);
    static constexpr int width = below ? 64 : minus ? log2_of(R_) + 1 : log2_of(R_);
    static constexpr u64 tail =
        minus ? 0 - R_ + (width == 64 ? 0 : (u64)1 << (width & 63)) : R_ - ((u64)1 << (width & 63));
    /* Short series serve if they converge fast enough. */
    static constexpr int distance =
        tail != 0 && (tail & (tail - 1)) == 0 ? width - log2_of(tail) : 0;
    static constexpr bool two_terms =
        low_zero && distance >= 10 && width >= 56 && (width < 64 || distance <= 16);
    static constexpr int delta = two_terms ? distance : 0;
    static constexpr bool wide_series =
        width == 64 && two_terms && minus && delta >= 14 && delta < 16;
    /* Words have room for product digits of 3/2 r; the series (1 - y + y^2) is enough. */
    static constexpr bool roomy = two_terms && !minus && width == 62 && delta > 22 && delta < 32;
    /* Digits divided by 2^s, s <= 28, plus the remainder handed down by the next digit, fit a word:
     * as unsigned numbers, or as signed ones if the remainder is negative. */
    static constexpr bool shifts_in_words = r - (r >> 28) < (u64)1 << 63;
    /* 2^63 - r/2 is smaller than the error of three-word quotients: quotients must be closer. */
    static constexpr bool tight = width == 64;
    /* Sums of two digits fit a word. */
    static constexpr bool pairs = k >= 16 && r < (u64)1 << 63;
    /* Sums of up to free_tops products of upper words, and a carry, fit 64 bits. */
    static constexpr u64 top_product = (u64)r1 * r1;
    static constexpr int free_tops =
        (int)(~(u64)0 / top_product > 64 ? 64 : (~(u64)0 - 1) / (top_product + 1));
    static constexpr bool at_run_time = false;
    static constexpr radix_constants c = make_constants(K_, R_);

    FAST_HD modulus()
    {
    }
    FAST_HD explicit modulus(const radix_constants &)
    {
    }
};

/* Any radix from RADIX_LEAST to RADIX_MOST, below 2^63 for k = 16; if LOW_ZERO, a multiple of 2^32.
 */
constexpr u64 RADIX_LEAST = (u64)1 << 33, RADIX_MOST = 0 - ((u64)1 << 48);

template <int K_, bool LOW_ZERO> struct radix {
    static constexpr int k = K_;
    static constexpr int log_k = log2_of(K_);
    static constexpr bool low_zero = LOW_ZERO;
    static constexpr bool two_terms = false, roomy = false, wide_series = false, tight = false;
    static constexpr bool shifts_in_words = false;
    static constexpr bool pairs = k >= 16;
    static constexpr bool at_run_time = true;
    static constexpr int free_tops = 0;
    const radix_constants &c;
    u64 r;
    u32 r0, r1;

    FAST_HD explicit radix(const radix_constants &constants)
        : c(constants), r(constants.r), r0(LOW_ZERO ? 0 : (u32)constants.r),
          r1((u32)(constants.r >> 32))
    {
    }
};

} // namespace gfp_fast
#endif
