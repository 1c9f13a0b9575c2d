/* gfpoly/fft.h: the discrete Fourier transform over Z/pZ at the canonical roots.
 *
 * DFT_N: y_i = sum_j x_j w_N^(i j), N = 2^m, w_N = gfp_field_root(m). Natural order is y_0, y_1,
 * ...; permuted order holds y_i at place bitrev_m(i). A plan is immutable, and threads may share
 * it; a call writes to its outputs and its work area only. Arrays hold N canonical elements, k
 * digits each. Transforms and plans call no gfp_progress (2^16 points over p8 take 40 ms, 2^14 over
 * p128 1 s); products by gfp_poly_mul do.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FFT_H
#define GFPOLY_FFT_H

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

/* A plan: the splitting of N into radices, and the table of twiddles. */
typedef struct gfp_fft_plan gfp_fft_plan;

/* The order of a transform's values. */
typedef enum gfp_order { GFP_ORDER_NATURAL = 0, GFP_ORDER_PERMUTED = 1 } gfp_order;

/* Creates a plan for length N = n (a power of two, 1 included). The field must outlive the plan.
 * Errors: ARGUMENT (n is not a power of two), NO_ROOT (n does not divide p - 1; the message of
 * error has the largest N), SIZE, MEMORY. Cost: about N/2k products for the twiddle table. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_plan_create(gfp_fft_plan **plan, const gfp_field *field,
                                                      size_t n, gfp_error *error);
/* Destroys a plan; NULL is allowed. */
GFP_API void gfp_fft_plan_destroy(gfp_fft_plan *plan);
/* Returns N. */
GFP_API size_t gfp_fft_plan_length(const gfp_fft_plan *plan);
/* Returns the field of the plan. */
GFP_API const gfp_field *gfp_fft_plan_field(const gfp_fft_plan *plan);
/* Returns the number of bytes that the plan itself holds. */
GFP_API size_t gfp_fft_plan_bytes(const gfp_fft_plan *plan);
/* Returns the number of bytes of the work area of gfp_fft_forward and gfp_fft_inverse, for either
 * order, in place or not. Every work area must be aligned to 8 bytes. If work is NULL, a call
 * allocates its work area and frees it. */
GFP_API size_t gfp_fft_workspace(const gfp_fft_plan *plan);
/* Returns the number of bytes of the work area of the six-step transforms. */
GFP_API size_t gfp_fft_six_step_workspace(const gfp_fft_plan *plan);
/* Returns the number of bytes of the work area of the convolutions. */
GFP_API size_t gfp_fft_convolution_workspace(const gfp_fft_plan *plan);

/* y := DFT_N(x), with y in the given order and x in natural order. y may equal x, else must not
 * overlap x. Errors: MEMORY, only if work is NULL.
 * Cost: (N/2) log2 N butterflies by shifts and about N (log_2k N - 1) general products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward(const gfp_fft_plan *plan, uint64_t *y,
                                                  const uint64_t *x, gfp_order order, void *work);
/* x := the inverse of DFT_N of y, 1/N included, with y in the given order and x in natural order. x
 * may equal y, else must not overlap y. Errors: MEMORY, only if work is NULL. Cost: that of
 * gfp_fft_forward. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse(const gfp_fft_plan *plan, uint64_t *x,
                                                  const uint64_t *y, gfp_order order, void *work);

/* Whether N = (2k)^e for some e >= 1: the six-step transforms need such an N. */
GFP_API bool gfp_fft_plan_is_six_step(const gfp_fft_plan *plan);
/* y := DFT_N(x) for N = K^e, K = 2k, both in natural order, by the iterative six-step formula with
 * explicit stride permutations (the sequel's Alg. 2; ISSAC 2017, Prop. 3). The result equals that
 * of gfp_fft_forward; this form stays as the papers' method and as the slow twin of
 * gfp_fft_forward. y may equal x, else must not overlap x. Errors: NO_ROOT (N is not a power of K);
 * MEMORY, only if work is NULL. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward_six_step(const gfp_fft_plan *plan, uint64_t *y,
                                                           const uint64_t *x, void *work);
/* x := the inverse of DFT_N of y, 1/N included, by the six-step formula, both in natural order. x
 * may equal y, else must not overlap y. Errors: see gfp_fft_forward_six_step. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse_six_step(const gfp_fft_plan *plan, uint64_t *x,
                                                           const uint64_t *y, void *work);

/* c := a b mod (X^N - 1); a, b and c are N elements. c may equal a or b. Squares (a == b) transform
 * once. Errors: MEMORY, only if work is NULL. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_cyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                          const uint64_t *a, const uint64_t *b,
                                                          void *work);
/* c := a b mod (X^N + 1); a, b and c are N elements. c may equal a or b. Squares (a == b) transform
 * once. Errors: NO_ROOT if 2N does not divide p - 1; MEMORY, only if work is NULL. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_negacyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                              const uint64_t *a, const uint64_t *b,
                                                              void *work);

GFP_END_DECLS
#endif
