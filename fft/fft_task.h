/* fft_task.h: transforms that tell the caller how far they are and can be cancelled: what products
 * by transforms are made of.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_TASK_H
#define GFP_FFT_TASK_H

#include "gfpoly/fft.h"
#include "task.h"

/* gfp_fft_plan_create as part of a task (NULL: of none). Further error: CANCELLED. */
gfp_status gfp_fft_plan_create_task(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                                    gfp_error *error, gfp_task *task);
/* The transforms in place, permuted order, without 1/N; buffer of gfp_fft_workspace bytes for each
 * thread of the task, one behind the other. False: cancelled, x undefined. */
bool gfp_fft_forward_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);
bool gfp_fft_inverse_in_place(const gfp_fft_plan *plan, uint64_t *x, uint64_t *buffer,
                              gfp_task *task);

/* What gfp_fft_plan_bytes and gfp_fft_workspace (in words) of a plan for n would say. The former
 * saturates. */
void gfp_fft_sizes(const gfp_field *field, size_t n, size_t *plan_bytes, size_t *work_words);

/* The units, each about a general product in the field, that these add to their task. */
double gfp_fft_plan_units(const gfp_field *field, size_t n);
double gfp_fft_transform_units(const gfp_field *field, size_t n);

#endif
