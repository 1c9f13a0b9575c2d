/* fake_gpu_inside.h: what the parts of the stand-in for a device share (see fake_gpu.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_GPU_INSIDE_H
#define FAKE_GPU_INSIDE_H

#include "gfpoly/gpu.h"

struct gfp_gpu {
    size_t bytes;
    gfp_error error;
    bool capturing;
    gfp_gpu_graph *graph; /* that is being recorded */
};

struct gfp_gpu_array {
    gfp_gpu *gpu;
    uint64_t *data;
    size_t words;
    bool window;
};

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const gfp_status status_ = (call);                                                         \
        if (status_ != GFP_OK) {                                                                   \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* The status, recorded in the context. */
gfp_status fake_gpu_failed(gfp_gpu *gpu, gfp_status status, const char *message);
/* What a call that can fail begins with. */
gfp_status fake_gpu_begin(gfp_gpu *gpu, gfp_status failure);
/* in: words of it, from the start; the same memory as out's or apart (apart: always). */
gfp_status fake_gpu_check(const gfp_gpu_array *out, size_t out_words, const gfp_gpu_array *in,
                          size_t in_words, bool apart);

#endif
