/* wide_k4.cu: the fast transforms for k = 4.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 4
#include "gpu/cuda/transform/wide.cuh"
