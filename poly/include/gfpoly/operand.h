/* gfpoly/operand.h: polynomials transformed once and used many times: products, sums and
 * differences in the transformed domain, one way back for a whole sum of products. For products of
 * matrices and vectors of polynomials, product trees, Newton's iteration.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_OPERAND_H
#define GFPOLY_OPERAND_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* The transform of a polynomial over Z/pZ. Operands that are to be used together are made alike: of
 * the same field, method, length, terms and cyclic (gfp_fft_operand_create_like sees to it).
 *
 * Threads: an operand that nobody changes may be read by any number of threads; functions change
 * the operand (or polynomial) c, which may be an input as well, and nothing else. The field must
 * outlive its operands. Each call may itself use several threads, see the options; results do not
 * depend on them. A host with several operands at hand may share them among its own threads.
 *
 * Bounds. bigfft computes in Z/pZ: there are none. hybrid and crt compute in integers modulo a few
 * primes, whose product bounds what can be added up; an operand keeps account of its own. An
 * operand or a sum that would not fit is first brought back to reduced coefficients (for about half
 * the cost of a product): results are right whatever is asked, but fastest where at most `terms`
 * products of operands fresh from polynomials are added up, and products are not multiplied again.
 *
 * On a GPU (bigfft_gpu, hybrid_gpu, multimodular_gpu) an operand is the polynomial itself, on the
 * host, and its transform, on the device, which its first product as b makes and which goes when
 * the operand changes. They are for gfp_poly_mul_operand; the others are right there, too, but
 * every product takes as much as that, from and to the host, and sums are sums of coefficients.
 * There are no bounds, nor do products wrap around. Operands made alike share a context, a plan and
 * buffers of the device, which one thread uses at a time while others wait; they stay until the
 * last of these operands goes. Where a GPU fails whose method is the chooser's pick, the CPU goes
 * on, and the report says why: at the first operand's creation as if there were no GPU; later by a
 * whole product of the coefficients, the next call trying the GPU again. Where options name the
 * method, its failure is the call's status.
 *
 * Verification, at creation: with options->verify = POINT each operand carries its polynomial's
 * values at random points, as many as for a product, through products and sums; a polynomial that
 * comes out of operands (gfp_fft_operand_to_poly, gfp_fft_operand_dot, gfp_poly_mul_operand) is
 * computed whole and compared with them, from the transforms at creation on; VERIFY where it
 * differs. Operands created apart go together only with the same verify_seed, not 0. Cross,
 * products that wrap around, and fields with too few points: UNAVAILABLE. */
typedef struct gfp_fft_operand gfp_fft_operand;

/* *x := the transform of a, for products of up to `length` coefficients (of both factors together,
 * less one), of which about `terms` >= 1 are to be added up; cyclic: products wrap around modulo
 * X^L - 1, L = gfp_fft_operand_length. options->method: NULL or "auto", "hybrid", "bigfft", "crt",
 * or a method on a GPU. Errors: ARGUMENT (length or terms 0), UNKNOWN (method), UNAVAILABLE
 * (method: it has no such operands, p - 1 no such root of unity, or there is no GPU; verification:
 * see there), SIZE (a is longer than length), MEMORY, DEVICE, CANCELLED. *x is unchanged then.
 * Cost: about a quarter of a product; on a GPU a copy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_create(gfp_fft_operand **x, const gfp_poly *a,
                                                         size_t length, size_t terms, bool cyclic,
                                                         const gfp_options *options);
/* The same, made like an operand, sharing its tables; a = NULL: zero. Errors: the same, but SIZE
 * (a is longer than gfp_fft_operand_length of like), and FIELD_MISMATCH. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_create_like(gfp_fft_operand **x,
                                                              const gfp_fft_operand *like,
                                                              const gfp_poly *a,
                                                              const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_fft_operand_destroy(gfp_fft_operand *x);

GFP_API const gfp_field *gfp_fft_operand_field(const gfp_fft_operand *x);
/* "hybrid", "bigfft", "crt", or the method on a GPU. */
GFP_API const char *gfp_fft_operand_method(const gfp_fft_operand *x);
/* The coefficients that it has room for, at least the length asked for. */
GFP_API size_t gfp_fft_operand_length(const gfp_fft_operand *x);
/* Bytes that the operand holds, tables shared with others apart: 24 k length or a little more for
 * hybrid with three primes, 8 k length for bigfft, length / 3 times the bits of p or a little more
 * for crt; on a GPU as much as for bigfft, and the transform there. */
GFP_API size_t gfp_fft_operand_bytes(const gfp_fft_operand *x);
/* How many more products of two operands fresh from polynomials of any length can be added to it
 * before it is brought back to reduced digits; SIZE_MAX: any number. */
GFP_API size_t gfp_fft_operand_room(const gfp_fft_operand *x);

/* c := a b; c := c + a b; c := c - a b. Errors: FIELD_MISMATCH; ARGUMENT (operands that are not
 * made alike); SIZE (not cyclic, and the product is longer than length); MEMORY, DEVICE. c is
 * unchanged then. Cost: about 0.2 of a product; 0.5 more for each operand that must be brought back
 * first. These, and sums and differences, ask no gfp_progress; threads and memory_cap are those of
 * the operands' creation. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_mul(gfp_fft_operand *c, const gfp_fft_operand *a,
                                                      const gfp_fft_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_addmul(gfp_fft_operand *c,
                                                         const gfp_fft_operand *a,
                                                         const gfp_fft_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_submul(gfp_fft_operand *c,
                                                         const gfp_fft_operand *a,
                                                         const gfp_fft_operand *b);
/* c := a + b, a - b. Errors: FIELD_MISMATCH, ARGUMENT, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_add(gfp_fft_operand *c, const gfp_fft_operand *a,
                                                      const gfp_fft_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_sub(gfp_fft_operand *c, const gfp_fft_operand *a,
                                                      const gfp_fft_operand *b);
/* c := a b for a polynomial a: as gfp_fft_operand_create_like and gfp_fft_operand_mul. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_mul_poly(gfp_fft_operand *c, const gfp_poly *a,
                                                           const gfp_fft_operand *b,
                                                           const gfp_options *options);

/* c := coefficients from <= i < from + n of x, as a polynomial, that is (x div X^from) mod X^n; all
 * of it: from = 0, n = SIZE_MAX. x stays. Errors: FIELD_MISMATCH, SIZE, MEMORY, CANCELLED, VERIFY;
 * c is unchanged then. Cost: about 0.35 of a product, whatever n is. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_to_poly(gfp_poly *c, const gfp_fft_operand *x,
                                                          size_t from, size_t n,
                                                          const gfp_options *options);
/* c := the same coefficients of x[0] y[0] + ... + x[count - 1] y[count - 1]: faster than by way of
 * a sum that stays, for nothing goes to memory in between; count >= 1. Errors: ARGUMENT (count 0,
 * or operands that are not made alike), as mul and to_poly. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_operand_dot(gfp_poly *c, const gfp_fft_operand *const *x,
                                                      const gfp_fft_operand *const *y, size_t count,
                                                      size_t from, size_t n,
                                                      const gfp_options *options);
/* c := the same coefficients of a b, from polynomial to polynomial: faster than by way of another
 * operand, 0.75 of a product. c may be a. Errors: as mul and to_poly. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mul_operand(gfp_poly *c, const gfp_poly *a,
                                                       const gfp_fft_operand *b, size_t from,
                                                       size_t n, const gfp_options *options);

GFP_END_DECLS
#endif
