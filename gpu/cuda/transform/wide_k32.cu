/* wide_k32.cu: the fast transforms for k = 32.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 32
#include "gpu/cuda/transform/wide.cuh"
