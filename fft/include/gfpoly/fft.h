/* gfpoly/fft.h: the discrete Fourier transform over Z/pZ at the canonical roots.
 *
 * DFT_N: y_i = sum_j x_j w_N^(i j), N = 2^m, w_N = gfp_field_root(m). Natural order is y_0, y_1,
 * ...; permuted order holds y_i at place bitrev_m(i). A plan is immutable, and threads may share
 * it; a call writes to its outputs and its work area only. Arrays hold N canonical elements, k
 * digits each. Creating a plan calls no gfp_progress.
 *
 * Options of a transform are those of a product (gfpoly/options.h), and NULL stands for none:
 * threads (values do not depend on their number), progress, memory_cap, report and error; tuning
 * and devices mean nothing here. memory_cap counts all memory that the call takes besides its
 * arrays; within a cap a call may use fewer threads. The field keeps work areas
 * (gfp_field_release_memory). report: method is "dft", "six-step" or "convolution", multiply_ns the
 * time of the call. Common errors: UNKNOWN (options name a method), UNAVAILABLE (options request a
 * verification), MEMORY, SIZE, CANCELLED: progress ended the call, and the output is undefined,
 * unlike after other errors. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FFT_H
#define GFPOLY_FFT_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

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
/* Return the least memory_cap of the calls below, which then use one thread: of transforms in
 * either order, of six-step transforms, and of convolutions. */
GFP_API size_t gfp_fft_workspace(const gfp_fft_plan *plan);
GFP_API size_t gfp_fft_six_step_workspace(const gfp_fft_plan *plan);
GFP_API size_t gfp_fft_convolution_workspace(const gfp_fft_plan *plan);

/* y := DFT_N(x), with y in the given order and x in natural order. y may equal x, else must not
 * overlap x. Errors: the common ones.
 * Cost: (N/2) log2 N butterflies by shifts and about N (log_2k N - 1) general products. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward(const gfp_fft_plan *plan, uint64_t *y,
                                                  const uint64_t *x, gfp_order order,
                                                  const gfp_options *options);
/* x := the inverse of DFT_N of y, 1/N included, with y in the given order and x in natural order. x
 * may equal y, else must not overlap y. Errors: the common ones. Cost: that of
 * gfp_fft_forward. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse(const gfp_fft_plan *plan, uint64_t *x,
                                                  const uint64_t *y, gfp_order order,
                                                  const gfp_options *options);

/* Whether N = (2k)^e for some e >= 1: the six-step transforms need such an N. */
GFP_API bool gfp_fft_plan_is_six_step(const gfp_fft_plan *plan);
/* y := DFT_N(x) for N = K^e, K = 2k, both in natural order, by the iterative six-step formula with
 * explicit stride permutations (the sequel's Alg. 2; ISSAC 2017, Prop. 3). The result equals that
 * of gfp_fft_forward; this form stays as the papers' method and as the slow twin of
 * gfp_fft_forward. y may equal x, else must not overlap x. Errors: NO_ROOT (N is not a power of K),
 * and the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_forward_six_step(const gfp_fft_plan *plan, uint64_t *y,
                                                           const uint64_t *x,
                                                           const gfp_options *options);
/* x := the inverse of DFT_N of y, 1/N included, by the six-step formula, both in natural order. x
 * may equal y, else must not overlap y. Errors: see gfp_fft_forward_six_step. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_inverse_six_step(const gfp_fft_plan *plan, uint64_t *x,
                                                           const uint64_t *y,
                                                           const gfp_options *options);

/* c := a b mod (X^N - 1); a, b and c are N elements. c may equal a or b. Squares (a == b) transform
 * once. Errors: the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_cyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                          const uint64_t *a, const uint64_t *b,
                                                          const gfp_options *options);
/* c := a b mod (X^N + 1); a, b and c are N elements. c may equal a or b. Squares (a == b) transform
 * once. Errors: NO_ROOT if 2N does not divide p - 1, and the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_convolve_negacyclic(const gfp_fft_plan *plan, uint64_t *c,
                                                              const uint64_t *a, const uint64_t *b,
                                                              const gfp_options *options);

GFP_END_DECLS
#endif
