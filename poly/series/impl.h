/* impl.h: power series inside operations (poly/operation.h): outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_SERIES_IMPL_H
#define GFP_POLY_SERIES_IMPL_H

#include "poly/sequence.h"

/* ---- inverse and quotient (inverse.c) ---- */

/* g, n >= 1 elements, := 1 / f modulo X^n; f_0 is not 0. */
gfp_status gfp_series_invert(gfp_operation_call *op, uint64_t *g, size_t n, gfp_series f);
/* q, n >= 1 elements, := a / b modulo X^n; b_0 is not 0. */
gfp_status gfp_series_divide(gfp_operation_call *op, uint64_t *q, size_t n, gfp_series a,
                             gfp_series b);
double gfp_series_invert_units(size_t n);
double gfp_series_divide_units(size_t n);

/* Roots and exponentials modulo X^n: up to this length recurrences compute them, n or the start of
 * the iteration to n. */
size_t gfp_series_recurrence_max(const gfp_operation_call *op, size_t n);

/* ---- roots (root.c) ---- */

/* s, n >= 1 elements, := the square root of f modulo X^n with constant term 1; g, n elements: with
 * `both` 1 / s modulo X^n, else undefined. f_0 is 1. */
gfp_status gfp_series_root(gfp_operation_call *op, uint64_t *s, uint64_t *g, size_t n, gfp_series f,
                           bool both);
double gfp_series_root_units(size_t n);

/* ---- derivatives, logarithm, exponential (log.c) ---- */

/* Whether 1, 2, ..., n - 1 have inverses: n is at most the characteristic. */
bool gfp_series_has_inverses(const gfp_field *field, size_t n);
/* inverse_i := 1 / i for 1 <= i < n. */
gfp_status gfp_series_inverses(gfp_operation_call *op, uint64_t *inverse, size_t n);
/* z := x_i (first + i) for i < n; z may be x. */
gfp_status gfp_series_times_index(gfp_operation_call *op, uint64_t *z, const uint64_t *x,
                                  size_t first, size_t n);
/* z, n elements, := X f' modulo X^n. */
gfp_status gfp_series_derive(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f);
/* z, n elements, := the series without constant term whose X z' is that of log f: f_0 is not 0. */
gfp_status gfp_series_log(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series f,
                          const uint64_t *inverse);
/* z, n elements, := exp h modulo X^n; h_0 is 0. */
gfp_status gfp_series_exp(gfp_operation_call *op, uint64_t *z, size_t n, gfp_series h,
                          const uint64_t *inverse);
/* Checks X z' f = X f', and X g' = X h' g, modulo X^n; constant terms are not checked. */
gfp_status gfp_series_check_log(gfp_operation_call *op, const uint64_t *z, size_t n, gfp_series f);
gfp_status gfp_series_check_exp(gfp_operation_call *op, const uint64_t *g, size_t n, gfp_series h);
double gfp_series_inverses_units(size_t n);
double gfp_series_log_units(size_t n);
double gfp_series_exp_units(size_t n);

/* ---- powers (pow.c) ---- */

/* A power modulo X^n: X^shift u^e with a constant term u_0 that is not 0, if shift < n. */
typedef struct gfp_power {
    size_t n, shift;
    gfp_series u; /* at most n - shift coefficients */
    const uint64_t *exponent;
    size_t limbs;    /* without leading zeros */
    size_t products; /* 0: by logarithm and exponential */
} gfp_power;

void gfp_power_plan(gfp_power *w, const gfp_field *field, size_t n, gfp_series f,
                    const uint64_t *exponent, size_t limbs);
double gfp_power_units(const gfp_power *w);
/* Identities that are checked. */
unsigned gfp_power_claims(const gfp_power *w);
/* z, n elements, := the power, checked as options->verify says. */
gfp_status gfp_power_run(gfp_operation_call *op, uint64_t *z, const gfp_power *w);

/* ---- Taylor shift (shift.c) ---- */

/* b(X) := a(X + c), n >= 1 coefficients; n is at most the characteristic. */
gfp_status gfp_taylor_shift(gfp_operation_call *op, uint64_t *b, const uint64_t *a, size_t n,
                            const uint64_t *c);
gfp_status gfp_taylor_check(gfp_operation_call *op, const uint64_t *b, const uint64_t *a, size_t n,
                            const uint64_t *c);
double gfp_taylor_units(size_t n);

#endif
