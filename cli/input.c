/* input.c: messages, and the reading of polynomials from files and standard input.
 * A message about a file reads FILE:LINE:COLUMN: reason (coefficient I).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"

void complain(const char *format, ...)
{
    va_list arguments;
    fputs("gfpoly: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int exit_code(gfp_status status)
{
    switch (status) {
    case GFP_OK:
        return DONE;
    case GFP_ERR_MEMORY:
    case GFP_ERR_VERIFY:
    case GFP_ERR_VERSION:
    case GFP_ERR_CANCELLED:
        return FAILED;
    default:
        return BAD_USAGE;
    }
}

int complain_status(const char *what, gfp_status status, const gfp_error *error)
{
    const char *reason =
        error != NULL && error->message[0] != '\0' ? error->message : gfp_status_string(status);
    if (what != NULL) {
        complain("%s: %s", what, reason);
    } else {
        complain("%s", reason);
    }
    return exit_code(status);
}

int create_field(gfp_field **field, const char *name)
{
    gfp_error error = {.message = ""};
    gfp_status status = gfp_field_create(field, name, NULL, &error);
    if (status != GFP_OK) {
        complain("--field '%s': %s", name,
                 error.message[0] != '\0' ? error.message : gfp_status_string(status));
    }
    return exit_code(status);
}

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static const char *shown(const char *path)
{
    return is_stdin(path) ? "standard input" : path;
}

static int complain_place(const struct operand *operand, gfp_status status, const gfp_error *error)
{
    const char *path = shown(operand->path);
    if (error->line == 0) {
        return complain_status(path, status, error);
    }
    char index[50] = "";
    if (error->index != GFP_NO_INDEX) {
        snprintf(index, sizeof(index), " (coefficient %llu)", (unsigned long long)error->index);
    }
    complain("%s:%llu:%llu: %s%s", path, (unsigned long long)error->line,
             (unsigned long long)error->column, error->message, index);
    return exit_code(status);
}

static int read_stream(struct input *input, struct operand *operand, FILE *stream, bool named_field)
{
    gfp_error error = {.message = ""};
    gfp_status status;
    int first = getc(stream);
    if (first != EOF) {
        ungetc(first, stream);
    }
    operand->format = first == '[' ? GFP_FORMAT_NTL : GFP_FORMAT_FLINT;
    if (operand->format == GFP_FORMAT_NTL && !named_field) {
        complain("%s: NTL's format does not name the field: --field is needed",
                 shown(operand->path));
        return BAD_USAGE;
    }
    if (input->field != NULL) {
        gfp_poly_init(&operand->poly, input->field);
        status = gfp_poly_fread(&operand->poly, stream, operand->format, &operand->stored, &error);
    } else {
        status = gfp_poly_fread_field(&operand->poly, &input->field, stream, NULL, &operand->stored,
                                      &error);
    }
    if (status == GFP_ERR_FIELD_MISMATCH && !named_field) {
        complain("%s and %s have different moduli", shown(input->operand[0].path),
                 shown(operand->path));
        return BAD_USAGE;
    }
    return status == GFP_OK ? DONE : complain_place(operand, status, &error);
}

static int read_operand(struct input *input, const char *path, bool named_field)
{
    struct operand *operand = &input->operand[input->count];
    operand->path = path;
    FILE *stream = is_stdin(path) ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        complain("%s: cannot open: %s", path, strerror(errno));
        return BAD_USAGE;
    }
    int code = read_stream(input, operand, stream, named_field);
    if (stream != stdin) {
        fclose(stream);
    }
    if (code == DONE) {
        input->count++;
    }
    return code;
}

int read_input(struct input *input, const struct settings *settings, int count)
{
    bool named_field = settings->fields > 0;
    int code = DONE;
    *input = (struct input){.field = NULL};
    if (count == 2 && is_stdin(settings->file[0]) && is_stdin(settings->file[1])) {
        complain("%s: only one of the inputs can be standard input", settings->command);
        return BAD_USAGE;
    }
    if (named_field) {
        code = create_field(&input->field, settings->field[0]);
    }
    for (int i = 0; i < count && code == DONE; i++) {
        code = read_operand(input, settings->file[i], named_field);
    }
    if (code != DONE) {
        free_input(input);
    }
    return code;
}

void free_input(struct input *input)
{
    for (int i = 0; i < input->count; i++) {
        gfp_poly_clear(&input->operand[i].poly);
    }
    gfp_field_destroy(input->field);
    *input = (struct input){.field = NULL};
}

gfp_format output_format(const struct input *input, const struct settings *settings)
{
    return settings->format == AS_INPUT ? input->operand[0].format : (gfp_format)settings->format;
}
