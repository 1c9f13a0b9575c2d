/* gfpoly/series.h: power series over Z/pZ, modulo X^n: inverse, quotient, square roots, logarithm,
 * exponential, powers; derivative, integral and Taylor shift of polynomials.
 *
 * A series is an array of elements, constant term first; coefficients beyond its length are 0. An
 * output has n elements; it may overlap inputs. The functions on polynomials do the same; their
 * outputs may equal inputs.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for quadratic algorithms without products. memory_cap
 * counts all memory that the call takes in addition to inputs, outputs, and what the field keeps:
 * at most 35 n elements from n = 64 on. verify checks identities that define the result, once, at
 * the end: at random points in linear time, or (cross) by products of a second method. A wrong
 * result passes with probability at most ((n - 1) / |S|)^points for one identity's points (see
 * gfp_verify), which is in the report. The report has the method of the longest products, and the
 * time of all that was computed.
 *
 * Errors of all functions: SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method);
 * of functions on polynomials also ARGUMENT and FIELD_MISMATCH. Where an input is at fault,
 * error->index is the coefficient. Outputs are unchanged after an error.
 *
 * Costs are in products of two polynomials of n terms, measured over p8 at n = 2^10.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_SERIES_H
#define GFPOLY_SERIES_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* g := the first n coefficients of 1 / f: g f = 1 modulo X^n. f has len_f coefficients, any number.
 * Errors: NOT_INVERTIBLE (f_0 = 0 or len_f = 0, where n > 0). Cost: 1.7. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_inv_series(const gfp_field *field, uint64_t *g, size_t n,
                                                     const uint64_t *f, size_t len_f,
                                                     const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_inv_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                                      const gfp_options *options);
/* q := the first n coefficients of a / b: q b = a modulo X^n. Errors: NOT_INVERTIBLE (b_0 = 0 or
 * len_b = 0, where n > 0). Cost: 2.1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_div_series(const gfp_field *field, uint64_t *q, size_t n,
                                                     const uint64_t *a, size_t len_a,
                                                     const uint64_t *b, size_t len_b,
                                                     const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_div_series(gfp_poly *q, const gfp_poly *a,
                                                      const gfp_poly *b, size_t n,
                                                      const gfp_options *options);

/* s := the first n coefficients of the square root of f whose constant term is 1: s^2 = f modulo
 * X^n. Errors: ARGUMENT (f_0 is not 1, where n > 0). Cost: 2.1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_sqrt_series(gfp_poly *s, const gfp_poly *f, size_t n,
                                                       const gfp_options *options);
/* g := the first n coefficients of the inverse of that root. Checked as g s = 1 and s^2 = f.
 * Errors: as for the root. Cost: 2.8. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_invsqrt_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                                          const gfp_options *options);

/* The functions below divide by 1, 2, ..., n - 1. Where p < n: UNAVAILABLE. */

/* g := the first n coefficients of log f. Checked as f g' = f'. Errors: ARGUMENT (f_0 is not 1,
 * where n > 0). Cost: 2.9. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_log_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                                      const gfp_options *options);
/* g := the first n coefficients of exp f. Checked as g' = f' g, with constant term 1. Errors:
 * ARGUMENT (f_0 is not 0, where n > 0). Cost: 3.9. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_exp_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                                      const gfp_options *options);

/* g := the first n coefficients of f^e, e = sum of exponent[i] 2^(64 i), i < n_limbs; f^0 = 1 for
 * every f. Any f: f = X^v u with u_0 != 0 has f^e = X^(v e) u^e. For small e by products, else as
 * exp(e log u); where p < n by products as well, 1.5 for each bit of e. Checked by the identities
 * of logarithm and exponential, or each product. Cost: at most 7 where p >= n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_pow_series(gfp_poly *g, const gfp_poly *f,
                                                      const uint64_t *exponent, size_t n_limbs,
                                                      size_t n, const gfp_options *options);

/* ---- polynomials ---- */

/* b := a'. One product in the field for each coefficient; nothing is verified. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_derivative(gfp_poly *b, const gfp_poly *a,
                                                      const gfp_options *options);
/* b := the integral of a with constant term 0. Errors: NOT_INVERTIBLE (p <= the degree of b;
 * error->index is p - 1: that coefficient has no integral). About 3 products in the field for each
 * coefficient; nothing is verified. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_integral(gfp_poly *b, const gfp_poly *a,
                                                    const gfp_options *options);
/* b(X) := a(X + c), n coefficients, c an element. Checked as b(x) = a(x + c) at random points, or
 * (cross) shifted back by a second method. Errors: UNAVAILABLE (p < n). Cost: 2.5. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_taylor_shift(const gfp_field *field, uint64_t *b,
                                                       const uint64_t *a, size_t n,
                                                       const uint64_t *c,
                                                       const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_taylor_shift(gfp_poly *b, const gfp_poly *a,
                                                        const uint64_t *c,
                                                        const gfp_options *options);

GFP_END_DECLS
#endif
