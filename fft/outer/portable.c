/* portable.c: the outer DFT on the lanes of this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/kernels/lanes_portable.h"

#define OUTER_ENGINE gfp_outer_portable
#define OUTER_NAME "portable"
#define OUTER_FUSED 0
#include "fft/outer/body.inc"
