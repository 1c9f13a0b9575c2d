/* divrem.h: division inside operations (poly/operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DIVISION_DIVREM_H
#define GFP_POLY_DIVISION_DIVREM_H

#include "poly/series/impl.h"

/* A divisor of degree n and what is kept of it. */
typedef struct gfp_poly_divisor {
    const uint64_t *f; /* n + 1 coefficients */
    size_t n;
    size_t m;                     /* quotients of up to m coefficients are computed at once */
    uint64_t inverse[GFP_MAX_K];  /* of the leading coefficient */
    const gfp_operand *quotients; /* the first m coefficients of the series 1 / (X^n f(1 / X)), the
                                     last one first; NULL: division by the definition alone */
    const gfp_operand *minus;     /* -f modulo X^L - 1, L >= n; NULL likewise */
} gfp_poly_divisor;

/* z, m elements, := what quotients is made of, from the array f of n + 1 coefficients. */
gfp_status gfp_poly_divisor_invert(gfp_operation_call *op, uint64_t *z, size_t m, const uint64_t *f,
                                   size_t n);
/* x := -f modulo X^L - 1, L the length of the operand's space. */
gfp_status gfp_poly_divisor_fold(gfp_operation_call *op, gfp_operand *x, const uint64_t *f,
                                 size_t n);
double gfp_poly_divisor_units(size_t n, size_t m);

/* q, max(len - n, 0) elements, and r, n elements, := quotient and remainder of w by the divisor.
 * Either may be NULL. */
gfp_status gfp_poly_divisor_reduce(gfp_operation_call *op, const gfp_poly_divisor *d, uint64_t *q,
                                   uint64_t *r, gfp_series w);
double gfp_poly_divisor_reduce_units(const gfp_poly_divisor *d, size_t len);

/* The same by an array f of n + 1 >= 1 coefficients, of which nothing is kept; q is not NULL. */
gfp_status gfp_division(gfp_operation_call *op, uint64_t *q, uint64_t *r, gfp_series w,
                        const uint64_t *f, size_t n);
double gfp_division_units(size_t n, size_t len);

/* Checks q f + r = w, len - n >= 1 coefficients of q; r = NULL: its coefficients from n on. */
gfp_status gfp_division_check(gfp_operation_call *op, const uint64_t *q, const uint64_t *r,
                              gfp_series w, const uint64_t *f, size_t n);

/* z := the first n coefficients of x modulo X^L - 1, L >= n; z may be the array of x. */
void gfp_series_wrap(const gfp_field *field, uint64_t *z, size_t n, size_t L, gfp_series x);

#endif
