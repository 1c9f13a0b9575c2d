/* zbipoly_text.c: bivariate polynomials over Z from and to text: a polynomial in X in each line.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zbipoly.h"

#include "zring.h"
#include "zvec_impl.h"
#include "zvec_text.h"

/* ---- reading ---- */

/* Moves to the next line with a polynomial; false at the end of the text. */
static bool next_line(gfp_text_source *s)
{
    s->by_line = false;
    const bool more = gfp_text_skip_space(s) != GFP_TEXT_END;
    s->by_line = more;
    return more;
}

static gfp_status take_lines(gfp_zbipoly *a, gfp_text_source *s)
{
    for (; next_line(s); s->power++) {
        if (s->power == a->capacity) {
            const gfp_status status =
                gfp_zbipoly_fit(a, gfp_size_add_sat(s->power, s->power / 2 + 4));
            if (status != GFP_OK) {
                return gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX,
                                     "no memory for more polynomials");
            }
        }
        gfp_zvec line;
        gfp_zvec_init(&line, a->ring);
        gfp_status status = gfp_zvec_read(&line, s, NULL);
        if (status == GFP_OK) {
            /* In the least width. */
            status = gfp_zvec_set_polynomial(&a->coeff[s->power], line.limbs, line.len, line.width);
            if (status != GFP_OK) {
                status = gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX,
                                       "no memory for more polynomials");
            }
        }
        gfp_zvec_clear(&line);
        GFP_TRY(status);
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

gfp_status gfp_zbipoly_from_string(gfp_zbipoly *a, const char *text, size_t length,
                                   gfp_error *error)
{
    gfp_text_source s;
    if (a == NULL || (text == NULL && length > 0)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no polynomial, or no text");
    }
    gfp_text_open_string(&s, text, length, error);
    return read_lines(a, &s);
}

/* ---- writing ---- */

/* Writes all lines, without the last newline. */
static gfp_status put_lines(gfp_text_sink *out, const gfp_zbipoly *a)
{
    const gfp_zvec zero = {.ring = a->ring, .width = 1};
    for (size_t j = 0; j < a->len || j == 0; j++) {
        if (j > 0 && !gfp_text_put(out, "\n", 1)) {
            return GFP_ERR_IO;
        }
        GFP_TRY(gfp_zvec_put(out, j < a->len ? &a->coeff[j] : &zero));
    }
    return GFP_OK;
}

gfp_status gfp_zbipoly_fwrite(const gfp_zbipoly *a, FILE *stream)
{
    gfp_text_sink out = {.stream = stream};
    if (a == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    GFP_TRY(put_lines(&out, a));
    /* Flushed here: success means that the system took the bytes. */
    return gfp_text_put(&out, "\n", 1) && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_zbipoly_to_string(const gfp_zbipoly *a, char **text, size_t *size)
{
    size_t bound = 16;
    if (a == NULL || text == NULL || size == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    for (size_t j = 0; j < a->len; j++) {
        size_t line;
        if (!gfp_zvec_text_bound(&line, &a->coeff[j]) || !gfp_size_add(&bound, bound, line)) {
            return GFP_ERR_SIZE;
        }
    }
    const gfp_allocator *allocator = &a->ring->allocator;
    gfp_text_sink out = {.text = gfp_allocate(allocator, bound, 1)};
    if (out.text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = put_lines(&out, a);
    if (status == GFP_OK) {
        status = gfp_text_take(&out, allocator, text, size);
    }
    gfp_release(allocator, out.text, bound, 1);
    return status;
}
