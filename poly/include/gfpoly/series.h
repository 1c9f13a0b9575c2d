/* gfpoly/series.h: power series over Z/pZ, modulo X^n: inverse and quotient.
 *
 * A series is an array of elements, constant term first; coefficients beyond its length are 0. An
 * output has n elements; it may overlap inputs. The functions on polynomials do the same; their
 * outputs may equal inputs.
 *
 * Options are those of a product (gfpoly/options.h). method names a method with transforms that
 * stay (gfpoly/operand.h), or "classical" for quadratic algorithms without products. memory_cap
 * counts all memory that the call takes in addition to inputs, outputs, and what the field keeps.
 * verify checks the identity that defines the result, once, at the end: at a random point in linear
 * time, where a wrong result passes with probability at most ((n - 1) / |S|)^points (see
 * gfp_verify); cross, by a product of a second method. The report has the method of the longest
 * products, and the time of all that was computed.
 *
 * Errors of all functions: SIZE, MEMORY, CANCELLED, VERIFY; UNKNOWN and UNAVAILABLE (the method).
 * Outputs are unchanged then.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_SERIES_H
#define GFPOLY_SERIES_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* g := the first n coefficients of 1 / f: g f = 1 modulo X^n. f has len_f coefficients, any number.
 * Errors: NOT_INVERTIBLE (f_0 = 0 or len_f = 0, where n > 0; error->index is 0). Cost: about 1.7
 * products of two polynomials of n terms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_inv_series(const gfp_field *field, uint64_t *g, size_t n,
                                                     const uint64_t *f, size_t len_f,
                                                     const gfp_options *options);
/* q := the first n coefficients of a / b: q b = a modulo X^n. Errors: NOT_INVERTIBLE (b_0 = 0 or
 * len_b = 0, where n > 0). Cost: about 2.1 products of two polynomials of n terms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_div_series(const gfp_field *field, uint64_t *q, size_t n,
                                                     const uint64_t *a, size_t len_a,
                                                     const uint64_t *b, size_t len_b,
                                                     const gfp_options *options);

/* The same for polynomials. Further errors: ARGUMENT, FIELD_MISMATCH. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_inv_series(gfp_poly *g, const gfp_poly *f, size_t n,
                                                      const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_div_series(gfp_poly *q, const gfp_poly *a,
                                                      const gfp_poly *b, size_t n,
                                                      const gfp_options *options);

GFP_END_DECLS
#endif
