/* half.h: the papers' rival ("Big prime field FFT on the GPU", ISSAC 2017, section 7): a vector of
 * N elements of k digits is projected to the 2k greatest primes q_1 .. q_s below 2^31 with 2^m = N
 * dividing q - 1, transformed modulo each prime, and recombined by the Chinese remainder theorem.
 * The result is a DFT over the ring Z/(q_1 ... q_s), whose roots have nothing to do with those of
 * Z/pZ. This file has the primes and the tables of the device's kernels, and the three steps on the
 * CPU by GMP, the slow twin of those kernels.
 *
 * Residues are s arrays of N words: the residue of element j modulo prime i lies at place i N + j,
 * in [0, q_i).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_RIVAL_HALF_H
#define PAPERS_RIVAL_HALF_H

#include "gfpoly/fft.h"

/* Primes are below 2^31; 2k of them exist for k = 8 up to N = 2^23, for k = 128 up to 2^19. */
#define GFP_RIVAL_BITS 31
/* A quotient by Q = q_1 ... q_s comes from a sum of s fractions y/q in fixed point, rounded down,
 * with 55 bits behind the point: s 2^55 <= 2^64, and rounding loses far less than 1. */
#define GFP_RIVAL_MAX_PRIMES 512
#define GFP_RIVAL_FRACTION_BITS 55
/* The least number of bits of a prime: floor(2^55 / q) is then a half word. */
#define GFP_RIVAL_MIN_BITS 24

/* The constants of one prime. */
typedef struct gfp_rival_prime {
    uint64_t q;
    uint64_t negative_inverse; /* -1/q mod 2^32 */
    uint64_t inverse;          /* (Q/q)^(-1) mod q, */
    uint64_t companion;        /* and the companion of inverse for Shoup products */
    uint64_t reciprocal;       /* floor(2^(63 + bits) / q), for q of `bits` bits */
    uint64_t shift;            /* bits + 8: y reciprocal >> shift is y/q in fixed point */
} gfp_rival_prime;

/* Matrices with rows of half words lie in groups of GFP_RIVAL_ROWS rows (rows of zeros complete the
 * last group), each group column by column. */
#define GFP_RIVAL_ROWS 4

typedef struct gfp_half_rival {
    const gfp_field *field;
    size_t count;              /* s = 2k */
    size_t words;              /* of Q, without leading zeros */
    unsigned parts, part_bits; /* a digit is cut into `parts` parts of part_bits bits */
    size_t terms;              /* parts k */
    unsigned column_bits;      /* integers in step 3 are columns of column_bits bits */
    size_t columns;            /* number of columns of integers below 2Q */
    /* One block has all tables; the first device_words words of it are those that a device reads.
     */
    uint64_t *block;
    size_t block_words, device_words;
    uint32_t *split; /* s rows, terms columns: r^i 2^(part_bits part) 2^64 mod q */
    uint32_t *merge; /* 1 + columns rows, s columns: row 0 floor(2^55 / q), then those of Q/q */
    uint64_t *complement;   /* the columns of 2^(column_bits columns) - Q */
    gfp_rival_prime *prime; /* s */
    uint64_t *modulus;      /* Q */
    uint64_t *cofactors;    /* Q / q_j at j words */
} gfp_half_rival;

/* Chooses primes for transforms of 2^log2_n points and makes the tables; the field must outlive
 * *rival, which gfp_half_rival_clear releases after success. Errors, with the reason in the error
 * argument: UNAVAILABLE (too few primes), MEMORY. */
gfp_status gfp_half_rival_init(gfp_half_rival *rival, const gfp_field *field, unsigned log2_n,
                               gfp_error *error);
void gfp_half_rival_clear(gfp_half_rival *rival);

/* residues := x modulo each prime, for x of n canonical elements; the special element is r^k. */
void gfp_half_rival_project(const gfp_half_rival *rival, uint64_t *residues, const uint64_t *x,
                            size_t n);
/* x := DFT_N of x modulo q < 2^62, N = n, in natural order, at gfp_word_root_of_unity, by the steps
 * of Stockham's form. work: n words. */
void gfp_word_transform(uint64_t *x, size_t n, uint64_t q, uint64_t *work);
/* The same for y modulo each prime. */
void gfp_half_rival_transform(const gfp_half_rival *rival, uint64_t *y, size_t n, uint64_t *work);
/* z := the integers in [0, Q) with these residues, n integers of rival->words words. */
void gfp_half_rival_recombine(const gfp_half_rival *rival, uint64_t *z, const uint64_t *residues,
                              size_t n);

#endif
