/* ntt_avx512.c: the kernels of ntt_body.h at the level avx512.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx512.h"

#include "fft/words/ntt_body.h"

const gfp_words_ntt gfp_words_ntt_avx512 = GFP_WORDS_NTT_TABLE(GFP_LEVEL_AVX512IFMA);
