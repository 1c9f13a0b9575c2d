/* text.c: polynomials as text: both formats, round trips, every kind of malformed text with
 * its place, memory, failing streams.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "lab/meter.h"
#include "lab/process.h"
#include "lab/texts.h"

#define P17 "17"
#define LONG_TERMS 20000

static gfp_field *make_field(const char *name, const gfp_allocator *allocator)
{
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create(&field, name, allocator, NULL), GFP_OK);
    return field;
}

/* A temporary stream that holds the text, at its start. */
static FILE *stream_of(const char *text, size_t length)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    rewind(stream);
    return stream;
}

/* Reads a text by all three readers, which must agree. field may be NULL for fread_field. */
static gfp_status read_all_ways(gfp_poly *a, const char *text, size_t length, gfp_format format,
                                gfp_error *error)
{
    gfp_error other = {.message = ""};
    gfp_status status = gfp_poly_from_string(a, text, length, format, error);
    FILE *stream = stream_of(text, length);
    assert_int_equal(gfp_poly_fread(a, NULL, stream, format, &other), status);
    fclose(stream);
    if (status != GFP_OK) {
        assert_int_equal(error->status, status);
        assert_int_equal(other.status, status);
        assert_int_equal(other.line, error->line);
        assert_int_equal(other.column, error->column);
        assert_int_equal(other.offset, error->offset);
        assert_int_equal(other.index, error->index);
        assert_string_equal(other.message, error->message);
        assert_true(error->message[0] != '\0');
    }
    return status;
}

static void assert_text(const gfp_poly *a, gfp_format format, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gfp_poly_to_string(&text, &size, a, format), GFP_OK);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected) + 1);
    gfp_free(text);
}

/* ---- rows of texts ---- */

static gfp_field *field_17;
static gfp_poly object;
/* The format of the texts that are read. */
static gfp_format format_read;

static gfp_status read_string(const char *text, size_t length, gfp_error *error)
{
    return gfp_poly_from_string(&object, text, length, format_read, error);
}

static gfp_status read_stream(FILE *stream, gfp_error *error)
{
    return gfp_poly_fread(&object, NULL, stream, format_read, error);
}

/* The text names the field; a failure leaves all outputs. */
static gfp_status read_with_field(FILE *stream, gfp_error *error)
{
    gfp_poly a;
    gfp_field *field = NULL;
    size_t stored = 77;
    memset(&a, 0x55, sizeof(a));
    const gfp_status status = gfp_poly_fread_field(&a, &field, &stored, stream, NULL, error);
    if (status == GFP_OK) {
        char *text = NULL;
        size_t size = 0;
        assert_int_equal(gfp_poly_to_string(&text, &size, &a, GFP_FORMAT_FLINT), GFP_OK);
        assert_int_equal(gfp_poly_from_string(&object, text, size - 1, GFP_FORMAT_FLINT, NULL),
                         GFP_OK);
        gfp_free(text);
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
    } else {
        assert_null(field);
        assert_int_equal(stored, 77);
        assert_int_equal(a.len, (size_t)0x5555555555555555);
    }
    return status;
}

static char *object_text(void)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gfp_poly_to_string(&text, &size, &object, GFP_FORMAT_FLINT), GFP_OK);
    assert_int_equal(size, strlen(text) + 1);
    char *copy = strdup(text);
    gfp_free(text);
    return copy;
}

static gfp_status write_object(FILE *stream)
{
    return gfp_poly_fwrite(&object, stream, GFP_FORMAT_FLINT);
}

static const lab_text_row flint_texts[] = {
    LAB_READ("3 17  1 0 16", "3 17  1 0 16"),
    LAB_READ("0 17", "0 17"),
    LAB_READ("0 17 \n", "0 17"),
    LAB_READ("3 17  1 2 0\n", "2 17  1 2"),
    LAB_READ("2 17  0 0", "0 17"),
    LAB_READ("\r\n003 017\r\n\r\n0001\r\n2\t 016 \v\f\r\n", "3 17  1 2 16"),
    LAB_REFUSED("", PARSE, 1, 1, NONE, "the text is empty"),
    LAB_REFUSED(" \n ", PARSE, 2, 2, NONE, "the text is empty"),
    LAB_REFUSED("3", PARSE, 1, 2, NONE, "the text ends before the modulus"),
    LAB_REFUSED("3 17", PARSE, 1, 5, 0, "the text ends after 0 of 3 coefficients"),
    LAB_REFUSED("3 17  1 2", PARSE, 1, 10, 2, "the text ends after 2 of 3 coefficients"),
    LAB_REFUSED("3 17  1\n2\n", PARSE, 3, 1, 2, "the text ends after 2 of 3 coefficients"),
    LAB_REFUSED("2 17  1 2 3", PARSE, 1, 11, 2,
                "another number after the last coefficient; the length is 2"),
    LAB_REFUSED("0 17  1", PARSE, 1, 7, 0, "another number after the last coefficient"),
    LAB_REFUSED("2 17  1 2 x", PARSE, 1, 11, NONE,
                "character 'x' where the end of the text should be"),
    LAB_REFUSED("2 17  1 x", PARSE, 1, 9, 1, "character 'x' where a coefficient should be"),
    LAB_REFUSED("2 17  1 1x", PARSE, 1, 10, 1, "character 'x' where a digit or a space should be"),
    LAB_REFUSED("2 17  1.0 1", PARSE, 1, 8, 0, "character '.' where a digit or a space should be"),
    LAB_REFUSED("2 17  1 0x1", PARSE, 1, 10, 1, "character 'x' where a digit or a space should be"),
    LAB_REFUSED("2 17  1 \0", PARSE, 1, 9, 1, "NUL byte where a coefficient should be"),
    LAB_REFUSED("2 17  1\0 2", PARSE, 1, 8, 0, "NUL byte where a digit or a space should be"),
    LAB_REFUSED("2 17  1 2\n\0", PARSE, 2, 1, NONE, "NUL byte where the end of the text should be"),
    LAB_REFUSED(
        "2 17  1 +2", PARSE, 1, 9, 1,
        "sign '+' where a coefficient should be; numbers are written without sign, in [0, p)"),
    LAB_REFUSED("2 17\r\n1\r\n-2", PARSE, 3, 1, 1, "sign '-' where a coefficient should be"),
    LAB_REFUSED("2 17  1 \xc3\xa4", PARSE, 1, 9, 1, "byte 0xc3 where a coefficient should be"),
    LAB_REFUSED("-2 17  1 2", PARSE, 1, 1, NONE, "sign '-' where the length should be"),
    LAB_REFUSED("2 +17  1 2", PARSE, 1, 3, NONE, "sign '+' where the modulus should be"),
    LAB_REFUSED("\xef\xbb\xbf"
                "1 17  1",
                PARSE, 1, 1, NONE, "byte 0xef where the length should be"),
    LAB_REFUSED_APART("[1 2]", PARSE, 1, 1, NONE, "character '[' where the length should be"),
    LAB_REFUSED("2 17  17 2", RANGE, 1, 7, 0, "coefficient is not below the modulus"),
    LAB_REFUSED("3 17  16 0099 1", RANGE, 1, 10, 1, "coefficient is not below the modulus"),
    LAB_REFUSED("2 17  1 123456789", RANGE, 1, 9, 1,
                "coefficient is not below the modulus (it has more digits)"),
    LAB_REFUSED("2 257  1 2", FIELD_MISMATCH, 1, 3, NONE,
                "the modulus is not that of the field 4^2+1"),
    LAB_REFUSED("18446744073709551616 17  1 2", SIZE, 1, 1, NONE,
                "the length does not fit 64 bits"),
    LAB_REFUSED("999999999999999999999999 17  1", SIZE, 1, 1, NONE,
                "the length does not fit 64 bits"),
    LAB_REFUSED("\n \n  3 17  1 x 3", PARSE, 3, 11, 1,
                "character 'x' where a coefficient should be"),
    LAB_REFUSED("\n  3 17  1\nx 3", PARSE, 3, 1, 1, "character 'x' where a coefficient should be"),
    LAB_REFUSED("3 17  1 2 999999999999999999999", RANGE, 1, 11, 2,
                "coefficient is not below the modulus (it has more digits)"),
    LAB_REFUSED("1000000000000000 17  1 2", PARSE, 1, 25, 2,
                "the text ends after 2 of 1000000000000000 coefficients"),
    LAB_REFUSED("18446744073709551615 17  1 2", SIZE, 1, 22, NONE,
                "length 18446744073709551615 is more than memory can hold"),
};

static const lab_text_row ntl_texts[] = {
    LAB_READ("[1 0 16]", "3 17  1 0 16"),
    LAB_READ("[]", "0 17"),
    LAB_READ(" [ ] \r\n", "0 17"),
    LAB_READ("[\n1 2\r\n0 ]\n", "2 17  1 2"),
    LAB_REFUSED("", PARSE, 1, 1, NONE, "the text is empty"),
    LAB_REFUSED_APART("1 2]", PARSE, 1, 1, NONE, "character '1' where '[' should be"),
    LAB_REFUSED("[", PARSE, 1, 2, 0, "the text ends after 0 coefficients, before ']'"),
    LAB_REFUSED("[1 2", PARSE, 1, 5, 2, "the text ends after 2 coefficients, before ']'"),
    LAB_REFUSED("[1 2] 3", PARSE, 1, 7, 2, "another number after the last coefficient"),
    LAB_REFUSED("[1 2]]", PARSE, 1, 6, NONE, "character ']' where the end of the text should be"),
    LAB_REFUSED("[1 -2]", PARSE, 1, 4, 1, "sign '-' where a coefficient should be"),
    LAB_REFUSED("[1,2]", PARSE, 1, 3, 0, "character ',' where a digit or a space should be"),
    LAB_REFUSED("[1 17]", RANGE, 1, 4, 1, "coefficient is not below the modulus"),
};

/* Texts that name their field. */
static const lab_text_row texts_with_field[] = {
    LAB_READ("3 17  1 2 0\n", "2 17  1 2"),
    LAB_REFUSED("2 15  1 2", MODULUS, 1, 3, NONE, "modulus: unsupported modulus: not of the form"),
    LAB_REFUSED("3 1157  1 2 3", COMPOSITE, 1, 3, NONE, "modulus: 34^2 + 1 is composite"),
    LAB_REFUSED("2 65  1 2", COMPOSITE, 1, 3, NONE, "modulus: 8^2 + 1 is composite"),
    LAB_REFUSED("2 19  1 2", MODULUS, 1, 3, NONE, "modulus: unsupported modulus"),
    LAB_REFUSED("2 0x11  1 2", PARSE, 1, 4, NONE, "character 'x' where a digit or a space"),
    LAB_REFUSED("2 0  1 2", MODULUS, 1, 3, NONE, "modulus: unsupported modulus"),
    LAB_REFUSED("2 17  1 2 3", PARSE, 1, 11, 2, "another number after the last coefficient"),
    LAB_REFUSED("2 17  1 17", RANGE, 1, 9, 1, "coefficient is not below the modulus"),
    LAB_REFUSED("99 17  1", PARSE, 1, 9, 1, "the text ends after 1 of 99 coefficients"),
    LAB_REFUSED("2 p8  1 17", PARSE, 1, 3, NONE, "character 'p' where the modulus should be"),
    LAB_REFUSED_APART("[1 2]", PARSE, 1, 1, NONE, "character '[' where the length should be"),
};

static void test_rows_of_texts(void **state)
{
    static const lab_text_kind flint = {"FLINT's format",
                                        read_string,
                                        read_stream,
                                        object_text,
                                        write_object,
                                        "add --field 17 %s zero.txt",
                                        true};
    static const lab_text_kind ntl = {"NTL's format",
                                      read_string,
                                      read_stream,
                                      object_text,
                                      write_object,
                                      "add --field 17 --format flint %s zero.txt",
                                      true};
    static const lab_text_kind with_field = {"with the field",
                                             NULL,
                                             read_with_field,
                                             object_text,
                                             write_object,
                                             "convert %s --format flint",
                                             true};
    (void)state;
    put_file("zero.txt", "0 17\n");
    field_17 = make_field(P17, NULL);
    gfp_poly_init(&object, field_17);
    assert_int_equal(gfp_poly_set_coeff_u64(&object, 1, 5), GFP_OK);
    LAB_TEXTS(&flint, flint_texts);
    LAB_TEXTS(&with_field, texts_with_field);
    format_read = GFP_FORMAT_NTL;
    LAB_TEXTS(&ntl, ntl_texts);
    gfp_poly_clear(&object);
    gfp_field_destroy(field_17);
}

static void test_ntl_is_written(void **state)
{
    (void)state;
    gfp_field *field = make_field(P17, NULL);
    gfp_poly a;
    gfp_poly_init(&a, field);
    assert_text(&a, GFP_FORMAT_NTL, "[]");
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 2, 16), GFP_OK);
    assert_text(&a, GFP_FORMAT_NTL, "[0 0 16]");
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
}

static void test_modulus_names_the_field(void **state)
{
    (void)state;
    gfp_poly a;
    gfp_field *field = NULL;
    size_t stored = 77;
    FILE *stream = stream_of("4 65537  1 65536 0 0", 20);
    assert_int_equal(gfp_poly_fread_field(&a, &field, &stored, stream, NULL, NULL), GFP_OK);
    fclose(stream);
    assert_int_equal(gfp_field_k(field), 2);
    assert_int_equal(stored, 4);
    assert_text(&a, GFP_FORMAT_FLINT, "2 65537  1 65536");
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
}

/* The text of a polynomial fits every form (k, r) of its modulus. */
static void test_text_is_independent_of_the_form(void **state)
{
    static const char *const forms[] = {"256^2+1", "16^4+1", "4^8+1", "2^16+1"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        gfp_field *field = make_field(forms[i], NULL);
        gfp_poly a;
        gfp_error error;
        gfp_poly_init(&a, field);
        const char *text = "5 65537  0 65536 32768 1 12345";
        assert_int_equal(read_all_ways(&a, text, strlen(text), GFP_FORMAT_FLINT, &error), GFP_OK);
        assert_text(&a, GFP_FORMAT_FLINT, text);
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
    }
}

static void round_trip_through_stream(const gfp_poly *a, gfp_poly *b, gfp_format format)
{
    size_t stored = 0;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(gfp_poly_fwrite(a, stream, format), GFP_OK);
    rewind(stream);
    gfp_poly_zero(b);
    assert_int_equal(gfp_poly_fread(b, &stored, stream, format, NULL), GFP_OK);
    assert_int_equal(stored, a->len);
    assert_true(gfp_poly_equal(a, b));
    fclose(stream);
}

static void round_trip_through_string(const gfp_poly *a, gfp_poly *b, gfp_format format)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gfp_poly_to_string(&text, &size, a, format), GFP_OK);
    assert_int_equal(strlen(text) + 1, size);
    gfp_poly_zero(b);
    assert_int_equal(gfp_poly_from_string(b, text, size - 1, format, NULL), GFP_OK);
    assert_true(gfp_poly_equal(a, b));
    gfp_free(text);
}

/* Random polynomials through files longer than the reader's buffer and through strings. */
static void test_round_trips(void **state)
{
    static const char *const fields[] = {"17", "p2", "p8", "m16", "p128", "(2^12-2)^256+1"};
    (void)state;
    gfp_random generator;
    gfp_random_seed(&generator, 3);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        gfp_field *field = make_field(fields[i], NULL);
        gfp_poly a;
        gfp_poly b;
        gfp_poly_init(&a, field);
        gfp_poly_init(&b, field);
        assert_int_equal(gfp_poly_random(&a, 900, &generator), GFP_OK);
        for (int format = GFP_FORMAT_FLINT; format <= GFP_FORMAT_NTL; format++) {
            round_trip_through_stream(&a, &b, (gfp_format)format);
            round_trip_through_string(&a, &b, (gfp_format)format);
        }
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_field_destroy(field);
    }
}

static void test_vectors_keep_their_zeros(void **state)
{
    (void)state;
    gfp_field *field = make_field(P17, NULL);
    uint64_t x[8] = {0};
    char line[40] = "";
    gfp_elem_set_u64(field, x + 2, 16);
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(gfp_vec_fwrite(field, x, 3, stream, GFP_FORMAT_FLINT), GFP_OK);
    assert_int_equal(gfp_vec_fwrite(field, x, 2, stream, GFP_FORMAT_NTL), GFP_OK);
    rewind(stream);
    assert_non_null(fgets(line, sizeof(line), stream));
    assert_string_equal(line, "3 17  0 16 0\n");
    assert_non_null(fgets(line, sizeof(line), stream));
    assert_string_equal(line, "[0 16]\n");
    fclose(stream);
    gfp_field_destroy(field);
}

/* A text of n times the same character between two others. */
static char *padded_text(const char *before, char fill, size_t n, const char *after, size_t *length)
{
    size_t head = strlen(before);
    size_t tail = strlen(after);
    char *text = malloc(head + n + tail + 1);
    assert_non_null(text);
    memcpy(text, before, head);
    memset(text + head, fill, n);
    memcpy(text + head + n, after, tail + 1);
    *length = head + n + tail;
    return text;
}

static void test_numbers_without_end_are_not_kept(void **state)
{
    static const struct {
        const char *before;
        char fill;
        const char *after;
        gfp_status status;
    } cases[] = {
        {"1 17  ", '0', "5", GFP_OK},       {"", '0', "1 17  5", GFP_OK},
        {"1 ", '0', "17  5", GFP_OK},       {"1 17 ", ' ', "5", GFP_OK},
        {"1 17  ", '7', "", GFP_ERR_RANGE}, {"1 ", '7', " 5", GFP_ERR_FIELD_MISMATCH},
        {"", '7', " 17 5", GFP_ERR_SIZE},
    };
    (void)state;
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = make_field(P17, &allocator);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t length;
        char *text = padded_text(cases[i].before, cases[i].fill, 1000000, cases[i].after, &length);
        gfp_poly a;
        gfp_error error;
        gfp_poly_init(&a, field);
        m.largest = 0;
        assert_int_equal(read_all_ways(&a, text, length, GFP_FORMAT_FLINT, &error),
                         cases[i].status);
        if (cases[i].status == GFP_OK) {
            assert_text(&a, GFP_FORMAT_FLINT, "1 17  5");
        }
        assert_in_range(m.largest, 1, 70000);
        gfp_poly_clear(&a);
        free(text);
    }
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

/* Lines and columns behind the first buffer of a stream. */
static void test_places_far_behind_are_right(void **state)
{
    (void)state;
    gfp_field *field = make_field(P17, NULL);
    size_t length;
    char *text = padded_text("1 17", '\n', 100000, "  x", &length);
    gfp_poly a;
    gfp_error error;
    gfp_poly_init(&a, field);
    assert_int_equal(read_all_ways(&a, text, length, GFP_FORMAT_FLINT, &error), GFP_ERR_PARSE);
    assert_int_equal(error.line, 100001);
    assert_int_equal(error.column, 3);
    free(text);
    gfp_field_destroy(field);
}

static void test_too_long_modulus_names_no_field(void **state)
{
    (void)state;
    size_t length;
    char *text = padded_text("1 ", '9', 5000, " 5", &length);
    FILE *stream = stream_of(text, length);
    gfp_poly a;
    gfp_field *field = NULL;
    gfp_error error;
    assert_int_equal(gfp_poly_fread_field(&a, &field, NULL, stream, NULL, &error), GFP_ERR_MODULUS);
    assert_int_equal(error.column, 3);
    assert_null(field);
    fclose(stream);
    free(text);
}

static void test_absurd_length_is_not_allocated(void **state)
{
    static const struct {
        const char *text;
        gfp_status status;
    } cases[] = {
        {"1000000000000 17  1 2", GFP_ERR_PARSE},
        {"1000000000000000000 17  1 2", GFP_ERR_PARSE},
        {"18446744073709551615 17  1 2", GFP_ERR_SIZE},
    };
    (void)state;
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = make_field(P17, &allocator);
    gfp_poly a;
    gfp_poly_init(&a, field);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gfp_error error;
        m.largest = 0;
        assert_int_equal(
            read_all_ways(&a, cases[i].text, strlen(cases[i].text), GFP_FORMAT_FLINT, &error),
            cases[i].status);
        assert_in_range(m.largest, 1, 70000);
    }
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

/* The text of LONG_TERMS coefficients over p8. */
static FILE *long_stream(gfp_format format)
{
    gfp_field *field = make_field("p8", NULL);
    gfp_random generator;
    gfp_poly a;
    gfp_random_seed(&generator, 5);
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_random(&a, LONG_TERMS, &generator), GFP_OK);
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(gfp_poly_fwrite(&a, stream, format), GFP_OK);
    rewind(stream);
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
    return stream;
}

static void test_reading_needs_little_memory(void **state)
{
    static const gfp_format formats[] = {GFP_FORMAT_FLINT, GFP_FORMAT_NTL};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = make_field("p8", &allocator);
        FILE *stream = long_stream(formats[i]);
        gfp_poly a;
        gfp_poly_init(&a, field);
        size_t before = m.bytes;
        size_t result = (size_t)LONG_TERMS * 8 * sizeof(uint64_t);
        m.peak = before;
        assert_int_equal(gfp_poly_fread(&a, NULL, stream, formats[i], NULL), GFP_OK);
        assert_in_range(m.peak - before, result, result * 5 / 2 + 70000);
        assert_in_range(m.bytes - before, result, result * 3 / 2);
        if (formats[i] == GFP_FORMAT_FLINT) {
            assert_int_equal(m.bytes - before, result);
        }
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
        fclose(stream);
    }
}

static void test_every_failing_allocation_is_reported(void **state)
{
    (void)state;
    FILE *stream = long_stream(GFP_FORMAT_FLINT);
    gfp_status status = GFP_ERR_MEMORY;
    size_t attempts = 0;
    for (; status != GFP_OK; attempts++) {
        meter m = {.fail_at = attempts};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_poly a;
        gfp_field *field = NULL;
        gfp_error error;
        rewind(stream);
        status = gfp_poly_fread_field(&a, &field, NULL, stream, &allocator, &error);
        if (status == GFP_OK) {
            gfp_poly_clear(&a);
            gfp_field_destroy(field);
        } else {
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_int_equal(error.status, GFP_ERR_MEMORY);
            assert_null(field);
        }
        meter_expect_empty(&m);
    }
    assert_in_range(attempts, 10, 1000);
    fclose(stream);
}

static void test_failing_allocations_of_strings(void **state)
{
    (void)state;
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = make_field("p8", &allocator);
    gfp_poly a;
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 3, 7), GFP_OK);
    size_t before = m.bytes;
    gfp_status status = GFP_ERR_MEMORY;
    char *text = NULL;
    size_t size = 0;
    for (size_t n = 0; status != GFP_OK; n++) {
        assert_null(text);
        meter_fail_at(&m, n);
        status = gfp_poly_to_string(&text, &size, &a, GFP_FORMAT_FLINT);
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        assert_true(status == GFP_OK ? m.bytes >= before + size : m.bytes == before);
        assert_in_range(n, 0, 99);
    }
    assert_non_null(text);
    gfp_free(text);
    assert_int_equal(m.bytes, before);
    gfp_free(NULL);
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

static void test_read_error_is_not_truncation(void **state)
{
    (void)state;
    FILE *stream = fopen("/", "rb");
    if (stream == NULL) {
        skip(); /* this C library does not open folders: no other reading here fails */
    }
    gfp_field *field = make_field(P17, NULL);
    gfp_field *other = NULL;
    gfp_poly a;
    gfp_error error;
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_fread(&a, NULL, stream, GFP_FORMAT_FLINT, &error), GFP_ERR_IO);
    assert_int_equal(error.status, GFP_ERR_IO);
    assert_int_equal(gfp_poly_fread(&a, NULL, stream, GFP_FORMAT_NTL, &error), GFP_ERR_IO);
    assert_int_equal(gfp_poly_fread_field(&a, &other, NULL, stream, NULL, &error), GFP_ERR_IO);
    assert_null(other);
    fclose(stream);
    gfp_field_destroy(field);
}

static void test_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *stream = fopen("/dev/full", "wb");
    if (stream == NULL) {
        skip(); /* not Linux */
    }
    gfp_field *field = make_field(P17, NULL);
    gfp_poly a;
    gfp_poly_init(&a, field);
    errno = 0;
    assert_int_equal(gfp_poly_fwrite(&a, stream, GFP_FORMAT_FLINT), GFP_ERR_IO);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(gfp_vec_fwrite(field, NULL, 0, stream, GFP_FORMAT_NTL), GFP_ERR_IO);
    fclose(stream);
    gfp_field_destroy(field);
}

static void test_unknown_format_is_refused(void **state)
{
    (void)state;
    gfp_field *field = make_field(P17, NULL);
    gfp_poly a;
    gfp_error error;
    char *text = NULL;
    size_t size = 0;
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_from_string(&a, "0 17", 4, (gfp_format)2, &error), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_to_string(&text, &size, &a, (gfp_format)2), GFP_ERR_ARGUMENT);
    assert_null(text);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ntl_is_written),
        cmocka_unit_test(test_rows_of_texts),
        cmocka_unit_test(test_modulus_names_the_field),
        cmocka_unit_test(test_text_is_independent_of_the_form),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_vectors_keep_their_zeros),
        cmocka_unit_test(test_numbers_without_end_are_not_kept),
        cmocka_unit_test(test_places_far_behind_are_right),
        cmocka_unit_test(test_too_long_modulus_names_no_field),
        cmocka_unit_test(test_absurd_length_is_not_allocated),
        cmocka_unit_test(test_reading_needs_little_memory),
        cmocka_unit_test(test_every_failing_allocation_is_reported),
        cmocka_unit_test(test_failing_allocations_of_strings),
        cmocka_unit_test(test_read_error_is_not_truncation),
        cmocka_unit_test(test_full_disk_is_reported),
        cmocka_unit_test(test_unknown_format_is_refused),
    };
    return cmocka_run_group_tests_name("text", tests, enter_empty_folder, leave_folder);
}
