/* room.h: what engines of gpu/ take from the other files of the backend `cuda`, where they are
 * compiled for the host: a context with the host's memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef EMULATED_ROOM_H
#define EMULATED_ROOM_H

#include "gpu_impl.h"

gfp_cuda emulated_gpu(void);

#endif
