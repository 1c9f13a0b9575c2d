/* zresidues.h: the blocks of primes of a call: their bases, and one integer from its residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZRESIDUES_H
#define GFP_ZRESIDUES_H

#include "zscalar.h"

/* Any product of the eight primes of a block is above 2^398: each is above 0.875 2^50. */
#define GFP_Z_BLOCK_BITS 398

/* Blocks 0 ... count - 1 of the supply, in parts with a basis each. */
typedef struct gfp_zblocks {
    size_t count, parts;
    gfp_zring_basis *basis; /* an array of the call */
    size_t *first;          /* parts + 1 of them */
} gfp_zblocks;

/* Takes the bases of blocks whose primes have a product above 2^bits; they are given back by
 * gfp_zblocks_clear, also after an error. *blocks was zero. Errors: MEMORY, SIZE. */
gfp_status gfp_zblocks_make(gfp_zcall *call, gfp_zblocks *blocks, size_t bits);
void gfp_zblocks_clear(gfp_zblocks *blocks);

/* x, `width` limbs, := the integer in [-M/2, M/2) with the residues r[8 j + l] modulo prime l of
 * block j, M the product of all primes; the integer fits the width. r is destroyed. */
gfp_status gfp_zblocks_integer(gfp_zcall *call, uint64_t *x, size_t width,
                               const gfp_zblocks *blocks, uint64_t *r);

/* The calls of words_crt.h on n integers take these words of work area. */
size_t gfp_z_project_words(const gfp_words_basis *basis, size_t width, size_t n);

#endif
