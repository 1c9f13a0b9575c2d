/* call.h: public calls with options that enter a device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CALL_H
#define GFP_GPU_CALL_H

#include "field/base/call.h"
#include "gfpoly/gpu.h"

/* Begins a call that asks for its own reason of a failure: hides the context's last error and
 * copies it to *before (may be NULL). resume: that error is the last one again if the call
 * succeeded, or failed for another reason than the context's. */
void gfp_gpu_error_begin(gfp_gpu *gpu, gfp_error *before);
void gfp_gpu_error_resume(gfp_gpu *gpu, const gfp_error *before, gfp_status status);
/* Ends a call: the context's reason of a failure becomes that of the call. */
gfp_status gfp_gpu_end(gfp_call *call, gfp_gpu *gpu, const gfp_error *before, gfp_status status);

/* Errors: ARGUMENT (no such direction of a transform). */
gfp_status gfp_gpu_fft_check_direction(gfp_gpu *gpu, gfp_direction direction);

/* The body of a public call: its name for messages, the context, the options, and an expression
 * that computes and is a gfp_status. */
#define GFP_GPU_CALL(name, gpu, options, status)                                                   \
    do {                                                                                           \
        gfp_call call_;                                                                            \
        GFP_TRY(gfp_call_begin(&call_, (name), (options)));                                        \
        gfp_gpu *const gpu_ = (gpu);                                                               \
        gfp_error before_;                                                                         \
        gfp_gpu_error_begin(gpu_, &before_);                                                       \
        const gfp_status status_ = (status);                                                       \
        return gfp_gpu_end(&call_, gpu_, &before_, status_);                                       \
    } while (0)

#endif
