/* matrix_text.c: matrices of polynomials over Z from text: a line with the rows and
 * columns, then an entry in each line.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/matrix.h"
#include "modular/text.h"

/* ---- reading ---- */

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

/* *n := the rows, *count := n^2. */
static gfp_status take_sizes(gfp_text_source *s, size_t *n, size_t *count)
{
    size_t columns;
    bool more;
    s->line_name = "size";
    s->unnumbered = s->integers = true;
    GFP_TRY(gfp_text_next_line(s, &more));
    if (!more) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    const gfp_text_place where = gfp_text_here(s);
    GFP_TRY(take_size(s, n));
    GFP_TRY(take_size(s, &columns));
    if (*n != columns) {
        return gfp_text_fail(s, where, GFP_ERR_PARSE, GFP_NO_INDEX,
                             "%zu rows and %zu columns: the matrix is not square", *n, columns);
    }
    const int c = gfp_text_skip_space(s);
    if (c != GFP_TEXT_END) {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX, "the end of the line");
    }
    return gfp_size_mul(count, *n, *n)
               ? GFP_OK
               : gfp_text_fail(s, where, GFP_ERR_SIZE, GFP_NO_INDEX, "no memory for %zu rows", *n);
}

/* *n := the rows; list := the entries, row by row: as many as the text has, whatever the sizes. */
static gfp_status take_entries(gfp_zbipoly *list, size_t *n, gfp_text_source *s)
{
    size_t count = 0;
    GFP_TRY(take_sizes(s, n, &count));
    s->line_name = "entry ";
    s->unnumbered = false;
    for (s->power = 0; s->power < count; s->power++) {
        bool more;
        s->by_line = false; /* blank lines may stand between the rows */
        GFP_TRY(gfp_text_next_line(s, &more));
        if (!more) {
            return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX,
                                 "the text ends after %zu of %zu entries", s->power, count);
        }
        GFP_TRY(gfp_zlines_take(list, s));
    }
    s->by_line = false;
    const int c = gfp_text_skip_space(s);
    if (c != GFP_TEXT_END) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX,
                             "more lines after the last of %zu entries", count);
    }
    return s->broken ? gfp_text_fail(s, gfp_text_here(s), GFP_ERR_IO, GFP_NO_INDEX, "") : GFP_OK;
}

static gfp_status take_matrix(gfp_zmatrix *a, gfp_zbipoly *list, gfp_text_source *s)
{
    size_t n = 0;
    GFP_TRY(take_entries(list, &n, s));
    const gfp_status status = gfp_zmatrix_set_zero(a, n);
    if (status != GFP_OK) {
        return gfp_text_fail(s, gfp_text_here(s), status, GFP_NO_INDEX, "no memory for %zu rows",
                             n);
    }
    for (size_t i = 0; i < n * n; i++) {
        gfp_zvec_swap(&a->entry[i], &list->coeff[i]);
    }
    return GFP_OK;
}

static gfp_status read_matrix(gfp_zmatrix *a, gfp_text_source *s)
{
    gfp_zbipoly list;
    gfp_zbipoly_init(&list, a->ring);
    const gfp_status status = take_matrix(a, &list, s);
    gfp_zbipoly_clear(&list);
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
