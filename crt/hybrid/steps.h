/* steps.h: the hybrid product in steps. The leaves of the factors and of the product lie in three
 * areas, in a file or in memory. Then no step overwrites what it reads, so that one which was cut
 * off is computed again from the same input. Or in place: leaves of the product replace those of
 * a, and that step cannot be repeated:
 *
 *     a -> leaves of a, b -> leaves of b; leaf j of the product, for each j; leaves -> product.
 *
 * The items of a step, ranges of columns or single leaves, are independent: threads and processes
 * share them (poly/files/steps.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_HYBRID_STEPS_H
#define GFP_CRT_HYBRID_STEPS_H

#include "crt/hybrid/columns.h"

typedef struct gfp_hybrid_steps {
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan; /* one block of at most 16 leaves */
    size_t area;          /* words of the leaves of one factor: a multiple of a line */
    size_t room;          /* words of a worker's room: a multiple of a line; */
    size_t column_room;   /* they suffice for columns */
    size_t columns;       /* the columns of an area, of `lanes` coefficients */
    size_t tables;        /* bytes of tables that stay with the field, about */
} gfp_hybrid_steps;

/* Plans a product of these lengths, at least 1, in place or not. Returns false if they are too long
 * for one block. */
bool gfp_hybrid_steps_plan(gfp_hybrid_steps *steps, const gfp_field *field, size_t len_a,
                           size_t len_b, bool in_place);

/* Columns from <= v < to of one area: leaves := those of x, len coefficients, or x := the
 * polynomial of the leaves. Areas and rooms are aligned to lines. Count units of
 * GFP_HYBRID_COLUMN_UNITS for each coefficient; false: cancelled. */
bool gfp_hybrid_steps_columns(const gfp_hybrid_steps *steps, uint64_t *x, size_t len,
                              uint64_t *leaves, bool inverse, const size_t columns[2],
                              uint64_t *room, gfp_task *task);
/* Leaf j of the area c := the product of those of a and b, which may be one area; c is a in place.
 * Counts GFP_HYBRID_LEAF_UNITS for each coefficient. The tables are prepared (gfp_leaf_prepare),
 * and rounding is to nearest. */
bool gfp_hybrid_steps_leaf(const gfp_hybrid_steps *steps, uint64_t *c, const uint64_t *a,
                           const uint64_t *b, unsigned j, uint64_t *room, gfp_task *task);

#endif
