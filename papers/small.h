/* papers/small.h: the papers' other approach on the CPU: N integers below p modulo word-size
 * primes, a transform of N points modulo each, and integers again by the Chinese remainder theorem.
 * Primes and arithmetic are the library's, blocks of eight primes of 50 bits
 * (crt/blocks/remainders.h); the transforms are the papers' forms (papers/words/forms.h) or the
 * library's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef SMALL_H
#define SMALL_H

#include "papers/words/forms.h"
#include "crt/blocks/remainders.h"

/* form BLOCKED: the library's transform, which ends at polynomials of 4 points and gives the order
 * of its tree. */
typedef struct small_primes {
    size_t n;
    unsigned log2_n;
    gfp_ntt_form form;
    gfp_words_supply *supply;
    gfp_words_basis *basis;
    size_t blocks;       /* as few as have a product of primes above 2 p */
    size_t limbs, width; /* words of an integer below p with a sign, and of a recombined one */
    uint64_t *x, *integers;
    uint64_t *residues;     /* `blocks` arrays of n points */
    uint64_t *roots, *work; /* root_words for each block */
    size_t root_words;
} small_primes;

/* Draws N = n integers, a power of two from 8 to 2^24. The caller calls small_close after success
 * and after failure. */
bool small_open(small_primes *w, const gfp_field *field, size_t n, gfp_ntt_form form,
                uint64_t seed);
void small_close(small_primes *w);
/* The three steps; contexts are small_primes. */
bool small_project(void *context);
bool small_transform(void *context);
bool small_recombine(void *context);
/* Runs the steps and checks them: residues and recombined integers by GMP, values of transforms by
 * Horner's rule or, of the library's, by the way back. */
bool small_check(small_primes *w);

#endif
