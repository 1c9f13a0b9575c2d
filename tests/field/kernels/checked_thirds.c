/* checked_thirds.c: checked.c for levels that have digits in three pieces (LANES_THIRDS in
 * lanes_common.inc). The build compiles this file for k = 8, K_DIGITS.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define LANES_THIRDS
#define LANES_KERNELS gfp_kernels_thirds
#define LANES_NAME "checked thirds"
#include "checked.c"
