/* lab.h: the arithmetic of a kernel level modulo a block of primes (fft/words/LEVEL.h) as
 * functions on arrays, so that tests compare the levels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_FFT_WORDS_LAB_H
#define TESTS_FFT_WORDS_LAB_H

#include "fft/words/block.h"

/* Operands and results are words in [0, q), eight to a vector: enter and leave are part of the
 * operations. x and y: three vectors each. */
typedef struct words_lab {
    void (*mul)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*dot2)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*dot3)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*add)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*sub)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*neg)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    /* x, through an array of the level's form. */
    void (*pass)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*one)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    void (*scale)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    /* Powers x^(2^i) y by i squarings of what the operations before gave. */
    void (*chain)(const gfp_words *block, uint64_t *z, const uint64_t *x, const uint64_t *y);
    unsigned (*zeros)(const gfp_words *block, const uint64_t *x);
    /* x where the bit of the mask is set, else y. */
    void (*select)(const gfp_words *block, unsigned mask, uint64_t *z, const uint64_t *x,
                   const uint64_t *y);
} words_lab;

/* The squarings of chain. */
#define WORDS_LAB_CHAIN 20

extern const words_lab words_lab_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const words_lab words_lab_avx2;
extern const words_lab words_lab_avx512dq;
extern const words_lab words_lab_avx512;
#endif

#endif
