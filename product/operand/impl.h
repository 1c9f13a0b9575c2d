/* impl.h: functions shared by the common files of operands: space.c (spaces),
 * create.c (operands, calls, and from coefficients to operands), arith.c,
 * back.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_OPERAND_IMPL_H
#define GFP_PRODUCT_OPERAND_IMPL_H

#include "product/methods/engine.h"

/* ---- shares of a product's time ---- */

#define GFP_OPERAND_TRANSFORM_SHARE 0.25
#define GFP_OPERAND_ADD_SHARE 0.05
#define GFP_OPERAND_MULTIPLY_SHARE 0.2
#define GFP_OPERAND_RESTORE_SHARE 0.35
#define GFP_OPERAND_MULTIPLY_BY_SHARE 0.75

/* ---- operands and calls (create.c) ---- */

/* The bytes of page-locked memory of a product. */
size_t gfp_operand_staging(const gfp_space *s);
/* The bytes of an operand without those on a device. Saturates. */
size_t gfp_operand_host_bytes(const gfp_space *s);
/* place: x := 0 in the caller's memory of gfp_operand_place_words words (saturates), which the
 * caller frees after displace; the engine's cache is allocated. Errors: MEMORY. */
size_t gfp_operand_place_words(const gfp_space *s);
gfp_status gfp_operand_place(gfp_operand *x, gfp_space *s, uint64_t *block);
void gfp_operand_displace(gfp_operand *x);
/* set_zero: x := 0, with undefined words. settle: sets undefined words of x to 0. */
void gfp_operand_set_zero(gfp_operand *x);
void gfp_operand_settle(gfp_operand *x);

/* The least bytes of a call's work area, by one thread; a call may need temporary operands, too. */
size_t gfp_operand_call_bytes(const gfp_space *s);
/* Begins a call that needs `apart` bytes for polynomials and takes this share of a product's time;
 * `whole`: the call begins or ends with coefficients. Uses one thread if the work areas of all
 * threads exceed the cap. Also a call whose begin fails is ended. */
gfp_status gfp_operand_call_begin(gfp_operand_call *w, const gfp_space *s,
                                  const gfp_options *options, bool whole, size_t apart,
                                  double share);
/* Ends a call whose begin or computation has this status, which it returns. */
gfp_status gfp_operand_call_end(gfp_operand_call *w, gfp_status status);
/* Fills the report of a call that has nothing to compute; report may be NULL. */
void gfp_operand_report_nothing(gfp_report *report, const gfp_space *s);

/* y := the values of a polynomial at the points. */
void gfp_operand_evaluate(const gfp_operand_call *w, uint64_t *y, const uint64_t *a, size_t len);
/* Whether z, len >= 1 coefficients, has these values at the points. */
gfp_status gfp_operand_compare_values(gfp_operand_call *w, const uint64_t *values,
                                      const uint64_t *z, size_t len);
/* values := values(a) values(b) (sign 0), values + values(a) values(b), values - values(a)
 * values(b). */
void gfp_operand_multiply_values(uint64_t *values, const gfp_operand *a, const gfp_operand *b,
                                 int sign);
/* Errors: FIELD_MISMATCH, ARGUMENT. */
gfp_status gfp_operand_check_alike(const gfp_operand *c, const gfp_operand *a,
                                   const gfp_operand *b);
/* *len := the length of a product of lengths len_a, len_b >= 1. Errors: SIZE (too long for the
 * space). */
gfp_status gfp_operand_check_product(size_t *len, const gfp_space *s, size_t len_a, size_t len_b);

/* ---- to coefficients (back.c) ---- */

/* Coefficients from <= i < end of a result, each at its place in z, which has room for `room`
 * coefficients and belongs to the caller; z = NULL: no coefficients. */
typedef struct gfp_operand_digits {
    uint64_t *z;
    size_t from, end, room;
    const gfp_allocator *allocator; /* of a new array; NULL: that of the operands' field */
    bool kept; /* a new array stays with the caller: its coefficients from <= i < end are the
                  result, which no cap counts */
} gfp_operand_digits;

/* *d := coefficients of x, of a b, of a sum. The options have been read. d->z with d->room is an
 * array of the caller's to compute in, or NULL and 0; if the room is too short, a new array is
 * made. On an error the array's contents are undefined. Errors: as those of the
 * calls on polynomials. */
gfp_status gfp_operand_take(gfp_operand_digits *d, size_t from, size_t n, const gfp_operand *x,
                            const gfp_options *options);
gfp_status gfp_operand_take_product(gfp_operand_digits *d, size_t from, size_t n,
                                    const gfp_ring_factor *a, const gfp_operand *b,
                                    const gfp_options *options);
gfp_status gfp_operand_take_sum(gfp_operand_digits *d, size_t from, size_t n,
                                const gfp_operand_sum *sum, const gfp_options *options);

/* ---- arithmetic (arith.c) ---- */

/* c := a b (sign 0), c + a b, c - a b; c, a and b belong to one space. */
gfp_status gfp_operand_multiply(gfp_operand *c, const gfp_operand *a, const gfp_operand *b,
                                int sign, const gfp_options *options);

#endif
