/* text.c: polynomials from and to text, in FLINT's and NTL's formats: the public calls, and one
 * writer for streams and strings.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "poly/binary.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/text.h"

#define LENGTH_DIGITS 20 /* of 2^64 - 1 */

typedef gfp_text_source source;
typedef gfp_text_sink sink;

/* ---- reading ---- */

gfp_status gfp_poly_fread(gfp_poly *a, size_t *stored_length, FILE *stream, gfp_format format,
                          gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    source s;
    if (format == GFP_FORMAT_BINARY) {
        return gfp_binary_read(a, stream, stored_length, error);
    }
    GFP_TRY(gfp_text_open(&s, stream, allocator, error));
    gfp_status status = gfp_text_read(a, &s, format, stored_length);
    gfp_text_close(&s, allocator);
    return status;
}

gfp_status gfp_poly_from_string(gfp_poly *a, const char *text, size_t length, gfp_format format,
                                gfp_error *error)
{
    source s;
    gfp_text_open_string(&s, text, length, error);
    return gfp_text_read(a, &s, format, NULL);
}

gfp_status gfp_poly_fread_field(gfp_poly *a, gfp_field **field, size_t *stored_length, FILE *stream,
                                const gfp_allocator *allocator, gfp_error *error)
{
    const gfp_allocator *memory = allocator != NULL ? allocator : &gfp_default_allocator;
    source s;
    const int first = getc(stream);
    if (first != EOF && ungetc(first, stream) == GFP_BINARY_FIRST_BYTE) {
        return gfp_binary_read_field(a, field, stream, allocator, stored_length, error);
    }
    GFP_TRY(gfp_text_open(&s, stream, memory, error));
    gfp_status status = gfp_text_read_field(a, field, &s, allocator, stored_length);
    gfp_text_close(&s, memory);
    return status;
}

/* ---- writing ---- */

bool gfp_text_put(sink *out, const char *bytes, size_t n)
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
    return gfp_text_put(out, text, strlen(text));
}

static bool put_flint_header(sink *out, const gfp_field *field, size_t n)
{
    char length[LENGTH_DIGITS + 2];
    snprintf(length, sizeof(length), "%zu ", n);
    return put_string(out, length) && put_string(out, gfp_field_get_info(field).modulus) &&
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
        if (!gfp_text_put(out, scratch + first, length + 1 - first)) {
            return GFP_ERR_IO;
        }
    }
    return !ntl || put_string(out, "]") ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_text_put_vector(sink *out, const gfp_field *field, const uint64_t *x, size_t n,
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
    GFP_TRY(gfp_text_put_vector(&out, field, x, n, format));
    /* Flushed here: success means that the system took the bytes. */
    return put_string(&out, "\n") && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

gfp_status gfp_poly_fwrite(const gfp_poly *a, FILE *stream, gfp_format format)
{
    return gfp_vec_fwrite(a->field, a->digits, a->len, stream, format);
}

bool gfp_text_bound(size_t *bytes, const gfp_field *field, size_t n)
{
    size_t digits = strlen(gfp_field_get_info(field).modulus);
    return gfp_size_mul(bytes, n, digits + 1) &&
           gfp_size_add(bytes, *bytes, digits + LENGTH_DIGITS + 8);
}

gfp_status gfp_text_take(sink *out, const gfp_allocator *allocator, char **text, size_t *size)
{
    char *exact = gfp_text_make(allocator, out->used + 1);
    if (exact == NULL) {
        return GFP_ERR_MEMORY;
    }
    memcpy(exact, out->text, out->used);
    exact[out->used] = '\0';
    *text = exact;
    *size = out->used + 1;
    return GFP_OK;
}

gfp_status gfp_poly_to_string(char **text, size_t *size, const gfp_poly *a, gfp_format format)
{
    const gfp_allocator *allocator = gfp_field_allocator(a->field);
    size_t bound;
    if (!gfp_text_bound(&bound, a->field, a->len)) {
        return GFP_ERR_SIZE;
    }
    sink out = {.text = gfp_allocate(allocator, bound, 1)};
    if (out.text == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_status status = gfp_text_put_vector(&out, a->field, a->digits, a->len, format);
    if (status == GFP_OK) {
        status = gfp_text_take(&out, allocator, text, size);
    }
    gfp_release(allocator, out.text, bound, 1);
    return status;
}
