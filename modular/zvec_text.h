/* zvec_text.h: texts of polynomials over Z: what polynomials in one and in two variables share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ZVEC_TEXT_H
#define GFP_ZVEC_TEXT_H

#include "gfpoly/zvec.h"
#include "text.h"

/* z := the polynomial that the rest of the text, or of its line, holds; see gfp_zvec_fread. */
gfp_status gfp_zvec_read(gfp_zvec *z, gfp_text_source *s, size_t *stored_length);
/* Writes the text of a, without a newline. Errors: IO, MEMORY. */
gfp_status gfp_zvec_put(gfp_text_sink *out, const gfp_zvec *a);
/* *bytes := a size that suffices for the text with a terminator; false if that is more than a size
 * holds. */
bool gfp_zvec_text_bound(size_t *bytes, const gfp_zvec *a);

#endif
