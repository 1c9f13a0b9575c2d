/* values.h: values of polynomials over Z modulo eight random primes: what checks compare.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_VALUES_H
#define GFP_MODULAR_POINTS_VALUES_H

#include "gfpoly/zbipoly.h"
#include "modular/residues.h"

typedef struct gfp_zvalues {
    gfp_zcall *call;
    gfp_words block; /* random primes */
    gfp_random random;
    gfp_words_basis *basis;
    uint64_t *residues, *work;
} gfp_zvalues;

/* Draws the primes by gfp_zcall_random_block; coefficients will have at most `width` limbs, in any
 * layout. The end is due also after an error. Errors: MEMORY, SIZE, UNAVAILABLE (no seed). */
gfp_status gfp_zvalues_begin(gfp_zcall *call, gfp_zvalues *v, size_t width, double bits,
                             double degree);
void gfp_zvalues_end(gfp_zvalues *v);
/* x := random residues. */
void gfp_zvalues_draw(gfp_zvalues *v, uint64_t x[GFP_WORDS]);
/* y := the value at x of len coefficients of `width` limbs. */
void gfp_zvalues_at(const gfp_zvalues *v, uint64_t y[GFP_WORDS], const uint64_t x[GFP_WORDS],
                    const uint64_t *c, size_t len, size_t width);
/* z, f->len times eight residues, := the values of the rows of f. */
void gfp_zvalues_rows(const gfp_zvalues *v, uint64_t *z, const uint64_t x[GFP_WORDS],
                      const gfp_zbipoly *f);
/* The greatest width of the rows of f; at least 1. */
size_t gfp_zbipoly_width(const gfp_zbipoly *f);

#endif
