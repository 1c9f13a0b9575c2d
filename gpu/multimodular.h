/* multimodular.h: the multimodular engine's primes and constants, computed on the host. Plain C.
 *
 * Factors are polynomials over Z with coefficients in [0, p - 1]. A coefficient c of their product
 * is a sum of at most `terms` products. The residues c_i modulo primes q_i determine c, if the
 * product M of the primes exceeds 2 terms (p - 1)^2. With M_i = M / q_i and y_i = c_i / M_i mod
 * q_i,
 *     c = sum y_i M_i - t M,  t = floor(sum y_i / q_i),
 * and c / M < 1/2 leaves enough room to compute t from fractions rounded down. Modulo p, c is the
 * sum of y_i (M_i mod p) and t (-M mod p): products of words with rows of base-r digits.
 *
 * Both steps at the ends are products of a constant matrix with a vector of half words: digits cut
 * in two by powers of r, and residues (one half word, or two) by digits of the M_i.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_MULTIMODULAR_H
#define GFP_GPU_MULTIMODULAR_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

/* An upper bound: this many primes above 2^30 exceed 2 terms (p - 1)^2 < 2^(2 + 64 + 2 64 256). */
#define GFP_MULTI_MAX_PRIMES 1100

typedef struct gfp_multi_primes {
    unsigned bits; /* 31, 50 or 62: 2^(bits - 1) < q_i < 2^bits */
    unsigned log2_n;
    size_t count;
    uint64_t q[GFP_MULTI_MAX_PRIMES];
} gfp_multi_primes;

/* An upper bound of the number of primes for sums of `terms` products. */
size_t gfp_multi_most(const gfp_field *field, unsigned bits, size_t terms);
/* Whether enough primes of 31 bits exist that have transforms of 2^log2_n points. */
bool gfp_multi_half_words(const gfp_field *field, unsigned log2_n, size_t terms);
/* Chooses the greatest primes below 2^bits with transforms of 2^log2_n points, as few as sums of
 * `terms` products need. Returns false if there are not enough (of 31 bits; log2_n <= 32). Cost: 1
 * to 10 microseconds per candidate; every tenth to twentieth candidate is prime. */
bool gfp_multi_choose(gfp_multi_primes *primes, const gfp_field *field, unsigned bits,
                      unsigned log2_n, size_t terms);

/* Rows of the first matrix, and columns of the second one, that a thread treats at once. */
#define GFP_MULTI_SPLIT_ROWS 8
static inline unsigned gfp_multi_digits(unsigned k)
{
    return k < 8 ? k : 8;
}

/* Residues of more than 31 bits, and entries modulo such primes, are cut into the lower 31 bits and
 * the rest. The fraction y / q only uses the upper 31 bits of y, y' = floor(y / 2^shift): it is y'
 * floor(2^53 2^shift / q), below 2^53, so that sums of 2^11 fractions stay below 2^64. */
#define GFP_MULTI_PIECE_BITS 31
#define GFP_MULTI_FRACTION_BITS 53

/* q, -1/q mod 2^64 (its lower half is -1/q mod 2^32), and the factor floor(2^53 2^shift
 * / q) above. */
typedef struct gfp_multi_prime {
    uint64_t q, negative_inverse, fraction;
} gfp_multi_prime;

/* For the device, in one block. First split: half words in groups of 8 rows, each group with 2 k
 * columns. Column 2 i + h holds 2^(32 h) r^i modulo the primes, times 2^64 (half words) or 2^128; a
 * prime of more than 31 bits has two rows, for the two pieces of its entries. Then merge: groups of
 * 2 gfp_multi_digits(k) columns, each group two rows by two rows, with the digits, half by half, of
 * M_i mod p (and of 2^31 M_i mod p if y_i has two pieces), of -M mod p, and of 0 if the number of
 * rows would be odd. Then the primes. */
typedef struct gfp_multi_tables {
    size_t rows;          /* rows of split: count or 2 count */
    size_t merge_rows;    /* even */
    size_t merge, primes; /* offsets in words; split begins at 0 */
    size_t words;
    uint64_t *image;
    uint64_t *scale; /* count words: 2^32 or 2^64 / (N M_i) mod q_i */
    size_t count;
} gfp_multi_tables;

size_t gfp_multi_table_words(unsigned k, unsigned bits, size_t count);
/* Errors: MEMORY; nothing is left allocated. */
gfp_status gfp_multi_tables_init(gfp_multi_tables *tables, const gfp_field *field,
                                 const gfp_multi_primes *primes, const gfp_allocator *allocator);
void gfp_multi_tables_release(gfp_multi_tables *tables, const gfp_allocator *allocator);

GFP_END_DECLS
#endif
