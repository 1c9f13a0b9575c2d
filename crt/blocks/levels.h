/* levels.h: the inner loops of projection and reconstruction (remainders.h) at three levels.
 *
 * Both are products of a matrix of 51-bit digits of integers and a table. An integer x of `len`
 * digits d_t, x = sum d_t 2^(51 t) - s 2^(51 len), s = 1 if x < 0, has the residues sum d_t
 * (2^(51 t) mod q) - s (2^(51 len) mod q): the table has the powers modulo eight primes. An integer
 * c with the residues c_i is sum y_i M_i - f M, M_i = M / q_i, y_i = c_i / M_i mod q_i: the table
 * has the digits of the rows M_i. Lanes are the eight primes of a block there, eight integers here.
 *
 * Two terms of a sum take one product, by Winograd's identity (IEEE Trans. Computers C-17, 1968):
 * a a' + b b' = (a + b') (b + a') - a b - a' b'. The products a b of neighbours in a row of either
 * matrix serve all sums with this row: they are computed once. So digits have 51 bits, and the
 * other factors are below 2^50: their sums are factors of 52 bits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_LEVELS_H
#define GFP_CRT_BLOCKS_LEVELS_H

#include "field/base/cpu.h"
#include "fft/words/block.h"

/* The digits whose powers are tabulated; longer integers take several steps. */
#define GFP_WORDS_STEP 88
/* The bits of a digit. */
#define GFP_WORDS_DIGIT_BITS 51
#define GFP_WORDS_DIGIT_MASK (((uint64_t)1 << GFP_WORDS_DIGIT_BITS) - 1)
/* The words of the table of a block: powers, and sums of products of neighbours. */
#define GFP_WORDS_POWERS ((size_t)(GFP_WORDS_STEP + 1) * GFP_WORDS)
#define GFP_WORDS_POWER_WORDS (GFP_WORDS_POWERS + (size_t)(GFP_WORDS_STEP / 2 + 1) * GFP_WORDS)
/* The integers of a group, and the digits of a column of rows. */
#define GFP_WORDS_GROUP 8
/* The most rows of a leaf. */
#define GFP_WORDS_ROWS 1024

/* Minus the sum of the products of neighbours, in two words of which the lower one is not negative:
 * low + 2^52 high. */
#define GFP_WORDS_NEIGHBOURS_BITS 62
static inline void gfp_words_neighbours(uint64_t *low, uint64_t *high, gfp_u128 sum)
{
    *low = ((uint64_t)1 << GFP_WORDS_NEIGHBOURS_BITS) - ((uint64_t)sum & GFP_WORDS_RADIX_MASK);
    *high = 0 - (uint64_t)(sum >> GFP_WORDS_RADIX_BITS) -
            ((uint64_t)1 << (GFP_WORDS_NEIGHBOURS_BITS - GFP_WORDS_RADIX_BITS));
}

/* Integers in digits: len digits each, then all bits of s, then gfp_words_neighbours of the digits
 * of each step: stride words in all. */
typedef struct gfp_words_digits {
    uint64_t *digits;
    size_t len, stride, n;
} gfp_words_digits;

/* The steps of an integer of len digits. */
static inline size_t gfp_words_steps(size_t len)
{
    return (len + GFP_WORDS_STEP - 1) / GFP_WORDS_STEP;
}

/* A part of a basis, with the tables of the reconstruction by its primes. */
typedef struct gfp_words_leaf {
    const gfp_words *const *blocks;
    const uint8_t *use;
    size_t count;          /* blocks */
    size_t primes;         /* the bits of `use` */
    size_t rows;           /* primes, one more in a basis of one leaf: -M; then 0, if odd */
    size_t digits;         /* of a row */
    uint64_t *reciprocals; /* gfp_words_reciprocal of each prime in use */
    uint64_t *scale;       /* 1 / M_i mod q_i, eight words for a block, 0 for primes not in use */
    uint64_t *table;       /* see gfp_words_entry */
    /* Of each column two words whose sum low + 2^52 high is that of gfp_words_neighbours, as the
     * level takes them: the low words of all columns, then the high ones. */
    uint64_t *neighbours;
} gfp_words_leaf;

/* Returns the least multiple of 8 that is at least n. */
static inline size_t gfp_words_columns(size_t n)
{
    return (n + GFP_WORDS_GROUP - 1) / GFP_WORDS_GROUP * GFP_WORDS_GROUP;
}

/* Returns the index of digit t of a row: eight digits of all rows lie together. */
static inline size_t gfp_words_entry(const gfp_words_leaf *leaf, size_t row, size_t t)
{
    return (t / GFP_WORDS_GROUP * leaf->rows + row) * GFP_WORDS_GROUP + t % GFP_WORDS_GROUP;
}

/* The fraction y / q in units of 2^-49, rounded down twice: floor(y floor(2^101 / q) / 2^52) is low
 * by less than 1 + 1/4, as y < 2^50; 2^101 / q < 2^52. */
#define GFP_WORDS_FRACTION_BITS 49
static inline uint64_t gfp_words_reciprocal(uint64_t q)
{
    return (uint64_t)(((gfp_u128)1 << (GFP_WORDS_FRACTION_BITS + GFP_WORDS_RADIX_BITS)) / q);
}

/* The first bit of limb j is bit `shift` of digit t. */
typedef struct gfp_words_place {
    size_t t;
    unsigned shift;
} gfp_words_place;

/* The place of the next limb. */
static inline gfp_words_place gfp_words_next(gfp_words_place p)
{
    const unsigned shift = p.shift + 64 - GFP_WORDS_DIGIT_BITS;
    const unsigned more = shift >= GFP_WORDS_DIGIT_BITS ? 1 : 0;
    return (gfp_words_place){p.t + 1 + more, shift - more * GFP_WORDS_DIGIT_BITS};
}

/* pack for one integer; sign: 0 or all ones. */
static inline void gfp_words_pack_one(uint64_t *c, size_t width, uint64_t *d, size_t len)
{
    const uint64_t sign = 0 - (d[(len - 1) * GFP_WORDS_GROUP] >> (GFP_WORDS_DIGIT_BITS - 1));
    d[len * GFP_WORDS_GROUP] = d[(len + 1) * GFP_WORDS_GROUP] = sign & GFP_WORDS_DIGIT_MASK;
    gfp_words_place p = {0, 0};
    size_t j = 0;
    for (; j < width && p.t < len; j++, p = gfp_words_next(p)) {
        const uint64_t *x = d + p.t * GFP_WORDS_GROUP;
        /* The third digit is moved by 102 - shift >= 52 bits, in two steps below 64. */
        const unsigned second = GFP_WORDS_DIGIT_BITS - p.shift;
        c[j] = x[0] >> p.shift | x[GFP_WORDS_GROUP] << second |
               x[(size_t)2 * GFP_WORDS_GROUP] << second << (GFP_WORDS_DIGIT_BITS - 1) << 1;
    }
    for (; j < width; j++) {
        c[j] = sign;
    }
}

typedef struct gfp_words_kernels {
    /* powers[8 t + l] := p_t = 2^(51 t + 52) mod q_l, t <= GFP_WORDS_STEP, and behind these
     * [8 j + l] := -(p_0 p_1 + ... + p_(2j-2) p_(2j-1)) mod q_l, j <= GFP_WORDS_STEP / 2. */
    void (*tabulate)(const gfp_words *block, uint64_t *powers);
    /* x := 1 / x modulo the primes whose bit is set in `use`, 0 modulo the others. Returns the bits
     * in use where x is 0, which has no inverse. */
    unsigned (*invert)(const gfp_words *block, unsigned use, uint64_t x[GFP_WORDS]);
    /* digits := the low len digits of the number x >= 0 of n limbs, n >= 1. */
    void (*split)(uint64_t *digits, size_t len, const uint64_t *x, size_t n);
    /* The rows of a leaf but the last ones: the digits of M / q_l for each prime in use, M their
     * product with these digits; and adds all rows to sums. gfp_words_columns(leaf->digits) digits
     * and sums. */
    void (*divide)(const gfp_words_leaf *leaf, const uint64_t *digits, uint64_t *sums);
    /* Sets leaf->neighbours, from all rows. */
    void (*neighbours)(const gfp_words_leaf *leaf);
    /* The integers in digits from x->n numbers of `width` limbs in two's complement; x->len =
     * gfp_words_digits_of(64 width). */
    void (*cut)(const gfp_words_digits *x, const uint64_t *limbs, size_t width);
    /* z[8 i + l] := x_i mod q_l in [0, q_l). */
    void (*project)(const gfp_words *block, const uint64_t *powers, uint64_t *z,
                    const gfp_words_digits *x);
    /* For n <= 8 integers, y[8 r + i] := y_r of integer i for the primes in use, r < primes, and 0
     * for i >= n; sums[i] := the sum of the fractions y_r / q_r. z: block j of integer i is at
     * z[j step + 8 i]. */
    void (*weigh)(const gfp_words_leaf *leaf, uint64_t *y, uint64_t sums[GFP_WORDS_GROUP],
                  const uint64_t *z, size_t step, size_t n);
    /* d[8 t + i] := digit t of the sum of y[8 r + i] times row r modulo 2^(51 len), i < n <= 8, t <
     * len <= leaf->digits. d has 8 len words, of which those for i >= n may change. */
    void (*combine)(const gfp_words_leaf *leaf, uint64_t *d, size_t len, const uint64_t *y,
                    size_t n);
    /* c[i stride + j] := limb j < width of the number of len digits d[8 t + i], i < n <= 8, in
     * two's complement. Puts the sign in digits len and len + 1. */
    void (*pack)(uint64_t *c, size_t stride, size_t width, uint64_t *d, size_t len, size_t n);
} gfp_words_kernels;

/* split, divide, neighbours and cut of the portable level. */
void gfp_words_split(uint64_t *digits, size_t len, const uint64_t *x, size_t n);
void gfp_words_rows(const gfp_words_leaf *leaf, const uint64_t *digits, uint64_t *sums);
void gfp_words_sum_rows(const gfp_words_leaf *leaf);
void gfp_words_cut(const gfp_words_digits *x, const uint64_t *limbs, size_t width);

extern const gfp_words_kernels gfp_words_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_words_kernels gfp_words_avx2;
extern const gfp_words_kernels gfp_words_avx512dq;
extern const gfp_words_kernels gfp_words_avx512;
#endif

#endif
