/* text.h: polynomials in texts: what the calls on polynomials and those on polynomials over Z
 * share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_TEXT_H
#define GFP_POLY_TEXT_H

#include "gfpoly/poly.h"

/* Digits of the longest number kept: r^k + 1 <= (2^64)^GFP_MAX_K has at most 4933. */
#define GFP_TEXT_TOKEN_DIGITS 4940
/* Instead of a byte: the end of the text. */
#define GFP_TEXT_END (-1)

/* ---- reading (text_read.c) ---- */

typedef struct gfp_text_place {
    uint64_t line;
    uint64_t line_start; /* offset of the first byte of the line */
    uint64_t offset;
} gfp_text_place;

/* The text that is read. A stream comes through the buffer piece by piece; the window of a string
 * is the whole string. */
typedef struct gfp_text_source {
    FILE *stream; /* NULL: a string */
    char *buffer;
    const char *window;
    size_t at;
    size_t end;
    uint64_t window_offset; /* of window[0] in the text */
    uint64_t line;
    uint64_t line_start;
    bool broken; /* the stream reported a read error, not its end */
    int broken_errno;
    bool by_line; /* the end of the line is the end of the text; messages name the line by line_name
                     (NULL: "Y^") and, unless `unnumbered`, power */
    const char *line_name;
    size_t power;
    bool unnumbered;
    bool integers; /* for messages: numbers may have a sign */
    gfp_error *error;
    gfp_text_place token_place;
    size_t token_length;
    char token[GFP_TEXT_TOKEN_DIGITS + 1]; /* digits without leading zeros, terminated */
} gfp_text_source;

/* Begins with a stream, with a buffer that gfp_text_close frees, or with a string, which needs no
 * close. Errors: MEMORY. */
gfp_status gfp_text_open(gfp_text_source *s, FILE *stream, const gfp_allocator *allocator,
                         gfp_error *error);
void gfp_text_close(gfp_text_source *s, const gfp_allocator *allocator);
void gfp_text_open_string(gfp_text_source *s, const char *text, size_t length, gfp_error *error);

/* Returns the byte at the current place, or GFP_TEXT_END. */
int gfp_text_peek(gfp_text_source *s);
/* Moves to the next byte that is no white space and returns it. */
int gfp_text_skip_space(gfp_text_source *s);
gfp_text_place gfp_text_here(const gfp_text_source *s);
/* Moves to the first byte that is no white space of the next line, from where on the text is read
 * by_line; *more := false at the end of the text. Blank lines may stand before the first line and
 * after the last one. Errors: PARSE for a blank line behind a line that was read by_line: a caller
 * that resets by_line before allows blank lines. */
gfp_status gfp_text_next_line(gfp_text_source *s, bool *more);

/* Fills the error with a message and a place; returns the status. A read error looks like the end
 * of the text, so a read error is reported instead of the error found there. */
gfp_status gfp_text_fail(const gfp_text_source *s, gfp_text_place where, gfp_status status,
                         uint64_t index, const char *format, ...);
/* Reports a character that may not stand at the current place. */
gfp_status gfp_text_fail_character(const gfp_text_source *s, int c, uint64_t index,
                                   const char *expected);
/* Checks that only white space is left; the length in the text is `count`. */
gfp_status gfp_text_take_end(gfp_text_source *s, uint64_t count);

/* Reads the rest of the text, one polynomial; see gfp_poly_fread. */
gfp_status gfp_text_read(gfp_poly *a, gfp_text_source *s, gfp_format format, size_t *stored_length);
/* See gfp_poly_fread_field, for FLINT's format. */
gfp_status gfp_text_read_field(gfp_poly *a, gfp_field **field, gfp_text_source *s,
                               const gfp_allocator *allocator, size_t *stored_length);

/* ---- writing (text.c) ---- */

/* The destination of text: a stream, or memory known to be large enough. */
typedef struct gfp_text_sink {
    FILE *stream;
    char *text;
    size_t used;
} gfp_text_sink;

/* Returns false, with errno, if the stream does not take the bytes. */
bool gfp_text_put(gfp_text_sink *out, const char *bytes, size_t n);
/* Writes the text of n elements, without a newline. Errors: ARGUMENT (format), IO, MEMORY. */
gfp_status gfp_text_put_vector(gfp_text_sink *out, const gfp_field *field, const uint64_t *x,
                               size_t n, gfp_format format);
/* *bytes := a size that suffices for the text of n elements with its terminator; false if that is
 * more than a size holds. */
bool gfp_text_bound(size_t *bytes, const gfp_field *field, size_t n);
/* *text := a copy of the out->used bytes that were put, with a terminator. Errors: MEMORY. */
gfp_status gfp_text_take(gfp_text_sink *out, const gfp_allocator *allocator, char **text,
                         size_t *size);

#endif
