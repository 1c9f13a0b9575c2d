/* gfpoly/gpu_poly.h: polynomials that live on a CUDA device: gfpoly/poly.h's arithmetic without
 * crossing the bus. What gfpoly/gpu.h says of contexts, queues and failures holds here: calls
 * enqueue and return, unless their comment says that they wait; what goes wrong on the device may
 * be reported by a later call, and then leaves outputs undefined. On any other error outputs are
 * unchanged; gfp_gpu_last_error has the reason.
 *
 * Finding leading zeros means waiting. So a polynomial keeps a bound of its length, which is its
 * length unless a sum, a truncation or a reversal may have ended in zeros; gfp_gpu_poly_length
 * finds it out.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_POLY_H
#define GFPOLY_GPU_POLY_H

#include "gfpoly/gpu_product.h"
#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- rings ---- */

/* The polynomials over a field on a context: how they are multiplied, the plans for that, which are
 * kept by classes of lengths, and work space. Field and context must outlive it. */
typedef struct gfp_gpu_ring gfp_gpu_ring;

typedef struct gfp_gpu_ring_options {
    gfp_gpu_method method;
    /* Bytes of device memory that plans for products may keep; the one in use counts, but is never
     * refused for it. 0: an eighth of the device's. */
    size_t plan_bytes;
} gfp_gpu_ring_options;

/* options may be NULL (all zero). Allocates no device memory. Errors: ARGUMENT (no such method),
 * MEMORY, DEVICE; *ring is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ring_create(gfp_gpu_ring **ring, gfp_gpu *gpu,
                                                      const gfp_field *field,
                                                      const gfp_gpu_ring_options *options,
                                                      gfp_error *error);
/* Its polynomials must be destroyed before. NULL is allowed. */
GFP_API void gfp_gpu_ring_destroy(gfp_gpu_ring *ring);
GFP_API gfp_gpu *gfp_gpu_ring_context(const gfp_gpu_ring *ring);
GFP_API const gfp_field *gfp_gpu_ring_field(const gfp_gpu_ring *ring);
/* Releases plans and work space, which later calls make again. */
GFP_API void gfp_gpu_ring_trim(gfp_gpu_ring *ring);

/* ---- storage ---- */

typedef struct gfp_gpu_poly gfp_gpu_poly;

/* *a := the zero polynomial; takes no device memory. Operands of one call may be of several rings
 * over one context and equal fields: FIELD_MISMATCH and ARGUMENT otherwise. Products are the ring's
 * of their result. Errors: MEMORY; *a is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_create(gfp_gpu_poly **a, gfp_gpu_ring *ring);
/* NULL is allowed. */
GFP_API void gfp_gpu_poly_destroy(gfp_gpu_poly *a);
GFP_API gfp_gpu_ring *gfp_gpu_poly_ring(const gfp_gpu_poly *a);

/* a's length is at most this; as many coefficients are stored. */
GFP_API size_t gfp_gpu_poly_bound(const gfp_gpu_poly *a);
/* *len := a's length, which is its bound from then on. Waits, unless it is known. Errors: MEMORY,
 * DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_length(gfp_gpu_poly *a, size_t *len);
/* Room for capacity coefficients; contents unchanged. Waits where there is not. Errors: SIZE,
 * MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_fit_length(gfp_gpu_poly *a, size_t capacity);
GFP_API size_t gfp_gpu_poly_capacity(const gfp_gpu_poly *a);
/* Its coefficients (NULL for capacity 0), valid until a is an output. Raw access as with gfp_poly:
 * fit_length, write canonical elements, set_length, which declares that the first n <= capacity
 * have been written (ARGUMENT otherwise). */
GFP_API gfp_gpu_array *gfp_gpu_poly_array(gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_set_length(gfp_gpu_poly *a, size_t n);

/* b := a, from host to device and back; both wait. Errors: FIELD_MISMATCH, SIZE, MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_upload(gfp_gpu_poly *b, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_download(gfp_poly *b, const gfp_gpu_poly *a);
/* The same from and to integers: coefficient i < n is `size` words of 64 bits (0 stands for
 * gfp_field_limbs; at most 4096) at limbs + i size, least significant first, and taken modulo p;
 * back, gfp_field_limbs words each, in [0, p), 0 beyond a's length. The words cross the bus, and
 * the device makes digits of them. The first call of a size makes tables. Errors: ARGUMENT (size),
 * SIZE, MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_set_limbs(gfp_gpu_poly *b, const uint64_t *limbs,
                                                         size_t size, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_get_limbs(const gfp_gpu_poly *a, uint64_t *limbs,
                                                         size_t n);
/* x := coefficient i, 0 beyond the length. Waits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_get_coeff(const gfp_gpu_poly *a, uint64_t *x,
                                                         size_t i);

GFP_API void gfp_gpu_poly_zero(gfp_gpu_poly *a);
/* Waits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_one(gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_copy(gfp_gpu_poly *b, const gfp_gpu_poly *a);
/* Of one ring: ARGUMENT otherwise. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_swap(gfp_gpu_poly *a, gfp_gpu_poly *b);
/* *equal := whether a = b. Waits. Comparing products of rings with two methods checks both. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_equal(bool *equal, const gfp_gpu_poly *a,
                                                     const gfp_gpu_poly *b);

/* ---- arithmetic ---- */

/* As gfpoly/poly.h's; outputs may be inputs. A call waits where its output has no room for the
 * result, or is an input whose place the result cannot take. Errors: FIELD_MISMATCH, ARGUMENT (two
 * contexts), SIZE, MEMORY, DEVICE. */
/* b := a mod X^n; b := a X^n; b := a div X^n; b := X^(n-1) a(1/X) for a mod X^n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_truncate(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                        size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_shift_left(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_shift_right(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                           size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_reverse(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                       size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_add(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_sub(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a);
/* b := x a, x an element of k digits on the host, read before the call returns. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_scale(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                     const uint64_t *x);
/* y := a(x), both on the host. Waits. Cost: a general product for each coefficient. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_eval(const gfp_gpu_poly *a, uint64_t *y,
                                                    const uint64_t *x);

/* ---- products ---- */

/* c := a b, a^2, a b mod X^n, a b div X^n, (a b div X^from) mod X^n. The first product of a class
 * of lengths makes a plan, and waits. Further errors: UNAVAILABLE (the ring's method does not serve
 * these lengths). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_sqr(gfp_gpu_poly *c, const gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_low(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       const gfp_gpu_poly *b, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_high(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                        const gfp_gpu_poly *b, size_t n);
/* Modulo X^N - 1 for an N that what is wanted fits, as on the CPU. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_middle(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                          const gfp_gpu_poly *b, size_t from,
                                                          size_t n);
/* b := 1 / a mod X^n. Waits for the first few coefficients, which the CPU inverts; the others
 * follow on the device by Newton's iteration. Further errors: NOT_INVERTIBLE where a(0) = 0 and n >
 * 0. Cost: that of about two and a half products of n by n terms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_inv_series(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          size_t n);

/* Checks c = a b on the device: the residues of all three modulo X^j - d, j <= 1024 a power of two,
 * d random in S = [0, gfp_gpu_fold_limit), are compared; only they cross the bus. seed 0: from the
 * system. Waits. The report (may be NULL) is filled on OK and on VERIFY: verified, points,
 * log2_error and verify_ns; the rest is 0. Errors: VERIFY (they differ, or digits of c are not
 * canonical), UNAVAILABLE (no seed; or S is too small to make sure), MEMORY, DEVICE.
 *
 * The residue of e = a b - c is 0 only where d is a root of every e_i, e = sum of X^i e_i(X^j). Of
 * degree (len - 1) / j at most, len coefficients in e, one that is not 0 has no more roots than
 * that, and digits d are distinct modulo p: a wrong product passes with probability <= (floor((len
 * - 1) / j) / |S|)^points. j and points are such that this is below 2^-40. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_verify_mul(const gfp_gpu_poly *c,
                                                          const gfp_gpu_poly *a,
                                                          const gfp_gpu_poly *b, uint64_t seed,
                                                          gfp_report *report);

GFP_END_DECLS
#endif
