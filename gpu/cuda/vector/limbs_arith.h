/* limbs_arith.h: radix conversion of one number (gpu/limbs.h). The code runs on the device and on
 * the host.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_VECTOR_LIMBS_ARITH_H
#define GFP_GPU_CUDA_VECTOR_LIMBS_ARITH_H

#include "gpu/cuda/half_words.h"
#include "gpu/limbs.h"

namespace limbs
{

using namespace half_words;

struct setting {
    general::field field;
    const uint32_t *set, *get; /* aligned to 16 bytes */
    unsigned k, size;
    unsigned groups;     /* groups of `get` */
    unsigned radix_bits; /* 2^radix_bits <= r */
};

static inline setting make_setting(const gfp_field *field, size_t size,
                                   const gfp_limbs_tables *tables, const uint64_t *image)
{
    const general::field f = general::make_field(gfp_field_r(field), gfp_field_k(field));
    const uint32_t *set = (const uint32_t *)image;
    return {f, set, set + tables->get, f.k, (unsigned)size, tables->groups, 63 - f.shift};
}

/* Adds the products of both halves of a word with two rows. */
template <unsigned COLUMNS>
static GFP_HD void add_word(sum96 (*sums)[COLUMNS], const uint32_t *rows, uint64_t v)
{
    const uint32_t lower = (uint32_t)v, upper = (uint32_t)(v >> 32);
    add_entries<COLUMNS, 1>(sums, rows, &lower);
    add_entries<COLUMNS, 1>(sums, rows + COLUMNS, &upper);
}

/* z (aligned to 16 bytes) := x mod p for x of s.size words; DIGITS = gfp_limbs_together(k). */
template <unsigned DIGITS> static GFP_HD void set(uint64_t *z, const uint64_t *x, const setting &s)
{
    uint64_t carry = 0, lowest = 0;
    for (unsigned group = 0; group * DIGITS < s.k; group++) {
        sum96 sums[1][2 * DIGITS] = {};
        /* Words below this number are worth less than r^(DIGITS group): their contributions end
         * below these digits. */
        const unsigned least = (unsigned)((uint64_t)s.radix_bits * DIGITS * group / 64);
        const unsigned first = least < s.size ? least : s.size;
        const uint32_t *rows = s.set + ((size_t)group * 2 * s.size + 2 * first) * (2 * DIGITS);
        for (unsigned j = first; j < s.size; j++, rows += 4 * DIGITS) {
            add_word<2 * DIGITS>(sums, rows, x[j]);
        }
        two digits[DIGITS / 2];
        GFP_UNROLLED
        for (unsigned i = 0; i < DIGITS; i++) {
            carry = divide_columns(s.field, sums[0] + 2 * i, carry, &digits[i / 2].digit[i % 2]);
        }
        GFP_UNROLLED
        for (unsigned i = 0; i < DIGITS / 2; i++) {
            *(two *)(z + group * DIGITS + 2 * i) = digits[i];
        }
        lowest = group == 0 ? digits[0].digit[0] : lowest;
    }
    finish(z, s.field.r, s.k, lowest, carry);
}

/* z (s.size words, at least gfp_field_limbs) := the integer of x (k digits). */
template <unsigned DIGITS> static GFP_HD void get(uint64_t *z, const uint64_t *x, const setting &s)
{
    uint64_t carry = 0;
    for (unsigned group = 0; group * DIGITS < s.size; group++) {
        sum96 sums[1][2 * DIGITS] = {};
        /* Digits below this number end below these words: r^i has at most i words. */
        const unsigned first = group < s.groups ? group * DIGITS : s.k;
        const uint32_t *rows = s.get + ((size_t)group * 2 * s.k + 2 * first) * (2 * DIGITS);
        for (unsigned i = first; i < s.k; i++, rows += 4 * DIGITS) {
            add_word<2 * DIGITS>(sums, rows, x[i]);
        }
        GFP_UNROLLED
        for (unsigned i = 0; i < DIGITS; i++) {
            uint64_t word = 0;
            GFP_UNROLLED
            for (unsigned half = 0; half < 2; half++) {
                const sum96 &sum = sums[0][2 * i + half];
                const uint64_t lower = sum.words() + carry;
                const uint64_t upper = sum.high + (uint64_t)(lower < carry);
                word |= (uint64_t)(uint32_t)lower << (32 * half);
                carry = upper << 32 | lower >> 32;
            }
            if (group * DIGITS + i < s.size) {
                z[group * DIGITS + i] = word;
            }
        }
    }
}

} // namespace limbs

#endif
