/* fake_gpu_inside.h: what the parts of the stand-in for a device share (see fake_gpu.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_GPU_INSIDE_H
#define FAKE_GPU_INSIDE_H

#include "fake_shared.h"

struct gfp_gpu {
    size_t bytes;
    gfp_error error;
    bool capturing;
    gfp_gpu_graph *graph; /* that is being recorded */
};

/* The status, recorded in the context. */
gfp_status fake_gpu_failed(gfp_gpu *gpu, gfp_status status, const char *message);
/* What a call that can fail begins with. */
gfp_status fake_gpu_begin(gfp_gpu *gpu, gfp_status failure);
/* So many bytes, all 0. */
void *fake_gpu_make(size_t bytes);
/* in: words of it, from the start; the same memory as out's or apart (apart: always). */
gfp_status fake_gpu_check(const gfp_gpu_array *out, size_t out_words, const gfp_gpu_array *in,
                          size_t in_words, bool apart);

#endif
