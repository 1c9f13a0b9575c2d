/* text.h: texts of polynomials over Z: what vectors, polynomials in two
 * variables, matrices and systems share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_TEXT_H
#define GFP_MODULAR_TEXT_H

#include "poly/text.h"
#include "modular/bivariate.h"

/* z := the polynomial that the rest of the text, or of its line, holds; see gfp_zvec_fread. */
gfp_status gfp_zvec_read(gfp_zvec *z, gfp_text_source *s, size_t *stored_length);
/* Writes the text of a, without a newline. Errors: IO, MEMORY. */
gfp_status gfp_zvec_put(gfp_text_sink *out, const gfp_zvec *a);

/* The coefficient of Y^(s->power) of a, which has room for the powers before, := the polynomial in
 * the line, in its least width. Errors: those of gfp_zvec_fread. */
gfp_status gfp_zlines_take(gfp_zbipoly *a, gfp_text_source *s);

/* A text: a polynomial in each line. No polynomial: the line of the polynomial 0. */
typedef struct gfp_zlines {
    gfp_zring *ring;
    const gfp_zvec *line;
    size_t count;
} gfp_zlines;

/* Writes the lines with newlines, and flushes the stream. Errors: IO, MEMORY. */
gfp_status gfp_zlines_fwrite(const gfp_zlines *z, FILE *stream);

#endif
