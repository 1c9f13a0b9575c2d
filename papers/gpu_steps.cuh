/* gpu_steps.cuh: times of the steps of a call on the device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_STEPS_CUH
#define GFP_GPU_STEPS_CUH

#include "gfpoly/gpu_papers.h"
#include "gpu_impl.h"

GFP_BEGIN_DECLS

/* An event between the steps of a call: what was enqueued since the one before was `kernels`
 * launches of `step`. */
typedef struct gfp_gpu_mark {
    cudaEvent_t event;
    unsigned step;
    unsigned kernels;
} gfp_gpu_mark;

/* All zero: not timed, and the calls below do nothing. */
typedef struct gfp_gpu_clock {
    gfp_gpu *gpu;
    const char *const *names; /* of `steps` steps, static */
    unsigned steps;
    unsigned capacity; /* of marks, the start included */
    unsigned marks;    /* of the last call */
    gfp_gpu_mark *mark;
} gfp_gpu_clock;

/* For calls of at most `marks` marks. MEMORY, DEVICE. *clock must be zero before. */
gfp_status gfp_gpu_clock_create(gfp_gpu_clock *clock, gfp_gpu *gpu, const char *const *names,
                                unsigned steps, unsigned marks);
void gfp_gpu_clock_destroy(gfp_gpu_clock *clock);
/* A call begins. ARGUMENT inside a capture. */
gfp_status gfp_gpu_clock_start(gfp_gpu_clock *clock);
/* What was enqueued since the last mark (or start), `kernels` launches, was of this step. */
gfp_status gfp_gpu_clock_mark(gfp_gpu_clock *clock, unsigned step, unsigned kernels);
/* Waits. ARGUMENT where there was no call yet. */
gfp_status gfp_gpu_clock_read(gfp_gpu *gpu, const gfp_gpu_clock *clock, gfp_gpu_times *times);

GFP_END_DECLS
#endif
