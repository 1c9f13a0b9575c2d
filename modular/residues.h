/* residues.h: the blocks of primes of a call with their basis.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_RESIDUES_H
#define GFP_MODULAR_RESIDUES_H

#include "modular/scalar.h"

/* The product of the eight primes of a block is above 2^398: each is above 0.875 2^50. */
#define GFP_Z_BLOCK_BITS 398
/* There are some 484,000 primes in the supply: numbers have at most 24 million bits. */
#define GFP_Z_MOST_BLOCKS 60000

/* Takes the basis of blocks `first` ... `first` + `count` - 1 of the supply, of which the cap
 * counts the bytes that the ring does not keep; few: for a few numbers only. Errors: MEMORY, SIZE;
 * the basis is empty then. */
gfp_status gfp_zblocks_take(gfp_zcall *call, gfp_zring_basis *basis, size_t first, size_t count,
                            bool few);
/* The same for `count` blocks of the caller and the primes in use: a byte for each block. */
gfp_status gfp_zblocks_choose(gfp_zcall *call, gfp_zring_basis *basis,
                              const gfp_words *const *blocks, const uint8_t *use, size_t count);
/* Gives the basis back, and its bytes to the cap; an empty one is allowed. */
void gfp_zblocks_give(gfp_zcall *call, gfp_zring_basis *basis);

/* gfp_words_project_words, as a multiple of 64 bytes, so that areas may follow each other. */
size_t gfp_z_project_words(const gfp_words_basis *basis, size_t width, size_t n);
/* The same for gfp_zpoly_project; for numbers of up to `width` limbs with widths of their own. */
size_t gfp_zpoly_project_words(const gfp_words_basis *basis, gfp_zpoly a);
size_t gfp_z_project_each_words(const gfp_words_basis *basis, size_t width);
/* gfp_words_project of the coefficients; of coefficients from <= i < from + n. */
void gfp_zpoly_project(const gfp_words_residues *r, gfp_zpoly a, uint64_t *work);
void gfp_zpoly_project_part(const gfp_words_residues *r, gfp_zpoly a, size_t from, size_t n,
                            uint64_t *work);

#endif
