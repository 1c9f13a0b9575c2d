/* bipoly_text.c: bivariate polynomials from and to text: a polynomial in X in each line.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"
#include "support.h"
#include "text.h"

/* ---- reading ---- */

/* Reads the polynomials from Y^s->power on, up to the end of the text, and sets the length. */
static gfp_status take_lines(gfp_bipoly *a, gfp_text_source *s, gfp_format format)
{
    for (bool more;; s->power++) {
        gfp_poly line;
        GFP_TRY(gfp_text_next_line(s, &more));
        if (!more) {
            break;
        }
        gfp_poly_init(&line, a->field);
        GFP_TRY(gfp_text_read(&line, s, format, NULL));
        gfp_status status = GFP_OK;
        if (s->power == a->capacity) {
            status = gfp_bipoly_fit_length(a, gfp_size_add_sat(s->power, s->power / 2 + 4));
        }
        if (status != GFP_OK) {
            gfp_poly_clear(&line);
            return gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX,
                                 "no memory for more polynomials");
        }
        gfp_poly_swap(&a->coeff[s->power], &line);
    }
    if (s->broken || s->power == 0) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    gfp_bipoly_normalise(a, s->power);
    return GFP_OK;
}

static gfp_status read_bipoly(gfp_bipoly *a, gfp_text_source *s, gfp_format format)
{
    gfp_bipoly made;
    if (format != GFP_FORMAT_FLINT && format != GFP_FORMAT_NTL) {
        return gfp_error_set(s->error, GFP_ERR_ARGUMENT, "no such format");
    }
    gfp_bipoly_init(&made, a->field);
    const gfp_status status = take_lines(&made, s, format);
    if (status == GFP_OK) {
        gfp_bipoly_swap(a, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}

gfp_status gfp_bipoly_fread(gfp_bipoly *a, FILE *stream, gfp_format format, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    gfp_text_source s;
    GFP_TRY(gfp_text_open(&s, stream, allocator, error));
    const gfp_status status = read_bipoly(a, &s, format);
    gfp_text_close(&s, allocator);
    return status;
}

gfp_status gfp_bipoly_from_string(gfp_bipoly *a, const char *text, size_t length, gfp_format format,
                                  gfp_error *error)
{
    gfp_text_source s;
    gfp_text_open_string(&s, text, length, error);
    return read_bipoly(a, &s, format);
}

/* Reads the first line and with it the field, then the other lines. */
static gfp_status read_field(gfp_bipoly *a, gfp_field **field, gfp_text_source *s,
                             const gfp_allocator *allocator)
{
    gfp_poly first;
    gfp_bipoly made;
    gfp_field *created = NULL;
    bool more;
    GFP_TRY(gfp_text_next_line(s, &more));
    if (!more) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    GFP_TRY(gfp_text_read_field(&first, &created, s, allocator, NULL));
    gfp_bipoly_init(&made, created);
    gfp_status status = gfp_bipoly_fit_length(&made, 4);
    if (status == GFP_OK) {
        gfp_poly_swap(&made.coeff[0], &first);
        s->power = 1;
        status = take_lines(&made, s, GFP_FORMAT_FLINT);
    } else {
        (void)gfp_error_set(s->error, status, "no memory to read");
    }
    gfp_poly_clear(&first);
    if (status != GFP_OK) {
        gfp_bipoly_clear(&made);
        gfp_field_destroy(created);
        return status;
    }
    *a = made;
    *field = created;
    return GFP_OK;
}

gfp_status gfp_bipoly_fread_field(gfp_bipoly *a, gfp_field **field, FILE *stream,
                                  const gfp_allocator *allocator, gfp_error *error)
{
    const gfp_allocator *memory = allocator != NULL ? allocator : &gfp_default_allocator;
    gfp_text_source s;
    GFP_TRY(gfp_text_open(&s, stream, memory, error));
    const gfp_status status = read_field(a, field, &s, allocator);
    gfp_text_close(&s, memory);
    return status;
}

/* ---- writing ---- */

/* Writes all lines, without the last newline. */
static gfp_status put_lines(gfp_text_sink *out, const gfp_bipoly *a, gfp_format format)
{
    gfp_poly zero;
    gfp_poly_init(&zero, a->field);
    for (size_t j = 0; j < a->len || j == 0; j++) {
        const gfp_poly *line = j < a->len ? &a->coeff[j] : &zero;
        if (j > 0 && !gfp_text_put(out, "\n", 1)) {
            return GFP_ERR_IO;
        }
        GFP_TRY(gfp_text_put_vector(out, a->field, line->digits, line->len, format));
    }
    return GFP_OK;
}

gfp_status gfp_bipoly_fwrite(const gfp_bipoly *a, FILE *stream, gfp_format format)
{
    gfp_text_sink out = {.stream = stream};
    GFP_TRY(put_lines(&out, a, format));
    /* Flushed here: success means that the system took the bytes. */
    return gfp_text_put(&out, "\n", 1) && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

/* *bytes := a size that suffices for the text. */
static bool bound_text(size_t *bytes, const gfp_bipoly *a)
{
    bool fits = gfp_text_bound(bytes, a->field, 0);
    for (size_t j = 0; fits && j < a->len; j++) {
        size_t line = 0;
        fits = gfp_text_bound(&line, a->field, a->coeff[j].len) &&
               gfp_size_add(bytes, *bytes, gfp_size_add_sat(line, 1));
    }
    return fits;
}

gfp_status gfp_bipoly_to_string(const gfp_bipoly *a, char **text, size_t *size, gfp_format format)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    size_t bound;
    if (!bound_text(&bound, a)) {
        return GFP_ERR_SIZE;
    }
    gfp_text_sink out = {.text = gfp_allocate(allocator, bound, 1)};
    if (out.text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = put_lines(&out, a, format);
    if (status == GFP_OK) {
        status = gfp_text_take(&out, allocator, text, size);
    }
    gfp_release(allocator, out.text, bound, 1);
    return status;
}
