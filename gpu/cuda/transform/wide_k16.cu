/* wide_k16.cu: the fast transforms for k = 16.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 16
#include "gpu/cuda/transform/wide.cuh"
