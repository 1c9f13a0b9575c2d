/* six_step.h: the six-step transform: a method of transforms, and with the times of its parts for
 * the papers' tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FFT_SIX_STEP_H
#define GFP_FFT_SIX_STEP_H

#include "fft/call.h"

typedef enum gfp_six_step_part {
    GFP_SIX_STEP_PERMUTATION,
    GFP_SIX_STEP_DFT,
    GFP_SIX_STEP_TWIDDLE,
    GFP_SIX_STEP_PARTS
} gfp_six_step_part;

/* Whether N = K^e for some e >= 1, K = 2k: the six-step form needs such an N. */
bool gfp_fft_is_six_step(const gfp_fft_plan *plan);
/* gfp_fft_run by the six-step form, in natural order; the options name no
 * other method. forward adds the nanoseconds of each part to ns[GFP_SIX_STEP_PARTS] unless ns is
 * NULL. Errors: NO_ROOT (N is not a power of K), and those of gfp_fft_run. */
gfp_status gfp_fft_six_step_forward(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                    const gfp_options *options, double *ns);
gfp_status gfp_fft_six_step_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                    const gfp_options *options);

#endif
