/* papers/counts.h: how many operations products and transforms take, by walking their plans without
 * computing anything: what ISSAC 2017, section 2, formulas (2) to (4) tell the leading terms of.
 * tests/test_counts.c compares with the operations that really happen.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "gfpoly.h"
#include "gfpoly/rival.h"

/* Moved words are kept apart by the size of the area they lie in: log2 of its words. */
#define COUNT_AREAS 40

typedef struct counts {
    /* In Z/pZ. */
    double products;   /* general products of elements, many in one call */
    double powers;     /* general products of elements, one after the other: a table of powers */
    double digit_sums; /* sums and differences of digits in butterflies, 2k each, and in 1/N */
    double turned;     /* digits that these multiply by r^s, s != 0: moved to another place */
    double outer_sums; /* sums and differences of digits in hybrid's outer DFT */
    /* Modulo primes of a word. */
    double butterflies; /* a product by a constant, a sum and a difference each */
    double pointwise;   /* products of residues, and in blocks where transforms stop early */
    double roots;       /* of unity, made for each product */
    /* Between digits and residues. */
    double projected;  /* products of a digit and a word */
    double recombined; /* products of words by the CRT; those of one digit and the division of their
                          sum by r belong together */
    double
        moved[COUNT_AREAS]; /* words read and written: every step reads and writes its data once */
} counts;

/* Products of words that they are: a general product is k^2, a butterfly one. */
double counts_word_products(const counts *c, unsigned k);
/* Of all digits. */
double counts_additions(const counts *c);
double counts_moved(const counts *c);

/* A transform of plan's length, in permuted order: forward and inverse are the same. */
void count_transform(counts *c, const gfp_fft_plan *plan);
/* Products of two polynomials of n coefficients, n a power of two, by the methods bigfft, hybrid
 * and crt at the field's kernel level. False: they do not serve, or cut the product up. */
bool count_bigfft(counts *c, const gfp_field *field, size_t n);
bool count_hybrid(counts *c, const gfp_field *field, size_t n);
bool count_crt(counts *c, const gfp_field *field, size_t n);
/* The same by its steps: projection of both factors, roots of unity, transforms with the products
 * of residues, and the CRT; the words that a step moves are its own. */
enum { CRT_PROJECTION, CRT_ROOTS, CRT_TRANSFORMS, CRT_RECOMBINATION, CRT_STEPS };
bool count_crt_steps(counts steps[CRT_STEPS], const gfp_field *field, size_t n);
/* Primes of 48 bits that crt needs. */
size_t count_crt_primes(const gfp_field *field, size_t n);
/* What crt does modulo one prime for 2^log2_n points: so many transforms, products, the roots. */
void count_ring(counts *c, const gfp_field *field, unsigned log2_n, unsigned transforms);
/* What the leaves of a hybrid product take: two transforms, products, one transform back. */
struct gfp_hybrid_choice;
struct gfp_hybrid_shape;
void count_leaves(counts *c, const struct gfp_hybrid_choice *choice,
                  const struct gfp_hybrid_shape *shape);
/* Its outer DFT: `factors` of them forward, their upper halves being zeros, and one back. */
double count_outer_sums(const struct gfp_hybrid_shape *shape, unsigned factors);
/* The papers' rival: n points, half-word primes, with recombination. */
void count_rival(counts *c, const gfp_crt_rival_plan *plan);

/* Leading terms of ISSAC 2017's formulas for a transform of n points over p = r^k + 1, a general
 * product being M(k) = k^2 products of words: all of (2) with K = 2, (3) with K = 2k, (4). */
typedef struct formulas {
    double radix_2, radix_2k, small_primes;
} formulas;
formulas formulas_of(unsigned k, size_t n);

#endif
