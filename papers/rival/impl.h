/* impl.h: the inside of a plan of the papers' rival (gfpoly/rival.h), and the kernels of its
 * first and third step: products of a constant matrix with vectors of residues or digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_RIVAL_IMPL_H
#define PAPERS_RIVAL_IMPL_H

#include "field/base/cpu.h"
#include "gfpoly/rival.h"

/* A quotient by Q comes from a sum of s fractions y/q in fixed point, rounded down, with 55 bits
 * behind the point: s 2^55 <= 2^64, and rounding loses far less than 1. */
#define GFP_RIVAL_MAX_PRIMES 512
#define GFP_RIVAL_FRACTION_BITS 55
/* The least number of bits of a prime: floor(2^55 / q) is then a half word. */
#define GFP_RIVAL_MIN_BITS 24

/* The constants of one prime for steps 1 and 3. */
typedef struct gfp_rival_prime {
    uint64_t q;
    uint64_t negative_inverse; /* -1/q mod 2^64; its lower half is -1/q mod 2^32 */
    uint64_t inverse;          /* (Q/q)^(-1) mod q, */
    uint64_t companion;        /* the companion of inverse for Shoup products, */
    uint64_t mont_inverse;     /* and inverse times 2^32 mod q; half-word primes only */
    uint64_t reciprocal;       /* floor(2^(63 + bits) / q), for q of `bits` bits */
    unsigned shift;            /* bits + 8: y reciprocal >> shift is y/q in fixed point */
} gfp_rival_prime;

/* For the vector kernels; half-word primes only. A matrix with rows of `terms` entries below 2^32
 * lies in groups of GFP_RIVAL_ROWS rows (rows of zeros complete the last group), each group term by
 * term. */
#define GFP_RIVAL_ROWS 4
typedef struct gfp_rival_matrices {
    unsigned parts, part_bits; /* a digit is cut into `parts` parts of part_bits bits */
    size_t terms;              /* parts k */
    uint32_t *split;           /* s rows, terms columns: r^i 2^(part_bits part) 2^64 mod q */
    unsigned column_bits;      /* integers in step 3 are columns of column_bits bits */
    size_t columns;            /* number of columns of integers below 2Q */
    /* 1 + columns rows, s columns: row 0 floor(2^55 / q), then the columns of Q/q. */
    uint32_t *merge;
    uint64_t *complement; /* the columns of 2^(column_bits columns) - Q */
} gfp_rival_matrices;

/* Steps 1 and 3 of the public header for the elements from <= j < to, multiples of block but for
 * to = N; residues, x and z are those of all elements. work has work_words words, aligned to 64
 * bytes. */
typedef struct gfp_rival_range {
    size_t from, to;
} gfp_rival_range;

typedef struct gfp_rival_kernels {
    const char *name;
    /* The number of elements that the kernels treat at once; they serve N >= block only. */
    size_t block;
    size_t (*work_words)(const gfp_crt_rival_plan *plan);
    void (*project)(const gfp_crt_rival_plan *plan, uint64_t *residues, const uint64_t *x,
                    gfp_rival_range range, uint64_t *work);
    void (*recombine)(const gfp_crt_rival_plan *plan, uint64_t *z, const uint64_t *residues,
                      gfp_rival_range range, uint64_t *work);
} gfp_rival_kernels;

struct gfp_crt_rival_plan {
    const gfp_field *field;
    size_t n;
    gfp_crt_rival_primes kind;
    size_t count; /* s, the number of primes */
    size_t words; /* words of Q, without leading zeros */
    const gfp_rival_kernels *kernels;
    gfp_rival_prime *prime; /* s */
    gfp_ntt_plan **ntt;     /* s */
    uint64_t *powers;       /* r^i 2^128 mod q_j at j k + i */
    uint64_t *cofactors;    /* Q / q_j at j words */
    uint64_t *modulus;      /* Q */
    bool vector;            /* the plan has the matrices */
    gfp_rival_matrices matrices;
};

/* For any primes and any N, one element after another: the slow twin of the vector kernels. */
extern const gfp_rival_kernels gfp_rival_portable;
#if GFP_X86_LEVELS
extern const gfp_rival_kernels gfp_rival_avx2;
extern const gfp_rival_kernels gfp_rival_avx512ifma;
#endif

/* Checks the arguments of a plan: n is a power of two, the kind of primes exists, and the bytes of
 * n elements with `words` words per digit fit size_t. Errors: ARGUMENT, SIZE. */
gfp_status gfp_rival_check(const gfp_field *field, size_t n, gfp_crt_rival_primes kind,
                           size_t words, gfp_error *error);

/* Chooses primes (room for GFP_RIVAL_MAX_PRIMES), their number and kind for transforms of 2^log2_n
 * points. Errors: UNAVAILABLE. */
gfp_status gfp_rival_choose_primes(uint64_t *primes, size_t *count, gfp_crt_rival_primes *kind,
                                   const gfp_field *field, unsigned log2_n,
                                   const gfp_crt_rival_options *options, gfp_error *error);

/* Makes the tables of a plan that has its primes. Errors: MEMORY. After success or failure
 * gfp_rival_tables_release releases the tables. */
gfp_status gfp_rival_tables_init(gfp_crt_rival_plan *plan);
void gfp_rival_tables_release(gfp_crt_rival_plan *plan);
/* The bytes of the tables. */
size_t gfp_rival_tables_bytes(const gfp_crt_rival_plan *plan);

/* z (words words, with the word top above them) := z modulo Q, for z < 2Q. */
void gfp_rival_reduce_once(const gfp_crt_rival_plan *plan, uint64_t *z, uint64_t top);

#endif
