/* multimodular_arith.h: the first and the last step of a multimodular product, for one element:
 * residues of digits, and digits of residues (gpu/multimodular.h). The code runs on the device and
 * on the host. Bounds: multimodular_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_PRODUCT_MULTIMODULAR_ARITH_H
#define GFP_GPU_CUDA_PRODUCT_MULTIMODULAR_ARITH_H

#include "gpu/cuda/half_words.h"
#include "gpu/multimodular.h"

namespace multi
{

using namespace half_words;

/* The constants of a field and its primes that the kernels use. */
struct setting {
    general::field field;
    const uint32_t *split, *merge; /* aligned to 16 bytes */
    const gfp_multi_prime *prime;
    unsigned k, rows; /* rows of split */
    unsigned merge_rows;
    unsigned count; /* primes */
    unsigned shift; /* their bits above 31 */
};

static inline setting make_setting(const gfp_field *field, const gfp_multi_tables *tables,
                                   unsigned bits, const uint64_t *image)
{
    return {general::make_field(gfp_field_r(field), gfp_field_k(field)),
            (const uint32_t *)image,
            (const uint32_t *)(image + tables->merge),
            (const gfp_multi_prime *)(image + tables->primes),
            gfp_field_k(field),
            (unsigned)tables->rows,
            (unsigned)tables->merge_rows,
            (unsigned)tables->count,
            bits - GFP_MULTI_PIECE_BITS};
}

/* ---- residues of elements ---- */

/* The sum divided by 2^64 modulo q < 2^31. The sum has at most 2^9 products with entries below q:
 * the result is below 2^41 after the first reduction, and at most q + 2^9 after the second. */
static GFP_HD uint32_t reduce_half(const sum96 &x, const gfp_multi_prime &prime)
{
    const uint32_t q = (uint32_t)prime.q, inverse = (uint32_t)prime.negative_inverse;
    const uint64_t f = (uint64_t)(x.low * inverse) * q;
    uint64_t t = ((uint64_t)x.high << 32 | x.middle) + ((f + x.low) >> 32);
    t = (t + (uint64_t)((uint32_t)t * inverse) * q) >> 32;
    return (uint32_t)(t >= q ? t - q : t);
}

/* The sum divided by 2^128 for q < 2^62, from the sums with the two pieces of the entries, together
 * below 2^104: below 2^63 after the first reduction, and at most q after the second. */
static GFP_HD uint64_t reduce_word(const sum96 &x, const sum96 &y, const gfp_multi_prime &prime)
{
    uint64_t upper, lower;
    x.with(y, GFP_MULTI_PIECE_BITS, &upper, &lower);
    const uint64_t q = prime.q, inverse = prime.negative_inverse;
    const uint64_t t = upper + high64(lower * inverse, q) + (lower != 0);
    const uint64_t z = high64(t * inverse, q) + (t != 0);
    return z >= q ? z - q : z;
}

/* z[e][i] := the residue of element e modulo prime i of a group of rows (8 half words, or 4 words),
 * for e < E. The digits of an element are contiguous, aligned to 16 bytes and below 2^64; the
 * special element is not allowed. */
template <class word, unsigned E>
static GFP_HD void project(word (*z)[GFP_MULTI_SPLIT_ROWS * sizeof(uint32_t) / sizeof(word)],
                           const uint64_t *const *x, const setting &s, unsigned group)
{
    constexpr unsigned ROWS = GFP_MULTI_SPLIT_ROWS;
    constexpr unsigned PARTS = sizeof(word) / sizeof(uint32_t);
    const uint32_t *entries = s.split + (size_t)group * 2 * s.k * ROWS;
    sum96 sums[E][ROWS] = {};
    for (unsigned i = 0; i < s.k; i += 2) {
        two digits[E];
        GFP_UNROLLED
        for (unsigned e = 0; e < E; e++) {
            digits[e] = *(const two *)(x[e] + i);
        }
        GFP_UNROLLED
        for (unsigned j = 0; j < 2; j++, entries += 2 * ROWS) {
            uint32_t lower[E], upper[E];
            GFP_UNROLLED
            for (unsigned e = 0; e < E; e++) {
                lower[e] = (uint32_t)digits[e].digit[j];
                upper[e] = (uint32_t)(digits[e].digit[j] >> 32);
            }
            add_two_rows<ROWS, E>(sums, entries, lower, upper);
        }
    }
    GFP_UNROLLED
    for (unsigned i = 0; i < ROWS / PARTS; i++) {
        const unsigned number = group * (ROWS / PARTS) + i;
        const gfp_multi_prime &prime = s.prime[number < s.count ? number : s.count - 1];
        GFP_UNROLLED
        for (unsigned e = 0; e < E; e++) {
            if constexpr (PARTS == 1) {
                z[e][i] = reduce_half(sums[e][i], prime);
            } else {
                z[e][i] = reduce_word(sums[e][2 * i], sums[e][2 * i + 1], prime);
            }
        }
    }
}

/* ---- elements of residues ---- */

/* The fraction y / q in fixed point. The sum of the fractions gives t: see gpu/multimodular.h. */
template <class word>
static GFP_HD uint64_t fraction(word y, const gfp_multi_prime &prime, unsigned shift)
{
    return (uint64_t)(uint32_t)(y >> shift) * (uint32_t)prime.fraction;
}

/* A quarter more makes up for all rounding: the integral part of the sum is t. */
static GFP_HD uint32_t multiple(uint64_t fractions)
{
    constexpr unsigned BITS = GFP_MULTI_FRACTION_BITS;
    return (uint32_t)((fractions + ((uint64_t)1 << (BITS - 2))) >> BITS);
}

/* Adds the products of one residue of 62 bits, or of two residues of 31 bits, to the sums of a
 * group's columns. */
template <unsigned COLUMNS>
static GFP_HD void add_residues(sum96 (*sums)[COLUMNS], const uint32_t *entries, const uint64_t *y)
{
    const uint32_t lower = (uint32_t)*y & ((1u << GFP_MULTI_PIECE_BITS) - 1);
    const uint32_t upper = (uint32_t)(*y >> GFP_MULTI_PIECE_BITS);
    add_two_rows<COLUMNS, 1>(sums, entries, &lower, &upper);
}

template <unsigned COLUMNS>
static GFP_HD void add_residues(sum96 (*sums)[COLUMNS], const uint32_t *entries, const uint32_t *y)
{
    add_two_rows<COLUMNS, 1>(sums, entries, y, y + 1);
}

/* The sums of the columns of a group, for the element with y_i = y[i step]. counting: computes *t,
 * the multiple of M; otherwise *t is given. */
template <class word, unsigned DIGITS>
static GFP_HD void merge(sum96 (*sums)[2 * DIGITS], const word *y, size_t step, const setting &s,
                         unsigned group, bool counting, uint32_t *t)
{
    constexpr unsigned COLUMNS = 2 * DIGITS;
    constexpr unsigned AT_ONCE = 2 * sizeof(uint32_t) / sizeof(word); /* for two rows */
    constexpr unsigned AHEAD = 2 * AT_ONCE;
    const uint32_t *entries = s.merge + (size_t)group * s.merge_rows * COLUMNS;
    uint64_t fractions = 0;
    word next[AHEAD];
    unsigned i = 0;
    GFP_UNROLLED
    for (unsigned j = 0; j < AHEAD; j++) {
        next[j] = j < s.count ? y[j * step] : 0;
    }
    for (; i + AHEAD <= s.count; i += AHEAD) {
        word now[AHEAD];
        GFP_UNROLLED
        for (unsigned j = 0; j < AHEAD; j++) {
            now[j] = next[j];
            next[j] = i + AHEAD + j < s.count ? y[(i + AHEAD + j) * step] : 0;
        }
        if (counting) {
            GFP_UNROLLED
            for (unsigned j = 0; j < AHEAD; j++) {
                fractions += fraction(now[j], s.prime[i + j], s.shift);
            }
        }
        GFP_UNROLLED
        for (unsigned j = 0; j < AHEAD; j += AT_ONCE, entries += 2 * COLUMNS) {
            add_residues(sums, entries, now + j);
        }
    }
    /* The remaining residues, then t in the last two rows, alone or together with the
     * last residue. */
    GFP_UNROLLED
    for (unsigned j = 0; j < AHEAD; j++) {
        if (counting && i + j < s.count) {
            fractions += fraction(next[j], s.prime[i + j], s.shift);
        }
    }
    *t = counting ? multiple(fractions) : *t;
    uint32_t last[2] = {*t, 0};
    GFP_UNROLLED
    for (unsigned j = 0; j < AHEAD; j += AT_ONCE) {
        if (i + j + AT_ONCE <= s.count) {
            add_residues(sums, entries, next + j);
            entries += 2 * COLUMNS;
        } else if (i + j < s.count) {
            last[0] = (uint32_t)next[j];
            last[1] = *t;
        }
    }
    add_residues(sums, entries, last);
}

} // namespace multi

#endif
