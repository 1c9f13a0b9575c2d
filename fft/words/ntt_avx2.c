/* ntt_avx2.c: the kernels of ntt_body.h at the level avx2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_avx2.h"

#include "fft/words/ntt_body.h"

const gfp_words_ntt WORDS_LEVEL(gfp_words_ntt) = GFP_WORDS_NTT_TABLE(WORDS_LEVEL_NUMBER);
