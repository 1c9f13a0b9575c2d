/* bipoly.h: declarations that the files of bivariate polynomials share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BIPOLY_H
#define GFP_BIPOLY_H

#include "gfpoly/bipoly.h"

#include "operation.h"
#include "series.h"

/* ---- the type (bipoly.c) ---- */

/* Drops leading zeros among the first n <= capacity coefficients, sets len. */
void gfp_bipoly_normalise(gfp_bipoly *a, size_t n);
/* 1 + the degree in X; 0 for the zero polynomial. */
size_t gfp_bipoly_len_x(const gfp_bipoly *a);
/* Bytes of coefficients: rows polynomials with room for len coefficients each. Saturates. */
size_t gfp_bipoly_bytes(const gfp_field *field, size_t rows, size_t len);
/* Takes these bytes, which gfp_allocate will give, off the cap of an operation until its end, or
 * gives them back. Errors: MEMORY. */
gfp_status gfp_bipoly_reserve(gfp_operation_call *op, size_t bytes);
void gfp_bipoly_unreserve(gfp_operation_call *op, size_t bytes);
/* The cap of a call inside: what is left of the operation's. Errors: MEMORY (nothing is left). */
gfp_status gfp_bipoly_cap(const gfp_operation_call *op, gfp_options *options);
/* a := rows polynomials of the coefficients z + (j step_y + i step_x) k, i < len. Errors: SIZE,
 * MEMORY; a is unchanged then. */
typedef struct gfp_bipoly_array {
    const uint64_t *z;
    size_t rows, len;
    size_t step_y, step_x; /* in elements */
} gfp_bipoly_array;
gfp_status gfp_bipoly_from_array(gfp_bipoly *a, const gfp_bipoly_array *from);
/* Whether c, a and b are bivariate polynomials over one field, or NULL where the call has none.
 * Errors: ARGUMENT, FIELD_MISMATCH. */
gfp_status gfp_bipoly_check_operands(const gfp_bipoly *c, const gfp_bipoly *a, const gfp_bipoly *b,
                                     const gfp_options *options);

/* ---- exact quotients (bipoly_mul.c) ---- */

/* *yes := whether b, not 0, divides a; then q := a / b, which may be a or b. Checked as
 * options->verify says. Degrees have been checked: the product of the lengths of a is a size. */
gfp_status gfp_bipoly_divide(gfp_operation_call *op, bool *yes, gfp_bipoly *q, const gfp_bipoly *a,
                             const gfp_bipoly *b);
double gfp_bipoly_divide_units(const gfp_bipoly *a, const gfp_bipoly *b);

/* ---- values (bipoly_eval.c) ---- */

/* Values of all coefficients of one or two bivariate polynomials at start ratio^i, i = 0, 1, ...,
 * from call to call. The caller sets the first three members. */
typedef struct gfp_bipoly_points {
    const gfp_bipoly *of[2]; /* the second one may be NULL */
    const uint64_t *start, *ratio;
    /* Set by gfp_bipoly_points_begin. */
    const gfp_field *field;
    size_t rows, len;  /* coefficients of all; terms of the longest one */
    size_t points;     /* calls are for a multiple of this number of points, but for the last one */
    size_t next;       /* i of the next point */
    uint64_t *columns; /* NULL: values by cyclic products, with what follows */
    gfp_space *space;
    gfp_operand *up;
    uint64_t *down, *weights, *forward;
} gfp_bipoly_points;

/* Prepares n points in all. */
gfp_status gfp_bipoly_points_begin(gfp_operation_call *op, gfp_bipoly_points *w, size_t n);
/* The next n points: values_(i rows + r) is that of coefficient r. */
gfp_status gfp_bipoly_points_next(gfp_operation_call *op, uint64_t *values, gfp_bipoly_points *w,
                                  size_t n);
double gfp_bipoly_points_units(size_t rows, size_t len, size_t n);

/* ---- resultants (bipoly_resultant.c) ---- */

/* The lengths of the coefficients by power of Y, `step` bytes apart; the last one is not 0. */
typedef struct gfp_bipoly_lengths {
    const size_t *first;
    size_t step, count;
} gfp_bipoly_lengths;
/* *bound := a bound of the degree of the resultant with respect to Y, or of the coefficients of the
 * subresultant of this index; neither has count 0, and an index above 0 is less than both degrees
 * in Y. False if the bound is far beyond memory. */
bool gfp_bipoly_lengths_bound(size_t *bound, gfp_bipoly_lengths a, gfp_bipoly_lengths b,
                              size_t index);
/* *bound := a bound of the degree of the resultant with respect to Y; neither is 0. False if it is
 * far beyond memory. */
bool gfp_bipoly_resultant_bound(size_t *bound, const gfp_bipoly *a, const gfp_bipoly *b);

/* A progression: powers of ratio up to the one asked for are different, start is not 0. */
typedef struct gfp_bipoly_start {
    uint64_t start[GFP_MAX_K], ratio[GFP_MAX_K];
    bool found; /* false: the field has too few elements */
} gfp_bipoly_start;
gfp_status gfp_bipoly_progression(gfp_operation_call *op, gfp_bipoly_start *s, size_t n,
                                  gfp_random *g);
/* Random numbers of a call: from options->verify_seed. Errors: UNAVAILABLE. */
gfp_status gfp_bipoly_seed(gfp_operation_call *op, gfp_random *g);
/* The points that are treated at once, of n in all. */
size_t gfp_bipoly_block(const gfp_operation_call *op, const gfp_bipoly_points *w, size_t n);

#endif
