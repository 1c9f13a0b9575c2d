/* options.h: how calls read their options.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OPTIONS_H
#define GFP_OPTIONS_H

#include "gfpoly/options.h"

/* All zero. */
extern const gfp_options gfp_no_options;

/* For the first lines of a call: *options := what the caller's options say in this version's
 * struct, which may be *copy, and lasts as long. Errors: ARGUMENT (members that this version does
 * not know; no such kind of verification). */
gfp_status gfp_options_convert(const gfp_options **options, gfp_options *copy);
static inline gfp_status gfp_options_read(const gfp_options **options, gfp_options *copy)
{
    const gfp_options *given = *options;
    if (given == NULL) {
        *options = &gfp_no_options;
        return GFP_OK;
    }
    return given->size == 0 && given->verify == GFP_VERIFY_NONE
               ? GFP_OK
               : gfp_options_convert(options, copy);
}

#endif
