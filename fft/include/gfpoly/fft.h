/* gfpoly/fft.h: the discrete Fourier transform over Z/pZ at the canonical roots.
 *
 * DFT_N: y_i = sum_j x_j w_N^(i j), N = 2^m, w_N = gfp_field_root(m). Natural order is y_0, y_1,
 * ...; permuted order holds y_i at place bitrev_m(i). A plan is immutable and shareable between
 * threads; what a call needs besides lies in its work area. Transforms and plans ask no
 * gfp_progress (2^16 points over p8 take 40 ms, 2^14 over p128 1 s); products through gfp_poly_mul
 * do.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FFT_H
#define GFPOLY_FFT_H

#include "gfpoly/elem.h"

GFP_BEGIN_DECLS

typedef struct gfp_fft_plan gfp_fft_plan;

typedef enum gfp_order { GFP_ORDER_NATURAL = 0, GFP_ORDER_PERMUTED = 1 } gfp_order;

/* A plan for length N (a power of two, 1 included). The field must outlive it.
 * Errors: ARGUMENT (N not a power of two; error says so), NO_ROOT (N does not divide p - 1; error
 * gives the largest N), SIZE, MEMORY. Cost: about N/2k products for the twiddle table. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_plan_create(gfp_fft_plan **plan, const gfp_field *field,
                                                      size_t n, gfp_error *error);
GFP_API void gfp_fft_plan_destroy(gfp_fft_plan *plan);
GFP_API size_t gfp_fft_plan_length(const gfp_fft_plan *plan);
GFP_API const gfp_field *gfp_fft_plan_field(const gfp_fft_plan *plan);
/* Bytes that the plan itself holds. */
GFP_API size_t gfp_fft_plan_bytes(const gfp_fft_plan *plan);
/* Bytes of the work area of forward and inverse transforms (either order, in place or not), of the
 * six-step transforms, and of the convolutions. Aligned to 8 bytes. Passing NULL as work makes the
 * call allocate and free it. */
GFP_API size_t gfp_fft_workspace(const gfp_fft_plan *plan);
GFP_API size_t gfp_fft_six_step_workspace(const gfp_fft_plan *plan);
GFP_API size_t gfp_fft_convolution_workspace(const gfp_fft_plan *plan);

/* y := DFT_N(x), y in the given order; x natural. y may equal x, else must not overlap it.
 * Errors: MEMORY only when work is NULL.
 * Cost: (N/2) log2 N butterflies by shifts and about N (log_2k N - 1) general products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward(const gfp_fft_plan *plan, uint64_t *y,
                                                  const uint64_t *x, gfp_order order, void *work);
/* x := the inverse of DFT_N, 1/N included; y in the given order, x natural. x may equal y. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse(const gfp_fft_plan *plan, uint64_t *x,
                                                  const uint64_t *y, gfp_order order, void *work);

/* Whether N = (2k)^e for some e >= 1, so that the six-step form below applies. */
GFP_API bool gfp_fft_plan_is_six_step(const gfp_fft_plan *plan);
/* DFT_N for N = K^e, K = 2k, natural order, by the iterative six-step formula with explicit stride
 * permutations (the sequel's Alg. 2; ISSAC 2017, Prop. 3). The same result as gfp_fft_forward, kept
 * as the papers' method and as its slow twin. Errors: NO_ROOT when N is not a power of K. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward_six_step(const gfp_fft_plan *plan, uint64_t *y,
                                                           const uint64_t *x, void *work);
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse_six_step(const gfp_fft_plan *plan, uint64_t *x,
                                                           const uint64_t *y, void *work);

/* c := a b mod (X^N - 1), all of N elements. c may equal a or b. Squares (a == b) transform once.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_cyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                          const uint64_t *a, const uint64_t *b,
                                                          void *work);
/* c := a b mod (X^N + 1). Errors: NO_ROOT when 2N does not divide p - 1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_negacyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                              const uint64_t *a, const uint64_t *b,
                                                              void *work);

GFP_END_DECLS
#endif
