/* room.h: what engines of gpu/ take from the other files of the backend `cuda`, where they are
 * compiled for the host: a context with the host's memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_EMULATED_ROOM_H
#define TESTS_LAB_EMULATED_ROOM_H

#include "gpu/cuda/impl.h"

gfp_cuda emulated_gpu(void);

#endif
