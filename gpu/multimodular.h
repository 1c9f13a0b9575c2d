/* multimodular.h: the multimodular engine's primes and constants, made on the host. Plain C.
 *
 * Factors are polynomials over Z with coefficients in [0, p - 1]; a coefficient c of their product,
 * a sum of at most `terms` products, is known by its residues c_i modulo primes q_i whose product M
 * exceeds 2 terms (p - 1)^2. With M_i = M / q_i and y_i = c_i / M_i mod q_i,
 *     c = sum y_i M_i - t M,  t = floor(sum y_i / q_i),
 * and c / M < 1/2 leaves so much room that t comes of fractions rounded down. Modulo p, c is the
 * sum of y_i (M_i mod p) and t (-M mod p): products of words with rows of base-r digits.
 *
 * Both steps at the ends are products of a constant matrix with a vector of half words: digits cut
 * in two by powers of r, and residues (one half word, or two) by digits of the M_i.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_MULTIMODULAR_H
#define GFP_GPU_MULTIMODULAR_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

/* More than 2 terms (p - 1)^2 < 2^(2 + 64 + 2 64 256) needs of primes above 2^30. */
#define GFP_MULTI_MAX_PRIMES 1100

typedef struct gfp_multi_primes {
    unsigned bits; /* 31, 50 or 62: 2^(bits - 1) < q_i < 2^bits */
    unsigned log2_n;
    size_t count;
    uint64_t q[GFP_MULTI_MAX_PRIMES];
} gfp_multi_primes;

/* At most so many are needed for sums of `terms` products. */
size_t gfp_multi_most(const gfp_field *field, unsigned bits, size_t terms);
/* Whether there are so many of 31 bits with transforms of 2^log2_n points. */
bool gfp_multi_half_words(const gfp_field *field, unsigned log2_n, size_t terms);
/* The greatest primes below 2^bits with transforms of 2^log2_n points, as few as sums of `terms`
 * products take; false: there are not enough (of 31 bits; log2_n <= 32). Cost: 1 to 10 microseconds
 * per candidate, of which every tenth to twentieth is prime. */
bool gfp_multi_choose(gfp_multi_primes *primes, const gfp_field *field, unsigned bits,
                      unsigned log2_n, size_t terms);

/* Rows of the first matrix, and columns of the second one, that a thread treats at once. */
#define GFP_MULTI_SPLIT_ROWS 8
static inline unsigned gfp_multi_digits(unsigned k)
{
    return k < 8 ? k : 8;
}

/* Residues of more than 31 bits, and entries modulo such primes, are cut after the lower 31. Of y
 * only the upper 31 bits, y' = floor(y / 2^shift), count for the fraction y / q: it is
 * y' floor(2^53 2^shift / q), which is below 2^53, so that 2^11 of them stay below 2^64. */
#define GFP_MULTI_PIECE_BITS 31
#define GFP_MULTI_FRACTION_BITS 53

/* q and -1/q mod 2^64 (the lower half of it is -1/q mod 2^32), and the factor above. */
typedef struct gfp_multi_prime {
    uint64_t q, negative_inverse, fraction;
} gfp_multi_prime;

/* For the device, in one block: split, entries of half words by groups of 8 rows, each group 2 k
 * columns: column 2 i + h holds 2^(32 h) r^i modulo the primes, times 2^64 (half words) or 2^128;
 * a prime of more than 31 bits has two rows, for the two pieces of its entries. Then merge, by
 * groups of 2 gfp_multi_digits(k) columns, each group two rows by two rows: (half by half) the
 * digits of M_i mod p and, where y_i has two pieces, of 2^31 M_i mod p; of -M mod p; and of 0 where
 * that is needed to make two. Then the primes. */
typedef struct gfp_multi_tables {
    size_t rows;          /* of split: count or 2 count */
    size_t merge_rows;    /* even */
    size_t merge, primes; /* where they begin, in words; split begins at 0 */
    size_t words;
    uint64_t *image;
    uint64_t *scale; /* count: 2^32 or 2^64 / (N M_i) mod q_i */
    size_t count;
} gfp_multi_tables;

size_t gfp_multi_table_words(unsigned k, unsigned bits, size_t count);
/* MEMORY: nothing is left. */
gfp_status gfp_multi_tables_init(gfp_multi_tables *tables, const gfp_field *field,
                                 const gfp_multi_primes *primes, const gfp_allocator *allocator);
void gfp_multi_tables_release(gfp_multi_tables *tables, const gfp_allocator *allocator);

GFP_END_DECLS
#endif
