/* text_read.c: one tokenizer for the formats of FLINT and NTL, which serves streams and strings in
 * constant space; see text.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/text.h"

#define LENGTH_DIGITS 20 /* of 2^64 - 1 */
#define BUFFER_BYTES 65536
#define FIRST_CAPACITY 64 /* coefficients */
#define END_OF_TEXT GFP_TEXT_END

typedef gfp_text_source source;
typedef gfp_text_place place;

/* The coefficients read so far. */
typedef struct vector {
    const gfp_field *field;
    uint64_t *digits;
    size_t count;
    size_t capacity;
    size_t limit; /* capacity never exceeds this */
} vector;

/* ---- errors ---- */

gfp_text_place gfp_text_here(const source *s)
{
    return (place){s->line, s->line_start, s->window_offset + s->at};
}

/* What the source ends with, for messages. */
static const char *unit_of(const source *s)
{
    return s->by_line ? "line" : "text";
}

gfp_status gfp_text_fail(const source *s, place where, gfp_status status, uint64_t index,
                         const char *format, ...)
{
    char message[200];
    size_t used = 0;
    if (s->by_line && s->unnumbered) {
        used = (size_t)snprintf(message, sizeof(message), "%s: ", s->line_name);
    } else if (s->by_line) {
        used = (size_t)snprintf(message, sizeof(message),
                                "%s%zu: ", s->line_name != NULL ? s->line_name : "Y^", s->power);
    }
    if (s->broken) {
        char reason[100];
        if (strerror_r(s->broken_errno, reason, sizeof(reason)) != 0) {
            reason[0] = '\0';
        }
        snprintf(message + used, sizeof(message) - used, "cannot read: %s", reason);
        status = GFP_ERR_IO;
    } else {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message + used, sizeof(message) - used, format, arguments);
        va_end(arguments);
    }
    (void)gfp_error_set(s->error, status, "%s", message);
    if (s->error != NULL) {
        s->error->line = where.line;
        s->error->column = where.offset - where.line_start + 1;
        s->error->offset = where.offset;
        s->error->index = index;
    }
    return status;
}

gfp_status gfp_text_fail_character(const source *s, int c, uint64_t index, const char *expected)
{
    if (c == '\0') {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, index,
                             "NUL byte where %s should be", expected);
    }
    if (c == END_OF_TEXT) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, index,
                             "the %s ends where %s should be", unit_of(s), expected);
    }
    if (c == '+' || c == '-') {
        /* A length has no sign. */
        const char *signs = index != GFP_NO_INDEX ? "; one - may stand before digits" : "";
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, index,
                             "sign '%c' where %s should be%s", c, expected,
                             s->integers ? signs : "; numbers are written without sign, in [0, p)");
    }
    if (c > ' ' && c < 0x7f) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, index,
                             "character '%c' where %s should be", c, expected);
    }
    return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, index,
                         "byte 0x%02x where %s should be", (unsigned)c, expected);
}

/* ---- the tokenizer ---- */

static bool text_read_refill(source *s)
{
    if (s->stream == NULL || s->broken) {
        return false;
    }
    s->window_offset += s->end;
    s->at = 0;
    errno = 0;
    s->end = fread(s->buffer, 1, BUFFER_BYTES, s->stream);
    if (s->end == 0 && ferror(s->stream)) {
        s->broken_errno = errno;
        s->broken = true;
    }
    return s->end > 0;
}

int gfp_text_peek(source *s)
{
    if (s->at == s->end && !text_read_refill(s)) {
        return END_OF_TEXT;
    }
    const int c = (unsigned char)s->window[s->at];
    return s->by_line && c == '\n' ? END_OF_TEXT : c;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Moves behind the byte c at the current place. */
static void pass_byte(source *s, int c)
{
    s->at++;
    if (c == '\n') {
        s->line++;
        s->line_start = s->window_offset + s->at;
    }
}

int gfp_text_skip_space(source *s)
{
    int c;
    while (is_space(c = gfp_text_peek(s))) {
        pass_byte(s, c);
    }
    return c;
}

gfp_status gfp_text_next_line(source *s, bool *more)
{
    const bool ends_line = s->by_line;
    s->by_line = false;
    if (ends_line && gfp_text_peek(s) == '\n') {
        pass_byte(s, '\n');
    }
    const place begin = gfp_text_here(s);
    *more = gfp_text_skip_space(s) != END_OF_TEXT;
    s->by_line = *more;
    return !*more || !ends_line || s->line == begin.line
               ? GFP_OK
               : gfp_text_fail(s, begin, GFP_ERR_PARSE, GFP_NO_INDEX, "the line is blank");
}

/* token := the digits at the current place without leading zeros ("0" for zero); false, with the
 * rest unread, when more than limit digits are left. */
static bool take_digits(source *s, size_t limit)
{
    s->token_place = gfp_text_here(s);
    s->token_length = 0;
    for (int c = gfp_text_peek(s); is_digit(c); c = gfp_text_peek(s)) {
        if (s->token_length > 0 || c != '0') {
            if (s->token_length == limit) {
                return false;
            }
            s->token[s->token_length++] = (char)c;
        }
        s->at++;
    }
    if (s->token_length == 0) {
        s->token[s->token_length++] = '0';
    }
    s->token[s->token_length] = '\0';
    return true;
}

/* Reads the next number; the caller has checked that more than white space is left. `what` names
 * the number in messages; `closing` is a character that may follow it instead of white space (or
 * '\0'); `too_long` is the status if it has more than limit digits. */
static gfp_status take_number(source *s, const char *what, uint64_t index, char closing,
                              size_t limit, gfp_status too_long, const char *too_long_reason)
{
    int c = gfp_text_skip_space(s);
    if (!is_digit(c)) {
        return gfp_text_fail_character(s, c, index, what);
    }
    if (!take_digits(s, limit)) {
        return gfp_text_fail(s, s->token_place, too_long, index, "%s", too_long_reason);
    }
    c = gfp_text_peek(s);
    if (c != END_OF_TEXT && !is_space(c) && (closing == '\0' || c != closing)) {
        return gfp_text_fail_character(s, c, index, "a digit or a space");
    }
    return GFP_OK;
}

gfp_status gfp_text_take_end(source *s, uint64_t count)
{
    int c = gfp_text_skip_space(s);
    if (is_digit(c)) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, count,
                             "another number after the last coefficient; the length is %llu",
                             (unsigned long long)count);
    }
    if (c != END_OF_TEXT) {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX,
                                       s->by_line ? "the end of the line" : "the end of the text");
    }
    if (s->broken) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_IO, GFP_NO_INDEX, "");
    }
    return GFP_OK;
}

gfp_status gfp_text_open(source *s, FILE *stream, const gfp_allocator *allocator, gfp_error *error)
{
    memset(s, 0, offsetof(source, token));
    s->line = 1;
    s->error = error;
    s->stream = stream;
    s->buffer = gfp_allocate(allocator, BUFFER_BYTES, 1);
    s->window = s->buffer;
    if (s->buffer == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory to read");
    }
    return GFP_OK;
}

void gfp_text_open_string(source *s, const char *text, size_t length, gfp_error *error)
{
    memset(s, 0, offsetof(source, token));
    s->line = 1;
    s->error = error;
    s->window = text;
    s->end = length;
}

void gfp_text_close(source *s, const gfp_allocator *allocator)
{
    gfp_release(allocator, s->buffer, BUFFER_BYTES, 1);
}

/* ---- coefficients ---- */

static void vector_clear(vector *v)
{
    gfp_release(gfp_field_allocator(v->field), v->digits, v->capacity, gfp_element_bytes(v->field));
}

/* Grows by half: old and new storage together stay below 2.5 times the coefficients read. */
static gfp_status vector_grow(vector *v)
{
    size_t capacity;
    size_t bytes;
    if (!gfp_size_add(&capacity, v->capacity, v->capacity / 2)) {
        return GFP_ERR_SIZE;
    }
    capacity = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : capacity;
    capacity = capacity > v->limit ? v->limit : capacity;
    if (!gfp_size_mul(&bytes, capacity, gfp_element_bytes(v->field))) {
        return GFP_ERR_SIZE;
    }
    uint64_t *digits =
        gfp_allocate(gfp_field_allocator(v->field), capacity, gfp_element_bytes(v->field));
    if (digits == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (v->count > 0) {
        memcpy(digits, v->digits, v->count * gfp_element_bytes(v->field));
    }
    vector_clear(v);
    v->digits = digits;
    v->capacity = capacity;
    return GFP_OK;
}

/* Reads coefficient v->count. */
static gfp_status take_coefficient(source *s, vector *v, char closing)
{
    uint64_t index = v->count;
    GFP_TRY(take_number(s, "a coefficient", index, closing,
                        strlen(gfp_field_get_info(v->field).modulus), GFP_ERR_RANGE,
                        "coefficient is not below the modulus (it has more digits)"));
    if (v->count == v->capacity) {
        gfp_status status = vector_grow(v);
        if (status != GFP_OK) {
            return gfp_text_fail(s, s->token_place, status, index,
                                 "no memory for %llu coefficients", (unsigned long long)index + 1);
        }
    }
    uint64_t *place_of = v->digits + v->count * gfp_field_k(v->field);
    gfp_status status =
        gfp_elem_set_string(v->field, place_of, s->token, s->token_length, 10, NULL);
    if (status != GFP_OK) {
        return gfp_text_fail(s, s->token_place, status, index, "%s",
                             status == GFP_ERR_RANGE ? "coefficient is not below the modulus"
                                                     : gfp_status_string(status));
    }
    v->count++;
    return GFP_OK;
}

/* Reads, after the header, v->limit coefficients and nothing else. */
static gfp_status take_flint_body(source *s, vector *v)
{
    size_t bytes;
    if (!gfp_size_mul(&bytes, v->limit, gfp_element_bytes(v->field))) {
        return gfp_text_fail(s, s->token_place, GFP_ERR_SIZE, GFP_NO_INDEX,
                             "length %llu is more than memory can hold",
                             (unsigned long long)v->limit);
    }
    while (v->count < v->limit) {
        if (gfp_text_skip_space(s) == END_OF_TEXT) {
            return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, v->count,
                                 "the %s ends after %llu of %llu coefficients", unit_of(s),
                                 (unsigned long long)v->count, (unsigned long long)v->limit);
        }
        GFP_TRY(take_coefficient(s, v, '\0'));
    }
    return gfp_text_take_end(s, v->count);
}

/* Reads "[c0 c1 ...]" and nothing else. */
static gfp_status take_ntl(source *s, vector *v)
{
    int c = gfp_text_skip_space(s);
    if (c == END_OF_TEXT) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    if (c != '[') {
        return gfp_text_fail_character(s, c, GFP_NO_INDEX, "'['");
    }
    s->at++;
    while ((c = gfp_text_skip_space(s)) != ']') {
        if (c == END_OF_TEXT) {
            return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, v->count,
                                 "the %s ends after %llu coefficients, before ']'", unit_of(s),
                                 (unsigned long long)v->count);
        }
        GFP_TRY(take_coefficient(s, v, ']'));
    }
    s->at++;
    return gfp_text_take_end(s, v->count);
}

/* Reads the length, and the modulus into the token. */
static gfp_status take_header(source *s, size_t *length, gfp_status long_modulus)
{
    if (gfp_text_skip_space(s) == END_OF_TEXT) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    const char *too_long = "the length does not fit 64 bits";
    GFP_TRY(
        take_number(s, "the length", GFP_NO_INDEX, '\0', LENGTH_DIGITS, GFP_ERR_SIZE, too_long));
    *length = 0;
    for (size_t i = 0; i < s->token_length; i++) {
        size_t digit = (size_t)(s->token[i] - '0');
        if (!gfp_size_mul(length, *length, 10) || !gfp_size_add(length, *length, digit)) {
            return gfp_text_fail(s, s->token_place, GFP_ERR_SIZE, GFP_NO_INDEX, "%s", too_long);
        }
    }
    if (gfp_text_skip_space(s) == END_OF_TEXT) {
        return gfp_text_fail(s, gfp_text_here(s), GFP_ERR_PARSE, GFP_NO_INDEX,
                             "the %s ends before the modulus", unit_of(s));
    }
    return take_number(s, "the modulus", GFP_NO_INDEX, '\0', GFP_TEXT_TOKEN_DIGITS, long_modulus,
                       "the modulus has more digits than any supported one");
}

/* Gives the coefficients to a, and frees a's old storage. */
static gfp_status text_read_deliver(gfp_poly *a, vector *v, size_t *stored_length)
{
    gfp_poly result;
    gfp_poly_init(&result, v->field);
    result.digits = v->digits;
    result.capacity = v->capacity;
    GFP_TRY(gfp_poly_set_length(&result, v->count));
    if (stored_length != NULL) {
        *stored_length = v->count;
    }
    gfp_poly_swap(a, &result);
    gfp_poly_clear(&result);
    *v = (vector){.field = v->field};
    return GFP_OK;
}

/* Reads the whole text, over a known field. */
static gfp_status take_poly(source *s, vector *v, gfp_format format)
{
    if (format == GFP_FORMAT_NTL) {
        v->limit = SIZE_MAX;
        return take_ntl(s, v);
    }
    GFP_TRY(take_header(s, &v->limit, GFP_ERR_FIELD_MISMATCH));
    if (strcmp(s->token, gfp_field_get_info(v->field).modulus) != 0) {
        return gfp_text_fail(s, s->token_place, GFP_ERR_FIELD_MISMATCH, GFP_NO_INDEX,
                             "the modulus is not that of the field %s", gfp_field_name(v->field));
    }
    return take_flint_body(s, v);
}

gfp_status gfp_text_read(gfp_poly *a, source *s, gfp_format format, size_t *stored_length)
{
    if (format != GFP_FORMAT_FLINT && format != GFP_FORMAT_NTL) {
        return gfp_error_set(s->error, GFP_ERR_ARGUMENT, "no such format");
    }
    vector v = {.field = a->field};
    gfp_status status = take_poly(s, &v, format);
    if (status == GFP_OK) {
        status = text_read_deliver(a, &v, stored_length);
    }
    vector_clear(&v);
    return status;
}

/* The field that the modulus in the token names. */
static gfp_status create_field(const source *s, gfp_field **field, const gfp_allocator *allocator)
{
    gfp_error reason = {.message = ""};
    gfp_status status = gfp_field_create(field, s->token, allocator, &reason);
    if (status != GFP_OK) {
        return gfp_text_fail(s, s->token_place, status, GFP_NO_INDEX, "modulus: %s",
                             reason.message[0] != '\0' ? reason.message
                                                       : gfp_status_string(status));
    }
    return GFP_OK;
}

gfp_status gfp_text_read_field(gfp_poly *a, gfp_field **field, source *s,
                               const gfp_allocator *allocator, size_t *stored_length)
{
    vector v = {.limit = 0};
    gfp_field *created = NULL;
    GFP_TRY(take_header(s, &v.limit, GFP_ERR_MODULUS));
    GFP_TRY(create_field(s, &created, allocator));
    v.field = created;
    gfp_poly result;
    gfp_poly_init(&result, created);
    gfp_status status = take_flint_body(s, &v);
    if (status == GFP_OK) {
        status = text_read_deliver(&result, &v, stored_length);
    }
    vector_clear(&v);
    if (status != GFP_OK) {
        gfp_field_destroy(created);
        return status;
    }
    *a = result;
    *field = created;
    return GFP_OK;
}
