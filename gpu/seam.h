/* seam.h: where every call of CUDA passes, so that tests can make any of them fail. Plain C; of the
 * process, for tests in one thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_SEAM_H
#define GFP_GPU_SEAM_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* How calls fail. */
typedef enum gfp_gpu_fault {
    GFP_GPU_FAULT_NONE = 0,
    GFP_GPU_FAULT_MEMORY, /* one call: out of device memory */
    GFP_GPU_FAULT_LAUNCH, /* one call: an error that passes */
    GFP_GPU_FAULT_LOST    /* from that call on all: the device is lost */
} gfp_gpu_fault;

/* Makes call number nth fail, counted from 1 here; other calls are made as ever. nth = 0: none. */
void gfp_gpu_seam_arm(gfp_gpu_fault fault, uint64_t nth);
/* Calls since. */
uint64_t gfp_gpu_seam_calls(void);

/* For the macros of gpu_impl.h: counts a call; the cudaError_t to report instead of making it, or
 * 0. */
int gfp_gpu_seam_next(void);

GFP_END_DECLS
#endif
