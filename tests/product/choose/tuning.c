/* tuning.c: measured costs: rows, files, stale files, merging, memory; with tuning_costs.c,
 * the chooser's use of costs, and their measurement.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/tunings.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "product/choose/lab.h"
#include "product/choose/tuning.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "gfpoly-test-tuning-XXXXXX";

static int set_up(void **state)
{
    tuning_fields_open(state);
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    tuning_fields_close(state);
    (void)unlink("tuning");
    return chdir("..") == 0 ? rmdir(folder) : -1;
}

/* ---- rows ---- */

static void rows_are_in_order(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample();
    gfp_tuning_row row = {.k = 77};
    assert_int_equal(gfp_tuning_count(tuning), 3);
    expect_row(tuning, 0, p4, 16);
    expect_row(tuning, 1, p8, 16);
    expect_row(tuning, 2, p8, 64);
    expect_ns(tuning, 1, "classical", 9000);
    expect_ns(tuning, 1, "bigfft", 0.25);
    expect_ns(tuning, 1, "flint", 0);
    expect_ns(tuning, 1, "nonsense", 0);
    expect_ns(tuning, 3, "classical", 0);
    assert_int_equal(gfp_tuning_get_row(tuning, 3, &row), GFP_ERR_ARGUMENT);
    assert_int_equal(row.k, 77);
    gfp_tuning_destroy(tuning);
    gfp_tuning_destroy(NULL);
}

static void bad_entries_are_refused(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    assert_int_equal(lab_tuning_set(tuning, p8, 4, "nonsense", 1), GFP_ERR_UNKNOWN);
    assert_int_equal(lab_tuning_set(tuning, p8, 0, "flint", 1), GFP_ERR_ARGUMENT);
    assert_int_equal(lab_tuning_set(tuning, p8, UINT64_MAX, "flint", 1), GFP_ERR_ARGUMENT);
    assert_int_equal(lab_tuning_set(tuning, p8, 4, "flint", -1), GFP_ERR_ARGUMENT);
    assert_int_equal(lab_tuning_set(tuning, p8, 4, "flint", 2 * GFP_TUNING_MAX_NS),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(lab_tuning_set(tuning, p8, 4, "flint", NAN), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_tuning_count(tuning), 0);
    gfp_tuning_destroy(tuning);
}

/* ---- files ---- */

static void text_comes_back(void **state)
{
    char text[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample();
    write_text(tuning, text);
    assert_int_equal(strncmp(text, "gfpoly-tuning 4\nmachine cpu=\"", 29), 0);
    gfp_tuning *copy = read_text(text);
    assert_int_equal(gfp_tuning_check(copy, NULL), GFP_OK);
    assert_int_equal(gfp_tuning_count(copy), 3);
    expect_row(copy, 2, p8, 64);
    expect_ns(copy, 0, "flint", 7000); /* rounded */
    expect_ns(copy, 1, "bigfft", 1);   /* but a measured time does not vanish */
    expect_ns(copy, 1, "classical", 9000);
    write_text(copy, again);
    assert_string_equal(text, again);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(tuning);
    tuning = empty();
    write_text(tuning, text);
    copy = read_text(text);
    assert_int_equal(gfp_tuning_count(copy), 0);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(tuning);
}

static void bad_rows_are_refused(void **state)
{
    static const gfp_tuning_row bad[] = {
        {.k = 8, .r = 4, .len = 16, .len_b = 8, .operation = GFP_OPERATION_SQUARE},
        {.k = 8, .r = 4, .len = 16, .len_b = 8, .operation = GFP_OPERATION_LOW},
        {.k = 8, .r = 4, .len = 16, .operation = GFP_OPERATION_MIDDLE},
        {.k = 8, .r = 4, .len = 16, .operation = GFP_OPERATION_HIGH},
        {.k = 8, .r = 4, .len = 16, .operation = GFP_OPERATION_BATCH},
        {.k = 8, .r = 4, .len = 16, .len_b = 15},
        {.k = 8, .r = 4, .len = 16, .len_b = 32},
        {.k = 8, .r = 4, .len = 16, .threads = GFP_MAX_THREADS + 1},
        {.k = 6, .r = 4, .len = 16},
        {.k = 8, .r = 5, .len = 16},
        {.k = 8, .r = 4, .len = 16, .operation = (gfp_operation)77},
        {.k = 8, .r = 4, .len = 16, .resident = (gfp_residence)2},
    };
    (void)state;
    gfp_tuning *tuning = sample();
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        assert_int_equal(gfp_tuning_set_row(tuning, &bad[i], "flint", 1), GFP_ERR_ARGUMENT);
    }
    assert_int_equal(gfp_tuning_count(tuning), 3);
    gfp_tuning_destroy(tuning);
}

/* Rows of every operation come back from a text, in order, and are merged by what they are of. */
static void rows_of_operations_come_back(void **state)
{
    char text[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample();
    set_row(tuning, GFP_OPERATION_OPERAND, 1, 64, 16, "hybrid", 5);
    set_row(tuning, GFP_OPERATION_SQUARE, 4, 64, 0, "flint", 6);
    set_row(tuning, GFP_OPERATION_SQUARE, 0, 64, 64, "flint", 7);
    set_row(tuning, GFP_OPERATION_MIDDLE, 1, 31, 16, "hybrid", 8);
    set_row(tuning, GFP_OPERATION_PRODUCT, 2, 64, 0, "hybrid", 9);
    const gfp_tuning_row there = {.k = 8,
                                  .r = gfp_field_r(p8),
                                  .len = 64,
                                  .operation = GFP_OPERATION_PRODUCT,
                                  .resident = GFP_RESIDENT_DEVICE};
    assert_int_equal(gfp_tuning_set_row(tuning, &there, "hybrid_gpu", 10), GFP_OK);
    assert_int_equal(gfp_tuning_count(tuning), 9);
    static const struct {
        gfp_operation operation;
        unsigned threads;
        gfp_residence resident;
    } order[] = {{GFP_OPERATION_PRODUCT, 1, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_PRODUCT, 1, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_PRODUCT, 1, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_PRODUCT, 2, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_PRODUCT, 1, GFP_RESIDENT_DEVICE},
                 {GFP_OPERATION_SQUARE, 1, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_SQUARE, 4, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_MIDDLE, 1, GFP_RESIDENT_HOST},
                 {GFP_OPERATION_OPERAND, 1, GFP_RESIDENT_HOST}};
    write_text(tuning, text);
    assert_non_null(strstr(text, "\noperation square threads=4\n"));
    assert_non_null(strstr(text, "\noperation product threads=1 resident\n"));
    gfp_tuning *copy = read_text(text), *merged = empty();
    assert_int_equal(gfp_tuning_merge(merged, copy, NULL), GFP_OK);
    for (size_t i = 0; i < 9; i++) {
        gfp_tuning_row row = {0};
        assert_int_equal(gfp_tuning_get_row(merged, i, &row), GFP_OK);
        assert_int_equal(row.operation, order[i].operation);
        assert_int_equal(row.threads, order[i].threads);
        assert_int_equal(row.resident, order[i].resident);
    }
    expect_ns(merged, 4, "hybrid_gpu", 10);
    expect_ns(merged, 5, "flint", 7);
    expect_ns(merged, 6, "flint", 6);
    expect_ns(merged, 8, "hybrid", 5);
    write_text(merged, again);
    assert_string_equal(again, text);
    gfp_tuning_destroy(merged);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(tuning);
}

/* Lines may end with CR LF, and the last one without either. */
static void line_ends_do_not_matter(void **state)
{
    char text[TEXT_SIZE], other[TEXT_SIZE] = "";
    (void)state;
    gfp_tuning *tuning = sample();
    write_text(tuning, text);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        strcat(strcat(other, line), strcmp(line, "end") == 0 ? "" : "\r\n");
    }
    gfp_tuning *copy = read_text(other);
    assert_int_equal(gfp_tuning_count(copy), 3);
    gfp_tuning_destroy(copy);
    gfp_tuning_destroy(tuning);
}

static void files_come_back(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample(), *copy = NULL;
    gfp_error error = {.message = ""};
    for (int i = 0; i < 2; i++) { /* new, and replacing */
        assert_int_equal(lab_tuning_save(tuning, "tuning"), GFP_OK);
        assert_int_equal(gfp_tuning_load(&copy, "tuning", NULL, &error), GFP_OK);
        assert_int_equal(gfp_tuning_count(copy), 3 + i);
        gfp_tuning_destroy(copy);
        set(tuning, p4, 1024, "flint", 5);
    }
    gfp_tuning_destroy(tuning);
}

/* Else a file could go on for ever. */
static void fields_without_rows_are_refused(void **state)
{
    char text[TEXT_SIZE], changed[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample(), *untouched = tuning;
    gfp_error error = {.message = ""};
    write_text(tuning, text);
    replace(changed, text, "field k=4", "field k=2 r=2\nfield k=4");
    assert_int_equal(read_bytes(&untouched, changed, strlen(changed), &error), GFP_ERR_PARSE);
    assert_int_equal(error.line, 6);
    assert_string_equal(error.message, "the previous field has no rows");
    assert_ptr_equal(untouched, tuning);
    /* Places count every byte, carriage returns too. */
    replace(changed, text, "\nmachine", "\r\nmachine");
    replace(text, changed, "field k=4", "field k=x");
    assert_int_equal(read_bytes(&untouched, text, strlen(text), &error), GFP_ERR_PARSE);
    assert_int_equal(error.offset, strstr(text, "x r=") - text);
    replace(changed, text, "\r\n", "\r \n");
    assert_int_equal(read_bytes(&untouched, changed, strlen(changed), &error), GFP_ERR_PARSE);
    assert_int_equal(error.line, 1);
    gfp_tuning_destroy(tuning);
}

static void expect_io(gfp_status status, int number, const gfp_error *error)
{
    assert_int_equal(errno, number);
    assert_int_equal(status, GFP_ERR_IO);
    assert_int_equal(error->status, GFP_ERR_IO);
    assert_non_null(strstr(error->message, strerror(number)));
}

static void places_that_do_not_work_are_reported(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample(), *untouched = tuning;
    gfp_error error = {.message = ""};
    expect_io(gfp_tuning_load(&untouched, "nowhere", NULL, &error), ENOENT, &error);
    expect_io(gfp_tuning_load(&untouched, ".", NULL, &error), EISDIR, &error);
    assert_ptr_equal(untouched, tuning);
    gfp_tuning_destroy(tuning);
}

static const damage damages[] = {
    {"gfpoly-tuning 4", "gfpoly-tuning 3", 1, GFP_ERR_PARSE, "version 3"},
    {"gfpoly-tuning 4", "gfpoly-tuning", 1, GFP_ERR_PARSE, "no tuning file"},
    {"gfpoly-tuning 4", "gfpoly-tuning 4 x", 1, GFP_ERR_PARSE, "something follows"},
    {"gfpoly-tuning 4", "", 1, GFP_ERR_PARSE, "no tuning file"},
    {"machine", "engine", 2, GFP_ERR_PARSE, "machine"},
    {" level=", " floor=", 2, GFP_ERR_PARSE, "level="},
    {"cpu=\"", "cpu=\"\" x=\"", 2, GFP_ERR_PARSE, "an empty text"},
    {"cpu=\"",
     "cpu=\"0123456789012345678901234567890123456789012345678901234567890123456789"
     "01234567890123456789",
     2, GFP_ERR_PARSE, "too long"},
    {"\"\nmethods", "\nmethods", 2, GFP_ERR_PARSE, "without its end"},
    {"\"\nmethods", "\" more=\"1\"\nmethods", 2, GFP_ERR_PARSE, "something follows"},
    {"methods", "ways", 3, GFP_ERR_PARSE, "methods"},
    {"methods classical=", "methods classical", 3, GFP_ERR_PARSE, ""},
    {"classical=1", "classical=", 3, GFP_ERR_PARSE, "a number is missing"},
    {"classical=1", "classical=-1", 3, GFP_ERR_PARSE, "a number is missing"},
    {"classical=1", "classical=99999999999999999999", 3, GFP_ERR_RANGE, "too large"},
    {"classical=1", "karatsuba=1", 3, GFP_ERR_PARSE, "twice"},
    {"classical=1", "a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1", 3, GFP_ERR_PARSE,
     "too many methods"},
    {"field k=4", "field 4", 5, GFP_ERR_PARSE, "field k="},
    {"field k=4", "field k=0", 5, GFP_ERR_RANGE, "power of two"},
    {"field k=4", "field k=6", 5, GFP_ERR_RANGE, "power of two"},
    {"field k=4", "field k=512", 5, GFP_ERR_RANGE, "too large"},
    {" r=1", " q=1", 5, GFP_ERR_PARSE, "r="},
    {" r=", " r=3 ", 5, GFP_ERR_RANGE, "not even"},
    {" r=", " r=99999999999999999999", 5, GFP_ERR_RANGE, "too large"},
    {"field k=4", "feild k=4", 5, GFP_ERR_PARSE, "\"operation\", \"field\" or \"end\""},
    {"\n16 16 ", "\n0 0 ", 6, GFP_ERR_RANGE, "length of 0"},
    {"\n16 16 ", "\n99999999999999999999 16 ", 6, GFP_ERR_RANGE, "too large"},
    {"\n16 16 ", "\n16  ", 6, GFP_ERR_PARSE, "a number is missing"},
    {"\n16 16 ", "\n16\n", 6, GFP_ERR_PARSE, "two lengths"},
    {"\n16 16 ", "\n16 0 ", 6, GFP_ERR_RANGE, "length of 0"},
    {"\n16 16 ", "\n16 17 ", 6, GFP_ERR_RANGE, "no rows of"},
    {"\n16 16 ", "\n16 13 ", 6, GFP_ERR_RANGE, "no rows of"},
    {"\n16 16 ", "\n16 16  ", 6, GFP_ERR_PARSE, "a number is missing"},
    {"\n16 16 ", "\n16 16 1 ", 6, GFP_ERR_PARSE, "more times"},
    {"operation product", "operation products", 4, GFP_ERR_PARSE, "no such operation"},
    {"operation product", "operation", 4, GFP_ERR_PARSE, "without its end"},
    {"operation product threads=1", "operation square threads=0", 4, GFP_ERR_RANGE, "no threads"},
    {"operation product threads=1", "operation square threads=257", 4, GFP_ERR_RANGE, "too large"},
    {"operation product threads=1", "operation square 1", 4, GFP_ERR_PARSE, "threads="},
    {"operation product threads=1", "operation product threads=1 x", 4, GFP_ERR_PARSE,
     "something follows"},
    {"operation product threads=1\n", "", 4, GFP_ERR_PARSE, "expected \"operation\""},
    {"operation product threads=1\n", "operation product threads=1\noperation low threads=1\n", 5,
     GFP_ERR_PARSE, "the previous operation has no rows"},
    {"field k=8", "operation product threads=1\nfield k=2", 9, GFP_ERR_RANGE,
     "not in ascending order"},
    {"field k=8", "operation middle threads=2\nfield k=8", 9, GFP_ERR_RANGE, "no rows of"},
    {"field k=8", "operation file threads=2\nfield k=8", 9, GFP_ERR_RANGE, "no rows of"},
    {" 7000", "", 6, GFP_ERR_PARSE, "fewer times"},
    {" 7000 0 0 0 0 0 0 0", " 7000 0 0 0 0 0 0 0.5", 6, GFP_ERR_PARSE,
     "more times than methods, or no number"},
    {" 7000", " 1000000000000001", 6, GFP_ERR_RANGE, "too large"},
    {" 7000 0 0 0 0 0 0 0", " 7000 0 0 0 0 0 0 7e3", 6, GFP_ERR_PARSE, "no number"},
    {" 7000", " inf", 6, GFP_ERR_PARSE, "a number is missing"},
    {" 7000", " \x01", 6, GFP_ERR_PARSE, "printable"},
    {" 7000", " \xc3\xa4", 6, GFP_ERR_PARSE, "printable"},
    {"\n64 64 ", "\n16 16 ", 9, GFP_ERR_RANGE, "not in ascending order"},
    {"\n64 64 ", "\n8 8 ", 9, GFP_ERR_RANGE, "not in ascending order"},
    {"field k=8", "field k=2", 8, GFP_ERR_RANGE, "not in ascending order"},
    {"\nend", "\n", 10, GFP_ERR_PARSE, ""},
    {"\nend\n", "\nend\nend\n", 11, GFP_ERR_PARSE, "something follows"},
    {"\nend\n", "\n", 10, GFP_ERR_PARSE, "cut off"},
    {"\n16 16 ", "\nthreshold division k=2 1\n16 16 ", 6, GFP_ERR_PARSE, "has no rows"},
    {"\n64 64 ", "\nthreshold division k=2 1\n64 64 ", 10, GFP_ERR_PARSE, "expected \"end\""},
    {"\nend", "\nfactor z_big 1\nfield k=8 r=2\nend", 11, GFP_ERR_PARSE, "expected \"end\""},
    {"\nend", "\nthreshold\nend", 10, GFP_ERR_PARSE, ""},
};

/* Lines of thresholds and factors, which earlier versions wrote, are skipped with a note. */
static void lines_of_earlier_versions_are_skipped(void **state)
{
    static const char *const lines[] = {
        "\nthreshold half_gcd k=8 24\nend", "\nfactor z_images 1140\nend",
        "\nthreshold half_gcd k=4 unmeasured\nthreshold x k=8 1\nfactor z_big 900\nend"};
    char text[TEXT_SIZE], old[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample();
    write_text(tuning, text);
    for (size_t i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        gfp_tuning *read = NULL;
        replace(old, text, "\nend", lines[i]);
        assert_int_equal(read_bytes(&read, old, strlen(old), &error), GFP_OK);
        assert_int_equal(error.status, GFP_OK);
        const char *count = i < 2 ? "1 line of thresholds and factors" : "3 lines of thresholds";
        assert_memory_equal(error.message, count, strlen(count));
        assert_int_equal(gfp_tuning_check(read, NULL), gfp_tuning_check(tuning, NULL));
        write_text(read, again);
        assert_string_equal(again, text);
        gfp_tuning_destroy(read);
    }
    gfp_tuning_destroy(tuning);
}

static void malformed_texts_change_nothing(void **state)
{
    (void)state;
    gfp_tuning *tuning = sample();
    expect_damages(tuning, damages, sizeof damages / sizeof damages[0]);
    assert_int_equal(gfp_tuning_count(tuning), 3);
    gfp_tuning_destroy(tuning);
}

/* Every beginning of a file is refused, except that without the last line end. */
static void every_beginning_is_refused(void **state)
{
    char text[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample(), *untouched = tuning;
    write_text(tuning, text);
    for (size_t n = 0; n + 1 < strlen(text); n++) {
        gfp_error error = {.message = ""};
        /* RANGE if a number is cut and becomes impossible. */
        gfp_status status = read_bytes(&untouched, text, n, &error);
        assert_true(status == GFP_ERR_PARSE || status == GFP_ERR_RANGE);
        assert_true(error.line >= 1 && error.message[0] != '\0');
        assert_ptr_equal(untouched, tuning);
    }
    gfp_tuning_destroy(tuning);
}

/* A changed byte is refused with its line, or gives a tuning that is well-formed. */
static void changed_bytes_do_no_harm(void **state)
{
    static const char bytes[] = "0 9\n\"=x";
    char text[TEXT_SIZE], changed[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = sample();
    write_text(tuning, text);
    for (size_t n = 0; n < strlen(text); n++) {
        for (size_t i = 0; i < sizeof bytes; i++) { /* the terminator, too */
            gfp_tuning *result = NULL;
            gfp_error error = {.message = ""};
            strcpy(changed, text);
            changed[n] = bytes[i];
            if (read_bytes(&result, changed, strlen(text), &error) == GFP_OK) {
                write_text(result, again);
                gfp_tuning_destroy(result);
                result = read_text(again);
                gfp_tuning_destroy(result);
            } else {
                assert_true(error.line >= 1 && error.message[0] != '\0');
                assert_null(result);
            }
        }
    }
    gfp_tuning_destroy(tuning);
}

static void write_rows(FILE *stream, const char *text, size_t count)
{
    const char *end = strstr(text, "end\n");
    assert_non_null(end);
    fprintf(stream, "%.*soperation product threads=1\nfield k=2 r=4\n", (int)(end - text), text);
    for (size_t i = 1; i <= count; i++) {
        fprintf(stream, "%zu %zu", i, i);
        for (size_t j = 0; j < gfp_method_count(); j++) {
            fputs(" 1", stream);
        }
        fputc('\n', stream);
    }
    fputs("end\n", stream);
    rewind(stream);
}

static void too_many_rows_are_refused(void **state)
{
    char text[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = empty(), *result = NULL;
    gfp_error error = {.message = ""};
    write_text(tuning, text);
    for (size_t more = 0; more < 2; more++) {
        FILE *stream = tmpfile();
        assert_non_null(stream);
        write_rows(stream, text, GFP_TUNING_MAX_ROWS + more);
        assert_int_equal(gfp_tuning_fread(&result, stream, NULL, &error),
                         more == 0 ? GFP_OK : GFP_ERR_SIZE);
        fclose(stream);
    }
    assert_int_equal(error.line, 5 + GFP_TUNING_MAX_ROWS + 1);
    assert_int_equal(gfp_tuning_count(result), GFP_TUNING_MAX_ROWS);
    assert_int_equal(lab_tuning_set(result, p8, 4, "flint", 1), GFP_ERR_SIZE);
    set(tuning, p8, 4, "flint", 1);
    assert_int_equal(gfp_tuning_merge(result, tuning, &error), GFP_ERR_SIZE);
    assert_int_equal(gfp_tuning_count(result), GFP_TUNING_MAX_ROWS);
    gfp_tuning_destroy(result);
    gfp_tuning_destroy(tuning);
}

static void long_lines_and_binary_files_are_refused(void **state)
{
    char *text = malloc(100000);
    gfp_tuning *result = NULL;
    gfp_error error = {.message = ""};
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 100000);
    assert_int_equal(read_bytes(&result, text, 100000, &error), GFP_ERR_PARSE);
    assert_non_null(strstr(error.message, "too long"));
    memset(text, 0, 100000);
    assert_int_equal(read_bytes(&result, text, 100000, &error), GFP_ERR_PARSE);
    assert_int_equal(error.line, 1);
    assert_null(result);
    free(text);
}

/* ---- stale ---- */

typedef struct change {
    const char *from, *to, *reason;
} change;

static const change changes[] = {
    {"cpu=\"", "cpu=\"Other ", "the CPU was"},
    {"level=\"", "level=\"un", "level"},
    {"gfpoly=\"", "gfpoly=\"9.", "version of gfpoly was \"9."},
    {"flint=\"", "flint=\"9.", "version of FLINT was \"9."},
    {"classical=1", "classical=3", "classical had revision 3 when measured, now 1"},
    {"classical=1", "schoolbook=1", "classical did not exist"},
    {"classical=1", "classical=1 quantum=1", "quantum"},
};

/* The changed text, with a column more where it names a method more. */
static gfp_tuning *changed_tuning(const gfp_tuning *tuning, const change *c)
{
    char text[TEXT_SIZE], changed[TEXT_SIZE];
    write_text(tuning, text);
    replace(changed, text, c->from, c->to);
    return read_text(changed);
}

static bool is_without_gpu(const gfp_tuning *tuning)
{
    char text[TEXT_SIZE];
    write_text(tuning, text);
    return strstr(text, " gpu=\"none\" ") != NULL;
}

static void what_differs_makes_it_stale(void **state)
{
    char text[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = empty();
    assert_int_equal(gfp_tuning_check(tuning, NULL), GFP_OK);
    for (size_t i = 0; LAB_ROW(changes, i); i++) {
        gfp_error error = {.message = ""};
        gfp_tuning *stale = changed_tuning(tuning, &changes[i]);
        assert_int_equal(gfp_tuning_check(stale, &error), GFP_STALE);
        assert_int_equal(gfp_tuning_check(stale, NULL), GFP_STALE);
        assert_int_equal(error.status, GFP_STALE);
        if (strstr(error.message, changes[i].reason) == NULL) {
            fail_msg("\"%s\" is no reason like \"%s\"", error.message, changes[i].reason);
        }
        /* No times are measured into a stale tuning, and it merges with no other, in either
         * direction. */
        assert_int_equal(gfp_tuning_measure(stale, p8, NULL), GFP_STALE);
        assert_int_equal(gfp_tuning_merge(tuning, stale, &error), GFP_STALE);
        assert_int_equal(gfp_tuning_merge(stale, tuning, &error), GFP_STALE);
        assert_int_equal(gfp_tuning_count(stale), 0);
        /* It stays what it is when written again. */
        write_text(stale, text);
        gfp_tuning *copy = read_text(text);
        write_text(copy, again);
        assert_string_equal(text, again);
        gfp_tuning_destroy(copy);
        gfp_tuning_destroy(stale);
    }
    gfp_tuning_destroy(tuning);
}

/* Without a GPU, a GPU's times are ignored and the CPU's used; new times of the CPU can be merged
 * into such a tuning, but not the other way round. */
static void without_a_gpu_the_other_times_count(void **state)
{
    const change from_a_gpu = {"gpu=\"none\"", "gpu=\"H200\"", "GPU"};
    gfp_error error = {.message = ""};
    (void)state;
    gfp_tuning *tuning = empty();
    if (!is_without_gpu(tuning)) {
        gfp_tuning_destroy(tuning);
        skip();
    }
    gfp_tuning *of_gpu = changed_tuning(tuning, &from_a_gpu);
    set(of_gpu, p8, 64, "karatsuba", 1000);
    set(of_gpu, p8, 64, "hybrid", 2000);
    set(of_gpu, p8, 64, "hybrid_gpu", 1);
    assert_int_equal(gfp_tuning_check(of_gpu, &error), GFP_OK);
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 64, .len_b = 64}, p8,
                                        &(gfp_options){.tuning = of_gpu}),
                        "karatsuba");
    set(tuning, p8, 64, "hybrid", 500);
    assert_int_equal(gfp_tuning_merge(of_gpu, tuning, &error), GFP_OK);
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 64, .len_b = 64}, p8,
                                        &(gfp_options){.tuning = of_gpu}),
                        "hybrid");
    expect_ns(of_gpu, 0, "hybrid_gpu", 1);
    assert_int_equal(gfp_tuning_merge(tuning, of_gpu, &error), GFP_STALE);
    assert_non_null(strstr(error.message, "the GPU was \"H200\" when measured, now \"none\""));
    gfp_tuning_destroy(of_gpu);
    gfp_tuning_destroy(tuning);
}

/* Columns go by name: the order of the methods in a file does not matter. */
static void methods_may_be_in_another_order(void **state)
{
    char text[TEXT_SIZE], swapped[TEXT_SIZE];
    (void)state;
    gfp_tuning *tuning = empty();
    set(tuning, p8, 16, "classical", 123);
    set(tuning, p8, 16, "karatsuba", 45);
    write_text(tuning, text);
    replace(swapped, text, "classical=1 karatsuba=1", "karatsuba=1 classical=1");
    gfp_tuning *other = read_text(swapped);
    assert_int_equal(gfp_tuning_check(other, NULL), GFP_OK);
    expect_ns(other, 0, "karatsuba", 123);
    expect_ns(other, 0, "classical", 45);
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 16, .len_b = 16}, p8,
                                        &(gfp_options){.tuning = tuning}),
                        "karatsuba");
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 16, .len_b = 16}, p8,
                                        &(gfp_options){.tuning = other}),
                        "classical");
    assert_int_equal(gfp_tuning_merge(tuning, other, NULL), GFP_OK);
    expect_ns(tuning, 0, "karatsuba", 123);
    gfp_tuning_destroy(other);
    gfp_tuning_destroy(tuning);
}

/* ---- merging ---- */

static void merging_takes_the_newer_times(void **state)
{
    (void)state;
    gfp_tuning *into = sample(), *from = empty();
    set(from, p4, 4, "flint", 1);
    set(from, p8, 16, "classical", 1234);
    set(from, p8, 32, "classical", 5678);
    set(from, p8, 128, "bigfft", 99);
    gfp_error error = {.message = ""};
    assert_int_equal(gfp_tuning_merge(into, from, &error), GFP_OK);
    assert_int_equal(gfp_tuning_count(into), 6);
    expect_row(into, 0, p4, 4);
    expect_row(into, 1, p4, 16);
    expect_row(into, 2, p8, 16);
    expect_row(into, 3, p8, 32);
    expect_row(into, 4, p8, 64);
    expect_row(into, 5, p8, 128);
    expect_ns(into, 2, "classical", 1234);
    expect_ns(into, 2, "bigfft", 0.25); /* not measured anew */
    expect_ns(into, 3, "classical", 5678);
    expect_ns(into, 4, "classical", 120000);
    assert_int_equal(gfp_tuning_count(from), 4);
    assert_int_equal(gfp_tuning_merge(into, into, &error), GFP_OK);
    assert_int_equal(gfp_tuning_count(into), 6);
    expect_ns(into, 5, "bigfft", 99);
    gfp_tuning_destroy(from);
    gfp_tuning_destroy(into);
}

/* ---- memory ---- */

/* Everything that allocates, with allocation fail_at failing. True: nothing failed. */
static bool use_all(meter *m, const gfp_tuning *from)
{
    gfp_allocator allocator = meter_hook(m);
    gfp_tuning *tuning = NULL;
    gfp_error error = {.message = ""};
    bool all = false;
    if (gfp_tuning_create(&tuning, &allocator) != GFP_OK) {
        assert_null(tuning);
        return false;
    }
    gfp_status status = lab_tuning_set(tuning, p8, 2, "flint", 5);
    assert_int_equal(gfp_tuning_count(tuning), status == GFP_OK ? 1 : 0);
    if (status == GFP_OK) {
        status = gfp_tuning_merge(tuning, from, &error);
        assert_int_equal(gfp_tuning_count(tuning),
                         1 + (status == GFP_OK ? gfp_tuning_count(from) : 0));
    }
    if (status == GFP_OK) {
        status = lab_tuning_save(tuning, "tuning");
    }
    gfp_tuning *loaded = NULL;
    if (status == GFP_OK) {
        status = gfp_tuning_load(&loaded, "tuning", &allocator, &error);
        all = status == GFP_OK;
        assert_true(all == (loaded != NULL));
    }
    assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
    gfp_tuning_destroy(loaded);
    gfp_tuning_destroy(tuning);
    return all;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    gfp_tuning *many = empty();
    for (uint64_t len = 4; len < 100; len++) {
        set(many, p8, len, "classical", 7);
    }
    meter m = {.calls = 0};
    bool all = false;
    while (!all) {
        m.calls = 0;
        all = use_all(&m, many);
        meter_expect_empty(&m);
        assert_in_range(++m.fail_at, 0, 50);
    }
    assert_true(m.fail_at >= 8);
    gfp_tuning_destroy(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_order),
        cmocka_unit_test(bad_entries_are_refused),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(rows_of_operations_come_back),
        cmocka_unit_test(line_ends_do_not_matter),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(fields_without_rows_are_refused),
        cmocka_unit_test(places_that_do_not_work_are_reported),
        cmocka_unit_test(malformed_texts_change_nothing),
        cmocka_unit_test(lines_of_earlier_versions_are_skipped),
        cmocka_unit_test(every_beginning_is_refused),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(long_lines_and_binary_files_are_refused),
        cmocka_unit_test(what_differs_makes_it_stale),
        cmocka_unit_test(without_a_gpu_the_other_times_count),
        cmocka_unit_test(methods_may_be_in_another_order),
        cmocka_unit_test(merging_takes_the_newer_times),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    const int failed = cmocka_run_group_tests_name("tuning", tests, set_up, tear_down);
    return failed + run_tests_of_costs();
}
