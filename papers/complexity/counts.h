/* papers/complexity/counts.h: the numbers of operations of products and transforms, found by
 * walking their plans without computing anything; formulas (2) to (4) of ISSAC 2017, section 2,
 * give their leading terms. tests/papers/complexity/counts.c compares the numbers with the
 * operations of real runs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "gfpoly.h"

/* Moved words are counted separately for each size of the area that holds them, by log2 of its
 * words. */
#define COUNT_AREAS 40

typedef struct counts {
    /* Operations in Z/pZ. */
    double products;   /* general products of elements, many in one call */
    double powers;     /* general products of elements, one after another, in a table of powers */
    double digit_sums; /* sums and differences of digits in butterflies, 2k each, and in 1/N */
    double turned;     /* digits that butterflies multiply by r^s, s != 0: moved to another place */
    double outer_sums; /* sums and differences of digits in hybrid's outer DFT */
    /* Operations modulo primes of a word. */
    double butterflies; /* each is a product by a constant, a sum and a difference */
    double pointwise;   /* products of residues, also within blocks if transforms stop early */
    double roots;       /* roots of unity, made for each product */
    /* Conversions between digits and residues. */
    double projected;  /* products of a digit and a word */
    double recombined; /* products of words by the CRT; includes the products of a digit and the
                          division of their sum by r */
    double
        moved[COUNT_AREAS]; /* words read and written: every step reads and writes its data once */
} counts;

/* The equivalent number of products of words: k^2 for a general product, one for a butterfly. */
double counts_word_products(const counts *c, unsigned k);
/* The sums and differences of digits. */
double counts_additions(const counts *c);
double counts_moved(const counts *c);

/* Counts a transform of the plan's length in permuted order; forward and inverse have the same
 * counts. */
void count_transform(counts *c, const gfp_fft_plan *plan);
/* Count products of two polynomials of n coefficients, n a power of two, by the methods bigfft,
 * hybrid and crt at the field's kernel level. Return false if the method does not serve n, or cuts
 * the product into parts. */
bool count_bigfft(counts *c, const gfp_field *field, size_t n);
bool count_hybrid(counts *c, const gfp_field *field, size_t n);
bool count_crt(counts *c, const gfp_field *field, size_t n);
/* Counts the same by steps: projection of both factors, roots of unity, transforms with the
 * products of residues, and the CRT. The words that a step moves are counted for that step. */
enum { CRT_PROJECTION, CRT_ROOTS, CRT_TRANSFORMS, CRT_RECOMBINATION, CRT_STEPS };
bool count_crt_steps(counts steps[CRT_STEPS], const gfp_field *field, size_t n);
/* The number of primes of 48 bits that crt needs. */
size_t count_crt_primes(const gfp_field *field, size_t n);
/* Counts the work of crt modulo one prime for 2^log2_n points: `transforms` transforms, the
 * products, the roots. */
void count_ring(counts *c, const gfp_field *field, unsigned log2_n, unsigned transforms);
/* Counts the work of the leaves of a hybrid product: two transforms, products, one
 * transform back. */
struct gfp_hybrid_choice;
struct gfp_hybrid_shape;
void count_leaves(counts *c, const struct gfp_hybrid_choice *choice,
                  const struct gfp_hybrid_shape *shape);
/* The sums in the outer DFT of a hybrid product: `factors` DFTs forward, whose upper halves are
 * zeros, and one back. */
double count_outer_sums(const struct gfp_hybrid_shape *shape, unsigned factors);
/* Counts transforms of n integers of `limbs` words modulo `primes` primes, with recombination to
 * integers of `width` words. */
void count_small_primes(counts *c, size_t n, size_t primes, size_t limbs, size_t width);

/* The leading terms of ISSAC 2017's formulas for a transform of n points over p = r^k + 1, where a
 * general product is M(k) = k^2 products of words: (2) with K = 2, (3) with K = 2k, and (4). */
typedef struct formulas {
    double radix_2, radix_2k, small_primes;
} formulas;
formulas formulas_of(unsigned k, size_t n);

#endif
