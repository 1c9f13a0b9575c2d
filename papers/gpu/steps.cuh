/* steps.cuh: times of the steps of a call on the device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_GPU_STEPS_CUH
#define PAPERS_GPU_STEPS_CUH

#include "gfpoly/gpu_papers.h"
#include "gpu/cuda/impl.h"

GFP_BEGIN_DECLS

/* Times of steps by events between the steps of a call. A mark states that the work enqueued since
 * the mark before was `kernels` launches of step `step`. */
typedef struct gfp_gpu_mark {
    cudaEvent_t event;
    unsigned step;
    unsigned kernels;
} gfp_gpu_mark;

/* A clock of zeros does not time, and the calls below do nothing. */
typedef struct gfp_gpu_clock {
    gfp_gpu *gpu;
    const char *const *names; /* names of the `steps` steps, static */
    unsigned steps;
    unsigned capacity; /* number of marks, the start included */
    unsigned marks;    /* marks of the last call */
    gfp_gpu_mark *mark;
} gfp_gpu_clock;

/* Creates a clock for calls of at most `marks` marks. *clock must be zero before. Errors: MEMORY,
 * DEVICE. */
gfp_status gfp_gpu_clock_create(gfp_gpu_clock *clock, gfp_gpu *gpu, const char *const *names,
                                unsigned steps, unsigned marks);
void gfp_gpu_clock_destroy(gfp_gpu_clock *clock);
/* A call begins. Errors: ARGUMENT inside a capture. */
gfp_status gfp_gpu_clock_start(gfp_gpu_clock *clock);
/* The work since the last mark (or the start), `kernels` launches, belongs to this step. */
gfp_status gfp_gpu_clock_mark(gfp_gpu_clock *clock, unsigned step, unsigned kernels);
/* Waits. Errors: ARGUMENT if no call was timed yet. */
gfp_status gfp_gpu_clock_read(gfp_gpu *gpu, const gfp_gpu_clock *clock, gfp_gpu_times *times);

GFP_END_DECLS
#endif
