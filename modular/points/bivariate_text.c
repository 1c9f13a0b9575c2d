/* bivariate_text.c: bivariate polynomials over Z from and to text: a polynomial in X in each line.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/ring.h"
#include "modular/vec.h"
#include "modular/text.h"
#include "modular/bivariate.h"

/* ---- reading ---- */

static gfp_status no_memory(gfp_text_source *s, gfp_status status)
{
    return gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX, "no memory for more lines");
}

gfp_status gfp_zlines_take(gfp_zbipoly *a, gfp_text_source *s)
{
    gfp_zvec line;
    if (s->power == a->capacity) {
        const gfp_status status = gfp_zbipoly_fit(a, gfp_size_add_sat(s->power, s->power / 2 + 4));
        if (status != GFP_OK) {
            return no_memory(s, status);
        }
    }
    gfp_zvec_init(&line, a->ring);
    gfp_status status = gfp_zvec_read(&line, s, NULL);
    if (status == GFP_OK) {
        status = gfp_zvec_set_result(&a->coeff[s->power], &line);
        status = status == GFP_OK ? GFP_OK : no_memory(s, status);
    }
    gfp_zvec_clear(&line);
    return status;
}

static gfp_status take_lines(gfp_zbipoly *a, gfp_text_source *s)
{
    for (bool more;; s->power++) {
        GFP_TRY(gfp_text_next_line(s, &more));
        if (!more) {
            break;
        }
        GFP_TRY(gfp_zlines_take(a, s));
    }
    if (s->broken || s->power == 0) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    gfp_zbipoly_normalise(a, s->power);
    return GFP_OK;
}

static gfp_status read_lines(gfp_zbipoly *a, gfp_text_source *s)
{
    gfp_zbipoly made;
    gfp_zbipoly_init(&made, a->ring);
    const gfp_status status = take_lines(&made, s);
    if (status == GFP_OK) {
        gfp_zbipoly_swap(a, &made);
    }
    gfp_zbipoly_clear(&made);
    return status;
}

gfp_status gfp_zbipoly_fread(gfp_zbipoly *a, FILE *stream, gfp_error *error)
{
    gfp_text_source s;
    if (a == NULL || stream == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no polynomial, or no stream");
    }
    GFP_TRY(gfp_text_open(&s, stream, &a->ring->allocator, error));
    const gfp_status status = read_lines(a, &s);
    gfp_text_close(&s, &a->ring->allocator);
    return status;
}

/* ---- writing ---- */

gfp_status gfp_zbipoly_fwrite(const gfp_zbipoly *a, FILE *stream)
{
    if (a == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    return gfp_zlines_fwrite(&(gfp_zlines){a->ring, a->coeff, a->len}, stream);
}
