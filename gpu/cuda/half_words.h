/* half_words.h: products of a constant matrix of half words and a vector of half words, and
 * elements and integers made from the sums. Conversions between digits and residues consist
 * of these products. The code runs on the device and on the host.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_HALF_WORDS_H
#define GFP_GPU_CUDA_HALF_WORDS_H

#include "gpu/cuda/arith.h"
#include "gpu/cuda/word_arith.h"

namespace half_words
{

/* A sum of products of half words, 96 bits. */
struct sum96 {
    uint32_t low, middle, high;

    /* Adds x0 y0 + x1 y1 for x0, x1 below 2^31: the sum of both products fits 64 bits, which saves
     * one chain of carries. */
    GFP_HD void add_two(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
    {
#ifdef __CUDA_ARCH__
        asm("{\n\t"
            ".reg .u64 both;\n\t"
            ".reg .u32 l, h;\n\t"
            "mul.wide.u32 both, %3, %4;\n\t"
            "mad.wide.u32 both, %5, %6, both;\n\t"
            "mov.b64 {l, h}, both;\n\t"
            "add.cc.u32 %0, %0, l;\n\t"
            "addc.cc.u32 %1, %1, h;\n\t"
            "addc.u32 %2, %2, 0;\n\t"
            "}"
            : "+r"(low), "+r"(middle), "+r"(high)
            : "r"(x0), "r"(y0), "r"(x1), "r"(y1));
#else
        const uint64_t both = (uint64_t)x0 * y0 + (uint64_t)x1 * y1;
        const uint64_t after = words() + both;
        low = (uint32_t)after;
        middle = (uint32_t)(after >> 32);
        high += after < both;
#endif
    }
    GFP_HD uint64_t words() const
    {
        return (uint64_t)middle << 32 | low;
    }
    /* The sum of this number and 2^shift x, 1 <= shift <= 32, as a number of 128 bits. */
    GFP_HD void with(const sum96 &x, unsigned shift, uint64_t *upper, uint64_t *lower) const
    {
        const uint64_t shifted = x.words() << shift;
        *lower = words() + shifted;
        *upper =
            high + ((uint64_t)x.high << shift) + (x.words() >> (64 - shift)) + (*lower < shifted);
    }
};

/* Four entries, read in one access. */
struct alignas(16) four {
    uint32_t entry[4];
};

/* sums[e][i] += v0[e] times entry i, and v1[e] times entry i of the next row, for i < COUNT and e <
 * E; v0[e] and v1[e], or all entries, are below 2^31. */
template <unsigned COUNT, unsigned E>
static GFP_HD void add_two_rows(sum96 (*sums)[COUNT], const uint32_t *entries, const uint32_t *v0,
                                const uint32_t *v1)
{
    GFP_UNROLLED
    for (unsigned i = 0; i < COUNT; i += 4) {
        const four f0 = *(const four *)(entries + i);
        const four f1 = *(const four *)(entries + COUNT + i);
        GFP_UNROLLED
        for (unsigned j = 0; j < 4; j++) {
            GFP_UNROLLED
            for (unsigned e = 0; e < E; e++) {
                sums[e][i + j].add_two(v0[e], f0.entry[j], v1[e], f1.entry[j]);
            }
        }
    }
}

/* Two digits of an element, read or written in one access. */
struct alignas(16) two {
    uint64_t digit[2];
};

/* z := z - carry mod r^k + 1, carry < 2^63, for digits below r. Callers need it rarely. */
static GFP_HD void subtract(uint64_t *z, uint64_t r, unsigned k, uint64_t carry)
{
    for (bool less = true; carry != 0; less = !less) { /* a carry out of the top is worth -1 */
        const bool unit = carry == 1;
        for (unsigned i = 0; i < k && carry != 0; i++) {
            const uint64_t room = less ? z[i] : r - 1 - z[i];
            if (carry <= room) {
                z[i] = less ? z[i] - carry : z[i] + carry;
                carry = 0;
            } else {
                const uint64_t beyond = carry - room - 1;
                carry = beyond / r + 1;
                z[i] = less ? r - 1 - beyond % r : beyond % r;
            }
        }
        if (unit && carry != 0) {
            /* 0 - 1 or (r^k - 1) + 1: the special element. */
            for (unsigned i = 0; i + 1 < k; i++) {
                z[i] = 0;
            }
            z[k - 1] = r;
            carry = 0;
        }
    }
}

/* *digit and the return value := remainder and quotient by r of sums[0] + 2^32 sums[1] + carry.
 * That total is below 2^63 r. */
static GFP_HD uint64_t divide_columns(const general::field &field, const sum96 *sums,
                                      uint64_t carry, uint64_t *digit)
{
    /* Dividend and r are shifted alike until the top bit of r is set. The upper word of the
     * dividend is then below r. */
    const unsigned shift = field.shift;
    uint64_t upper, lower;
    sums[0].with(sums[1], 32, &upper, &lower);
    lower += carry;
    upper += lower < carry;
    upper = shift == 0 ? upper : upper << shift | lower >> (64 - shift);
    const uint64_t quotient = general::divide_words(field, upper, lower << shift, digit);
    *digit >>= shift;
    return quotient;
}

/* Returns digit + *carry modulo r, for digit < r; *carry := the quotient. */
static GFP_HD uint64_t add_carry(uint64_t digit, uint64_t r, uint64_t *carry)
{
    uint64_t rest = *carry, quotient = 0;
    if (rest >= r) { /* only for short digits */
        quotient = rest / r;
        rest -= quotient * r;
    }
    const uint64_t room = r - digit;
    *carry = quotient + (rest >= room);
    return rest >= room ? rest - room : digit + rest;
}

/* Completes an element whose other digits are in place: digit 0 := lowest, then z := z - carry. */
static GFP_HD void finish(uint64_t *z, uint64_t r, unsigned k, uint64_t lowest, uint64_t carry)
{
    if (carry <= lowest) {
        z[0] = lowest - carry;
    } else {
        z[0] = lowest;
        subtract(z, r, k, carry);
    }
}

} // namespace half_words

#endif
