/* wide_k8.cu: the fast transforms for k = 8.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE_K 8
#include "gpu/cuda/transform/wide.cuh"
