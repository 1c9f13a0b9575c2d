/* gfpoly/fft.h: the discrete Fourier transform over Z/pZ at the canonical roots.
 *
 * DFT_N: y_i = sum_j x_j w^(i j), w of order N, N any divisor of p - 1. Natural order is y_0, y_1,
 * ...; permuted order is one that takes less time: for N = 2^m at the canonical root y_i is at
 * place bitrev_m(i), for other plans the order is fixed but not specified. A plan is immutable, and
 * threads may share it; a call writes to its outputs and its work area only. Arrays hold N
 * canonical elements, k digits each. Creating a plan calls no gfp_progress.
 *
 * Options of a transform are those of a product (gfpoly/options.h), and NULL stands for none:
 * threads (values do not depend on their number), progress, memory_cap, report and error; tuning
 * and devices mean nothing here. memory_cap counts all memory that the call takes besides its
 * arrays; within a cap a call may use fewer threads. The field keeps work areas
 * (gfp_field_release_memory). report: method is "dft" or "six-step", multiply_ns the time of the
 * call. Common errors: UNKNOWN (the method), UNAVAILABLE (options request a verification), MEMORY,
 * SIZE, CANCELLED: progress ended the call, and the output is undefined, unlike after other errors.
 *
 * Methods of transforms are "dft", which auto takes, and "six-step": the iterative six-step formula
 * with explicit stride permutations (Chen, Covanov, Mohajerani, Moreno Maza: Big prime field FFT on
 * the GPU, ISSAC 2017, Prop. 3) for N = (2k)^e, e >= 1, in natural order; it has the same values
 * and takes more time. Errors of "six-step": NO_ROOT (another N), UNAVAILABLE (permuted order).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FFT_H
#define GFPOLY_FFT_H

#include "gfpoly/elem.h"
#include "gfpoly/options.h"

GFP_BEGIN_DECLS

/* A plan: the splitting of N into radices, and the tables of roots. */
typedef struct gfp_fft_plan gfp_fft_plan;

/* The order of a transform's values. */
typedef enum gfp_order { GFP_ORDER_NATURAL = 0, GFP_ORDER_PERMUTED = 1 } gfp_order;
/* A transform, or its inverse, 1/N included. */
typedef enum gfp_direction { GFP_FORWARD = 0, GFP_INVERSE = 1 } gfp_direction;

/* Creates a plan for length N = n at the canonical root w_n, the product of
 * w_(q^e) over the prime powers q^e that n consists of. For q = 2 these are the roots of
 * gfp_field_root, for odd q the powers a^((p - 1) / q^e) of the least a >= 2 that is no q-th power.
 * The field must outlive the plan.
 * Errors: ARGUMENT (n = 0), NO_ROOT (n does not divide p - 1; the message names the factor that
 * does not, or the largest power of two), SIZE, MEMORY. Cost: about N/2k products for the twiddle
 * table of a power of two; for odd factors L of N about 2 L products, and a transform if
 * Bluestein's method serves. */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_plan_create(gfp_fft_plan **plan, const gfp_field *field,
                                                      size_t n, gfp_error *error);
/* Destroys a plan; NULL is allowed. */
GFP_API void gfp_fft_plan_destroy(gfp_fft_plan *plan);
/* Returns the field of the plan. */
GFP_API const gfp_field *gfp_fft_plan_field(const gfp_fft_plan *plan);

/* FORWARD: y := DFT_N(x), with y in the given order and x in natural order. INVERSE: y := the
 * inverse of DFT_N of x, with x in the given order and y in natural order. y may equal x, else must
 * not overlap x. Errors: the common ones, ARGUMENT (no such direction or order).
 * Cost: (N/2) log2 N butterflies by shifts and about N (log_2k N - 1) general products for N = 2^m.
 * An odd prime q of N adds about N q / 2 products for each power of q, or less by Bluestein's
 * method: as two transforms of 2^m >= 2 q^e - 1 points for q^e points, where p - 1 has such a 2^m.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_fft_run(uint64_t *y, const uint64_t *x,
                                              gfp_direction direction, gfp_order order,
                                              const gfp_fft_plan *plan, const gfp_options *options);

GFP_END_DECLS
#endif
