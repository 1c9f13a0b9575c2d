/* cut.h: a range of a product in pieces. Whatever does not fit at once is cut here: into a cap on
 * memory (product/methods/blocks.c, crt/hybrid/lean.c), a device's memory (gpu/planner.c,
 * product/device/methods.c), the longest or the fastest transform (crt/hybrid/multiply.c,
 * crt/small/native_product.c, gpu/planner.c, ranks/mul.c). Each of them decides how long parts are:
 * docs/design/memory.md has the table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_CUT_H
#define GFP_CRT_CUT_H

#include "crt/methods.h"

/* The division of a range: a is cut into parts of length_a coefficients, b into parts of length_b,
 * and the range into stripes of `width`; the last ones may be shorter. */
typedef struct gfp_cut {
    gfp_range whole;
    size_t length_a, length_b, width;
} gfp_cut;

/* The product of a part of a and a part of b, as far as it contributes to a stripe. */
typedef struct gfp_cut_piece {
    size_t a, b, stripe; /* the numbers of the parts and of the stripe */
    gfp_range range;     /* trimmed */
    size_t at;           /* the range begins at this coefficient of the whole range */
} gfp_cut_piece;

/* The number of parts of `length` coefficients; len, length >= 1. */
static inline size_t gfp_cut_count(size_t len, size_t length)
{
    return (len - 1) / length + 1;
}

/* A whole product, of the factors of r, as a sum of products of their parts. */
static inline gfp_cut gfp_cut_factors(const gfp_range *r, size_t length_a, size_t length_b)
{
    const gfp_range whole = gfp_range_whole(r->field, r->a, r->len_a, r->b, r->len_b);
    return (gfp_cut){whole, length_a, length_b, whole.end};
}

/* Halves the longer one of two lengths, rounded up. */
static inline void gfp_cut_longer(size_t *length_a, size_t *length_b)
{
    size_t *longer = *length_a >= *length_b ? length_a : length_b;
    *longer = gfp_cut_count(*longer, 2);
}

/* *x := the piece of these numbers. False: there is none, or it contributes nothing. */
bool gfp_cut_at(const gfp_cut *p, gfp_cut_piece *x, size_t a, size_t b, size_t stripe);
/* *x := the piece after *x that contributes; after a piece of zeros, the first one. Order: parts of
 * b; for each of them stripes; for each of them parts of a. False: *x was the last one. */
bool gfp_cut_next(const gfp_cut *p, gfp_cut_piece *x);
/* The number of pieces that contribute, counted one by one. */
size_t gfp_cut_total(const gfp_cut *p);
/* Calls visit for at least one piece of every shape (lengths of the factors, first, end), for at
 * most 24 pieces. p has one part of b; with several stripes width >= length_a, with several parts
 * of a length_a >= width. */
typedef void gfp_cut_visit(void *user, const gfp_cut_piece *x);
void gfp_cut_visit_shapes(const gfp_cut *p, gfp_cut_visit *visit, void *user);

/* z := the coefficients of x->range. */
typedef gfp_status gfp_cut_multiply(void *user, const gfp_cut_piece *x, uint64_t *z);
/* c := the range p->whole, the sum of its pieces. z: room for the coefficients of a piece, or NULL
 * if no two pieces meet: they are computed at their place. Ends at the first error; c is undefined
 * then. */
gfp_status gfp_cut_run(const gfp_cut *p, uint64_t *c, uint64_t *z, gfp_cut_multiply *multiply,
                       void *user);

#endif
