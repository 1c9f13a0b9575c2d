/* columns.h: the outer DFT of a few columns at a time, for trees of at most 16 leaves: the
 * coefficients of these columns are gathered as a polynomial with short leaves and transformed, and
 * the leaf digits go to the places of their leaves; and back. The arrays of coefficients and of
 * leaves may lie in pieces, in one process (crt/hybrid/lean.c) or in several (ranks/).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_COLUMNS_H
#define GFP_CRT_HYBRID_COLUMNS_H

#include "crt/hybrid/shape.h"

/* An array of elements of k words, in pieces. */
typedef struct gfp_hybrid_pieces {
    /* Returns the address of element i; *run := the elements that follow each other from there on,
     * at least 1. */
    uint64_t *(*at)(const void *user, size_t i, size_t *run);
    const void *user;
} gfp_hybrid_pieces;

/* Elements from <= i < end, k words each, which follow each other: an array of one piece. */
typedef struct gfp_hybrid_piece {
    uint64_t *words;
    size_t from, end, k;
} gfp_hybrid_piece;
uint64_t *gfp_hybrid_piece_at(const void *piece, size_t i, size_t *run);
static inline gfp_hybrid_pieces gfp_hybrid_one_piece(const gfp_hybrid_piece *piece)
{
    return (gfp_hybrid_pieces){gfp_hybrid_piece_at, piece};
}

/* A tree, and room for the transform of some of its columns. */
typedef struct gfp_hybrid_columns {
    const gfp_hybrid_choice *choice;
    const gfp_outer *outer;
    size_t at_once;     /* the most columns of one call below */
    uint64_t *gathered; /* their coefficients, */
    uint64_t *digits;   /* and their leaf digits, one leaf after the other */
} gfp_hybrid_columns;

/* Returns the words of the room, a multiple of GFP_HYBRID_LINE. */
size_t gfp_hybrid_columns_words(const gfp_hybrid_choice *choice, const gfp_outer *outer);
/* room is aligned to a line. */
gfp_hybrid_columns gfp_hybrid_columns_in(const gfp_hybrid_choice *choice, const gfp_outer *outer,
                                         uint64_t *room);

/* The columns v .. v + count - 1 of every block of m coefficients, or of every leaf; count is at
 * most at_once. x has len >= 1 coefficients; leaf j begins at element j m of `leaves`.
 * forward: digits := the leaf digits of x. put: leaves first <= j < end := digits. get: digits :=
 * all leaves. inverse: x := the polynomial of the digits, which are overwritten. */
void gfp_hybrid_columns_forward(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                                size_t v, size_t count);
void gfp_hybrid_columns_put(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *leaves,
                            unsigned first, unsigned end, size_t v, size_t count);
void gfp_hybrid_columns_get(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *leaves, size_t v,
                            size_t count);
void gfp_hybrid_columns_inverse(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                                size_t v, size_t count);

/* All columns from <= v < to, one call at a time: the outer DFT of x, of len coefficients, to all
 * leaves; or with `inverse` x := the polynomial of the leaves. Counts GFP_HYBRID_COLUMN_UNITS units
 * for each element of the leaves; false: cancelled. */
#define GFP_HYBRID_COLUMN_UNITS 1.5
bool gfp_hybrid_columns_pass(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                             const gfp_hybrid_pieces *leaves, bool inverse, size_t from, size_t to,
                             gfp_task *task);

/* Copies n elements of k words from element i on. */
void gfp_hybrid_pieces_read(const gfp_hybrid_pieces *x, size_t i, size_t n, size_t k, uint64_t *to);
void gfp_hybrid_pieces_write(const gfp_hybrid_pieces *x, size_t i, size_t n, size_t k,
                             const uint64_t *from);

#endif
