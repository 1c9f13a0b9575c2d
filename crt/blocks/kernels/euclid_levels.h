/* euclid_levels.h: what a kernel level offers to euclid_images.c, and what euclid_images.c offers
 * to the levels: columns of lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_KERNELS_EUCLID_LEVELS_H
#define GFP_CRT_BLOCKS_KERNELS_EUCLID_LEVELS_H

#include "crt/blocks/kernels/euclid.h"
#include "fft/words/ntt.h"

/* The calls of euclid.h at one level. */
typedef struct gfp_words_image_kernels {
    void (*resultant)(const gfp_words_image_pair *pair, uint64_t r[GFP_WORDS], uint64_t *work);
    void (*resultants)(const gfp_words_image_many *many, uint64_t *r, uint64_t *work);
    void (*gcd)(const gfp_words_image_pair *pair, uint64_t *g, size_t len[GFP_WORDS],
                uint64_t *work);
} gfp_words_image_kernels;

extern const gfp_words_image_kernels gfp_words_image_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
extern const gfp_words_image_kernels gfp_words_image_avx2, gfp_words_image_avx512dq,
    gfp_words_image_avx512;
#endif

/* A work area is two arrays of this number of coefficients; the first one stays 0. */
size_t gfp_words_image_room(size_t len_a, size_t len_b);

/* Half-gcds serve polynomials whose degree is at least GFP_IMAGE_HALF_LEAST; they take
 * GFP_IMAGE_HALF_BASE steps by the definition. */
#define GFP_IMAGE_HALF_LEAST 640
#define GFP_IMAGE_HALF_BASE 64
/* Coefficients of an entry of the matrix of k steps. */
#define GFP_IMAGE_MATRIX_ROOM(k) ((k) + 3)

/* *size := a size of at least all transforms of half-gcds; returns false if there are none. */
bool gfp_words_image_half_size(size_t len_a, size_t len_b, gfp_words_size *size);

/* Short pairs whose resultants are computed together, at most. */
#define GFP_IMAGE_TOGETHER 8
/* The number of pairs; 1: they are computed one by one. And the coefficients of each of the two
 * arrays of a pair. */
size_t gfp_words_image_together(const gfp_words_image_many *many);
size_t gfp_words_image_together_room(const gfp_words_image_many *many);

/* x := X^up x in one lane, for n coefficients. */
void gfp_words_image_column_raise(uint64_t *x, unsigned lane, size_t n, size_t up);
/* Exchanges n coefficients of one lane. */
void gfp_words_image_column_swap(uint64_t *x, uint64_t *y, unsigned lane, size_t n);
/* z := the n coefficients of x from `from` on, then zeros up to room coefficients; n may exceed
 * room. */
void gfp_words_image_column_copy(uint64_t *z, size_t room, const uint64_t *x, unsigned lane,
                                 size_t from, size_t n);

#endif
