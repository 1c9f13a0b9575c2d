/* call.h: public calls with options that enter a device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CALL_H
#define GFP_GPU_CALL_H

#include "field/base/call.h"
#include "gfpoly/gpu.h"

/* Ends a call: the context's reason of a failure becomes that of the call. */
gfp_status gfp_gpu_end(gfp_call *call, const gfp_gpu *gpu, gfp_status status);

/* The body of a public call: its name for messages, the context, the options, and an expression
 * that computes and is a gfp_status. */
#define GFP_GPU_CALL(name, gpu, options, status)                                                   \
    do {                                                                                           \
        gfp_call call_;                                                                            \
        GFP_TRY(gfp_call_begin(&call_, (name), (options)));                                        \
        return gfp_gpu_end(&call_, (gpu), (status));                                               \
    } while (0)

#endif
