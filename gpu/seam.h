/* seam.h: the seam through which every call of CUDA passes, so that tests can make any call fail.
 * Plain C. The state belongs to the process, for tests in one thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_SEAM_H
#define GFP_GPU_SEAM_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* The ways in which calls fail. */
typedef enum gfp_gpu_fault {
    GFP_GPU_FAULT_NONE = 0,
    GFP_GPU_FAULT_MEMORY, /* one call fails: out of device memory */
    GFP_GPU_FAULT_LAUNCH, /* one call fails with an error that does not persist */
    GFP_GPU_FAULT_LOST    /* all calls fail from this call on: the device is lost */
} gfp_gpu_fault;

/* Makes call number nth fail, counted from 1 from now on; other calls succeed or fail as usual. nth
 * = 0: none. */
void gfp_gpu_seam_arm(gfp_gpu_fault fault, uint64_t nth);
/* The number of calls since gfp_gpu_seam_arm. */
uint64_t gfp_gpu_seam_calls(void);

/* For the macros of gpu/cuda/impl.h: counts a call. Returns the cudaError_t to report instead of
 * making the call, or 0. */
int gfp_gpu_seam_next(void);

GFP_END_DECLS
#endif
