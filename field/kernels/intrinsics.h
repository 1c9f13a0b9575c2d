/* intrinsics.h: the vectors of the AVX2 level's sources, which serve the NEON level, too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_INTRINSICS_H
#define GFP_FIELD_KERNELS_INTRINSICS_H

#if defined(__aarch64__)
#include "field/kernels/vector_neon.h"
#else
#include <immintrin.h>
#endif

#endif
