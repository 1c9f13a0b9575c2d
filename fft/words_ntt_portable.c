/* words_ntt_portable.c: the kernels of words_ntt_body.h at the level portable.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_ntt_ops_portable.h"

#include "words_ntt_body.h"

const gfp_words_ntt gfp_words_ntt_portable = GFP_WORDS_NTT_TABLE(GFP_LEVEL_PORTABLE);
