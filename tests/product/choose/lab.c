/* lab.c: see lab.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/tunings.h"
#include "product/choose/lab.h"

#include <stdio.h>
#include <string.h>

#include "lab/fixtures.h"
#include "product/choose/tuning.h"

gfp_field *p8, *m8, *p4, *tiny;

int tuning_fields_open(void **state)
{
    (void)state;
    p8 = lab_create("p8");
    m8 = lab_create("m8");
    p4 = lab_create("p4");
    tiny = lab_create("17");
    return 0;
}

int tuning_fields_close(void **state)
{
    (void)state;
    gfp_field_destroy(p8);
    gfp_field_destroy(m8);
    gfp_field_destroy(p4);
    gfp_field_destroy(tiny);
    return 0;
}

gfp_tuning *empty(void)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    return tuning;
}

void set(gfp_tuning *tuning, const gfp_field *field, uint64_t len, const char *method, double ns)
{
    assert_int_equal(lab_tuning_set(tuning, field, len, method, ns), GFP_OK);
}

void set_row(gfp_tuning *tuning, gfp_operation operation, unsigned threads, uint64_t len,
             uint64_t len_b, const char *method, double ns)
{
    const gfp_tuning_row row = {.k = 8,
                                .r = gfp_field_r(p8),
                                .len = len,
                                .len_b = len_b,
                                .operation = operation,
                                .threads = threads};
    assert_int_equal(gfp_tuning_set_row(tuning, &row, method, ns), GFP_OK);
}

void expect_row(const gfp_tuning *tuning, size_t index, const gfp_field *field, uint64_t len)
{
    gfp_tuning_row row = {0};
    assert_int_equal(gfp_tuning_get_row(tuning, index, &row), GFP_OK);
    assert_int_equal(row.k, gfp_field_k(field));
    assert_true(row.r == gfp_field_r(field));
    assert_true(row.len == len);
}

void expect_ns(const gfp_tuning *tuning, size_t index, const char *method, double ns)
{
    assert_true(gfp_tuning_get_ns(tuning, index, method) == ns);
}

gfp_tuning *sample(void)
{
    gfp_tuning *tuning = empty();
    set(tuning, p8, 64, "classical", 120000);
    set(tuning, p4, 16, "flint", 7000.4);
    set(tuning, p8, 16, "bigfft", 0.25);
    set(tuning, p8, 16, "classical", 9000);
    return tuning;
}

void write_text(const gfp_tuning *tuning, char text[TEXT_SIZE])
{
    FILE *stream = fmemopen(text, TEXT_SIZE, "w");
    assert_non_null(stream);
    assert_int_equal(gfp_tuning_fwrite(tuning, stream), GFP_OK);
    assert_int_equal(fclose(stream), 0);
}

gfp_status read_bytes(gfp_tuning **tuning, const char *text, size_t length, gfp_error *error)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    rewind(stream);
    gfp_status status = gfp_tuning_fread(tuning, stream, NULL, error);
    fclose(stream);
    return status;
}

gfp_tuning *read_text(const char *text)
{
    gfp_tuning *tuning = NULL;
    gfp_error error = {.message = ""};
    if (read_bytes(&tuning, text, strlen(text), &error) != GFP_OK) {
        fail_msg("line %d: %s", (int)error.line, error.message);
    }
    return tuning;
}

void replace(char result[TEXT_SIZE], const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    int n = snprintf(result, TEXT_SIZE, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_in_range(n, 0, TEXT_SIZE - 1);
}

void expect_damages(gfp_tuning *tuning, const damage *list, size_t count)
{
    char text[TEXT_SIZE], damaged[TEXT_SIZE];
    gfp_tuning *untouched = tuning;
    write_text(tuning, text);
    for (size_t i = 0; i < count; i++) {
        const damage *d = &list[i];
        gfp_error error = {.message = ""};
        replace(damaged, text, d->from, d->to);
        gfp_status status = read_bytes(&untouched, damaged, strlen(damaged), &error);
        if (status != d->status || error.line != d->line ||
            strstr(error.message, d->reason) == NULL) {
            fail_msg("\"%s\" for \"%s\": %d, line %d: %s", d->to, d->from, (int)status,
                     (int)error.line, error.message);
        }
        assert_int_equal(error.status, status);
        assert_true(error.message[0] != '\0' && error.column >= 1);
        assert_ptr_equal(untouched, tuning);
        assert_int_equal(read_bytes(&untouched, damaged, strlen(damaged), NULL), status);
    }
}
