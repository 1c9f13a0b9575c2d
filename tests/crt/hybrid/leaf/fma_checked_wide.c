/* fma_checked_wide.c: fma_checked.c for vectors of 8 lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define GFP_WIDE
#include "crt/hybrid/leaf/fma_checked.c"
