/* euclid_avx2.c: images, compiled for this level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx2.h"

#include "crt/blocks/kernels/euclid_plain.inc"

#define NTT WORDS_LEVEL(gfp_words_ntt)
#define KERNELS WORDS_LEVEL(gfp_words_image)
#include "crt/blocks/kernels/euclid.inc"
