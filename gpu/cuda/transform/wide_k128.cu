/* wide_k128.cu: the fast transforms for k = 128.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 128
#include "gpu/cuda/transform/wide.cuh"
