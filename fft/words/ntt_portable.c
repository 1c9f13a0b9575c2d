/* ntt_portable.c: the kernels of ntt_body.h at the level portable.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/ntt_ops_portable.h"

#include "fft/words/ntt_body.h"

const gfp_words_ntt gfp_words_ntt_portable = GFP_WORDS_NTT_TABLE(GFP_LEVEL_PORTABLE);
