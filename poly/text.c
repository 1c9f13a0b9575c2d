/* text.c: polynomials from and to text, in FLINT's and NTL's formats: one tokenizer that serves
 * streams and strings in constant space, and one writer.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "binary.h"
#include "poly_impl.h"
#include "support.h"

/* Digits of the longest number kept: r^k + 1 <= (2^64)^GFP_MAX_K has at most 4933. */
#define TOKEN_DIGITS 4940
#define LENGTH_DIGITS 20 /* of 2^64 - 1 */
#define BUFFER_BYTES 65536
#define FIRST_CAPACITY 64 /* coefficients */
#define END_OF_TEXT (-1)

typedef struct place {
    uint64_t line;
    uint64_t line_start; /* offset of the first byte of the line */
    uint64_t offset;
} place;

/* The text that is read. A stream comes through the buffer piece by piece; the window of a string
 * is the whole string. */
typedef struct source {
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
    gfp_error *error;
    place token_place;
    size_t token_length;
    char token[TOKEN_DIGITS + 1]; /* digits without leading zeros, terminated */
} source;

/* The coefficients read so far. */
typedef struct vector {
    const gfp_field *field;
    uint64_t *digits;
    size_t count;
    size_t capacity;
    size_t limit; /* capacity never exceeds this */
} vector;

/* ---- errors ---- */

static place here(const source *s)
{
    return (place){s->line, s->line_start, s->window_offset + s->at};
}

/* Fills the error with a message and a place. A read error looks like the end of the text, so a
 * read error is reported instead of the error found there. */
static gfp_status fail(const source *s, place where, gfp_status status, uint64_t index,
                       const char *format, ...)
{
    char message[200];
    if (s->broken) {
        char reason[100];
        if (strerror_r(s->broken_errno, reason, sizeof(reason)) != 0) {
            reason[0] = '\0';
        }
        snprintf(message, sizeof(message), "cannot read: %s", reason);
        status = GFP_ERR_IO;
    } else {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof(message), format, arguments);
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

/* Reports a character that may not stand at the current place. */
static gfp_status fail_character(const source *s, int c, uint64_t index, const char *expected)
{
    if (c == '\0') {
        return fail(s, here(s), GFP_ERR_PARSE, index, "NUL byte where %s should be", expected);
    }
    if (c == '+' || c == '-') {
        return fail(s, here(s), GFP_ERR_PARSE, index,
                    "sign '%c' where %s should be; numbers are written without sign, in [0, p)", c,
                    expected);
    }
    if (c > ' ' && c < 0x7f) {
        return fail(s, here(s), GFP_ERR_PARSE, index, "character '%c' where %s should be", c,
                    expected);
    }
    return fail(s, here(s), GFP_ERR_PARSE, index, "byte 0x%02x where %s should be", (unsigned)c,
                expected);
}

/* ---- the tokenizer ---- */

static bool refill(source *s)
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

/* The byte at the current place, or END_OF_TEXT. */
static int peek(source *s)
{
    if (s->at == s->end && !refill(s)) {
        return END_OF_TEXT;
    }
    return (unsigned char)s->window[s->at];
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Moves to the next byte that is no white space and returns it. */
static int skip_space(source *s)
{
    int c;
    while (is_space(c = peek(s))) {
        s->at++;
        if (c == '\n') {
            s->line++;
            s->line_start = s->window_offset + s->at;
        }
    }
    return c;
}

/* token := the digits at the current place without leading zeros ("0" for zero); false, with the
 * rest unread, when more than limit digits are left. */
static bool take_digits(source *s, size_t limit)
{
    s->token_place = here(s);
    s->token_length = 0;
    for (int c = peek(s); is_digit(c); c = peek(s)) {
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
    int c = skip_space(s);
    if (!is_digit(c)) {
        return fail_character(s, c, index, what);
    }
    if (!take_digits(s, limit)) {
        return fail(s, s->token_place, too_long, index, "%s", too_long_reason);
    }
    c = peek(s);
    if (c != END_OF_TEXT && !is_space(c) && (closing == '\0' || c != closing)) {
        return fail_character(s, c, index, "a digit or a space");
    }
    return GFP_OK;
}

/* Checks that only white space is left. */
static gfp_status take_end(source *s, uint64_t count)
{
    int c = skip_space(s);
    if (is_digit(c)) {
        return fail(s, here(s), GFP_ERR_PARSE, count,
                    "another number after the last coefficient; the length is %llu",
                    (unsigned long long)count);
    }
    if (c != END_OF_TEXT) {
        return fail_character(s, c, GFP_NO_INDEX, "the end of the text");
    }
    if (s->broken) {
        return fail(s, here(s), GFP_ERR_IO, GFP_NO_INDEX, "");
    }
    return GFP_OK;
}

static gfp_status source_open(source *s, FILE *stream, const gfp_allocator *allocator,
                              gfp_error *error)
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

static void source_close(source *s, const gfp_allocator *allocator)
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
                        strlen(gfp_field_modulus_string(v->field)), GFP_ERR_RANGE,
                        "coefficient is not below the modulus (it has more digits)"));
    if (v->count == v->capacity) {
        gfp_status status = vector_grow(v);
        if (status != GFP_OK) {
            return fail(s, s->token_place, status, index, "no memory for %llu coefficients",
                        (unsigned long long)index + 1);
        }
    }
    uint64_t *place_of = v->digits + v->count * gfp_field_k(v->field);
    gfp_status status =
        gfp_elem_set_string(v->field, place_of, s->token, s->token_length, 10, NULL);
    if (status != GFP_OK) {
        return fail(s, s->token_place, status, index, "%s",
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
        return fail(s, s->token_place, GFP_ERR_SIZE, GFP_NO_INDEX,
                    "length %llu is more than memory can hold", (unsigned long long)v->limit);
    }
    while (v->count < v->limit) {
        if (skip_space(s) == END_OF_TEXT) {
            return fail(s, here(s), GFP_ERR_PARSE, v->count,
                        "the text ends after %llu of %llu coefficients",
                        (unsigned long long)v->count, (unsigned long long)v->limit);
        }
        GFP_TRY(take_coefficient(s, v, '\0'));
    }
    return take_end(s, v->count);
}

/* Reads "[c0 c1 ...]" and nothing else. */
static gfp_status take_ntl(source *s, vector *v)
{
    int c = skip_space(s);
    if (c == END_OF_TEXT) {
        return fail(s, here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    if (c != '[') {
        return fail_character(s, c, GFP_NO_INDEX, "'['");
    }
    s->at++;
    while ((c = skip_space(s)) != ']') {
        if (c == END_OF_TEXT) {
            return fail(s, here(s), GFP_ERR_PARSE, v->count,
                        "the text ends after %llu coefficients, before ']'",
                        (unsigned long long)v->count);
        }
        GFP_TRY(take_coefficient(s, v, ']'));
    }
    s->at++;
    return take_end(s, v->count);
}

/* Reads the length, and the modulus into the token. */
static gfp_status take_header(source *s, size_t *length, gfp_status long_modulus)
{
    if (skip_space(s) == END_OF_TEXT) {
        return fail(s, here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text is empty");
    }
    const char *too_long = "the length does not fit 64 bits";
    GFP_TRY(
        take_number(s, "the length", GFP_NO_INDEX, '\0', LENGTH_DIGITS, GFP_ERR_SIZE, too_long));
    *length = 0;
    for (size_t i = 0; i < s->token_length; i++) {
        size_t digit = (size_t)(s->token[i] - '0');
        if (!gfp_size_mul(length, *length, 10) || !gfp_size_add(length, *length, digit)) {
            return fail(s, s->token_place, GFP_ERR_SIZE, GFP_NO_INDEX, "%s", too_long);
        }
    }
    if (skip_space(s) == END_OF_TEXT) {
        return fail(s, here(s), GFP_ERR_PARSE, GFP_NO_INDEX, "the text ends before the modulus");
    }
    return take_number(s, "the modulus", GFP_NO_INDEX, '\0', TOKEN_DIGITS, long_modulus,
                       "the modulus has more digits than any supported one");
}

/* Gives the coefficients to a, and frees a's old storage. */
static gfp_status deliver(gfp_poly *a, vector *v, size_t *stored_length)
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
    if (strcmp(s->token, gfp_field_modulus_string(v->field)) != 0) {
        return fail(s, s->token_place, GFP_ERR_FIELD_MISMATCH, GFP_NO_INDEX,
                    "the modulus is not that of the field %s", gfp_field_name(v->field));
    }
    return take_flint_body(s, v);
}

static gfp_status read_poly(gfp_poly *a, source *s, gfp_format format, size_t *stored_length)
{
    if (format != GFP_FORMAT_FLINT && format != GFP_FORMAT_NTL) {
        return gfp_error_set(s->error, GFP_ERR_ARGUMENT, "no such format");
    }
    vector v = {.field = a->field};
    gfp_status status = take_poly(s, &v, format);
    if (status == GFP_OK) {
        status = deliver(a, &v, stored_length);
    }
    vector_clear(&v);
    return status;
}

gfp_status gfp_poly_fread(gfp_poly *a, FILE *stream, gfp_format format, size_t *stored_length,
                          gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    source s;
    if (format == GFP_FORMAT_BINARY) {
        return gfp_binary_read(a, stream, stored_length, error);
    }
    GFP_TRY(source_open(&s, stream, allocator, error));
    gfp_status status = read_poly(a, &s, format, stored_length);
    source_close(&s, allocator);
    return status;
}

gfp_status gfp_poly_from_string(gfp_poly *a, const char *text, size_t length, gfp_format format,
                                gfp_error *error)
{
    source s;
    memset(&s, 0, offsetof(source, token));
    s.line = 1;
    s.error = error;
    s.window = text;
    s.end = length;
    return read_poly(a, &s, format, NULL);
}

/* The field that the modulus in the token names. */
static gfp_status create_field(const source *s, gfp_field **field, const gfp_allocator *allocator)
{
    gfp_error reason = {.message = ""};
    gfp_status status = gfp_field_create(field, s->token, allocator, &reason);
    if (status != GFP_OK) {
        return fail(s, s->token_place, status, GFP_NO_INDEX, "modulus: %s",
                    reason.message[0] != '\0' ? reason.message : gfp_status_string(status));
    }
    return GFP_OK;
}

static gfp_status read_poly_field(gfp_poly *a, gfp_field **field, source *s,
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
        status = deliver(&result, &v, stored_length);
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

gfp_status gfp_poly_fread_field(gfp_poly *a, gfp_field **field, FILE *stream,
                                const gfp_allocator *allocator, size_t *stored_length,
                                gfp_error *error)
{
    const gfp_allocator *memory = allocator != NULL ? allocator : &gfp_default_allocator;
    source s;
    const int first = getc(stream);
    if (first != EOF && ungetc(first, stream) == GFP_BINARY_FIRST_BYTE) {
        return gfp_binary_read_field(a, field, stream, allocator, stored_length, error);
    }
    GFP_TRY(source_open(&s, stream, memory, error));
    gfp_status status = read_poly_field(a, field, &s, allocator, stored_length);
    source_close(&s, memory);
    return status;
}

/* ---- writing ---- */

/* The destination of text: a stream, or memory known to be large enough. */
typedef struct sink {
    FILE *stream;
    char *text;
    size_t used;
} sink;

static bool put(sink *out, const char *bytes, size_t n)
{
    if (out->stream != NULL) {
        return fwrite(bytes, 1, n, out->stream) == n;
    }
    memcpy(out->text + out->used, bytes, n);
    out->used += n;
    return true;
}

static bool put_string(sink *out, const char *text)
{
    return put(out, text, strlen(text));
}

static bool put_flint_header(sink *out, const gfp_field *field, size_t n)
{
    char length[LENGTH_DIGITS + 2];
    snprintf(length, sizeof(length), "%zu ", n);
    return put_string(out, length) && put_string(out, gfp_field_modulus_string(field)) &&
           (n == 0 || put_string(out, " "));
}

/* Writes the text without a newline. scratch has room for one number and a space before it. */
static gfp_status put_elements(sink *out, const gfp_field *field, const uint64_t *x, size_t n,
                               gfp_format format, char *scratch, size_t scratch_size)
{
    bool ntl = format == GFP_FORMAT_NTL;
    if (!(ntl ? put_string(out, "[") : put_flint_header(out, field, n))) {
        return GFP_ERR_IO;
    }
    scratch[0] = ' ';
    for (size_t i = 0; i < n; i++) {
        size_t length;
        GFP_TRY(gfp_elem_get_string(field, scratch + 1, scratch_size - 1, &length, 10,
                                    x + i * gfp_field_k(field)));
        bool first = ntl && i == 0;
        if (!put(out, scratch + first, length + 1 - first)) {
            return GFP_ERR_IO;
        }
    }
    return !ntl || put_string(out, "]") ? GFP_OK : GFP_ERR_IO;
}

static gfp_status put_with_scratch(sink *out, const gfp_field *field, const uint64_t *x, size_t n,
                                   gfp_format format)
{
    if (format != GFP_FORMAT_FLINT && format != GFP_FORMAT_NTL) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_allocator *allocator = gfp_field_allocator(field);
    size_t size = gfp_elem_string_size(field, 10) + 1;
    char *scratch = gfp_allocate(allocator, size, 1);
    if (scratch == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = put_elements(out, field, x, n, format, scratch, size);
    int error_number = errno;
    gfp_release(allocator, scratch, size, 1);
    errno = error_number;
    return status;
}

gfp_status gfp_vec_fwrite(const gfp_field *field, const uint64_t *x, size_t n, FILE *stream,
                          gfp_format format)
{
    sink out = {.stream = stream};
    if (format == GFP_FORMAT_BINARY) {
        return gfp_binary_write(field, x, n, stream);
    }
    GFP_TRY(put_with_scratch(&out, field, x, n, format));
    /* Flushed here: success means that the system took the bytes. */
    return put_string(&out, "\n") && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_poly_fwrite(const gfp_poly *a, FILE *stream, gfp_format format)
{
    return gfp_vec_fwrite(a->field, a->digits, a->len, stream, format);
}

/* *bytes := a size that suffices for the text of n elements with its terminator. */
static bool text_bound(size_t *bytes, const gfp_field *field, size_t n)
{
    size_t digits = strlen(gfp_field_modulus_string(field));
    return gfp_size_mul(bytes, n, digits + 1) &&
           gfp_size_add(bytes, *bytes, digits + LENGTH_DIGITS + 8);
}

gfp_status gfp_poly_to_string(const gfp_poly *a, char **text, size_t *size, gfp_format format)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    size_t bound;
    if (!text_bound(&bound, a->field, a->len)) {
        return GFP_ERR_SIZE;
    }
    sink out = {.text = gfp_allocate(allocator, bound, 1)};
    if (out.text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = put_with_scratch(&out, a->field, a->digits, a->len, format);
    if (status == GFP_OK) {
        out.text[out.used++] = '\0';
        char *exact = gfp_allocate(allocator, out.used, 1);
        if (exact != NULL) {
            memcpy(exact, out.text, out.used);
            *text = exact;
            *size = out.used;
        } else {
            status = GFP_ERR_MEMORY;
        }
    }
    gfp_release(allocator, out.text, bound, 1);
    return status;
}

void gfp_string_free(const gfp_field *field, char *text, size_t size)
{
    gfp_release(gfp_field_allocator(field), text, size, 1);
}
