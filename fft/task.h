/* task.h: transforms that report their progress and can be cancelled; products by transforms
 * use them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_TASK_H
#define GFP_FFT_TASK_H

#include "gfpoly/fft.h"
#include "field/base/task.h"

/* gfp_fft_plan_create for powers of two (ARGUMENT for other n) as a part of a task (NULL: without
 * one). Further error: CANCELLED. */
gfp_status gfp_fft_plan_create_task(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                                    gfp_error *error, gfp_task *task);
/* The transforms of plans that gfp_fft_plan_create_task makes, in place, in permuted order, without
 * 1/N. buffer has gfp_fft_buffer_words words for each thread of the task, one area after the other.
 * They return false if the call is cancelled; x is undefined then. */
bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);
bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);

/* Any plan: y := DFT_N(x), x := the inverse, y and x may be equal. area has gfp_fft_shared_words
 * words, then gfp_fft_buffer_words for each thread. The units that they add are those of
 * gfp_fft_run_units. False: cancelled; the output is undefined then. */
bool gfp_fft_run_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                         uint64_t *area, gfp_task *task);
bool gfp_fft_run_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order,
                         uint64_t *area, gfp_task *task);
double gfp_fft_run_units(const gfp_fft_plan *plan, bool inverse);
/* Errors: ARGUMENT (no such direction or order). */
gfp_status gfp_fft_check_kind(gfp_direction direction, gfp_order order, gfp_error *error);
size_t gfp_fft_shared_words(const gfp_fft_plan *plan);
/* Returns the words of a thread's buffer. */
size_t gfp_fft_buffer_words(const gfp_fft_plan *plan);

/* ---- steps on n elements by all threads of a task; false: cancelled ---- */

/* z := x; z may equal x. */
bool gfp_fft_copy(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n);
/* z := x y, element by element. z may equal x and y. A unit per element. */
bool gfp_fft_multiply(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, size_t n);
/* x := c x for one element c. A unit per element. */
bool gfp_fft_scale(gfp_task *task, const gfp_field *field, uint64_t *x, const uint64_t *c,
                   size_t n);
/* x := x / 2^e. GFP_FFT_DIVISION_UNITS per element. */
bool gfp_fft_divide(gfp_task *task, const gfp_field *field, uint64_t *x, unsigned e, size_t n);
/* The cost of a division by a power of two, in general products. */
#define GFP_FFT_DIVISION_UNITS 0.1
/* z[i] := x[bitrev(i)], i < 2^log2_n. z may equal x, else must not overlap x. */
bool gfp_fft_reorder(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                     unsigned log2_n);
/* Exchanges x[i] and x[n - i] for 0 < i < n. */
bool gfp_fft_reverse(gfp_task *task, const gfp_field *field, uint64_t *x, size_t n);

/* *plan_bytes := gfp_fft_plan_bytes of a plan for n (saturating), *work_words := its
 * gfp_fft_buffer_words. */
void gfp_fft_sizes(const gfp_field *field, size_t n, size_t *plan_bytes, size_t *work_words);

/* Return the units, each about a general product in the field, that a plan and a transform add to
 * their tasks. */
double gfp_fft_plan_units(const gfp_field *field, size_t n);
double gfp_fft_transform_units(const gfp_field *field, size_t n);

/* ---- calls that are not public ---- */

/* Returns N. */
size_t gfp_fft_plan_length(const gfp_fft_plan *plan);
/* Returns the number of bytes that the plan itself holds. */
size_t gfp_fft_plan_bytes(const gfp_fft_plan *plan);

#endif
