/* gfpoly/gpu_poly.h: polynomials that live on a CUDA device: gfpoly/poly.h's arithmetic without
 * transfers over the bus. The rules of gfpoly/gpu.h for contexts, enqueued work and failures hold
 * here: a call enqueues its work and returns, unless its comment says that it waits; a failure on
 * the device may be reported by a later call, and then leaves outputs undefined. On any other error
 * outputs are unchanged; gfp_gpu_last_error has the reason.
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

/* options may be NULL (all zero). Allocates no device memory. Errors: ARGUMENT (no such method),
 * MEMORY, DEVICE; *ring is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ring_create(gfp_gpu_ring **ring, gfp_gpu *gpu,
                                                      const gfp_field *field,
                                                      const gfp_gpu_ring_options *options,
                                                      gfp_error *error);
/* The ring's polynomials must be destroyed first. NULL is allowed. */
GFP_API void gfp_gpu_ring_destroy(gfp_gpu_ring *ring);

/* ---- storage ---- */

typedef struct gfp_gpu_poly gfp_gpu_poly;

/* *a := the zero polynomial; takes no device memory. Operands of one call may belong to different
 * rings over one context and equal fields: FIELD_MISMATCH and ARGUMENT otherwise. A product uses
 * the ring of its result. Errors: MEMORY; *a is unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_create(gfp_gpu_poly **a, gfp_gpu_ring *ring);
/* NULL is allowed. */
GFP_API void gfp_gpu_poly_destroy(gfp_gpu_poly *a);

/* An upper bound of a's length; this many coefficients are stored. */
GFP_API size_t gfp_gpu_poly_bound(const gfp_gpu_poly *a);
/* *len := a's length, which becomes its bound. Waits, unless the length is known. Errors: MEMORY,
 * DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_length(gfp_gpu_poly *a, size_t *len);
/* Makes room for `capacity` coefficients; contents unchanged. Waits if a has less room. Errors:
 * SIZE, MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_fit_length(gfp_gpu_poly *a, size_t capacity);
/* array: a's coefficients (NULL for capacity 0), valid until a is an output. Raw access as with
 * gfp_poly: fit_length, write canonical elements, set_length, which declares that the first n <=
 * capacity coefficients have been written (ARGUMENT otherwise). */
GFP_API gfp_gpu_array *gfp_gpu_poly_array(gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_set_length(gfp_gpu_poly *a, size_t n);

/* b := a, from host to device and back; both wait. Errors: FIELD_MISMATCH, SIZE, MEMORY, DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_upload(gfp_gpu_poly *b, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_download(gfp_poly *b, const gfp_gpu_poly *a);
/* The same from and to integers. Coefficient i < n is `size` words of 64 bits (0 means
 * gfp_field_limbs; at most 4096) at limbs + i size, least significant first, reduced modulo p; get
 * writes gfp_field_limbs words per coefficient, in [0, p), 0 beyond a's length. The words cross the
 * bus, and the device converts them to digits. The first call of a size makes tables. Errors:
 * ARGUMENT (size), SIZE, MEMORY, DEVICE. */
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
/* Exchanges two polynomials of one ring: ARGUMENT otherwise. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_swap(gfp_gpu_poly *a, gfp_gpu_poly *b);
/* *equal := whether a = b. Waits. Comparing products of rings with different methods checks
 * both. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_equal(bool *equal, const gfp_gpu_poly *a,
                                                     const gfp_gpu_poly *b);

/* ---- arithmetic ---- */

/* The same as in gfpoly/poly.h; outputs may be inputs. A call waits if its output has no room for
 * the result, or is an input whose storage the result cannot use. Errors: FIELD_MISMATCH, ARGUMENT
 * (two contexts), SIZE, MEMORY, DEVICE. */
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
 * of lengths makes a plan, and waits. Errors also: UNAVAILABLE (the ring's method does not serve
 * these lengths). */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                   const gfp_gpu_poly *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_sqr(gfp_gpu_poly *c, const gfp_gpu_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_low(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                       const gfp_gpu_poly *b, size_t n);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_high(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                        const gfp_gpu_poly *b, size_t n);
/* Computes modulo X^N - 1 for an N at which no coefficient wraps around into the result, as on the
 * CPU. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_mul_middle(gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                                          const gfp_gpu_poly *b, size_t from,
                                                          size_t n);
/* b := 1 / a mod X^n. Waits for the first few coefficients, which the CPU inverts; Newton's
 * iteration on the device gives the others. Errors also: NOT_INVERTIBLE if a(0) = 0 and n > 0.
 * Cost: about two and a half products of n by n terms. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_inv_series(gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                                          size_t n);

/* Checks c = a b on the device: compares the residues of a b and c modulo X^j - d, j <= 1024 a
 * power of two, d random in S = [0, s), s = min(r / 4, 2^57), or min(r / 2 + 1, 2^25) for r < 2^36.
 * Only residues cross the bus. seed: as options->verify_seed. Waits. Fills verified, points,
 * log2_error and verify_ns of the report (may be NULL) on OK and on VERIFY; the rest is 0. Errors:
 * VERIFY (the residues differ, or digits of c are not canonical), UNAVAILABLE (no seed; or S is too
 * small for certainty), MEMORY, DEVICE.
 *
 * Let e = a b - c have len coefficients, and e = sum of X^i e_i(X^j). The residue of e is 0 only if
 * d is a root of every e_i. An e_i that is not 0 has degree (len - 1) / j at most, so no more roots
 * than that, and digits d are distinct modulo p: a wrong product passes with probability <=
 * (floor((len - 1) / j) / |S|)^points. j and points make this less than 2^-40. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_poly_verify_mul(const gfp_gpu_poly *c,
                                                          const gfp_gpu_poly *a,
                                                          const gfp_gpu_poly *b, uint64_t seed,
                                                          gfp_report *report);

GFP_END_DECLS
#endif
