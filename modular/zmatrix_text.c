/* zmatrix_text.c: matrices of polynomials over Z from and to text: a line with the rows and
 * columns, then an entry in each line.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zmatrix.h"
#include "zvec_text.h"

/* ---- reading ---- */

/* Moves to the next line that is not white space; false at the end of the text. */
static bool next_line(gfp_text_source *s)
{
    s->by_line = false;
    const bool more = gfp_text_skip_space(s) != GFP_TEXT_END;
    s->by_line = more;
    return more;
}

/* *n := the next number. */
static gfp_status take_size(gfp_text_source *s, size_t *n)
{
    int c = gfp_text_skip_space(s);
    const gfp_text_place where = gfp_text_here(s);
    *n = 0;
    if (c < '0' || c > '9') {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX, "the number of rows or columns");
    }
    for (; c >= '0' && c <= '9'; c = gfp_text_peek(s)) {
        if (!gfp_size_mul(n, *n, 10) || !gfp_size_add(n, *n, (size_t)(c - '0'))) {
            return gfp_text_fail(s, where, GFP_ERR_SIZE, GFP_NO_INDEX, "the matrix is too large");
        }
        s->at++;
    }
    if (c != GFP_TEXT_END && c != ' ' && (c < '\t' || c > '\r')) {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX, "a digit or a space");
    }
    return GFP_OK;
}

static gfp_status take_sizes(gfp_zmatrix *a, gfp_text_source *s)
{
    size_t rows, columns;
    if (!next_line(s)) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    s->line_name = "size ";
    const gfp_text_place where = gfp_text_here(s);
    GFP_TRY(take_size(s, &rows));
    GFP_TRY(take_size(s, &columns));
    if (rows != columns) {
        return gfp_text_fail(s, where, GFP_ERR_PARSE, GFP_NO_INDEX,
                             "%zu rows and %zu columns: the matrix is not square", rows, columns);
    }
    const int c = gfp_text_skip_space(s);
    if (c != GFP_TEXT_END) {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX, "the end of the line");
    }
    const gfp_status status = gfp_zmatrix_set_zero(a, rows);
    return status == GFP_OK
               ? GFP_OK
               : gfp_text_fail(s, where, status, GFP_NO_INDEX, "no memory for %zu rows", rows);
}

static gfp_status take_entry(gfp_zvec *entry, gfp_text_source *s)
{
    gfp_zvec line;
    gfp_zvec_init(&line, entry->ring);
    gfp_status status = gfp_zvec_read(&line, s, NULL);
    if (status == GFP_OK) {
        /* In the least width. */
        status = gfp_zvec_set_polynomial(entry, line.limbs, line.len, line.width);
        if (status != GFP_OK) {
            status = gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX,
                                   "no memory for more entries");
        }
    }
    gfp_zvec_clear(&line);
    return status;
}

static gfp_status take_matrix(gfp_zmatrix *a, gfp_text_source *s)
{
    GFP_TRY(take_sizes(a, s));
    const size_t count = a->n * a->n;
    s->line_name = "entry ";
    for (s->power = 0; s->power < count; s->power++) {
        if (!next_line(s)) {
            return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX,
                                 "the text ends after %zu of %zu entries", s->power, count);
        }
        GFP_TRY(take_entry(&a->entry[s->power], s));
    }
    s->by_line = false;
    const int c = gfp_text_skip_space(s);
    if (c != GFP_TEXT_END) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX,
                             "more lines after the last of %zu entries", count);
    }
    return s->broken ? gfp_text_fail(s, gfp_text_here(s), GFP_ERR_IO, GFP_NO_INDEX, "") : GFP_OK;
}

static gfp_status read_matrix(gfp_zmatrix *a, gfp_text_source *s)
{
    gfp_zmatrix made;
    gfp_zmatrix_init(&made, a->ring);
    const gfp_status status = take_matrix(&made, s);
    if (status == GFP_OK) {
        gfp_zmatrix_swap(a, &made);
    }
    gfp_zmatrix_clear(&made);
    return status;
}

gfp_status gfp_zmatrix_fread(gfp_zmatrix *a, FILE *stream, gfp_error *error)
{
    gfp_text_source s;
    if (a == NULL || stream == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no matrix, or no stream");
    }
    GFP_TRY(gfp_text_open(&s, stream, &a->ring->allocator, error));
    const gfp_status status = read_matrix(a, &s);
    gfp_text_close(&s, &a->ring->allocator);
    return status;
}

gfp_status gfp_zmatrix_from_string(gfp_zmatrix *a, const char *text, size_t length,
                                   gfp_error *error)
{
    gfp_text_source s;
    if (a == NULL || (text == NULL && length > 0)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no matrix, or no text");
    }
    gfp_text_open_string(&s, text, length, error);
    return read_matrix(a, &s);
}

/* ---- writing ---- */

/* Writes all lines, without the last newline. */
static gfp_status put_lines(gfp_text_sink *out, const gfp_zmatrix *a)
{
    char size[50];
    const int used = snprintf(size, sizeof size, "%zu %zu", a->n, a->n);
    if (!gfp_text_put(out, size, (size_t)used)) {
        return GFP_ERR_IO;
    }
    for (size_t i = 0; i < a->n * a->n; i++) {
        if (!gfp_text_put(out, "\n", 1)) {
            return GFP_ERR_IO;
        }
        GFP_TRY(gfp_zvec_put(out, &a->entry[i]));
    }
    return GFP_OK;
}

gfp_status gfp_zmatrix_fwrite(const gfp_zmatrix *a, FILE *stream)
{
    gfp_text_sink out = {.stream = stream};
    if (a == NULL || stream == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    GFP_TRY(put_lines(&out, a));
    /* Flushed here: success means that the system took the bytes. */
    return gfp_text_put(&out, "\n", 1) && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_zmatrix_to_string(const gfp_zmatrix *a, char **text, size_t *size)
{
    size_t bound = 64;
    if (a == NULL || text == NULL || size == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < a->n * a->n; i++) {
        size_t line;
        if (!gfp_zvec_text_bound(&line, &a->entry[i]) || !gfp_size_add(&bound, bound, line)) {
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
