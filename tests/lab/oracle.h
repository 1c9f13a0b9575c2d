/* oracle.h: an independent, slow reference for the tests: Z/pZ, p = r^k + 1, by GMP integers only.
 * The oracle includes no header of the library: a mistake there cannot hide here.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_ORACLE_H
#define TESTS_LAB_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gmp.h>

/* ---- the fields that the tests use, with their properties from the literature ---- */

typedef enum oracle_proof { ORACLE_ANY_PROOF, ORACLE_PROTH, ORACLE_POCKLINGTON } oracle_proof;

typedef struct oracle_field {
    const char *text; /* a name or a formula */
    uint64_t r;
    unsigned k;
    unsigned bits;      /* of p; 0: not recorded */
    unsigned v2_r;      /* exponent of 2 in r */
    oracle_proof proof; /* the kind of proof that is sufficient */
    bool named;
} oracle_field;

/* The named primes, awkward radices, k = 256, and the tiny primes in every form; the first
 * ORACLE_SHORT contain some of each kind, the first ORACLE_TOOLKIT large and tiny ones of 2 to 32
 * digits. */
#define ORACLE_FIELDS 30
#define ORACLE_USUAL 27 /* all whose proofs of primality are short */
#define ORACLE_SHORT 15
#define ORACLE_TOOLKIT 9
#define ORACLE_ALL                                                                                 \
    66 /* with radices at the ends of what devices have kernels for: opened by name alone */
extern const oracle_field oracle_fields[ORACLE_ALL];
/* The number of fields of a test: by the group's fixture (fixtures.h), else all, with sanitizers
 * ORACLE_SHORT. */
extern size_t oracle_field_count;

/* ---- the modulus ---- */

typedef struct oracle {
    mpz_t p;
    mpz_t special; /* r^k = p - 1 */
    uint64_t r;
    unsigned k;
} oracle;

void oracle_init(oracle *o, uint64_t r, unsigned k);
void oracle_clear(oracle *o);

/* Whether the k words are the canonical form: digits below r, or r^k alone. */
bool oracle_is_canonical(const oracle *o, const uint64_t *x);
/* z := sum x[i] r^i, for any k words. */
void oracle_get(const oracle *o, mpz_t z, const uint64_t *x);
/* x := the canonical digits of z mod p, any sign and size. */
void oracle_set(const oracle *o, uint64_t *x, const mpz_t z);
/* z := value, from and to 64-bit words. */
void oracle_set_u64(mpz_t z, uint64_t value);
void oracle_set_words(mpz_t z, const uint64_t *words, size_t n);
/* The n words of z >= 0 (z must fit). */
void oracle_get_words(uint64_t *words, size_t n, const mpz_t z);

/* ---- arithmetic modulo p, results in [0, p) ---- */

void oracle_add(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y);
void oracle_sub(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y);
void oracle_neg(const oracle *o, mpz_t z, const mpz_t x);
void oracle_mul(const oracle *o, mpz_t z, const mpz_t x, const mpz_t y);
/* z := x^e, e >= 0. */
void oracle_pow(const oracle *o, mpz_t z, const mpz_t x, const mpz_t e);
/* z := 1/x; false for x = 0. */
bool oracle_inv(const oracle *o, mpz_t z, const mpz_t x);
/* z := r^s and z := 2^-j. */
void oracle_r_power(const oracle *o, mpz_t z, unsigned long s);
void oracle_half_power(const oracle *o, mpz_t z, unsigned long j);

/* ---- vectors of n integers ---- */

mpz_t *oracle_vec_new(size_t n);
void oracle_vec_free(mpz_t *v, size_t n);
/* v := n elements given by digits, and back. */
void oracle_vec_get(const oracle *o, mpz_t *v, const uint64_t *x, size_t n);
void oracle_vec_set(const oracle *o, uint64_t *x, mpz_t *v, size_t n);

/* y := sum_j x_j root^(i j), one output of the transform by its definition (Horner's rule). */
void oracle_dft_at(const oracle *o, mpz_t y, mpz_t *x, size_t n, const mpz_t root, size_t i);
/* All n outputs. O(n^2). */
void oracle_dft(const oracle *o, mpz_t *y, mpz_t *x, size_t n, const mpz_t root);
/* c := a b, len_a + len_b - 1 coefficients, both lengths >= 1: schoolbook. */
void oracle_poly_mul(const oracle *o, mpz_t *c, mpz_t *a, size_t len_a, mpz_t *b, size_t len_b);
/* c := a b mod X^n - 1 (sign > 0) or X^n + 1 (sign < 0). */
void oracle_convolve(const oracle *o, mpz_t *c, mpz_t *a, mpz_t *b, size_t n, int sign);

/* ---- inputs ---- */

#define ORACLE_MAX_EXTREMES 64

/* Writes the extreme elements (canonical digits, one after another; x has room for
 * ORACLE_MAX_EXTREMES of them) and returns how many: 0, 1, r - 1 everywhere, r/2 everywhere, r^k,
 * alternating digits, lone digits, the neighbours of 0 and p, powers of 2^64, sparse ones. */
size_t oracle_extremes(const oracle *o, uint64_t *x);
/* SplitMix64. */
uint64_t oracle_random(uint64_t *state);
/* A random element: uniform digits, sometimes with runs of 0 and of r - 1. */
void oracle_random_element(const oracle *o, uint64_t *x, uint64_t *state);

/* ---- primality ---- */

/* Checks Pocklington's theorem for these primes and bases. */
bool oracle_proves(const oracle *o, const uint64_t *primes, const uint64_t *bases, size_t count);
bool oracle_is_probable_prime(const oracle *o);

#endif
