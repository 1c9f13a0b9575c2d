/* gfpoly/operand.h: coefficients transformed once and used many times: products, sums and
 * differences in the transformed domain, one way back for a whole sum of products. For products of
 * matrices and vectors of polynomials, product trees, Newton's iteration.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_OPERAND_H
#define GFPOLY_OPERAND_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* ---- spaces ---- */

/* What products do with coefficients beyond the space's length. */
typedef enum gfp_wrap {
    GFP_WRAP_LINEAR = 0, /* there are none: longer products are an error */
    GFP_WRAP_CYCLIC      /* they wrap around, modulo X^L - 1, L = gfp_space_length */
} gfp_wrap;

typedef struct gfp_space_spec {
    size_t length; /* the most coefficients of a product: len_a + len_b - 1; at least 1 */
    size_t terms;  /* the usual number of products in a sum; at least 1 */
    gfp_wrap wrap;
} gfp_space_spec;

/* What operands that are used together share: field, method, length, tables, points of
 * verification. A space does not change; threads may share it. It lasts until gfp_space_destroy was
 * called and the last of its operands destroyed, in any order. The field must outlive it.
 *
 * Bounds. bigfft computes in Z/pZ: there are none. hybrid and crt compute in integers modulo a few
 * primes, whose product bounds what can be added up; an operand keeps account of its own. An
 * operand or a sum that would not fit is first brought back to reduced coefficients (for about half
 * the cost of a product): results are right whatever is asked, but fastest where at most `terms`
 * products of operands fresh from coefficients are added up, and products are not multiplied again.
 *
 * On a GPU (bigfft_gpu, hybrid_gpu, multimodular_gpu) an operand is the coefficients, on the host,
 * and their transform, on the device, which the first product with the operand as b makes and which
 * goes when the operand changes. They are for gfp_vec_mul_operand; the other calls are right there,
 * too, but every product takes as much as that, from and to the host, and sums are sums of
 * coefficients. There are no bounds, nor do products wrap around. The space has a context, a plan
 * and buffers of the device, which one thread uses at a time while others wait. Where a GPU fails
 * whose method is the chooser's pick, the CPU goes on, and the report says why: at the space's
 * creation as if there were no GPU; later by a whole product of the coefficients, the next call
 * trying the GPU again. Where options name the method, its failure is the call's status.
 *
 * Verification: with options->verify = POINT at the space's creation each operand carries its
 * polynomial's values at random points, as many as for a product, through products and sums;
 * coefficients that come out of operands (gfp_operand_get, gfp_operand_dot, gfp_vec_mul_operand)
 * are computed whole and compared with them; VERIFY where they differ. Cross, products that wrap
 * around, and fields with too few points: UNAVAILABLE. */
typedef struct gfp_space gfp_space;

/* *s := a space over field. options->method: NULL or "auto", "hybrid", "bigfft", "crt", or a method
 * on a GPU. Errors: ARGUMENT (length or terms 0), UNKNOWN (method), UNAVAILABLE (method: it has no
 * such operands, p - 1 no such root of unity, or there is no GPU; verification: see there), SIZE,
 * MEMORY, DEVICE. *s is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_space_create(gfp_space **s, const gfp_field *field,
                                                   const gfp_space_spec *spec,
                                                   const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_space_destroy(gfp_space *s);
GFP_API const gfp_field *gfp_space_field(const gfp_space *s);
/* "hybrid", "bigfft", "crt", or the method on a GPU. */
GFP_API const char *gfp_space_method(const gfp_space *s);
/* The coefficients that an operand has room for, at least the length asked for. */
GFP_API size_t gfp_space_length(const gfp_space *s);

/* ---- operands ---- */

/* A polynomial over Z/pZ in a space: its transform. An operand that nobody changes may be read by
 * any number of threads; functions change their output, which may be an input as well, and nothing
 * else. Each call may itself use several threads, see the options; results do not depend on them.
 */
typedef struct gfp_operand gfp_operand;

/* *x := 0. Errors: ARGUMENT (NULL), SIZE, MEMORY; *x is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_create(gfp_operand **x, gfp_space *s);
/* NULL is allowed. */
GFP_API void gfp_operand_destroy(gfp_operand *x);
GFP_API gfp_space *gfp_operand_space(const gfp_operand *x);
/* Bytes that the operand holds, its space apart: 24 k length or a little more for hybrid with three
 * primes, 8 k length for bigfft, length / 3 times the bits of p or a little more for crt; on a GPU
 * as much as for bigfft, and the transform there. */
GFP_API size_t gfp_operand_bytes(const gfp_operand *x);
/* How many more products of two operands fresh from coefficients can be added to it before it is
 * brought back to reduced digits; SIZE_MAX: any number. */
GFP_API size_t gfp_operand_room(const gfp_operand *x);

/* x := n coefficients, canonical elements, leading zeros allowed. Errors: SIZE (n is above
 * gfp_space_length), MEMORY for the work area; x is unchanged then. A transform that began and
 * failed (CANCELLED, MEMORY, DEVICE) leaves x = 0. Cost: about a quarter of a
 * product; on a GPU a copy. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_set(gfp_operand *x, const uint64_t *digits, size_t n,
                                                  const gfp_options *options);

/* c := a b; c := c + a b; c := c - a b. Errors: FIELD_MISMATCH; ARGUMENT (operands of several
 * spaces); SIZE (the product is longer than the space, and does not wrap around); MEMORY, DEVICE. c
 * is unchanged then. Cost: about 0.2 of a product; 0.5 more for each operand that must be brought
 * back first. These, and sums and differences, ask no gfp_progress; threads and memory_cap are
 * those of the space's creation. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_mul(gfp_operand *c, const gfp_operand *a,
                                                  const gfp_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_addmul(gfp_operand *c, const gfp_operand *a,
                                                     const gfp_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_submul(gfp_operand *c, const gfp_operand *a,
                                                     const gfp_operand *b);
/* c := a + b, a - b. Errors: FIELD_MISMATCH, ARGUMENT, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_add(gfp_operand *c, const gfp_operand *a,
                                                  const gfp_operand *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_sub(gfp_operand *c, const gfp_operand *a,
                                                  const gfp_operand *b);

/* ---- back ---- */

/* c, n elements, := coefficients from <= i < from + n of x, zeros beyond its length. Errors: SIZE,
 * MEMORY, CANCELLED, VERIFY; c is unchanged then. Cost: about 0.35 of a product, whatever n is. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_get(uint64_t *c, size_t from, size_t n,
                                                  const gfp_operand *x, const gfp_options *options);
/* c := the same coefficients of x[0] y[0] + ... + x[count - 1] y[count - 1]: faster than by way of
 * a sum that stays, for nothing goes to memory in between; count >= 1. Errors: ARGUMENT (count 0,
 * or operands of several spaces), as mul and get. */
GFP_API GFP_MUST_CHECK gfp_status gfp_operand_dot(uint64_t *c, size_t from, size_t n,
                                                  const gfp_operand *const *x,
                                                  const gfp_operand *const *y, size_t count,
                                                  const gfp_options *options);
/* c := the same coefficients of a x, a of len_a coefficients: faster than by way of another
 * operand, 0.75 of a product. c may be a. Errors: as mul and get. */
GFP_API GFP_MUST_CHECK gfp_status gfp_vec_mul_operand(uint64_t *c, size_t from, size_t n,
                                                      const uint64_t *a, size_t len_a,
                                                      const gfp_operand *x,
                                                      const gfp_options *options);

GFP_END_DECLS
#endif
