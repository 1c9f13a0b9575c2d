/* texts.c: rows of texts through every reader; see texts.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/texts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/process.h"

static const lab_text_kind *kind;
static const lab_text_row *row;
/* The object's text before a row. */
static char *before;

static void fail_text(const char *reader, const char *what)
{
    print_error("%s, %s: %s\n", kind->name, reader, what);
    fail_msg("the text '%s'", row->text);
}

static void expect_object(const char *reader, const char *expected)
{
    char *text = kind->to_string();
    if (strcmp(text, expected) != 0) {
        print_error("'%s' instead of '%s'\n", text, expected);
        fail_text(reader, "another object");
    }
    free(text);
}

static void expect_written(const char *reader)
{
    char expected[1000], text[1000];
    FILE *stream = fopen("again.txt", "wb");
    assert_non_null(stream);
    assert_int_equal(kind->to_stream(stream), GFP_OK);
    assert_int_equal(fclose(stream), 0);
    (void)slurp("again.txt", text, sizeof text);
    snprintf(expected, sizeof expected, "%s\n", row->normal);
    if (strcmp(text, expected) != 0) {
        fail_text(reader, text);
    }
}

/* Compares what a reader of the library did. */
static void expect_reading(const char *reader, gfp_status status, const gfp_error *error)
{
    if (status != row->status) {
        print_error("status %d, message '%s'\n", (int)status, error->message);
        fail_text(reader, "another status");
    }
    expect_object(reader, status == GFP_OK ? row->normal : before);
    if (status == GFP_OK) {
        expect_written(reader);
        return;
    }
    if (error->status != status || error->line != row->line || error->column != row->column ||
        error->index != row->index) {
        print_error("line %llu, column %llu, index %lld\n", (unsigned long long)error->line,
                    (unsigned long long)error->column, (long long)error->index);
        fail_text(reader, "another place");
    }
    if (strncmp(error->message, row->message, strlen(row->message)) != 0) {
        print_error("'%s' instead of '%s'\n", error->message, row->message);
        fail_text(reader, "another message");
    }
}

/* Reads from the stream, closes it, and returns the error. */
static gfp_error read_stream(const char *reader, FILE *stream)
{
    gfp_error error = {.message = ""};
    assert_non_null(stream);
    const gfp_status status = kind->from_stream(stream, &error);
    fclose(stream);
    expect_reading(reader, status, &error);
    return error;
}

static void expect_streams(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], row->text, row->length), (ssize_t)row->length);
    assert_int_equal(close(ends[1]), 0);
    const gfp_error piped = read_stream("a pipe", fdopen(ends[0], "rb"));
    const gfp_error filed = read_stream("a file", fopen("text.txt", "rb"));
    assert_string_equal(piped.message, filed.message);
    assert_int_equal(piped.offset, filed.offset);
    if (kind->from_string != NULL && row->status != GFP_OK) {
        gfp_error error = {.message = ""};
        (void)kind->from_string(row->text, row->length, &error);
        assert_string_equal(error.message, filed.message);
        assert_int_equal(error.offset, filed.offset);
    }
}

static void expect_from_memory(void)
{
    gfp_error error = {.message = ""};
    const gfp_status status = kind->from_string(row->text, row->length, &error);
    expect_reading("memory", status, &error);
    /* The error argument is optional. */
    const gfp_status silent = kind->from_string(row->text, row->length, NULL);
    expect_reading("memory without an error", silent, &error);
}

/* The command reads the file, under its name or as standard input. */
static void expect_command(const char *file, const char *name)
{
    char line[200], place[400];
    snprintf(line, sizeof line, kind->command, file);
    if (strcmp(file, "-") == 0) {
        stdin_from = "text.txt";
    }
    const int code = run(line);
    snprintf(place, sizeof place, "gfpoly: %s:%llu:%llu: %s", name, (unsigned long long)row->line,
             (unsigned long long)row->column, row->message);
    char index[60] = "";
    if (row->index != NONE) {
        snprintf(index, sizeof index, " (coefficient %llu)\n", (unsigned long long)row->index);
    }
    const char *normal = row->normal != NULL ? row->normal : "";
    const size_t length = strlen(normal);
    const bool printed =
        !kind->again || (strncmp(out, normal, length) == 0 && strcmp(out + length, "\n") == 0);
    if (row->status == GFP_OK ? code != 0 || err[0] != '\0' || !printed
                              : code != 2 || out[0] != '\0' || strstr(err, place) != err ||
                                    strstr(err, index) == NULL) {
        print_error("gfpoly %s: exit status %d; output:\n%s\nmessages:\n%s\n", line, code, out,
                    err);
        fail_text("the command", place);
    }
}

void lab_texts(const lab_text_kind *of_kind, const lab_text_row *rows, size_t count)
{
    kind = of_kind;
    for (size_t i = 0; i < count; i++) {
        row = &rows[i];
        before = kind->to_string();
        put_bytes("text.txt", row->text, row->length);
        expect_streams();
        if (kind->from_string != NULL) {
            expect_from_memory();
        }
        if (!row->apart) {
            expect_command("text.txt", "text.txt");
            expect_command("-", "standard input");
        }
        free(before);
    }
}
