/* six_step.h: the six-step transform with the times of its parts, for the papers' tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SIX_STEP_H
#define GFP_SIX_STEP_H

#include "call.h"

typedef enum gfp_six_step_part {
    GFP_SIX_STEP_PERMUTATION,
    GFP_SIX_STEP_DFT,
    GFP_SIX_STEP_TWIDDLE,
    GFP_SIX_STEP_PARTS
} gfp_six_step_part;

/* gfp_fft_forward_six_step, which adds the nanoseconds of each part to ns[GFP_SIX_STEP_PARTS]
 * unless ns is NULL. */
gfp_status gfp_fft_six_step_timed(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                  const gfp_options *options, double *ns);

#endif
