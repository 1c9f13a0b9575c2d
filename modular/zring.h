/* zring.h: what a gfp_zring keeps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZRING_H
#define GFP_ZRING_H

#include "gfpoly/zvec.h"
#include "support.h"
#include "words_crt.h"

struct gfp_zring {
    gfp_allocator allocator;
    gfp_level level; /* of the kernels */
    gfp_words_supply *supply;
};

#endif
