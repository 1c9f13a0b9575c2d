/* operand_impl.h: functions that the common files of operands share: operand_space.c (spaces),
 * operand.c (operands, calls, and the way from polynomials), operand_arith.c, operand_back.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OPERAND_IMPL_H
#define GFP_OPERAND_IMPL_H

#include "operand_engine.h"

/* ---- shares of a product's time ---- */

#define GFP_OPERAND_TRANSFORM_SHARE 0.25
#define GFP_OPERAND_ADD_SHARE 0.05
#define GFP_OPERAND_MULTIPLY_SHARE 0.2
#define GFP_OPERAND_RESTORE_SHARE 0.35
#define GFP_OPERAND_MULTIPLY_BY_SHARE 0.75

/* ---- spaces (operand_space.c) ---- */

/* As gfp_fft_operand_create; one owner. failed: gpu_method and gpu_error where a GPU failed. */
gfp_status gfp_operand_space_create(gfp_operand_space **made, const gfp_field *field, size_t length,
                                    size_t terms, bool cyclic, gfp_report *failed,
                                    const gfp_options *options);
/* One owner less. NULL is allowed. */
void gfp_operand_space_release(gfp_operand_space *s);
/* Whether operands of both go together. */
bool gfp_operand_alike(const gfp_operand_space *s, const gfp_operand_space *t);

/* ---- operands and calls (operand.c) ---- */

/* The bytes of page-locked memory that a product takes. */
size_t gfp_operand_staging(const gfp_operand_space *s);
void gfp_operand_set_zero(gfp_fft_operand *x);

/* A call that takes `apart` bytes for polynomials, and this share of a product's time; `whole`: it
 * begins or ends with polynomials. Where the cap does not suffice for the work areas of all
 * threads: by one. */
gfp_status gfp_operand_call_begin(gfp_operand_call *w, const gfp_operand_space *s,
                                  const gfp_options *options, bool whole, size_t apart,
                                  double share);
/* Of a call that has begun. */
void gfp_operand_call_end(gfp_operand_call *w);
/* Of a call that has nothing to compute; report may be NULL. */
void gfp_operand_report_nothing(gfp_report *report, const gfp_operand_space *s);
/* Fills the report of a call that ends with this status, or the error unless it is filled; returns
 * the status. */
gfp_status gfp_operand_say(gfp_status status, const gfp_operand_call *w);

/* y := the values of a polynomial at the points. */
void gfp_operand_evaluate(const gfp_operand_call *w, uint64_t *y, const uint64_t *a, size_t len);
/* Whether z, len >= 1 coefficients, has these values. */
gfp_status gfp_operand_compare_values(const gfp_operand_call *w, const uint64_t *values,
                                      const uint64_t *z, size_t len);
/* values := values(a) values(b) (sign 0), values + values(a) values(b), values - .... */
void gfp_operand_multiply_values(uint64_t *values, const gfp_fft_operand *a,
                                 const gfp_fft_operand *b, int sign);
/* x := the transform of a, which is not 0, and its values. */
gfp_status gfp_operand_transform_to(gfp_operand_call *w, gfp_fft_operand *x, const gfp_poly *a);
gfp_status gfp_operand_check_fits(const gfp_operand_space *s, const gfp_poly *a, gfp_error *error);
/* The field of a polynomial or an operand; NULL: it is NULL, or was not initialised. */
static inline const gfp_field *gfp_operand_field_of(const gfp_fft_operand *x)
{
    return x != NULL ? x->space->field : NULL;
}
static inline const gfp_field *gfp_operand_poly_field(const gfp_poly *a)
{
    return a != NULL ? a->field : NULL;
}
gfp_status gfp_operand_same_field(const gfp_field *a, const gfp_field *b, gfp_error *error);
/* FIELD_MISMATCH, ARGUMENT. */
gfp_status gfp_operand_check_alike(const gfp_fft_operand *c, const gfp_fft_operand *a,
                                   const gfp_fft_operand *b);
/* *len := the length of a product of lengths len_a, len_b >= 1. SIZE: it does not fit. */
gfp_status gfp_operand_check_product(size_t *len, const gfp_operand_space *s, size_t len_a,
                                     size_t len_b);

/* ---- arithmetic (operand_arith.c) ---- */

/* c := a b (sign 0), c + a b, c - a b; made alike. */
gfp_status gfp_operand_multiply(gfp_fft_operand *c, const gfp_fft_operand *a,
                                const gfp_fft_operand *b, int sign, const gfp_options *options);

#endif
