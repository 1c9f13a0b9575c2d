/* wide_k64.cu: the fast transforms for k = 64.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 64
#include "gpu/cuda/transform/wide.cuh"
