/* fake_shared.h: what both stand-ins for a device share (fake_device.c, fake_gpu.c): arrays.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_SHARED_H
#define FAKE_SHARED_H

#include "gfpoly/gpu.h"

struct gfp_gpu_array {
    gfp_gpu *gpu;
    uint64_t *data;
    size_t words;
    bool window; /* the data are another array's */
};

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const gfp_status status_ = (call);                                                         \
        if (status_ != GFP_OK) {                                                                   \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
