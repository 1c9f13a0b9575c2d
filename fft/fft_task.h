/* fft_task.h: transforms that report their progress and can be cancelled; products by transforms
 * use them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_TASK_H
#define GFP_FFT_TASK_H

#include "gfpoly/fft.h"
#include "task.h"

/* gfp_fft_plan_create as a part of a task (NULL: without one). Further error: CANCELLED. */
gfp_status gfp_fft_plan_create_task(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                                    gfp_error *error, gfp_task *task);
/* The transforms in place, in permuted order, without 1/N. buffer has gfp_fft_workspace bytes for
 * each thread of the task, one area after the other. They return false if the call is cancelled; x
 * is undefined then. */
bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);
bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);

/* *plan_bytes := gfp_fft_plan_bytes of a plan for n (saturating), *work_words := its
 * gfp_fft_workspace in words. */
void gfp_fft_sizes(const gfp_field *field, size_t n, size_t *plan_bytes, size_t *work_words);

/* Return the units, each about a general product in the field, that a plan and a transform add to
 * their tasks. */
double gfp_fft_plan_units(const gfp_field *field, size_t n);
double gfp_fft_transform_units(const gfp_field *field, size_t n);

#endif
