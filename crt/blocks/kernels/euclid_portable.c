/* euclid_portable.c: images, compiled for this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_portable.h"

#include "crt/blocks/kernels/euclid_plain.inc"

#define NTT gfp_words_ntt_portable
#define KERNELS gfp_words_image_portable
#include "crt/blocks/kernels/euclid.inc"
