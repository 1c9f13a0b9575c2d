/* intrinsics.h: the vectors of the AVX2 level's sources, which serve NEON and AVX-512 without IFMA,
 * too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_KERNELS_INTRINSICS_H
#define GFP_FIELD_KERNELS_INTRINSICS_H

#if defined(__aarch64__)
#include "field/kernels/vector_neon.h"
#elif defined(GFP_WIDE)
#include "field/kernels/vector_wide.h"
#else
#include <immintrin.h>
#endif

#endif
