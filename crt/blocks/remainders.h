/* remainders.h: integers and their residues modulo blocks of word-size primes: the supply of
 * primes, projection, and reconstruction by the Chinese remainder theorem.
 *
 * Integers are in two's complement, `width` limbs each, least significant limb first, one after the
 * other; width is at least 1. Residues are in [0, q), eight words of a block for each integer
 * (fft/words/block.h); the arrays of two blocks lie `step` words apart.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_BLOCKS_REMAINDERS_H
#define GFP_CRT_BLOCKS_REMAINDERS_H

#include "field/base/cpu.h"
#include "field/base/task.h"
#include "fft/words/block.h"

/* ---- the supply ---- */

/* All primes q = 1 mod 2^24 below 2^50, from the greatest one down, eight to a block. Threads may
 * share a supply. */
typedef struct gfp_words_supply gfp_words_supply;

/* Errors: MEMORY. */
gfp_status gfp_words_supply_create(gfp_words_supply **supply, const gfp_allocator *allocator);
/* NULL is allowed. */
void gfp_words_supply_destroy(gfp_words_supply *supply);
/* *block := block number index, which stays with the supply. The first blocks come from a table,
 * blocks beyond it are searched. Errors: MEMORY, SIZE (the primes above 2^50 - 2^47 are used up).
 */
gfp_status gfp_words_supply_block(gfp_words_supply *supply, size_t index, const gfp_words **block);
/* block := eight primes drawn at random from (2^49, 2^50), for the question whether a polynomial D
 * over Z is 0: nobody knows them in advance. Returns x <= 0: if D is not 0, has this degree at most
 * and |D_i| < 2^bits, D vanishes at random points of all eight with probability 2^x at most. The
 * primes are = 1 mod 2^24 where these give x <= -40. For longer integers, from some millions of
 * bits on, they are any primes, and the block has no roots of unity. Cost: some milliseconds at
 * most. */
double gfp_words_draw(gfp_words *block, gfp_random *random, double bits, double degree);

/* ---- bases ---- */

/* Primes to which integers are projected, and from which they are reconstructed: blocks, and in
 * each block the primes whose bit in `use` is set. A basis has the tables of both. M is the product
 * of its primes. */
typedef struct gfp_words_basis gfp_words_basis;

/* *basis := the basis of these blocks, which must stay. use: a byte for each block, NULL: all
 * primes. Errors: MEMORY, SIZE, ARGUMENT (no primes). */
gfp_status gfp_words_basis_create(gfp_words_basis **basis, const gfp_words *const *blocks,
                                  const uint8_t *use, size_t count, const gfp_allocator *allocator);
/* The same for a basis that reconstructs a few numbers only. From some 3000 bits on tables are made
 * up to four times as fast, and a number costs up to four times as much. */
gfp_status gfp_words_basis_create_few(gfp_words_basis **basis, const gfp_words *const *blocks,
                                      const uint8_t *use, size_t count,
                                      const gfp_allocator *allocator);
/* The same of all primes of the blocks, which may be cancelled. The task counts a unit for
 * each block on each of three ways along the tree. Errors: also CANCELLED. */
gfp_status gfp_words_basis_create_watched(gfp_words_basis **basis, const gfp_words *const *blocks,
                                          size_t count, bool few, const gfp_allocator *allocator,
                                          gfp_task *task);
/* NULL is allowed. */
void gfp_words_basis_destroy(gfp_words_basis *basis);
/* floor(log2 M). */
size_t gfp_words_basis_bits(const gfp_words_basis *basis);
/* The limbs that hold every number in [-M/2, M/2). */
size_t gfp_words_basis_limbs(const gfp_words_basis *basis);
size_t gfp_words_basis_bytes(const gfp_words_basis *basis);
/* Block number j of the basis. */
const gfp_words *gfp_words_basis_block(const gfp_words_basis *basis, size_t j);

/* Words of a work area, aligned to 64 bytes, for n numbers of this width and one thread. */
size_t gfp_words_project_words(const gfp_words_basis *basis, size_t width, size_t n);
size_t gfp_words_recombine_words(const gfp_words_basis *basis, size_t width, size_t n);

/* Where residues go: those for block first + j, j < count, are at z + j step. level: the kernels to
 * use. */
typedef struct gfp_words_residues {
    const gfp_words_basis *basis;
    gfp_level level;
    size_t first, count;
    uint64_t *z;
    size_t step;
} gfp_words_residues;

/* z[j step + 8 i + l] := x_i modulo prime l of block first + j, i < n. */
void gfp_words_project(const gfp_words_residues *r, const uint64_t *x, size_t width, size_t n,
                       uint64_t *work);
/* c_i := the number in [-M/2, M/2) with the residues z[j step + 8 i + l] for the used primes, in
 * `width` limbs: extended by the sign, or cut off above, if width is not gfp_words_basis_limbs. */
void gfp_words_recombine(const gfp_words_basis *basis, gfp_level level, uint64_t *c, size_t width,
                         const uint64_t *z, size_t step, size_t n, uint64_t *work);

#endif
