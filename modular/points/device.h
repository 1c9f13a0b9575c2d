/* device.h: a device that computes the images of a bivariate resultant.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_POINTS_DEVICE_H
#define GFP_MODULAR_POINTS_DEVICE_H

#include "gpu/images.h"
#include "crt/blocks/kernels/points.h"
#include "modular/residues.h"

/* A device takes this part of the time that one core with IFMA takes for images. */
#define GFP_ZDEVICE_SHARE 0.01

typedef struct gfp_zdevice {
    gfp_gpu *gpu;
    gfp_gpu_images *images; /* NULL: the CPU computes */
} gfp_zdevice;

/* Opens the device of the call's options for images of a pair at its points, up to `blocks` blocks
 * at once: *blocks becomes what the device's memory holds. The points have groups of
 * 2^GFP_GPU_IMAGES_LOG2_GROUP. Errors, with the reason in the call: those of gfp_gpu_create and
 * gfp_gpu_images_create; d is then closed. */
gfp_status gfp_zdevice_open(gfp_zdevice *d, gfp_zcall *call, const gfp_points_pair *pair,
                            size_t *blocks);
/* Begins a run, or waits for its values: gfp_gpu_images_begin and _end. Errors: DEVICE, with the
 * reason in the call. */
gfp_status gfp_zdevice_begin(gfp_zdevice *d, gfp_zcall *call, const gfp_gpu_images_run *run);
gfp_status gfp_zdevice_end(gfp_zdevice *d, gfp_zcall *call, uint64_t *values);
/* Waits for all work; a zero struct is allowed. */
void gfp_zdevice_close(gfp_zdevice *d);
/* Whether a device failed with this status: what the CPU computes instead, and reports. Not if the
 * options name the method. */
bool gfp_zdevice_failed(gfp_zcall *call, gfp_status status);

#endif
