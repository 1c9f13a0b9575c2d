/* gfpoly/gpu_poly.h: polynomials that live on a CUDA device: gfpoly/poly.h's arithmetic without
 * transfers over the bus. The rules of gfpoly/gpu.h for contexts, enqueued work and failures hold
 * here: a call enqueues its work and returns, unless its comment says that it waits; a failure on
 * the device may be reported by a later call, and then leaves outputs undefined. On any other error
 * outputs are unchanged.
 *
 * All calls take options (NULL: defaults), of which they read error, report, progress, verify,
 * verify_seed and the two caps; method and device are those of the ring and its context.
 *   error: the reason, which begins with the call's name, and the index of a row, point or element.
 *   gpu_memory_cap: the context has at most so many bytes in use, operands and results included,
 *     while the call allocates; memory_cap: the most bytes that the call takes on the host.
 *   progress: step is called once, after the work and before outputs are written; powers modulo a
 *     polynomial call step after each product.
 *   verify: POINT checks the result on the device before outputs are written; CROSS is UNAVAILABLE.
 *     The check's probability of passing a wrong result is below 2^-40; the report has the number
 *     of points and the bound. Errors of checks: VERIFY; UNAVAILABLE (the field is too small, or no
 *     seed). Linear operations, transfers and searches have nothing to check.
 * A call with checks, a report or progress waits for its results. Below, every call may return
 * ARGUMENT (a polynomial is NULL; objects of two contexts), FIELD_MISMATCH, MEMORY and DEVICE, and
 * calls with checks those and CANCELLED.
 *
 * A search for leading zeros has to wait for the device. So a polynomial keeps a bound of its
 * length. The bound is the length unless a sum, a truncation or a reversal may have ended in zeros;
 * gfp_gpu_poly_length finds the length.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_POLY_H
#define GFPOLY_GPU_POLY_H

#include "gfpoly/gpu_product.h"
#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* ---- rings ---- */

/* The polynomials over a field on a context, with the method of their products, plans for classes
 * of lengths, and work space. Field and context must outlive the ring. */
typedef struct gfp_gpu_ring gfp_gpu_ring;

typedef struct gfp_gpu_ring_options {
    gfp_gpu_method method;
    /* Bytes of device memory that plans for products may keep. The plan in use counts, but is made
     * in any case. 0: an eighth of the device's memory. */
    size_t plan_bytes;
} gfp_gpu_ring_options;

/* of_ring may be NULL (all zero). Allocates no device memory. Errors: ARGUMENT (no such method);
 * *ring is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ring_create(gfp_gpu_ring **ring, gfp_gpu *gpu,
                                                      const gfp_field *field,
                                                      const gfp_gpu_ring_options *of_ring,
                                                      const gfp_options *options);
/* The ring's polynomials must be destroyed first. NULL is allowed. */
GFP_API void gfp_gpu_ring_destroy(gfp_gpu_ring *ring);

/* ---- storage ---- */

typedef struct gfp_gpu_poly gfp_gpu_poly;

/* *a := the zero polynomial; takes no device memory. Operands of one call may belong to different
 * rings over one context and equal fields. A product uses the ring of its result. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_create(gfp_gpu_poly **a, gfp_gpu_ring *ring,
                                                      const gfp_options *options);
/* NULL is allowed. */
GFP_API void gfp_gpu_poly_destroy(gfp_gpu_poly *a);

/* *len := a's length, which becomes its bound. Waits, unless the length is known. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_length(size_t *len, gfp_gpu_poly *a,
                                                      const gfp_options *options);
/* Makes room for `capacity` coefficients; contents unchanged. Waits if a has less room. Errors:
 * SIZE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_fit_length(gfp_gpu_poly *a, size_t capacity,
                                                          const gfp_options *options);
/* Returns the array of a's coefficients, k words each; NULL for capacity 0. It is valid until a is
 * an output. gfp_gpu_download copies some of them: those below the length. Raw access as with
 * gfp_poly: fit_length, write canonical elements, set_length, which declares that the first n <=
 * capacity coefficients have been written (ARGUMENT otherwise). */
GFP_API gfp_gpu_array *gfp_gpu_poly_array(gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_set_length(gfp_gpu_poly *a, size_t n,
                                                          const gfp_options *options);

/* b := a, from host to device and back; both wait. Errors: SIZE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_upload(gfp_gpu_poly *b, const gfp_poly *a,
                                                      const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_download(gfp_poly *b, const gfp_gpu_poly *a,
                                                        const gfp_options *options);
/* Waits. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_one(gfp_gpu_poly *a, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_set(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                   const gfp_options *options);
/* *equal := whether a = b. Waits. Comparing products of rings with different methods checks
 * both. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_equal(bool *equal, const gfp_gpu_poly *a,
                                                     const gfp_gpu_poly *b,
                                                     const gfp_options *options);

/* ---- arithmetic ---- */

/* The same as in gfpoly/poly.h; outputs may be inputs. A call waits if its output has no room for
 * the result, or is an input whose storage the result cannot use. Errors: SIZE. */
/* b := a mod X^n; b := a X^n; b := a div X^n; b := X^(n-1) a(1/X) for a mod X^n. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_truncate(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                        size_t n, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_shift_left(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          size_t n, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_shift_right(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                           size_t n, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_reverse(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                       size_t n, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_add(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b,
                                                   const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_sub(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b,
                                                   const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                   const gfp_options *options);
/* b := x a, x an element of k digits on the host, read before the call returns. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_scalar_mul(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          const uint64_t *x,
                                                          const gfp_options *options);
/* y := a(x), both on the host. Waits. Cost: a general product for each coefficient. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_eval(uint64_t *y, const gfp_gpu_poly *a,
                                                    const uint64_t *x, const gfp_options *options);

/* ---- products ---- */

/* c := a b (a square for a = b), a b mod X^n, a b div X^n, (a b div X^from) mod X^n. The first
 * product of a class of lengths makes a plan, and waits. Errors also: UNAVAILABLE (the ring's
 * method does not serve these lengths).
 *
 * The check compares the residues of a b and c modulo X^j - d, j <= 1024 a power of two, d random
 * in S = [0, s), s = min(r / 4, 2^57), or min(r / 2 + 1, 2^25) for r < 2^36; only residues cross
 * the bus. A part of a product is compared with the whole product, which is computed for that. Let
 * e = a b - c have len coefficients, and e = sum of X^i e_i(X^j). The residue of e is 0 only if d
 * is a root of every e_i. An e_i that is not 0 has degree (len - 1) / j at most, so no more roots
 * than that, and digits d are distinct modulo p: a wrong product passes with probability <=
 * (floor((len - 1) / j) / |S|)^points. j and points make this less than 2^-40. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b,
                                                   const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mullow(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                      const gfp_gpu_poly *b, size_t n,
                                                      const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mulhigh(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       const gfp_gpu_poly *b, size_t n,
                                                       const gfp_options *options);
/* Computes modulo X^N - 1 for an N at which no coefficient wraps around into the result, as on the
 * CPU. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mulmid(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                      const gfp_gpu_poly *b, size_t from, size_t n,
                                                      const gfp_options *options);
/* b := 1 / a mod X^n. Waits for the first few coefficients, which the CPU inverts; Newton's
 * iteration on the device gives the others. Errors also: NOT_INVERTIBLE if a(0) = 0 and n > 0.
 * Cost: about two and a half products of n by n terms; the check is one of the product a b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_inv_series(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          size_t n, const gfp_options *options);

GFP_END_DECLS
#endif
